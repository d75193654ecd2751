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

ScoreOf = Callable[[Mechanism], float]
"""What a noise makes of a way's errors."""


@dataclass(frozen=True, eq=False)
class HistogramCells:
    """The cells that the questions of a block tell apart.

    Attributes:
        tally: Rows by cell.
        members: For each total of the block, in order, the cells that it adds up; one array each.
    """

    tally: Tally
    members: tuple[Ints, ...]


@dataclass(frozen=True, eq=False)
class Way:
    """One way to answer a block.

    Attributes:
        name: Which it is.
        mechanism: The noise on every number; None where there is none, or a choice.
        grains: How each tally becomes whole numbers.
        joint: How far one person moves them together.
        cost: What it costs.
        cells: Where a histogram is asked: the cells of each total of the block, one array a total.
        score: What ways of the same block are compared by: its expected largest error in rows, or
            the mean of its errors relative to the ranges of the columns.
        size: How many numbers the door lets out.
        strategy: Where other numbers are measured than the totals: which, and how totals are read
            off them.
        candidates: Of a choice: how many there are to choose among.
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
    """The way of what is public already."""
    return Way(WayName.KNOWN, None, grains, None, None, 0.0, 0)


def histogram_way(cells: HistogramCells, joint: Joint, cost: Guarantee, score: ScoreOf) -> Way:
    """Noise on every cell; a total of m cells has the sum of m noises."""
    size = cells.tally.size
    _, noise = independent_noise(joint, size, cost)
    return Way(WayName.HISTOGRAM, noise, (Grain(),), joint, cost, score(noise), size, cells)


def chosen_way(
    grains: tuple[Grain, ...], joint: Joint, cost: Guarantee, score: float, candidates: int
) -> Way:
    """One of the candidates by their scores, by a mechanism that shows nothing but which it is."""
    return Way(WayName.CHOICE, None, grains, joint, cost, score, 1, candidates=candidates)


def move(block: Block, grains: Sequence[Grain]) -> Joint | None:
    """How far one person moves the totals of a block; None where nobody can."""
    workload = block.workload
    if block.multiplies:
        return joint_of_moments(block, grains)
    doubled = frozenset(
        summed for n in block.tallies if (summed := workload.tallies[n].summed) is not None
    )
    terms = [workload.term(n, g, doubled) for n, g in zip(block.tallies, grains, strict=True)]
    if asks_rows_alone(block):
        return None
    # A damaged line is a row of the table, yet adds nothing: any row may be replaced by one.
    return joint_sensitivity(terms, workload.sizes(doubled), workload.neighbors, block.unit)


def independent_noise(joint: Joint, size: int, cost: Guarantee) -> tuple[WayName, Mechanism]:
    """Noise that is drawn for each number alone."""
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
    """Gaussian noise on grids that are in proportion to the roots of the columns' ranges."""
    moves = joint.sensitivity
    return WayName.ELLIPTICAL, DiscreteGaussian.for_rho(rho, sensitivity2=moves.squared_l2)


def ball_noises(joint: Joint, size: int, cost: Guarantee) -> Iterator[tuple[WayName, KNorm]]:
    """K-norm noise, where that of a single number is not the same."""
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
