"""Quantiles, and the best of several conditions, from the choices. PUBLIC."""
# Values are put in ascending order, as quantiles are. If all were within some rows of their
# ranks, they still are: a smaller value took the place of a larger one of a smaller quantile.
# The ends of intervals are ordered outwards and extended to their value, so that intervals
# only grow.

import math
from fractions import Fraction

import numpy as np

from synth.domain import Binned
from synth.noise import LEVEL
from synth.questions.answers.numbers import Numbers
from synth.questions.quantiles.aims import aims_of, quantiles_of, value_grid_of
from synth.questions.quantiles.choices import best_law
from synth.questions.quantiles.trees import ValueTree
from synth.questions.quantiles.values import span_of
from synth.questions.way.way import Way
from synth.questions.wording.question import Question
from synth.questions.workloads.atoms import CutColumn
from synth.questions.workloads.block import Block
from synth.util import Floats, Ints


def read_quantiles_off(block: Block, way: Way, places: Ints, *, rows: int | None) -> Numbers:
    """Return quantiles that were chosen by their ranks, with intervals if they were asked
    for.

    Args:
        block: The one question of quantiles.
        way: How it was answered, with its cost.
        places: The chosen values by their positions in the grid of values. With intervals
            there are three for each quantile: the value, the low and the high end.
        rows: The public number of rows; None if it is private.
    """
    assert way.cost is not None
    # The target ranks, each with the law of its error, and the values to choose among.
    aims = aims_of(block, way.cost)
    question = block.question
    quantile_count = len(quantiles_of(question))
    # By Bonferroni, all ranks of the remark hold at once.
    level = 1 - (1 - LEVEL) / quantile_count
    remarks = _remark_reach(question, max(law.reach(level) for law in aims.laws), rows)
    # The bins of the chosen values: by quantile, by value and ends, by least and greatest.
    bins = [span_of(aims.grid, place) for place in places.tolist()]
    spans = np.array(bins).reshape(quantile_count, -1, 2)
    value = np.sort(_middles(spans[:, 0], aims.grid))
    if not question.interval:
        none = np.full(quantile_count, np.nan)
        return Numbers(value, none, none, remarks=remarks)
    # Ends are made ascending outwards, so that intervals only grow.
    low = np.minimum.accumulate(spans[::-1, 1, 0])[::-1]
    high = np.maximum.accumulate(spans[:, 2, 1])
    return Numbers(value, np.minimum(low, value), np.maximum(high, value), remarks=remarks)


def read_off_tree(block: Block, way: Way, noisy: Ints, *, rows: int | None) -> Numbers:
    """Return quantiles with their intervals, read off a noisy tree over the values.

    The tree estimates the excess of each value: the rows up to it, less the quantile's share
    of all rows. The quantile is the first value whose excess is at least 0. Intervals cost
    nothing more.

    Args:
        block: The one question of quantiles.
        way: How it was answered; its strategy is a `ValueTree`.
        noisy: The noisy nodes of the tree, in steps.
        rows: The public number of rows; None if it is private.
    """
    # A value v of the right rank has an excess of at least 0, and the value before it one of
    # at most 0. The interval contains the values whose noisy excesses allow that. It misses v
    # with a probability of at most 2.5 % to either side, as noise is symmetric.
    values = way.strategy
    noise = way.mechanism
    assert isinstance(values, ValueTree)
    assert noise is not None
    question = block.question
    grid = value_grid_of(question, block.workload.domain)
    quantiles = len(values.quantiles)
    excess = values.estimates(noisy).reshape(quantiles, -1)
    noise = noise.cell_noise
    half = values.halves(noise, LEVEL).reshape(quantiles, -1)
    # By Bonferroni, the errors of all excesses are within their bounds at once.
    joint_level = 1 - (1 - LEVEL) / half.size
    rank_reach = math.ceil(values.halves(noise, joint_level).max())
    remarks = _remark_reach(question, rank_reach, rows)
    # How many values have a negative excess, which is the place of the first that has not.
    places = np.sort((in_ascending_order(excess) < 0).sum(axis=1))
    ends = [
        _find_possible_places(*excesses)
        for excesses in zip(excess, half, places.tolist(), strict=True)
    ]
    spans = np.array(
        [[span_of(grid, place) for place in places_of_ends] for places_of_ends in ends]
    )
    value = _middles(np.array([span_of(grid, place) for place in places.tolist()]), grid)
    return Numbers(value, spans[:, 0, 0], spans[:, 1, 1], remarks=remarks)


def in_ascending_order(excess: Floats) -> Floats:
    """Return noisy excesses of values made ascending along the values, as the true ones are.

    Each becomes the middle between the largest up to it and the least from it on. The excess
    of a value is the rows up to it, less the quantile's share of all rows; shape (quantiles,
    values).
    """
    before = np.maximum.accumulate(excess, axis=1)
    after = np.minimum.accumulate(excess[:, ::-1], axis=1)[:, ::-1]
    return np.asarray((before + after) / 2)


def _find_possible_places(excess: Floats, half: Floats, place: int) -> tuple[int, int]:
    """Return the first and the last place where the quantile may be, given the noise.

    The quantile is the first place where the true excess is not negative. The excess of a
    place is the rows up to it, less the quantile's share of all rows.

    Args:
        excess: The noisy excess of each place but the last, shape (places,).
        half: The largest errors of these excesses at the level of the interval.
        place: The place that is shown; the interval contains it.
    """
    # The true excess may be at least 0 here, and at most 0 at the place before.
    reached = np.append(excess >= -half, True)
    not_before = np.append(True, excess <= half)
    possible_places = np.flatnonzero(reached & not_before).tolist()
    return min([place, *possible_places]), max([place, *possible_places])


def _middles(spans: Floats, grid: CutColumn) -> Floats:
    """Return the middles of bins, rounded down to whole units if the column has them.

    Args:
        spans: The least and the greatest value of each bin, shape (bins, 2).
        grid: The column, cut at the values among which quantiles are chosen.
    """
    middles = spans.mean(axis=1)
    assert isinstance(grid.base, Binned)
    unit = float(grid.base.step) if grid.base.unit else None
    return np.asarray(middles if unit is None else np.floor(middles / unit) * unit)


def _remark_reach(question: Question, rank_reach: int, rows: int | None) -> tuple[str]:
    """Return the remark on how far the ranks of the released values may be off, as one
    sentence.

    Args:
        question: The question of quantiles.
        rank_reach: A bound of the distance of a rank from the requested one, in rows.
        rows: The public number of rows; None if it is private.
    """
    share = ""
    if rows is not None and not question.where:
        share = f" ({_percent(Fraction(rank_reach, max(1, rows)))} of them)"
    subject = (
        "its rank is" if len(quantiles_of(question)) == 1 else "the ranks of all values are"
    )
    return (
        f"{question.kind} of {question.columns[0]}: with a probability of at least 95 %, "
        f"{subject} within {rank_reach:,} rows{share} of the requested quantile",
    )


def _percent(share: Fraction) -> str:
    """Return a share as a percentage, rounded up to about two significant digits.

    From a share of 1 on it is "100 % or more".
    """
    if share >= 1:
        return "100 % or more"
    # Digits after the point of the percentage: 0 for 0.5 (50 %), 1 for 0.05 (5.0 %).
    digits = max(0, -1 - math.floor(math.log10(share))) if share else 0
    up = math.ceil(100 * share * 10**digits) / 10**digits
    return f"{up:.{digits}f} %"


def read_best(block: Block, way: Way) -> str:
    """Return the remark on how far the chosen condition may be from the best one, in rows.

    Args:
        block: The one question, with its candidate conditions.
        way: How it was answered, with its sensitivity and cost.
    """
    assert way.joint is not None
    assert way.cost is not None
    reach = best_law(block, way.joint, way.cost).reach(LEVEL)
    return (
        f"with a chance of at least 95 %, no condition of the list is met by {reach:,} rows "
        "more than the one that was chosen"
    )
