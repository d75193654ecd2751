"""Lower bounds of a guarantee from many runs on two neighbours, beside what any test could
show.

An enemy knows both tables and the laws of all that is released, and sees one release. By
Neyman and Pearson the log-likelihood ratio ``loss`` is all that need be looked at: ln P(seen
| mine) / P(seen | other). What it shows of a guarantee, at a level beta, by exact binomial
laws:

- *pure epsilon*: a fair coin says which table a run is of. Where the loss is far from 0 it is
  guessed; right guesses are at most Binomial(guesses, e^epsilon / (1 + e^epsilon)), by the
  theorem of `tests.audit.canaries`.
- *Gaussian noise*: guessed by the sign, errors a and b say mu >= -Phi^-1(a) - Phi^-1(b)
(Dong,
  Roth, Su 2022). A rho of zCDP is held against mu = sqrt(2 rho), which Gaussian noise
  reaches.
- *choices under zCDP*, which are not mu-GDP for that mu: errors a and b say rho >= D(1 - a ||
b) /
  alpha, by the Renyi divergence of every order alpha, and so does mu.

What an optimal test is expected to show with as many runs, `Law.allows`, is computed from the
exact law of the loss: of each measurement, added up as long as noise does not depend on
answers."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, reduce
from typing import Any

import numpy as np
import pytest
from scipy import signal, special

from synth.door import door
from synth.noise import DiscreteGaussian, DiscreteLaplace, KNorm, Norm
from synth.privacy import Guarantee
from tests.audit.canaries import Guesses

Array = np.ndarray[Any, Any]
STEPS = 2_048
"""Steps of the losses that are added up, in all of a pure epsilon."""
FINE = 256
"""Steps of a move from which on some are taken for one."""
ORDERS = 1 + np.geomspace(1e-4, 20, 60)
"""Of the divergences of Renyi that are tried."""


def claimed(guarantee: Guarantee) -> float:
    """Epsilon, or mu."""
    if guarantee.epsilon is not None:
        return float(guarantee.epsilon)
    return math.sqrt(2 * float(guarantee.rho or 0))


# What errors show.


def mu_of_errors(wrong: Sequence[float], runs: Sequence[float], beta: float) -> float:
    """The least mu of Gaussian DP by wrong guesses among runs on either table."""
    a, b = (_most(w, n, beta / 2) for w, n in zip(wrong, runs, strict=True))
    return max(0.0, -float(special.ndtri(a) + special.ndtri(b)))


def mu_of_choices(wrong: Sequence[float], runs: Sequence[float], beta: float) -> float:
    """The root of twice the least rho of zCDP by wrong guesses among runs on either table."""
    a, b = (_most(w, n, beta / 2) for w, n in zip(wrong, runs, strict=True))
    if a + b >= 1:
        return 0.0
    rho = 0.0
    for p, q in ((1 - a, b), (1 - b, a)):
        sums = p**ORDERS * q ** (1 - ORDERS) + (1 - p) ** ORDERS * (1 - q) ** (1 - ORDERS)
        rho = max(rho, float((np.log(sums) / (ORDERS - 1) / ORDERS).max()))
    return math.sqrt(2 * rho)


def _most(wrong: float, runs: float, beta: float) -> float:
    """Clopper's and Pearson's upper limit of a chance."""
    return float(special.betainccinv(wrong + 1, runs - wrong, beta)) if wrong < runs else 1.0


def epsilon_of_guesses(right: Array, guesses: Array, beta: float) -> Array:
    """`Guesses.at_least` of many numbers at once, which need not be whole."""
    with np.errstate(all="ignore"):
        least = special.betaincinv(right, np.maximum(guesses - right, 0) + 1, beta)
    return np.where(right > 0, np.maximum(special.logit(np.nan_to_num(least)), 0.0), 0.0)


@dataclass(frozen=True)
class Trials:
    """The losses of runs on either table."""

    mine: Array
    other: Array

    @property
    def wrong(self) -> tuple[int, int]:
        """Wrong guesses by the sign."""
        return int((self.mine < 0).sum()), int((self.other >= 0).sum())

    @property
    def runs(self) -> tuple[int, int]:
        return len(self.mine), len(self.other)

    def guesses(self, up: float, down: float) -> Guesses:
        """Mine is guessed from a loss of ``up`` on, the other one from minus ``down`` on."""
        ups, downs = (
            [int((sign * losses >= least).sum()) for losses in (self.mine, self.other)]
            for sign, least in ((1, up), (-1, down))
        )
        return Guesses(sum(self.runs), sum(ups) + sum(downs), ups[0] + downs[1])


# The exact law of the loss.


@dataclass(frozen=True, eq=False)
class Law:
    """The law of the loss on mine: in steps of so much, from the first one on."""

    step: float
    first: int
    chances: Array

    @classmethod
    def of(cls, losses: Array, chances: Array, step: float) -> "Law":
        """Of values with their chances, each moved to the nearest step."""
        places = np.rint(np.asarray(losses) / step).astype(np.int64).ravel()
        first = int(places.min())
        return cls(step, first, np.bincount(places - first, np.ravel(chances)))

    def __add__(self, other: "Law") -> "Law":
        chances = np.maximum(signal.fftconvolve(self.chances, other.chances), 0.0)
        return Law(self.step, self.first + other.first, chances)

    @cached_property
    def losses(self) -> Array:
        return self.step * np.arange(self.first, self.first + len(self.chances))

    @cached_property
    def of_other(self) -> Array:
        """The chances of the same losses on the other table."""
        return np.asarray(self.chances * np.exp(-self.losses))

    def allows(self, runs: int, beta: float) -> "Allowed":
        """The most that guesses are expected to show of epsilon."""
        moved = 4 * self.step  # by which sums may be moved to their steps
        at = np.append(np.linspace(0, np.abs(self.losses).max(), 97) - moved, np.inf)
        below = np.append(1.5 * moved, at[1:])  # a loss of 0 is guessed once
        ups, downs = (
            [
                np.array([chances[sign * self.losses >= t].sum() for t in from_])
                for chances in (self.chances, self.of_other)
            ]
            for sign, from_ in ((1, at), (-1, below))
        )
        right = (ups[0][:, None] + downs[1]) / 2
        guessed = right + (ups[1][:, None] + downs[0]) / 2
        shown_epsilon = epsilon_of_guesses(runs * right, runs * guessed, beta)
        up, down = np.unravel_index(int(shown_epsilon.argmax()), shown_epsilon.shape)
        chance = float(right[up, down] / guessed[up, down])
        return Allowed(
            float(shown_epsilon[up, down]), float(at[up]), float(below[down]), chance
        )

    @cached_property
    def errors(self) -> tuple[float, float]:
        """Chances of wrong guesses by the sign."""
        low = self.losses < -self.step / 2
        return float(self.chances[low].sum()), float(self.of_other[~low].sum())


@dataclass(frozen=True)
class Allowed:
    """What guesses are expected to show, from which losses on, and how often they are
    right.
    """

    epsilon: float
    up: float
    down: float
    chance: float


def mixed(laws: Iterable[Law]) -> Law:
    """One of some laws by chance, each as likely."""
    some_laws = list(laws)
    first = min(law.first for law in some_laws)
    last = max(law.first + len(law.chances) for law in some_laws)
    chances = np.zeros(last - first)
    for law in some_laws:
        chances[law.first - first :][: len(law.chances)] += law.chances / len(some_laws)
    return Law(some_laws[0].step, first, chances)


def added(laws: Iterable[Law]) -> Law:
    """The law of a sum."""
    return reduce(Law.__add__, laws)


def law_of_noise(mechanism: Any, move: Array, step: float) -> Law:
    """Of a measurement whose exact answers are so far apart, in each number."""
    is_joint = isinstance(mechanism, KNorm)
    return _law_of_noise(
        mechanism, tuple(np.abs(move if is_joint else move[move != 0]).tolist()), step
    )


@lru_cache(maxsize=64)
def _law_of_noise(mechanism: Any, move: tuple[int, ...], step: float) -> Law:
    if not any(move):
        return Law(step, 0, np.ones(1))
    # Where a move has very many steps, some of them are taken for one.
    joined = max(1.0, max(move) / FINE)
    move = tuple(round(m / joined) for m in move)
    if isinstance(mechanism, DiscreteLaplace):
        return added(_law_of_laplace(m, joined / float(mechanism.scale), step) for m in move)
    if isinstance(mechanism, KNorm):
        by_norm = _law_of_cube if mechanism.norm is Norm.MAX else _law_of_ball
        return by_norm(np.array(move), joined / float(mechanism.scale), step)
    assert isinstance(mechanism, DiscreteGaussian)
    return added(_law_of_gaussian(m, float(mechanism.sigma2) / joined**2, step) for m in move)


def _law_of_laplace(move: int, rate: float, step: float) -> Law:
    inner = np.arange(1, move)
    places = np.concatenate(([move, -move], move - 2 * inner))
    ends, between = np.array([1.0, math.exp(-rate * move)]), np.exp(-rate * inner)
    chances = np.concatenate((ends, -math.expm1(-rate) * between)) / (1 + math.exp(-rate))
    return Law.of(rate * places, chances, step)


def _law_of_gaussian(move: int, sigma2: float, step: float) -> Law:
    reach = int(12 * math.sqrt(sigma2)) + 3
    z = np.arange(-reach, reach + 1)
    chances = np.exp(-(z**2) / (2 * sigma2))
    return Law.of(move * (2 * z + move) / (2 * sigma2), chances / chances.sum(), step)


def _law_of_cube(move: Array, rate: float, step: float) -> Law:
    """By lattice points: P(z) ~ exp(-rate max |z|), and the other table's noise is z + move.

    Those of norms r and s are the second difference of those that are in both cubes.
    """
    largest_move, size = int(move.max()), len(move)
    radius = np.arange(-1, int((size + 40) / rate) + largest_move + 2)[:, None]
    other_radius = radius + np.arange(-largest_move - 1, largest_move + 2)
    both = np.where((radius < 0) | (other_radius < 0), 0.0, 1.0)
    for m in move:
        low, high = (
            np.maximum(-radius, -other_radius - m),
            np.minimum(radius, other_radius - m),
        )
        both *= np.maximum(high - low + 1, 0)
    # A column has all of one s - r, so that s stays where r falls in the next column.
    points = both[1:, 1:-1] - both[:-1, 2:] - both[1:, :-2] + both[:-1, 1:-1]
    chances = points * np.exp(-rate * radius[1:])
    losses = np.broadcast_to(rate * np.arange(-largest_move, largest_move + 1), chances.shape)
    return Law.of(losses, chances / chances.sum(), step)


def _law_of_ball(move: Array, rate: float, step: float) -> Law:
    """By radii and angles to the move, as a density: steps are much smaller than the
    noise.
    """
    size, far = len(move), float(np.linalg.norm(move))
    radius = (np.arange(4_000) + 0.5) / 4_000 * (size + 40) / rate
    angle = (np.arange(720) + 0.5) / 720 * math.pi
    chances = (radius ** (size - 1) * np.exp(-rate * radius))[:, None] * np.sin(angle) ** (
        size - 2
    )
    others = np.sqrt(
        radius[:, None] ** 2 + far**2 + 2 * far * radius[:, None] * np.cos(angle)
    )
    return Law.of(rate * (others - radius[:, None]), chances / chances.sum(), step)


Run = Callable[[int], float]
"""The loss of a run on mine (0) or on the other table (1)."""


def tried(run: Run, runs: int) -> Trials:
    """Runs on the table that a fair coin says, each time."""
    coins = np.random.default_rng().integers(0, 2, runs)
    losses = np.array([run(int(coin)) for coin in coins])
    return Trials(losses[coins == 0], losses[coins == 1])


HALVED = ((DiscreteLaplace, "scale", 2), (KNorm, "scale", 2), (DiscreteGaussian, "sigma2", 4))


def make_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Halve the scale of all that a door draws, at the same price."""
    for law, name, by in HALVED:
        monkeypatch.setattr(law, "release", _halved(law.release, name, by))
    rate = door._epsilon_of_choice
    monkeypatch.setattr(door, "_epsilon_of_choice", lambda cost: 2 * rate(cost))


def _halved(release: Callable[..., Any], name: str, by: int) -> Callable[..., Any]:
    def drawn(mechanism: Any, values: Any) -> Any:
        return release(replace(mechanism, **{name: getattr(mechanism, name) / by}), values)

    return drawn
