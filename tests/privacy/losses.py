"""Privacy losses of two lists of chances and of many runs, and the delta of a zCDP
guarantee.
"""

import math
from collections.abc import Sequence

import numpy as np
from scipy import optimize

from synth.privacy import PrivacyLoss

GRID = 1e-3
SLACK = 1e-9
"""Grid steps by which a loss may be rounded down; given back, so that none is too small."""


def loss_of(p: Sequence[float] | np.ndarray, q: Sequence[float] | np.ndarray) -> PrivacyLoss:
    """The loss of outputs of these chances on two neighbours; infinite where q is 0."""
    first, second = np.asarray(p, float), np.asarray(q, float)
    is_possible = first > 0
    with np.errstate(divide="ignore"):
        losses = np.log(first[is_possible]) - np.log(second[is_possible])
    order = np.argsort(losses)
    return PrivacyLoss(losses[order], first[is_possible][order])


def composed(loss: PrivacyLoss, runs: int) -> PrivacyLoss:
    """The loss of independent runs. Losses are rounded up to the grid: never too small."""
    steps = np.ceil(loss.losses / GRID - SLACK).astype(np.int64)
    law_of_run = np.bincount(steps - steps[0], weights=loss.masses)
    law = np.ones(1)
    for _ in range(runs):
        law = np.convolve(law, law_of_run)
    possible_steps = np.flatnonzero(law)
    return PrivacyLoss(
        (possible_steps + runs * (int(steps[0]) + SLACK)) * GRID, law[possible_steps]
    )


def zcdp_delta(rho: float, epsilon: float) -> float:
    """The least over a > 1 of exp((a - 1)(a rho - epsilon)) (1 - 1/a)^a / (a - 1), by
    SciPy.
    """

    def log_delta(log_less: float) -> float:
        a = 1 + math.exp(log_less)
        return (a - 1) * (a * rho - epsilon) + a * math.log1p(-1 / a) - log_less

    minimum = optimize.minimize_scalar(log_delta, bounds=(-7, 14), options={"xatol": 1e-9})
    return math.exp(float(minimum.fun))
