"""Layer 7: what reduced noise costs beside everything else that a door lets out.

`pricing` calls every way out of a door in every order. `CALLS` lists what each call truly
costs. `coupling` sees that the newer noise follows the older, at the door, in a release that
goes on, and far from the middle of the law."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from synth.domain import Domain, Integer
from synth.door import Ledger, Query, door
from synth.errors import SynthError
from synth.noise import DiscreteGaussian, DiscreteLaplace
from synth.privacy import ROW, Guarantee, Neighbors, covers, parse_budget
from synth.private import queries
from synth.private.counting import Counts, ValueRows
from tests.audit.path.tables import door_of, refused

ADD = Neighbors.ADD_REMOVE
FALSE_ALARM = 1e-6

# What a pure epsilon of 1 costs as a rho: of zCDP, and of Gaussian DP by a bound of pi / 8 on
# the square of its losses' range, with 22 / 7 for pi.
ZCDP_OF_EPSILON = Fraction(1, 2)
GAUSSIAN_OF_EPSILON = Fraction(22, 7) / 4

SMALL = Domain((Integer(name="x", minimum=1, maximum=4, bins=4),))
COUNTS = Counts(domain=SMALL, cells=np.arange(4), counts=np.array([40, 30, 20, 10]), rows=100)
VALUES = ValueRows(("north", "south"), np.array([30, 40]))
QUARTER, HALF, EIGHTH = Fraction(1, 4), Fraction(1, 2), Fraction(1, 8)
SMALL_DELTA = Fraction(1, 10_000)


@dataclass(frozen=True)
class TrueCost:
    """What one answer costs, beside the answers before it.

    Attributes:
        epsilon: What it adds to a sum of epsilons.
        step: The epsilon that counts in a sum of squares: of reduced noise, the whole newer
            one.
        delta: What it adds to a sum of deltas.
        zcdp: A rho that is of zCDP only.
        gaussian: A rho that is of Gaussian DP too.
    """

    epsilon: Fraction = Fraction(0)
    step: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)
    zcdp: Fraction = Fraction(0)
    gaussian: Fraction = Fraction(0)


@dataclass
class Opened:
    """A door with its two queries, and the newest epsilon of the histogram."""

    door: door.Door
    histogram: Query = field(default_factory=lambda: queries.marginal(COUNTS, ADD))
    number: Query = field(default_factory=lambda: queries.rows(COUNTS, ADD))
    newest: Fraction = Fraction(0)

    def measure(self, epsilon: Fraction) -> TrueCost:
        """Measure the histogram with fresh Laplace noise."""
        self.door.measure(self.histogram, DiscreteLaplace.for_epsilon(epsilon, sensitivity=1))
        self.newest = epsilon
        return TrueCost(epsilon, epsilon)

    def reduce(self, epsilon: Fraction) -> TrueCost:
        """Reduce the noise of the histogram; both answers together cost the newer epsilon."""
        noise = DiscreteLaplace.for_epsilon(epsilon, sensitivity=1)
        self.door.reduce_noise(self.histogram, noise)
        older, self.newest = self.newest, epsilon
        return TrueCost(epsilon - older, epsilon)

    def measure_number(self, claim: Guarantee | None, cost: TrueCost) -> TrueCost:
        """Measure one number with Gaussian noise of a rho of 1/8, or much more for a
        delta.
        """
        variance = Fraction(400 if claim and claim.delta else 4)
        self.door.measure(self.number, DiscreteGaussian(variance), claim)
        return cost

    def choose(self, claim: Guarantee, cost: TrueCost) -> TrueCost:
        self.door.choose(self.histogram, claim)
        return cost

    def select(self) -> TrueCost:
        values = queries.listed_values("city", VALUES, ROW, neighbors=ADD)
        self.door.select(values, Guarantee.approximate(QUARTER, SMALL_DELTA))
        return TrueCost(epsilon=QUARTER, delta=SMALL_DELTA)

    def seed(self) -> TrueCost:
        self.door.seed()
        return TrueCost()


GDP = Guarantee.gaussian(EIGHTH)
CLAIM = Guarantee.approximate(QUARTER, SMALL_DELTA)
CALLS: dict[str, Callable[[Opened], TrueCost]] = {
    "measure 1/4": lambda at: at.measure(QUARTER),
    "measure 1/2": lambda at: at.measure(HALF),
    "reduce to 1/2": lambda at: at.reduce(HALF),
    "reduce to 1": lambda at: at.reduce(Fraction(1)),
    "number by zCDP": lambda at: at.measure_number(None, TrueCost(zcdp=EIGHTH)),
    "number by Gaussian DP": lambda at: at.measure_number(GDP, TrueCost(gaussian=EIGHTH)),
    "number by a delta": lambda at: at.measure_number(
        CLAIM, TrueCost(epsilon=QUARTER, delta=SMALL_DELTA)
    ),
    "choose by epsilon": lambda at: at.choose(Guarantee.pure(HALF), TrueCost(HALF, HALF)),
    "choose by zCDP": lambda at: at.choose(Guarantee.zcdp(EIGHTH), TrueCost(zcdp=EIGHTH)),
    "choose by Gaussian DP": lambda at: at.choose(GDP, TrueCost(gaussian=EIGHTH)),
    "select": lambda at: at.select(),
    "seed": lambda at: at.seed(),
}
"""Every way out of a door, and what it truly costs."""

GUARANTEES = (
    Guarantee.pure(2),
    Guarantee.approximate(4, Fraction(1, 100)),
    Guarantee.zcdp(1),
    Guarantee.gaussian(1),
)


def find_underpaid(spent: Guarantee | None, costs: Sequence[TrueCost]) -> str:
    """Return in what unit a door says less than the true cost of all answers, or ''."""
    epsilon, delta = sum(cost.epsilon for cost in costs), sum(cost.delta for cost in costs)
    zcdp, gaussian = sum(cost.zcdp for cost in costs), sum(cost.gaussian for cost in costs)
    if spent is None:
        return "nothing" if any(cost != TrueCost() for cost in costs) else ""
    if spent.rho is None:
        is_paid = (spent.epsilon or 0) >= epsilon and spent.delta >= delta
        return "" if is_paid and not zcdp + gaussian else "epsilon"
    if delta or (zcdp and spent.is_gaussian):
        return "another unit"
    factor = GAUSSIAN_OF_EPSILON if spent.is_gaussian else ZCDP_OF_EPSILON
    squares = sum(cost.step**2 for cost in costs)
    return "" if spent.rho >= factor * squares + zcdp + gaussian else "rho"


def price_sequence(guarantee: Guarantee, names: Sequence[str]) -> tuple[str, int]:
    """Return what is underpaid after some calls, and how many of them were answered."""
    opened = Opened(door_of(ADD, ROW, guarantee))
    costs: list[TrueCost] = []
    for name in names:
        try:
            costs.append(CALLS[name](opened))
        except SynthError:
            continue
        spent = opened.door.spent
        if unit := find_underpaid(spent, costs):
            return f"{', '.join(names)} cost more {unit} than the door says", len(costs)
        if spent is not None and not covers(guarantee, spent):
            return f"{', '.join(names)} cost more than the guarantee", len(costs)
    return "", len(costs)


def find_sequences(length: int = 3) -> Iterator[tuple[str, ...]]:
    return product(CALLS, repeat=length)


def pricing() -> str:
    """Orders of three calls in which noise is reduced: each is refused or charged its true
    cost.
    """
    for guarantee in GUARANTEES:
        for names in find_sequences():
            if (
                any(name.startswith("reduce") for name in names[1:])
                and "measure 1/4" in names
            ):
                broken, _ = price_sequence(guarantee, names)
                if broken:
                    return broken
    return ""


# The coupling.

CELLS = 4_000
OLDER, NEWER = Fraction(10), Fraction(99, 10)
FAR = 400
"""Forty times the older scale."""


def share_margin(cells: int = CELLS) -> float:
    """Return how far a share of independent cells is from its mean, but for one time in
    10^6.
    """
    return math.sqrt(math.log(2 / FALSE_ALARM) / (2 * cells))  # Hoeffding's inequality


def share_of_equal() -> float:
    """Return the chance that both answers about a cell are equal, by docs/proofs."""
    a, b = math.exp(-1 / OLDER), math.exp(-1 / NEWER)
    alpha = b / a * ((1 - a) / (1 - b)) ** 2
    return alpha + (1 - alpha) * (1 - a) / (1 + a)


def share_of_equal_far() -> float:
    """Return the chance that the newer noise is the older, if that one is `FAR`."""
    c, d = math.exp(1 / OLDER - 1 / NEWER), math.exp(-1 / OLDER - 1 / NEWER)
    return c**FAR * ((1 - d) - d * (1 - c)) / (1 - c * d)


def is_off(are_shared: np.ndarray, expected: float) -> bool:
    return abs(float(are_shared.mean()) - expected) > share_margin(are_shared.size)


def coupling() -> str:
    """The newer noise follows the older: nearly all cells are equal if the scales nearly
    are.
    """
    domain = Domain((Integer(name="x", minimum=1, maximum=CELLS, bins=CELLS),))
    counts = Counts(
        domain=domain, cells=np.arange(CELLS), counts=np.full(CELLS, 5), rows=5 * CELLS
    )
    query = queries.marginal(counts, ADD)
    with TemporaryDirectory() as folder, Ledger(Path(folder) / "l.db") as ledger:
        ledger.set_budget("d", parse_budget("9", ADD))

        def again(request: str) -> door.Door:
            words: dict[str, Any] = {"ledger": ledger, "table": "t", "request": request}
            return door_of(ADD, ROW, Guarantee.pure(1), **words)

        for request, is_resumed in (("at once", False), ("later", True)):
            opened = again(request)
            older = opened.measure(query, DiscreteLaplace(OLDER)).values
            if is_resumed:
                opened = again(request)
                opened.measure(query, DiscreteLaplace(OLDER))
            newer = opened.reduce_noise(query, DiscreteLaplace(NEWER)).values
            if is_off(older == newer, share_of_equal()):
                return f"the noise of a newer answer does not follow the older ({request})"
    for side in (-1, 1):
        exact = np.zeros(CELLS, np.int64)
        far = exact + side * FAR
        if is_off(
            DiscreteLaplace(NEWER).reduce_noise(exact, far, OLDER) == far,
            share_of_equal_far(),
        ):
            return "reduced noise forgets how far the older was"
    return ""


def filling_gaps() -> str:
    """A refused answer leaves no gap among the stored ones, behind which they are not
    counted.
    """
    histogram, number = queries.marginal(COUNTS, ADD), queries.rows(COUNTS, ADD)
    with TemporaryDirectory() as folder, Ledger(Path(folder) / "l.db") as ledger:
        ledger.set_budget("d", parse_budget("9", ADD))

        def again() -> door.Door:
            words: dict[str, Any] = {"ledger": ledger, "table": "t", "request": "r"}
            return door_of(ADD, ROW, Guarantee.pure(1), **words)

        first = again()
        if not refused(lambda: first.measure(number, DiscreteLaplace(HALF))):
            return "a door lets out more than its guarantee"
        first.measure(histogram, DiscreteLaplace(Fraction(1)))
        resumed = again()
        if not refused(lambda: resumed.measure(number, DiscreteLaplace(Fraction(1)))):
            return "an answer behind a refused one is not counted"
    return ""
