"""Values within bins follow what was measured of offsets: their means, deviations and
ends.
"""

from fractions import Fraction

import numpy as np
import pytest

from synth.domain import Domain, building
from synth.estimate import MomentSum
from synth.rows import draw_rows, value_laws
from tests.analysis.moments import added, codes_of, released

DOMAIN = Domain(
    age=building.Integer(0, 99, bins=5), wage=building.Number(0, 10, bins=4, decimals=2)
)
N = 20_000
# A scale of noise so small that released sums and counts are nearly exact.
QUIET = Fraction(1, 50)
# Of each column: sums of offsets and of their squares, by bin and of all rows.
OWN = [MomentSum(columns=(i,), by=(i,)) for i in (0, 1)]
SQUARES = [MomentSum(columns=(i, i), by=(i,)) for i in (0, 1)]
SINGLE = [MomentSum(columns=(i,)) for i in (0, 1)]
RANGES = [MomentSum(columns=(i, i)) for i in (0, 1)]


def make_heaped_rows() -> dict[str, np.ndarray]:
    """Ages at the lower ends of their bins, wages near the middle of theirs."""
    rng = np.random.default_rng(3)
    age = 20 * rng.integers(0, 5, N) + rng.integers(0, 6, N)
    wage = np.round(2.5 * rng.integers(0, 4, N) + rng.normal(1.25, 0.2, N), 2)
    return {"age": age.astype(float), "wage": np.clip(wage, 0, 10)}


ROWS = make_heaped_rows()


def draw_after_release(moment_sums: list[MomentSum]) -> dict[str, np.ndarray]:
    """Rows that are drawn after a release of `ROWS` with these sums of offsets."""
    record = released(DOMAIN, ROWS, moment_sums, scale=QUIET, steps=QUIET)
    table = draw_rows(record.distribution, seed=1, laws=value_laws(record)).table
    return {name: table[name].to_numpy().astype(float) for name in DOMAIN.names}


@pytest.mark.parametrize("sums", [[*OWN, *SQUARES], SINGLE])
def test_means_and_deviations_come_out_as_measured(sums: list[MomentSum]) -> None:
    """Drawn rows have the mean that was measured, and the standard deviation if squares were.

    There is hardly any noise. Ages lie at the lower ends of their bins. Without measured sums
    they are drawn evenly, which moves their mean by more than five years.
    """
    has_squares = len(sums) > len(SINGLE)
    with_sums, without_sums = draw_after_release(sums), draw_after_release([])

    for name, tolerance in (("age", 0.05), ("wage", 0.01)):
        truth = ROWS[name]
        assert with_sums[name].mean() == pytest.approx(truth.mean(), abs=6 * tolerance)
        if has_squares:
            assert with_sums[name].std() == pytest.approx(truth.std(), abs=6 * tolerance)
    assert abs(without_sums["age"].mean() - ROWS["age"].mean()) > 5


@pytest.mark.parametrize("sums", [SINGLE, [*SINGLE, *RANGES]])
def test_counts_of_no_row_at_all_have_laws(sums: list[MomentSum]) -> None:
    """The laws of values are finite numbers even if the noisy counts leave no row.

    Sums with much noise are divided by the number of rows, which must not overflow.
    """
    nobody = {name: np.empty(0) for name in DOMAIN.names}
    laws = value_laws(released(DOMAIN, nobody, sums, scale=QUIET, steps=Fraction(10**5)))
    assert all(np.isfinite(law).all() for law in laws.values())


def test_values_stay_in_their_bins() -> None:
    """Measured sums move values within their bins, and no value into another bin.

    Bins have 20 years, and real ages lie in the first six. So nine of ten drawn ages lie in
    the first eight. The noisy counts of bins are off by at most 2.
    """
    age = draw_after_release([*OWN, *SQUARES])["age"]
    assert age.min() >= 0
    assert age.max() <= 99

    counts, true_counts = (
        np.bincount((ages // 20).astype(int)) for ages in (age, ROWS["age"])
    )
    assert np.abs(counts - true_counts).max() <= 2
    assert np.mean(age % 20 < 8) > 0.9


def test_noise_alone_leaves_values_even() -> None:
    """Sums that noise alone could explain leave values nearly even within bins.

    The noise has a scale of 10**9. A law has two parameters of a Beta distribution, which are
    both 1 if values are even; here for the five bins of age. Without any sums there are no
    laws.
    """
    even = {"age": np.arange(N) % 100 * 1.0, "wage": np.arange(N) % 1001 / 100.0}
    record = released(DOMAIN, even, OWN, steps=Fraction(10**9))
    laws = value_laws(record)
    law_of_age = laws[0,]  # column 0; a line for each cell, of which five are bins
    beta_parameters = law_of_age[:5, :2]
    assert np.abs(beta_parameters - 1).max() < 0.3
    assert value_laws(released(DOMAIN, even, [])) == {}


@pytest.mark.parametrize("sign", [-1, 1])
def test_correlations_come_out_as_measured(sign: int) -> None:
    """If the sum of products was measured, drawn rows have the real correlation.

    It is 0.9 or -0.9 before numbers are rounded and cut off at their bounds. `released` gives
    the counts of all cells and these sums, with hardly any noise. The standard error of the
    correlation of 20,000 rows is about 0.001. Without the sums, values are even within bins,
    which changes the correlation by more than 0.03.
    """
    rng = np.random.default_rng(5)
    x, y = rng.multivariate_normal([50, 5], [[400, sign * 36], [sign * 36, 4]], N).T
    rows = {"age": np.clip(np.rint(x), 0, 99), "wage": np.clip(np.round(y, 2), 0, 10)}

    def draw_columns(sums: list[MomentSum]) -> dict[str, np.ndarray]:
        record = released(DOMAIN, rows, sums, scale=QUIET, steps=QUIET)
        table = draw_rows(record.distribution, seed=1, laws=value_laws(record)).table
        return {name: table[name].to_numpy().astype(float) for name in DOMAIN.names}

    sum_of_products = MomentSum(columns=(0, 1))
    with_sums = draw_columns([*SINGLE, *RANGES, sum_of_products])
    for name, column in with_sums.items():
        assert column.mean() == pytest.approx(rows[name].mean(), rel=0.01)
        assert column.std() == pytest.approx(rows[name].std(), rel=0.02)

    real, with_product, without = (
        np.corrcoef(columns["age"], columns["wage"])[0, 1]
        for columns in (rows, with_sums, draw_columns([]))
    )
    assert with_product == pytest.approx(real, abs=0.01)
    assert abs(without - real) > 0.03


@pytest.mark.parametrize("product", [False, True])
def test_means_by_group_come_out_as_measured(product: bool) -> None:
    """If sums by group were measured, drawn rows have the real mean age of each job.

    That holds although a measured product of age and wage is set after them. `released` gives
    the counts of all cells and these sums, with hardly any noise. Without sums by group the
    mean of the last job is off by more than 0.2 years, twice what is allowed with them.
    """
    rng = np.random.default_rng(6)
    group = rng.integers(0, 3, N)
    age = np.clip(np.rint(rng.normal(30 + 12 * group, 14)), 0, 99)
    wage = np.clip(np.round(age / 12 + rng.normal(0, 1, N), 2), 0, 10)
    domain = Domain(
        age=building.Integer(0, 99, bins=3),
        wage=building.Number(0, 10, bins=3, decimals=2),
        job=["0", "1", "2"],
    )
    rows = {"age": age, "wage": wage, "job": group.astype(str)}
    sums = [*SINGLE, *RANGES, MomentSum(columns=(0, 1))] if product else SINGLE
    record = released(
        domain, rows, [*sums, MomentSum(columns=(0,), by=(2,))], scale=QUIET, steps=QUIET
    )
    table = draw_rows(record.distribution, seed=1, laws=value_laws(record)).table

    drawn_ages = table["age"].to_numpy().astype(float)
    drawn_groups = np.array(table["job"].to_pylist()).astype(int)
    for number in range(3):
        assert drawn_ages[drawn_groups == number].mean() == pytest.approx(
            age[group == number].mean(), abs=0.1
        )
    if product:
        correlation = np.corrcoef(drawn_ages, table["wage"].to_numpy().astype(float))[0, 1]
        assert correlation == pytest.approx(np.corrcoef(age, wage)[0, 1], abs=0.03)

    without_sums_by_group = released(domain, rows, sums, scale=QUIET, steps=QUIET)
    table_without = draw_rows(
        without_sums_by_group.distribution, seed=1, laws=value_laws(without_sums_by_group)
    ).table
    jobs = np.array(table_without["job"].to_pylist()).astype(int)
    error_without = (
        table_without["age"].to_numpy().astype(float)[jobs == 2].mean()
        - age[group == 2].mean()
    )
    assert abs(error_without) > 0.2


def test_deviations_follow_squares_of_rows_that_have_the_other_number() -> None:
    """Squares over rows that also have the other number give the deviation of all rows.

    A tenth of each number is missing, and ages are crowded at the middle of wide bins.
    `released` gives the counts of all cells and these sums, with hardly any noise. The
    deviation of the drawn rows may differ from the real one by a tenth.
    """
    rng = np.random.default_rng(6)
    age = np.clip(rng.normal(50, 6, N), 0, 99).round()
    wage = np.clip(age / 10 + rng.normal(0, 0.3, N), 0, 10).round(2)
    rows = {"age": age, "wage": wage}
    rows = {
        name: np.where(rng.random(N) < 0.1, np.nan, values) for name, values in rows.items()
    }
    domain = Domain(
        age=building.Integer(0, 99, bins=2, missing=True),
        wage=building.Number(0, 10, bins=2, decimals=2, missing=True),
    )
    squares = [MomentSum(columns=(i, i), given=(1 - i,)) for i in (0, 1)]
    record = released(domain, rows, [*SINGLE, *squares], scale=QUIET, steps=QUIET)
    table = draw_rows(record.distribution, seed=1, laws=value_laws(record)).table
    for name in domain.names:
        drawn_values = table[name].to_numpy().astype(float)
        assert np.nanstd(drawn_values) == pytest.approx(np.nanstd(rows[name]), rel=0.1)


@pytest.mark.parametrize("by_group", [True, False])
def test_sums_of_two_columns_count_numbers_as_they_were_measured(by_group: bool) -> None:
    """Drawn rows have the measured sum of two columns, by group or of products.

    Some numbers are codes outside the range, such as 99 and 999, and the bins of real numbers
    end above their last value. Sums count in units of half a bin's width, or of half the
    ranges. The sum of the drawn rows is off by less than 0.4% of a unit per row, and by more
    than 1% if it was not measured.
    """
    rng = np.random.default_rng(6)
    group = rng.integers(0, 3, N)
    hours = np.clip(np.rint(rng.normal(8 + 2 * group, 3)), 0, 20)
    fee = np.clip(np.rint(2 * hours + rng.normal(0, 6, N)), 0, 49)
    domain = Domain(
        hours=building.Number(0, 20, bins=2, decimals=0, spikes=[-9, 99]),
        fee=building.Integer(0, 49, bins=2, spikes=[999]),
        job=["0", "1", "2"],
    )
    code = rng.random(N)
    rows = {
        "hours": np.where(code < 0.1, 99.0, np.where(code < 0.2, -9.0, hours)),
        "fee": np.where(rng.random(N) < 0.1, 999.0, fee),
        "job": group.astype(str),
    }
    tie = MomentSum(columns=(0,), by=(2,)) if by_group else MomentSum(columns=(0, 1))
    sums = [MomentSum(columns=(i,), by=(i,)) for i in (0, 1)]
    record = released(domain, rows, [*sums, tie], scale=QUIET, steps=QUIET)
    table = draw_rows(record.distribution, seed=1, laws=value_laws(record)).table
    rows_with_the_sum = {
        name: np.array(table[name].to_pylist()).astype(float) for name in domain.names
    }

    sum_of_rows = added(domain, rows_with_the_sum, codes_of(domain, rows_with_the_sum), tie)
    (moment,) = [candidate for candidate in record.moments if candidate.what == tie]

    without = released(domain, rows, sums, scale=QUIET, steps=QUIET)
    table_without = draw_rows(without.distribution, seed=1).table
    rows_without = {
        name: np.array(table_without[name].to_pylist()).astype(float) for name in domain.names
    }
    sum_of_rows_without = added(domain, rows_without, codes_of(domain, rows_without), tie)
    assert np.abs(sum_of_rows - moment.values).max() < 0.004 * N * tie.steps
    assert np.abs(sum_of_rows_without - moment.values).max() > 0.01 * N * tie.steps
