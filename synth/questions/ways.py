"""Ways to answer questions together, and how far off each is expected to be. PUBLIC.

>>> [way.value for way in WayName][:2]
['laplace', 'gaussian']
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise

import numpy as np

from synth import limits
from synth.arrays import Floats, Ints
from synth.noise.elliptical import Least, allocation
from synth.noise.gaussian import DiscreteGaussian
from synth.noise.knorm import L2_REACH, SCALE_MAX, KNorm, Norm
from synth.noise.laplace import DiscreteLaplace
from synth.noise.mechanism import Mechanism
from synth.privacy.guarantee import Guarantee, Neighbors, Unit
from synth.privacy.sensitivity import Sensitivity
from synth.questions.grains import (
    FINEST,
    half_units,
    steps_around,
    steps_from_zero,
    summable,
)
from synth.questions.joint import Joint, joint_sensitivity
from synth.questions.laws import law_of
from synth.questions.question import Kind
from synth.questions.reach import expected_largest, expected_size
from synth.questions.workload import Grain, Readout, Tally, Workload

ROW_SHARE = 0.63
"""Steps that a row counts for beside a sum, as a part of the steps of half the range: it makes the
noise of a mean least that lies halfway between the middle and an end."""


class WayName(StrEnum):
    """How questions are answered."""

    LAPLACE = "laplace"
    """Laplace noise on each number."""
    GAUSSIAN = "gaussian"
    """Gaussian noise on each number, for a delta or a rho."""
    ELLIPTICAL = "elliptical"
    """Gaussian noise in proportion to the roots of the columns' ranges."""
    BALL = "l2"
    """K-norm noise in l2."""
    CUBE = "l-infinity"
    """K-norm noise in l-infinity."""
    HISTOGRAM = "histogram"
    """Noise on every cell that the questions tell apart, added up afterwards."""
    CHOICE = "choice"
    """The best candidate by permute-and-flip or the exponential mechanism."""
    KNOWN = "known"
    """Public already: nothing is spent."""
    RELEASE = "release"
    """Read off a release that exists: nothing is spent."""


WORDS = {
    WayName.LAPLACE: "Laplace noise on each number",
    WayName.GAUSSIAN: "Gaussian noise on each number",
    WayName.ELLIPTICAL: "Gaussian noise, less on narrow columns",
    WayName.BALL: "noise on all numbers at once (l2)",
    WayName.CUBE: "noise on all numbers at once (l-infinity)",
    WayName.HISTOGRAM: "noisy histogram of the cells that the questions tell apart",
    WayName.CHOICE: "the best candidate is chosen at random, the better the likelier",
    WayName.KNOWN: "public already",
    WayName.RELEASE: "free, from a release that exists",
}

FREE = (WayName.KNOWN, WayName.RELEASE)
"""Ways that spend nothing; no inquiry asks for them."""


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
    def unit(self) -> Unit:
        """Whose rows they are: one row of each person where a mean is over persons."""
        asked = self.workload.questions[self.readings[0].question]
        unit = self.workload.unit
        return Unit(unit.person, 1) if asked.over == "persons" else unit

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
    """

    name: WayName
    mechanism: Mechanism | None
    grains: tuple[Grain, ...]
    joint: Joint | None
    cost: Guarantee | None
    score: float
    cells: HistogramCells | None = None


def typical_error(way: Way) -> float:
    """The expected size of the error of one number of an answer; of sums relative to the ranges."""
    if way.mechanism is None or any(grain.steps is not None for grain in way.grains):
        return way.score
    if way.cells is None:
        return expected_size(law_of(way.mechanism))
    variances = [max(1, len(one)) * way.mechanism.variance for one in way.cells.members]
    return float(np.mean(np.sqrt(2 / math.pi * np.array(variances))))


def asks_rows_alone(block: Block) -> bool:
    """Whether it asks for nothing but the number of rows, and that is public."""
    shared = block.unit.shares_rows(block.workload.neighbors)
    return shared and not any(block.workload.tallies[number].axes for number in block.tallies)


def ways(block: Block, cost: Guarantee) -> list[Way]:
    """All ways to answer a block at this cost, the best first.

    Args:
        block: Of counts, or of sums.
        cost: Pure, as zCDP, or for a single number an (epsilon, delta).

    Raises:
        LimitError: A question tells too many cells apart.
    """
    found = _sum_ways(block, cost) if block.sums else _count_ways(block, cost)
    return sorted([*_choice(block, cost), *found], key=lambda way: way.score)


def _choice(block: Block, cost: Guarantee) -> Iterator[Way]:
    """The most frequent value alone, by a mechanism that shows nothing but which it is."""
    question = block.workload.questions[block.readings[0].question]
    if question.kind is not Kind.TOP or question.k > 1 or question.counts or cost.delta:
        return
    grains = (Grain(),)
    joint = move(block, grains)
    if joint is not None and block.size > 1:
        yield Way(WayName.CHOICE, None, grains, joint, cost, choice_error(block, joint, cost))


def choice_error(block: Block, joint: Joint, cost: Guarantee) -> float:
    """Rows by which the chosen value is expected to fall short of the most frequent, at most.

    Of R candidates alike: (2 sensitivity / epsilon) ln R bounds it for permute-and-flip and for
    the exponential mechanism (McKenna, Sheldon 2020, Theorem 3; Dwork, Roth 2014, Theorem 3.11).
    The most frequent of noisy counts falls short by the largest of the noises at most, so that
    both are bounds of the same.
    """
    rate = float(cost.epsilon) if cost.epsilon else math.sqrt(8 * float(cost.rho or 1))
    return 2 * joint.sensitivity.l_infinity / rate * math.log(block.size)


def move(block: Block, grains: Sequence[Grain]) -> Joint | None:
    """How far one person moves the totals of a block; None where nobody can."""
    workload = block.workload
    doubled = frozenset(
        summed for n in block.tallies if (summed := workload.tallies[n].summed) is not None
    )
    terms = [workload.term(n, g, doubled) for n, g in zip(block.tallies, grains, strict=True)]
    if asks_rows_alone(block):
        return None
    return joint_sensitivity(  # rows that rules leave out have an atom of their own
        terms, workload.sizes(doubled), workload.neighbors, block.unit, may_drop=False
    )


def _count_ways(block: Block, cost: Guarantee) -> Iterator[Way]:
    """Counts: all in rows, one a step."""
    grains = tuple(Grain() for _ in block.tallies)
    joint = move(block, grains)
    if joint is None:
        yield Way(WayName.KNOWN, None, grains, None, None, 0.0)
        return
    for name, noise in _noises(joint, block.size, cost):
        yield Way(name, noise, grains, joint, cost, largest_error(noise, block.size))
    pairs = any(None not in r.denominators and r.divided for r in block.readings)
    cells = None if pairs else histogram_cells(block)
    if cells is not None:
        yield _histogram_way(block, cells, cost)


def _noises(joint: Joint, size: int, cost: Guarantee) -> Iterator[tuple[WayName, Mechanism]]:
    """Every noise for a vector of so many numbers."""
    yield _independent(joint, size, cost)
    yield from _balls(joint, size, cost)


def _independent(joint: Joint, size: int, cost: Guarantee) -> tuple[WayName, Mechanism]:
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


def _balls(joint: Joint, size: int, cost: Guarantee) -> Iterator[tuple[WayName, Mechanism]]:
    """K-norm noise, where that of a single number is not the same."""
    if size < 2 or cost.epsilon is None or cost.delta:
        return
    moves = joint.sensitivity
    norms = [(WayName.CUBE, Norm.MAX, moves.l_infinity)] * (size <= limits.CUBE_NUMBERS)
    root = math.isqrt(moves.squared_l2 - 1) + 1
    norms += [(WayName.BALL, Norm.L2, root)] * (size <= L2_REACH)
    for name, norm, most in norms:
        scale = most / cost.epsilon
        if Fraction(1, 100) <= scale <= SCALE_MAX:
            yield name, KNorm(norm, size, scale)


def _histogram_way(block: Block, cells: HistogramCells, cost: Guarantee) -> Way:
    """Noise on every cell; a total of m cells has the sum of m noises."""
    moves = histogram_moves(block.unit, block.workload.neighbors, cells.tally.size)
    joint = Joint(moves, True, moves)
    name, noise = (
        _independent(joint, cells.tally.size, cost)
        if not cost.delta
        else (WayName.LAPLACE, DiscreteLaplace(moves.l1 / (cost.epsilon or Fraction(1))))
    )
    del name
    score = largest_error(noise, cells.tally.size, cells)
    return Way(WayName.HISTOGRAM, noise, (Grain(),), joint, cost, score, cells)


def largest_error(noise: Mechanism, size: int, cells: HistogramCells | None = None) -> float:
    """The expected largest error of counts with this noise, in rows; of sums of cells, about it."""
    if cells is None:
        return expected_largest(noise, size)
    return largest_normal(
        np.sqrt([float(max(1, len(one))) * noise.variance for one in cells.members])
    )


def histogram_moves(unit: Unit, neighbors: Neighbors, cells: int) -> Sensitivity:
    """How far one person moves a histogram: in a single cell, nobody takes two places."""
    if cells == 1:
        neighbors = Neighbors.ADD_REMOVE
    return Sensitivity(unit.sensitivity(neighbors), unit.squared(neighbors), unit.max_rows)


def largest_normal(deviations: Floats) -> float:
    """The expected largest size of independent normal numbers, to a thousandth.

    Totals that share cells err together, which makes their largest smaller, if anything (Sidak).

    >>> round(largest_normal(np.ones(1)), 2), round(largest_normal(np.ones(10)), 2)
    (0.8, 1.88)
    """
    widest = float(deviations.max())
    if not widest:
        return 0.0
    kinds, many = np.unique(np.round(deviations / widest, 9), return_counts=True)
    step = 1 / 64
    t = step * (0.5 + np.arange(64 * 12))
    within = np.zeros(len(t))
    for kind, times in zip(kinds, many, strict=True):
        one = max(float(kind), 1e-9) * math.sqrt(2)
        beyond = np.array([math.erfc(x) for x in (t / one).tolist()])
        within += times * np.log1p(-np.minimum(beyond, 1 - 1e-16))
    return float(np.sum(-np.expm1(within)) * step) * widest


def histogram_cells(block: Block) -> HistogramCells | None:
    """The cells that the totals of a block tell apart; None where they are too many."""
    tallies = [block.workload.tallies[number] for number in block.tallies]
    axes = tuple(sorted({axis for tally in tallies for axis in tally.axes}))
    classes, samples = [], []
    for axis in axes:
        ones = [t.classes[t.axes.index(axis)] for t in tallies if axis in t.axes]
        _, first, joint = np.unique(np.stack(ones), axis=1, return_index=True, return_inverse=True)
        classes.append(joint.reshape(-1))
        samples.append(first)
    shape = tuple(map(len, samples))
    size = math.prod(shape)
    totals = sum(tally.size for tally in tallies)
    if size > limits.QUESTION_CELLS or size * len(tallies) > limits.HISTOGRAM_WORK:
        return None
    members: list[Ints] = []
    for tally in tallies:
        members += _members(tally, axes, samples, shape)
    assert len(members) == totals
    place = np.arange(size).reshape(shape)
    return HistogramCells(Tally(axes, tuple(classes), place, size), tuple(members))


def _members(
    tally: Tally, axes: Sequence[int], samples: Sequence[Ints], shape: tuple[int, ...]
) -> list[Ints]:
    """The cells of every total of a tally."""
    index = []
    for classes, axis in zip(tally.classes, tally.axes, strict=True):
        along = [1] * len(axes)
        along[axes.index(axis)] = shape[axes.index(axis)]
        index.append(classes[samples[axes.index(axis)]].reshape(along))
    places = np.broadcast_to(tally.place[tuple(index)], shape).reshape(-1)
    order = np.argsort(places, kind="stable")
    cuts = np.searchsorted(places[order], np.arange(tally.size + 1))
    return [order[a:b] for a, b in pairwise(cuts)]


def _sum_ways(block: Block, cost: Guarantee) -> Iterator[Way]:
    """Sums of numbers: each column on a grid of its own."""
    even = _even(block, FINEST, exactly=False)
    joint = None if even is None else move(block, even)
    if even is None or joint is None:
        yield Way(WayName.KNOWN, None, even or (), None, None, 0.0)
        return
    yield _scored(*_independent(joint, block.size, cost), even, joint, cost)
    if cost.rho is not None and block.size > 1:
        uneven = _elliptical(block)
        moved = None if uneven is None else move(block, uneven)
        if uneven is not None and moved is not None:
            noise = DiscreteGaussian.for_rho(cost.rho, sensitivity2=moved.sensitivity.squared_l2)
            yield _scored(WayName.ELLIPTICAL, noise, uneven, moved, cost)
    yield from _ball_ways(block, cost)


def _ball_ways(block: Block, cost: Guarantee) -> Iterator[Way]:
    """K-norm noise of sums, on the finest grid that its reach allows; nothing is rounded."""
    if cost.epsilon is None or cost.delta or block.size < 2:
        return
    reach = SCALE_MAX * cost.epsilon / (2 * block.unit.max_rows)
    shorter = int(reach / (math.isqrt(block.size - 1) + 1))
    for wanted in (int(reach), shorter):
        grains = _even(block, min(wanted, FINEST), exactly=True)
        joint = None if grains is None else move(block, grains)
        if grains is not None and joint is not None:
            for name, noise in _balls(joint, block.size, cost):
                if (name is WayName.BALL) == (wanted != int(reach)):
                    yield _scored(name, noise, grains, joint, cost)


def _scored(
    name: WayName,
    noise: Mechanism,
    grains: tuple[Grain, ...],
    joint: Joint,
    cost: Guarantee,
) -> Way:
    """A way with the mean of its errors, each relative to the range of its column."""
    size = expected_size(law_of(noise))
    relative = [size / (2 * grain.steps.most) for grain in grains if grain.steps is not None]
    return Way(name, noise, grains, joint, cost, float(np.mean(relative)))


def _even(block: Block, finest: int, *, exactly: bool) -> tuple[Grain, ...] | None:
    """Grids on which all ranges have about the same number of steps.

    Args:
        block: Of sums.
        finest: Most steps to one side.
        exactly: Whether None is better than rounding.
    """
    columns = block.workload.columns
    units = [half_units(columns[summed]) for summed in _summed(block)]
    if exactly and any(unit is None or unit > finest for unit in units):
        return None
    natural = [unit for unit in units if unit is not None and unit <= finest]
    wanted = finest if len(natural) < len(units) else max(natural)
    if exactly:  # as many steps for all as the longest range of whole units can have
        wanted = finest // max(natural) * max(natural)
    return _grains(block, [wanted] * len(units))


def _elliptical(block: Block) -> tuple[Grain, ...] | None:
    """Grids in proportion to the noise of least variance in all (Pagh, Lebeda 2022)."""
    columns, summed = block.workload.columns, _summed(block)
    ranges = [summable(columns[number]) for number in summed]
    widths = [one.high - one.low for one in ranges]
    if len(set(widths)) < 2 or min(widths) <= 0 or len(summed) < len(block.tallies):
        return None
    sizes = allocation(widths, Least.VARIANCE)
    ratios = [width / size for width, size in zip(widths, sizes, strict=True)]
    return _grains(block, [max(1, int(FINEST * ratio / max(ratios))) for ratio in ratios])


def _summed(block: Block) -> list[int]:
    """The columns that are added up, by number, one for each tally of sums."""
    tallies = (block.workload.tallies[number] for number in block.tallies)
    return [tally.summed for tally in tallies if tally.summed is not None]


def _grains(block: Block, wanted: Sequence[int]) -> tuple[Grain, ...]:
    """The grains of a block; a row counts for about as much as the widest sum."""
    columns, left = block.workload.columns, list(wanted)
    found: list[Grain | None] = []
    centred = all(reading.centred for reading in block.readings)
    for number in block.tallies:
        summed = block.workload.tallies[number].summed
        if summed is None:
            found.append(None)
            continue
        steps = steps_around(summed, columns[summed], left.pop(0))
        found.append(Grain(steps=steps if centred else steps_from_zero(summed, columns[summed])))
    most = max(grain.steps.most for grain in found if grain is not None and grain.steps)
    share = 1.0 if block.workload.neighbors is Neighbors.REPLACE_ONE else ROW_SHARE
    weight = max(1, round(most * share))
    return tuple(Grain(weight) if grain is None else grain for grain in found)
