"""Layer 8: what is paid for against divergences of the laws themselves."""

import math
from fractions import Fraction
from itertools import product
from statistics import NormalDist
from typing import Any

import numpy as np

from synth.door import door
from synth.estimate import Account
from synth.noise import DiscreteGaussian, KNorm, Norm
from synth.privacy import (
    ROW,
    Guarantee,
    Neighbors,
    Unit,
    accounting,
    gaussian_dp,
    guarantee,
    parse_budget,
)


def accounting_holds() -> str:
    """What costs are said to be, against divergences of the laws that are drawn."""
    for epsilon in (Fraction(1, 4), Fraction(1), Fraction(3)):
        rho = float(guarantee.in_rho(Guarantee.pure(epsilon)))
        if any(
            _response_divergence(float(epsilon), a) > a * rho * (1 + 1e-9) for a in ORDERS
        ):
            return "a pure epsilon counts as too little rho"
        spent = parse_budget("rho=9,delta=1e-9", Neighbors.ADD_REMOVE)
        if float(spent.sum_spends([Guarantee.pure(epsilon)])) < rho * (1 - 1e-9):
            return "a budget counts a pure epsilon as too little rho"
        for delta in (Fraction(1, 10**3), Fraction(1, 10**9)):
            noise = DiscreteGaussian.for_rho(
                accounting.zcdp_rho(epsilon, delta), sensitivity2=1
            )
            if noise.delta(float(epsilon), sensitivity=1) > delta:
                return "epsilon and delta hold less than the rho that is spent for them"
    return _gaussian_holds() or _noise_holds() or _choices_hold()


def _gaussian_holds() -> str:
    """Gaussian DP against the exact delta of one number and of randomised response."""
    for tenths in range(20, 120, 8):
        epsilon, delta = Fraction(tenths, 10), Fraction(1, 10**3)
        rho = gaussian_dp.gaussian_rho(epsilon, delta)
        assert rho is not None
        for move in (1, 2):
            noise = DiscreteGaussian(gaussian_dp.find_sigma2(rho, move**2))
            if noise.delta(float(epsilon), sensitivity=move) > delta:
                return "epsilon and delta hold less than the mu that is spent for them"
            if gaussian_dp.noise_price(noise.sigma2, move**2) != Guarantee.gaussian(rho):
                return "noise costs something else than it was bought for"
    for epsilon in (Fraction(1, 4), Fraction(1), Fraction(3)):
        mu = math.sqrt(2 * guarantee.in_rho(Guarantee.pure(epsilon), gaussian=True))
        if NormalDist().cdf(mu / 2) < 1 / (1 + math.exp(-float(epsilon))):
            return "a pure epsilon counts as too little mu"
    return ""


ORDERS = (1.001, 1.5, 2.0, 8.0, 40.0)


def _response_divergence(epsilon: float, order: float) -> float:
    """Renyi, of randomised response: no pure mechanism has a larger one."""
    p = 1 / (1 + math.exp(-epsilon))
    return divergence(np.array([p, 1 - p]), np.array([1 - p, p]), order)


def divergence(p: Any, q: Any, order: float) -> float:
    return float(np.log(np.sum(p**order * q ** (1 - order))) / (order - 1))


def _noise_holds() -> str:
    """The noise of an account against the moves of small histograms, by search."""
    for neighbors, max_rows in product(Neighbors, (1, 3)):
        unit = Unit("pid", max_rows) if max_rows > 1 else ROW
        moves = _histogram_moves(max_rows, neighbors)
        l1 = max(sum(map(abs, move)) for move in moves)
        squared = max(sum(step * step for step in move) for move in moves)
        cost = Fraction(1, 3)
        pure = Account(Guarantee.pure(1), neighbors, unit)
        rho = Account(Guarantee.zcdp(1), neighbors, unit)
        if Fraction(l1) / pure.noise(cost).scale > cost:  # type: ignore[attr-defined]
            return "Laplace noise of an account is too small"
        if Fraction(squared) / (2 * rho.noise(cost).sigma2) > cost:  # type: ignore[attr-defined]
            return "Gaussian noise of an account is too small"
        far = 64 * l1  # one distance, in 64ths of a row
        little = Fraction(1, 10**5)  # so much noise has no cube
        if Fraction(5 * far) / pure.distance_noise(little, 5).scale > little:  # type: ignore[attr-defined]
            return "Laplace noise on distances is too small"
        cube = pure.distance_noise(cost, 5)
        if not isinstance(cube, KNorm) or (cube.norm, cube.dimension) != (Norm.MAX, 5):
            return "the noise on all distances is not that of a cube of as many dimensions"
        if Fraction(far) / cube.scale > cost:
            return "the noise on all distances is too small"
        if Fraction(5 * far**2) / (2 * rho.distance_noise(cost, 5).sigma2) > cost:  # type: ignore[attr-defined]
            return "Gaussian noise on distances is too small"
        parts = pure.split(Fraction(1), [0.1, 2.0, 0.0, 7.7])
        if sum(parts) != 1 or sum(pure.by_size(Fraction(1), [2, 9, 4])) != 1:
            return "the parts of a budget are more than the whole"
    return ""


def _histogram_moves(max_rows: int, neighbors: Neighbors) -> list[tuple[int, ...]]:
    """All changes of three cells when a person's rows, at most so many, go and come."""
    some = [h for h in product(range(max_rows + 1), repeat=3) if sum(h) <= max_rows]
    if neighbors is Neighbors.ADD_REMOVE:
        return some
    one_row = [h for h in some if sum(h) == max_rows] if max_rows == 1 else some
    return [tuple(b - a for a, b in zip(x, y, strict=True)) for x in one_row for y in one_row]


def _choices_hold() -> str:
    """The rho of an exponential mechanism at the rate that a door draws it with."""
    for rho in (Fraction(1, 50), Fraction(1, 2), Fraction(3)):
        rate = (
            float(door._round_root_down(8 * rho))
            if hasattr(door, "_round_root_down")
            else 0.0
        )
        for scores in product((-0.5, 0.0, 0.5), repeat=2):
            for other_scores in product((-0.5, 0.0, 0.5), repeat=2):
                if max(abs(a - b) for a, b in zip(scores, other_scores, strict=True)) > 1:
                    continue
                p, q = (
                    np.exp(rate / 2 * np.array(some_scores))
                    for some_scores in (scores, other_scores)
                )
                p, q = p / p.sum(), q / q.sum()
                if any(divergence(p, q, a) > a * float(rho) * (1 + 1e-9) for a in ORDERS):
                    return "a choice costs more rho than is paid"
    return ""
