"""Measures stay numbers at any size of the table; codes become lists."""

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from synth.private.counting import profile_table
from synth.private.table import open_table
from tests.tables import write

Draw = Callable[[Random], int]

MEASURES: dict[str, Draw] = {
    "bmi": lambda draw: round(draw.gauss(26, 5)),
    "visits": lambda draw: int(draw.expovariate(0.2)),
    "days in hospital": lambda draw: 1 + int(draw.lognormvariate(1.2, 0.9)),
    "ozone": lambda draw: round(draw.lognormvariate(3.5, 0.8)),
    "age": lambda draw: max(0, round(draw.gauss(45, 20))),
}


def settle_types(folder: Path, rows: int, columns: dict[str, Draw]) -> dict[str, str]:
    """The drafted type of each column of a table whose values are drawn."""
    draw = Random(rows)
    cells = [[str(next_value(draw)) for next_value in columns.values()] for _ in range(rows)]
    look = profile_table(open_table(write(folder / "t.csv", [*columns], cells)))
    return {column.name: str(column.field["type"]) for column in look.columns}


@pytest.mark.parametrize("rows", [150, 300, 700, 2_000, 8_000])
def test_measures_are_no_lists_at_any_number_of_rows(tmp_path: Path, rows: int) -> None:
    """Holes among the rare values of a tail make no codes of stays or of ozone.

    At 300 rows a list once lost 17 % of the stays in hospital, and at 2,000 rows 18 % of the
    measures of ozone.
    """
    types = settle_types(tmp_path, rows, MEASURES)
    assert types == dict.fromkeys(MEASURES, "integer")


def test_months_that_are_mostly_half_years_are_no_codes(tmp_path: Path) -> None:
    """Durations of loans are multiples of six or three months, and some are others."""
    usual_months = (6, 9, 12, 15, 18, 21, 24, 30, 36, 42, 48, 60)
    months: dict[str, Draw] = {
        "duration": lambda draw: (
            draw.randrange(4, 73) if draw.random() < 0.08 else draw.choice(usual_months)
        )
    }
    assert settle_types(tmp_path, 1_000, months) == {"duration": "integer"}


def test_a_few_counts_with_rare_ones_lose_none_of_them(tmp_path: Path) -> None:
    """Of 150 families, few have four children or more, who are counts like the others."""
    children: dict[str, Draw] = {"children": lambda draw: min(6, int(draw.expovariate(0.8)))}
    assert settle_types(tmp_path, 150, children) == {"children": "integer"}


@pytest.mark.parametrize("rows", [1_000, 5_000])
def test_codes_with_holes_anywhere_are_lists(tmp_path: Path, rows: int) -> None:
    """Codes are lists, whether they have evenly many rows or not."""
    draw = Random(1)
    even = draw.sample(range(1, 100), 30)
    uneven = draw.sample(range(1, 41), 15)
    codes: dict[str, Draw] = {
        "even": lambda draw: draw.choice(even),
        "uneven": lambda draw: draw.choices(uneven, [1 / (n + 1) for n in range(15)])[0],
        "questions": lambda draw: draw.choice([n for n in range(13) if n != 7]),
    }
    assert settle_types(tmp_path, rows, codes) == dict.fromkeys(codes, "string")


def test_codes_as_r_writes_large_numbers_are_in_their_order(tmp_path: Path) -> None:
    """R writes 100000 as 1e+05, which was once taken for 1."""
    cells = [[text] for text in ("1e+05", "123456", "2e+05") * 20]
    look = profile_table(open_table(write(tmp_path / "t.csv", ["code"], cells)))
    assert look.columns[0].field["constraints"] == {
        "required": True,
        "enum": ["1e+05", "123456", "2e+05"],
    }


def test_codes_with_a_point_are_no_rounded_measures(tmp_path: Path) -> None:
    """pandas writes codes with gaps as 11.0; their last digit is no multiple of five."""
    codes = [11, 12, 13, 21, 22, 31, 32, 33, 41, 52, 61, 62]
    cells = [[f"{code}.0"] for code in codes * 20]
    look = profile_table(open_table(write(tmp_path / "t.csv", ["area"], cells)))
    assert look.columns[0].field["type"] == "string"
