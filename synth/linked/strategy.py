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
    """Measure all tables, and fit a model.

    Raises:
        LimitError: The caps need more noise than Synth draws; before anything is asked.
    """
    plans = check_linked_noise(package, account)
    model = LinkedModel(package=package, roots=0)
    numbers: dict[int, BelievedRows] = {}
    for measures in plans:
        yield from measures.measure(model, numbers)
    return model


def check_linked_noise(package: LinkedPackage, account: Account) -> "list[TableMeasures]":
    """Refuse limits of rows that need more noise than Synth draws; return the tables' parts.

    Raises:
        LimitError: With the table and its limit.
    """
    weights = [math.sqrt(1 + _count_pairs(package, t)) for t in range(len(package.tables))]
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

    Pairs of a table's columns, of one row and of two, and with the columns of rows above.
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
    """Return the expected total variation of a column of each table, by noise alone.

    Parents are assumed to have half of their allowed rows.

    Args:
        roots: The approximate number of roots.
    """
    numbers = {0: BelievedRows.of_root(roots)}
    errors = []
    for measures in check_linked_noise(package, account):
        for child in measures.below:
            limit = package.tables[child].most
            above = numbers[measures.table]
            parents = np.zeros(package.tables[child].numbers)
            parents[: limit + 1] = above.roots / (limit + 1)
            numbers[child] = BelievedRows.below(package, child, parents, above=above)
        name = package.tables[measures.table].name
        errors.append((name, measures.expect_error(numbers[measures.table])))
    return errors
