"""The privacy loss of discrete mechanisms: exact hockey-sticks, and their composition.

>>> loss = PrivacyLoss.of([0.75, 0.25], [0.25, 0.75])
>>> loss.delta(0.0)
0.5
>>> round(loss.compose(2).delta(0.0), 2)
0.5
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from synth import check
from synth.errors import ArgumentError

_GRID = 1e-3
_SLACK = 1e-9
"""Grid steps by which a loss may be rounded down; given back, so that none is too small."""


@dataclass(frozen=True, eq=False)
class PrivacyLoss:
    """The law of ln P(Y)/Q(Y) for Y from P, the loss of a mechanism on one pair of neighbours.

    Attributes:
        losses: Ascending, shape (m,).
        masses: Probabilities, shape (m,).
        never: P(Q(Y) = 0): the mass of an infinite loss.
    """

    losses: NDArray[np.float64]
    masses: NDArray[np.float64]
    never: float = 0.0

    @classmethod
    def of(cls, p: Sequence[float], q: Sequence[float]) -> Self:
        """From the probabilities of the same outputs on two neighbours.

        Raises:
            ArgumentError: If they are not two laws on the same outputs.
        """
        first, second = np.asarray(p, float), np.asarray(q, float)
        if first.shape != second.shape or first.ndim != 1:
            message = "p and q must be two lists of the same length, but they are not."
            raise ArgumentError(message)
        for name, law in (("p", first), ("q", second)):
            if not (np.all(law >= 0) and abs(math.fsum(law) - 1) < 1e-9):
                message = f"{name} must hold probabilities that add up to 1, but it does not."
                raise ArgumentError(message)
        both = (first > 0) & (second > 0)
        losses = np.log(first[both]) - np.log(second[both])
        order = np.argsort(losses)
        never = math.fsum(first[(first > 0) & (second == 0)])
        return cls(losses[order], first[both][order], never)

    def delta(self, epsilon: float) -> float:
        """Hockey-stick divergence at epsilon: sum of P(y) max(0, 1 - e^(epsilon - loss))."""
        over = self.losses > epsilon
        return self.never + math.fsum(-self.masses[over] * np.expm1(epsilon - self.losses[over]))

    def exceeds(self, epsilon: float) -> float:
        """P(loss > epsilon)."""
        return self.never + math.fsum(self.masses[self.losses > epsilon])

    def renyi(self, order: float) -> float:
        """Renyi divergence of an order above 1."""
        if self.never:
            return math.inf
        top = float(self.losses.max())
        scaled = math.fsum(self.masses * np.exp((order - 1) * (self.losses - top)))
        return top + math.log(scaled) / (order - 1)

    def compose(self, k: int, *, grid: float = _GRID) -> "PrivacyLoss":
        """The loss of k independent runs. Losses are rounded up to the grid: never too small."""
        check.whole(1, k=k)
        steps = np.ceil(self.losses / grid - _SLACK).astype(np.int64)
        first = int(steps[0])
        one = np.bincount(steps - first, weights=self.masses)
        result, shift = np.ones(1), 0
        for bit in format(k, "b"):
            result, shift = np.convolve(result, result), 2 * shift
            if bit == "1":
                result, shift = np.convolve(result, one), shift + first
        keep = result > 0
        losses = (np.arange(result.size)[keep] + shift + k * _SLACK).astype(np.float64) * grid
        return PrivacyLoss(losses, result[keep], 1 - (1 - self.never) ** k)
