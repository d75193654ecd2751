"""Comparison: against a plain re-computation, known cases, and simulation."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from synth import limits
from synth.domain import Domain, Integer
from synth.errors import TableError
from synth.private.comparison import compare
from synth.private.comparison.distances import expected_distance
from synth.util import summarize, tables
from tests.comparison.errors import errors_of_order

DOMAIN = Domain(
    tuple(
        Integer(name=n, minimum=1, maximum=k, bins=k)
        for n, k in zip("abcd", (2, 3, 5, 4), strict=True)
    )
)


def sample_codes(rows: int, tilt: float) -> list[np.ndarray]:
    """Random codes of the columns a to d; the first is 1 with chance `tilt`, and b
    follows a.
    """
    rng = np.random.default_rng()
    a = (rng.random(rows) < tilt).astype(int)
    return [
        a,
        (a + rng.integers(0, 2, rows)),
        rng.integers(0, 5, rows),
        rng.integers(0, 4, rows),
    ]


@pytest.mark.parametrize("order", [1, 2, 3])
def test_distances_agree_with_plain_counting(order: int) -> None:
    """The error of a table is the total variation distance: half the summed differences of
    the shares of all cells.
    """
    real = sample_codes(300, 0.3)
    synthetic = sample_codes(200, 0.6)
    errors = errors_of_order(DOMAIN, real, synthetic, order)

    for columns in combinations(range(4), order):
        real_counts = Counter(zip(*(real[i].tolist() for i in columns), strict=True))
        synthetic_counts = Counter(
            zip(*(synthetic[i].tolist() for i in columns), strict=True)
        )

        expected = 0.0
        for cell in real_counts | synthetic_counts:
            expected += abs(real_counts[cell] / 300 - synthetic_counts[cell] / 200) / 2
        names = tuple("abcd"[i] for i in columns)
        assert errors.by_table[names] == pytest.approx(expected)


def test_a_table_is_at_distance_zero_from_itself_and_one_from_a_disjoint_one() -> None:
    """The k-marginal score is 1,000 for no error and 0 for the largest."""
    real = sample_codes(500, 0.5)
    same = compare(DOMAIN, real, real)
    assert (same.one_way.max, same.three_way.max, same.k_marginal) == (0, 0, 1000)
    assert same.subsample_percent == 100

    zeros = [np.zeros(9, int)] * 4
    ones = [np.ones(9, int)] * 4
    assert compare(DOMAIN, zeros, ones).k_marginal == 0


def test_large_tables_are_compared_without_allocating_their_cells() -> None:
    """A triple has 9,999^3 cells, of which 100 random rows of each table share none: the
    error is 1.
    """
    wide = Domain(tuple(Integer(name=n, minimum=1, maximum=9999, bins=9999) for n in "abc"))
    rng = np.random.default_rng()
    real, synthetic = ([rng.integers(0, 9999, 100) for _ in range(3)] for _ in range(2))
    assert errors_of_order(wide, real, synthetic, 3).mean == pytest.approx(1)


def test_very_many_tables_are_thinned_by_a_public_rule() -> None:
    """All 50 * 49 / 2 = 1,225 pairs are compared, but of the triples only as many as the
    limit, the same each time.
    """
    assert len(tables(50, 2)) == 1225
    assert len(tables(50, 3)) <= limits.COMPARED_TABLES
    assert tables(50, 3) == tables(50, 3)


@pytest.mark.parametrize("share", [0.02, 0.2, 0.7])
def test_expected_distance_of_a_subsample_agrees_with_simulation(share: float) -> None:
    """The expected distance of a random subsample is a closed form, checked by simulation.

    It is within 5.5 standard errors of 4,000 binomial subsamples. There are 50 cells of 1
    row, 20 of 3 rows, and so on.
    """
    counts = np.array([1, 3, 40, 500])
    times = np.array([50, 20, 5, 1])
    cells = np.repeat(counts, times)

    rng = np.random.default_rng()
    subsample_counts = rng.binomial(cells, share, (4000, len(cells)))
    simulated = np.abs(subsample_counts / share - cells).sum(1) / 2 / cells.sum()

    expected = expected_distance(counts, times / cells.sum(), share)
    error = simulated.std() / np.sqrt(4000)
    assert abs(simulated.mean() - expected) < 5.5 * error


def test_subsample_percent_finds_the_share_that_was_sampled() -> None:
    """Random samples of 10 % of the rows are reported as about as good as a sample of 10 %.

    The logarithm of a finding is .14 too large, with a standard deviation of .25.
    """
    real = sample_codes(20_000, 0.3)
    rng = np.random.default_rng()
    percentages = []
    for _ in range(20):
        is_sampled = rng.random(20_000) < 0.1
        percentages.append(
            compare(DOMAIN, real, [c[is_sampled] for c in real]).subsample_percent
        )

    assert np.mean(np.log(percentages)) == pytest.approx(np.log(10), abs=0.5)


def test_the_floor_is_what_chance_does() -> None:
    """The floor of an error is what a fresh sample of the same size would be off by.

    Two independent samples differ by sqrt 2 times what one differs from its source. One ratio
    has a standard deviation of .25, the mean of forty one of .04.
    """
    results = [
        compare(DOMAIN, sample_codes(2_000, 0.5), sample_codes(2_000, 0.5)) for _ in range(40)
    ]
    ratios = [result.two_way.mean / result.floor[1].mean for result in results]
    assert np.mean(ratios) == pytest.approx(np.sqrt(2), rel=0.2)
    assert summarize(results[0])["floor"]["two_way"]["mean"] == results[0].floor[1].mean


def test_the_floor_is_the_mean_of_bootstrap_samples() -> None:
    """The floor is the mean error of samples with replacement, up to 5.5 standard errors.

    Cells of 1 row and of more than 2,000 are among those simulated.
    """
    real = [np.repeat(np.arange(4), [1, 30, 700, 5_000])]
    column = Domain((Integer(name="a", minimum=1, maximum=4, bins=4),))

    rng = np.random.default_rng()
    bootstrap_errors = [
        errors_of_order(column, real, [real[0][rng.integers(0, 5_731, 5_731)]], 1).mean
        for _ in range(400)
    ]

    expected = compare(column, real, real).floor[0].mean
    assert abs(np.mean(bootstrap_errors) - expected) < 5.5 * np.std(
        bootstrap_errors
    ) / np.sqrt(400)


def test_worst_tables_come_first_and_single_columns_have_no_pairs() -> None:
    """Tables are sorted by their error; one column alone has neither pairs nor triples."""
    result = compare(DOMAIN, sample_codes(300, 0.2), sample_codes(300, 0.8))
    worst = [value for _, value in result.two_way.worst_first]
    assert worst == sorted(worst, reverse=True)

    one_column = compare(
        DOMAIN.project("a"), sample_codes(300, 0.2)[:1], sample_codes(300, 0.8)[:1]
    )
    assert (one_column.two_way.mean, one_column.three_way.mean) == (0, 0)


def test_a_table_without_rows_is_refused() -> None:
    """A real or a synthetic table without rows cannot be compared."""
    empty = [np.zeros(0, int)] * 4
    with pytest.raises(TableError, match="real table has no rows inside the declared domain"):
        compare(DOMAIN, empty, sample_codes(3, 0.5))
    with pytest.raises(TableError, match="synthetic table has no rows"):
        compare(DOMAIN, sample_codes(3, 0.5), empty)
