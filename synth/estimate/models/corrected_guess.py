"""The error of a public guess, and its consequences: budget shares, and pairs without it.

It uses only noisy numbers from the door. PUBLIC.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from synth.estimate.assumptions import ASSOCIATION, NEARLY_ALL
from synth.estimate.models.allocation import Account, cost_levels, pair_errors
from synth.estimate.models.evidence import DISTANCES, Evidence, believed_total
from synth.estimate.models.junction import Clique, cells
from synth.estimate.models.names import Method
from synth.estimate.models.public_guess import PublicGuess
from synth.estimate.models.splitting import PERCENTS, least_errors, prospect
from synth.estimate.noisy.record import Spend
from synth.noise import Mechanism
from synth.privacy import GRID
from synth.util import Floats

AS_IT_STANDS = "how far all pairs of columns are from the public table"
APART = "how far each pair of columns is from its guess"
GUESS_DISTANCES = (AS_IT_STANDS, APART)
# Least share of a pair's error left by right columns; without it a far table is followed.
LINKED = 0.5


def believed_off(spend: Spend, pairs: int) -> float:
    """Return the pairs' mean L1 distance from the public table in rows, less the noise."""
    noise = _law(spend).mean_absolute / GRID / pairs
    return max(0.0, spend.values[0] / GRID / pairs - noise)


def least_off(public: PublicGuess, pairs: Sequence[Clique], total: float) -> float:
    """Return the mean L1 distance, in rows, of pairs that differ by chance alone."""
    return float(np.mean([public.misses(pair, total) for pair in pairs]))


def _read_evidence(evidence: Evidence) -> tuple[PublicGuess, list[Clique], float]:
    assert evidence.public is not None
    return evidence.public, evidence.public.select_known(evidence.pairs), evidence.total


def histogram_is_nearer(account: Account, evidence: Evidence) -> bool:
    """Return whether the whole histogram's pairs, by epsilon, are closer than a good
    guess.
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
        share: Share of the budget for columns.
        error: Mean L1 distance of pairs, in rows.
    """

    account: Account
    share: Fraction
    error: float


# A way to spend, and the epsilon or rho left.
Allowance = tuple[Account, Fraction]


def with_guess(budgets: Sequence[Allowance], evidence: Evidence, off: float) -> Prospect:
    """Return the way to spend around the guess with the least error, of equal ones the first.

    Args:
        off: Mean L1 distance of pairs from the public table, in rows.
    """
    return min((_split(*one, evidence, off) for one in budgets), key=lambda one: one.error)


def _split(account: Account, left: Fraction, evidence: Evidence, off: float) -> Prospect:
    public, pairs, total = _read_evidence(evidence)
    usual = max(1.0, off / least_off(public, pairs, total))
    drift = {a: usual * public.misses((a,), total) for a in public.codes}
    links = [_link(usual * public.misses(p, total), drift[p[0]], drift[p[1]]) for p in pairs]
    guesses = [_doubt_guess(public.shares(pair) * total, evidence, off) for pair in pairs]
    first, second = np.array(pairs).T
    far = np.array([drift.get(a, 0.0) for a in range(len(evidence.shape))])
    amounts = cost_levels(float(left))

    def beside(percent: int) -> Floats:
        noise = account.noise_by_size(left * Fraction(max(percent, 1), 100), evidence.shape)
        loud = np.array([noise[size] * size for size in evidence.shape])
        own = loud / np.hypot(1.0, loud / np.maximum(far, 1e-9))
        return np.asarray(np.hypot(own[first], own[second]))

    errors = pair_errors(account, amounts, links, guesses=guesses)
    found = least_errors(float(left), amounts, errors, beside=beside)
    # All pairs being off as much, as has to be assumed of a guess, seems to ask for all of
    # them to be measured. Of real tables some pairs are off far more, and those are measured.
    paired = min(found.error / len(pairs), prospect(account, evidence.shape, total).pairs)
    alone = found.alone / len(pairs)
    if paired < NEARLY_ALL * alone:
        percent = min(max(found.percent, 1), PERCENTS[-1])  # as their errors are expected
        return Prospect(account, Fraction(percent, 100), found.error / len(pairs))
    return Prospect(account, Fraction(1), alone)


def _link(off: float, first: float, second: float) -> float:
    # The error of a pair once its columns, with these errors, are right.
    return max(math.sqrt(max(off**2 - first**2 - second**2, 0.0)), LINKED * off)


def without_guess(budgets: Sequence[Allowance], evidence: Evidence) -> float:
    """Return the forecast error without the guess: mean L1 distance of pairs, in rows."""
    found = [prospect(account, evidence.shape, evidence.total) for account, _ in budgets]
    return min(min(one.pairs, one.alone) for one in found)


def _doubt_guess(guess: Floats, evidence: Evidence, off: float) -> Floats:
    # As many rows as the guess is off may be in any cell. Otherwise a bad guess would be
    # trusted about empty cells, and their noise would seem to cost nothing.
    part = min(1.0, off / (2 * max(evidence.total, 1.0)))
    return np.asarray((1 - part) * guess + part * evidence.total / guess.size)


def presume_distances(evidence: Evidence, mean: float) -> None:
    """Assume pairs are as far from their guess as by chance, up to a mean L1 distance in
    rows.
    """
    public, told, total = _read_evidence(evidence)
    least = least_off(public, told, total)
    usual = max(mean, least / 2) / max(least, 1e-9)
    evidence.distances = {
        pair: usual * public.misses(pair, total)
        if public.covers(pair)
        else 2 * ASSOCIATION * total
        for pair in evidence.pairs
    }


def recall(evidence: Evidence, spends: Sequence[Spend], strategy: str) -> None:
    """Repeat the decisions about a public guess, from the payments in order.

    Another strategy, or distances from independence, show that the guess was dropped.
    """
    assert evidence.public is not None
    found = {spend.what: spend for spend in spends if not spend.columns}
    if not evidence.find_links():
        return
    if AS_IT_STANDS not in found or strategy != Method.ONE_SHOT or DISTANCES in found:
        evidence.drop_guess()
    elif APART in found:
        _recall_pairs(evidence, spends, found[APART])
    else:
        pairs = evidence.public.select_known(evidence.pairs)
        presume_distances(evidence, believed_off(found[AS_IT_STANDS], len(pairs)) / 2)


def _recall_pairs(evidence: Evidence, spends: Sequence[Spend], apart: Spend) -> None:
    # Restores the distances of pairs by the columns of that moment.
    measured = evidence.measured
    before = list(spends).index(apart)
    evidence.measured = measured[: sum(bool(spend.columns) for spend in spends[:before])]
    evidence.total = believed_total(evidence.shape, evidence.measured)
    evidence.repair_columns()
    evidence.take_distances(apart.values, _law(apart))
    evidence.measured = measured


def _law(spend: Spend) -> Mechanism:
    assert spend.mechanism is not None
    return spend.mechanism
