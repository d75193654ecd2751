"""A public table as the guess: what it says, and how far noisy columns overrule it."""

import numpy as np
import pytest

from synth.estimate import PublicGuess
from synth.estimate.repair.column import repair_column

SHAPE = (2, 3)


def _make_guess() -> PublicGuess:
    """A public table of 1,000 rows, in which the first and the second column are always
    equal.
    """
    generator = np.random.default_rng(1)
    first = generator.integers(2, size=1000).astype(np.int32)
    return PublicGuess(SHAPE, {0: first, 1: first}, 1000)


def test_nothing_is_impossible_though_no_public_row_has_it() -> None:
    """The guess gives every cell a share above 0, even a cell without public rows.

    Public rows have equal values in both columns: half of them in cell (0, 0), none in
    (0, 1).
    """
    shares = _make_guess().shares((0, 1))
    assert shares.min() > 0
    assert shares.sum() == pytest.approx(1)
    assert shares[0, 0] > 0.4 > 0.01 > shares[0, 1]


def _correct_column(noisy: list[float], variance: float) -> list[float]:
    """The first column's expected rows, of 500, between its guess and these noisy counts."""
    far_column = (np.array([250.0, 250.0, 0.0]), 1e6)
    columns = [(np.array(noisy), variance), far_column]
    return list(
        _make_guess().columns(
            columns, 500.0, [repair_column(*column, 500.0) for column in columns]
        )[0]
    )


def test_a_column_stays_with_its_guess_where_noise_is_louder_than_their_distance() -> None:
    """A column follows the public guess if noise is loud, and its noisy counts if it is
    quiet.

    The loud counts deviate by 60 and 40 rows under noise of deviation 100; the quiet ones are
    far from the guess, with deviation 2.
    """
    public = _make_guess().shares((0,)) * 500
    column_with_loud_noise = _correct_column([public[0] + 60, public[1] - 40], 10_000.0)
    assert column_with_loud_noise == pytest.approx(public, abs=12)
    assert _correct_column([480.0, 20.0], 4.0) == pytest.approx([480, 20], abs=2)


def test_a_cell_without_public_rows_gets_the_rows_that_noise_does_not_hide() -> None:
    """A cell without public rows gets its rows, as noisy counts show them, give or take
    15.

    All public rows are in the first cell of each column; the noisy counts are not. Their
    deviation is 7, the root of the variance 50.
    """
    codes = np.zeros(1000, dtype=np.int32)
    guess = PublicGuess(SHAPE, {0: codes, 1: codes}, 1000)
    noisy = [(np.array([260.0, 240.0]), 50.0), (np.array([170.0, 160.0, 170.0]), 50.0)]
    repaired = [repair_column(*column, 500.0) for column in noisy]
    columns = guess.columns(noisy, 500.0, repaired)
    for column, (values, _) in zip(columns, noisy, strict=True):
        assert column == pytest.approx(values, abs=15)


def test_a_column_that_the_public_table_lacks_is_repaired_by_itself() -> None:
    """A column that the public table lacks gets the counts of the repair without a guess."""
    # The public table has ten rows, and of the two columns only the first.
    guess = PublicGuess(SHAPE, {0: np.zeros(10, dtype=np.int32)}, 10)
    noisy_second = np.array([100.0, -3.0, 50.0])
    noisy_columns = [(np.array([75.0, 72.0]), 2.0), (noisy_second, 2.0)]
    repaired = [repair_column(*column, 147.0) for column in noisy_columns]
    columns = guess.columns(noisy_columns, 147.0, repaired)
    assert columns[1] == pytest.approx(repaired[1])


def test_a_pair_has_the_sums_of_its_columns_and_the_link_of_the_public_rows() -> None:
    """A guessed pair keeps the sums of its columns, and is linked as the public rows are.

    In the public rows both columns are equal, so that nearly all of the 290 rows that have 0
    in the second column have 0 in the first as well. Independence would give 174.
    """
    columns = [np.array([300.0, 200.0]), np.array([290.0, 200.0, 10.0])]
    table = _make_guess().pair((0, 1), columns, 500.0)
    assert table.sum(axis=0) == pytest.approx(columns[1])
    assert table[0, 0] > 240


def test_rows_to_start_from_are_the_public_ones_each_as_often() -> None:
    """Rows to start from are public rows, repeated so that each column has its expected
    counts.

    The public table has two rows, of the first column only. All six rows have the one value
    of the second column that is expected, 1.
    """
    guess = PublicGuess(SHAPE, {0: np.arange(2, dtype=np.int32)}, 2)
    columns = [np.array([3.0, 3.0]), np.array([0.0, 6.0, 0.0])]
    rows = guess.draw(columns, 6, np.random.default_rng(2))
    assert np.bincount(rows[:, 0]).tolist() == [3, 3]
    assert set(rows[:, 1]) == {1}


def test_links_within_the_sampling_error_of_the_public_table_are_none() -> None:
    """A pair of the public table counts as linked only beyond its sampling error.

    In `_make_guess` both columns are equal; in the other table, of 300 rows, they are drawn
    independently.
    """
    generator = np.random.default_rng(4)
    loose = {
        a: generator.integers(size, size=300).astype(np.int32) for a, size in enumerate(SHAPE)
    }
    assert _make_guess().is_linked((0, 1))
    assert not PublicGuess(SHAPE, loose, 300).speaks_of((0, 1))


def test_a_column_that_the_guess_gets_wrong_is_about_as_near_as_without_it() -> None:
    """A wrong guess makes columns at most 20 % worse than no guess.

    All public rows are in a cell that holds no private row, and noise of scale 40 would hide
    less than a tenth of the 1,000 rows.
    """
    codes = np.zeros(1000, dtype=np.int32)
    shape, real = (6,) * 8, np.array([0.0, 0.0, 900.0, 60.0, 40.0, 0.0])
    guess = PublicGuess(shape, dict.fromkeys(range(8), codes), 1000)
    noise = np.random.default_rng(5).laplace(0, 40, (8, 6))
    noisy_columns = [(real + column_noise, 3200.0) for column_noise in noise]
    repaired = [repair_column(*noisy_column, 1000.0) for noisy_column in noisy_columns]
    error, without = (
        np.mean([np.abs(column - real).sum() for column in columns])
        for columns in (guess.columns(noisy_columns, 1000.0, repaired), repaired)
    )
    assert error < 1.2 * without
