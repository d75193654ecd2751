"""Redrawn tables of a release, for the user's own functions. PUBLIC.

The spread of a function's values shows the effect of noise, repair and drawing within bins: the
parametric bootstrap of a release from its own estimate (Ferrando, Wang, Sheldon 2022).
"""
# The noisy counts are repaired to a table. Noise of the release's own law is added to it again, and
# the result repaired in the same way, many times.

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from synth.analysis.seeds import generator
from synth.analysis.selection import joint_columns
from synth.estimate import Record, project_to_simplex
from synth.noise import Mechanism
from synth.questions import MeasuredPart, ReleaseView, Source
from synth.util import Codes, Floats, Ints, split_cells

REDRAWN = 100
# Most noises per sum that are drawn one by one.
_FEW = 12


def mended_tables(
    names: tuple[str, ...],
    record: Record,
    *,
    sampled: bool = False,
    redrawn: int = REDRAWN,
    digest: str = "",
) -> Iterator[list[Codes]]:
    """Yield rows of some columns as codes: first the estimate, then ``redrawn`` tables.

    Each is a list in the order of the domain, with an array of shape (rows,) per column.

    Args:
        sampled: Whether to redraw the rows too, as a sample of a population.
        digest: Of the bundle, so that it always redraws the same tables.

    Raises:
        QuestionError: The columns were not measured together.
    """
    columns = joint_columns(names, ReleaseView(record))
    rng, rows = generator(digest, "tables", *columns.names), max(1, round(record.total))
    mended = project_to_simplex(columns.source.values, float(rows))

    def again(true: Floats) -> Floats:
        return project_to_simplex(true + noise_again(columns.source, rng), float(rows))

    shape = columns.source.shape
    yield rows_by_cell(mended, rows, shape, rng)
    for _ in range(redrawn):
        table = resample_table(mended, rows, rng, sampled=sampled)
        yield rows_by_cell(again(table), rows, shape, rng)


def resample_table(table: Floats, rows: int, rng: np.random.Generator, *, sampled: bool) -> Floats:
    """Return a table, shape (cells,), redrawn if its rows are a sample of a population."""
    if not sampled:
        return table
    return rng.multinomial(rows, table / table.sum()).astype(np.float64)


def noise_again(source: Source, rng: np.random.Generator) -> Floats:
    """Draw the error of the rows by cell once from its law, shape (cells,)."""
    parts = tuple(replace(part, sums=_noise(part, rng)) for part in source.parts)
    return replace(source, parts=parts, rows=None if source.rows is None else 0).values


def _noise(part: MeasuredPart, rng: np.random.Generator) -> Floats:
    noise = law_again(part.noise, part.sums.size, rng, part.each)
    return noise.reshape(part.sums.shape).astype(np.float64)


def rows_by_cell(
    table: Floats, rows: int, shape: tuple[int, ...], rng: np.random.Generator
) -> list[Codes]:
    """Return this number of rows with the counts of a table, rounded systematically.

    Args:
        table: Shape (cells,), none negative.
        shape: Cells of each column.
    """
    scaled = table * (rows / table.sum())
    ends = np.floor(np.cumsum(scaled) + rng.random()).astype(np.int64)
    ends[-1] = rows
    counts: Ints = np.diff(np.minimum(ends, rows), prepend=0)
    return split_cells(np.repeat(np.arange(len(counts)), counts), shape)


def law_again(mechanism: Mechanism, size: int, rng: np.random.Generator, each: int = 1) -> Ints:
    """Draw noise to add to public counts, shape (size,), from the law in floats, past the door.

    The noise is independent for each number. A sum of many noises, ``each`` of them, is drawn as
    normal.

    >>> from synth.noise import DiscreteLaplace
    >>> noise = law_again(DiscreteLaplace(2), 10_000, np.random.default_rng(1))
    >>> bool(abs(noise.var() / 8 - 1) < 0.2)
    True
    """
    law = mechanism.cell_noise.number_law
    if law.stop is None or each > _FEW:
        return np.rint(rng.normal(0, (law.variance * each) ** 0.5, size)).astype(np.int64)
    one, other = rng.geometric(law.stop, (2, each, size)).sum(axis=1)
    return np.asarray(one - other, dtype=np.int64)
