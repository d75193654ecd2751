"""Layer 12: whether what is spent is within what was charged, and what is claimed is met."""

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np

from synth.domain import Categorical, Domain
from synth.door import door, parts
from synth.drafting import DraftRequest
from synth.estimate import FitCheck
from synth.noise import DiscreteGaussian, DiscreteLaplace
from synth.privacy import ROW, Guarantee, Neighbors, Sensitivity, Unit, totals, zcdp_rho
from synth.privacy.gaussian_dp import gaussian_rho
from synth.private import queries
from tests.audit.path.tables import OTHERS, PERSON, coded, door_of, refused, related

MICRO, LITTLE = Fraction(1, 10**6), Fraction(1001, 1000)
"""A delta, and what is too much by a thousandth."""
pure, approximate = Guarantee.pure, Guarantee.approximate
zcdp, gaussian = Guarantee.zcdp, Guarantee.gaussian


def covering() -> str:
    """What a charge allows, wherever it is asked: all of it, and nothing beyond."""
    for charged, spent, allowed in _charges():
        if any(m.covers(charged, spent) != allowed for m in (totals, door, parts)):
            return f"{charged} {'does not cover' if allowed else 'covers'} {spent}"
    query = queries.rows(coded(OTHERS, ROW).count((0,)), Neighbors.ADD_REMOVE)
    noise, claim = DiscreteGaussian.for_delta(1, MICRO, sensitivity=1), approximate(1, MICRO)
    for delta, allowed in ((MICRO, True), (MICRO / LITTLE, False)):
        opened = door_of(Neighbors.ADD_REMOVE, ROW, approximate(1, delta))
        if refused(lambda opened=opened: opened.measure(query, noise, claim)) == allowed:  # type: ignore[misc]
            return "a door lets out another delta than was charged"
    return ""


def _charges() -> Iterator[tuple[Guarantee, Guarantee, bool]]:
    """What is charged, what is to be spent, and whether that is allowed."""
    mu, rho = gaussian_rho(Fraction(1), MICRO), zcdp_rho(Fraction(1), MICRO)
    assert mu is not None
    assert mu > rho
    guarantees = (pure(1), approximate(1, MICRO), zcdp(1), gaussian(1))
    yield from ((guarantee, guarantee, True) for guarantee in guarantees)
    yield from ((pure(LITTLE), pure(1), True), (pure(1), pure(LITTLE), False))
    yield from ((zcdp(LITTLE), zcdp(1), True), (zcdp(1), zcdp(LITTLE), False))
    yield from ((gaussian(LITTLE), gaussian(1), True), (gaussian(1), gaussian(LITTLE), False))
    charged = approximate(1, MICRO)
    yield from ((charged, pure(1), True), (pure(1), charged, False))
    yield charged, approximate(1, MICRO * LITTLE), False
    yield charged, approximate(Fraction(1, 2), MICRO * LITTLE), False
    yield charged, approximate(LITTLE, MICRO / 2), False
    yield from ((charged, zcdp(rho), True), (charged, zcdp(rho * LITTLE), False))
    yield from ((charged, gaussian(mu), True), (charged, gaussian(mu * LITTLE), False))
    yield from ((charged, zcdp(mu), False), (gaussian(1), zcdp(Fraction(1, 10)), False))
    yield from ((zcdp(1), gaussian(1), True), (zcdp(1), gaussian(LITTLE), False))
    yield from (
        (pure(1), zcdp(Fraction(1, 10)), False),
        (zcdp(1), pure(Fraction(1, 10)), False),
    )


def meeting() -> str:
    """Noise on one number meets a delta that is its own, and none that is a little less."""
    for sigma2, epsilon, move in product((2, 9, 40), (Fraction(1, 2), Fraction(2)), (1, 3)):
        noise = DiscreteGaussian(Fraction(sigma2))
        moves = Sensitivity(move, move**2, 1)
        delta = Fraction(_delta(sigma2, float(epsilon), move))
        if not noise.meets(approximate(epsilon, delta * (1 + MICRO)), moves):
            return "noise does not meet its own delta"
        if noise.meets(approximate(epsilon, delta * (1 - 500 * MICRO)), moves):
            return "noise meets a delta that it has not"
        if noise.meets(pure(epsilon), moves) or noise.meets(zcdp(1), moves):
            return "noise meets what it cannot"
    return _pricing()


def _delta(sigma2: int, epsilon: float, move: int) -> float:
    """How much more likely values are than e^epsilon times as likely where the number
    moved.
    """
    reach = math.ceil(40 * math.sqrt(sigma2))
    z = range(-reach, reach + 1)
    weigh = lambda x: math.exp(-x * x / (2 * sigma2))  # noqa: E731
    excesses = (max(0.0, weigh(x) - math.exp(epsilon) * weigh(x - move)) for x in z)
    return math.fsum(excesses) / math.fsum(map(weigh, z))


def _pricing() -> str:
    """A claim of a delta is taken of one number that meets it; all else is priced by its
    law.
    """
    counts = coded(OTHERS, ROW).count((0,))
    one_number = queries.rows(counts, Neighbors.ADD_REMOVE)
    many_numbers = queries.marginal(counts, Neighbors.ADD_REMOVE)
    claim = approximate(1, MICRO)
    noise = DiscreteGaussian.for_delta(1, MICRO, sensitivity=1)
    little = DiscreteGaussian(noise.sigma2 * Fraction(9, 10))
    if door.price(one_number, noise, claim) != claim:
        return "a number that meets a claim is not priced by it"
    if door.price(many_numbers, noise, claim) != zcdp(Fraction(1) / (2 * noise.sigma2)):
        return "many numbers are priced as one"
    if door.price(one_number, little, claim) != zcdp(Fraction(1) / (2 * little.sigma2)):
        return "a claim is taken that is not met"
    return ""


def checking() -> str:
    """Checks and drafts: noise that pays for a person's rows, and costs that add up."""
    domain = Domain(tuple(Categorical(name=name, categories=("x", "y")) for name in "ab"))
    for unit, neighbors, columns in product((ROW, Unit("p", 4)), Neighbors, ((), ("a", "b"))):
        fit_check = FitCheck(
            domain=domain,
            epsilon=Fraction(1, 3),
            neighbors=neighbors,
            unit=unit,
            dataset="d",
            columns=columns,
        )
        if Fraction(unit.max_rows) / fit_check.noise.scale != fit_check.epsilon:
            return "the noise of a check is not that of a person's rows"
        if fit_check.guarantee != pure((1 + len(columns)) * fit_check.epsilon):
            return "a check costs something else than its numbers"
        draft = DraftRequest(
            columns=("a", "b"), guarantee=pure(1), neighbors=neighbors, unit=unit
        )
        if Fraction(unit.max_rows) / draft.number_scale != draft.costs.number.epsilon:
            return "the noise on a draft's number is not that of a person's rows"
        cells = DiscreteLaplace(draft.scale(draft.costs.shapes))
        if unit.sensitivity(neighbors) / cells.scale != draft.costs.shapes.epsilon:
            return "the noise on a draft's cells is not that of a person's rows"
    return _fitting()


def _fitting() -> str:
    """How many rows fit, of all neighbours: it moves by no more than is declared."""
    for unit, neighbors in product((ROW, PERSON), Neighbors):
        tables, are = related(neighbors, unit)
        queries_of_tables = [
            queries.fitting_rows(coded(rows, unit).count((0, 1, 2)), neighbors)
            for rows in tables
        ]
        for (first, a), (second, b) in product(
            zip(queries_of_tables, tables, strict=True), repeat=2
        ):
            move = int(np.abs(first.values() - second.values()).sum())
            if are(a, b) and move > first.sensitivity.l1:
                return "the number of rows that fit moves by more than it declares"
            if are(a, b) and first.rows != second.rows:
                return "what is public of the rows that fit tells neighbours apart"
    return ""
