"""Differences and ratios of two groups of one kind, by their joint noise (Fieller). PUBLIC.

For means, only the squared noise of the numbers of rows is neglected.
"""
# For counts, totals and shares, the answer is a weighted sum of cells, or the ratio of two,
# so the law of one sum gives the interval. For means m over n rows, the error of m1 - r m2 is
# that of the sum of (x - m1) / n1 over the first group minus r times that of (x - m2) / n2
# over the second.

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from synth.analysis.cell_intervals import first_out
from synth.analysis.known_moments import KnownMoment, find_moments
from synth.analysis.release_view import ReleaseView
from synth.analysis.selection import (
    JointColumns,
    ends_of,
    joint_columns,
    select_cells,
    used_in,
)
from synth.errors import QuestionError
from synth.questions import Question, QuestionKind, refuse_question
from synth.util import Floats

FIRST_ORDER = (
    "approximate: the noise of how many rows a group has is counted to the first order"
)
# Largest ratio that is searched for the upper end of an interval.
_MAX_RATIO = 1e9
# Rounding error of floats that does not move an end to the next whole number.
_SLACK = 1e-6


@dataclass(frozen=True, eq=False, kw_only=True)
class ContrastGroup:
    """The terms that a group's rows add, by the cells of both groups' columns.

    Attributes:
        columns: The noisy counts of the columns of both groups together.
        surely, perhaps: Cells whose rows are all in the group, and cells that may be in part.
        low, high: The smallest and largest term of a row in a cell.
        is_mean: Whether the sum is divided by the rows of the group.
        offsets: The weight of each measured sum of offsets.
    """

    columns: JointColumns
    surely: Floats
    perhaps: Floats
    low: Floats
    high: Floats
    is_mean: bool
    offsets: Floats

    @cached_property
    def mean(self) -> float:
        """The mean number of the group's rows; 0 if the question is not about a mean.

        Half of the rows count in cells that a condition cuts, and a row has the middle of its
        cell's ends, or its measured offset from it.

        Raises:
            QuestionError: Under the noise, the group could be empty.
        """
        if not self.is_mean:
            return 0.0
        source = self.columns.source
        surely = self._add_offsets(self.surely, 0.0)
        # `reach` is half the width of the interval of a weighted sum, by the noise.
        if float(surely @ source.entries) <= source.reach(surely) or self.rows <= 0:
            refuse_question("the noise could hide all of its rows")
        # The means of two ends each: of a row's number, and of the counted part of a cell.
        middle = (self.low + self.high) / 2 * (self.surely + self.perhaps) / 2
        weights = self._add_offsets(middle, 1.0)
        return float(weights @ source.entries) / self.rows

    def _add_offsets(self, cells: Floats, factor: float) -> Floats:
        """Return weights of the cells, then of the sums of offsets times a factor, flat.

        These are weights of `Source.entries`.
        """
        return np.concatenate([cells.reshape(-1), self.offsets * factor])

    @cached_property
    def rows(self) -> float:
        """The estimated rows of the group; 1 if the question is not about a mean.

        Half of the rows count in cells that a condition cuts.
        """
        if not self.is_mean:
            return 1.0
        return float(((self.surely + self.perhaps) / 2 * self.columns.rows).sum())

    def add_least(self) -> Floats:
        """Return the least weight of each cell, and of each sum of offsets, in the number.

        A sum adds the row's number; a mean adds (number - mean) / rows, its first-order
        influence. A row of a cell that a condition cuts may also add 0. Shape (entries,), as
        `Source.entries`.
        """
        contribution = (self.low - self.mean) / self.rows
        contribution = np.where(
            self.surely > 0, contribution, np.minimum(contribution, 0) * self.perhaps
        )
        return self._add_offsets(contribution, 1 / self.rows)

    def add_most(self) -> Floats:
        """Return the greatest weight of each cell, and of each sum of offsets, in the number.

        A sum adds the row's number; a mean adds (number - mean) / rows, its first-order
        influence. A row of a cell that a condition cuts may also add 0. Shape (entries,), as
        `Source.entries`.
        """
        contribution = (self.high - self.mean) / self.rows
        contribution = np.where(
            self.surely > 0, contribution, np.maximum(contribution, 0) * self.perhaps
        )
        return self._add_offsets(contribution, 1 / self.rows)


def contrast_ends(
    view: ReleaseView, first: Question, second: Question, *, ratio: bool
) -> tuple[float, float] | None:
    """Return the interval of a difference or ratio of two groups, by their joint noise.

    Args:
        view: The release, and the level of the interval.
        first, second: The questions about the two groups.
        ratio: Whether to divide the first answer by the second instead of subtracting.

    Returns:
        The low and the high end. None if the questions are not two counts, shares, totals or
        means of one kind, if no measured histogram has all of their columns, or if numbers
        of a ratio may be negative.

    Raises:
        QuestionError: Under the noise, the second could be 0, or a group could be empty.
    """
    alike = first.kind == second.kind and first.columns == second.columns
    if not alike or not first.kind.is_linear or first.by or second.by:
        return None
    names = used_in(first.where, *used_in(second.where, *first.columns))
    try:
        columns = joint_columns(names, view)
        together = True
    except QuestionError:
        # A histogram without the summed column will do if sums of its numbers were measured.
        try:
            columns = joint_columns(names, view, *first.columns)
            together = False
        except QuestionError:
            return None
    groups = [_group(question, columns, view) for question in (first, second)]
    first_group, second_group = _with_offsets(groups, first.columns, view, together=together)
    # Without cells of the summed column, only measured sums tell of its numbers.
    if not (together or len(first_group.offsets)):
        return None
    # The search for the ends of a ratio needs a numerator and a denominator of one sign.
    if ratio and min(first_group.low.min(), second_group.low.min()) < 0:
        return None
    if ratio:
        return _ratio_ends(first_group, second_group, f"'{second}'")
    return _difference_ends(first.kind, first_group, second_group, rows=view.record.rows)


def _group(question: Question, columns: JointColumns, view: ReleaseView) -> ContrastGroup:
    """Return which cells are in one side of a comparison, and what their rows add.

    The result's ``surely`` is 1 for cells whose rows all meet the condition; ``perhaps`` also
    for the ones that the condition cuts. Both are 0 for cells without a number. A row adds a
    number between ``low`` and ``high`` of its cell, or 1 if the question counts.

    Args:
        question: The side's question.
        columns: The counts of the columns of both sides together.
        view: The release.
    """
    where = select_cells(question.where, view)
    surely = np.array(columns.spread(where, surely=True))
    perhaps = np.array(columns.spread(where, surely=False))
    low = high = np.ones(columns.source.shape)
    for name in question.columns:
        ends = ends_of(view.domain, name)
        low, high = (
            np.array(np.broadcast_to(columns.put_along(name, end), low.shape))
            for end in ends[:2]
        )
        # 1 for the cells of this column that hold numbers, 0 for others, such as missing.
        has_number = columns.put_along(name, ends[2].astype(np.float64))
        surely = surely * has_number
        perhaps = perhaps * has_number
    return ContrastGroup(
        columns=columns,
        surely=surely,
        perhaps=perhaps,
        low=low,
        high=high,
        is_mean=question.kind.is_mean,
        offsets=np.zeros(0),
    )


def _with_offsets(
    groups: list[ContrastGroup], names: tuple[str, ...], view: ReleaseView, *, together: bool
) -> list[ContrastGroup]:
    """Return the groups with measured sums of offsets, if these serve all groups.

    An offset is a value's distance from the middle of its bin. With sums of them, positions
    within bins are not unknown any more. The sums with the least noise are used; if none
    serve, or if a condition cuts through a cell, the groups stay as they are.

    Args:
        groups: Both sides of the comparison.
        names: The summed column; empty for counts.
        view: The release.
        together: Whether the groups' counts include the summed column. If not, only distances
            from the middle of its whole range help.
    """
    columns = groups[0].columns
    cuts_a_cell = any(not np.array_equal(group.surely, group.perhaps) for group in groups)
    if not names or cuts_a_cell:
        return groups
    best_groups = groups
    least_noise = np.inf
    for moment in find_moments(view.record, view.place(names), view.place(columns.names)):
        # `ranged`: the sum counts from the middle of the column's range, not of each bin.
        fits_counts = together or moment.noisy.what.ranged
        # An interval needs a single sum, or sums with independent noise: the moment is then
        # one of its kind.
        has_plain_noise = moment.is_one
        noise = float(moment.variances.sum())
        if not (fits_counts and has_plain_noise and noise < least_noise):
            continue
        groups_with_sums = _with_moment(groups, moment)
        if groups_with_sums is not None:
            least_noise = noise
            best_groups = groups_with_sums
    return best_groups


def _with_moment(
    groups: list[ContrastGroup], moment: KnownMoment
) -> list[ContrastGroup] | None:
    """Return the groups with these sums of offsets; None if one group cannot use them.

    In place of the ends of its bin, a row then adds the middle from which offsets count, give
    or take the rounding, and the group adds the sums with their weights.
    """
    columns = groups[0].columns
    columns = replace(columns, source=replace(columns.source, offsets=moment))
    groups_with_sums: list[ContrastGroup] = []
    for group in groups:
        weights_of_sums = moment.weigh(group.surely)
        if weights_of_sums is None:
            return None
        groups_with_sums.append(
            replace(
                group,
                columns=columns,
                low=_spread(moment.middles - moment.rounding, group),
                high=_spread(moment.middles + moment.rounding, group),
                offsets=weights_of_sums,
            )
        )
    return groups_with_sums


def _spread(table: Floats, group: ContrastGroup) -> Floats:
    """Return a table broadcast to the cells of the group's columns."""
    return np.broadcast_to(table, group.low.shape)


def _difference_ends(
    kind: QuestionKind, first: ContrastGroup, second: ContrastGroup, *, rows: int | None
) -> tuple[float, float]:
    """Return the low and the high end of the difference first - second.

    Both groups are weighted sums of the same noisy cells. The noise of a common cell counts
    once, with the difference of its two weights.

    Args:
        kind: The kind of both questions: a count, a share, a total or a mean.
        first, second: The groups.
        rows: The public number of all rows, for shares; None if it is noisy.
    """
    source = first.columns.source
    # The least and the greatest weight of each cell, over all positions within bins.
    low = first.add_least() - second.add_most()
    high = first.add_most() - second.add_least()
    is_share = kind.is_share
    if is_share and not rows:
        return _over_rows(first.columns, low, high)
    # The weights of a mean are of deviations from it, so the means are added; otherwise they
    # are 0.
    middle = first.mean - second.mean
    ends = [
        middle + float(low @ source.entries) - source.reach(low),
        middle + float(high @ source.entries) + source.reach(high),
    ]
    if not kind.adds_numbers and not source.sampled:  # counts of rows are whole numbers
        ends = [float(np.ceil(ends[0] - _SLACK)), float(np.floor(ends[1] + _SLACK))]
    scale = float(rows or 1) if is_share else 1.0
    # Negative noisy counts, or the rounding inwards, can turn the two ends around.
    return min(ends) / scale, max(ends) / scale


def _over_rows(columns: JointColumns, low: Floats, high: Floats) -> tuple[float, float]:
    """Return the low and the high end of a difference of shares of a noisy number of rows.

    The interval has the shares r for which noise may explain difference - r rows = 0. Its
    ends, from -1 to 1, are found by a search.

    Args:
        columns: The noisy cells.
        low, high: The least and the greatest weight of each cell in the difference of rows.
    """
    source = columns.source
    value = float((low + high) / 2 @ source.entries) / max(1.0, float(source.values.sum()))

    def above(ratio: float) -> float:
        """Return by how much the difference is surely above r rows; negative if unsure."""
        return float((low - ratio) @ source.entries) - source.reach(low - ratio)

    def below(ratio: float) -> float:
        """Return by how much the difference is surely below r rows; negative if unsure."""
        return -float((high - ratio) @ source.entries) - source.reach(high - ratio)

    return first_out(above, -1.0, value, end=1.0), first_out(below, 1.0, value, end=-1.0)


def _ratio_ends(
    above_group: ContrastGroup, below_group: ContrastGroup, name_below: str
) -> tuple[float, float]:
    """Return the low and the high end of the ratio of two groups, by Fieller's argument.

    The interval has the ratios r for which noise may explain above - r below = 0. Its ends
    are found by a search.

    Args:
        above_group, below_group: The numerator and the denominator, over the same cells, both
            without negative numbers.
        name_below: The denominator's question in quotes, for a refusal.

    Raises:
        QuestionError: The noise could hide that the denominator is 0.
    """
    source = above_group.columns.source
    # The weights of a mean are of deviations from it, so the mean is added; else it is 0.
    least = below_group.mean + float(below_group.add_least() @ source.entries)
    most_below = below_group.add_most()
    if least <= source.reach(below_group.add_least()):
        refuse_question(f"the noise could hide that {name_below} is 0")

    def gap(weights: Callable[[float], Floats], sign: int) -> Callable[[float], float]:
        """Return a function of a ratio: how far above - ratio below is beyond its noise.

        It is positive where noise cannot explain that the difference is 0.

        Args:
            weights: A function from a ratio to the weight of each cell in that difference.
            sign: 1 to exclude ratios that are too small, for which the difference is above 0;
                -1 to exclude the ones that are too large.
        """

        def gap_of(ratio: float) -> float:
            """Return the signed difference at a ratio, less the half width of its noise."""
            cell_weights = weights(ratio)
            means = above_group.mean - ratio * below_group.mean
            difference = means + float(cell_weights @ source.entries)
            return sign * difference - source.reach(cell_weights)

        return gap_of

    above = gap(lambda ratio: above_group.add_least() - ratio * most_below, 1)
    below = gap(lambda ratio: above_group.add_most() - ratio * below_group.add_least(), -1)
    value = (
        max(0.0, above_group.mean + float(above_group.add_least() @ source.entries)) / least
    )
    # A ratio has no greatest value, so a bound of the search is doubled until it is excluded.
    far = max(2 * value, _SLACK)
    while below(far) <= 0 and far < _MAX_RATIO:
        far *= 2
    return first_out(above, 0.0, value, end=far), first_out(below, far, value, end=0.0)
