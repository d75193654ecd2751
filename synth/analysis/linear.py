"""Counts, shares, totals and means from the noisy counts of a release. PUBLIC.

The release must cover the columns together, by noisy histograms or a model's error bar.
Intervals hold the true answer in at least 95 of 100 releases, unless a remark of the answer
names an assumption.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from synth import limits
from synth.analysis.cell_intervals import ratios_of, totals_of
from synth.analysis.cell_sums import Added, AtomGrid, CellSums, join_sums
from synth.analysis.known_moments import find_moments
from synth.analysis.release_view import ReleaseView, dropping_columns
from synth.analysis.sources import Source
from synth.domain import Column, Domain
from synth.errors import LimitError, QuestionError, name_some
from synth.privacy import Neighbors
from synth.questions import (
    HIDDEN,
    Answer,
    CutColumn,
    Numbers,
    Question,
    Readout,
    Workload,
    group_labels,
    shown_units,
    summable,
)
from synth.util import Floats, Ints

EVENLY = (
    "assumed: rows are spread evenly within the bins of the release; the interval reaches to "
    "both ends of every bin"
)
OFFSETS = (
    "measured: positions within bins, by noisy sums of offsets; bounded: the rounding "
    "of offsets"
)
NO_ANSWER = "no answer from this release: "
PRODUCTS = NO_ANSWER + "products of numbers are asked of the table alone"
MOST_GROUPS = 1_000
MOST_NAMED = 3


def from_release(questions: Iterable[Question], view: ReleaseView) -> list[Answer]:
    """Return a release's answer to each question, in order.

    The questions were checked against its domain. A question without an answer has NaN, and a
    remark that begins with `NO_ANSWER` says why.
    """
    return [answer_question(question, view) for question in questions]


def mended_values(question: Question, view: ReleaseView) -> Floats:
    """Return the numbers that repaired counts answer to a question, shape (numbers,).

    The question is about counts, shares, totals or means; ``view`` has repaired counts.
    """
    if question.kind.single is not None:  # several means, which are read one by one
        return np.concatenate(
            [mended_values(single, view) for single in _split_columns(question)]
        )
    return question.kind.read_with(_Asked(question, view, by_mended=True)).value


def answer_question(question: Question, view: ReleaseView) -> Answer:
    """Return a release's answer to one question, or the reason why it has none."""
    try:
        return question.kind.read_with(_Asked(question, view))
    except (QuestionError, LimitError) as error:
        why = str(error).rstrip(".")
        return refuse_answer(question, f"{NO_ANSWER}{why[:1].lower()}{why[1:]}")


def _split_columns(question: Question) -> list[Question]:
    """Return one question about each column, in order, such as a mean for several means."""
    kind = question.kind.single or question.kind
    return [replace(question, kind=kind, columns=(name,)) for name in question.columns]


def _join_means(question: Question, means: Sequence[Answer]) -> Answer:
    """Return the answer of several means, one column each, as one answer."""
    errors = np.array([mean.expected_error for mean in means])
    numbers = Numbers.join(
        [Numbers(m.value, m.low, m.high, remarks=m.remarks) for m in means]
    )
    answer = Answer.from_numbers(
        question, question.columns, numbers, columns=tuple(mean.column for mean in means)
    )
    return replace(answer, expected_error=float(errors.mean()))


def refuse_answer(question: Question, remark: str) -> Answer:
    """Return an answer without numbers, whose remark says why."""
    none = np.full(1, np.nan)
    return Answer.from_numbers(question, (), Numbers(none, none, none, remarks=(remark,)))


@lru_cache(maxsize=4)
def atom_grid(question: Question, domain: Domain, rows_are_public: bool) -> AtomGrid:
    """Return the grid of a question's columns, which gives what each cell adds to its answer.

    The grid has atoms: parts of cells that no condition of the question cuts. All of it is
    public.

    Args:
        question: Checked against the domain.
        domain: The declared columns of the release.
        rows_are_public: Whether the number of rows is public.

    Raises:
        QuestionError: It is about persons.
        LimitError: It distinguishes too many cells.
    """
    if question.over == "persons":
        raise QuestionError("a release counts rows, not persons")
    # The relation only decides whether shares are of a public or of a counted number of rows.
    neighbors = Neighbors.REPLACE_ONE if rows_are_public else Neighbors.ADD_REMOVE
    workload = Workload.build([question], domain, neighbors, cells=True)
    # Totals of numbers get their intervals one by one, which takes time for many groups.
    adds_numbers = any(tally.summed is not None for tally in workload.tallies)
    has_many_groups = (
        adds_numbers and sum(tally.size for tally in workload.tallies) > MOST_GROUPS
    )
    if has_many_groups or math.prod(workload.universe.shape) > limits.QUESTION_CELLS:
        raise LimitError("the question has too many cells")
    return AtomGrid(workload)


def _size(source: Source, sums: CellSums) -> float:
    """Return the average error of a source for the first group, to compare sources.

    It is that of the sum over the group's rows of (number - mean), in the column's unit. The
    mean is taken over the cells, which is close enough for a comparison.
    """
    first = sums.select_total(int(sums.totals[0]))
    mean = float(first.middle[first.part > 0].mean())  # sums of offsets have the part 0
    return source.size(first.add_evenly(mean), first.cells)


@dataclass(frozen=True, eq=False)
class _Asked:
    # A question to a release, which reads its answer by its kind: a `KindReader`.
    question: Question
    view: ReleaseView
    by_mended: bool = False

    @property
    def workload(self) -> Workload:
        return self.grid.workload

    @cached_property
    def grid(self) -> AtomGrid:
        return atom_grid(self.question, self.view.domain, self.view.record.rows is not None)

    @cached_property
    def source(self) -> Source:
        """The counts by the cells of all its columns: repaired if asked for, else noisy."""
        names = self.workload.universe.names
        return self.view.mended_source(names) if self.by_mended else self.view.source(names)

    def _with_offsets(self, sums: CellSums, column: CutColumn) -> tuple[Source, CellSums]:
        """Return counts and contributions for a column's totals, with sums of offsets if any.

        An offset is a value's distance from the middle of its bin, or of its range. Of
        several measured sums, those with the least average error are used. If distances are
        from the middle of the range, the counts need not distinguish the column's cells.

        Args:
            sums: What a row of each cell adds to each total, by bins alone.
            column: The summed column.

        Raises:
            QuestionError: Neither counts by the column's cells nor such sums were measured.
        """
        names = self.workload.universe.names
        name = column.base.name
        place = self.view.place(names)
        number = self.view.domain.names.index(name)
        # `flat`: no noisy counts distinguish the column's cells, so all have one weight.
        try:
            source = self.source
            flat = not (source.parts or self.by_mended)
        except QuestionError:
            flat = True
        if flat:
            source = self.view.source(names, flat=name)
        choices = []
        for moment in find_moments(self.view.record, (number,), place):
            # `ranged`: distances are from the middle of the range.
            fits_counts = moment.noisy.what.ranged or not flat
            has_counts = bool(source.parts) or self.by_mended  # and not a model's estimate
            # `is_one`: a single sum, or sums with independent noise, which an interval needs.
            if moment.is_one and fits_counts and has_counts:
                with_offsets = sums.with_offsets(moment)
                if with_offsets is not None:
                    choices.append((replace(source, offsets=moment), with_offsets))
        if not choices:
            return self.source, sums
        return min(choices, key=lambda choice: _size(*choice))

    @property
    def reading(self) -> Readout:
        """How the answer follows from the tallies, which are sums over the rows by group."""
        (reading,) = self.workload.readings
        return reading

    def read_products(self) -> Answer:
        """Return the refusal of a question about products of numbers."""
        return refuse_answer(self.question, PRODUCTS)

    def read_ranks(self) -> Answer:
        """Return the refusal of a median or of quantiles, which `ranks` answers instead."""
        return refuse_answer(
            self.question, f"{NO_ANSWER}it says no {self.question.kind.noun}"
        )

    def read_check(self) -> Answer:
        """Return the refusal to compare a figure, which is a question to the table."""
        return self.read_ranks()

    def read_best(self) -> Answer:
        return self.read_ranks()

    def read_top(self) -> Answer:
        """Return the ``k`` most frequent values, with their noisy counts if these are asked.

        Without counts, the answer only has the values as ``chosen``, and its numbers are NaN.
        """
        counts = self.read_counts()
        best = np.argsort(-counts.value, kind="stable")[: self.question.k]
        labels = tuple(counts.labels[i] for i in best)
        if not self.question.counts:
            none = np.full(len(best), np.nan)
            return replace(counts, labels=(), chosen=labels, value=none, low=none, high=none)
        return replace(
            counts,
            labels=labels,
            value=counts.value[best],
            low=counts.low[best],
            high=counts.high[best],
        )

    def read_counts(self) -> Answer:
        """Return counts of rows, each with an interval from 0 to the public number of rows.

        The number of all rows, if public, is the exact answer about no column.
        """
        (number,) = self.reading.numerators  # the sum over the rows that the question needs
        sums = self.grid.of_tally(number)
        size = self.workload.tallies[number].size
        most_rows = (
            math.inf if self.view.record.rows is None else float(self.view.record.rows)
        )
        if most_rows < math.inf and not self.question.uses:
            exact = np.array([most_rows])
            return self._make_answer(Numbers(exact, exact, exact, np.zeros(1)), sums)
        counts = totals_of(self.source, sums, size)
        # True counts are whole, so the ends of intervals move inwards to whole numbers.
        return self._make_answer(counts.to_whole().clip(0.0, most_rows), sums)

    def read_totals(self) -> Answer:
        """Return totals of a column's numbers, by group, with their intervals.

        Totals of numbers that are never negative are not negative either; likewise above 0.
        """
        (number,) = self.reading.numerators  # the sum over the rows that the question needs
        sums = self.grid.of_tally(number)
        column = self.workload.summed_column(number)
        assert column is not None
        bounds = summable(column)
        source, sums = self._with_offsets(sums, column)
        totals = totals_of(source, sums, self.workload.tallies[number].size)
        smallest = 0.0 if bounds.low >= 0 else -math.inf
        largest = 0.0 if bounds.high <= 0 else math.inf
        return self._make_answer(
            totals.clip(smallest, largest), sums, column.base, remark=source.remark
        )

    def read_means(self) -> Answer:
        """Return means of one column by group, or of several columns, one by one."""
        if self.question.kind.single is None:
            return self.read_shares()
        singles = _split_columns(self.question)
        return _join_means(
            self.question, [answer_question(single, self.view) for single in singles]
        )

    def read_shares(self) -> Answer:
        """Return ratios with their intervals: shares of rows, or means of one column."""
        (above,) = self.reading.numerators
        (below,) = self.reading.denominators
        means, sums, remark = self._ratio(above, below)
        summed = self.workload.summed_column(above)
        return self._make_answer(means, sums, summed and summed.base, remark=remark)

    def _ratio(self, above: int, below: int | None) -> tuple[Numbers, CellSums, str]:
        """Return ratios of totals to numbers of rows, and what they come from.

        Both are sums over atoms, which are parts of cells that no condition cuts.

        Args:
            above: The number of the tally, a sum over the rows by group, in the numerator.
            below: Likewise in the denominator; None for all rows of the table.

        Returns:
            The ratios with their intervals, what a row of each cell adds to the numerators,
            and a sentence on the counts.
        """
        groups = self.workload.tallies[above].size
        numerator = self.grid.add_by_atom(self.workload.tallies[above])
        summed = self.workload.summed_column(above)
        all_rows = self.view.record.rows
        if below is None and summed is None and all_rows:
            # Shares of a public number of rows are counts over a constant.
            sums = self.grid.sums(numerator)
            counts = totals_of(self.source, sums, groups)
            if not self.view.sampled:
                counts = counts.to_whole()
            shares = Numbers(*(values / all_rows for values in counts.parts)).clip(0.0, 1.0)
            return shares, sums, self.source.remark
        sums = self._sums_over_denominator(numerator, groups, below)
        if summed is None:
            shares = ratios_of(self.source, sums, groups, low=0.0, high=1.0)
            return shares, sums, self.source.remark
        source, sums = self._with_offsets(sums, summed)
        low, high, *_ = summable(summed)
        return ratios_of(source, sums, groups, low=low, high=high), sums, source.remark

    def _sums_over_denominator(
        self, numerator: Added, groups: int, below: int | None
    ) -> CellSums:
        """Return what a row of each denominator adds to its numerators, by group.

        Args:
            numerator: The group whose numerator a row of each atom adds to, and how much.
            groups: The number of numerators.
            below: The number of the tally in the denominator; None for all rows of the table.
        """
        # The group in whose denominator a row of each atom counts; -1 for none.
        if below is None:
            denominators = np.zeros_like(numerator.places)
        else:
            denominators = self.grid.add_by_atom(self.workload.tallies[below]).places

        def sums_of(group_by_atom: Ints) -> CellSums:
            """Return what rows add that count in the denominators of these groups."""
            # A row adds to the numerator only if it is in that group; otherwise it adds 0.
            is_in_group = numerator.places == group_by_atom
            least = np.where(is_in_group, numerator.low, 0.0)
            most = np.where(is_in_group, numerator.high, 0.0)
            return self.grid.sums(Added(group_by_atom, least, most))

        if below is not None and self.workload.tallies[below].size == groups:
            return sums_of(denominators)
        # All groups have one denominator, such as the rows that have a value.
        return join_sums(
            [sums_of(np.where(denominators >= 0, group, -1)) for group in range(groups)]
        )

    def _make_answer(
        self,
        numbers: Numbers,
        sums: CellSums,
        column: Column | None = None,
        *,
        remark: str = "",
    ) -> Answer:
        """Return the answer with these numbers, its labels and its remarks.

        Args:
            numbers: The numbers of the answer with intervals and average errors, shape
                (numbers,).
            sums: What a row of each cell adds to them.
            column: The column whose values they are; None for counts and shares.
            remark: A sentence on the counts; by default that of the question's own source.
        """
        labels = group_labels(self.question, self.view.domain)
        # Dates are counted in seconds, and their error is shown in days.
        expected = numbers.mean_error / shown_units(column)
        remarks = self._remarks(sums, numbers, remark or self.source.remark)
        shown_numbers = Numbers(*numbers.parts[:3], np.array([expected]), remarks=remarks)
        columns = () if column is None else (column,)
        return Answer.from_numbers(self.question, labels, shown_numbers, columns=columns)

    def _remarks(self, sums: CellSums, numbers: Numbers, remark: str) -> tuple[str, ...]:
        """Return sentences on what an answer is read from and what it assumes.

        Args:
            sums: What a row of each cell adds to the numbers.
            numbers: The answer's.
            remark: The first sentence, on the counts that were used.
        """
        if (numbers.error == 0).all() and not len(self.question.uses):
            return ("the number of rows is public",)
        others = [
            n for n in dropping_columns(self.view.domain) if n not in self.question.uses
        ]
        remarks = [remark]
        if not sums.are_exact:
            has_offsets = (sums.part[sums.whole] == 0).any()  # the part of a sum of offsets
            remarks.append(OFFSETS if has_offsets else EVENLY)
        if others:
            column_names = name_some(others, MOST_NAMED)
            remarks.append(
                f"assumed: the rules for {column_names} leave no row out of the release"
            )
        if np.isnan(numbers.value).any():
            remarks.append(HIDDEN)
        return tuple(remarks)
