"""The privacy loss of discrete mechanisms: hockey-sticks and Renyi divergences, exact up to
floats.

>>> loss = PrivacyLoss(np.log([1 / 3, 3]), np.array([0.25, 0.75]))
>>> round(loss.delta(0.0), 3), round(loss.exceeds(1.0), 3)
(0.5, 0.75)
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class PrivacyLoss:
    """The law of ln P(Y)/Q(Y) for Y from P, the loss of a mechanism on one pair of
    neighbours.

    Attributes:
        losses: The possible losses, ascending, shape (m,).
        masses: The probability of each of them, shape (m,).
    """

    losses: NDArray[np.float64]
    masses: NDArray[np.float64]

    def delta(self, epsilon: float) -> float:
        """Return the least delta at an epsilon for this pair: the hockey-stick divergence.

        It is the sum of P(y) max(0, 1 - e^(epsilon - loss)) over all outcomes y.
        """
        over = self.losses > epsilon
        return math.fsum(-self.masses[over] * np.expm1(epsilon - self.losses[over]))

    def exceeds(self, epsilon: float) -> float:
        """Return the probability that the loss is above epsilon."""
        return math.fsum(self.masses[self.losses > epsilon])

    def renyi(self, order: float) -> float:
        """Return the Renyi divergence of an order above 1."""
        # The largest loss is taken out of the sum, so that no exponential overflows.
        top = float(self.losses.max())
        scaled = math.fsum(self.masses * np.exp((order - 1) * (self.losses - top)))
        return top + math.log(scaled) / (order - 1)
