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
from synth.analysis.selection import (
    JointColumns,
    ends_of,
    joint_columns,
    select_cells,
    used_in,
)
from synth.analysis.sources import ReleaseView
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
        source, surely = self.columns.source, self._behind(self.surely, 0.0)
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
        found = (self.low - self.mean) / self.rows
        found = np.where(self.surely > 0, found, np.minimum(found, 0) * self.perhaps)
        return self._behind(found, 1 / self.rows)

    def add_most(self) -> Floats:
        found = (self.high - self.mean) / self.rows
        found = np.where(self.surely > 0, found, np.maximum(found, 0) * self.perhaps)
        return self._behind(found, 1 / self.rows)


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
    one, other = _with_offsets(groups, first.columns, view, together=together)
    if not (together or len(one.offsets)):
        return None
    if ratio and min(one.low.min(), other.low.min()) < 0:
        return None
    if ratio:
        return _ratio_ends(one, other, f"'{second}'")
    return _difference_ends(first.kind, one, other, rows=view.record.rows)


def _group(question: Question, columns: JointColumns, view: ReleaseView) -> ContrastGroup:
    where = select_cells(question.where, view)
    surely, perhaps = (np.array(columns.spread(where, surely=one)) for one in (True, False))
    low = high = np.ones(columns.source.shape)
    for name in question.columns:
        ends = ends_of(view.domain, name)
        low, high = (
            np.array(np.broadcast_to(columns.put_along(name, end), low.shape))
            for end in ends[:2]
        )
        held = columns.put_along(name, ends[2].astype(np.float64))
        surely, perhaps = surely * held, perhaps * held
    return ContrastGroup(
        columns=columns,
        surely=surely,
        perhaps=perhaps,
        low=low,
        high=high,
        is_mean=question.kind.averages,
        offsets=np.zeros(0),
    )


def _with_offsets(
    groups: list[ContrastGroup], names: tuple[str, ...], view: ReleaseView, *, together: bool
) -> list[ContrastGroup]:
    columns = groups[0].columns
    whole = all(np.array_equal(one.surely, one.perhaps) for one in groups)
    place = view.place(columns.names)
    best: tuple[float, list[ContrastGroup]] = (np.inf, groups)
    for known in (
        find_moments(view.record, view.place(names), place) if names and whole else ()
    ):
        weights = [known.weigh(one.surely) for one in groups]
        noise = float(known.variances.sum())
        found = [each for each in weights if each is not None]
        if not (together or known.noisy.what.ranged):
            continue
        if noise < best[0] and len(found) == len(groups) and known.is_one:
            source = replace(columns.source, offsets=known)
            best = (
                noise,
                [
                    replace(
                        one,
                        columns=replace(columns, source=source),
                        low=_spread(known.middles - known.rounding, one),
                        high=_spread(known.middles + known.rounding, one),
                        offsets=each,
                    )
                    for one, each in zip(groups, found, strict=True)
                ],
            )
    return best[1]


def _spread(table: Floats, one: ContrastGroup) -> Floats:
    return np.broadcast_to(table, one.low.shape)


def _difference_ends(
    kind: QuestionKind, one: ContrastGroup, other: ContrastGroup, *, rows: int | None
) -> tuple[float, float]:
    source = one.columns.source
    low, high = one.add_least() - other.add_most(), one.add_most() - other.add_least()
    if kind.is_part and not rows:
        return _over_rows(one.columns, low, high)
    at = one.mean - other.mean
    ends = [
        at + float(low @ source.entries) - source.reach(low),
        at + float(high @ source.entries) + source.reach(high),
    ]
    if not kind.sums and not source.sampled:
        ends = [float(np.ceil(ends[0] - _SLACK)), float(np.floor(ends[1] + _SLACK))]
    scale = float(rows or 1) if kind.is_part else 1.0
    return min(ends) / scale, max(ends) / scale


def _over_rows(columns: JointColumns, low: Floats, high: Floats) -> tuple[float, float]:
    source = columns.source
    value = float((low + high) / 2 @ source.entries) / max(1.0, float(source.values.sum()))

    def above(ratio: float) -> float:
        return float((low - ratio) @ source.entries) - source.reach(low - ratio)

    def below(ratio: float) -> float:
        return -float((high - ratio) @ source.entries) - source.reach(high - ratio)

    return first_out(above, -1.0, value, end=1.0), first_out(below, 1.0, value, end=-1.0)


def _ratio_ends(one: ContrastGroup, other: ContrastGroup, named: str) -> tuple[float, float]:
    source = one.columns.source
    least, most = other.mean + float(other.add_least() @ source.entries), other.add_most()
    if least <= source.reach(other.add_least()):
        refuse_question(f"the noise could hide that {named} is 0")

    def gap(weights: Callable[[float], Floats], sign: int) -> Callable[[float], float]:
        def found(ratio: float) -> float:
            each, at = weights(ratio), one.mean - ratio * other.mean
            return sign * (at + float(each @ source.entries)) - source.reach(each)

        return found

    above = gap(lambda ratio: one.add_least() - ratio * most, 1)
    below = gap(lambda ratio: one.add_most() - ratio * other.add_least(), -1)
    value = max(0.0, one.mean + float(one.add_least() @ source.entries)) / least
    far = max(2 * value, _SLACK)
    while below(far) <= 0 and far < _FAR:
        far *= 2
    return first_out(above, 0.0, value, end=far), first_out(below, far, value, end=0.0)
