"""Which relations a release keeps, and how well. PUBLIC.

The expected total variation comes from noise alone. A normal sum of n noisy cells of variance v has
a mean error of sqrt(2 n v / pi). Models state their own (`Record.bars`).

>>> Light.from_error(0.01).says, Light.from_error(0.2).says
('good', 'poor')
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import combinations

from synth.estimate.noisy.record import Record
from synth.noise import DiscreteLaplace

# Largest shares of misplaced rows for a well or fairly kept relation.
GOOD, FAIR = 0.05, 0.15
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
        return self.value[1]

    @property
    def sign(self) -> str:
        """The sign, with a different shape for each."""
        return self.value[0]

    @property
    def advice(self) -> str:
        return self.value[2]


@dataclass(frozen=True)
class Relation:
    """Some columns together.

    Attributes:
        measured: Whether they were measured together; otherwise a model combined them.
        error: Expected total variation; NaN if unknown.
    """

    names: tuple[str, ...]
    measured: bool
    error: float

    @property
    def light(self) -> Light:
        return Light.from_error(self.error)


def relations(record: Record, width: int) -> tuple[Relation, ...]:
    """Return relations of 1, 2 or 3 columns, the worst first; of three only measured ones."""
    places = combinations(range(len(record.domain.columns)), width)
    bars = {bar.names: bar for bar in record.bars}
    found = []
    for place in places:
        names = tuple(record.domain.names[i] for i in place)
        error = _measured_error(record, place)
        if error is not None:
            found.append(Relation(names, True, error))
        elif names in bars:
            found.append(Relation(names, bars[names].measured, bars[names].expected))
        elif width < MAX_RELATION_WIDTH:
            found.append(Relation(names, False, math.nan))
    return tuple(sorted(found, key=lambda one: (-_check_error(one.error), one.names)))


def _check_error(error: float) -> float:
    return 2.0 if math.isnan(error) else error


def _measured_error(record: Record, place: tuple[int, ...]) -> float | None:
    errors = list(_by_histogram(record, place))
    return min(errors) if errors else None


def _by_histogram(record: Record, place: tuple[int, ...]) -> Iterator[float]:
    shape = record.domain.shape
    own = math.prod(shape[i] for i in place)
    noisy = record.histogram
    if noisy is not None:
        variance = DiscreteLaplace(noisy.scale).variance
        listed = math.nan if noisy.threshold is not None else record.domain.size / own
        yield _error(own, listed * variance, record.total)
    for clique, marginal in record.measured:
        if set(place) <= set(clique):
            cells = math.prod(shape[i] for i in clique) / own
            yield _error(own, cells * marginal.mechanism.variance, record.total)


def _error(cells: int, variance: float, total: float) -> float:
    off = 0.5 * cells * math.sqrt(2 * variance / math.pi) / max(total, 1)
    return off if math.isnan(off) else min(1.0, off)
