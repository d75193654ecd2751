"""Expected errors of noisy sums of numbers, before anything is spent. PUBLIC input only.

The noise on a sum, divided by the rows, is the error of a mean or a mean product. The further gain
from the noisy counts of bins is not included.
"""

from typing import NamedTuple

import numpy as np

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
    """A kind of sums: its name in words, and the expected error of the mean.

    The error is in the column's unit (seconds for dates); for products, in the product of both
    units.
    """

    what: str
    error: float


def expect_moments(plan: Plan, rows: int) -> tuple[ExpectedMoment, ...]:
    """Return the expected errors of all sums that a plan asks for, as if every pair were measured.

    Args:
        plan: The steward's choices.
        rows: The rough number of rows.

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
            found.append(ExpectedMoment(one.in_words(domain.names), error))
    return tuple(found)
