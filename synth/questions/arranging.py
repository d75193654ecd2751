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
    workload: Workload, claim: Guarantee, wanted: WayName | None = None
) -> Arrangement:
    """Return the arrangement with the least expected error within the claim, by the wanted
    way if any.

    Raises:
        QuestionError: The wanted way does not answer these questions.
        LimitError: A question distinguishes too many cells.
    """
    found = []
    for blocks in _partitions(workload):
        for costs in _accounts(blocks, claim):
            pairs = zip(blocks, costs, strict=True)
            chosen = [_portion(block, cost, wanted) for block, cost in pairs]
            portions = tuple(portion for portion in chosen if portion is not None)
            if len(portions) == len(blocks):
                found.append(Arrangement(workload, claim, portions))
    if not found:
        raise QuestionError(
            f"The way '{wanted}' does not answer these questions; leave it to be chosen."
        )
    return min(found, key=_badness)


def _portion(block: Block, cost: Guarantee, wanted: WayName | None) -> Portion | None:
    known = _WORKED_OUT.setdefault(block.workload, {})
    key = (tuple(reading.question for reading in block.readings), block.tallies, cost)
    if key not in known:
        known[key] = ways(block, cost)
    found = known[key]
    right = [way for way in found if wanted in (None, way.name) or way.cost is None]
    if not right:
        return None
    return Portion(block, right[0], tuple(way for way in found if way is not right[0]))


# Partitions share blocks, and stewards compare ways.
_WORKED_OUT: WeakKeyDictionary[Workload, dict[tuple[object, ...], list[Way]]] = (
    WeakKeyDictionary()
)


def _accounts(blocks: Sequence[Block], claim: Guarantee) -> Iterator[list[Guarantee]]:
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
    # Logarithm of the geometric mean of the expected errors; for sums relative to the ranges.
    return sum(
        len(portion.block.readings) * math.log(error)
        for portion in arrangement.portions
        if (error := typical_error(portion.way)) > 0
    )


def _partitions(workload: Workload) -> Iterator[list[Block]]:
    alone = [r for r in workload.readings if _is_alone(workload, r)]
    counts = [r for r in workload.readings if r not in alone]
    fixed = [block_of(workload, [reading]) for reading in alone]
    tables = [r for r in counts if workload.questions[r.question].kind.lists]
    plain = [r for r in counts if r not in tables]
    apart = [[reading] for reading in counts]
    together = [counts] if counts else []
    by_kind = ([plain] if plain else []) + [[reading] for reading in tables]
    seen: list[list[list[Readout]]] = []
    equal = len({workload.questions[r.question].weight for r in counts}) <= 1
    for groups in (together, by_kind, apart) if equal else (apart,):
        if groups not in seen and len(groups) <= MOST_BLOCKS:
            seen.append(groups)
            yield _in_order([block_of(workload, group) for group in groups] + fixed)
    if not seen:
        yield _in_order([block_of(workload, group) for group in together] + fixed)


# With more counts, separate blocks are not tried.
MOST_BLOCKS = 64


def _is_alone(workload: Workload, reading: Readout) -> bool:
    asked = workload.questions[reading.question]
    return (
        asked.kind.sums or asked.is_choice or asks_rows_alone(block_of(workload, [reading]))
    )


def _in_order(blocks: Sequence[Block]) -> list[Block]:
    return sorted(blocks, key=lambda block: block.readings[0].question)
