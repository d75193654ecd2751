"""The strategies of certificates: told, and made again from what was told. PUBLIC."""

from collections.abc import Sequence

import numpy as np

from synth import limits
from synth.bundle.certificate_parts import FittedRecord, ResidualRecord, TreeRecord
from synth.bundle.typed_json import read
from synth.errors import ArgumentError
from synth.questions.block import Block
from synth.questions.quantiles.aims import value_grid_of
from synth.questions.quantiles.trees import value_tree
from synth.questions.strategies.closed_form import ClosedForm, closure
from synth.questions.strategies.fitted import FittedSums
from synth.questions.strategies.hierarchy import Hierarchy
from synth.questions.strategies.marginals import whole_tables
from synth.questions.strategies.pieces import UniversePiece, UniversePieces
from synth.questions.strategies.small_universes import SmallUniverse, small_universes
from synth.questions.strategies.strategy import CountStrategy
from synth.questions.way_names import WayName
from synth.questions.workload import Workload

StrategyRecord = TreeRecord | FittedRecord | ResidualRecord
LARGEST = 1 << 20
"""Most steps of a fitted number, and of a weight 2^10 times as many: no sum overflows."""


def strategy_records(strategy: CountStrategy, workload: Workload) -> tuple[StrategyRecord, ...]:
    """What is measured, by parts."""
    forms = ({"branching": TreeRecord, "own": FittedRecord}, ResidualRecord)
    found: list[StrategyRecord] = []
    for told in strategy.told(workload.universe.names):
        kind = next((form for key, form in forms[0].items() if key in told), forms[1])
        found.append(read(kind, told))
    return tuple(found)


def strategy_of(
    name: WayName, told: Sequence[StrategyRecord], block: Block
) -> CountStrategy | None:
    """The strategy that was told of, if it is one for these questions; else None."""
    if any(not 1 <= one.weight <= LARGEST << 20 for one in told):
        return None
    if block.question.kind.ranked:
        return _value_tree(told, block) if name is WayName.HIERARCHY else None
    if name is WayName.MARGINALS:
        return _marginals([one for one in told if isinstance(one, ResidualRecord)], block)
    universes = small_universes(block)
    if universes is None or len(universes) != len(told):
        return None
    kind = TreeRecord if name is WayName.HIERARCHY else FittedRecord
    names = block.workload.universe.names
    pieces = []
    for universe, one in zip(universes, told, strict=True):
        columns = tuple(names[axis] for axis in universe.tally.axes)
        design = _design(one, universe) if isinstance(one, kind) else None
        if design is None or one.columns != columns:
            return None
        pieces.append(UniversePiece(universe, design, one.weight))
    return UniversePieces(tuple(pieces))


def _value_tree(told: Sequence[StrategyRecord], block: Block) -> CountStrategy | None:
    """The tree over the values of the one question, if it is that."""
    question = block.question
    trees = [one for one in told if isinstance(one, TreeRecord)]
    if len(block.readings) != 1 or len(told) != 1 or len(trees) != 1:
        return None
    (one,) = trees
    cells = value_grid_of(question, block.workload.domain).intervals
    if one.columns != question.columns or not 2 <= cells <= limits.VALUE_STEPS:
        return None
    try:
        return value_tree(block, Hierarchy(cells, one.branching, one.root, one.weight))
    except ArgumentError:
        return None


def _design(told: StrategyRecord, universe: SmallUniverse) -> Hierarchy | FittedSums | None:
    """The sums of the cells of a universe, if they are that."""
    if isinstance(told, TreeRecord):
        try:
            return Hierarchy(universe.cells, told.branching, told.root)
        except ArgumentError:
            return None
    if not isinstance(told, FittedRecord) or len(told.rows) > 4 * universe.cells:
        return None
    lengths = {len(told.own), *map(len, told.rows)}
    numbers = [number for row in (told.own, *told.rows) for number in row]
    if lengths != {universe.cells} or min(told.own) < 1 or max(map(abs, numbers)) > LARGEST:
        return None
    rows = np.array(told.rows, dtype=np.int64).reshape(-1, universe.cells)
    return FittedSums(np.array(told.own, dtype=np.int64), rows)


def _marginals(told: Sequence[ResidualRecord], block: Block) -> CountStrategy | None:
    """Residuals of these weights, if they are those of the tables of the block."""
    tables = whole_tables(block)
    if tables is None:
        return None
    subsets, names = closure(tables.axes), block.workload.universe.names
    if [one.columns for one in told] != [tuple(names[i] for i in one) for one in subsets]:
        return None
    weights = tuple(one.weight for one in told)
    return tables.measured_by(ClosedForm(tables.axes, tuple(tables.sizes), subsets, weights))
