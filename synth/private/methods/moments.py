"""Payments for sums of numbers. PRIVATE."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from synth.door import Door
from synth.estimate import (
    Account,
    MomentSum,
    Spend,
    choose_ranges,
    moment_noise,
    name_sums,
    split_for_moments,
)
from synth.private import queries
from synth.private.counting import AddedMoments


def pay_for_moments(
    door: Door,
    account: Account,
    added: AddedMoments,
    what: Sequence[tuple[MomentSum, ...]],
    budget: Fraction,
    measured: Iterable[tuple[tuple[int, ...], float]],
) -> list[Spend]:
    """Pay for sums of numbers, those that are measured together at once.

    Args:
        what: Which sums are measured, and together with which.
        budget: Epsilon or rho, all of which is spent.
        measured: The columns of every noisy histogram, and the variance of a cell.
    """
    spends, costs = [], split_for_moments(account, budget, what)
    what = choose_ranges(account, added.domain, list(zip(what, costs, strict=True)), measured)
    for one, cost in zip(what, costs, strict=True):
        query = queries.moment_sums(added, one, door.neighbors)
        noise = moment_noise(account, cost, one, query.size)
        found = door.measure(query, noise, account.claim(cost))
        told = name_sums(one, added.domain.names)
        values = tuple(found.values.tolist())
        spends.append(Spend(told, found.guarantee, found.mechanism, values=values, moments=one))
    return spends
