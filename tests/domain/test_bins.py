"""Spikes: declared values with a cell of their own, wherever they lie; and their labels."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from synth.bundle.dictionary import dictionary
from synth.domain import Binned, Domain, Integer, Number, Outside, read_schema, write_schema
from synth.errors import DomainError
from synth.private.counting import count
from synth.private.table import open_table
from synth.rows import decode
from tests.tables import write

# Spikes inside the bounds, at the start of a bin (40) and at the minimum (0).
HOURS = Integer(name="x", minimum=0, maximum=99, edges=(0, 35, 40, 60, 99), spikes=(40, 0))
# Spikes outside the bounds, on either side.
GAIN = Integer(name="x", minimum=1, maximum=50_000, bins=2, spikes=(0, 99_999))
# Spikes among real numbers: at a border (0), in a bin, at the maximum, and outside.
PAY = Number(
    name="x", minimum=-10, maximum=10, bins=4, decimals=1, spikes=("0", "2.5", 10, -77)
)


def expected_cell(column: Binned, value: float) -> str:
    """A name for the cell of a number by the declared rule, in plain Python.

    A spike is its own cell. Any other number is in a bin, and the spikes below it in that bin
    tell the pieces of the bin apart.
    """
    spikes = {float(s): s for s in column.spikes}
    if value in spikes:
        return spikes[value]
    low, high = float(column.minimum), float(column.maximum)
    value = min(max(value, low), high)  # to the nearest bound
    if value in spikes:
        return spikes[value]
    cuts = [float(border) for border in column.borders]
    i = min(sum(value >= cut for cut in cuts[1:]), len(cuts) - 2)
    inside = sorted(s for s in spikes if cuts[i] <= s < cuts[i + 1])
    return f"bin {i}, {sum(s < value for s in inside)}"


def name_cells(column: Binned) -> list[str]:
    """The same names for the column's cells, by values that lie in the middle of each."""
    middles = [
        float(piece.low if piece.spike else (piece.low + piece.high) / 2)
        for piece in column.pieces
    ]
    return [expected_cell(column, value) for value in middles]


@pytest.mark.parametrize(
    ("column", "cells"),
    [
        (HOURS, ("0", "1 to 34", "35 to 39", "40", "41 to 59", "60 to 99")),
        (GAIN, ("0", "1 to 25000", "25001 to 50000", "99999")),
        (
            PAY,
            (
                "-77",
                "-10 to -5",
                "-5 to 0",
                "0",
                "above 0 to 2.5",
                "2.5",
                "above 2.5 to 5",
                "5 to 10",
                "10",
            ),
        ),
        (Integer(name="x", minimum=0, maximum=2, bins=3, spikes=(1,)), ("0", "1", "2")),
    ],
)
def test_a_spike_is_cut_out_of_its_bin_or_stands_beside(
    column: Binned, cells: tuple[str, ...]
) -> None:
    """A spike inside the bounds is cut out of its bin, and one outside has a cell beside the
    bins.

    A spike at the edge of a bin only shortens the bin. Of a bin that holds the spike alone,
    nothing else is left.
    """
    assert column.cells == cells
    assert column.size == len(cells)


@pytest.mark.parametrize("column", [HOURS, GAIN, PAY], ids=["hours", "gain", "pay"])
def test_rows_are_counted_by_the_declared_rule(column: Binned, tmp_path: Path) -> None:
    """DuckDB counts each number in the cell in which plain Python puts it (`expected_cell`).

    The numbers are the ends of all cells and others a little below and above them.
    """
    values = [float(v) for p in column.pieces for v in (p.low, p.high)]
    values += [v + d for v in values for d in (-0.5, 0.5, 0.25, -1, 1)]
    if isinstance(column, Integer):
        values = [float(int(v)) for v in values]
    path = write(tmp_path / "t.csv", ["x"], [[f"{v:.2f}"] for v in values])

    counts = count(open_table(path), Domain((column,)))
    cell_names = name_cells(column)
    counts_by_cell = {
        cell_names[cell]: n
        for cell, n in zip(counts.cells, counts.counts.tolist(), strict=True)
    }
    assert counts_by_cell == Counter(expected_cell(column, value) for value in values)


@pytest.mark.parametrize("rule", list(Outside))
def test_a_spike_outside_the_bounds_is_never_an_outside_value(
    rule: Outside, tmp_path: Path
) -> None:
    """A spike outside the bounds has its own cell under every rule for values outside.

    The rows are the spikes 0 and 99, the outside values 98 and -1, an empty cell, and a text
    that is no number. Only the last four fall under the rule.
    """
    column = Integer(
        name="x", minimum=1, maximum=9, bins=3, spikes=(0, 99), missing=True, outside=rule
    )
    path = write(tmp_path / "t.csv", ["x"], [["0"], ["99"], ["98"], ["-1"], [""], ["many"]])
    counts = count(open_table(path), Domain((column,)))

    counts_by_cell = dict(
        zip([column.cells[c] for c in counts.cells], counts.counts.tolist(), strict=True)
    )
    assert (counts_by_cell["0"], counts_by_cell["99"]) == (1, 1)
    # To the nearest bin go 98 and -1, and no text; an empty cell is missing under every rule.
    counts_of_outside_values = {
        Outside.NEAREST: {"1 to 3": 1, "7 to 9": 1, "(missing)": 2},
        Outside.MISSING: {"(missing)": 4},
        Outside.CELL: {"(missing)": 1, "(other)": 3},
        Outside.DROP: {"(missing)": 1},
    }
    assert counts_by_cell == {"0": 1, "99": 1} | counts_of_outside_values[rule]


@pytest.mark.parametrize("column", [HOURS, GAIN, PAY], ids=["hours", "gain", "pay"])
def test_synthetic_values_lie_in_their_cell_and_no_bin_draws_a_spike(column: Binned) -> None:
    """A synthetic value lies in its cell, so that no bin ever gives the value of a spike.

    Each cell is drawn 300 times, which also draws every spike.
    """
    codes = np.repeat(np.arange(column.size, dtype=np.int32), 300)
    values = decode(Domain((column,)), [codes]).table["x"].to_pylist()

    cell_names = name_cells(column)
    for value, code in zip(values, codes, strict=True):
        assert expected_cell(column, value) == cell_names[code]
    spikes = {float(spike) for spike in column.spikes}
    assert spikes <= set(values)


def test_a_spike_is_public_it_does_not_depend_on_the_rows(tmp_path: Path) -> None:
    """A spike has its cell whether all rows have its value, none has, or there are no rows.

    The 6 cells of `HOURS` are its 4 bins, of which none vanishes, and its 2 spikes.
    """
    for rows in ([["40"]] * 5, [["1"]], []):
        path = write(tmp_path / "t.csv", ["x"], rows)
        counts = count(open_table(path), Domain((HOURS,)))
        assert counts.domain.shape == (6,)
        assert counts.domain["x"].cells == HOURS.cells


def test_spikes_and_their_labels_reload_equal_and_reach_the_dictionary() -> None:
    """Spikes and their labels survive writing and reading, and stand in the data dictionary.

    The cell is named by its value alone; the title adds the label, as screens show it. The
    spikes of real numbers (`PAY`) survive too.
    """
    field = {
        "name": "ratio",
        "type": "integer",
        "synth:bins": 5,
        "synth:spikes": [0, {"value": 501, "label": "above five times the line"}],
        "constraints": {"minimum": 1, "maximum": 500, "required": True},
    }
    domain = read_schema({"fields": [field]})
    again = read_schema(write_schema(domain))
    assert again == domain
    assert again["ratio"].titles[-1] == "501 · above five times the line"
    assert again["ratio"].cells[-1] == "501"
    words = "a cell of their own for 0 | 501 = above five times the line"
    assert f"1 to 500, 5 bins; {words}" in dictionary(domain)
    assert Domain((PAY,)) == read_schema(write_schema(Domain((PAY,))))


def test_undeclared_decimals_are_enough_for_every_spike() -> None:
    """Without declared decimals, a column has as many as its spikes need: 3 for 0.125.

    Its bins alone, 0 to 5000 and 5000 to 10000, would need none. Code 1 is the cell of the
    spike, after that of 0 to 0.125.
    """
    column = Number(name="x", minimum=0, maximum=10_000, bins=2, spikes=("0.125",))
    assert column.places == 3
    table = decode(Domain((column,)), [np.array([1], dtype=np.int32)]).table
    assert table["x"].to_pylist() == [0.125]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Integer(name="x", minimum=0, maximum=9, spikes=(4, "4.0")),
            "the spike 4 twice",
        ),
        (
            lambda: Integer(name="x", minimum=0, maximum=9, spikes=("4.5",)),
            "4.5 is not a whole",
        ),
        (
            lambda: Integer(name="x", minimum=0, maximum=9, spikes=("x",)),
            "'x' is not a finite",
        ),
        (
            lambda: Integer(name="x", minimum=0, maximum=1, spikes=(0, 1)),
            "leave no value for the",
        ),
        (
            lambda: Integer(name="x", minimum=0, maximum=999, spikes=range(101)),
            "declares 101 spik",
        ),
        (
            lambda: Number(name="x", minimum=0, maximum=9, decimals=1, spikes=("0.25",)),
            "the spike 0.25 has over 1 decimals",
        ),
        (
            lambda: Number(name="x", minimum=0, maximum=1, bins=1, decimals=0, spikes=(0, 1)),
            "a bin holds no value with 0 decimals",
        ),
    ],
)
def test_what_cannot_be_is_refused(make: Any, message: str) -> None:
    """Spikes that are repeated, wrong, too many, or leave nothing of the bins are refused."""
    with pytest.raises(DomainError, match=message):
        make()


def test_large_round_bounds_are_written_out() -> None:
    """Labels of large round numbers are in digits, and not in a notation such as 6.66e+5."""
    column = Number(name="x", minimum=-9000, maximum=1_341_000, bins=2)
    assert column.cells == ("-9000 to 666000", "666000 to 1341000")
