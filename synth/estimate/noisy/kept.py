"""Which relations a release keeps, and how well. PUBLIC.

The expected total variation comes from noise alone. A normal sum of n noisy cells of variance
v has a mean error of sqrt(2 n v / pi). Models state their own (`Record.bars`).

>>> Light.from_error(0.01).says, Light.from_error(0.2).says
('good', 'poor')
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import combinations

from synth.estimate.noisy.record import ColumnSet, Record
from synth.noise import DiscreteLaplace

# Largest share of misplaced rows of a well kept relation.
GOOD = 0.05
# Largest share of misplaced rows of a fairly kept relation.
FAIR = 0.15
SHOWN = 40
MAX_RELATION_WIDTH = 3


class Light(Enum):
    """A sign, a word, and advice on how well a relation is kept."""

    GREEN = ("●", "good", "ask of it freely, with the intervals")
    YELLOW = ("◐", "fair", "large shares only")
    RED = ("○", "poor", "do not ask it of the rows")

    @classmethod
    def from_error(cls, error: float) -> "Light":
        """Return the light of an expected error, which may be NaN."""
        if error <= GOOD:
            return cls.GREEN
        return cls.YELLOW if error <= FAIR else cls.RED

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
        """How well the relation is kept."""
        return Light.from_error(self.error)


def relations(record: Record, width: int) -> tuple[Relation, ...]:
    """Return relations of 1, 2 or 3 columns, the worst first; of three only measured ones.

    Only the columns of each histogram are combined with each other, so that the time does not
    grow with the cube of the number of columns."""
    names = record.domain.names
    bars = {bar.names: bar for bar in record.bars}
    errors = {
        tuple(names[column] for column in place): error
        for place, error in _measured_errors(record, width).items()
    }
    related = [Relation(some, True, error) for some, error in errors.items()]
    related += [
        Relation(some, bar.measured, bar.expected)
        for some, bar in bars.items()
        if len(some) == width and some not in errors
    ]
    if width < MAX_RELATION_WIDTH:
        related += [
            Relation(some, False, math.nan)
            for some in combinations(names, width)
            if some not in errors and some not in bars
        ]
    return tuple(
        sorted(related, key=lambda relation: (-_check_error(relation.error), relation.names))
    )


def _check_error(error: float) -> float:
    return 2.0 if math.isnan(error) else error


def _measured_errors(record: Record, width: int) -> dict[ColumnSet, float]:
    """Return the least error of so many columns, for all that were measured together."""
    shape = record.domain.shape
    errors: dict[ColumnSet, float] = {}
    for clique, variance in _histograms(record):
        cells = math.prod(shape[column] for column in clique)
        for place in combinations(sorted(clique), width):
            place_cells = math.prod(shape[column] for column in place)
            error = _error(place_cells, cells / place_cells * variance, record.total)
            errors[place] = min(errors.get(place, math.inf), error, key=_check_error)
    return errors


def _histograms(record: Record) -> Iterator[tuple[ColumnSet, float]]:
    """Yield the columns of each histogram, and the variance of the noise on each of its
    cells.

    If only large counts are listed, the variance of a sum is not known.
    """
    noisy = record.histogram
    if noisy is not None:
        variance = DiscreteLaplace(noisy.scale).variance
        everything = tuple(range(len(record.domain.columns)))
        yield everything, math.nan if noisy.threshold is not None else variance
    for clique, marginal in record.measured:
        yield clique, marginal.mechanism.variance


def _error(cells: int, variance: float, total: float) -> float:
    off = 0.5 * cells * math.sqrt(2 * variance / math.pi) / max(total, 1)
    return off if math.isnan(off) else min(1.0, off)
