"""The strategies that are ways to answer a block of counts. PUBLIC.

All are chosen by public numbers. Steps of a fit are counted, never timed.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import cast
from weakref import WeakKeyDictionary

import numpy as np

from synth import limits
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
from synth.questions.way_names import WayName
from synth.questions.workloads.block import Block
from synth.questions.workloads.tallies import Grain
from synth.questions.workloads.workload import Workload
from synth.util import Document

# Least number of counts that a strategy answers.
MIN_STRATEGY_COUNTS = 4
_SAMPLED_COUNTS = 256


def strategies(block: Block, cost: Guarantee) -> Iterator[tuple[WayName, CountStrategy]]:
    """Yield the strategies that may answer a block of counts, with their names."""
    if cost.delta or block.has_pairs or block.size < MIN_STRATEGY_COUNTS:
        return
    tables = whole_tables(block) if cost.rho is not None and len(block.tallies) > 1 else None
    neighbors = block.workload.neighbors
    if tables is not None:
        closed = ClosedForm.optimize(
            tables.axes, tables.sizes, neighbors, asked=tables.asked_cells
        )
        finer = finer_for(closed.moves()[0], cost, neighbors, unit=block.unit)
        yield WayName.MARGINALS, tables.measured_by(closed.times(finer))
    universes = small_universes(block) or []
    # A strategy gains nothing if every count is a cell of its own.
    if all(map(_counts_cells_alone, universes)):
        return
    weigh_all = partial(weigh, cost=cost, neighbors=neighbors, unit=block.unit)
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
    # Whether each count is of one cell, and each cell in one count.
    rows_have_one = (universe.wanted.sum(axis=1) == 1).all()
    columns_have_one = (universe.wanted.sum(axis=0) == 1).all()
    return bool(rows_have_one and columns_have_one)


def strategy_of(
    block: Block, descriptions: Sequence[Document]
) -> tuple[WayName, CountStrategy] | None:
    """Rebuild the strategy for a block of counts from its description; None if there is none.

    You must check that its own description is the same.

    Raises:
        ArgumentError: A number is wrong.
    """
    if block.has_pairs:
        return None
    weights = tuple(cast("int", description["weight"]) for description in descriptions)
    kinds = {
        name
        for description in descriptions
        for name in ("branching", "own")
        if name in description
    }
    if not kinds:
        tables = whole_tables(block)
        subsets = () if tables is None else closure(tables.axes)
        if tables is None or len(subsets) != len(descriptions):
            return None
        closed = ClosedForm(
            tables=tables.axes, classes=tuple(tables.sizes), subsets=subsets, weights=weights
        )
        return WayName.MARGINALS, tables.measured_by(closed)
    universes = small_universes(block) or []
    if len(universes) != len(descriptions) or len(kinds) > 1:
        return None
    designs = [
        _design_of(universe.cells, description)
        for universe, description in zip(universes, descriptions, strict=True)
    ]
    pieces = map(UniversePiece, universes, designs, weights)
    name = WayName.HIERARCHY if "branching" in kinds else WayName.FITTED
    return name, UniversePieces(tuple(pieces))


def _design_of(cells: int, document: Document) -> Hierarchy | FittedSums:
    """Read a stored strategy: a tree of sums, or cells with further sums."""
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
    """Return a small universe measured by a tree; chosen by a sample of its counts."""
    answers = universe.wanted
    sampled = answers[:: -(-len(answers) // _SAMPLED_COUNTS)]
    return UniversePiece(
        universe, best_hierarchy(sampled, cost, block.workload.neighbors, unit=block.unit)
    )


# Fits do not depend on the cost.
_FITTED: WeakKeyDictionary[Workload, dict[tuple[object, ...], FittedSums | None]] = (
    WeakKeyDictionary()
)


def _fit(universe: SmallUniverse, block: Block, *, squared: bool) -> FittedSums | None:
    """Return a small universe measured by cells and fitted sums; worked out once a block."""
    fits = _FITTED.setdefault(block.workload, {})
    key = (block.tallies, tuple(universe.totals[:1].tolist()), squared)
    if key not in fits:
        sums = sums_for(*universe.wanted.shape, squared=squared)
        fits[key] = None if sums is None else fit_sums(universe.wanted, sums, squared=squared)
    return fits[key]


def strategy_way(
    name: WayName, strategy: CountStrategy, block: Block, *, cost: Guarantee, score: ScoreOf
) -> Iterator[Way]:
    """Yield the way that measures a strategy, if its noise can be drawn."""
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
    """Yield the way that measures a tree over the values of a column; see `strategy_way`."""
    return strategy_way(WayName.HIERARCHY, tree, block, cost=cost, score=score)


def _is_drawn(joint: Joint, cost: Guarantee) -> bool:
    """Return whether the noise of this cost is no wider than Synth draws."""
    moves = joint.sensitivity
    if cost.epsilon is not None:
        return moves.l1 / cost.epsilon <= limits.MAX_SCALE
    return moves.squared_l2 / (2 * (cost.rho or 1)) <= limits.MAX_SCALE**2


def _joint_of(strategy: CountStrategy, block: Block) -> Joint:
    """Return how far one person moves what a strategy measures.

    Without exact norms, whether adding a row moves as far as replacing one is judged by them.
    """
    moves = strategy.moves.sensitivity(block.workload.neighbors, block.unit)
    if strategy.exact:
        return Joint(moves, True, moves)
    least = strategy.moves.sensitivity(Neighbors.ADD_REMOVE, block.unit)
    return Joint(moves, least == moves, least)
