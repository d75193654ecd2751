"""The values that quantiles are chosen among: the same cells as an engine's, for every
kind.
"""

from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from synth import limits
from synth.domain import Date, Domain, Integer, Number, Outside
from synth.private.counting import count
from synth.private.table import open_table
from synth.questions.quantiles.values import span_of, value_grid
from tests.questions.plain import read_cell
from tests.tables import write

LONG = {"name": "a", "minimum": -5, "maximum": 9_994}
TEXTS = ("-5", "-6", "9994", "20000", "40", "40.5", "-1", "", "abc", "99999")


@pytest.mark.parametrize(
    "column",
    [
        Integer(**LONG),
        Integer(**LONG, missing=True, outside=Outside.MISSING),
        Integer(**LONG, missing=True, outside=Outside.CELL, spikes=(40, 99_999)),
        Integer(**LONG, outside=Outside.DROP, spikes=(99_999,)),
        Integer(name="a", minimum=38, maximum=41, missing=True),
    ],
    ids=lambda column: f"{column.rule} {column.spikes}",
)
def test_every_value_is_a_cell_of_its_own(column: Integer, tmp_path: Path) -> None:
    """Each whole number within the bounds is a cell, and counts are those of a plain reader.

    The texts hold numbers inside and outside the bounds, codes (spikes), missing and
    unreadable cells. The columns differ in their rule for what is outside.
    """
    grid, missing = value_grid(column), ("",)
    table = open_table(write(tmp_path / "t.csv", ["a"], [[text] for text in TEXTS]))
    cell_counts = count(table, Domain((grid,), missing))
    counts = zip(cell_counts.cells.tolist(), cell_counts.counts.tolist(), strict=True)
    inside = {span_of(grid, cell)[0]: rows for cell, rows in counts if cell < grid.intervals}

    cells = [read_cell(column, text, missing) for text in TEXTS]
    assert inside == Counter(cell.number for cell in cells if cell.number is not None)

    assert max(cell_counts.cells.tolist()) < grid.size
    assert max(grid.missing_code, grid.other_code) < grid.size


def test_dates_and_real_numbers_are_cut_in_steps() -> None:
    """A date is cut into days, and a real number, or a wide range, into a fixed number of
    steps.

    From 2024-01-10 to 2024-06-20 there are 163 days, and 2024-01-11 is day 19,733 since 1970.
    A condition that cuts the column at 1/3 adds a step.
    """
    day = value_grid(Date(name="d", minimum="2024-01-10", maximum="2024-06-20"))
    assert day.intervals == 163
    assert span_of(day, 1) == (19_733 * 86_400.0, 19_733 * 86_400.0)

    real = value_grid(Number(name="x", minimum=0, maximum=1), frozenset({Fraction(1, 3)}))
    assert real.intervals == limits.VALUE_STEPS + 1
    low, last = span_of(real, 0)
    assert low == 0
    assert last == np.nextafter(1 / limits.VALUE_STEPS, 0)

    wide: Any = Integer(name="n", minimum=0, maximum=10**9)
    assert value_grid(wide).intervals == limits.VALUE_STEPS


def test_cells_are_found_when_they_are_asked_for() -> None:
    """The 10,000 cells from -5 to 9,994 are not listed in memory, but work like a list.

    Their ends are never needed, as values are chosen and not added.
    """
    cutting = value_grid(Integer(**LONG)).cutting
    assert [value_bin.low for value_bin in cutting.bins[1:3]] == [-4, -3]
    assert len(cutting.bins) == 10_000
    assert list(cutting.bins)[-1].code == 9_999

    with pytest.raises(IndexError):
        cutting.bins[10_000]
    with pytest.raises(NotImplementedError):
        _ = value_grid(Integer(**LONG)).ends
