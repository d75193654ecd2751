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
from synth.analysis.known_moments import find_moments
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
_FAR = 1e9
_SLACK = 1e-6


@dataclass(frozen=True, eq=False, kw_only=True)
class ContrastGroup:
    """The terms that a group's rows add, by the cells of both groups' columns.

    Attributes:
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
        """The mean of the rows' terms; 0 if it is not a mean.

        Raises:
            QuestionError: Under the noise, the group could be empty.
        """
        if not self.is_mean:
            return 0.0
        source = self.columns.source
        surely = self._behind(self.surely, 0.0)
        if float(surely @ source.entries) <= source.reach(surely) or self.rows <= 0:
            refuse_question("the noise could hide all of its rows")
        middle = (self.low + self.high) * (self.surely + self.perhaps) / 4
        return float(self._behind(middle, 1.0) @ self.columns.source.entries) / self.rows

    def _behind(self, cells: Floats, offsets: float) -> Floats:
        return np.concatenate([cells.reshape(-1), self.offsets * offsets])

    @cached_property
    def rows(self) -> float:
        """The rows of the group; 1 if it is not a mean."""
        if not self.is_mean:
            return 1.0
        return float(((self.surely + self.perhaps) / 2 * self.columns.rows).sum())

    def add_least(self) -> Floats:
        """Return the smallest contribution of a row in each cell to the error of the
        number.
        """
        contribution = (self.low - self.mean) / self.rows
        contribution = np.where(
            self.surely > 0, contribution, np.minimum(contribution, 0) * self.perhaps
        )
        return self._behind(contribution, 1 / self.rows)

    def add_most(self) -> Floats:
        """Return the largest contribution of a row in each cell to the error of the mean."""
        contribution = (self.high - self.mean) / self.rows
        contribution = np.where(
            self.surely > 0, contribution, np.maximum(contribution, 0) * self.perhaps
        )
        return self._behind(contribution, 1 / self.rows)


def contrast_ends(
    view: ReleaseView, first: Question, second: Question, *, ratio: bool
) -> tuple[float, float] | None:
    """Return the ends of a difference or ratio; None if both groups do not share a measured
    table.

    Raises:
        QuestionError: Under the noise, the second could be 0, or a group could be empty.
    """
    alike = first.kind == second.kind and first.columns == second.columns
    if not alike or not first.kind.is_linear or first.by or second.by:
        return None
    names = used_in(first.where, *used_in(second.where, *first.columns))
    together = True
    try:
        columns = joint_columns(names, view)
    except QuestionError:
        together = False
    try:
        columns = columns if together else joint_columns(names, view, *first.columns)
    except QuestionError:
        return None
    groups = [_group(question, columns, view) for question in (first, second)]
    first_group, second_group = _with_offsets(groups, first.columns, view, together=together)
    if not (together or len(first_group.offsets)):
        return None
    if ratio and min(first_group.low.min(), second_group.low.min()) < 0:
        return None
    if ratio:
        return _ratio_ends(first_group, second_group, f"'{second}'")
    return _difference_ends(first.kind, first_group, second_group, rows=view.record.rows)


def _group(question: Question, columns: JointColumns, view: ReleaseView) -> ContrastGroup:
    """Return the rows of one side of a comparison, by cell.

    ``surely`` has 1 for cells whose rows all meet the condition, ``perhaps`` also for those
    that it cuts; both are 0 without a number. ``low`` and ``high`` are the ends of a row's
    number.
    """
    where = select_cells(question.where, view)
    surely, perhaps = (
        np.array(columns.spread(where, surely=is_sure)) for is_sure in (True, False)
    )
    low = high = np.ones(columns.source.shape)
    for name in question.columns:
        ends = ends_of(view.domain, name)
        low, high = (
            np.array(np.broadcast_to(columns.put_along(name, end), low.shape))
            for end in ends[:2]
        )
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
    """Return the groups with measured offsets from the middles of bins, if they serve all.

    Of several measured moments the one with the least noise is used; without any, the groups
    stay as they are.
    """
    columns = groups[0].columns
    are_whole = all(np.array_equal(group.surely, group.perhaps) for group in groups)
    place = view.place(columns.names)
    best: tuple[float, list[ContrastGroup]] = (np.inf, groups)
    for moment in (
        find_moments(view.record, view.place(names), place) if names and are_whole else ()
    ):
        weights = [moment.weigh(group.surely) for group in groups]
        noise = float(moment.variances.sum())
        all_weights = [
            offset_weights for offset_weights in weights if offset_weights is not None
        ]
        if not (together or moment.noisy.what.ranged):
            continue
        if noise < best[0] and len(all_weights) == len(groups) and moment.is_one:
            source = replace(columns.source, offsets=moment)
            best = (
                noise,
                [
                    replace(
                        group,
                        columns=replace(columns, source=source),
                        low=_spread(moment.middles - moment.rounding, group),
                        high=_spread(moment.middles + moment.rounding, group),
                        offsets=offset_weights,
                    )
                    for group, offset_weights in zip(groups, all_weights, strict=True)
                ],
            )
    return best[1]


def _spread(table: Floats, group: ContrastGroup) -> Floats:
    return np.broadcast_to(table, group.low.shape)


def _difference_ends(
    kind: QuestionKind, first: ContrastGroup, second: ContrastGroup, *, rows: int | None
) -> tuple[float, float]:
    """Return the ends of the interval of a difference between two groups.

    Both share the noise of their common cells, so it is weighed once, by the difference of
    the weights.
    """
    source = first.columns.source
    low = first.add_least() - second.add_most()
    high = first.add_most() - second.add_least()
    is_share = kind.is_share
    if is_share and not rows:
        return _over_rows(first.columns, low, high)
    at = first.mean - second.mean
    ends = [
        at + float(low @ source.entries) - source.reach(low),
        at + float(high @ source.entries) + source.reach(high),
    ]
    if not kind.adds_numbers and not source.sampled:
        ends = [float(np.ceil(ends[0] - _SLACK)), float(np.floor(ends[1] + _SLACK))]
    scale = float(rows or 1) if is_share else 1.0
    return min(ends) / scale, max(ends) / scale


def _over_rows(columns: JointColumns, low: Floats, high: Floats) -> tuple[float, float]:
    """Return the ends of the interval of a difference of shares of a noisy number of rows.

    By bisection for the ratios r for which noise may explain difference - r rows = 0.
    """
    source = columns.source
    value = float((low + high) / 2 @ source.entries) / max(1.0, float(source.values.sum()))

    def above(ratio: float) -> float:
        return float((low - ratio) @ source.entries) - source.reach(low - ratio)

    def below(ratio: float) -> float:
        return -float((high - ratio) @ source.entries) - source.reach(high - ratio)

    return first_out(above, -1.0, value, end=1.0), first_out(below, 1.0, value, end=-1.0)


def _ratio_ends(
    above_group: ContrastGroup, below_group: ContrastGroup, name_below: str
) -> tuple[float, float]:
    """Return the ends of the interval of the ratio of two groups that share cells.

    By bisection for the ratios r for which noise may explain above - r below = 0.
    """
    source = above_group.columns.source
    least = below_group.mean + float(below_group.add_least() @ source.entries)
    most_below = below_group.add_most()
    if least <= source.reach(below_group.add_least()):
        refuse_question(f"the noise could hide that {name_below} is 0")

    def gap(weights: Callable[[float], Floats], sign: int) -> Callable[[float], float]:
        """Return a function of a ratio: how far above - ratio below is beyond its noise.

        It is positive where noise cannot explain that the difference is 0.

        Args:
            weights: From a ratio, the weight of each cell in that difference.
            sign: 1 to exclude ratios that are too small, for which the difference is above 0;
                -1 to exclude those that are too large.
        """

        def gap_of(ratio: float) -> float:
            """Return the difference at a ratio, in rows beyond the reach of its noise."""
            cell_weights = weights(ratio)
            at = above_group.mean - ratio * below_group.mean
            return sign * (at + float(cell_weights @ source.entries)) - source.reach(
                cell_weights
            )

        return gap_of

    above = gap(lambda ratio: above_group.add_least() - ratio * most_below, 1)
    below = gap(lambda ratio: above_group.add_most() - ratio * below_group.add_least(), -1)
    value = (
        max(0.0, above_group.mean + float(above_group.add_least() @ source.entries)) / least
    )
    far = max(2 * value, _SLACK)
    while below(far) <= 0 and far < _FAR:
        far *= 2
    return first_out(above, 0.0, value, end=far), first_out(below, far, value, end=0.0)
