"""The joint sensitivity against a search of all neighbours."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.errors import ArgumentError, LimitError
from synth.privacy import ROW, Neighbors, Sensitivity, Unit
from synth.questions import Joint
from synth.questions.moves.joint import SearchLimits, joint_sensitivity
from synth.questions.moves.terms import Term
from tests.questions.random_workloads import (
    count_term,
    search_neighbours,
    some_term,
    sum_term,
    table_term,
    vectors,
    workload,
)

SEEDS = st.integers(0, 2**32)
RELATIONS = st.sampled_from(list(Neighbors))
ONE = st.sampled_from([ROW, Unit("pid", 1)])
HALVES = np.array([0, 1])
"""Two atoms, each a class of its own."""


def norms(sensitivity: Sensitivity) -> tuple[int, int, int]:
    """The sensitivity in L1, in squared L2, and in the largest number."""
    return sensitivity.l1, sensitivity.squared_l2, sensitivity.l_infinity


def declared_norms(norms_of_move: tuple[int, int, int]) -> tuple[int, int, int]:
    """Where nothing moves, 1 is declared."""
    return max(1, norms_of_move[0]), max(1, norms_of_move[1]), max(1, norms_of_move[2])


def joint(
    terms: list[Term], sizes: list[int], unit: Unit = ROW, **limits: Any
) -> list[Joint]:
    """The joint sensitivity of terms, for replaced rows and for added ones, as `Neighbors`
    lists them.
    """
    search = SearchLimits(**limits)
    return [joint_sensitivity(terms, sizes, n, unit=unit, search=search) for n in Neighbors]


@pytest.mark.slow
@settings(max_examples=500, derandomize=True)
@given(SEEDS, RELATIONS, ONE)
def test_nothing_moves_farther_and_something_moves_as_far(
    seed: int, neighbors: Neighbors, unit: Unit
) -> None:
    """The joint sensitivity is the largest move that a search of all neighbours finds.

    Each seed is a random workload of up to seven terms on a few cells. `vectors` lists what a
    row in each cell adds. The sensitivity is in L1, in squared L2, and in the largest number.
    """
    terms, sizes = workload(seed)
    computed = joint_sensitivity(terms, sizes, neighbors, unit=unit)
    assert computed.exact
    assert computed.least == computed.sensitivity

    largest_move = search_neighbours(vectors(terms, sizes), neighbors, unit)
    assert norms(computed.sensitivity) == declared_norms(largest_move)


@settings(max_examples=60, derandomize=True)
@given(SEEDS, RELATIONS, st.sampled_from([2, 3]))
def test_persons_move_as_far_as_the_proof_says(
    seed: int, neighbors: Neighbors, k: int
) -> None:
    """A person of at most k rows moves a workload as far as a search of all neighbours finds.

    Each seed is a random workload of four terms on 2 by 3 cells.
    """
    random = np.random.default_rng(seed)
    sizes = [2, 3]
    terms = [some_term(random, sizes) for _ in range(4)]
    computed = joint_sensitivity(terms, sizes, neighbors, unit=Unit("pid", k))
    assert computed.exact

    largest_move = search_neighbours(vectors(terms, sizes), neighbors, Unit("pid", k))
    assert norms(computed.sensitivity) == declared_norms(largest_move)


@pytest.mark.slow
@settings(max_examples=400, derandomize=True)
@given(SEEDS, RELATIONS, ONE, st.integers(0, 8), st.sampled_from([0, 2**20]))
def test_what_was_searched_lies_between_bound_and_least(
    seed: int, neighbors: Neighbors, unit: Unit, cells: int, work: int
) -> None:
    """A search that is cut off gives a lower and an upper bound of the largest move.

    Its limits are on cells and on work, here so small that components of a few cells count as
    too large. It is exact where both bounds agree.
    """
    terms, sizes = workload(seed)
    exact = declared_norms(search_neighbours(vectors(terms, sizes), neighbors, unit))
    computed = joint_sensitivity(
        terms, sizes, neighbors, unit=unit, search=SearchLimits(cells=cells, work=work)
    )

    for least, middle, bound in zip(
        norms(computed.least), exact, norms(computed.sensitivity), strict=True
    ):
        assert least <= middle <= bound
    assert computed.exact == (computed.least == computed.sensitivity)


@settings(max_examples=100, derandomize=True)
@given(SEEDS, ONE, st.sampled_from([0, 8, 2**20]))
def test_the_order_of_terms_and_axes_does_not_matter(
    seed: int, unit: Unit, cells: int
) -> None:
    """Reordered terms and renumbered axes have the same sensitivity and the same bounds.

    This holds where the search is exact, and where it is cut off after few cells.
    """
    terms, sizes = workload(seed)
    random = np.random.default_rng(seed)
    axes, order = random.permutation(len(sizes)), random.permutation(len(terms))

    moved = [
        replace(terms[number], axes=tuple(int(axes[axis]) for axis in terms[number].axes))
        for number in order
    ]
    widths = [sizes[int(axis)] for axis in np.argsort(axes)]

    assert joint(terms, sizes, unit, cells=cells) == joint(moved, widths, unit, cells=cells)


@pytest.mark.parametrize("groups", [2, 5, 40])
def test_disjoint_conditions_move_by_one_if_added_and_by_two_if_replaced(groups: int) -> None:
    """Counts of disjoint groups move by 1 for an added row, and by 2 in L1 for a replaced
    one.

    The same holds for a table of the groups: the replaced row leaves one count and enters
    another.
    """
    atoms = np.arange(groups)
    counts = [count_term((0,), (atoms,), atoms == group) for group in range(groups)]

    for terms in (counts, [table_term((0,), (atoms,))]):
        replaced, added = joint(terms, [groups])
        assert (replaced.exact, added.exact) == (True, True)
        assert replaced.sensitivity == Sensitivity(2, 2, 1)
        assert added.sensitivity == Sensitivity(1, 1, 1)


def test_persons_move_what_rows_do_not() -> None:
    """A person of up to three rows moves the number of rows by 3, also by replacement.

    A replaced person may have fewer rows. For single rows the sensitivity is 1 under both
    relations.
    """
    rows = count_term((), (), np.array(True))
    assert [computed.sensitivity for computed in joint([rows], [])] == [
        Sensitivity(1, 1, 1)
    ] * 2

    persons = [computed.sensitivity for computed in joint([rows], [], Unit("pid", 3))]
    assert persons == [Sensitivity(3, 9, 3)] * 2


def test_a_row_that_adds_nothing_may_replace_any_other() -> None:
    """A sum of 5 or 9 steps a row moves by 9 if a row is replaced, and not only by 4.

    A damaged line, or one that a rule leaves out, adds none.
    """
    steps = sum_term((0,), (HALVES,), np.array([5, 9]))
    assert joint([steps], [2])[0].sensitivity == Sensitivity(9, 81, 9)


def test_a_mean_by_group_is_sums_and_counts() -> None:
    """A mean by group moves the group's sum and its count, or those of two groups.

    Income is -4 or 5 steps. An added row moves a sum by at most 5 and a count by 1, squared
    25 and 1. A replaced row moves from -4 in one group to 5 in the other: 4 + 5 and 1 + 1 in
    L1. Within a group it moves 9 steps, squared 81.
    """
    income = np.array([0, 1])
    groups = np.array([[0, 1], [0, 1]])
    steps = np.array([[-4, -4], [5, 5]])
    terms = [sum_term((0, 1), (income, HALVES), steps, groups), table_term((1,), (HALVES,))]

    replaced, added = joint(terms, [2, 2])
    assert replaced.sensitivity == Sensitivity(12, 81, 9)
    assert added.sensitivity == Sensitivity(6, 26, 5)


def predicates(count: int, sizes: list[int]) -> list[Term]:
    """Conjunctions of ranges and sets over one, two and three axes."""
    random = np.random.default_rng(5)
    terms = []
    for number in range(count):
        axes = random.choice(len(sizes), 1 + number % 3, replace=False).tolist()
        classes = [(random.random(sizes[axis]) < 0.5).astype(np.int64) for axis in axes]
        counted = np.zeros([2] * len(axes), dtype=bool)
        counted[(1,) * len(axes)] = True
        terms.append(count_term(axes, classes, counted))
    return terms


def counts_of_cells(terms: list[Term], sizes: list[int]) -> np.ndarray:
    """Which counts hold each cell, shape (cells, counts)."""
    columns = []
    for term in terms:
        grid = np.zeros(sizes, dtype=np.int8)
        shape = [sizes[axis] if axis in term.axes else 1 for axis in range(len(sizes))]
        order = np.argsort(term.axes)
        is_counted = (term.place >= 0)[np.ix_(*term.classes)].transpose(order)
        columns.append((grid + is_counted.reshape(shape)).ravel())
    return np.array(columns).T


@pytest.mark.parametrize("count", [15, 30, 70])
def test_counts_over_thousands_of_cells_are_exact(count: int) -> None:
    """The sensitivity of many counts over 1,680 cells is the largest distance of two cells.

    A cell has a pattern of the counts that hold it. A replaced row moves as many counts as
    two patterns differ in, an added one as many as its pattern has. Patterns of 15, 30 and 70
    counts are computed in different ways.
    """
    sizes = [5, 6, 7, 8]
    terms = predicates(count, sizes)
    patterns = counts_of_cells(terms, sizes).astype(np.float32)

    counts_in_common = patterns @ patterns.T
    counts_of_cell = patterns.sum(axis=1)

    replaced, added = joint(terms, sizes)
    assert (replaced.exact, added.exact) == (True, True)
    assert (
        replaced.sensitivity.l1
        == (counts_of_cell[:, None] + counts_of_cell[None] - 2 * counts_in_common).max()
    )
    assert added.sensitivity.l1 == counts_of_cell.max()


@pytest.mark.parametrize("seed", range(1000, 1030))
def test_many_terms_are_exact(seed: int) -> None:
    """Up to 39 sums, tables and counts together have the sensitivity that a full search
    finds.

    They are too many for the shortcuts, and in some seeds no pair is left to look at.
    """
    random = np.random.default_rng(seed)
    sizes = [4, 5, 6][: int(random.integers(2, 4))]
    terms = [some_term(random, sizes) for _ in range(random.integers(5, 40))]
    rows = vectors(terms, sizes)

    for neighbors, computed in zip(Neighbors, joint(terms, sizes), strict=True):
        assert computed.exact
        largest_move = search_neighbours(rows, neighbors, ROW)
        assert norms(computed.sensitivity) == declared_norms(largest_move)


def test_columns_of_very_many_atoms_are_bounded_by_their_largest_vectors() -> None:
    """For 3,000 by 3,000 atoms a replacement is bounded, and an addition is exact.

    There are too many pairs of rows to list. An added row enters two tables and at most three
    counts, so it moves five numbers by 1. A replaced one moves each table by 2 and each count
    by 1, at most 7 together; a move of 6 was found.
    """
    sizes = [3_000, 3_000]
    first_atoms, second_atoms = (np.arange(size) for size in sizes)
    counts = [
        count_term((0,), (first_atoms,), first_atoms % 7 == 1),
        count_term((1,), (second_atoms,), second_atoms % 5 == 4),
    ]

    pairs = count_term(
        (0, 1), (first_atoms % 2, second_atoms % 2), np.array([[True, False], [False, False]])
    )
    tables = [table_term((0,), (first_atoms,)), table_term((1,), (second_atoms,))]

    replaced, added = joint([*counts, pairs, *tables], sizes)
    assert not replaced.exact
    assert replaced.least.l1 == 6
    assert replaced.sensitivity.l1 == 7
    assert added.sensitivity == Sensitivity(5, 5, 1)


def test_a_wide_workload_is_bounded_within_known_gaps() -> None:
    """Where a search would be too long, the bound is near a move that was found.

    It is at most 40 % above it for replaced rows, and 20 % for added ones.
    """
    sizes = [10, 20, 30, 40, 50, 60, 10, 20, 30]
    replaced, added = joint(predicates(120, sizes), sizes)
    assert (replaced.exact, added.exact) == (False, False)
    assert replaced.sensitivity.l1 <= 1.4 * replaced.least.l1
    assert added.sensitivity.l1 <= 1.2 * added.least.l1


@pytest.mark.parametrize(
    ("terms", "sizes", "error", "sentence"),
    [
        ([], [2], ArgumentError, "a workload has at least one term."),
        (
            [table_term((1,), (HALVES,))],
            [2],
            ArgumentError,
            "a term has 2 atoms on axis 1, which has none.",
        ),
        (
            [table_term((0,), (HALVES,))],
            [3],
            ArgumentError,
            "a term has 2 atoms on axis 0, which has 3.",
        ),
        (
            [sum_term((0,), (HALVES,), HALVES * 2**30)],
            [2],
            LimitError,
            "The sums of this workload have too many grid steps for 64-bit integers.",
        ),
    ],
)
def test_what_does_not_fit_is_refused(
    terms: list[Term], sizes: list[int], error: Any, sentence: str
) -> None:
    """Terms that do not fit the axes, or whose sums exceed 64 bits, are refused in one
    sentence.

    `sizes` is the number of atoms of each axis.
    """
    with pytest.raises(error) as caught:
        joint(terms, sizes)
    assert str(caught.value) == sentence
