"""Questions as tallies: whose rows or numbers are added where. PUBLIC.

A tally is a vector of totals to which every row adds in at most one place; an answer follows
from one or two tallies.

>>> from synth.domain import Categorical, Domain, Integer
>>> from synth.questions.wording.language import parse
>>> domain = Domain(
...     (
...         Categorical(name="sex", categories=("F", "M")),
...         Integer(name="age", minimum=17, maximum=90),
...     )
... )
>>> workload = Workload.build([parse("count where age >= 65"), parse("table sex")], domain)
>>> workload.universe.shape, [tally.size for tally in workload.tallies]
((3, 3), [1, 2])
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from typing import Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from synth import limits
from synth.domain import Domain, Outside
from synth.errors import LimitError
from synth.privacy import ROW, Neighbors, Unit
from synth.questions.moves.terms import Term
from synth.questions.wording.condition import And, Condition, Plain, columns_of, leaves
from synth.questions.wording.question import Question, in_canonical_form
from synth.questions.wording.spelling import refuse_question
from synth.questions.workloads.atoms import CutColumn, cut_column, cuts_of
from synth.questions.workloads.tallies import Grain, Tally, doubled_classes, sum_term_of
from synth.questions.workloads.truth import evaluate, refuse_empty
from synth.util import Ints, Mask

T = TypeVar("T", bound=np.generic)

PRIVATE_ROWS = (
    "'close' compares a share only where the number of rows is public: with neighbours by "
    "replace-one, and without persons of several rows. Compare a count instead."
)


@dataclass(frozen=True, kw_only=True)
class Readout:
    """How the answer to a question, by its number, follows from the tallies.

    Attributes:
        numerators: The tallies of the answer, or of its numerators, by number.
        denominators: The tally that each is divided by; None for the number of rows, or no
            division.
        divided: Whether the answer is a ratio.
        centred: Whether sums are of distances from the middle of the range.
    """

    question: int
    numerators: tuple[int, ...]
    denominators: tuple[int | None, ...] = ()
    divided: bool = False
    centred: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class Workload:
    """Questions over one universe.

    Attributes:
        universe: Their columns, cut.
        tallies: The sums, each once.
        readings: The readout of each answer, one a question.
    """

    questions: tuple[Question, ...]
    domain: Domain
    universe: Domain
    tallies: tuple[Tally, ...]
    readings: tuple[Readout, ...]
    neighbors: Neighbors
    unit: Unit

    @classmethod
    def build(
        cls,
        questions: Iterable[Question],
        domain: Domain,
        neighbors: Neighbors = Neighbors.REPLACE_ONE,
        *,
        unit: Unit = ROW,
        cells: bool = False,
    ) -> Self:
        """Express questions as sums over the rows (tallies), over columns that are cut into
        atoms.

        An atom is a piece of a column that no question cuts.

        Args:
            questions: Checked questions.
            domain: The declared columns.
            neighbors: Whether neighbouring tables differ by an added or by a replaced person.
            unit: What one person is: a row, or several rows with the same name.
            cells: Whether to cut columns at all their declared cells too, and not only where
                the conditions cut them.

        Raises:
            QuestionError: No declared value meets a condition.
            LimitError: A condition, or a table, distinguishes too many cells.
        """
        question_tuple = tuple(questions)
        universe = _universe(question_tuple, domain, cells=cells)
        build = _Build(universe, unit.shares_rows(neighbors))
        # In canonical form, inquiries that mean the same have the same totals in one order.
        canonical = map(in_canonical_form, question_tuple)
        readings = tuple(
            build.read_question(i, question) for i, question in enumerate(canonical)
        )
        return cls(
            questions=question_tuple,
            domain=domain,
            universe=universe,
            tallies=tuple(build.tallies),
            readings=readings,
            neighbors=neighbors,
            unit=unit,
        )

    @cached_property
    def columns(self) -> tuple[CutColumn, ...]:
        """The columns of all questions, cut into atoms."""
        return cut_columns(self.universe)

    def summed_column(self, number: int) -> CutColumn | None:
        """Return the column whose numbers a tally (a sum over the rows) adds.

        None if the tally counts rows. ``number`` is its place among the workload's tallies.
        """
        axis = self.tallies[number].summed
        return None if axis is None else self.columns[axis]

    def term(self, number: int, grain: Grain, doubled: frozenset[int]) -> Term:
        """Return a tally (a sum over the rows) as a term, in whole steps.

        A term says, for each combination of classes of atoms, to which total a row adds how
        much. An atom is a piece of a column that no question cuts.

        Args:
            number: The place of the tally among the workload's tallies.
            grain: How the tally becomes whole numbers.
            doubled: The axes whose atoms stand twice, with their least and greatest value,
                which move a sum most.
        """
        tally = self.tallies[number]
        if tally.summed is None:
            return Term(
                axes=tally.axes,
                classes=doubled_classes(tally, doubled),
                place=tally.place,
                value=np.full_like(tally.place, grain.weight),
                size=tally.size,
            )
        assert grain.steps is not None
        return sum_term_of(tally, self.columns[tally.summed], grain.steps, doubled=doubled)

    def sizes(self, doubled: frozenset[int]) -> tuple[int, ...]:
        """Return the number of atoms of every axis, twice that for the doubled axes.

        An atom is a piece of a column that no question cuts.
        """
        return tuple(
            2 * size if axis in doubled else size
            for axis, size in enumerate(self.universe.shape)
        )


def cut_columns(universe: Domain) -> tuple[CutColumn, ...]:
    """Return the columns of a domain whose columns are all cut into atoms.

    An atom is a piece of a column that no question cuts.
    """
    columns = tuple(column for column in universe.columns if isinstance(column, CutColumn))
    assert len(columns) == len(universe.columns)
    return columns


def _universe(questions: Sequence[Question], domain: Domain, *, cells: bool) -> Domain:
    """Return the columns that the questions use, cut into atoms where a condition needs it.

    Columns whose cells are groups of a table, or of a sum, are cut at their declared cells
    too; with ``cells``, all columns are. An atom is a piece of a column that no question
    cuts.
    """
    used = {name for question in questions for name in question.uses}
    by_cells = {name for question in questions for name in question.group_columns}
    leaves_by_column: dict[str, list[Plain]] = {name: [] for name in used}
    for question in questions:
        for where in (question.where, *question.candidates):
            for leaf in leaves(where):
                leaves_by_column[leaf.column].append(leaf)
    # A domain needs a column, so the first one stands in if the questions name none.
    names = [name for name in domain.names if name in used] or domain.names[:1]
    columns: list[CutColumn] = []
    for name in names:
        column = domain[name]
        cuts = cuts_of(column, leaves_by_column.get(name, ()))
        columns.append(cut_column(column, cuts, cells=cells or name in by_cells))
    return Domain(tuple(columns), domain.missing_values, origin=domain.origin)


class _Build:
    """Collects the tallies (sums over the rows) that questions need, each once."""

    def __init__(self, universe: Domain, rows_are_public: bool) -> None:
        """Begin without tallies (sums over the rows).

        Args:
            universe: The columns of all questions, cut into atoms.
            rows_are_public: Whether neighbouring tables have the same number of rows.
        """
        self.columns = cut_columns(universe)
        self.numbers = {name: i for i, name in enumerate(universe.names)}
        self.rows_are_public = rows_are_public
        self.tallies: list[Tally] = []
        self._known: dict[_Added, int] = {}

    def read_question(self, number: int, question: Question) -> Readout:
        """Add the tallies (sums over the rows) that a question needs; return how to read it
        off them.

        ``number`` is the place of the question in the workload.
        """
        return question.kind.read_with(
            _ReadoutOfKind(build=self, number=number, question=question)
        )

    def covers(self, question: Question, column: str) -> bool:
        """Return whether the sum of a column includes every row, and their number is public.

        Then the sum may be of distances from the middle of the range: a row that can't be
        read adds 0, as if it were at the middle. It is False if there is a condition, or if
        rows may be missing, dropped, or hold a code or a sign.
        """
        cut = self.columns[self.numbers[column]]
        has_numbers_only = not (cut.base.missing or cut.codes or cut.signs)
        valued = has_numbers_only and cut.base.rule is Outside.NEAREST
        return self.rows_are_public and question.where is None and valued

    def counts_every_row(self, question: Question) -> bool:
        """Return whether a table counts every row, and the number of rows is public."""
        return self.rows_are_public and not any(map(self._drops, question.uses))

    def _drops(self, name: str) -> bool:
        return self.columns[self.numbers[name]].base.rule is Outside.DROP

    def all_of(self, used: Sequence[str]) -> int:
        """Return the number of the tally of all rows that the rules of these columns do not
        leave out.

        A tally is a sum over the rows, by group.
        """
        # A row counts if none of these columns leaves it out.
        inside = tuple(name for name in used if self._drops(name))
        return self.tally(_Added(None, (), inside=inside))

    def counts(
        self, question: Question, groups: Sequence[str] = (), with_number: str | None = None
    ) -> int:
        """Return the number of the tally that counts a question's rows.

        A tally is a sum over the rows, by group.

        Args:
            question: Its condition says which rows count.
            groups: The columns each combination of whose cells has a count of its own.
            with_number: If set, only rows with a number in that column count.
        """
        # A row counts if no column of `inside` leaves it out, and all of `valued` have
        # numbers.
        inside = question.uses
        valued: tuple[str, ...] = ()
        if with_number is not None:
            inside = _columns_beside(question, with_number)
            valued = (with_number,)
        return self.tally(_Added(question.where, tuple(groups), inside=inside, valued=valued))

    def sums(self, question: Question, column: str) -> int:
        """Return the number of the tally that adds a column's numbers, by the question's
        groups.

        A tally is a sum over the rows, by group.
        """
        # A row counts if no column of `inside` leaves it out, and the summed one has a
        # number.
        inside = _columns_beside(question, column)
        return self.tally(
            _Added(
                question.where, question.by, inside=inside, valued=(column,), summed=column
            )
        )

    def tally(self, added: "_Added") -> int:
        """Return the number of a tally, and make it if it is new.

        Equal sums of several questions are one tally, so that they are measured once. A tally
        is a sum over the rows, by group.
        """
        key = added.in_order()
        if key not in self._known:
            self._known[key] = len(self.tallies)
            self.tallies.append(self._make_tally(added))
        return self._known[key]

    def _make_tally(self, added: "_Added") -> Tally:
        """Return the tally (a sum over the rows, by group) that a description asks for.

        For each of its columns it collects masks of atoms: those whose rows are counted,
        those with a number if one is needed, and the ones that meet each comparison of the
        condition. An atom is a piece of a column that no question cuts.

        Args:
            added: Rows are counted if no column of ``inside`` leaves them out, and if columns
                of ``valued`` have a number; or numbers of ``summed`` are added.
        """
        names = (*added.groups, *added.inside, *added.valued)
        axes = tuple(sorted({self.numbers[name] for name in names}))
        masks = {axis: [self.columns[axis].are_counted] for axis in axes}
        for name in added.valued:
            masks[self.numbers[name]].append(self.columns[self.numbers[name]].numbers)
        # Those of the condition come last, as `_mask_needed` expects.
        for leaf in leaves(added.where):  # the comparisons
            axis = self.numbers[leaf.column]
            masks[axis].append(self.columns[axis].meets(leaf))
        tally = _place(self, added.where, added.groups, axes=axes, masks=masks)
        summed = None if added.summed is None else self.numbers[added.summed]
        times = None if added.times is None else self.numbers[added.times]
        return replace(tally, summed=summed, times=times)


@dataclass(frozen=True)
class _Added:
    # What a tally adds up: rows that meet a condition, by groups, where columns `inside` are
    # counted and `valued` ones have numbers; or the numbers of a column, times another's.
    where: Condition | None
    groups: tuple[str, ...]
    _: KW_ONLY
    inside: tuple[str, ...]
    valued: tuple[str, ...] = ()
    summed: str | None = None
    times: str | None = None

    def in_order(self) -> Self:
        return replace(
            self, inside=tuple(sorted(self.inside)), valued=tuple(sorted(self.valued))
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class _ReadoutOfKind:
    # The readout of one question, by its kind: a `KindReader`.
    build: _Build
    number: int
    question: Question

    def read_counts(self) -> Readout:
        return self._undivided(self.build.counts(self.question, self.question.listed_columns))

    def read_top(self) -> Readout:
        return self.read_counts()

    def read_ranks(self) -> Readout:
        """Return that quantiles follow from the rows that have a number in the column."""
        (column,) = self.question.columns
        return self._undivided(self.build.counts(self.question, with_number=column))

    def read_best(self) -> Readout:
        """Return that the best condition follows from one count of rows for each candidate.

        A row counts if it meets the candidate and the condition of the question.
        """
        counts = [
            self.build.counts(_count_candidate(self.question, candidate))
            for candidate in self.question.candidates
        ]
        return self._undivided(*counts)

    def read_shares(self) -> Readout:
        """Return from which sums shares follow: counts of rows over the number of all rows.

        The latter is counted too, unless it is public (None).
        """
        counted = self.build.counts(self.question, self.question.listed_columns)
        below: int | None = None
        if not self.build.counts_every_row(self.question):
            below = self.build.all_of(self.question.uses)
        return self._divided((counted,), (below,), centred=False)

    def read_check(self) -> Readout:
        """Return that a check follows from one count of rows.

        A share is over the public number of all rows, those too that a column leaves out.
        """
        claimed = self.question.claimed
        assert claimed is not None
        if claimed.is_share and not self.build.rows_are_public:
            refuse_question(PRIVATE_ROWS)
        return self._undivided(self.build.counts(self.question))

    def read_totals(self) -> Readout:
        """Return from which sum the totals of a column follow.

        If every row of a public number is added, it is of distances from the middle.
        """
        (column,) = self.question.columns
        return self._undivided(
            self.build.sums(self.question, column), centred=self._adds_every_row(column)
        )

    def read_means(self) -> Readout:
        """Return from which sums means follow: of each column, over the rows with a number.

        The number of rows is the public one (None) if every row counts, else a noisy count.
        """
        question = self.question
        sums = tuple(self.build.sums(question, column) for column in question.columns)
        below = tuple(
            None
            if self._adds_every_row(column)
            else self.build.counts(question, question.by, with_number=column)
            for column in question.columns
        )
        return self._divided(sums, below)

    def read_products(self) -> Readout:
        """Return from which sums variances, covariances and regressions follow.

        They are sums of columns and of products of two columns, over the rows that have a
        number in all of them. The number of these rows is counted, unless it is public.
        """
        from synth.questions.kinds.entries import entries_of

        question = self.question
        names = question.columns
        counted = _Added(question.where, question.by, inside=question.uses, valued=names)
        # Factors are columns by number from 1; factor 0 is the constant 1.
        factors = (None, *names)
        sums = tuple(
            self.build.tally(replace(counted, summed=factors[j], times=factors[i]))
            for i, j in entries_of(question.kind, len(names))
        )
        rows: int | None = None
        if not all(map(self._adds_every_row, names)):
            rows = self.build.tally(counted)
        return self._divided(sums, (rows,))

    def _adds_every_row(self, column: str) -> bool:
        # Whether a column's sum has all rows of a public number, in a single group.
        return self.build.covers(self.question, column) and not self.question.by

    def _undivided(self, *tallies: int, centred: bool = False) -> Readout:
        return Readout(question=self.number, numerators=tallies, centred=centred)

    def _divided(
        self,
        numerators: tuple[int, ...],
        denominators: tuple[int | None, ...],
        *,
        centred: bool = True,
    ) -> Readout:
        """Return the readout of ratios, each numerator over the denominator at its place.

        Args:
            numerators: Numbers of tallies (sums over the rows).
            denominators: Numbers of tallies of rows; None for the public number of rows.
            centred: Whether sums are of distances from the middle of the range.
        """
        return Readout(
            question=self.number,
            numerators=numerators,
            denominators=denominators,
            divided=True,
            centred=centred,
        )


def _count_candidate(question: Question, candidate: Condition) -> Question:
    """Return the question how many rows meet a candidate and the question's condition."""
    where = candidate if question.where is None else And((question.where, candidate))
    return Question.count_where(where)


def _columns_beside(question: Question, column: str) -> tuple[str, ...]:
    # The columns whose rules decide which rows count in a column's sum or mean: itself, the
    # groups and the condition's. Other summed columns of the question leave out no rows.
    return tuple(dict.fromkeys((column, *question.by, *columns_of(question.where))))


def _place(
    build: _Build,
    where: Condition | None,
    groups: tuple[str, ...],
    *,
    axes: tuple[int, ...],
    masks: dict[int, list[Mask]],
) -> Tally:
    """Return the tally: to which total a row of each combination of atoms adds, -1 for none.

    An atom is a piece of a column that no question cuts.

    Args:
        build: The columns of all questions, by number.
        where: The condition on rows; None for all rows.
        groups: The columns each combination of whose cells has a total of its own.
        axes: The numbers of all columns on which the tally depends.
        masks: For each axis, masks of its atoms, those of the condition's comparisons last.
            Atoms that are alike in all masks, and in their group, are one class.
    """
    by = [build.numbers[name] for name in groups]
    classes = []
    samples = []
    for axis in axes:
        column = build.columns[axis]
        properties = [mask.astype(np.int64) for mask in masks[axis]]
        if axis in by:
            properties.append(column.declared_codes)
        # One row a property, one column an atom that rows may be in.
        stacked = np.stack(properties)[:, : column.held_size]
        _, first, class_numbers = np.unique(
            stacked, axis=1, return_index=True, return_inverse=True
        )
        class_of_atom = class_numbers.reshape(-1).astype(np.int64)
        # An atom that no row can be in gets the class of the first one, to add no class.
        unused = np.repeat(class_of_atom[:1], column.size - column.held_size)
        classes.append(np.concatenate((class_of_atom, unused)))
        samples.append(first)
    shape = tuple(map(len, samples))
    _check_cells(math.prod(shape))
    is_counted = np.ones(shape, dtype=bool)
    for axis in axes:
        needed = _mask_needed(build, axis, masks[axis], where=where)
        is_counted = is_counted & _put_along(needed, samples, axes, axis=axis)
    if where is not None:

        def holds(leaf: Plain) -> Mask:
            axis = build.numbers[leaf.column]
            return _put_along(build.columns[axis].meets(leaf), samples, axes, axis=axis)

        is_counted = is_counted & evaluate(where, holds)
        if not is_counted.any():
            refuse_empty(where)
    group, size = _groups(build, by, samples, axes=axes)
    _check_cells(size)
    return Tally(
        axes=axes,
        classes=tuple(classes),
        place=np.where(is_counted, np.broadcast_to(group, shape), -1),
        size=size,
    )


def _mask_needed(
    build: _Build, axis: int, masks: list[Mask], *, where: Condition | None
) -> Mask:
    """Return which atoms of an axis can count at all, before the condition is looked at.

    It joins all masks but those of the condition's comparisons, which are the last ones. An
    atom is a piece of a column that no question cuts.

    Args:
        build: The columns of all questions, by number.
        axis: The number of the column.
        masks: Masks of its atoms, those of the condition's comparisons last.
        where: The condition on rows; None for all rows.
    """
    leaf_count = sum(build.numbers[leaf.column] == axis for leaf in leaves(where))
    return np.asarray(np.logical_and.reduce(masks[: len(masks) - leaf_count]))


def _put_along(
    values: NDArray[T], samples: Sequence[Ints], axes: Sequence[int], *, axis: int
) -> NDArray[T]:
    """Return values of the sampled atoms of one axis, shaped to broadcast along that axis.

    An atom is a piece of a column that no question cuts.

    Args:
        values: One for every atom of the axis.
        samples: For each of ``axes``, one atom of each class.
        axes: The numbers of the columns that are the dimensions of the result.
        axis: The one among them along which the values lie.
    """
    along = list(axes).index(axis)
    shape = [1] * len(axes)
    shape[along] = len(samples[along])
    return values[samples[along]].reshape(shape)


def _groups(
    build: _Build, by: Sequence[int], samples: Sequence[Ints], *, axes: Sequence[int]
) -> tuple[Ints, int]:
    """Return the number of the group of each combination of classes, and how many groups
    there are.

    Groups are numbered in row-major order of their declared cells. The first array broadcasts
    to one entry for each combination of classes of ``axes``. An atom is a piece of a column
    that no question cuts.

    Args:
        build: The columns of all questions, by number.
        by: The numbers of the columns whose cells make the groups.
        samples: For each of ``axes``, one atom of each class.
        axes: The numbers of all columns of the tally.
    """
    number = np.zeros([1] * len(axes), dtype=np.int64)
    size = 1
    for axis in by:
        column = build.columns[axis]
        number = number * column.base.size + _put_along(
            column.declared_codes, samples, axes, axis=axis
        )
        size *= column.base.size
    return number, size


def _check_cells(cells: int) -> None:
    """Refuse a question that distinguishes more cells than the limit.

    Raises:
        LimitError: It distinguishes ``cells`` of them, which is too many.
    """
    if cells > limits.QUESTION_CELLS:
        raise LimitError(
            f"The question needs {cells:,} cells; the limit of one question is "
            f"{limits.QUESTION_CELLS:,}. Ask of fewer columns at a time."
        )
