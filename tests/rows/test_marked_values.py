"""No synthetic row has a value that readers take for a missing one."""

import numpy as np
import pytest

from synth.domain import Column, Date, Domain, Integer, Number
from synth.rows import decode, encode_columns
from synth.rows.marked_values import list_marked_values, step_aside


@pytest.mark.parametrize(
    ("column", "spellings"),
    [
        (Integer(name="c", minimum=0, maximum=99, bins=10), ("97", "98", "99", "NA")),
        (Number(name="c", minimum=0, maximum=9, bins=3, decimals=1), ("8.8", "9.0", "2.9")),
        (
            Date(name="c", minimum="1900-01-01", maximum="1900-12-31", period="month"),  # type: ignore[arg-type]
            ("1900-01-01",),
        ),
        (
            Date(
                name="c",
                minimum="1900-01",
                maximum="1909-12",
                format="%Y-%m",
                period="year",  # type: ignore[arg-type]
            ),
            ("1900-01", "1905-12"),
        ),
    ],
)
def test_a_marked_value_gives_way_to_another_of_its_cell(
    column: Column, spellings: tuple[str, ...]
) -> None:
    """Rows of all cells hold none of the spellings, and stay in their cells."""
    domain = Domain((column,), missing_values=spellings)
    codes = np.arange(4_000, dtype=np.int32) % column.size
    rows = decode(domain, [codes], seed=1)
    texts = [str(value) for value in rows.table["c"].to_pylist()]
    assert not {*texts} & {*spellings}
    assert encode_columns(domain, rows.table)[0].tolist() == codes.tolist()


def test_a_cell_with_marked_values_alone_keeps_them() -> None:
    """Nothing else is in it: values that lie beyond belong to other cells."""
    ends = np.array([8, 8, 5]), np.array([9, 9, 9])
    values = step_aside(np.array([8, 9, 9]), np.array([8, 9]), ends)
    assert values.tolist() == [8, 9, 7]


def test_spellings_that_are_no_values_mark_none() -> None:
    column = Integer(name="c", minimum=0, maximum=99, missing_values=("", "NA", "x", "5"))
    assert list_marked_values(Domain((column,)), column).tolist() == [5]
