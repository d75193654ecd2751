"""What types of a DataFrame declare, and what they do not."""

import importlib.util
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import synth
from synth.domain import DECLARED, LOOKED_UP, Domain
from synth.errors import DomainError

FRAME = pd.DataFrame(
    {"sex": pd.Categorical(["f", "m"]), "yes": [True, False], "age": [41, 35]}
)
# The types of the frame say nothing of the bounds of age, so that they are declared.
AGE = synth.Integer(0, 99, bins=10)
MOMENTS = pa.table({"x": pa.array([0], pa.timestamp("s"))})


def test_categories_of_a_type_are_marked_unless_vouched_for() -> None:
    """Categories that a DataFrame brings may come from its rows, so that the domain says so.

    Cells are f, m and missing; no and yes; and ten bins. The steward may vouch that the
    categories are public. Declared categories come from no rows.
    """
    domain = Domain.from_dtypes(FRAME, age=AGE)
    assert domain.shape == (3, 2, 10)
    assert (domain.origin, domain.vouched) == (LOOKED_UP, False)

    vouched = Domain.from_dtypes(FRAME, vouched=True, age=AGE)
    assert (vouched.origin, vouched.vouched) == (LOOKED_UP, True)

    declared = Domain.from_dtypes(FRAME, age=AGE, sex=["f", "m"])
    assert (declared.origin, declared.vouched) == (DECLARED, False)


def test_arrow_says_the_same() -> None:
    """An Arrow table declares what the same pandas frame declares."""
    domain = Domain.from_dtypes(pa.Table.from_pandas(FRAME), age=AGE)
    assert domain["sex"] == Domain.from_dtypes(FRAME, age=AGE)["sex"]
    assert domain.origin == LOOKED_UP


@pytest.mark.skipif(
    importlib.util.find_spec("polars") is None, reason="Polars is not installed."
)
def test_a_type_with_declared_categories_is_no_look_at_the_rows() -> None:
    """Polars' Enum lists its categories whatever the rows hold, so that the domain is
    declared.

    The single row has "f" alone.
    """
    import polars

    frame = polars.DataFrame({"sex": polars.Series(["f"], dtype=polars.Enum(["f", "m"]))})
    domain = Domain.from_dtypes(frame)
    assert (domain["sex"].labels, domain.origin) == (("f", "m"), DECLARED)


@pytest.mark.parametrize(
    ("frame", "needs", "kind", "declaration"),
    [
        (pd.DataFrame({"x": [1]}), "bounds", "int64", "Integer(minimum, maximum)"),
        (
            pd.DataFrame({"x": ["secret"]}, dtype=object),
            "a list of categories",
            "object",
            "[...]",
        ),
        (MOMENTS, "bounds", "timestamp[s]", "Date(minimum, maximum, time=True)"),
    ],
)
def test_a_type_that_says_too_little_is_refused(
    frame: Any, needs: str, kind: str, declaration: str
) -> None:
    """A type without bounds or categories is refused, with what to write for that column.

    The message shows no value of a row, such as "secret".
    """
    with pytest.raises(DomainError) as error:
        Domain.from_dtypes(frame)
    assert str(error.value) == (
        f"Column 'x' needs {needs}, which its type {kind} does not say; "
        f"add x={declaration} after the DataFrame, or leave the column out."
    )


def test_what_has_no_types_is_refused() -> None:
    """Something that is no table, such as a list, is refused by a sentence that says what it
    is.
    """
    with pytest.raises(
        DomainError, match=r"^Types are those of a DataFrame .* this is a list\.$"
    ):
        Domain.from_dtypes([1])


def test_a_name_of_no_column_is_refused() -> None:
    """A declaration for a column that the table lacks is refused with a similar column, or
    with all that it has.
    """
    with pytest.raises(DomainError, match=r"no column 'ages'; did you mean 'age'\?$"):
        Domain.from_dtypes(FRAME, ages=AGE)
    with pytest.raises(DomainError, match=r"^The table has no column 'x'; it has sex, yes, "):
        Domain.from_dtypes(FRAME, x=AGE)
