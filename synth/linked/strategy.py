"""The measurements of linked tables, by public and noisy numbers. PUBLIC.

Table by table, parents first, as `synth.linked.table_measures` says. A generator asks, and
gets the answers, so that `verify` can ask the same again.
"""

import math

import numpy as np

from synth.domain import LinkedPackage
from synth.estimate import Account
from synth.linked.laws import BelievedRows
from synth.linked.model import LinkedModel
from synth.linked.table_measures import Strategy, TableMeasures
from synth.util import one_thread


def measure_linked(package: LinkedPackage, account: Account) -> Strategy:
    """Measure all tables, parents first, and return a model that is fitted to them.

    This is a generator: it yields each request for noisy numbers, is sent the answer, and
    returns the model at its end.

    Raises:
        LimitError: The limits of rows need more noise than Synth draws; before anything is
            asked.
    """
    plans = check_linked_noise(package, account)
    model = LinkedModel(package=package, roots=0)
    # The believed rows of each table; measuring a table adds those of its children.
    numbers: dict[int, BelievedRows] = {}
    for measures in plans:
        yield from measures.measure(model, numbers)
    return model


def check_linked_noise(package: LinkedPackage, account: Account) -> "list[TableMeasures]":
    """Return the measurements of each table with its part of the budget.

    Raises:
        LimitError: A table's limit of rows needs more noise than Synth draws; both are named.
    """
    # A table with more pairs of columns to measure gets more, by the root of their number.
    weights = [
        math.sqrt(1 + _count_pairs(package, table)) for table in range(len(package.tables))
    ]
    budgets = account.split(account.total, weights)
    plans = [
        TableMeasures(package, account, table, budget=budget)
        for table, budget in enumerate(budgets)
    ]
    for measures in plans:
        measures.check_noise()
    return plans


def _count_pairs(package: LinkedPackage, table: int) -> int:
    """Return how many pairs of columns may be measured for a table.

    A pair is of two columns of one row, of two rows of one parent, or of a row and a row
    above it. `table` is the table's number.
    """
    columns, *columns_above = (
        len(package.tables[number].domain.names) for number in package.lineage(table)
    )
    with_above = columns * sum(columns_above)
    # Of one row, columns (columns - 1) / 2; of two rows of one parent, each with itself too.
    if columns_above:
        return with_above + columns * (columns + 1) // 2
    return with_above + columns * (columns - 1) // 2


@one_thread
def forecast_linked(
    package: LinkedPackage, account: Account, roots: int
) -> list[tuple[str, float]]:
    """Return the name and the average error of the columns of each table.

    The error is the mean total variation of a column, by noise alone. Every number of rows
    from 0 to the limit is assumed to be as common, so parents have half of it on average.

    Args:
        package: The declared tables.
        account: The budget and what it protects.
        roots: The approximate number of rows of the root table.
    """
    numbers = {0: BelievedRows.of_root(roots)}
    errors = []
    for measures in check_linked_noise(package, account):
        for child in measures.below:
            limit = package.tables[child].most
            above = numbers[measures.table]
            # Parents with each number of rows, counted in roots; none are above the limit.
            parents_by_number = np.zeros(package.tables[child].numbers)
            parents_by_number[: limit + 1] = above.roots / (limit + 1)
            numbers[child] = BelievedRows.below(
                package, child, parents_by_number, above=above
            )
        name = package.tables[measures.table].name
        errors.append((name, measures.expect_error(numbers[measures.table])))
    return errors
