"""A column of keys that repeat is proposed as the one that names the person."""

from pathlib import Path

import pytest

from synth.private.counting import RepeatedKey, find_repeated_key
from synth.private.table import PrivateTable, open_table
from tests.tables import write


def write_visits(folder: Path, name: str, rows_of_each: list[int]) -> PrivateTable:
    """Write a table in which each patient has so many rows."""
    rows = [
        [f"P{patient}", str(visit)]
        for patient, visits in enumerate(rows_of_each)
        for visit in range(visits)
    ]
    return open_table(write(folder / "t.csv", [name, "visit"], rows))


def test_the_fewest_rows_that_keep_all_are_proposed(tmp_path: Path) -> None:
    """Of 120 patients each sixth has 6 rows: six of each are needed, and no more."""
    table = write_visits(tmp_path, "patient_id", [1 + n % 6 for n in range(120)])
    assert find_repeated_key(table) == RepeatedKey("patient_id", 6, rows=420, left_out=0)


def test_a_few_rows_of_one_patient_are_left_out(tmp_path: Path) -> None:
    """One patient has 8 rows and all others 6 or fewer: 2 of 428 rows are left out."""
    table = write_visits(tmp_path, "patient_id", [*(1 + n % 6 for n in range(120)), 8])
    assert find_repeated_key(table) == RepeatedKey("patient_id", 6, rows=428, left_out=2)


def test_a_number_of_few_patients_is_rounded_up(tmp_path: Path) -> None:
    """Two of 40 patients have 7 rows, and the rest one. The proposal says 10, so that it is
    nobody's own.
    """
    table = write_visits(tmp_path, "patient_id", [7, 7, *[1] * 38])
    assert find_repeated_key(table) == RepeatedKey("patient_id", 10, rows=52, left_out=0)


@pytest.mark.parametrize("name", ["Patient", "Kennung_customer", "household"])
def test_a_column_named_after_persons_is_proposed(tmp_path: Path, name: str) -> None:
    """Values such as P94 that repeat in a column `Patient` are keys, without a word such as
    "id".
    """
    table = write_visits(tmp_path, name, [1 + n % 6 for n in range(120)])
    assert find_repeated_key(table) == RepeatedKey(name, 6, rows=420, left_out=0)


def test_words_in_a_column_named_after_persons_are_no_keys(tmp_path: Path) -> None:
    """A kind of client repeats, and is no person; nor is a patient's sex."""
    words = [f"kind {letter}" for letter in "abcdefghijklmnop"]
    rows = [[word, f"P{n}"] for word in words for n in range(3)]
    table = open_table(write(tmp_path / "t.csv", ["client", "patient sex"], rows))
    assert find_repeated_key(table) is None


@pytest.mark.parametrize(
    ("name", "rows_of_each"),
    [
        ("patient_id", [1] * 40),  # every row has a key of its own
        ("town", [3] * 40),  # the name is none of a key
        ("clinic_id", [50] * 4),  # few values, which are a list
        ("region_id", [150] * 12),  # too many rows each for a person
    ],
)
def test_other_columns_are_not_proposed(
    tmp_path: Path, name: str, rows_of_each: list[int]
) -> None:
    assert find_repeated_key(write_visits(tmp_path, name, rows_of_each)) is None


def test_empty_keys_are_no_person(tmp_path: Path) -> None:
    """A thousand rows without a key do not make the keys repeat."""
    rows = [[f"P{n}", "x"] for n in range(40)] + [["", "x"]] * 1_000
    table = open_table(write(tmp_path / "t.csv", ["patient_id", "a"], rows))
    assert find_repeated_key(table) is None
