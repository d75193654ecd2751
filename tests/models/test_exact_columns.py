"""Rows whose columns have the repaired counts, to the row."""

from fractions import Fraction

import numpy as np
import pytest

from synth import limits
from synth.domain import Categorical, Domain
from synth.estimate import LargeRows, columns_again, round_column
from synth.estimate.models import large_rows
from synth.estimate.models.exact_columns import match_columns
from synth.plans import Method, Plan
from synth.privacy import Neighbors
from synth.private.counting.counts import CodedRows
from tests.models.doors import open_door, release_model

SIZES = (3, 5, 4, 6)
DOMAIN = Domain(
    tuple(
        Categorical(name=f"c{i}", categories=tuple(map(str, range(size))))
        for i, size in enumerate(SIZES)
    )
)
METHODS = [m for m in Method if m not in (Method.DENSE, Method.HISTOGRAM)]


def make_rows(rows: int, *, copies: bool = False) -> CodedRows:
    """Columns that are linked, or, but for the first, the same."""
    generator = np.random.default_rng(1)
    first = generator.integers(0, 3, rows)
    followers = [(first + generator.integers(0, 3, rows)) % size for size in SIZES[1:]]
    if copies:
        followers = [followers[0] % 4] * 3
    codes = [np.asarray(column, np.int32) for column in (first, *followers)]
    return CodedRows(domain=DOMAIN, codes=codes, rows=rows)


def errors_of_columns(
    rows: CodedRows, epsilon: str = "1", rows_to_draw: int | None = None, **options: object
) -> list[int]:
    """How many rows each column of a release that must be exact is off by, at most in a
    cell.
    """
    plan = Plan(domain=DOMAIN, epsilon=Fraction(epsilon), **options)  # type: ignore[arg-type]
    door = open_door(plan.guarantee(plan.epsilon), plan.neighbors)
    record, codes, _ = release_model(plan, rows, door, wanted=rows_to_draw)
    columns = columns_again(record, plan)
    counts = [np.bincount(codes[a], minlength=SIZES[a]) for a in columns]
    expected = [round_column(column, len(codes[0])) for column in columns.values()]
    return [int(np.abs(a - b).max()) for a, b in zip(counts, expected, strict=True)]


@pytest.mark.parametrize("neighbors", Neighbors)
@pytest.mark.parametrize("method", METHODS)
def test_rows_of_every_method_have_their_columns(
    method: Method, neighbors: Neighbors
) -> None:
    """Rows have the repaired counts of each column, rounded, in every cell: none is off
    by a row.

    That is so whatever the noise, as errors are against the repaired counts and not against
    the table's. It also holds for a number of rows other than the table's, here 777.
    """
    groups = (("c0", "c1"), ("c1", "c2"), ("c3",)) if method == Method.GROUPS else ()
    options = {"method": method, "neighbors": neighbors, "groups": groups}
    assert errors_of_columns(make_rows(2_000), **options) == [0] * 4
    assert errors_of_columns(make_rows(2_000), "1/5", rows_to_draw=777, **options) == [0] * 4


def test_rows_in_parts_have_their_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns are exact too if rows are drawn in parts, here in parts of 300 of 2,000
    rows.
    """
    monkeypatch.setattr(limits, "ROWS_AT_A_TIME", 500)
    monkeypatch.setattr(large_rows, "PART_ROWS", 300)
    assert errors_of_columns(make_rows(2_000), method=Method.ONE_SHOT) == [0] * 4


def test_columns_that_follow_one_another_are_left_as_they_were_settled() -> None:
    """A column that follows another one need not be exact, so that it stays a function of
    it.

    Three of the four columns are the same, so that at most the first has to be exact.
    """
    rows = make_rows(20_000, copies=True)
    assert len(errors_of_columns(rows, "20", method=Method.ONE_SHOT)) <= 1


def test_a_part_that_lacks_the_rows_leaves_them_to_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """If parts of a table lack the rows to be changed, the part that has them changes
    all.

    The first cell is to have all 40 rows. Only the last of four parts has rows of the
    other.
    """
    monkeypatch.setattr(large_rows, "PART_ROWS", 10)
    codes = np.array([[0] * 30 + [1] * 10], dtype=np.uint8)
    rows = LargeRows(codes, (2,), np.random.default_rng())
    assert len(rows.parts) == 4
    match_columns(rows, {0: np.array([40.0, 0.0])}, np.random.default_rng())
    assert not codes.any()


def test_no_more_cells_are_changed_than_have_to_be() -> None:
    """Matching a column changes as few cells as its counts require, and no other column.

    53 of 100 rows are wanted in the first cell, which has 50: three cells change.
    """
    codes = np.array([[0] * 50 + [1] * 50, [0] * 100], dtype=np.uint8)
    before = codes.copy()
    rows = LargeRows(codes, (2, 2), np.random.default_rng())
    match_columns(rows, {0: np.array([0.53, 0.47])}, np.random.default_rng())
    assert (codes != before).sum() == 3, "50 of 100 rows were in the first cell"
    assert not codes[1].any()


def test_a_column_without_rows_is_spread_evenly() -> None:
    """A column whose counts are all 0 is rounded evenly: 7 rows in 3 cells are 3, 2 and 2."""
    assert round_column(np.zeros(3), 7).tolist() == [3, 2, 2]
    assert round_column(np.array([1.0, 2.0]), 0).tolist() == [0, 0]
