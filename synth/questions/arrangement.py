"""Which questions are answered together, by which way, at which part of the budget. PUBLIC.

It follows from public numbers, so the same workload always has the same arrangement.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from synth.errors import QuestionError
from synth.privacy import Guarantee, share_out, zcdp_rho
from synth.questions.block import Block, asks_rows_alone, block_of
from synth.questions.way import Way
from synth.questions.way_names import WayName
from synth.questions.ways import typical_error, ways
from synth.questions.workload import Readout, Workload
from synth.util import one_thread


@dataclass(frozen=True, eq=False)
class Portion:
    """A block with its chosen way; ``others`` are the other ways, better ones first."""

    block: Block
    way: Way
    others: tuple[Way, ...] = ()


@dataclass(frozen=True, eq=False)
class Arrangement:
    """All blocks of a workload: one portion each, whose costs are within the claim."""

    workload: Workload
    claim: Guarantee
    portions: tuple[Portion, ...]

    @property
    def largest(self) -> float | None:
        """Expected largest error of all counts, in rows; None for sums, whose units
        differ.
        """
        if any(portion.block.sums for portion in self.portions):
            return None
        parts = [(p.way.score, p.block.size) for p in self.portions if p.way.score > 0]
        return largest_of(parts) if parts else 0.0

    @property
    def is_paid(self) -> bool:
        return any(portion.way.cost is not None for portion in self.portions)

    @property
    def spending(self) -> Guarantee | None:
        """The charge: the claim, without a delta if all noise is pure; None for nothing."""
        costs = [p.way.cost for p in self.portions if p.way.cost is not None]
        return spending_of(self.claim, costs)


def spending_of(claim: Guarantee, costs: Sequence[Guarantee]) -> Guarantee | None:
    if not costs:
        return None
    if claim.epsilon is None or any(cost.rho is not None or cost.delta for cost in costs):
        return claim
    return Guarantee.pure(claim.epsilon)


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


def largest_of(parts: Sequence[tuple[float, int]]) -> float:
    """Return the expected largest error of independent parts, from each part's own and its
    size.

    Exact for Laplace numbers, a little too large for noise with lighter tails.

    >>> round(largest_of([(10, 1)] * 10), 2), round(largest_of([(29.29, 10)]), 2)
    (29.29, 29.29)
    """
    if len(parts) == 1:
        return parts[0][0]
    scales = np.array([one / np.sum(1 / np.arange(1, size + 1)) for one, size in parts])
    sizes = np.array([size for _, size in parts])
    step = float(scales.max()) / 64
    t = step * (0.5 + np.arange(64 * (40 + int(np.log(sizes.sum())))))
    within = np.zeros(len(t))
    for scale, size in zip(scales, sizes, strict=True):
        within += size * np.log1p(-np.exp(-t / scale))
    return float(np.sum(-np.expm1(within)) * step)


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
