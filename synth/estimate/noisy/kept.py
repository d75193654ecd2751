"""Which relations a release keeps, and how well. PUBLIC.

The expected error of some columns together is that of the noise alone, in total variation. A sum of
n noisy cells has a mean error of sqrt(2 n v / pi) if each has variance v and the sum is normal. A
release by a model states its expected errors of pairs itself (`Record.bars`).

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

GOOD, FAIR = 0.05, 0.15
"""Largest shares of rows in the wrong place for a well or fairly kept relation."""
SHOWN = 40
"""Most relations of one width that are shown."""
MAX_RELATION_WIDTH = 3


class Light(Enum):
    """How well a relation is kept: a sign, a word, and advice."""

    GREEN = ("●", "good", "ask of it freely, with the intervals")
    YELLOW = ("◐", "fair", "large shares only")
    RED = ("○", "poor", "do not ask it of the rows")

    @classmethod
    def from_error(cls, error: float) -> "Light":
        """Return the light of an expected error; not a number if unknown."""
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
        """What to do."""
        return self.value[2]


@dataclass(frozen=True)
class Relation:
    """Some columns together. PUBLIC.

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
        """How well it is kept."""
        return Light.from_error(self.error)


def relations(record: Record, width: int) -> tuple[Relation, ...]:
    """Return the relations of this many columns, the worst first; for three those that were
    measured.

    Args:
        record: The public part of the release.
        width: Number of columns: 1, 2 or 3.
    """
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
    """Return the expected error by the best histogram with these columns; None if there is none."""
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
    """Return the expected total variation, at most 1."""
    off = 0.5 * cells * math.sqrt(2 * variance / math.pi) / max(total, 1)
    return off if math.isnan(off) else min(1.0, off)
