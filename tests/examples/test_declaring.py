"""Examples: what columns may hold."""

from pathlib import Path

import pandas as pd
import pytest

import synth


def test_a_domain_is_declared_in_code() -> None:
    domain = synth.Domain(age=synth.Integer(18, 97, bins=16), sex=["female", "male"])
    assert domain.names == ("age", "sex")
    assert domain.shape == (16, 2)


def test_a_domain_is_read_from_a_table_schema(survey: Path) -> None:
    domain = synth.Domain.from_schema(survey.with_name("survey.schema.json"))
    assert domain.names[:3] == ("age", "sex", "education")


def test_some_of_the_declared_columns_are_enough(domain: synth.Domain) -> None:
    assert domain.project(["sex", "smoker"]).size == 2 * 3


def test_missing_values_have_a_cell_of_their_own() -> None:
    income = synth.Number(0, 150_000, bins=10, missing=True)
    assert synth.Domain(income=income).shape == (11,)


def test_edges_cut_a_number_where_you_say() -> None:
    income = synth.Number(0, 150_000, edges=[0, 10_000, 40_000, 150_000])
    assert synth.Domain(income=income)["income"].size == 3


def test_dates_are_cut_by_the_calendar() -> None:
    day = synth.Date("2025-03-01", "2025-08-31", period="month")
    assert synth.Domain(interview_date=day).shape == (6,)


def test_a_column_that_is_not_declared_is_no_part_of_the_release(
    frame: pd.DataFrame, domain: synth.Domain
) -> None:
    """A column of the table that the domain does not declare is not released."""
    assert "income" in frame.columns
    assert list(synth.release(frame, domain, epsilon=1).table.columns) == [
        "age",
        "sex",
        "smoker",
    ]


def test_a_typing_error_in_a_name_is_one_sentence(frame: pd.DataFrame) -> None:
    with pytest.raises(synth.SynthError, match="The table has no column 'sexx'"):
        synth.release(frame, {"sexx": ["female", "male"]}, epsilon=1)
