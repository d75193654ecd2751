"""One way to answer a block: its noise, and how far one person moves the totals. PUBLIC."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from synth import limits
from synth.noise import (
    L2_REACH,
    DiscreteGaussian,
    DiscreteLaplace,
    KNorm,
    Mechanism,
    Norm,
    is_in_reach,
)
from synth.privacy import Guarantee
from synth.questions.block import Block, asks_rows_alone
from synth.questions.joint import Joint, joint_sensitivity
from synth.questions.moments.sensitivity import joint_of_moments
from synth.questions.strategies.strategy import CountStrategy
from synth.questions.tallies import Grain, Tally
from synth.questions.way_names import WayName
from synth.util import Ints

# Returns the score of a way with a noise.
ScoreOf = Callable[[Mechanism], float]


@dataclass(frozen=True, eq=False)
class HistogramCells:
    """The cells that the questions of a block distinguish.

    ``members``: for each total of the block, in order, its cells; one array each.
    """

    tally: Tally
    members: tuple[Ints, ...]


@dataclass(frozen=True, eq=False)
class Way:
    """One way to answer a block.

    Attributes:
        mechanism: The noise on every number; None for no noise, or a choice.
        grains: How each tally becomes whole numbers.
        joint: How far one person moves them together.
        cells: For a histogram: the cells of each total of the block, one array a total.
        score: Expected largest error in rows, or the mean of the errors relative to the ranges of
            the columns; compares ways of the same block.
        size: Number of noisy numbers.
        strategy: If other numbers than the totals are measured: which, and how totals follow.
        candidates: For a choice: number of candidates.
    """

    name: WayName
    mechanism: Mechanism | None
    grains: tuple[Grain, ...]
    joint: Joint | None
    cost: Guarantee | None
    score: float
    size: int
    cells: HistogramCells | None = None
    strategy: CountStrategy | None = None
    candidates: int | None = None


def known_way(grains: tuple[Grain, ...]) -> Way:
    return Way(WayName.KNOWN, None, grains, None, None, 0.0, 0)


def histogram_way(cells: HistogramCells, joint: Joint, cost: Guarantee, score: ScoreOf) -> Way:
    """Return the way with noise on every cell; a total of m cells has the sum of m noises."""
    size = cells.tally.size
    _, noise = independent_noise(joint, size, cost)
    return Way(WayName.HISTOGRAM, noise, (Grain(),), joint, cost, score(noise), size, cells)


def chosen_way(
    grains: tuple[Grain, ...], joint: Joint, cost: Guarantee, score: float, candidates: int
) -> Way:
    """Return the way that chooses a candidate by its score, and shows nothing else."""
    return Way(WayName.CHOICE, None, grains, joint, cost, score, 1, candidates=candidates)


def move(block: Block, grains: Sequence[Grain]) -> Joint | None:
    """Return how far one person moves the totals of a block; None if nobody can."""
    workload = block.workload
    if block.multiplies:
        return joint_of_moments(block, grains)
    summed = (workload.tallies[number].summed for number in block.tallies)
    doubled = frozenset(axis for axis in summed if axis is not None)
    terms = [workload.term(n, g, doubled) for n, g in zip(block.tallies, grains, strict=True)]
    if asks_rows_alone(block):
        return None
    # A damaged line is a row of the table, yet adds nothing: any row may be replaced by one.
    return joint_sensitivity(terms, workload.sizes(doubled), workload.neighbors, block.unit)


def independent_noise(joint: Joint, size: int, cost: Guarantee) -> tuple[WayName, Mechanism]:
    moves = joint.sensitivity
    if cost.rho is not None:
        return WayName.GAUSSIAN, DiscreteGaussian.for_rho(cost.rho, sensitivity2=moves.squared_l2)
    assert cost.epsilon is not None
    if cost.delta:
        assert size == 1
        noise = DiscreteGaussian.for_delta(cost.epsilon, cost.delta, sensitivity=moves.l1)
        return WayName.GAUSSIAN, noise
    return WayName.LAPLACE, DiscreteLaplace(moves.l1 / cost.epsilon)


def elliptical_noise(joint: Joint, rho: Fraction) -> tuple[WayName, Mechanism]:
    """Return Gaussian noise on grids in proportion to the roots of the columns' ranges."""
    moves = joint.sensitivity
    return WayName.ELLIPTICAL, DiscreteGaussian.for_rho(rho, sensitivity2=moves.squared_l2)


def ball_noises(joint: Joint, size: int, cost: Guarantee) -> Iterator[tuple[WayName, KNorm]]:
    """Yield K-norm noise, if it differs from that of single numbers."""
    if size < 2 or cost.epsilon is None or cost.delta:
        return
    moves = joint.sensitivity
    norms = [(WayName.CUBE, Norm.MAX, moves.l_infinity)] * (size <= limits.CUBE_NUMBERS)
    root = math.isqrt(moves.squared_l2 - 1) + 1
    norms += [(WayName.BALL, Norm.L2, root)] * (size <= L2_REACH)
    for name, norm, most in norms:
        scale = most / cost.epsilon
        if is_in_reach(size, scale):
            yield name, KNorm(norm, size, scale)
