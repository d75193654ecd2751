"""Which relations a release keeps, and how well. PUBLIC.

The expected total variation comes from noise alone. A normal sum of n noisy cells of variance
v has a mean error of sqrt(2 n v / pi). Models state their own (`Record.bars`).

>>> Light.from_error(0.01).says, Light.from_error(0.2).says
('good', 'poor')
"""

import heapq
import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import combinations, islice

from synth.estimate.noisy.record import ColumnSet, Record
from synth.noise import DiscreteLaplace

# Largest share of misplaced rows of a well kept relation.
MAX_GOOD_ERROR = 0.05
# Largest share of misplaced rows of a fairly kept relation.
MAX_FAIR_ERROR = 0.15
# Most relations in a list that people see.
MAX_SHOWN_RELATIONS = 40
# Most columns of a relation.
MAX_RELATION_WIDTH = 3


class Light(Enum):
    """A sign, a word, and advice on how well a relation is kept."""

    GREEN = ("●", "good", "ask of it freely, with the intervals")
    YELLOW = ("◐", "fair", "large shares only")
    RED = ("○", "poor", "do not ask it of the rows")
    UNMEASURED = ("–", "not measured", "a model's guess, as is its error bar, if it has one")

    @classmethod
    def from_error(cls, error: float) -> "Light":
        """Return how well a relation with this expected total variation is kept.

        An unknown error, NaN, counts as poor.
        """
        if error <= MAX_GOOD_ERROR:
            return cls.GREEN
        return cls.YELLOW if error <= MAX_FAIR_ERROR else cls.RED

    @property
    def says(self) -> str:
        """The word."""
        return self.value[1]

    @property
    def sign(self) -> str:
        """The sign, with a different shape for each."""
        return self.value[0]

    @property
    def advice(self) -> str:
        """What to do with such a relation."""
        return self.value[2]


@dataclass(frozen=True)
class Relation:
    """Some columns together.

    Attributes:
        names: The columns.
        measured: Whether they were measured together; otherwise a model combined them.
        error: Expected total variation; NaN if unknown.
    """

    names: tuple[str, ...]
    measured: bool
    error: float

    @property
    def light(self) -> Light:
        """How well the relation is kept; what was not measured is neither good nor poor."""
        return Light.from_error(self.error) if self.measured else Light.UNMEASURED


def relations(record: Record, width: int) -> tuple[Relation, ...]:
    """Return how well the relations of so many columns are kept, the worst first.

    Of three columns only those with a known error are listed: measured together, or with an
    error bar of the model. So the time does not grow with the cube of the number of columns.

    Args:
        record: The public record of a release.
        width: Number of columns of each relation: 1, 2 or 3.
    """
    related = _related(record, width)
    # All other pairs or columns, whose error is unknown; triples would be too many.
    if width < MAX_RELATION_WIDTH:
        known = {relation.names for relation in related}
        related += [
            Relation(columns, False, math.nan)
            for columns in combinations(record.domain.names, width)
            if columns not in known
        ]
    return tuple(sorted(related, key=_order))


def worst_relations(record: Record, width: int) -> tuple[tuple[Relation, ...], int]:
    """Return the first `MAX_SHOWN_RELATIONS` of `relations`, and the number of all of them.

    Of many columns most pairs have no known error. They come first, and no more of them are
    made than are shown, so that the time does not grow with the square of the columns.

    Args:
        record: The public record of a release.
        width: Number of columns of each relation: 1, 2 or 3.
    """
    related = _related(record, width)
    if width == MAX_RELATION_WIDTH:
        return tuple(heapq.nsmallest(MAX_SHOWN_RELATIONS, related, key=_order)), len(related)
    known = {relation.names for relation in related}
    unknown = (columns for columns in _in_order(record, width) if columns not in known)
    related += [
        Relation(columns, False, math.nan) for columns in islice(unknown, MAX_SHOWN_RELATIONS)
    ]
    return (
        tuple(heapq.nsmallest(MAX_SHOWN_RELATIONS, related, key=_order)),
        math.comb(len(record.domain.names), width),
    )


def _related(record: Record, width: int) -> list[Relation]:
    """Return the relations of so many columns that were measured or have an error bar."""
    names = record.domain.names
    errors = {
        tuple(names[column] for column in place): error
        for place, error in _measured_errors(record, width).items()
    }
    related = [Relation(columns, True, error) for columns, error in errors.items()]
    bars = {bar.names: bar for bar in record.bars}  # each set of columns once
    for names_of_bar, bar in bars.items():
        if len(names_of_bar) == width and names_of_bar not in errors:
            related.append(Relation(names_of_bar, bar.measured, bar.expected))
    return related


def _in_order(record: Record, width: int) -> Iterator[tuple[str, ...]]:
    """Yield the names of every column, or of every two, in the order of the names."""
    names = record.domain.names
    for number in sorted(range(len(names)), key=names.__getitem__):
        if width == 1:
            yield (names[number],)
            continue
        for other in sorted(names[number + 1 :]):
            yield (names[number], other)


def _order(relation: Relation) -> tuple[float, tuple[str, ...]]:
    """Return what relations are sorted by: the worst first, equal ones by their names."""
    return -_error_to_compare(relation.error), relation.names


def _error_to_compare(error: float) -> float:
    """Return the error as a number that can be ordered; unknown ones are the largest."""
    return 2.0 if math.isnan(error) else error  # a total variation is at most 1


def _measured_errors(record: Record, width: int) -> dict[ColumnSet, float]:
    """Return the expected total variation of columns that were measured together.

    Args:
        record: The public record of a release.
        width: Number of columns of each relation.

    Returns:
        The error of each relation, by its ascending column numbers. If several histograms
        have its columns, that is the least of their errors; NaN if unknown.
    """
    shape = record.domain.shape
    errors: dict[ColumnSet, float] = {}
    for histogram_columns, variance in _histograms(record):
        cells = math.prod(shape[column] for column in histogram_columns)
        for columns in combinations(sorted(histogram_columns), width):
            relation_cells = math.prod(shape[column] for column in columns)
            # A cell of the relation is the sum of so many cells of the histogram.
            summed_cells = cells / relation_cells
            error = _error(relation_cells, summed_cells * variance, record.total)
            least = errors.get(columns, math.inf)
            errors[columns] = min(least, error, key=_error_to_compare)
    return errors


def _histograms(record: Record) -> Iterator[tuple[ColumnSet, float]]:
    """Yield each noisy histogram's column numbers, and the noise variance of its cells.

    If only large counts are listed, the variance is NaN, as that of a sum is not known.
    """
    noisy = record.histogram
    if noisy is not None:
        variance = DiscreteLaplace(noisy.scale).variance
        everything = tuple(range(len(record.domain.columns)))
        yield everything, math.nan if noisy.threshold is not None else variance
    for columns, marginal in record.measured:
        yield columns, marginal.mechanism.variance


def _error(cells: int, variance: float, total: float) -> float:
    """Return the expected total variation of a table of noisy counts, at most 1.

    Half the summed mean size of normal noise in its cells, as a share of the rows.

    Args:
        cells: Number of cells of the table.
        variance: Noise variance of each, in squared rows; if it is NaN, so is the result.
        total: Number of rows.
    """
    off = 0.5 * cells * math.sqrt(2 * variance / math.pi) / max(total, 1)
    return off if math.isnan(off) else min(1.0, off)
