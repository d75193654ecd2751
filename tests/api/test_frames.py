"""Synthetic rows have the types that their domain declares."""

import re

import pandas as pd
import pytest

import synth

# 200 people, with a column of each type; a quarter of the ages and of the schools is missing.
FRAME = pd.DataFrame(
    {
        "age": [20, None, 60, 80] * 50,
        "share": [0.1, 0.5, 0.7, 0.9] * 50,
        "sex": ["f", "m"] * 100,
        "school": ["a", "b", "c", None] * 50,
        "yes": [True, False] * 100,
        "day": pd.to_datetime(["2024-02-01", "2024-06-01"] * 100),
    }
)
COLUMNS = {
    "age": synth.Integer(0, 99, bins=4, missing=True),
    "share": synth.Number(0, 1, bins=2),
    "sex": synth.Categorical(["f", "m"]),
    "school": synth.Categorical(["c", "b", "a"], ordered=True, missing=True),
    "yes": synth.Boolean(),
    "day": synth.Date("2024-01-01", "2024-12-31", bins=2),
}


def test_types_are_the_domains() -> None:
    """The columns of a released frame have the types that their domain declares.

    Only the dates keep the unit that they have in the frame.

    At epsilon 50 counts are nearly the real ones: of 200 people 50 lack an age, and 100 say
    yes.
    """
    table = synth.release(FRAME, COLUMNS, epsilon=50, method="independent").table
    kinds = {name: str(kind) for name, kind in table.dtypes.items()}
    assert kinds == {
        "age": "Int64",
        "share": "float64",
        "sex": "category",
        "school": "category",
        "yes": "bool",
        "day": str(FRAME.dtypes["day"]),
    }
    assert table["school"].cat.categories.tolist() == ["c", "b", "a"]
    assert table["school"].cat.ordered
    assert table["age"].isna().sum() == pytest.approx(50, abs=5)
    assert table["yes"].sum() == pytest.approx(100, abs=5)
    assert table["day"].between("2024-01-01", "2024-12-31").all()


def test_a_table_can_be_released_again() -> None:
    """Synthetic rows can be released again by the same domain, and keep their types."""
    once = synth.release(FRAME, COLUMNS, epsilon=50, method="independent")
    twice = synth.release(once.table, COLUMNS, epsilon=50, method="independent")
    assert twice.table.dtypes.equals(once.table.dtypes)


def test_a_cell_for_other_values_makes_texts() -> None:
    """A column of numbers with a cell for other values comes out as texts.

    Ages of 60 and 80 are outside the declared range to 50, and the cell is called "(other)".
    """
    domain = {"age": synth.Integer(0, 50, bins=2, outside="cell")}
    table = synth.release(FRAME[["age"]].dropna(), domain, epsilon=50).table
    assert "(other)" in set(table["age"])
    assert str(table["age"].dtype) == "str"


def test_categories_outside_the_domain_go_by_its_rules_and_are_counted() -> None:
    """Categories that a frame's type lists, but the domain does not, are left out and
    counted.

    Half of 200 people have the value "secret", so about 100 rows fit. The value itself is not
    named.
    """
    frame = FRAME[["sex", "school"]].assign(sex=pd.Categorical(["f", "secret"] * 100))
    release = synth.release(
        frame, {"sex": ["f", "m"]}, epsilon=50, method="dense", neighbors="add-remove"
    )
    assert release.table["sex"].cat.categories.tolist() == ["f", "m"]
    assert release.table["sex"].eq("f").mean() > 0.9
    assert re.search(r" About (9\d|10\d) rows fit", release.certificate.rows_fit)
    assert "secret" not in release.certificate.rows_fit


def test_persons_called_by_floats_are_warned_of_by_the_type_alone() -> None:
    """A column of persons that holds floats is warned of, whatever its values are.

    Above 2^53 (float64) or 2^24 (float32) two whole numbers may be one float, and two persons
    one. A missing key turns whole numbers into floats.
    """
    domain = {"sex": synth.Categorical(["f", "m"])}
    keys = [10**16 + n for n in range(200)]
    frame = FRAME[["sex"]].assign(pid=keys)
    for typed_frame in (frame, frame.astype({"pid": "Int64"}), frame.astype({"pid": "str"})):
        synth.release(
            typed_frame, domain, epsilon=50, person="pid", max_rows=1
        )  # a warning would be an error

    for kind, largest_exact in (
        ("float64", "9,007,199,254,740,992"),
        ("float32", "16,777,216"),
    ):
        for values in (keys, range(200)):  # numbers beyond that and numbers far below
            typed_frame = frame.assign(pid=list(values)).astype({"pid": kind})
            with pytest.warns(
                UserWarning, match=rf"Column 'pid' is of floats.* below {largest_exact}: "
            ):
                synth.release(typed_frame, domain, epsilon=50, person="pid", max_rows=1)
