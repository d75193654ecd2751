"""NA is a country among codes of countries, and Na is sodium among elements."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pytest

import synth
from synth.private.counting import Look, profile_table
from synth.private.table import open_table
from tests.tables import write

COUNTRIES = ("DE", "FR", "NA", "ZA", "US")
ELEMENTS = ("H", "Na", "Cl", "Fe", "Pb")
NUMBERS = [str(20 + i % 40) for i in range(200)]


def look_at(folder: Path, first: Sequence[str], second: Sequence[str]) -> Look:
    """A look at a table of two columns."""
    cells = [list(pair) for pair in zip(first, second, strict=True)]
    return profile_table(open_table(write(folder / "t.csv", ["c", "x"], cells)))


def repeat(values: Sequence[str]) -> list[str]:
    return [values[i % len(values)] for i in range(200)]


@pytest.mark.parametrize(("values", "text"), [(COUNTRIES, "NA"), (ELEMENTS, "Na")])
def test_the_other_values_say_that_it_is_a_value(
    tmp_path: Path, values: Sequence[str], text: str
) -> None:
    """The text NA among many codes is listed as a value, and the draft says so."""
    look = look_at(tmp_path, repeat(values), NUMBERS)
    assert look.columns[0].field["constraints"]["enum"] == sorted(values)
    assert look.missing_values == ("",)
    assert "Only an empty cell counts as missing." in look.notes
    remark = f"'{text}' is a value of 'c', as its other values show, and not missing."
    assert remark in look.remarks

    frame = pd.DataFrame({"c": repeat(values)})
    release = synth.release(frame, synth.draft(frame), epsilon=50)
    assert text in set(release.table["c"])


@pytest.mark.parametrize(
    "values",
    [
        ("yes", "no", "maybe", "NA"),
        ("DE", "FR", "NA"),  # too few others
        ("DE", "FR", "US", "elsewhere", "NA"),
        ("H", "He", "Li", "NA"),
    ],
)
def test_among_other_values_it_is_missing(tmp_path: Path, values: Sequence[str]) -> None:
    """The text NA beside other values counts as missing in all columns, and the look says
    so.
    """
    look = look_at(tmp_path, repeat(values), NUMBERS)
    assert "NA" not in look.columns[0].field["constraints"]["enum"]
    assert look.missing_values == ("", "NA")
    assert (
        "Besides an empty cell, these texts count as missing in all columns: 'NA'."
        in look.notes
    )


def test_a_text_that_is_missing_in_another_column_is_missing_in_all(tmp_path: Path) -> None:
    """R writes NA for each missing value, so it is no country beside ages with NA."""
    look = look_at(tmp_path, repeat(COUNTRIES), [*NUMBERS[:150], *["NA"] * 50])
    assert "NA" not in look.columns[0].field["constraints"]["enum"]
    assert look.missing_values == ("", "NA")


def test_a_listed_value_that_means_missing_elsewhere_is_a_loss(tmp_path: Path) -> None:
    """'none' is an answer in one column, and means a missing value among the ages."""
    answers = repeat(("none", "some", "all", "most"))
    look = look_at(tmp_path, answers, [*NUMBERS[:150], *["none"] * 50])
    assert look.missing_values == ("", "none")
    assert look.losses == {"c": 0.25}
    assert look.undecided == ("c",)
