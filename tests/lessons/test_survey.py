"""The simulated survey: always the same, always inside its declaration, with real
dependence.
"""

import csv
from pathlib import Path

import numpy as np
import pandas as pd

from synth.domain import read_schema
from synth.lessons import ROWS, SURVEY_COLUMNS, survey_domain, write_example
from synth.lessons.survey import simulate


def test_survey_is_the_same_every_time() -> None:
    assert simulate(500).equals(simulate(500))


def test_written_survey_fits_its_declaration(tmp_path: Path) -> None:
    """Every row of the simulated survey lies within what its declaration allows, and every
    category occurs.
    """
    table, schema = write_example(tmp_path / "new")
    assert read_schema(schema) == survey_domain().project(SURVEY_COLUMNS)

    domain = survey_domain()
    with table.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == ROWS
    assert tuple(rows[0]) == domain.names
    for name in ("region", "sex", "employment", "health"):
        assert {row[name] for row in rows} == set(domain[name].cells)
    assert {row["smoker"] for row in rows} == {"yes", "no", ""}
    assert all(18 <= int(row["age"]) <= 97 for row in rows)
    assert all(0 <= int(row["income"]) <= 150_000 for row in rows if row["income"])
    assert all("2025-03-01" <= row["interview_date"] <= "2025-08-31" for row in rows)


def test_the_first_choice_suits_a_dense_histogram() -> None:
    assert 20_000 <= survey_domain().project(SURVEY_COLUMNS).size <= 60_000


def test_columns_depend_on_each_other() -> None:
    """The simulated survey has associations that a synthetic table can be tested by.

    Most people from 70 on are retired and few below. The median income grows with education.
    """
    survey = simulate()
    old = survey["age"] >= 70
    assert (survey.loc[old, "employment"] == "retired").mean() > 0.9
    assert (survey.loc[~old, "employment"] == "retired").mean() < 0.2

    income = pd.to_numeric(survey["income"])
    by_degree = income.groupby(survey["education"]).median()
    assert by_degree["primary"] < by_degree["vocational"] < by_degree["master"]


def test_missing_answers_are_as_documented() -> None:
    """The share of missing answers is the one of the documentation, give or take chance."""
    survey = simulate()
    for name, share in (("education", 0.02), ("income", 0.07), ("smoker", 0.03)):
        # Of 20,000 rows, a share of 7 % has a standard deviation of 0.0018.
        assert np.isclose((survey[name] == "").mean(), share, atol=0.006)
