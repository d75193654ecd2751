"""One way to answer a block: its noise, and how far one person moves the totals. PUBLIC."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from synth import limits
from synth.estimate import WayName
from synth.noise import (
    L2_REACH,
    DiscreteLaplace,
    KNorm,
    Mechanism,
    Norm,
    is_in_reach,
)
from synth.privacy import Guarantee
from synth.questions.moves.joint import Joint
from synth.questions.workloads.block import Block
from synth.questions.workloads.tallies import Grain, Tally
from synth.util import Ints

if TYPE_CHECKING:
    from synth.questions.way.strategy import CountStrategy

# Returns the score of a way with a noise.
ScoreOf = Callable[[Mechanism], float]


@dataclass(frozen=True, eq=False)
class HistogramCells:
    """The cells that the questions of a block distinguish.

    Attributes:
        tally: The rows by cell.
        members: For each total of the block, in order, its cells; one array each.
    """

    tally: Tally
    members: tuple[Ints, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class Way:
    """One way to answer a block.

    Attributes:
        name: Its name, as a steward asks for it.
        mechanism: The noise on every number; None for no noise, or a choice.
        grains: How each tally becomes whole numbers.
        joint: How far one person moves the numbers together; None if nobody can.
        cost: What the block spends; None for nothing.
        score: Expected largest error in rows, or the mean of the errors relative to the
            ranges of the columns. It compares ways of the same block.
        size: Number of noisy numbers.
        cells: For a histogram: the cells of each total of the block, one array a total.
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
    strategy: "CountStrategy | None" = None
    candidates: int | None = None


@dataclass(frozen=True, eq=False)
class Portion:
    """A block with its chosen way.

    Attributes:
        others: The other ways, better ones first.
    """

    block: Block
    way: Way
    others: tuple[Way, ...] = ()


def known_way(grains: tuple[Grain, ...]) -> Way:
    """Return the way without noise or cost, for numbers that are public already.

    ``grains`` says how each tally (a sum over the rows) becomes whole numbers.
    """
    return Way(
        name=WayName.KNOWN,
        mechanism=None,
        grains=grains,
        joint=None,
        cost=None,
        score=0.0,
        size=0,
    )


def histogram_way(
    cells: HistogramCells, joint: Joint, cost: Guarantee, *, score: ScoreOf
) -> Way:
    """Return the way that adds independent noise to every cell of a histogram.

    A total that is the sum of m cells then has the sum of m noises as its error.

    Args:
        cells: The cells that the questions distinguish, and the cells of each total.
        joint: How far one person moves the cells together (the sensitivity).
        cost: The privacy cost of the histogram.
        score: Returns the average error of the totals under a noise.
    """
    size = cells.tally.size
    _, noise = independent_noise(joint, size, cost)
    return Way(
        name=WayName.HISTOGRAM,
        mechanism=noise,
        grains=(Grain(),),
        joint=joint,
        cost=cost,
        score=score(noise),
        size=size,
        cells=cells,
    )


def chosen_way(
    grains: tuple[Grain, ...], joint: Joint, cost: Guarantee, *, score: float, candidates: int
) -> Way:
    """Return the way that releases only which candidate was chosen, and no noisy number.

    Args:
        grains: How each tally (a sum over the rows) becomes whole numbers.
        joint: How far one person moves the scores of the candidates.
        cost: The privacy cost of the choice.
        score: The average error of the choice, in rows.
        candidates: The number of candidates.
    """
    return Way(
        name=WayName.CHOICE,
        mechanism=None,
        grains=grains,
        joint=joint,
        cost=cost,
        score=score,
        size=1,
        candidates=candidates,
    )


def independent_noise(joint: Joint, size: int, cost: Guarantee) -> tuple[WayName, Mechanism]:
    """Return the name of the way and the noise that is drawn independently for each number.

    The noise is Gaussian for a zCDP rho or a delta, and Laplace for a pure epsilon. A cost
    with a delta pays for one number only, so its largest move in L1 is also that in L2.

    Args:
        joint: How far one person moves all numbers together (the sensitivity).
        size: How many numbers get noise.
        cost: The privacy cost of all numbers together.
    """
    sensitivity = joint.sensitivity
    if cost.rho is not None:
        from synth.noise import DiscreteGaussian

        gaussian = DiscreteGaussian.for_rho(cost.rho, sensitivity2=sensitivity.squared_l2)
        return WayName.GAUSSIAN, gaussian
    assert cost.epsilon is not None
    if cost.delta:
        from synth.noise import DiscreteGaussian

        assert size == 1
        gaussian = DiscreteGaussian.for_delta(
            cost.epsilon, cost.delta, sensitivity=sensitivity.l1
        )
        return WayName.GAUSSIAN, gaussian
    return WayName.LAPLACE, DiscreteLaplace(sensitivity.l1 / cost.epsilon)


def elliptical_noise(joint: Joint, rho: Fraction) -> tuple[WayName, Mechanism]:
    """Return the name of the way and Gaussian noise of one scale, in grid steps, for a zCDP
    rho.

    The caller's grids have wider steps for wider columns. So noise of one scale in steps is
    larger, in units, for sums of wide columns than for those of narrow ones.
    """
    from synth.noise import DiscreteGaussian

    squared_l2 = joint.sensitivity.squared_l2
    return WayName.ELLIPTICAL, DiscreteGaussian.for_rho(rho, sensitivity2=squared_l2)


def ball_noises(joint: Joint, size: int, cost: Guarantee) -> Iterator[tuple[WayName, KNorm]]:
    """Yield K-norm noises, drawn for all numbers at once from a cube or a Euclidean ball.

    They need a pure epsilon and at least two numbers; otherwise nothing is yielded. A noise
    is also left out if it has too many numbers or too large a scale to be drawn.

    Args:
        joint: How far one person moves all numbers together (the sensitivity).
        size: How many numbers get noise.
        cost: The privacy cost of all numbers together.
    """
    if size < 2 or cost.epsilon is None or cost.delta:
        return
    norms: list[tuple[WayName, Norm, int]] = []
    if size <= limits.CUBE_NUMBERS:
        norms.append((WayName.CUBE, Norm.MAX, joint.sensitivity.l_infinity))
    if size <= L2_REACH:
        # The least whole number whose square is not below the squared sensitivity.
        rounded_up_l2 = math.isqrt(joint.sensitivity.squared_l2 - 1) + 1
        norms.append((WayName.BALL, Norm.L2, rounded_up_l2))
    for name, norm, sensitivity in norms:
        scale = sensitivity / cost.epsilon
        if is_in_reach(size, scale):
            yield name, KNorm(norm, size, scale)
