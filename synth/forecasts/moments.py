"""Expected errors of noisy sums of numbers, before anything is spent. PUBLIC input only.

A sum's noise over the rows is the error of a mean or a mean product, without the gain from bins.
"""

from typing import NamedTuple

import numpy as np

from synth.domain import Column
from synth.estimate import (
    Account,
    choose_ranges,
    moment_noise,
    moment_queries,
    moment_share,
    split_for_moments,
)
from synth.noise import DiscreteLaplace
from synth.plans import Plan


class ExpectedMoment(NamedTuple):
    """A kind of sums, and the mean's expected error, in the columns' units (seconds for dates).

    ``columns`` are two for squares and products.
    """

    what: str
    error: float
    columns: tuple[Column, ...]


def expect_moments(plan: Plan, rows: int) -> tuple[ExpectedMoment, ...]:
    """Return the expected errors of a plan's sums, as if every pair were measured.

    >>> from fractions import Fraction
    >>> from synth.domain import Domain, Integer
    >>> ages = Domain((Integer(name="age", minimum=0, maximum=99, bins=4),))
    >>> (found,) = expect_moments(Plan(ages, Fraction(1), moments=("means",)), rows=10_000)
    >>> found.what, round(found.error, 3)
    ('offsets of age', 0.072)
    """
    domain, unit = plan.domain, plan.unit
    queries = moment_queries(plan.moments, domain, [tuple(range(len(domain.columns)))])
    if not queries:
        return ()
    account = Account.open(plan.guarantee(plan.epsilon), plan.neighbors, unit, pure=not plan.delta)
    budget = account.total * moment_share(plan.moments, domain)
    costs, found = split_for_moments(account, budget, queries), []
    if not plan.by_model:
        known = [(tuple(range(len(domain.columns))), DiscreteLaplace(plan.scale).variance)]
        queries = choose_ranges(account, domain, list(zip(queries, costs, strict=True)), known)
    for what, cost in zip(queries, costs, strict=True):
        units = [one.unit(domain) for one in what]
        noise = moment_noise(account, cost, what, sum(each.size for each in units)).mean_absolute
        for one, each in zip(what, units, strict=True):
            error = noise * float(np.mean(each)) * each.size / rows
            own = tuple(domain.columns[column] for column in one.columns)
            found.append(ExpectedMoment(one.in_words(domain.names), error, own))
    return tuple(found)
