"""What one row adds to the totals of questions, for rows at every end of every atom."""

from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from random import Random

import numpy as np

from synth.domain import Binned, Date, Domain, Number, Product, Steps, Summand, steps_of
from synth.privacy import Unit
from synth.private.counting import Counts, Summed
from synth.private.queries import AskedRows
from synth.questions import Block, CountStrategy, Grain, Tally, Way
from synth.questions.workloads.atoms import CutColumn
from synth.questions.workloads.workload import Workload
from synth.util import Ints
from tests.questions.plain import Cell, read_cell

NEITHER = ("", "(no such value)")
"""A missing cell, and one that cannot be read."""


def texts_of(cut: CutColumn) -> list[str]:
    """A text for both ends of every atom of a column, and for every rule."""
    base = cut.base
    if not isinstance(base, Binned):
        return [*(base.reading.write(code) for code in range(len(base.labels))), *NEITHER]
    ends = [end for pair in zip(*cut.ends, strict=True) for end in pair]
    size = base.seconds if isinstance(base, Date) else 1
    ends += [float(piece.low) * size for piece in cut.codes]
    low, high = (float(bound) * size for bound in base.bounds)
    texts = [_text(base, value) for value in (*ends, low - 3 * size, high + 3 * size)]
    return list(dict.fromkeys((*texts, *NEITHER)))


def _text(column: Binned, value: float) -> str:
    if isinstance(column, Number):
        return repr(float(value))
    return column.reading.write(
        int(value) // (column.seconds if isinstance(column, Date) else 1)
    )


def atom_of(cut: CutColumn, cell: Cell) -> int:
    """The atom that a cell is in, found by its value alone."""
    if cell.is_out:
        return cut.size - 1
    if cell.is_other:
        return cut.other_code
    if cell.value is None:
        return cut.missing_code
    if not isinstance(cut.base, Binned):
        return int(cell.value)
    size = cut.base.seconds if isinstance(cut.base, Date) else 1
    place = Fraction(cell.value) / size
    if cell.is_code:
        return cut.intervals + [piece.low for piece in cut.codes].index(place)
    return bisect_right(cut.starts, place) - 1


def some_points(workload: Workload, random: Random, largest_number: int) -> list[list[Cell]]:
    """Rows with every combination of such texts, or so many of them by chance."""
    missing = workload.domain.missing_values
    lists = [
        [read_cell(cut.base, text, missing) for text in texts_of(cut)]
        for cut in workload.columns
    ]
    if np.prod([float(len(cells)) for cells in lists]) <= largest_number:
        return [list(row) for row in product(*lists)]
    return [[random.choice(cells) for cells in lists] for _ in range(largest_number)]


def codes_of(workload: Workload, rows: Sequence[Sequence[Cell]]) -> list[Ints]:
    """The atoms of rows by column, shape (rows,) each; one that many rows share is sought
    once.
    """
    atoms_of_columns = []
    for i, cut in enumerate(workload.columns):
        cells = {id(row[i]): row[i] for row in rows}
        atoms = {key: atom_of(cut, cell) for key, cell in cells.items()}
        atoms_of_columns.append(np.array([atoms[id(row[i])] for row in rows], dtype=np.int64))
    return atoms_of_columns


def addends(rows: Sequence[Sequence[Cell]], summand: Summand) -> Ints:
    """What rows add to a sum, shape (rows,)."""
    if isinstance(summand, Product):
        return _stepped(rows, summand.first) * _stepped(rows, summand.second)
    return _stepped(rows, summand)


def _stepped(rows: Sequence[Sequence[Cell]], steps: Steps) -> Ints:
    numbers = [row[steps.column].number for row in rows]
    values = steps_of(np.array([value or 0.0 for value in numbers]), steps)
    return np.where([value is None for value in numbers], 0, values).astype(np.int64)


def tallies_of(block: Block, way: Way) -> list[tuple[Tally, Grain]]:
    """What is measured, in order."""
    if way.cells is not None:
        return [(way.cells.tally, way.grains[0])]
    tallies = block.workload.tallies
    return [
        (tallies[number], grain)
        for number, grain in zip(block.tallies, way.grains, strict=True)
    ]


def vectors(
    block: Block, way: Way, rows: Sequence[Sequence[Cell]], codes: list[Ints] | None = None
) -> Ints:
    """What each row adds to all that is measured, shape (rows, numbers); by its atoms if
    known.
    """
    codes = codes or codes_of(block.workload, rows)
    if way.strategy is not None:
        return _measured(way.strategy, codes)
    parts = []
    for tally, grain in tallies_of(block, way):
        part = np.zeros((len(rows), tally.size), dtype=np.int64)
        place, there = tally.place_of(codes), np.arange(len(rows))
        ones = np.ones(len(rows), dtype=np.int64)
        value = grain.weight * (
            ones if grain.summand is None else addends(rows, grain.summand)
        )
        part[there[place >= 0], place[place >= 0]] = value[place >= 0]
        parts.append(part)
    return np.concatenate(parts, axis=1)


def _measured(strategy: CountStrategy, codes: list[Ints]) -> Ints:
    """What a strategy measures of a table of each row alone."""
    rows = max(map(len, codes), default=1)
    places = [np.broadcast_to(tally.place_of(codes), (rows,)) for tally in strategy.tallies]
    counts_of_rows = [
        [(place[row] == np.arange(tally.size)).astype(np.int64) for row in range(rows)]
        for place, tally in zip(places, strategy.tallies, strict=True)
    ]
    return np.stack(
        [strategy.measure([counts[row] for counts in counts_of_rows]) for row in range(rows)]
    )


def asked_rows(
    workload: Workload, rows: Sequence[Sequence[Cell]], steps: Sequence[Summand], unit: Unit
) -> AskedRows:
    """Rows as the engine would have counted them; of persons those that are kept."""
    domain: Domain = workload.universe
    cells = np.zeros(len(rows), dtype=np.int64)
    for size, code in zip(domain.shape, codes_of(workload, rows), strict=True):
        cells = cells * size + code
    occupied, where = np.unique(cells, return_inverse=True)
    sums = np.zeros((len(occupied), len(steps)), dtype=np.int64)
    for number, summand in enumerate(steps):
        np.add.at(sums[:, number], where.reshape(-1), addends(rows, summand))
    counts = Counts(
        domain=domain,
        cells=occupied,
        counts=np.bincount(where.reshape(-1), minlength=len(occupied)),
        rows=len(rows),
        unit=unit,
    )
    return AskedRows({unit: Summed(counts, sums)}, tuple(steps))
