"""How *auto* chooses a method by public or noisy numbers, and what each would give.
PUBLIC.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from synth import limits
from synth.estimate.models.allocation import Account
from synth.estimate.models.junction import Clique, cells
from synth.estimate.models.large_rows import LargeRows, PartedRows, RowStore, place_here
from synth.estimate.models.splitting import prospect
from synth.estimate.names import Favour, Method
from synth.estimate.repair.marginal import Estimate
from synth.util import SmallCodes

# Budget share for a private number of rows.
SIZING = Fraction(1, 50)
# Rows for each row of noise from which the histogram of all columns does better than columns
# alone on most tables; more by the root of what pairs gain over columns.
ROWS_PER_NOISE = 0.4
# Part of the columns' share that they get at first; the distances then show how much pairs
# need.
AT_ONCE = Fraction(3, 4)


@dataclass(frozen=True, eq=False, kw_only=True)
class Fitted:
    """The result of a strategy.

    Attributes:
        strategy: The strategy, never ``auto``.
        drawn: The rows.
        estimates: The model's estimate of each pair or group that it covers.
        total: Estimated rows of the table.
    """

    strategy: str
    drawn: PartedRows
    estimates: dict[Clique, Estimate]
    total: float

    @property
    def codes(self) -> SmallCodes:
        """The rows' codes, shape (rows, columns). The rows must be in this process."""
        assert isinstance(self.drawn, LargeRows)
        return self.drawn.codes.T


@dataclass(frozen=True, kw_only=True)
class Order:
    """The task of a strategy.

    Attributes:
        strategy: The method that the steward asked for.
        rows: Number of synthetic rows; None for as many as the table has.
        groups: Columns of each group, ascending.
        favour: What the rows favour.
        predicted: The column that analysts will predict, if any.
        place: Where many rows are drawn.
    """

    strategy: str
    rows: int | None = None
    groups: tuple[Clique, ...] = ()
    favour: Favour = Favour.ERRORS
    predicted: int | None = None
    place: RowStore = place_here


@dataclass(frozen=True, kw_only=True)
class TableSize:
    """How large a table is, as far as that is public.

    Attributes:
        shape: Cells of every column.
        rows: Public or noisy number of rows.
        rows_are_public: Whether it cost nothing.
        most_cells: Most cells of a model.
    """

    shape: Sequence[int]
    rows: float
    rows_are_public: bool
    most_cells: int


def choose(
    account: Account, pure: Account | None, size: TableSize, *, pairs: int
) -> tuple[str, Account]:
    """Choose the strategy and the account of *auto*, by public or noisy numbers alone.

    A few noisy tables do better with pure epsilon than with rho. Under rho, pairs are cheap;
    the histogram of all columns is measured by epsilon only.

    Args:
        account: The budget for pairs.
        pure: The same budget as epsilon; None if it may not be spent so.
        size: How large the table is.
        pairs: Number of pairs that may be measured.

    Returns:
        The method, one of histogram, one-shot and independent; and the account to spend.
    """
    shape = size.shape
    rows = size.rows
    accounts = [account]
    if pure and pure != account:
        accounts.append(pure)
    prospects = []
    if pairs:
        # Expected errors by account, on a usual table of this shape: of pairs if some are
        # measured, and if columns get all.
        prospects = [prospect(account, shape, rows) for account in accounts]
    pair_errors = [expected.pairs for expected in prospects] or [math.inf]
    least_error = min(pair_errors)
    without_pairs = min((expected.columns_only for expected in prospects), default=0.0)
    # How many times less pairs err if they are measured; 0 if none may be.
    gain = without_pairs / least_error
    quietest = quietest_for_columns(accounts[0], accounts[-1], shape)
    if pure and len(shape) > 1 and histogram_is_small(shape, size.most_cells):
        remaining = pure.total
        # A private number of rows is measured first, with its own share.
        if not size.rows_are_public:
            remaining *= 1 - SIZING
        # The summed size of the noise on all cells, in rows. The more pairs gain, the more
        # rows the histogram needs to do better than they.
        noise = pure.noise(remaining).mean_absolute * cells(shape, range(len(shape)))
        if rows >= noise * ROWS_PER_NOISE * math.sqrt(max(1.0, gain)):
            return Method.HISTOGRAM, pure
    if gain > 1:
        return Method.ONE_SHOT, accounts[pair_errors.index(least_error)]
    return Method.INDEPENDENT, quietest


def histogram_is_small(shape: Sequence[int], most_cells: int) -> bool:
    """Return whether the histogram of all columns may be measured.

    Args:
        shape: Number of cells of every column.
        most_cells: Most cells of a model, as the steward allows.

    >>> histogram_is_small((100,) * 3, 10**7), histogram_is_small((100,) * 4, 10**9)
    (True, False)
    """
    return cells(shape, range(len(shape))) <= min(limits.LISTED_CELLS, most_cells)


def quietest_for_columns(
    account: Account, alternative: Account, shape: Sequence[int]
) -> Account:
    """Return the account with the least noise on columns alone; of equal ones the first.

    Args:
        account: The budget in one unit, epsilon or rho.
        alternative: The same budget in the other unit, or again in the same.
        shape: Number of cells of every column.
    """
    # The number of rows scales both errors alike.
    return min(account, alternative, key=lambda account: account.column_error(shape, rows=1))


def first_share(account: Account, shape: Sequence[int], rows: float) -> Fraction:
    """Return the budget share for columns before the pairs' distances are measured.

    Args:
        account: The budget.
        shape: Number of cells of every column.
        rows: The public or noisy number of rows.
    """
    # The share for columns that is best on a usual table; 0 means that no pair is expected to
    # be worth measuring, and columns would get all.
    return AT_ONCE * (prospect(account, tuple(shape), rows).columns or 1)
