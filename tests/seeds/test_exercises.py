"""E1 to E6: the exercises of CS 208, section 5."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from synth.noise import DiscreteLaplace
from tests.conftest import Report
from tests.seeds.asking import ask_about
from tests.seeds.test_mechanisms import classic_sigma

pytestmark = pytest.mark.seed


def test_e1_a_gaussian_mean_has_the_variance_and_rows_of_the_note(report: Report) -> None:
    """Exercise 4.3: the Gaussian mean of n values in [-b, b] has variance 2 b^2 / (rho n^2).

    A replaced value moves the sum by 2 b. With the classic sigma for epsilon and delta, the
    source notes say how many rows are needed. They bring the mean within t = 0.2 with
    probability 1 - beta.
    """
    b, n, rho = 3, 200, Fraction(1, 8)
    epsilon, delta = 0.5, 1e-5
    t, beta = 0.2, 0.05

    mean = ask_about({"x": np.zeros(n)}, [(-b, b)], "mean x", rho=rho, way="gaussian")
    assert mean.moves * mean.grids[0] == 2 * b

    variance = float(mean.variances[0]) / n**2
    assert variance == pytest.approx(2 * b**2 / (float(rho) * n**2), rel=1e-6)

    classic = classic_sigma(epsilon, delta, 2 * b / n) ** 2
    assert classic == pytest.approx(8 * b**2 * math.log(1.25 / delta) / (epsilon * n) ** 2)

    rows = (
        2 * b / (t * epsilon) * math.sqrt(2 * math.log(1.25 / delta) * 2 * math.log(2 / beta))
    )
    missed = 2 * stats.norm.sf(t / classic_sigma(epsilon, delta, 2 * b / rows))
    assert missed < beta

    report(
        f"E1  variance: note 2 b^2/(rho n^2) = {2 * b**2 / (float(rho) * n**2):.5f}, "
        f"ours {variance:.5f}; at n = {rows:.0f} missed {missed:.3f} <= {beta}"
    )


def test_e2_noise_on_every_point_costs_a_factor_n(report: Report) -> None:
    """Exercise 4.6: noise on every point costs a factor n in the variance of the mean.

    The mean of n noisy points has the variance of one point over n; noise on the sum has its
    variance over n^2.
    """
    n = 400
    mean, point = (
        ask_about(
            {"x": np.zeros(rows)}, [(-1, 1)], "mean x", rho=Fraction(1, 2), way="gaussian"
        )
        for rows in (n, 1)
    )

    ratio = float((point.variances[0] / n) / (mean.variances[0] / n**2))
    assert ratio == pytest.approx(n, rel=1e-6)

    report(f"E2  variance with noise on points / on the mean: note n = {n}, ours {ratio:.2f}")


def test_e3_a_sum_of_squares_moves_by_the_square_of_the_bound(report: Report) -> None:
    """Exercise 4.7: a sum of squares of values up to b moves by b^2, so sigma^2 = b^4 / (2
    rho).

    Squares of values in [-3, 3] are in [0, 9], so one row moves their sum by 9. At rho 1/10
    the variance is 405. The rows do not matter: one of them is beyond the declared range.
    """
    b = 3
    values = np.array([0.5, -9.0])

    noisy_mean = ask_about(
        {"x": values**2}, [(0, b**2)], "mean x", rho=Fraction(1, 10), way="gaussian"
    )

    # The move is counted in steps of this size, in which the noise is drawn.
    step = noisy_mean.grids[0]
    assert noisy_mean.moves * step == pytest.approx(b**2, rel=1e-6)

    variance = float(noisy_mean.variances[0])
    assert variance == pytest.approx(b**4 / (2 * 0.1), rel=1e-6)

    report(f"E3  variance: note b^4/(2 rho) = 405, ours {variance:.3f}")


def test_e4_noisy_moments_are_not_psd_as_often_as_noted(report: Report) -> None:
    """Exercise 4.8: noisy matrices of moments are as often not positive semidefinite (PSD) as
    with plain NumPy noise.

    The number of rows is known; the sum and the sum of squares of values in [-1, 1] get half
    of rho = 1/10 each. A sum moves by 2, a sum of squares by 1. With 100 rows fewer than 1 %
    are not PSD. 500 draws of a share have a deviation of at most 0.022; 0.11 is five of them.
    """
    half, n = Fraction(1, 20), 30
    random = np.random.default_rng(6)
    x = random.uniform(-1, 1, n)

    sums = ask_about({"x": x}, [(-1, 1)], "mean x", rho=half, way="gaussian")
    squares = ask_about({"x": x**2}, [(0, 1)], "mean x", rho=half, way="gaussian")

    variance_of_mean = float(sums.variances[0]) / n**2
    variance_of_squares = float(squares.variances[0])
    assert variance_of_mean == pytest.approx(4 / (n**2 * 0.1), rel=1e-6)
    assert variance_of_squares == pytest.approx(1 / 0.1, rel=1e-6)

    shares, oracles = [], []
    for rows in (10, 30, 100):
        x = random.uniform(-1, 1, (500, rows))
        noisy_sums = x.sum(axis=1) + sums.draw(500)[:, 0]
        noisy_squares = (x**2).sum(axis=1) + squares.draw(500)[:, 0]
        # X'X = [[n, sum], [sum, squares]] is not PSD where its determinant is below 0.
        shares.append(float(np.mean(rows * noisy_squares < noisy_sums**2)))
        oracles.append(_oracle_share(rows))

    assert shares == pytest.approx(oracles, abs=0.11)
    assert shares[2] < 0.01

    ours = " / ".join(f"{share:.2f}" for share in shares)
    floats = " / ".join(f"{share:.2f}" for share in oracles)
    report(
        f"E4  variances: note {4 / 90:.4f} and 10, ours {variance_of_mean:.4f} and "
        f"{variance_of_squares:.2f}; P(not PSD), n = 10/30/100: note .66 / .05 / 0, uniform "
        f"data {ours}, in floats {floats}"
    )


def _oracle_share(rows: int) -> float:
    """The same probability from NumPy's float normals, apart from the package."""
    random = np.random.default_rng(7)
    x = random.uniform(-1, 1, (20_000, rows))
    sums = x.sum(axis=1) + random.normal(0, math.sqrt(40), 20_000)
    squares = (x**2).sum(axis=1) + random.normal(0, math.sqrt(10), 20_000)
    return float(np.mean(rows * squares < sums**2))


def test_e5_a_gaussian_mean_deviates_by_two_thousandths(report: Report) -> None:
    """Exercise 4.9: the Gaussian mean of 1,000 values in [-1, 1] deviates by 0.002 at rho
    1/2.

    The sum moves by 2, so that sigma is 2 / sqrt(2 rho) = 2, and 2 / n of the mean. The
    answer is within five deviations, and 2,000 draws of its noise have the same deviation
    within 10 %.
    """
    n = 1_000
    x = np.linspace(-1, 1, n) ** 3

    noisy_mean = ask_about({"x": x}, [(-1, 1)], "mean x", rho=Fraction(1, 2), way="gaussian")

    assert abs(noisy_mean.answer.value[0] - x.mean()) < 5 * 0.002 + 1e-4

    spread = float(np.std(noisy_mean.draw(2_000))) / n
    assert spread == pytest.approx(0.002, rel=0.1)

    report(
        "E5  deviation of the Gaussian mean, n = 1000, rho = .5: note .002, ours "
        f"{spread:.5f}"
    )


def test_e6_noisy_corner_bins_have_the_quantiles_of_the_note(report: Report) -> None:
    """Exercise 5.2: counts in the corner bins of a histogram have the quantiles of the source
    notes.

    n values are drawn from N(0, 1); the corners are the first two and the last two of 11 or
    1,001 bins on [-1, 1], at epsilon 1. `noted` has for each n the mean, the 97.5 % quantile,
    and this quantile with noise. The noise of four bins has a deviation of 5.66 / eps: twice
    that of one bin, 2 sqrt(2).
    """
    noted = {
        11: {100: (20.7, 29, 34.6), 1_000: (207, 233, 235), 10_000: (2_072, 2_152, 2_153)},
        1_001: {100: (0.19, 1, 11.6), 1_000: (1.9, 5, 13.6), 10_000: (19.4, 28, 33.6)},
    }

    lines = []
    for bins, cases in noted.items():
        for n, (mean, top, noisy) in cases.items():
            ours = corner_bins(bins, n)
            assert ours[0] == pytest.approx(mean, rel=0.03)
            assert ours[1] == top
            assert ours[2] == pytest.approx(noisy, abs=1.1)
            lines.append(f"{ours[0]:.4g}/{ours[1]:.0f}/{ours[2]:.0f}")

    # Noise at epsilon 1/100 is so wide that whole numbers are almost continuous.
    deviation = 2 * math.sqrt(DiscreteLaplace(Fraction(200)).variance) / 100
    assert deviation == pytest.approx(5.66, abs=0.01)

    report(
        "E6  note 20.7/29/34.6 207/233/235 2072/2152/2153 .19/1/11.6 1.9/5/13.6 "
        f"19.4/28/33.6, ours {' '.join(lines)}; sd of four bins: note 5.66/eps, ours "
        f"{deviation:.2f}"
    )


def corner_bins(bins: int, n: int) -> tuple[float, float, float]:
    """Mean and 97.5 % quantile of the items in four bins, and the quantile with noise."""
    share = 2 * (stats.norm.cdf(1) - stats.norm.cdf(1 - 4 / bins))
    items = stats.binom(n, share)
    z = np.arange(-200, 201)
    noise = np.exp(-np.abs(z) / 2) * math.tanh(1 / 4)
    four = np.convolve(np.convolve(noise, noise), np.convolve(noise, noise))
    law = np.convolve(items.pmf(np.arange(n + 1)), four)
    noisy = int(np.searchsorted(np.cumsum(law), 0.975)) - 800
    return float(items.mean()), float(items.ppf(0.975)), float(noisy)
