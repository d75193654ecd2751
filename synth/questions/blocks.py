"""Questions that are answered together, and one way to do it. PUBLIC."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise

from synth import limits
from synth.arrays import Ints
from synth.noise.gaussian import DiscreteGaussian
from synth.noise.knorm import L2_REACH, KNorm, Norm, is_in_reach
from synth.noise.laplace import DiscreteLaplace
from synth.noise.mechanism import Mechanism
from synth.privacy.guarantee import Guarantee, Unit
from synth.questions.joint import Joint, joint_sensitivity
from synth.questions.moments.sensitivity import joint_of_moments
from synth.questions.question import Question
from synth.questions.strategies.strategy import CountStrategy
from synth.questions.tallies import Grain, Tally
from synth.questions.way_names import WayName
from synth.questions.workload import Readout, Workload


@dataclass(frozen=True, eq=False)
class Block:
    """Questions that are answered by one noisy vector.

    Attributes:
        workload: What they are of.
        readings: How each of their answers is read.
        tallies: Numbers of the tallies that they need, each once.
    """

    workload: Workload
    readings: tuple[Readout, ...]
    tallies: tuple[int, ...]

    @property
    def question(self) -> Question:
        """Its first question; the only one of a block of ranks, of products, or of a choice."""
        return self.workload.questions[self.readings[0].question]

    @property
    def unit(self) -> Unit:
        """Whose rows they are: one row of each person where a mean is over persons."""
        unit = self.workload.unit
        return Unit(unit.person, 1) if self.question.over == "persons" else unit

    @property
    def weight(self) -> Fraction:
        """Its share of the budget, relative to other blocks."""
        asked = self.workload.questions
        return sum((asked[reading.question].weight for reading in self.readings), Fraction(0))

    @cached_property
    def slices(self) -> dict[int, slice]:
        """Where the totals of each of its tallies stand."""
        ends = list(accumulate((self.workload.tallies[n].size for n in self.tallies), initial=0))
        pairs = zip(self.tallies, pairwise(ends), strict=True)
        return {number: slice(*ends) for number, ends in pairs}

    @property
    def sums(self) -> bool:
        """Whether it adds up numbers, and not only rows."""
        return any(self.workload.tallies[number].summed is not None for number in self.tallies)

    @property
    def multiplies(self) -> bool:
        """Whether it adds up products of numbers."""
        return any(self.workload.tallies[number].times is not None for number in self.tallies)

    @property
    def size(self) -> int:
        """How many noisy numbers it has."""
        return sum(self.workload.tallies[number].size for number in self.tallies)


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
        strategy: Where other numbers are measured than the totals: which, and how totals are read
            off them.
    """

    name: WayName
    mechanism: Mechanism | None
    grains: tuple[Grain, ...]
    joint: Joint | None
    cost: Guarantee | None
    score: float
    cells: HistogramCells | None = None
    strategy: CountStrategy | None = None


def asks_rows_alone(block: Block) -> bool:
    """Whether it asks for nothing but the number of rows, and that is public."""
    shared = block.unit.shares_rows(block.workload.neighbors)
    return shared and not any(block.workload.tallies[number].axes for number in block.tallies)


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


def ball_noises(joint: Joint, size: int, cost: Guarantee) -> Iterator[tuple[WayName, Mechanism]]:
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
