"""Which questions are answered together, by which way, at which part of the budget. PUBLIC.

It follows from public numbers, so the same workload always has the same arrangement.
"""

import math
from collections.abc import Iterator, Sequence
from weakref import WeakKeyDictionary

from synth.errors import QuestionError
from synth.privacy import Guarantee, share_out, zcdp_rho
from synth.questions.way.arrangement import Arrangement
from synth.questions.way.way import Portion, Way
from synth.questions.way_names import WayName
from synth.questions.ways import typical_error, ways
from synth.questions.workloads.block import Block, asks_rows_alone, block_of
from synth.questions.workloads.workload import Readout, Workload
from synth.util import one_thread


@one_thread
def arrange(
    workload: Workload, claim: Guarantee, wanted_way: WayName | None = None
) -> Arrangement:
    """Return the arrangement with the least expected error within the claim, by the wanted
    way if any.

    Raises:
        QuestionError: The wanted way does not answer these questions.
        LimitError: A question distinguishes too many cells.
    """
    arrangements = []
    for blocks in _partitions(workload):
        for costs in _accounts(blocks, claim):
            pairs = zip(blocks, costs, strict=True)
            maybe_portions = [_portion(block, cost, wanted_way) for block, cost in pairs]
            portions = tuple(portion for portion in maybe_portions if portion is not None)
            if len(portions) == len(blocks):
                arrangements.append(Arrangement(workload, claim, portions))
    if not arrangements:
        raise QuestionError(
            f"The way '{wanted_way}' does not answer these questions; leave it to be chosen."
        )
    return min(arrangements, key=_badness)


def _portion(block: Block, cost: Guarantee, wanted_way: WayName | None) -> Portion | None:
    """Return a block with its way of least error, or with the wanted way; None without any.

    The ways of a block are worked out once for a workload.
    """
    worked_out = _WORKED_OUT.setdefault(block.workload, {})
    key = (tuple(reading.question for reading in block.readings), block.tallies, cost)
    if key not in worked_out:
        worked_out[key] = ways(block, cost)
    best_first = worked_out[key]
    fitting = [
        way for way in best_first if wanted_way in (None, way.name) or way.cost is None
    ]
    if not fitting:
        return None
    return Portion(
        block, fitting[0], tuple(way for way in best_first if way is not fitting[0])
    )


# Partitions share blocks, and stewards compare ways.
_WORKED_OUT: WeakKeyDictionary[Workload, dict[tuple[object, ...], list[Way]]] = (
    WeakKeyDictionary()
)


def _accounts(blocks: Sequence[Block], claim: Guarantee) -> Iterator[list[Guarantee]]:
    """Yield the ways to divide the claim among blocks: pure, as zCDP, or whole for one
    number.
    """
    paid = [block for block in blocks if not asks_rows_alone(block)]
    if claim.epsilon is not None:
        yield _shares(blocks, Guarantee.pure(claim.epsilon))
    if claim.rho is not None:
        yield _shares(blocks, claim)
    elif claim.epsilon is not None and claim.delta:
        yield _shares(blocks, Guarantee.zcdp(zcdp_rho(claim.epsilon, claim.delta)))
        if [block.size for block in paid] == [1]:
            yield [claim] * len(blocks)


def _shares(blocks: Sequence[Block], claim: Guarantee) -> list[Guarantee]:
    paid = [block for block in blocks if not asks_rows_alone(block)]
    shares = iter(share_out(claim, [block.weight for block in paid]) if paid else ())
    return [claim if asks_rows_alone(block) else next(shares) for block in blocks]


def _badness(arrangement: Arrangement) -> float:
    """Return the measure by which arrangements are compared; smaller is better.

    Logarithm of the geometric mean of the expected errors; for sums relative to the ranges.
    """
    return sum(
        len(portion.block.readings) * math.log(error)
        for portion in arrangement.portions
        if (error := typical_error(portion.way)) > 0
    )


def _partitions(workload: Workload) -> Iterator[list[Block]]:
    """Yield ways to part the questions into blocks that are paid for together.

    Counts are measured all together, tables apart, or each alone; questions of other kinds
    always have blocks of their own. Unequal weights leave only each alone.
    """
    singles = [r for r in workload.readings if _is_alone(workload, r)]
    counts = [r for r in workload.readings if r not in singles]
    single_blocks = [block_of(workload, [reading]) for reading in singles]
    tables = [r for r in counts if workload.questions[r.question].listed_columns]
    plain = [r for r in counts if r not in tables]
    separate = [[reading] for reading in counts]
    together = [counts] if counts else []
    by_kind = ([plain] if plain else []) + [[reading] for reading in tables]
    tried: list[list[list[Readout]]] = []
    equal = len({workload.questions[r.question].weight for r in counts}) <= 1
    for groups in (together, by_kind, separate) if equal else (separate,):
        if groups not in tried and len(groups) <= MOST_BLOCKS:
            tried.append(groups)
            yield _in_order([block_of(workload, group) for group in groups] + single_blocks)
    if not tried:
        yield _in_order([block_of(workload, group) for group in together] + single_blocks)


# With more counts, separate blocks are not tried.
MOST_BLOCKS = 64


def _is_alone(workload: Workload, reading: Readout) -> bool:
    """Return whether a question needs a block of its own."""
    question = workload.questions[reading.question]
    block = block_of(workload, [reading])
    return block.sums or question.is_choice or asks_rows_alone(block)


def _in_order(blocks: Sequence[Block]) -> list[Block]:
    return sorted(blocks, key=lambda block: block.readings[0].question)
