"""What types of a DataFrame declare, and what they do not."""

import importlib.util
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import synth
from synth.domain.domain import DECLARED, LOOKED_UP, Domain
from synth.errors import DomainError

FRAME = pd.DataFrame({"sex": pd.Categorical(["f", "m"]), "yes": [True, False], "age": [41, 35]})
AGE = synth.Integer(0, 99, bins=10)


def test_categories_of_a_type_are_marked_unless_vouched_for() -> None:
    domain = Domain.from_dtypes(FRAME, age=AGE)
    assert domain.shape == (3, 2, 10)
    assert (domain.origin, domain.may_depend) == (LOOKED_UP, True)
    vouched = Domain.from_dtypes(FRAME, vouched=True, age=AGE)
    assert (vouched.origin, vouched.may_depend) == (LOOKED_UP, False)
    named = Domain.from_dtypes(FRAME, age=AGE, sex=["f", "m"])
    assert (named.origin, named.vouched) == (DECLARED, False)


def test_arrow_says_the_same() -> None:
    found = Domain.from_dtypes(pa.Table.from_pandas(FRAME), age=AGE)
    assert found["sex"] == Domain.from_dtypes(FRAME, age=AGE)["sex"]
    assert found.origin == LOOKED_UP


@pytest.mark.skipif(importlib.util.find_spec("polars") is None, reason="Polars is not installed.")
def test_a_type_with_declared_categories_is_no_look_at_the_rows() -> None:
    import polars

    frame = polars.DataFrame({"sex": polars.Series(["f"], dtype=polars.Enum(["f", "m"]))})
    domain = Domain.from_dtypes(frame)
    assert (domain["sex"].labels, domain.origin) == (("f", "m"), DECLARED)


@pytest.mark.parametrize(
    ("frame", "sentence"),
    [
        (
            pd.DataFrame({"x": [1]}),
            "Column 'x' needs bounds, which its type int64 does not say; give "
            "x=Integer(minimum, maximum) beside the DataFrame, or leave the column out.",
        ),
        (
            pd.DataFrame({"x": ["secret"]}, dtype=object),
            "Column 'x' needs a list of categories, which its type object does not say; give "
            "x=[...] beside the DataFrame, or leave the column out.",
        ),
        (
            pa.table({"x": pa.array([0], pa.timestamp("s"))}),
            "Column 'x' needs bounds, which its type timestamp[s] does not say; give "
            "x=Date(minimum, maximum, time=True) beside the DataFrame, or leave the column out.",
        ),
        (
            [1],
            "Types are those of a DataFrame of pandas or Polars, or of an Arrow table; this is a "
            "list.",
        ),
    ],
)
def test_a_type_that_says_too_little_is_refused(frame: Any, sentence: str) -> None:
    with pytest.raises(DomainError) as error:
        Domain.from_dtypes(frame)
    assert str(error.value) == sentence


def test_a_name_of_no_column_is_refused() -> None:
    with pytest.raises(DomainError, match=r"^The table has no column 'ages'; it has sex, yes, age"):
        Domain.from_dtypes(FRAME, ages=AGE)
