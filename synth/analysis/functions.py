"""Tables as a release might have been about, for functions that a user writes. PUBLIC.

The noisy counts of the columns are mended into a table; to it noise of the release's own law is
added again, and what comes out is mended likewise, many times. What the function does between the
first and the others tells of the noise, the mending and the drawing of values within bins: the
parametric bootstrap of a release from its own estimate (Ferrando, Wang, Sheldon 2022).
"""

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
"""Tables beside the first."""
_FEW = 12
"""Up to so many noises a sum is drawn noise by noise."""


def mended_tables(
    names: tuple[str, ...],
    record: Record,
    *,
    sampled: bool = False,
    redrawn: int = REDRAWN,
    digest: str = "",
) -> Iterator[list[Codes]]:
    """Rows of some columns, as codes: first the estimate, then tables redrawn from it.

    Args:
        names: The columns, which must have been measured together.
        record: What is public of the release.
        sampled: Whether the rows are drawn anew too, as a sample of more.
        redrawn: How many tables come after the first.
        digest: Of the bundle, so that the same one redraws the same tables.

    Returns:
        For each column, in the order of the domain, an array of shape (rows,).

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
        yield rows_by_cell(
            again(resample_table(mended, rows, rng, sampled=sampled)), rows, shape, rng
        )


def resample_table(table: Floats, rows: int, rng: np.random.Generator, *, sampled: bool) -> Floats:
    """A table, shape (cells,); drawn anew where its rows are a sample of more."""
    if not sampled:
        return table
    return rng.multinomial(rows, table / table.sum()).astype(np.float64)


def noise_again(source: Source, rng: np.random.Generator) -> Floats:
    """The error of the rows by cell, drawn once from its law, shape (cells,)."""
    parts = tuple(replace(part, sums=_noise(part, rng)) for part in source.parts)
    return replace(source, parts=parts, rows=None if source.rows is None else 0).values


def _noise(part: MeasuredPart, rng: np.random.Generator) -> Floats:
    noise = law_again(part.noise, part.sums.size, rng, part.each)
    return noise.reshape(part.sums.shape).astype(np.float64)


def rows_by_cell(
    table: Floats, rows: int, shape: tuple[int, ...], rng: np.random.Generator
) -> list[Codes]:
    """So many rows with the counts of a table, rounded systematically.

    Args:
        table: Shape (cells,), none negative.
        rows: How many.
        shape: Cells of each column.
        rng: For where it is rounded up.
    """
    scaled = table * (rows / table.sum())
    ends = np.floor(np.cumsum(scaled) + rng.random()).astype(np.int64)
    ends[-1] = rows
    counts: Ints = np.diff(np.minimum(ends, rows), prepend=0)
    cells = np.repeat(np.arange(len(counts)), counts)
    return split_cells(cells, shape)


def law_again(mechanism: Mechanism, size: int, rng: np.random.Generator, each: int = 1) -> Ints:
    """Noise that public counts get on top, shape (size,): the law in floats, past the door.

    Args:
        mechanism: Noise that is drawn for each number by itself.
        size: How many sums of noise.
        rng: Where they are from.
        each: How many noises each adds up; of many the sum is next to normal.

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
