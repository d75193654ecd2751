"""A look asks whether a key that repeats numbers persons, whom the guarantee can protect."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from synth.drafting import Review
from synth.private.counting import profile_table
from synth.private.counting.look import Look
from synth.private.table import open_table
from tests.tables import write


def look_at(folder: Path, name: str, cells: Sequence[str]) -> Look:
    """A look at a table with a column of these cells, and one of two values."""
    rows = [[cell, "fm"[place % 2]] for place, cell in enumerate(cells)]
    return profile_table(open_table(write(folder / "t.csv", [name, "sex"], rows)))


@pytest.mark.parametrize("pattern", ["{}", "P{:05}"])
def test_persons_with_several_rows_are_asked_about(tmp_path: Path, pattern: str) -> None:
    """Of 400 persons, every second one has three rows, and the others have one."""
    cells = [pattern.format(n) for n in range(1, 401) for _ in range(1 + 2 * (n % 2))]

    look = look_at(tmp_path, "pid", cells)

    assert look.columns[0].review is Review.IDENTIFIERS
    assert "pid" in look.left_out
    (question,) = look.remarks
    assert question.startswith("'pid' repeats: 400 values have up to 3 rows each.")
    assert "with all rows. Noise is then 3 times as large. On the command line" in question
    assert "--person pid --max-rows 3; in Python: person='pid', max_rows=3." in question


def test_a_key_of_one_row_each_is_not_asked_about(tmp_path: Path) -> None:
    look = look_at(tmp_path, "pid", [str(number) for number in range(400)])
    assert "pid" in look.left_out
    assert look.remarks == ()


def test_a_measure_that_repeats_is_no_person(tmp_path: Path) -> None:
    """Ages repeat, and all whole numbers of their range occur, but they are named as ages."""
    look = look_at(tmp_path, "age", [str(18 + number % 70) for number in range(700)])
    assert look.left_out == {}
    assert look.remarks == ()


def test_years_are_no_persons_although_a_table_calls_them_ids(tmp_path: Path) -> None:
    """All years from 1871 to 2020 occur, with 10 to 159 rows: more than persons have."""
    cells = [str(1871 + year) for year in range(150) for _ in range(10 + year)]
    look = look_at(tmp_path, "yearID", cells)
    assert "is a key" not in look.left_out.get("yearID", "")
    assert look.remarks == ()


def test_a_name_with_a_blank_is_quoted_for_the_command_line(tmp_path: Path) -> None:
    cells = [str(number // 2) for number in range(800)]
    (question,) = look_at(tmp_path, "person id", cells).remarks
    assert "--person 'person id' --max-rows 2" in question


@pytest.mark.parametrize("pattern", ["10000{:05}", "P{:05}"])
def test_a_column_of_another_columns_keys_is_an_identifier_too(
    tmp_path: Path, pattern: str
) -> None:
    """A third of the patients were infected by one of 150 others, whose numbers are real."""
    keys = [pattern.format(number) for number in range(4_500)]
    by = ["" if place % 3 else keys[place // 3 % 150] for place in range(4_500)]
    rows = [[key, other, "f"] for key, other in zip(keys, by, strict=True)]
    path = write(tmp_path / "t.csv", ["patient", "infected_by", "sex"], rows)

    look = profile_table(open_table(path))

    assert look.left_out["infected_by"] == "holds keys of the column 'patient'"
    assert look.columns[1].review is Review.IDENTIFIERS
    assert not any("infected_by" in remark for remark in look.remarks)


def test_a_measure_within_the_range_of_running_keys_stays(tmp_path: Path) -> None:
    """Weights of 2,500 to 4,499 g are all among keys from 0 to 4,999, which says nothing."""
    rows = [[str(key), str(2_500 + key * 13 % 2_000)] for key in range(5_000)]
    path = write(tmp_path / "t.csv", ["id", "weight"], rows)
    look = profile_table(open_table(path))
    assert [*look.left_out] == ["id"]
