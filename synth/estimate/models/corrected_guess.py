"""How far off a public guess is, and what follows from it: shares of the budget, pairs left aside.

All of it from noisy numbers that have left the door. PUBLIC.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from synth.estimate.models.allocation import Account, choose_pairs, error_after
from synth.estimate.models.evidence import DISTANCES, Evidence, believed_total
from synth.estimate.models.junction import Clique, cells
from synth.estimate.models.names import Method
from synth.estimate.models.public_guess import PublicGuess
from synth.estimate.models.splitting import TYPICAL, WORTH, prospect
from synth.estimate.noisy.record import Spend
from synth.noise import Mechanism
from synth.privacy import GRID
from synth.util import Floats

AS_IT_STANDS = "how far all pairs of columns are from the public table"
UNRELATED = "how far all pairs of columns are from independence in the public table"
CORRECTED = "how far all pairs of columns are from the corrected guess"
APART = "how far each pair of columns is from its guess"
SUMMED = (AS_IT_STANDS, UNRELATED, CORRECTED)
"""What is one number for all pairs together."""
GUESS_DISTANCES = (*SUMMED, APART)
"""All that may be measured of a public guess."""
GUESS_CREDIT = 1.0
"""Sizes of the noise that a public table is given the benefit of: the steward chose it."""
NEARER = 0.9
"""What a guess has to promise, as a part of the expected error without it; and one way to spend, as
a part of another's."""
LINKED = 0.5
"""Part of what a pair is off that right columns leave, at least."""
SHARES = tuple(Fraction(part, 20) for part in range(4, 20))
"""Shares of the budget that columns may get."""


def believed_off(spend: Spend, pairs: int) -> float:
    """Mean L1 distance of pairs from the public table, given the benefit of the doubt, in rows."""
    noise = _law(spend).mean_absolute / GRID / pairs
    return max(0.0, _mean(spend, pairs) - GUESS_CREDIT * noise)


def least_off(public: PublicGuess, pairs: Sequence[Clique], total: float) -> float:
    """Mean L1 distance, in rows, of pairs that are off by chance alone."""
    return float(np.mean([public.misses(pair, total) for pair in pairs]))


def _read_evidence(evidence: Evidence) -> tuple[PublicGuess, list[Clique], float]:
    """The public table, the pairs that it speaks of, and about how many rows there are."""
    assert evidence.public is not None
    return evidence.public, evidence.public.select_known(evidence.pairs), evidence.total


def histogram_is_nearer(account: Account, evidence: Evidence) -> bool:
    """Whether pairs summed from the histogram of all columns are nearer than a good guess.

    Args:
        account: The budget as epsilon.
        evidence: What is known, a public table among it.
    """
    public, pairs, total = _read_evidence(evidence)
    whole = cells(evidence.shape, range(len(evidence.shape)))
    noise = account.noise(account.total).mean_absolute
    summed = [math.sqrt(whole * cells(evidence.shape, pair)) * noise for pair in pairs]
    return float(np.mean(summed)) <= least_off(public, pairs, total)


@dataclass(frozen=True)
class Prospect:
    """What a way to spend the budget is expected to lead to.

    Attributes:
        account: Whether epsilon or rho is spent.
        share: Of the budget, for columns.
        error: Mean L1 distance of pairs, in rows.
    """

    account: Account
    share: Fraction
    error: float


Allowance = tuple[Account, Fraction]
"""A way to spend, and the epsilon or rho that is left of it."""


def with_guess(budgets: Sequence[Allowance], evidence: Evidence, off: float) -> Prospect:
    """The way to spend around the guess: the first, unless another promises clearly less error.

    Args:
        budgets: What there is to choose from, the usual one first.
        evidence: What is known, a public table among it.
        off: Mean L1 distance of pairs from the public table, in rows.
    """
    usual, *others = (_split(*one, evidence, off) for one in budgets)
    better = [one for one in others if one.error < NEARER * usual.error]
    return min(better, key=lambda one: one.error, default=usual)


def _split(account: Account, left: Fraction, evidence: Evidence, off: float) -> Prospect:
    """The share of the budget for columns with the least expected error around the guess."""
    public, pairs, total = _read_evidence(evidence)
    usual = max(1.0, off / least_off(public, pairs, total))
    drift = {a: usual * public.misses((a,), total) for a in public.codes}
    links = [_link(usual * public.misses(p, total), drift[p[0]], drift[p[1]]) for p in pairs]
    guesses = [_doubt_guess(public.shares(pair) * total, evidence, off) for pair in pairs]
    tried = [_try_share(account, left, evidence, s, drift, links, guesses) for s in SHARES]
    best = min(tried, key=lambda one: one.error)
    # All pairs being off as much, as has to be assumed of a guess, seems to ask for all of them to
    # be measured. Of real tables some pairs are off far more, and those are measured.
    paired = min(best.error, prospect(account, evidence.shape, total).pairs)
    return best if paired < WORTH * tried[-1].error else replace(tried[-1], share=Fraction(1))


def _link(off: float, first: float, second: float) -> float:
    """How far a pair is off once its columns are right, where these are off by so much."""
    return max(math.sqrt(max(off**2 - first**2 - second**2, 0.0)), LINKED * off)


def without_guess(budgets: Sequence[Allowance], evidence: Evidence, off: float) -> Prospect:
    """The same around independence: pairs have the public links, and what these are off by."""
    public, pairs, total = _read_evidence(evidence)
    usual = off / least_off(public, pairs, total)
    guesses = [public.unrelated(pair) * total for pair in pairs]
    wide = [_doubt_guess(guess, evidence, off) for guess in guesses]
    said = [
        float(np.abs(public.shares(pair) * total - guess).sum())
        for pair, guess in zip(pairs, guesses, strict=True)
    ]
    links = [
        math.hypot(a, usual * public.misses(p, total)) for a, p in zip(said, pairs, strict=True)
    ]
    far = dict.fromkeys(public.codes, math.inf)
    tried = (_try_share(*one, evidence, s, far, links, wide) for one in budgets for s in SHARES)
    return min(tried, key=lambda one: one.error)


def _doubt_guess(guess: Floats, evidence: Evidence, off: float) -> Floats:
    """A guess of which as many rows as are off may be anywhere.

    Were a guess that is far off taken at its word about which cells are empty, their noise would
    seem to cost nothing.
    """
    part = min(1.0, off / (2 * max(evidence.total, 1.0)))
    return np.asarray((1 - part) * guess + part * evidence.total / guess.size)


def _try_share(
    account: Account,
    left: Fraction,
    evidence: Evidence,
    share: Fraction,
    drift: Mapping[int, float],
    links: Sequence[float],
    guesses: Sequence[Floats],
) -> Prospect:
    """The expected error at a share for columns, which are so far from their guess."""
    _, pairs, _ = _read_evidence(evidence)
    noise = account.noise_by_size(left * share, evidence.shape)
    own = {a: _expect_distance(far, evidence.shape[a], noise) for a, far in drift.items()}
    open_links = _left_open(account, left * (1 - share), links, guesses)
    errors = [
        math.sqrt(link**2 + own[a] ** 2 + own[b] ** 2)
        for link, (a, b) in zip(open_links, pairs, strict=True)
    ]
    return Prospect(account, share, float(np.mean(errors)))


def _expect_distance(far: float, size: int, noise: dict[int, float]) -> float:
    """Expected L1 distance of a column from the truth, so far from its guess, so noisy."""
    loud = noise[size] * size
    return loud / math.hypot(1.0, loud / max(far, 1e-9))


def _left_open(
    account: Account, budget: Fraction, links: Sequence[float], guesses: Sequence[Floats]
) -> list[float]:
    """Expected L1 distance of each pair after those that are worth it were measured."""
    left = list(links)
    for position, cost in choose_pairs(account, budget, links, guesses).items():
        noise = account.noise(cost).mean_absolute
        left[position] = min(left[position], error_after(guesses[position], noise))
    return left


def presume_distances(evidence: Evidence, mean: float) -> None:
    """Take pairs to be as far from their guess as chance would have them, times a factor.

    Args:
        evidence: What is known.
        mean: L1 distance of pairs that the public table speaks of, in rows.
    """
    public, told, total = _read_evidence(evidence)
    least = least_off(public, told, total)
    usual = max(mean, least / 2) / max(least, 1e-9)
    evidence.distances = {
        pair: usual * public.misses(pair, total) if public.speaks_of(pair) else 2 * TYPICAL * total
        for pair in evidence.pairs
    }


def set_aside(evidence: Evidence) -> None:
    """Leave the public table aside for pairs that it gets wrong.

    A pair that is further from its guess than its guess from independence might as well be
    independent.
    """
    public, told, total = _read_evidence(evidence)
    for pair in told:
        says = float(np.abs(evidence.guess(pair) - evidence.product(pair)).sum())
        if evidence.distances[pair] > max(says, 2 * public.misses(pair, total)):
            public.aside.add(pair)


def recall(evidence: Evidence, spends: Sequence[Spend], strategy: str) -> None:
    """Come to the same decisions about a public guess again, from what was paid.

    Args:
        evidence: The columns and pairs that were measured, and the public table.
        spends: Every payment of the release, in order.
        strategy: What was followed: a guess that is left aside leads elsewhere, or to distances
            from independence.
    """
    assert evidence.public is not None
    found = {spend.what: spend for spend in spends if not spend.columns}
    pairs = len(evidence.public.select_known(evidence.pairs))
    asked = found.keys() & {AS_IT_STANDS, CORRECTED}
    if strategy != Method.ONE_SHOT or not asked or DISTANCES in found:
        evidence.public = None
    elif APART in found:
        _recall_pairs(evidence, spends, found[APART])
    elif CORRECTED in found:
        presume_distances(evidence, _mean(found[CORRECTED], pairs))
    else:
        presume_distances(evidence, believed_off(found[AS_IT_STANDS], pairs) / 2)


def _recall_pairs(evidence: Evidence, spends: Sequence[Spend], apart: Spend) -> None:
    """Distances of pairs, and which were left aside by the columns of that moment."""
    measured = evidence.measured
    before = list(spends).index(apart)
    evidence.measured = measured[: sum(bool(spend.columns) for spend in spends[:before])]
    evidence.total = believed_total(evidence.shape, evidence.measured)
    evidence.repair_columns()
    evidence.take_distances(apart.values, _law(apart))
    set_aside(evidence)
    evidence.measured = measured


def _law(spend: Spend) -> Mechanism:
    assert spend.mechanism is not None
    return spend.mechanism


def _mean(spend: Spend, pairs: int) -> float:
    return spend.values[0] / GRID / pairs
