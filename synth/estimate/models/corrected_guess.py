"""The error of a public guess, and its consequences: budget shares, and pairs without it.

All of it uses noisy numbers that have left the door. PUBLIC.
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
"""Name of the one number for all pairs together."""
GUESS_DISTANCES = (*SUMMED, APART)
"""Names of all measurements of a public guess."""
GUESS_CREDIT = 1.0
"""Sizes of the noise credited to a public table, since the steward chose it."""
NEARER = 0.9
"""Promised error of a guess, relative to no guess, and of a way to spend, relative to another, that
is clearly less.
"""
LINKED = 0.5
"""Least share of a pair's error that right columns leave."""
SHARES = tuple(Fraction(part, 20) for part in range(4, 20))
"""Possible shares of the budget for columns."""


def believed_off(spend: Spend, pairs: int) -> float:
    """Return the mean L1 distance of pairs from the public table, minus the credit, in rows."""
    noise = _law(spend).mean_absolute / GRID / pairs
    return max(0.0, _mean(spend, pairs) - GUESS_CREDIT * noise)


def least_off(public: PublicGuess, pairs: Sequence[Clique], total: float) -> float:
    """Return the mean L1 distance, in rows, of pairs that differ by chance alone."""
    return float(np.mean([public.misses(pair, total) for pair in pairs]))


def _read_evidence(evidence: Evidence) -> tuple[PublicGuess, list[Clique], float]:
    """Return the public table, the pairs that it covers, and the approximate number of rows."""
    assert evidence.public is not None
    return evidence.public, evidence.public.select_known(evidence.pairs), evidence.total


def histogram_is_nearer(account: Account, evidence: Evidence) -> bool:
    """Return whether pairs summed from the histogram of all columns are closer than a good guess.

    Args:
        account: The budget as epsilon.
        evidence: Everything known, with a public table.
    """
    public, pairs, total = _read_evidence(evidence)
    whole = cells(evidence.shape, range(len(evidence.shape)))
    noise = account.noise(account.total).mean_absolute
    summed = [math.sqrt(whole * cells(evidence.shape, pair)) * noise for pair in pairs]
    return float(np.mean(summed)) <= least_off(public, pairs, total)


@dataclass(frozen=True)
class Prospect:
    """The expected result of a way to spend the budget.

    Attributes:
        account: In epsilon or rho.
        share: Share of the budget for columns.
        error: Mean L1 distance of pairs, in rows.
    """

    account: Account
    share: Fraction
    error: float


Allowance = tuple[Account, Fraction]
"""A way to spend, and the epsilon or rho left in it."""


def with_guess(budgets: Sequence[Allowance], evidence: Evidence, off: float) -> Prospect:
    """Return the way to spend around the guess: the first, unless another has clearly less error.

    Args:
        budgets: The options, the usual one first.
        evidence: Everything known, with a public table.
        off: Mean L1 distance of pairs from the public table, in rows.
    """
    usual, *others = (_split(*one, evidence, off) for one in budgets)
    better = [one for one in others if one.error < NEARER * usual.error]
    return min(better, key=lambda one: one.error, default=usual)


def _split(account: Account, left: Fraction, evidence: Evidence, off: float) -> Prospect:
    """Return the share of the budget for columns with the least expected error around the guess."""
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
    """Return the error of a pair once its columns, with these errors, are right."""
    return max(math.sqrt(max(off**2 - first**2 - second**2, 0.0)), LINKED * off)


def without_guess(budgets: Sequence[Allowance], evidence: Evidence, off: float) -> Prospect:
    """Return the same around independence: pairs differ by the public links and the guess's error.
    """
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
    """Return a guess in which as many rows as it is off may be in any cell.

    Otherwise a bad guess would be trusted about empty cells, and their noise would seem to cost
    nothing.
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
    """Return the expected error at a share for columns at these distances from their guess."""
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
    """Return the expected L1 error of a column at this distance from its guess, with this noise."""
    loud = noise[size] * size
    return loud / math.hypot(1.0, loud / max(far, 1e-9))


def _left_open(
    account: Account, budget: Fraction, links: Sequence[float], guesses: Sequence[Floats]
) -> list[float]:
    """Return the expected L1 error of each pair after the worthwhile ones were measured."""
    left = list(links)
    for position, cost in choose_pairs(account, budget, links, guesses).items():
        noise = account.noise(cost).mean_absolute
        left[position] = min(left[position], error_after(guesses[position], noise))
    return left


def presume_distances(evidence: Evidence, mean: float) -> None:
    """Assume that pairs are as far from their guess as by chance, times a factor.

    Args:
        evidence: Everything known.
        mean: L1 distance of the covered pairs, in rows.
    """
    public, told, total = _read_evidence(evidence)
    least = least_off(public, told, total)
    usual = max(mean, least / 2) / max(least, 1e-9)
    evidence.distances = {
        pair: usual * public.misses(pair, total) if public.speaks_of(pair) else 2 * TYPICAL * total
        for pair in evidence.pairs
    }


def set_aside(evidence: Evidence) -> None:
    """Drop the public table for pairs that it gets wrong.

    That is, for pairs further from their guess than the guess is from independence.
    """
    public, told, total = _read_evidence(evidence)
    for pair in told:
        says = float(np.abs(evidence.guess(pair) - evidence.product(pair)).sum())
        if evidence.distances[pair] > max(says, 2 * public.misses(pair, total)):
            public.aside.add(pair)


def recall(evidence: Evidence, spends: Sequence[Spend], strategy: str) -> None:
    """Repeat the decisions about a public guess, from the payments.

    Args:
        evidence: The measured columns and pairs, and the public table.
        spends: Every payment of the release, in order.
        strategy: The strategy; a dropped guess leads to another one, or to distances from
            independence.
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
    """Restore the distances of pairs, and which were dropped by the columns of that moment."""
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
