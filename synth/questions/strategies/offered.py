"""The strategies that are ways to answer a block of counts. PUBLIC.

All are chosen by public numbers. Steps of a fit are counted, never timed.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import cast
from weakref import WeakKeyDictionary

import numpy as np

from synth import limits
from synth.estimate import WayName
from synth.privacy import Guarantee, Neighbors
from synth.questions.moves.joint import Joint
from synth.questions.strategies.closed_form import ClosedForm, closure
from synth.questions.strategies.fitted import FittedSums, fit_sums, sums_for
from synth.questions.strategies.hierarchy import Hierarchy, best_hierarchy
from synth.questions.strategies.marginals import whole_tables
from synth.questions.strategies.pieces import UniversePiece, UniversePieces, finer_for, weigh
from synth.questions.strategies.small_universes import SmallUniverse, small_universes
from synth.questions.way.strategy import CountStrategy
from synth.questions.way.way import ScoreOf, Way, independent_noise
from synth.questions.workloads.block import Block
from synth.questions.workloads.tallies import Grain
from synth.questions.workloads.workload import Workload
from synth.util import Document

# Least number of counts that a strategy answers.
MIN_STRATEGY_COUNTS = 4
_SAMPLED_COUNTS = 256


def strategies(block: Block, cost: Guarantee) -> Iterator[tuple[WayName, CountStrategy]]:
    """Yield the strategies that may answer a block of counts, with the names of their ways.

    A strategy measures other numbers than the counts, and estimates the counts from them.

    Args:
        block: Questions that one noisy vector answers.
        cost: The share of the budget that it may spend.
    """
    # No strategy takes an (epsilon, delta), or answers ratios of two noisy totals.
    if cost.delta or block.has_pairs or block.size < MIN_STRATEGY_COUNTS:
        return
    # Residuals of several tables, under Gaussian noise only.
    tables = whole_tables(block) if cost.rho is not None and len(block.tallies) > 1 else None
    neighbors = block.workload.neighbors
    if tables is not None:
        closed = ClosedForm.optimize(
            tables.axes, tables.sizes, neighbors, asked=tables.asked_cells
        )
        finer = finer_for(closed.moves()[0], cost, neighbors, unit=block.unit)
        yield WayName.MARGINALS, tables.measured_by(closed.times(finer))
    universes = small_universes(block) or []
    # A strategy gains nothing if every count is a cell of its own. Nor is there one if a
    # universe is too large.
    if all(map(_counts_cells_alone, universes)):
        return
    weigh_all = partial(weigh, cost=cost, neighbors=neighbors, unit=block.unit)
    # A tree needs cells in one order, so those of a single column.
    if all(len(universe.tally.axes) <= 1 for universe in universes):
        yield (
            WayName.HIERARCHY,
            weigh_all([_tree(universe, block, cost) for universe in universes]),
        )
    fits = [_fit(universe, block, squared=cost.rho is not None) for universe in universes]
    universe_fits = zip(universes, fits, strict=True)
    pieces = [
        UniversePiece(universe, fitted)
        for universe, fitted in universe_fits
        if fitted is not None
    ]
    if len(pieces) == len(universes):
        yield WayName.FITTED, weigh_all(pieces)


def _counts_cells_alone(universe: SmallUniverse) -> bool:
    """Return whether each count is of a single cell, and each cell in a single count."""
    rows_have_one = (universe.wanted.sum(axis=1) == 1).all()
    columns_have_one = (universe.wanted.sum(axis=0) == 1).all()
    return bool(rows_have_one and columns_have_one)


def strategy_of(
    block: Block, descriptions: Sequence[Document]
) -> tuple[WayName, CountStrategy] | None:
    """Rebuild the strategy of a block of counts from its description; None if it does not
    fit.

    The caller must check that the rebuilt strategy describes itself in the same way.

    Args:
        block: Questions that one noisy vector answers.
        descriptions: What `CountStrategy.describe` returned: one object for each piece.

    Raises:
        ArgumentError: A number is wrong.
    """
    if block.has_pairs:
        return None
    weights = tuple(cast("int", description["weight"]) for description in descriptions)
    # A tree has a "branching", a fitted strategy the weights of its "own" cells. Without
    # either the pieces are residuals of tables.
    has_trees = any("branching" in description for description in descriptions)
    has_fits = any("own" in description for description in descriptions)
    if not has_trees and not has_fits:
        residuals = _residuals_of(block, weights)
        return None if residuals is None else (WayName.MARGINALS, residuals)
    universes = small_universes(block) or []
    if len(universes) != len(descriptions) or (has_trees and has_fits):
        return None
    designs = [
        _design_of(universe.cells, description)
        for universe, description in zip(universes, descriptions, strict=True)
    ]
    pieces = UniversePieces(tuple(map(UniversePiece, universes, designs, weights)))
    return (WayName.HIERARCHY if has_trees else WayName.FITTED), pieces


def _residuals_of(block: Block, weights: tuple[int, ...]) -> CountStrategy | None:
    """Return the strategy that measures residuals of tables with these weights.

    A residual is the part of a table that smaller tables lack.

    Returns:
        None if the block does not ask for tables, or if they have another number of
        residuals.
    """
    tables = whole_tables(block)
    if tables is None:
        return None
    subsets = closure(tables.axes)  # the columns of each residual
    if len(subsets) != len(weights):
        return None
    closed = ClosedForm(
        tables=tables.axes, classes=tuple(tables.sizes), subsets=subsets, weights=weights
    )
    return tables.measured_by(closed)


def _design_of(cells: int, document: Document) -> Hierarchy | FittedSums:
    """Return a stored strategy for some cells: a tree of sums, or cells with further sums.

    Args:
        cells: The number of cells that it measures.
        document: The description of the strategy, as `describe` returned it.
    """
    if "branching" in document:
        return Hierarchy(
            cells=cells,
            branching=cast("int", document["branching"]),
            root=cast("bool", document["root"]),
        )
    cell_weights = cast("list[int]", document["own"])
    rows = cast("list[list[int]]", document["rows"])
    further = np.array(rows, np.int64).reshape(len(rows), cells)
    return FittedSums(np.array(cell_weights, np.int64).reshape(cells), further)


def _tree(universe: SmallUniverse, block: Block, cost: Guarantee) -> UniversePiece:
    """Return a small universe of cells, measured by the tree that suits its counts best.

    Trees are compared by a regular sample of at most `_SAMPLED_COUNTS` of the counts.

    Args:
        universe: Cells, and the counts that are sums of them.
        block: The questions to which it belongs.
        cost: A pure epsilon or a zCDP rho.
    """
    answers = universe.wanted
    # A stride that is rounded up.
    sampled = answers[:: -(-len(answers) // _SAMPLED_COUNTS)]
    return UniversePiece(
        universe, best_hierarchy(sampled, cost, block.workload.neighbors, unit=block.unit)
    )


# Fits do not depend on the cost.
_FITTED: WeakKeyDictionary[Workload, dict[tuple[object, ...], FittedSums | None]] = (
    WeakKeyDictionary()
)


def _fit(universe: SmallUniverse, block: Block, *, squared: bool) -> FittedSums | None:
    """Return cells and fitted sums that measure a small universe; None if that is too much
    work.

    A fit is worked out once for a block, as it does not depend on the cost.

    Args:
        universe: Cells, and the counts that are sums of them.
        block: The questions to which it belongs.
        squared: Whether the noise is Gaussian, and not Laplace.
    """
    fits = _FITTED.setdefault(block.workload, {})
    # The first count identifies a universe within its block.
    key = (block.tallies, tuple(universe.totals[:1].tolist()), squared)
    if key not in fits:
        sums = sums_for(*universe.wanted.shape, squared=squared)
        fits[key] = None if sums is None else fit_sums(universe.wanted, sums, squared=squared)
    return fits[key]


def strategy_way(
    name: WayName, strategy: CountStrategy, block: Block, *, cost: Guarantee, score: ScoreOf
) -> Iterator[Way]:
    """Yield the way that measures a strategy, unless its noise is wider than Synth draws.

    Args:
        name: The name of the way.
        strategy: What is measured, and how the counts follow from it.
        block: Questions that one noisy vector answers.
        cost: What the block spends.
        score: Returns the average error of the counts under a noise.
    """
    joint = _joint_of(strategy, block)
    if _is_drawn(joint, cost):
        _, noise = independent_noise(joint, strategy.size, cost)
        yield Way(
            name=name,
            mechanism=noise,
            grains=(Grain(),),
            joint=joint,
            cost=cost,
            score=score(noise),
            size=strategy.size,
            strategy=strategy,
        )


def tree_way(
    tree: CountStrategy, block: Block, cost: Guarantee, *, score: ScoreOf
) -> Iterator[Way]:
    """Yield the way that measures a tree over the values of a column, if its noise can be
    drawn.

    Args:
        tree: The nodes that are measured, and how the answers follow from them.
        block: The one question of quantiles.
        cost: What the block spends.
        score: Returns the average error of the ranks under a noise.
    """
    return strategy_way(WayName.HIERARCHY, tree, block, cost=cost, score=score)


def _is_drawn(joint: Joint, cost: Guarantee) -> bool:
    """Return whether noise for this sensitivity and cost is no wider than Synth draws."""
    moves = joint.sensitivity
    if cost.epsilon is not None:
        return moves.l1 / cost.epsilon <= limits.MAX_SCALE
    # The variance of Gaussian noise for a rho.
    return moves.squared_l2 / (2 * (cost.rho or 1)) <= limits.MAX_SCALE**2


def _joint_of(strategy: CountStrategy, block: Block) -> Joint:
    """Return how far one person moves the numbers that a strategy measures (the sensitivity).

    If the norms for replaced rows are only bounds, two tables are known to differ by as much
    as an added row moves.
    """
    moves = strategy.moves.sensitivity(block.workload.neighbors, block.unit)
    if strategy.exact:
        return Joint(moves, True, moves)
    least = strategy.moves.sensitivity(Neighbors.ADD_REMOVE, block.unit)
    return Joint(moves, least == moves, least)
