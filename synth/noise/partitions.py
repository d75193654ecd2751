"""Partition selection: choose the values that have enough rows to be named. Exact.

A value with n rows is kept with probability p(n), independently of all other values. If one
row more or less of a value is (epsilon, delta)-private and p(0) = 0,

    p(n + 1) = min(e^epsilon p(n) + delta, 1 - e^-epsilon (1 - p(n) - delta), 1)

keeps the most (Desfontaines, Voss, Gipson, Mandayam 2022, Theorem 1;
docs/proofs/listed-values.md).

>>> moves = Sensitivity(1, 1, 1)
>>> chosen = PartitionSelection.for_guarantee(
...     Guarantee.approximate(1, Fraction(1, 10**6)), moves
... )
>>> str(chosen.price(moves)), chosen.half
('epsilon = 1, delta = 1/1000000', 23)
>>> chosen.release(np.array([0, 9, 1_000]))
array([0, 0, 1])
"""
# Probabilities are multiples of 2^-128, rounded down at every step from a certified enclosure
# of e^-epsilon, which both inequalities allow. Keeping a value compares 128 fair bits,
# without floats.

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from synth.errors import ArgumentError
from synth.noise import bits
from synth.noise.known import PARTITION_SELECTION
from synth.noise.laws import exp_minus
from synth.noise.mechanism import exact, integers
from synth.privacy import Guarantee, Sensitivity
from synth.util import check

# Binary places of a probability.
BINARY_PLACES = 128
LEAST = 10
"""A value with fewer rows is never named; the recursion starts here."""
# Length of the table of probabilities; larger counts have the last one.
MAX_TABLE_ENTRIES = 1 << 20
_GUARD = 64


@dataclass(frozen=True)
class PartitionSelection:
    """Keeps each value independently, with a probability that rises with its rows.

    Attributes:
        epsilon: The exact epsilon of one row of one value; for more rows see `price`.
        delta: The exact delta of one row of one value.

    Raises:
        ArgumentError: A number is not exact, or too small for any value ever to be kept.
    """

    epsilon: Fraction
    delta: Fraction

    law: ClassVar[str] = PARTITION_SELECTION

    def __post_init__(self) -> None:
        """Make epsilon and delta exact, and refuse a delta that no probability can show.

        Probabilities are multiples of 2^-`BINARY_PLACES`.
        """
        for name in ("epsilon", "delta"):
            object.__setattr__(self, name, exact(**{name: getattr(self, name)}))
        if self.delta >= 1 or not int(self.delta * 2**BINARY_PLACES):
            raise ArgumentError(
                f"delta must be below 1 and at least 2^-{BINARY_PLACES} for one row of one "
                "value."
            )

    @classmethod
    def for_guarantee(cls, guarantee: Guarantee, moves: Sensitivity) -> Self:
        """Return the selection that costs this (epsilon, delta) for a protected unit.

        Args:
            guarantee: An epsilon with a delta, for all rows of a unit together.
            moves: How much a unit moves the counts: ``l_infinity`` rows of one value, and
                ``l1`` rows in all.

        Raises:
            ArgumentError: There is no delta, or it is far too small.
        """
        if guarantee.epsilon is None or not guarantee.delta:
            raise ArgumentError("Values are selected for an epsilon with a delta above 0.")
        epsilon = guarantee.epsilon / moves.l1
        return cls(epsilon, guarantee.delta / _delta_factor(epsilon, moves))

    def price(self, moves: Sensitivity) -> Guarantee:
        """Return the (epsilon, delta) of the selection for a protected unit.

        The unit, such as a person, moves one value's count by at most ``moves.l_infinity``
        rows, and all counts together by at most ``moves.l1`` rows.
        """
        # A count that moves by k costs k epsilon and (1 + e^epsilon + ... + e^((k-1)
        # epsilon)) delta. Counts of several values add up; the worst case moves as few values
        # as possible.
        times = _delta_factor(self.epsilon, moves)
        return Guarantee.approximate(self.epsilon * moves.l1, self.delta * times)

    @property
    def chances(self) -> tuple[int, ...]:
        """2^128 times the chance of keeping a value with `LEAST` - 1 rows, `LEAST` rows,
        ...
        """
        return step_chances(self.epsilon, self.delta)

    @property
    def half(self) -> int:
        """Number of rows from which a value is kept with probability at least one half.

        The first chance is 0 and belongs to `LEAST` - 1 rows.
        """
        return LEAST - 1 + bisect_left(self.chances, 1 << (BINARY_PLACES - 1))

    def release(self, values: NDArray[np.integer]) -> NDArray[np.int64]:
        """Draw whether each value is kept: 1 if it is, else 0, shape (k,).

        ``values`` are the exact numbers of rows of the values, shape (k,).
        """
        low, high = split_chances(self.epsilon, self.delta)
        # Where the chance of each count is in the table; larger counts have the last one.
        places = np.clip(integers(values) - (LEAST - 1), 0, len(high) - 1)
        # Two words for each value: the high and the low half of 128 random bits.
        words = np.frombuffer(bits.bits(16 * len(places)), np.uint64)
        random_high, random_low = words.reshape(2, -1)
        # A chance of 1 has 129 bits, one more than a word.
        reaches_one = bool(self.chances[-1] >> BINARY_PLACES)
        is_certain = reaches_one & (places >= len(self.chances) - 1)
        # The random bits are compared with the chance: first the high halves, then the low.
        chance_high = high[places]
        chance_low = low[places]
        is_below = (random_high < chance_high) | (
            (random_high == chance_high) & (random_low < chance_low)
        )
        is_selected = is_below | is_certain
        return np.asarray(is_selected, np.int64)

    def describe(self) -> dict[str, str]:
        """Return the name of the law and its exact parameters as texts, by name."""
        return {"law": self.law, "epsilon": str(self.epsilon), "delta": str(self.delta)}


def group_delta(epsilon: Fraction, rows: int) -> Fraction:
    """Return 1 + e^epsilon + ... + e^((rows - 1) epsilon), rounded up.

    By this factor the delta of a group of rows exceeds that of one row (group privacy).
    ``epsilon`` is that of one row.

    Raises:
        ArgumentError: e^epsilon is too large to compute.

    >>> float(group_delta(Fraction(1), 2))
    3.718281828459045
    """
    check.check_whole(1, rows=rows)
    unit = 1 << BINARY_PLACES
    low = exp_minus(epsilon, BINARY_PLACES + _GUARD)[0]
    if not low:
        raise ArgumentError("epsilon is too large for rows to be selected by.")
    growth = -(-(unit << (BINARY_PLACES + _GUARD)) // low)  # e^epsilon, rounded up
    power = total = unit
    for _ in range(rows - 1):
        power = -(-power * growth >> BINARY_PLACES)
        total += power
    return Fraction(total, unit)


def _delta_factor(epsilon: Fraction, moves: Sensitivity) -> Fraction:
    """Return by how much the delta of a protected unit exceeds that of one row.

    The worst case is l1 / l_infinity values, each with l_infinity rows of the unit.
    """
    return Fraction(moves.l1, moves.l_infinity) * group_delta(epsilon, moves.l_infinity)


@lru_cache(maxsize=16)
def step_chances(epsilon: Fraction, delta: Fraction) -> tuple[int, ...]:
    """Return the probability of keeping a value by its number of rows.

    They are in units of 2^-BINARY_PLACES. The first one, 0, is for `LEAST` - 1 rows, and each
    next one for one row more. Each step is the largest that (epsilon, delta) allows from p to
    p': p' <= e^epsilon p + delta, and 1 - p <= e^epsilon (1 - p') + delta (Desfontaines et
    al. 2022). The last one is 1, or the table is full.
    """
    unit = 1 << BINARY_PLACES
    places = BINARY_PLACES + _GUARD
    added = int(delta * unit)
    fall = exp_minus(epsilon, places)[1]  # e^-epsilon, rounded up
    chances = [0]
    while chances[-1] < unit and len(chances) < MAX_TABLE_ENTRIES:
        last = chances[-1]
        # Both bounds are rounded down: a smaller chance is as private.
        by_growth = ((last << places) // fall) + added
        by_rest = unit - -(-fall * max(0, unit - last - added) >> places)
        chances.append(min(by_growth, by_rest, unit))
    return tuple(chances)


@lru_cache(maxsize=16)
def split_chances(epsilon: Fraction, delta: Fraction) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the probabilities of `step_chances` as two arrays of 64-bit words.

    The first array has the low halves of the 128 bits, the second the high halves. A
    probability of 1, which has 129 bits, is given as 128 ones.
    """
    all_ones = (1 << BINARY_PLACES) - 1
    chances = [min(chance, all_ones) for chance in step_chances(epsilon, delta)]
    low_64_bits = (1 << 64) - 1
    low_halves = np.array([chance & low_64_bits for chance in chances], np.uint64)
    high_halves = np.array([chance >> 64 for chance in chances], np.uint64)
    return low_halves, high_halves
