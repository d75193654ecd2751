"""What each strategy may be expected to do, before anything is spent. From public numbers only."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from synth.models.budget import Account, error_after, size_of_noise
from synth.models.junction import cells
from synth.models.session import small_pairs
from synth.models.strategies import SELECTION, Strategy
from synth.privacy import Guarantee, Neighbors

COLUMNS = 0.35
"""Share of the budget for columns, as in the middle of the range."""


@dataclass(frozen=True)
class Prospect:
    """A strategy's expected error from noise, and its time.

    Attributes:
        strategy: Which one.
        columns: Share of rows that noise puts in the wrong cell of a column, on average.
        pairs: The same of a pair that is measured; None where pairs are not measured.
        seconds: About how long it takes.
    """

    strategy: Strategy
    columns: float
    pairs: float | None
    seconds: float


def prospects(
    shape: tuple[int, ...], rows: int, guarantee: Guarantee, neighbors: Neighbors
) -> list[Prospect]:
    """Forecast the strategies that need no groups.

    >>> found = prospects((10, 10, 10), 10_000, Guarantee.pure(1), Neighbors.ADD_REMOVE)
    >>> [(p.strategy.value, round(p.columns, 4)) for p in found][:2]
    [('independent', 0.0012), ('tree', 0.0034)]
    """
    account = Account.of(guarantee, neighbors, 1, pure=not guarantee.delta)
    pairs = small_pairs(shape, 2**62)
    found = [_prospect(account, shape, rows, Strategy.INDEPENDENT, 0)]
    if pairs:
        tree = _prospect(account, shape, rows, Strategy.TREE, len(shape) - 1)
        found += [tree, _prospect(account, shape, rows, Strategy.ONE_SHOT, len(pairs))]
        found.append(_prospect(account, shape, rows, Strategy.ADAPTIVE, len(pairs)))
    return found


def _prospect(
    account: Account, shape: tuple[int, ...], rows: int, strategy: Strategy, measured: int
) -> Prospect:
    share = COLUMNS if measured else 1.0
    columns = _error(account, share, [(a,) for a in range(len(shape))], shape, rows)
    seconds = _seconds(shape, rows, strategy)
    if not measured:
        return Prospect(strategy, columns, None, seconds)
    rest = 1 - share - float(SELECTION)
    pairs = small_pairs(shape, 2**62)
    each = _error(account, rest * len(pairs) / measured, pairs, shape, rows)
    return Prospect(strategy, columns, each, seconds)


def _error(
    account: Account,
    share: float,
    cliques: list[tuple[int, ...]],
    shape: tuple[int, ...],
    rows: int,
) -> float:
    """Mean expected total variation of marginals that share a part of the budget, if even."""
    sizes = [cells(shape, clique) for clique in cliques]
    budget = account.total * Fraction(round(share * 10_000), 10_000)
    errors = []
    for size, cost in zip(sizes, account.by_size(budget, sizes), strict=True):
        noise = size_of_noise(account.noise(cost))
        errors.append(error_after(np.full(size, rows / size), noise) / (2 * max(rows, 1)))
    return float(np.mean(errors))


def _seconds(shape: tuple[int, ...], rows: int, strategy: Strategy) -> float:
    """Reading and writing, then looking at every value of every row's column next to the others."""
    files = 1 + rows * len(shape) / 3e6
    if strategy is Strategy.INDEPENDENT:
        return files
    if strategy is Strategy.TREE:
        return files + rows * len(shape) / 1e6
    settled = 1.5 + 2e-8 * rows * sum(shape) * (len(shape) - 1)
    return files + settled * (1.5 if strategy is Strategy.ADAPTIVE else 1.0)
