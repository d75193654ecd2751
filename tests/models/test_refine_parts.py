"""A part of a large table: its share of a gap, and how far it closes it."""

from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest

from synth.estimate.models import refine_parts
from synth.estimate.models.refine_parts import settle_part, share_of
from synth.util import Ints, small_type, sum_by_cell

SHAPE = (7, 300, 2, 5)


def test_shares_of_a_gap_are_whole_rows_that_add_up() -> None:
    """A gap of whole rows is shared out over parts in whole rows, each within a row of
    its share.

    The parts go from 0 to .1 of all rows, to .45, to .5 and to 1.
    """
    generator = np.random.default_rng(0)
    gap = np.round(generator.normal(0, 30, (6, 9)))
    ends = [0, 0.1, 0.45, 0.5, 1]
    shares = [share_of(gap, *pair) for pair in pairwise(ends)]
    assert (sum(shares) == gap).all()
    for share, width in zip(shares, np.diff(ends), strict=True):
        assert (share == np.round(share)).all()
        assert np.abs(share - gap * width).max() < 1


def make_problem(rows: int) -> Any:
    """Independent rows; how many more or fewer rows each cell of a tied table has; and
    weights of the cells.
    """
    generator = np.random.default_rng(1)
    law = [generator.dirichlet(np.ones(size)) for size in SHAPE]
    codes = np.array(
        [generator.choice(len(shares), rows, p=shares) for shares in law],
        dtype=small_type(SHAPE),
    )
    tied_codes = codes.copy()
    tied_codes[3] = np.where(generator.random(rows) < 0.5, tied_codes[0] % 5, tied_codes[3])
    tied_codes[2] = np.where(generator.random(rows) < 0.4, tied_codes[1] % 2, tied_codes[2])
    cliques = [*((column,) for column in range(4)), *combinations(range(4), 2)]
    gaps = {
        clique: count_cells(tied_codes, clique) - count_cells(codes, clique)
        for clique in cliques
    }
    weights = {
        clique: np.maximum(count_cells(tied_codes, clique), 1.0) ** -0.4 for clique in cliques
    }
    return codes, gaps, weights


def count_cells(codes: Ints, clique: tuple[int, ...]) -> Ints:
    return sum_by_cell([codes[a] for a in clique], [SHAPE[a] for a in clique])


@pytest.mark.usefixtures("whole_fits")
@pytest.mark.parametrize("max_looking", [600, 10_000])
def test_a_settled_part_has_closed_its_gaps(
    monkeypatch: pytest.MonkeyPatch, max_looking: int
) -> None:
    """Settling a part closes the gaps of columns and pairs to at most 15 %, or to 3 % of
    its rows.

    `make_problem` gives independent rows, and the gaps to a table whose columns are tied. Of
    a large part few rows may be changed at once (`max_looking`); in a small one all may.
    """
    monkeypatch.setattr(refine_parts, "MAX_LOOKING", max_looking)
    codes, gaps, weights = make_problem(60_000)
    before = {clique: count_cells(codes, clique) for clique in gaps}

    settle_part(codes, SHAPE, gaps, weights=weights, generator=np.random.default_rng(2))

    assert codes.dtype == np.uint16
    for clique, gap in gaps.items():
        remaining_gap = before[clique] + gap - count_cells(codes, clique)
        assert np.abs(remaining_gap).sum() <= max(
            0.15 * np.abs(gap).sum(), 0.03 * codes.shape[1]
        ), clique
    # At first the gaps summed to more than twice the number of rows.
    assert sum(np.abs(gaps[clique]).sum() for clique in gaps) > 2 * codes.shape[1]


def test_what_fits_is_left_as_it_is() -> None:
    """If all gaps are 0, settling changes less than 1 % of the cells."""
    codes, gaps, weights = make_problem(5_000)
    codes_before = codes.copy()
    settle_part(
        codes,
        SHAPE,
        {c: 0 * g for c, g in gaps.items()},
        weights=weights,
        generator=np.random.default_rng(),
    )
    assert (codes != codes_before).mean() < 0.01


def test_columns_nobody_speaks_of_stay() -> None:
    """Settling changes only columns that have a gap: here the first and the last of four."""
    codes, gaps, weights = make_problem(5_000)
    codes_before = codes.copy()
    gaps_of_first_and_last = {
        clique: gap for clique, gap in gaps.items() if set(clique) <= {0, 3}
    }

    settle_part(
        codes,
        SHAPE,
        gaps_of_first_and_last,
        weights=weights,
        generator=np.random.default_rng(3),
    )

    assert (codes[1:3] == codes_before[1:3]).all()
    assert (codes[3] != codes_before[3]).any()


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_settling_hardly_any_rows(rows: int) -> None:
    """Settling none, one or two rows leaves codes that are cells of their columns."""
    codes, gaps, weights = make_problem(max(rows, 1))
    settle_part(
        codes[:, :rows], SHAPE, gaps, weights=weights, generator=np.random.default_rng(4)
    )
    assert (codes.T < SHAPE).all()
