"""Average errors of noisy sums of numbers, before anything is spent. PUBLIC input only.

A sum's noise over the rows is the error of a mean or a mean product, without the gain from
bins.
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
    """The average error of a kind of sums.

    Attributes:
        what: The sums, in words.
        error: The mean's average error, in the columns' units (seconds for dates).
        columns: The column; two for squares and products.
    """

    what: str
    error: float
    columns: tuple[Column, ...]


def expect_moments(plan: Plan, rows: int) -> tuple[ExpectedMoment, ...]:
    """Return the average error of each noisy sum of numbers of a plan; empty if it has none.

    Products of two columns are counted as if every pair were measured.

    Args:
        plan: The steward's choices.
        rows: The rough number of rows.

    >>> from fractions import Fraction
    >>> from synth.domain import Domain, Integer
    >>> ages = Domain((Integer(name="age", minimum=0, maximum=99, bins=4),))
    >>> (moment,) = expect_moments(
    ...     Plan(domain=ages, epsilon=Fraction(1), moments=("means",)), rows=10_000
    ... )
    >>> moment.what, round(moment.error, 3)
    ('offsets of age', 0.072)
    """
    domain = plan.domain
    all_columns = tuple(range(len(domain.columns)))
    queries = moment_queries(plan.moments, domain, [all_columns])
    if not queries:
        return ()
    # The account turns the budget into noise; the sums have a share of its total.
    account = Account.open(
        plan.guarantee(plan.epsilon), plan.neighbors, plan.unit, pure=not plan.delta
    )
    budget = account.total * moment_share(plan.moments, domain)
    costs = split_for_moments(account, budget, queries)
    # Without a model the table is one noisy histogram. Some numbers are then better counted
    # from the range of their column than from its bins.
    if not plan.by_model:
        variance = DiscreteLaplace(plan.scale).variance
        priced = list(zip(queries, costs, strict=True))
        queries = choose_ranges(account, domain, priced, measured=[(all_columns, variance)])
    expected: list[ExpectedMoment] = []
    for query, cost in zip(queries, costs, strict=True):
        # A sum has one value for each combination of bins by which it is split. For each of
        # these: what a step of noise is worth in the columns' units.
        units = [moment_sum.unit(domain) for moment_sum in query]
        values = sum(sum_units.size for sum_units in units)
        noise = moment_noise(account, cost, query, values=values).mean_absolute
        for moment_sum, sum_units in zip(query, units, strict=True):
            # The mean noise on a value in units, over the mean number of rows of a value.
            error = noise * float(np.mean(sum_units)) * sum_units.size / rows
            columns = tuple(domain.columns[column] for column in moment_sum.columns)
            expected.append(ExpectedMoment(moment_sum.in_words(domain.names), error, columns))
    return tuple(expected)
