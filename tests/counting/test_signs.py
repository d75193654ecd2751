"""Texts among numbers become signs with a cell of their own, or a loss that is said."""

from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from synth.domain import read_field
from synth.drafting import DraftColumn
from synth.private.counting.look import Look, profile_table
from synth.private.table import open_table
from tests.tables import write

DRAW = Random(7)
LEVELS = [f"{DRAW.uniform(5, 200):.1f}" for _ in range(300)]
HOURS = [str(DRAW.randint(0, 60)) for _ in range(900)]


def look_at(folder: Path, cells: Sequence[str]) -> Look:
    """A look at a table whose first column has these cells."""
    path = write(folder / "t.csv", ["c", "x"], [[cell, "1"] for cell in cells])
    return profile_table(open_table(path))


def settle(folder: Path, cells: Sequence[str]) -> DraftColumn:
    """The first column of such a look."""
    return look_at(folder, cells).columns[0]


def test_limits_make_numbers_even_if_most_rows_have_one(tmp_path: Path) -> None:
    """Of 900 rows 300 have a number, 305 the limit <5 and 295 the limit >200."""
    look = look_at(tmp_path, [*LEVELS, *["<5"] * 305, *[">200"] * 295])
    column = look.columns[0]
    assert column.field["type"] == "number"
    assert column.field["synth:signs"] == ["<5", ">200"]
    assert read_field(column.field, 1).cells[-2:] == ("<5", ">200")
    assert "with a cell for each of <5, >200" in column.reason
    assert look.notes[-1] == "Numbers with a cell for each sign: 'c' (<5, >200)."
    assert look.losses == {}


def test_codes_and_signs_have_cells_and_stay_out_of_the_bounds(tmp_path: Path) -> None:
    """Beside hours up to 60, rows have -7, 999, <1, n.d. and refused; no cell is missing.

    The code -1 has nine rows, too few to propose it, and counts as the nearest bound.
    """
    special = ["-7"] * 30 + ["999"] * 20 + ["<1"] * 40 + ["n.d."] * 15 + ["refused"] * 10
    column = settle(tmp_path, [*HOURS, *special])
    assert column.field["synth:spikes"] == ["-7", "999"]
    assert column.field["synth:signs"] == ["<1", "n.d.", "refused"]
    declared = read_field(column.field, 1)
    assert declared.missing_code is None
    assert (declared.summable.low, declared.summable.high) == (0, 60)
    assert "with a cell for each of -7, 999, <1, n.d., refused" in column.reason

    rare = settle(tmp_path, [*HOURS, *["-7"] * 9])
    assert "synth:spikes" not in rare.field
    assert "a few rows lie outside the bounds, and count as the nearest" in rare.reason


def test_rarer_texts_are_no_signs_and_their_share_is_said(tmp_path: Path) -> None:
    """Of 1,000 rows 900 have hours, 50 "refused", nine "unsure", and 41 a text each."""
    odd_texts = ["unsure"] * 9 + [f"about {n}" for n in range(41)]
    look = look_at(tmp_path, [*HOURS, *["refused"] * 50, *odd_texts])
    column = look.columns[0]
    assert column.field["synth:signs"] == ["refused"]
    sentence = "rarer texts count as missing; 5 % of its rows would come out as missing"
    assert sentence in column.reason
    assert look.losses == {"c": 0.05}
    assert not any("unsure" in note for note in [*look.notes, column.reason])


def test_mostly_zero_with_some_texts_is_a_column_of_numbers(tmp_path: Path) -> None:
    """Of 1,060 rows 900 are 0, 100 another number, and 60 one of two texts."""
    cells = ["0"] * 900 + [str(n % 40) for n in range(100)] + ["trace"] * 40 + ["?!"] * 20
    column = settle(tmp_path, cells)
    assert column.field["type"] == "integer"
    assert column.field["synth:signs"] == ["?!", "trace"]


def test_up_to_a_hundred_signs_beside_many_numbers(tmp_path: Path) -> None:
    """Of 120 texts with ten rows and more beside 8,000 numbers, the first 100 are signs."""
    numbers = [str(n) for n in range(4000)] * 2
    texts = [f"reason {n}" for n in range(120) for _ in range(10 + n // 20)]
    column = settle(tmp_path, [*numbers, *texts])
    signs = column.field["synth:signs"]
    assert isinstance(signs, list)
    assert len(signs) == 100
    assert {f"reason {n}" for n in range(20, 120)} == {*signs}


@pytest.mark.parametrize(
    "cells",
    [
        ["1", "2", "3", "other", "none of these"] * 50,
        ["250.0", "401.9", "272.4", "E849", "V58", "V45", "E11"] * 20,
        ["0"] * 500 + ["Boer War", "Crimean War"] * 20,
        ["12", "12a", "7b", "9", "4c", "4"] * 30,
    ],
    ids=["answers", "diagnoses", "wars", "houses"],
)
def test_lists_of_texts_with_numbers_among_them_stay_lists(
    cells: Sequence[str], tmp_path: Path
) -> None:
    """Few numbers beside texts, and texts that look like codes, are values of a list."""
    column = settle(tmp_path, cells)
    assert column.field["type"] == "string"
    assert "synth:signs" not in column.field


def test_texts_that_mean_missing_are_no_signs(tmp_path: Path) -> None:
    column = settle(tmp_path, [*HOURS, *["NA"] * 50, *["unknown"] * 50, *["<1"] * 50])
    assert sorted(column.missing) == ["NA", "unknown"]
    assert column.field["synth:signs"] == ["<1"]


def test_columns_of_one_stem_share_their_signs(tmp_path: Path) -> None:
    """The columns lab_1 and lab_2 hold numbers from 0 to 60, and different signs."""
    rows = [[hour, hour] for hour in HOURS]
    rows += [["<1", "9"]] * 20 + [["9", ">50"]] * 20
    path = write(tmp_path / "t.csv", ["lab_1", "lab_2"], rows)
    columns = profile_table(open_table(path)).columns
    assert [column.field.get("synth:signs") for column in columns] == [["<1", ">50"]] * 2


@pytest.mark.parametrize(
    ("spelling", "reason"),
    [
        ("({})", "numbers in brackets, which mean negative ones"),
        ("{}-", "numbers, some with another minus than -"),
        ("{} e", "numbers, some with a flag behind them"),
    ],
)
def test_numbers_in_another_spelling_among_plain_ones_are_named(
    tmp_path: Path, spelling: str, reason: str
) -> None:
    """A fifth of the numbers is written otherwise, and would be missing: the draft says what
    those texts are.
    """
    numbers = [int(DRAW.lognormvariate(5, 1)) + 1 for _ in range(800)]
    texts = [
        spelling.format(number) if row % 5 == 0 else str(number)
        for row, number in enumerate(numbers)
    ]
    column = settle(tmp_path, texts)
    assert f"rarer texts count as missing, among them {reason}" in column.reason
