"""How *auto* chooses a method by public or noisy numbers, and what each would give.
PUBLIC.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from synth import limits
from synth.estimate.models.allocation import Account
from synth.estimate.models.evidence import Evidence
from synth.estimate.models.junction import Clique, cells
from synth.estimate.models.large_rows import LargeRows, PartedRows, RowStore, place_here
from synth.estimate.models.names import Favour, Method
from synth.estimate.models.splitting import prospect
from synth.estimate.noisy.counts import NoisyMarginal
from synth.estimate.repair.column import repair_column
from synth.estimate.repair.marginal import Estimate, denoise
from synth.estimate.repair.pooling import pool
from synth.estimate.repair.simplex import project_to_simplex
from synth.util import Floats, SmallCodes

# Budget share for a private number of rows.
SIZING = Fraction(1, 50)
# Rows for each row of noise from which the histogram of all columns does better than columns
# alone on most tables; more by the root of what pairs gain over columns.
OUTWEIGHS = 0.4
# Part of the columns' share that they get at first; the distances then show how much pairs
# need.
AT_ONCE = Fraction(3, 4)


@dataclass(frozen=True, eq=False, kw_only=True)
class Fitted:
    """The result of a strategy.

    Attributes:
        strategy: The strategy, never ``auto``.
        estimates: The model's estimate of each pair or group that it covers.
        total: Estimated rows of the table.
    """

    strategy: str
    drawn: PartedRows
    estimates: dict[Clique, Estimate]
    total: float

    @property
    def codes(self) -> SmallCodes:
        """The rows, shape (rows, columns), if in this process."""
        assert isinstance(self.drawn, LargeRows)
        return self.drawn.codes.T


@dataclass(frozen=True, kw_only=True)
class Order:
    """The task of a strategy.

    Attributes:
        rows: Number of synthetic rows; None for as many as the table has.
        groups: Columns of each group, ascending.
        predicted: The column that analysts will predict, if any.
        place: Where many rows are drawn.
    """

    strategy: str
    rows: int | None = None
    groups: tuple[Clique, ...] = ()
    favour: Favour = Favour.ERRORS
    predicted: int | None = None
    place: RowStore = place_here


def choose(
    account: Account,
    pure: Account | None,
    shape: Sequence[int],
    *,
    pairs: int,
    rows: float,
    rows_are_public: bool,
    most_cells: int,
) -> tuple[str, Account]:
    """Choose the strategy and the account of *auto*, by public numbers alone.

    A few noisy tables do better with pure epsilon than with rho. Under rho only, pairs are
    cheap, and the whole histogram is the alternative.

    Args:
        account: The budget for pairs.
        pure: The same as epsilon, if allowed.
        pairs: Number of pairs that may be measured.
        rows: Known or noisy number of rows.
        rows_are_public: Whether it cost nothing.
    """
    accounts = [account, pure] if pure and pure != account else [account]
    found = [prospect(one, shape, rows) for one in accounts] if pairs else []
    quietest = quietest_for_columns(accounts[0], accounts[-1], shape)
    errors = [one.pairs for one in found] or [math.inf]
    best = min(errors)
    paired = accounts[errors.index(best)]
    gain = min((one.alone for one in found), default=0.0) / best
    if pure and len(shape) > 1 and histogram_is_small(shape, most_cells):
        left = pure.total * (1 if rows_are_public else 1 - SIZING)
        noise = pure.noise(left).mean_absolute * cells(shape, range(len(shape)))
        if rows >= noise * OUTWEIGHS * math.sqrt(max(1.0, gain)):
            return Method.HISTOGRAM, pure
    return (Method.ONE_SHOT, paired) if gain > 1 else (Method.INDEPENDENT, quietest)


def histogram_is_small(shape: Sequence[int], most_cells: int) -> bool:
    """Return whether the whole histogram may be measured.

    >>> histogram_is_small((100,) * 3, 10**7), histogram_is_small((100,) * 4, 10**9)
    (True, False)
    """
    return cells(shape, range(len(shape))) <= min(limits.LISTED_CELLS, most_cells)


def quietest_for_columns(one: Account, other: Account, shape: Sequence[int]) -> Account:
    """Return the account with the least noise on columns alone."""
    return min(one, other, key=lambda account: account.column_error(shape, rows=1))


def first_share(account: Account, shape: Sequence[int], rows: float) -> Fraction:
    """Return the budget share for columns before the distances are known.

    Args:
        rows: The known or noisy number.
    """
    return AT_ONCE * (prospect(account, tuple(shape), rows).columns or 1)


def group_estimate(evidence: Evidence, clique: Clique, noisy: NoisyMarginal) -> Estimate:
    """Return a group's histogram, repaired around its columns' sums."""
    sizes = tuple(evidence.shape[column] for column in clique)
    if len(clique) == 1:
        variance = noisy.mechanism.variance
        repaired = repair_column(noisy.values.astype(np.float64), variance, evidence.total)
        return Estimate(repaired, np.full(sizes, variance))
    values, scale = noisy.values.reshape(sizes), noisy.mechanism.laplace_scale
    if evidence.total > 0 and scale is not None:
        pooled = pool(values, scale=float(scale), total=evidence.total)
        found = Estimate(pooled.weights, pooled.variances)
    else:
        found = _denoise(values.astype(np.float64), noisy, evidence.total)
    return Estimate(evidence.rules.clear(clique, found.values), found.variance)


def _denoise(values: Floats, noisy: NoisyMarginal, total: float) -> Estimate:
    guess: Floats = np.array(total)
    for axis in range(values.ndim):
        others = tuple(i for i in range(values.ndim) if i != axis)
        column = project_to_simplex(values.sum(axis=others), total)
        guess = np.multiply.outer(guess, column / max(total, 1.0))
    return denoise(values, guess, noisy.mechanism, total=total)
