"""Derived values against plain Python, row by row, and what is missing."""

import numpy as np
import pyarrow as pa
import pytest

from synth.domain import Derived, Domain
from synth.domain.building import Boolean, Categorical, Date, Integer, Number
from synth.rows import decode, with_derived

BASE = Domain(
    age=Integer(18, 97, bins=8, missing=True),
    weight=Number(30, 150, bins=6, decimals=1),
    height=Number(1.2, 2.2, bins=5, decimals=2),
    sex=Categorical(["f", "m"], missing=True, outside="cell"),
    smokes=Boolean(),
    day=Date("2019-12-20", "2021-03-01", bins=9),
)


def derive_rows(**rules: Derived) -> list[dict[str, object]]:
    """400 random rows of `BASE` with columns derived by these rules."""
    rng = np.random.default_rng(3)
    codes = [rng.integers(0, size, 400).astype(np.int32) for size in BASE.shape]
    derived_columns = [
        Derived(**{**vars(r), "name": name, "place": 9}) for name, r in rules.items()
    ]
    return decode(Domain(BASE.columns, derived=derived_columns), codes).table.to_pylist()


def age_group(age: object) -> str | None:
    """The group of an age by the edges 30 and 65, as text; None if the age is missing."""
    if not isinstance(age, int):
        return None
    if age < 30:
        return "under 30"
    return "30 to 64" if age < 65 else "65 and over"


def test_formulas_give_what_python_gives() -> None:
    """Each formula gives in every row what plain Python computes from the row.

    A value of a missing age or sex is missing, unless the formula says what stands instead.
    The body mass index is rounded to one decimal, so it is off by at most 0.05.
    """
    rows = derive_rows(
        bmi=Derived(formula="round(weight / height ^ 2, 1)"),
        group=Derived(formula="bins(age, 30, 65)"),
        year=Derived(formula="year(day)"),
        month=Derived(formula="month(day) * 100 + day(day)"),
        heavy=Derived(formula="bmi > 30 and not smokes"),
        who=Derived(formula="if(sex = 'f', 'woman', concat('no ', sex))"),
        old=Derived(formula="coalesce(age, 0) - 18"),
    )
    for row in rows:
        bmi = row["weight"] / row["height"] / row["height"]  # type: ignore[operator]
        assert row["bmi"] == pytest.approx(bmi, abs=0.0501)
        assert str(row["day"])[:4] == str(row["year"])
        assert int(str(row["day"])[5:7]) * 100 + int(str(row["day"])[8:]) == row["month"]
        assert row["heavy"] == str(row["bmi"] > 30 and row["smokes"] == "false").lower()  # type: ignore[operator]
        age = row["age"]
        assert row["group"] == age_group(age)
        assert row["old"] == (0 if age is None else age) - 18  # type: ignore[operator]
        who_by_sex = {None: None, "f": "woman"}
        assert row["who"] == who_by_sex.get(row["sex"], f"no {row['sex']}")

    assert any(row["group"] is None for row in rows), "some ages are missing"


def test_a_formula_that_divides_by_zero_is_missing_where_it_is_declared_so() -> None:
    """A division by zero makes the value missing, if the column may be missing."""
    domain = Domain(a=Integer(0, 1), b=Derived(formula="1 / a", missing=True))
    derived = with_derived(domain, pa.table({"a": pa.array([0, 1])}))
    assert derived["b"].to_pylist() == [None, 1.0]


def test_a_value_that_a_table_lacks() -> None:
    """A value that a lookup table lacks is missing, or the default if the rule has one.

    The table knows 1 and lacks 2. A missing value counts as one that it lacks.
    """
    with_missing = Derived(lookup="a", table={"1": "one"}, missing=True)
    with_default = Derived(lookup="a", table={"1": "one"}, default="many")
    domain = Domain(a=Integer(1, 2), b=with_missing, c=with_default)

    columns = with_derived(domain, pa.table({"a": pa.array([1, 2, None])}))
    assert columns["b"].to_pylist() == ["one", None, None]
    assert columns["c"].to_pylist() == ["one", "many", None]


def test_a_table_without_rows_gets_its_derived_columns() -> None:
    """A table without rows gets its derived columns, so that its header is complete."""
    domain = Domain(a=Integer(1, 2), b=Derived(formula="bins(a, 2)"))
    empty = with_derived(domain, pa.table({"a": pa.array([], pa.int64())}))
    assert (empty.num_rows, empty.column_names) == (0, ["a", "b"])
