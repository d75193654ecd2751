"""Which questions are answered together, by which way, at which part of the budget. PUBLIC.

It follows from public numbers, so the same workload always has the same arrangement.
"""

import math
from collections.abc import Iterator, Sequence
from weakref import WeakKeyDictionary

from synth.errors import QuestionError
from synth.estimate import WayName
from synth.privacy import Guarantee, share_out
from synth.questions.way.arrangement import Arrangement
from synth.questions.way.way import Portion, Way
from synth.questions.ways import typical_error, ways
from synth.questions.workloads.block import Block, asks_rows_alone, block_of
from synth.questions.workloads.workload import Readout, Workload
from synth.util import one_thread


@one_thread
def arrange(
    workload: Workload, claim: Guarantee, wanted_way: WayName | None = None
) -> Arrangement:
    """Return the arrangement with the least average error within the claim.

    An arrangement sorts the questions into blocks that are measured together, and gives each
    block a way to be answered and its share of the claim.

    Args:
        workload: The questions as sums over the rows.
        claim: The most that all answers together may cost.
        wanted_way: The way that all blocks with a cost must use; None to choose the best.

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
    """Return a block of questions with its way of least error; None if the wanted way fails.

    The possible ways of a block at a cost are worked out once for a workload.

    Args:
        block: Questions that one noisy vector answers.
        cost: The share of the budget that the block may spend.
        wanted_way: The way to use if the block costs anything; None for the best.
    """
    # The key has the block's questions, its tallies (sums over the rows), and the cost.
    worked_out = _WORKED_OUT.setdefault(block.workload, {})
    key = (tuple(reading.question for reading in block.readings), block.tallies, cost)
    if key not in worked_out:
        worked_out[key] = ways(block, cost)
    best_first = worked_out[key]
    # A way without a cost is of public numbers, and fits any wish.
    fitting = [
        way for way in best_first if wanted_way in (None, way.name) or way.cost is None
    ]
    if not fitting:
        return None
    others = tuple(way for way in best_first if way is not fitting[0])
    return Portion(block, fitting[0], others)


# Partitions share blocks, and stewards compare ways.
_WORKED_OUT: WeakKeyDictionary[Workload, dict[tuple[object, ...], list[Way]]] = (
    WeakKeyDictionary()
)


def _accounts(blocks: Sequence[Block], claim: Guarantee) -> Iterator[list[Guarantee]]:
    """Yield each way to divide the claim among blocks, as the cost of each block in order.

    A pure epsilon is shared out, and so is a zCDP rho, which may follow from epsilon and
    delta. If a single number is asked for, it may have the whole epsilon and delta. A block
    is a set of questions that one noisy vector answers.
    """
    paid = [block for block in blocks if not asks_rows_alone(block)]
    if claim.epsilon is not None:
        yield _shares(blocks, Guarantee.pure(claim.epsilon))
    if claim.rho is not None:
        yield _shares(blocks, claim)
    elif claim.epsilon is not None and claim.delta:
        from synth.privacy import zcdp_rho

        yield _shares(blocks, Guarantee.zcdp(zcdp_rho(claim.epsilon, claim.delta)))
        if [block.size for block in paid] == [1]:
            yield [claim] * len(blocks)


def _shares(blocks: Sequence[Block], claim: Guarantee) -> list[Guarantee]:
    """Return each block's share of the claim, in proportion to its weight.

    A block that asks only for the public number of rows costs nothing. It is listed with the
    whole claim, which its way does not spend. A block is a set of questions that one noisy
    vector answers.
    """
    paid = [block for block in blocks if not asks_rows_alone(block)]
    shares = iter(share_out(claim, [block.weight for block in paid]) if paid else ())
    return [claim if asks_rows_alone(block) else next(shares) for block in blocks]


def _badness(arrangement: Arrangement) -> float:
    """Return the measure by which arrangements are compared; smaller is better.

    It is the sum over questions of the logarithm of the average error, which orders like the
    geometric mean. Errors of sums are relative to the ranges of the columns. An error of 0,
    as of public numbers, has no logarithm and is left out.
    """
    return sum(
        len(portion.block.readings) * math.log(error)
        for portion in arrangement.portions
        if (error := typical_error(portion.way)) > 0
    )


def _partitions(workload: Workload) -> Iterator[list[Block]]:
    """Yield lists of blocks, each a way to sort the questions into blocks measured together.

    Questions that count rows are measured all together, or with each table apart, or each
    alone. Questions of other kinds always have blocks of their own. If counts have unequal
    weights, each is measured alone, because a block has one share of the budget.
    """
    # A reading says from which sums the answer of one question follows. Tables are counts
    # that list the cells of columns; plain counts do not.
    singles = [r for r in workload.readings if _is_alone(workload, r)]
    single_blocks = [block_of(workload, [reading]) for reading in singles]
    counts = [r for r in workload.readings if r not in singles]
    tables = [r for r in counts if workload.questions[r.question].listed_columns]
    plain_counts = [r for r in counts if r not in tables]
    # Three ways to group the counts, some of which may be the same.
    together = [counts] if counts else []
    by_kind = ([plain_counts] if plain_counts else []) + [[reading] for reading in tables]
    separate = [[reading] for reading in counts]
    weights = {workload.questions[r.question].weight for r in counts}
    ways_to_group = [together, by_kind, separate] if len(weights) <= 1 else [separate]
    tried: list[list[list[Readout]]] = []
    for groups in ways_to_group:
        if groups not in tried and len(groups) <= MOST_BLOCKS:
            tried.append(groups)
            yield _in_order([block_of(workload, group) for group in groups] + single_blocks)
    # Only if the counts have unequal weights and are too many to be measured alone.
    if not tried:
        yield _in_order([block_of(workload, group) for group in together] + single_blocks)


# With more counts, separate blocks are not tried.
MOST_BLOCKS = 64


def _is_alone(workload: Workload, reading: Readout) -> bool:
    """Return whether a question needs a block of its own, which no other question shares.

    That holds for sums of numbers, for choices among candidates, and for the number of rows
    if it is public.

    Args:
        workload: The questions as sums over the rows.
        reading: The readout of one question: from which sums its answer follows.
    """
    question = workload.questions[reading.question]
    block = block_of(workload, [reading])
    return block.sums or question.is_choice or asks_rows_alone(block)


def _in_order(blocks: Sequence[Block]) -> list[Block]:
    return sorted(blocks, key=lambda block: block.readings[0].question)
