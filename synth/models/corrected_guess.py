"""How far off a public guess is, and what follows from it: shares of the budget, pairs left aside.

All of it from noisy numbers that have left the door. PUBLIC.
"""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from synth.arrays import Floats
from synth.models.allocation import Account, choose_pairs, error_after, size_of_noise
from synth.models.evidence import Evidence, believed_total
from synth.models.junction import Clique
from synth.models.public_guess import PublicGuess
from synth.noise.mechanism import Mechanism
from synth.noisy.record import Spend
from synth.privacy.sensitivity import GRID

AS_IT_STANDS = "how far all pairs of columns are from the public table"
UNRELATED = "how far all pairs of columns are from independence in the public table"
CORRECTED = "how far all pairs of columns are from the corrected guess"
APART = "how far each pair of columns is from its guess"
SUMMED = (AS_IT_STANDS, UNRELATED, CORRECTED)
"""What is one number for all pairs together."""
GUESS_DISTANCES = (*SUMMED, APART)
"""All that may be measured of a public guess."""
WORTH = 0.8
"""How far off the public table may be, as a part of how far off its columns alone would be."""
DOUBT = 1.0
"""Sizes of the noise that a public table is given the benefit of: the steward chose it."""
CREDIT = 3
"""Times the benefit of the doubt where noise says little: a chosen table is rarely that wrong."""
SHARES = tuple(Fraction(part, 20) for part in range(4, 20))
"""Shares of the budget that columns may get."""


def is_worth_asking(near: float, far: float, noise: float) -> bool:
    """Whether the public table is a better guess than independence of its columns.

    Args:
        near: Mean L1 distance of pairs from the public table, in rows, noisy.
        far: The same from independence of its columns.
        noise: Expected size of the noise on each.
    """
    return near <= WORTH * far + DOUBT * noise


def noise_of(spend: Spend, pairs: int) -> float:
    """Expected size of the noise on the mean distance of so many pairs, in rows."""
    return size_of_noise(_law(spend)) / GRID / pairs


def least_off(public: PublicGuess, pairs: Sequence[Clique], total: float) -> float:
    """Mean L1 distance, in rows, of pairs that are off by chance alone."""
    return float(np.mean([public.misses(pair, total) for pair in pairs]))


def column_share_for(account: Account, left: Fraction, evidence: Evidence, off: float) -> Fraction:
    """The share of the budget for columns with the least expected error of pairs.

    Args:
        account: How budget turns into noise.
        left: Epsilon or rho that is left.
        evidence: What is known, a public table among it.
        off: Mean L1 distance of pairs from the public table, in rows.
    """
    public, total = evidence.public, evidence.total
    assert public is not None
    pairs = public.known(evidence.pairs)
    usual = max(1.0, off / least_off(public, pairs, total))
    drift = {a: usual * public.misses((a,), total) for a in public.codes}
    whole = [usual * public.misses(pair, total) for pair in pairs]
    links = [
        math.sqrt(max(far**2 - drift[a] ** 2 - drift[b] ** 2, 0.0))
        for far, (a, b) in zip(whole, pairs, strict=True)
    ]
    guesses = [public.shares(pair) * total for pair in pairs]

    def error(share: Fraction) -> float:
        noise = account.noise_by_size(left * share, evidence.shape)
        own = {a: _between(far, evidence.shape[a], noise) for a, far in drift.items()}
        open_links = _left_open(account, left * (1 - share), links, guesses)
        return sum(
            math.sqrt(link**2 + own[a] ** 2 + own[b] ** 2)
            for link, (a, b) in zip(open_links, pairs, strict=True)
        )

    return min(SHARES, key=error)


def _between(far: float, size: int, noise: dict[int, float]) -> float:
    """Expected L1 distance of a column from the truth, so far from its guess, so noisy."""
    loud = noise[size] * size
    return far * loud / max(math.hypot(far, loud), 1e-9)


def _left_open(
    account: Account, budget: Fraction, links: Sequence[float], guesses: Sequence[Floats]
) -> list[float]:
    """Expected L1 distance of each pair after those that are worth it were measured."""
    left = list(links)
    for position, cost in choose_pairs(account, budget, links, guesses).items():
        noise = size_of_noise(account.noise(cost))
        left[position] = min(left[position], error_after(guesses[position], noise))
    return left


def presume_distances(evidence: Evidence, mean: float) -> None:
    """Take pairs to be as far from their guess as chance would have them, times a factor.

    Args:
        evidence: What is known.
        mean: L1 distance of pairs that the public table speaks of, in rows.
    """
    public, total = evidence.public, evidence.total
    assert public is not None
    told = public.known(evidence.pairs)
    least = least_off(public, told, total)
    usual = max(mean, least / 2) / max(least, 1e-9)
    evidence.distances = {
        pair: usual * public.misses(pair, total)
        if public.speaks_of(pair)
        else float(np.sqrt(total * evidence.guess(pair)).mean())
        for pair in evidence.pairs
    }


def set_aside(evidence: Evidence) -> None:
    """Leave the public table aside for pairs that it gets wrong.

    A pair that is further from its guess than its guess from independence might as well be
    independent.
    """
    public = evidence.public
    assert public is not None
    for pair in public.known(evidence.pairs):
        says = float(np.abs(evidence.guess(pair) - evidence.product(pair)).sum())
        if evidence.distances[pair] > max(says, 2 * public.misses(pair, evidence.total)):
            public.aside.add(pair)


def recall(evidence: Evidence, spends: Sequence[Spend]) -> None:
    """Come to the same decisions about a public guess again, from what was paid.

    Args:
        evidence: The columns and pairs that were measured, and the public table.
        spends: Every payment of the release, in order.
    """
    assert evidence.public is not None
    found = {spend.what: spend for spend in spends if spend.what in GUESS_DISTANCES}
    pairs = len(evidence.public.known(evidence.pairs))
    near = found.get(AS_IT_STANDS, found.get(CORRECTED))
    if near is None or UNRELATED not in found:
        evidence.public = None
        return
    noise = noise_of(near, pairs)
    is_loud = AS_IT_STANDS not in found
    off = _mean(near, pairs)
    doubt = CREDIT * noise if is_loud else noise
    if not is_worth_asking(off, _mean(found[UNRELATED], pairs), doubt):
        evidence.public = None
    elif APART in found:
        _recall_pairs(evidence, spends, found[APART])
    else:
        corrected = _mean(found[CORRECTED], pairs) if CORRECTED in found else max(off, 0.0) / 2
        presume_distances(evidence, 0.0 if is_loud else corrected)


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
