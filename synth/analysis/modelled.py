"""Redrawn tables of columns that were measured a few at a time, joined by a model. PUBLIC.

A release cannot show further relations of the columns than those measured, so every result
from these tables is marked.

Redrawn tables of a release, for the user's own functions.

The spread of a function's values shows the effect of noise, repair and drawing within bins:
the parametric bootstrap of a release from its own estimate (Ferrando, Wang, Sheldon 2022).
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import prod

import numpy as np

from synth.analysis.release_view import ReleaseView, complete_rows, source_of
from synth.analysis.seeds import generator
from synth.analysis.selection import MAX_QUESTION_CELLS, joint_columns
from synth.analysis.sources import MeasuredPart, Source
from synth.estimate import ColumnSet, Record, project_to_simplex
from synth.noise import Mechanism
from synth.questions import refuse_question
from synth.util import Codes, Floats, Ints, split_cells

REDRAWN = 100
# Most noises per sum that are drawn one by one.
_MAX_SINGLE_NOISES = 12


def mended_tables(
    names: tuple[str, ...],
    record: Record,
    *,
    sampled: bool = False,
    redrawn: int = REDRAWN,
    digest: str = "",
) -> Iterator[list[Codes]]:
    """Yield rows of some columns as codes: first the estimate, then ``redrawn`` tables.

    Each is a list in the order of the domain, with an array of shape (rows,) per column. Its
    entries are the numbers of cells.

    Args:
        names: The columns, which were measured together.
        record: The public part of the release.
        sampled: Whether to redraw the rows too, as a sample of a population.
        redrawn: How many tables follow the estimate.
        digest: The digest of the bundle. It seeds the drawing, so that the same bundle always
            gives the same tables.

    Raises:
        QuestionError: The columns were not measured together.
    """
    columns = joint_columns(names, ReleaseView(record=record))
    rng = generator(digest, "tables", *columns.names)
    rows = max(1, round(record.total))
    mended = project_to_simplex(columns.source.values, float(rows))

    def again(true: Floats) -> Floats:
        """Return repaired counts after noise is drawn again, from true ones by cell."""
        return project_to_simplex(true + noise_again(columns.source, rng), float(rows))

    shape = columns.source.shape
    yield rows_by_cell(mended, rows, shape, rng=rng)
    for _ in range(redrawn):
        table = resample_table(mended, rows, rng, sampled=sampled)
        yield rows_by_cell(again(table), rows, shape, rng=rng)


def resample_table(
    table: Floats, rows: int, rng: np.random.Generator, *, sampled: bool
) -> Floats:
    """Return counts by cell, drawn again if the rows are a sample of a population.

    Args:
        table: The counts, shape (cells,), none negative.
        rows: How many rows to draw, with probabilities in proportion to the counts.
        sampled: Whether to draw; else the table is returned as it is.
    """
    if not sampled:
        return table
    return rng.multinomial(rows, table / table.sum()).astype(np.float64)


def noise_again(source: Source, rng: np.random.Generator) -> Floats:
    """Draw the error of the estimated rows by cell once from its law, shape (cells,)."""
    # The estimate is linear in the measured counts, so noise in their place gives its error.
    parts = tuple(replace(part, sums=_noise(part, rng)) for part in source.parts)
    rows = None if source.rows is None else 0  # a public number of rows has no noise
    return replace(source, parts=parts, rows=rows).values


def _noise(part: MeasuredPart, rng: np.random.Generator) -> Floats:
    """Draw the noise of a summed histogram again, in the shape of its sums."""
    noise = law_again(part.noise, part.sums.size, rng, cells=part.each)
    return noise.reshape(part.sums.shape).astype(np.float64)


def rows_by_cell(
    table: Floats, rows: int, shape: tuple[int, ...], *, rng: np.random.Generator
) -> list[Codes]:
    """Return rows with the counts of a table, rounded by systematic sampling.

    Args:
        table: Counts by cell, shape (cells,), none negative.
        rows: How many rows to return; the counts are scaled to it.
        shape: Number of cells of each column.
        rng: Draws the offset of the sampling.

    Returns:
        For each column the cell of every row, shape (rows,).
    """
    scaled = table * (rows / table.sum())
    # Round the running sums down after one random shift: each count has its expectation.
    ends = np.floor(np.cumsum(scaled) + rng.random()).astype(np.int64)
    ends[-1] = rows
    counts: Ints = np.diff(np.minimum(ends, rows), prepend=0)
    return split_cells(np.repeat(np.arange(len(counts)), counts), shape)


def law_again(
    mechanism: Mechanism, size: int, rng: np.random.Generator, *, cells: int = 1
) -> Ints:
    """Draw noise to add to counts that are public already, shape (size,).

    It protects nobody, so an ordinary generator serves. The noise is independent for each
    number; each is the sum of the noise of ``cells`` cells. A sum of many is drawn as normal.

    Args:
        mechanism: Whose law of noise is used.
        size: How many numbers to draw.
        rng: Draws them.
        cells: How many cells each number sums up.

    >>> from synth.noise import DiscreteLaplace
    >>> noise = law_again(DiscreteLaplace(2), 10_000, np.random.default_rng(1))
    >>> bool(abs(noise.var() / 8 - 1) < 0.2)
    True
    """
    law = mechanism.cell_noise.number_law
    # A discrete Laplace number is the difference of two geometric ones with probability
    # `stop`; other laws have no `stop`.
    if law.stop is None or cells > _MAX_SINGLE_NOISES:
        return np.rint(rng.normal(0, (law.variance * cells) ** 0.5, size)).astype(np.int64)
    first, second = rng.geometric(law.stop, (2, cells, size)).sum(axis=1)
    return np.asarray(first - second, dtype=np.int64)


# Rounds of iterative proportional fitting.
FITTING_ROUNDS = 25
# Largest final error of a cell of a histogram, in rows.
_ROW_TOLERANCE = 1e-3


def modelled_tables(
    names: tuple[str, ...],
    record: Record,
    *,
    sampled: bool = False,
    redrawn: int = REDRAWN,
    digest: str = "",
) -> Iterator[list[Codes]]:
    """Yield rows of some columns as codes: an estimate, then tables redrawn around it.

    The columns need not be measured together: a model joins the histograms that have some of
    them. Each table is a list in the order of the domain, with an array of shape (rows,) per
    column. Its entries are the numbers of cells.

    Args:
        names: The columns.
        record: The public part of the release.
        sampled: Whether to redraw the rows too, as a sample of a population.
        redrawn: How many tables follow the estimate.
        digest: The digest of the bundle. It seeds the drawing, so that the same bundle always
            gives the same tables.

    Raises:
        QuestionError: A column was not measured, or they have too many cells.
    """
    place = tuple(i for i, name in enumerate(record.domain.names) if name in names)
    shape = tuple(record.domain.shape[column] for column in place)
    if prod(shape) > MAX_QUESTION_CELLS:
        refuse_question(
            f"{' and '.join(names)} have {prod(shape):,} cells together; the limit of a "
            f"table that joins them is {MAX_QUESTION_CELLS:,}: name fewer columns"
        )
    sources = _sources(place, record)
    rng = generator(digest, "model", *names)
    rows = max(1, round(record.total))
    estimate = _join_histograms(
        {columns: source.values for columns, source in sources.items()}, shape, rows
    )

    def again(true: Floats) -> Floats:
        """Return the table that a release of these true counts would lead to, flat.

        Noise is drawn again, and the same model joins the noisy histograms.
        """
        noise = _noise_again(place, record, rng)
        table = true.reshape(shape)
        # For each set of columns, its true counts and the noise of its combined histograms.
        noisy = {
            columns: _add_up(table, columns).reshape(-1) + _with_noise(source, columns, noise)
            for columns, source in sources.items()
        }
        return _join_histograms(noisy, shape, rows)

    yield rows_by_cell(estimate, rows, shape, rng=rng)
    for _ in range(redrawn):
        table = resample_table(estimate, rows, rng, sampled=sampled)
        yield rows_by_cell(again(table), rows, shape, rng=rng)


def _sources(place: ColumnSet, record: Record) -> dict[ColumnSet, Source]:
    """Return the noisy counts from which a model joins these columns.

    Args:
        place: The columns, by their numbers in the domain, ascending.
        record: The public part of the release.

    Returns:
        From sets of columns, as positions in ``place``, to their counts. The sets are the
        largest that were measured together.

    Raises:
        QuestionError: A column was not measured at all.
    """
    # The wanted columns of each measured histogram; of nested sets only the largest stays.
    sets = {
        tuple(column for column in clique if column in place) for clique, _ in record.measured
    }
    widest = [
        columns for columns in sets if not any(set(columns) < set(wider) for wider in sets)
    ]
    unmeasured = set(place).difference(*widest)
    if unmeasured:
        refuse_question(f"{record.domain.names[min(unmeasured)]} was not measured")
    rows = complete_rows(record)
    sources: dict[ColumnSet, Source] = {}
    for columns in sorted(widest):
        positions = tuple(place.index(column) for column in columns)
        sources[positions] = source_of(record, columns, rows)
    return sources


def _noise_again(
    place: ColumnSet, record: Record, rng: np.random.Generator
) -> dict[int, tuple[ColumnSet, Floats]]:
    """Draw the noise of each measured histogram again, summed to some columns, as normal.

    Args:
        place: The columns, by their numbers in the domain, ascending.
        record: The public part of the release.

    Returns:
        From the number of a histogram to the positions of its columns in ``place``, and to
        the noise in the shape of their cells.
    """
    noise_by_number = {}
    for number, (clique, counts) in enumerate(record.measured):
        columns = tuple(column for column in clique if column in place)
        shape = tuple(record.domain.shape[column] for column in columns)
        cells = counts.values.size // prod(shape)  # measured cells that are summed to one
        deviation = (float(counts.mechanism.variance) * cells) ** 0.5
        axes = tuple(place.index(column) for column in columns)
        noise_by_number[number] = (axes, np.asarray(rng.normal(0, deviation, shape)))
    return noise_by_number


def _with_noise(
    source: Source, columns: ColumnSet, noise: Mapping[int, tuple[ColumnSet, Floats]]
) -> Floats:
    """Return the noise of the combined counts of some columns, flat.

    Args:
        source: The counts, combined from several histograms.
        columns: The positions of the columns of these counts.
        noise: From the number of a histogram to the positions of its columns and its noise in
            their shape.
    """
    parts = []
    for part in source.parts:
        axes, values = noise[part.number]
        others = tuple(i for i, axis in enumerate(axes) if axis not in columns)
        parts.append(replace(part, sums=values.sum(axis=others).reshape(part.sums.shape)))
    rows = None if source.rows is None else 0  # a public number of rows has no noise
    return replace(source, parts=tuple(parts), rows=rows).values


def _add_up(table: Floats, columns: ColumnSet) -> Floats:
    """Return a table summed over all axes but these."""
    return np.asarray(table.sum(axis=tuple(i for i in range(table.ndim) if i not in columns)))


def _join_histograms(
    values_by_columns: Mapping[ColumnSet, Floats], shape: tuple[int, ...], rows: int
) -> Floats:
    """Return one table that agrees with the counts of each set of columns, shape (cells,).

    It starts uniform and is fitted iteratively, so it is the one of largest entropy.

    Args:
        values_by_columns: The noisy counts of each set of axes of the table, flat.
        shape: The number of cells of each axis of the table.
        rows: The sum of the table.
    """
    # Repaired to counts that are not negative, with the same sum for every set.
    sums_by_columns = {
        columns: project_to_simplex(values, float(rows)).reshape(
            [shape[axis] for axis in columns]
        )
        for columns, values in values_by_columns.items()
    }
    uniform = np.full(shape, rows / prod(shape))
    joined = rake_table(uniform, sums_by_columns)
    # Sets that contradict each other could leave nothing.
    return (joined if joined.sum() > 0 else uniform).reshape(-1)


def rake_table(table: Floats, sums_by_columns: Mapping[ColumnSet, Floats]) -> Floats:
    """Return a table scaled to given marginals (iterative proportional fitting).

    Args:
        table: Non-negative counts, one axis a column.
        sums_by_columns: From axes of the table to the sums by their cells, in their shape.
            The last ones are met best.
    """
    for _ in range(FITTING_ROUNDS):
        furthest = 0.0
        for columns, sums in sums_by_columns.items():
            now = _add_up(table, columns)
            furthest = max(furthest, float(np.abs(now - sums).max()))
            ratio = np.divide(sums, now, out=np.zeros_like(sums), where=now > 0)
            others = tuple(axis for axis in range(table.ndim) if axis not in columns)
            table = table * np.expand_dims(ratio, others)
        if furthest < _ROW_TOLERANCE:
            break
    return table
