"""M1 to M14: what the source notes say about mechanisms, with their slips put right."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy import integrate, optimize, stats

from synth import queries
from synth.domain.domain import Domain, Integer
from synth.noise.elliptical import EllipticalGaussian, Least
from synth.noise.exponential import shortfall
from synth.noise.gaussian import DiscreteGaussian
from synth.noise.knorm import KNorm, Norm
from synth.noise.laplace import DiscreteLaplace
from synth.noise.laws import Weighted, exp_minus
from synth.noise.response import RandomizedResponse, laplace_rows_needed, rows_needed
from synth.noisy.counts import NoisyCounts
from synth.privacy import accounting
from synth.privacy.guarantee import Guarantee, Neighbors
from synth.queries.workloads import CountingQueries
from synth.repair.histogram import Repair, repair
from tests.audit.exact import exponents
from tests.conftest import Report
from tests.privacy.losses import loss_of

pytestmark = pytest.mark.seed


def test_m1(report: Report) -> None:
    """Scalar mean of x in [0, 1]: rate n eps, largest log-density ratio exactly eps."""
    n, epsilon = 100, Fraction(1, 2)
    query = queries.mean(np.zeros(n), low=0, high=1)
    scale = Fraction(query.steps[0]) / epsilon * query.grids[0]
    assert 1 / scale == n * epsilon
    q = exp_minus(query.grids[0] / scale, 320)
    with localcontext(prec=110):
        loss = [-(Decimal(end) / 2**320).ln() * query.steps[0] for end in q]
    assert abs(loss[0] - Decimal("0.5")) < Decimal("1e-50")
    report(f"M1  largest log ratio: note eps = 0.5, ours {loss[0]:.6f}; rate n eps = {1 / scale}")


def test_m2(report: Report) -> None:
    """Tail e^(-t/b), union bound, rows k ln(k/beta)/(alpha eps)."""
    mechanism = DiscreteLaplace(Fraction(1_000))
    tail = mechanism.tail(3_000)
    assert tail == pytest.approx(math.exp(-3), rel=1e-3)
    k, size = 10, 20_000
    worst = np.abs(mechanism.draw(k * size).reshape(size, k)).max(axis=1)
    t = 5_000
    seen, bound = float(np.mean(worst >= t)), k * math.exp(-t / 1_000)
    assert seen <= bound + 5 * math.sqrt(bound / size)
    assert bound < 1.2 * seen
    rows = laplace_rows_needed(k, alpha=0.05, epsilon=1, beta=0.05)
    assert rows == 1_060
    report(
        f"M2  P(|Z| >= 3b): note {math.exp(-3):.4f}, ours {tail:.4f}; "
        f"union bound {bound:.4f}, seen {seen:.4f}; rows: note 1,060, ours {rows:,}"
    )


def test_m3(report: Report) -> None:
    """l2 noise: the radius is Erlang(d, lambda), so its mean is d/lambda."""
    means = {}
    for d in (2, 5, 10, 50):
        sample = KNorm(Norm.L2, d, Fraction(300)).draw(20_000).astype(float)
        radius = np.linalg.norm(sample, axis=1) / 300
        means[d] = float(radius.mean())
        assert means[d] == pytest.approx(d, abs=5 * math.sqrt(d / 20_000) + 0.02)
        distance = stats.kstest(radius, stats.gamma(d).cdf).statistic
        assert distance < 2.7 / math.sqrt(20_000) + 0.002
        sample, radius = sample[radius > 0], radius[radius > 0]  # one run in thirty draws a zero
        directions = sample / (300 * radius[:, None])
        assert np.abs(directions.mean(axis=0)).max() < 5.5 / math.sqrt(d * 20_000)
    shown = " / ".join(f"{mean:.2f}" for mean in means.values())
    report(f"M3  mean radius, lambda = 1: note 2 / 5 / 10 / 50, ours {shown}")


def test_m4(report: Report) -> None:
    """An exponential radius is the wrong sampler, and it is not eps-private."""
    far = []
    for d, noted in ((2, 0.37), (5, 0.82), (10, 0.97), (50, 1.00)):
        right = np.linalg.norm(KNorm(Norm.L2, d, Fraction(300)).draw(20_000), axis=1) / 300
        far.append(float(stats.kstest(right, stats.expon.cdf).statistic))
        assert far[-1] == pytest.approx(noted, abs=0.02)
    ratios = [wrong_ball_ratio(t) for t in (0.5, 0.25, 0.1)]
    assert ratios == pytest.approx([22.48, 111.8, 772.2], rel=1e-3)
    assert min(ratios) > math.e
    report(
        f"M4  KS distance: note .37 / .82 / .97 / 1.00, ours {_row(far, '.2f')}; "
        f"ball ratio: note 22 / 113 / 930, ours {_row(ratios, '.0f')} against e = 2.72"
    )


def wrong_ball_ratio(t: float) -> float:
    """P(ball of radius t at the answer) / P(the same ball at distance 1), d = 3, eps = 1."""
    far = integrate.quad(lambda r: math.exp(-r) * (t * t - (r - 1) ** 2) / (4 * r), 1 - t, 1 + t)[0]
    return float((1 - math.exp(-t)) / far)


def test_m5(report: Report) -> None:
    """Expected squared length for the mean of [0, 1]^10, times (n eps)^2."""
    sides = {Norm.L1: 10.0, Norm.L2: math.sqrt(10), Norm.MAX: 1.0}
    ours = []
    for norm, noted in ((Norm.L1, 2_000), (Norm.L2, 1_100), (Norm.MAX, 440)):
        sample = KNorm(norm, 10, Fraction(100)).draw(20_000).astype(float) / 100
        ours.append(float((sample**2).sum(axis=1).mean()) * sides[norm] ** 2)
        assert ours[-1] == pytest.approx(noted, rel=0.04)
    report(f"M5  squared error, d = 10: note 2000 / 1100 / 440, ours {_row(ours, '.0f')}")


def test_m6(report: Report) -> None:
    """The classic sigma: where it fails, and what it wastes where it holds."""
    delta = 1e-5

    def excess(epsilon: float) -> float:
        sigma = math.sqrt(2 * math.log(1.25 / delta)) / epsilon
        return accounting.gaussian_delta(epsilon, sigma) - delta

    exact = float(optimize.brentq(excess, 5, 9))
    assert exact == pytest.approx(8.4198, abs=1e-4)
    breaks = next(e / 20 for e in range(20, 200) if excess(e / 20) > 0)
    assert breaks == 8.45
    waste = [
        accounting.classic_sigma(e, delta) / accounting.analytic_sigma(e, delta)
        for e in (0.1, 0.5, 1 - 1e-9)
    ]
    assert waste == pytest.approx([1.58, 1.38, 1.30], abs=0.005)
    for e in (0.1, 0.5, 0.99):
        assert accounting.gaussian_delta(e, accounting.classic_sigma(e, delta)) < delta
    report(
        f"M6  classic fails from eps: note 8.45, ours {breaks} (exactly {exact:.3f}); "
        f"waste: note 1.58 / 1.38 / 1.30, ours {_row(waste, '.2f')}"
    )


def test_m7(report: Report) -> None:
    sigma = accounting.analytic_sigma(1, 1e-5)
    assert sigma == pytest.approx(3.7306, abs=5e-5)
    report(f"M7  analytic sigma, eps = 1, delta = 1e-5: note 3.7306, ours {sigma:.4f}")


def test_m8(report: Report) -> None:
    """Renyi divergence a/(2 s^2), for every order; the discrete law equals it."""
    assert DiscreteGaussian.for_rho(Fraction(1, 18), sensitivity2=1).sigma2 == 9
    loss = loss_of(*shifted_gaussians(9.0, 1))
    ours = [loss.renyi(a) for a in (1.5, 2.0, 8.0, 32.0)]
    assert ours == pytest.approx([a / 18 for a in (1.5, 2.0, 8.0, 32.0)], rel=1e-9)
    noted = _row([a / 18 for a in (1.5, 2.0, 8.0, 32.0)], ".4f")
    report(f"M8  Renyi divergence, sigma = 3: note {noted}, ours {_row(ours, '.4f')}")


def shifted_gaussians(sigma2: float, shift: int) -> tuple[np.ndarray, np.ndarray]:
    z = np.arange(-int(36 * math.sqrt(sigma2)), int(36 * math.sqrt(sigma2)) + shift + 1)
    p, q = np.exp(-(z**2) / (2 * sigma2)), np.exp(-((z - shift) ** 2) / (2 * sigma2))
    return p / p.sum(), q / q.sum()


def test_m9(report: Report) -> None:
    """Elliptical noise for D = (10, 1, 1, 1), and on multivariate normal data."""
    ours = {
        least: EllipticalGaussian.for_ranges([10, 1, 1, 1], rho=Fraction(1, 2), least=least)
        for least in Least
    }
    spherical = ours[Least.LARGEST].variance, ours[Least.LARGEST].deviations.sum()
    variance, absolute = ours[Least.VARIANCE].variance, ours[Least.ABSOLUTE].deviations.sum()
    assert [*spherical, variance, absolute] == pytest.approx([412, 40.6, 169, 21.1], rel=2e-3)
    assert EllipticalGaussian.for_ranges([2, 2], rho=1).variance == pytest.approx(
        EllipticalGaussian.for_ranges([2, 2], rho=1, least=Least.LARGEST).variance
    )
    seen = normal_data_error(Least.LARGEST) / normal_data_error(Least.VARIANCE)
    assert seen == pytest.approx(412 / 169, rel=0.3)
    report(
        f"M9  variance: note 412 / 169, ours {spherical[0]:.0f} / {variance:.0f}; L1: note 40.6 / "
        f"21.1, ours {spherical[1]:.1f} / {absolute:.1f}; on normal data 2.44, seen {seen:.2f}"
    )


def normal_data_error(least: Least) -> float:
    data = np.random.default_rng(0).multivariate_normal(
        np.zeros(4), np.diag([9, 0.1, 0.1, 0.1]), 99
    )
    bounds = [(-5, 5), ("-0.5", "0.5"), ("-0.5", "0.5"), ("-0.5", "0.5")]
    true = np.clip(data, [-5, -0.5, -0.5, -0.5], [5, 0.5, 0.5, 0.5]).sum(axis=0)
    query = queries.vector_sum(data, bounds=bounds, shape=least)
    answers = [query.release(Guarantee.zcdp(Fraction(1, 2))).value for _ in range(1_500)]
    return float(((np.array(answers) - true) ** 2).sum(axis=1).mean())


def test_m10(report: Report) -> None:
    """Randomised response against Laplace: k = 10, alpha = .05, eps = 1, beta = .05."""
    k, alpha = 10, 0.05
    needed = rows_needed(k, alpha=alpha, epsilon=1, beta=0.05)
    shape = k**2 * math.log(k / 0.05) / alpha**2
    laplace = laplace_rows_needed(k, alpha=alpha, epsilon=1, beta=0.05)
    assert needed == pytest.approx(480_116, abs=1)
    assert round(shape) == 211_933
    assert laplace == 1_060
    spread = math.sqrt(RandomizedResponse.for_queries(Fraction(1), queries=k).variance / needed)
    response = 1 - (1 - 2 * stats.norm.sf(alpha / spread)) ** k
    noise = DiscreteLaplace(Fraction(1_000))
    failed = 1 - (1 - noise.tail(laplace * alpha / k * 1_000)) ** k
    assert [response, failed] == pytest.approx([0.007, 0.051], abs=0.003)
    report(
        f"M10 rows: note 480,116 / 211,933 / 1,060, ours {needed:,} / {shape:,.0f} / {laplace:,}; "
        f"failures: note .007 / .051, ours {response:.3f} / {failed:.3f}"
    )


def test_m11(report: Report) -> None:
    """Exponential mechanism: eps with the 2, 2 eps without it, and its utility."""
    losses = {}
    for factor in (2, 1):
        laws = {
            scores: law_of_scores(scores, Fraction(1, factor))
            for scores in product(range(-1, 2), repeat=3)
        }
        losses[factor] = max(
            abs(math.log(a / b))
            for one, other in product(laws, repeat=2)
            if max(abs(s - t) for s, t in zip(one, other, strict=True)) <= 1
            for a, b in zip(laws[one], laws[other], strict=True)
        )
    assert losses[2] <= 1 + 1e-12
    many = law_of_scores((1, *[-1] * 4_000), Fraction(1)), law_of_scores((0,) * 4_001, Fraction(1))
    assert 1.99 < math.log(many[0][0] / many[1][0]) <= 2
    bound = shortfall(20, epsilon=1, sensitivity=1, beta=0.1)
    law = np.array(law_of_scores(tuple(range(20)), Fraction(1, 2)))
    assert law[np.arange(20) <= 19 - bound].sum() <= 0.1
    doubled = math.log(many[0][0] / many[1][0])
    report(
        f"M11 largest log ratio at eps = 1: note at most 1, ours {losses[2]:.3f}; "
        f"without the 2: note 2, ours {doubled:.3f}"
    )


def law_of_scores(scores: tuple[int, ...], rate: Fraction) -> list[float]:
    ends = [*Weighted(exponents(scores, rate=rate)).thresholds(64).low, 1 << 64]
    return [float(b - a) / 2.0**64 for a, b in zip([0, *ends], ends, strict=False)]


def test_m12(report: Report) -> None:
    """The L1 sensitivity of a histogram by search over all neighbours of small tables."""
    moved = 0
    for table in product(range(3), repeat=3):
        for place, other in product(range(3), range(3)):
            neighbour = [*table[:place], other, *table[place + 1 :]]
            counts = np.bincount(table, minlength=3), np.bincount(neighbour, minlength=3)
            moved = max(moved, int(np.abs(counts[0] - counts[1]).sum()))
    assert moved == Neighbors.REPLACE_ONE.sensitivity == 2
    scales = {
        CountingQueries(np.eye(k, dtype=bool)).direct(1, Neighbors.REPLACE_ONE).scale
        for k in (2, 10, 100)
    }
    assert scales == {2}
    report(f"M12 sensitivity: note 2, ours {moved}; scale for 2, 10, 100 bins: 2 / eps")


def test_m13(report: Report) -> None:
    """Theorem 5.1: error / sqrt(X ln k) is constant unclamped, and grows when clamped."""
    random, constants, clamped = np.random.default_rng(5), [], []
    for cells in (64, 256, 1_024, 4_096):
        workload = CountingQueries(random.random((200, cells)) < 0.5)
        noise = DiscreteLaplace(Fraction(2)).draw(300 * cells).reshape(300, cells).astype(float)
        size = math.sqrt(cells * math.log(200))
        constants.append(_worst(workload, noise) / size)
        clamped.append(_worst(workload, np.maximum(noise, 0)) / cells)
    assert constants == pytest.approx([2.15] * 4, abs=0.3)
    assert max(clamped) / min(clamped) < 1.7
    assert clamped[-1] == pytest.approx(0.5, abs=0.1)
    report(
        f"M13 error / sqrt(X ln k): note 2.15, ours {_row(constants, '.2f')}; "
        f"clamped, error / X: {_row(clamped, '.2f')}"
    )


def _worst(workload: CountingQueries, noise: np.ndarray) -> float:
    return float(np.abs(noise @ workload.members.T.astype(float)).max(axis=1).mean())


def test_m14(report: Report) -> None:
    """Clamping adds b/2 rows for every empty cell."""
    scale = Fraction(20)
    domain = Domain((Integer(name="x", minimum=1, maximum=100_000, bins=10_000),))
    values = DiscreteLaplace(scale).release(np.zeros(domain.size, np.int64))
    noisy = NoisyCounts(
        domain, values, scale, Neighbors.REPLACE_ONE, Guarantee.pure(Fraction(1, 10)), 0
    )
    added = float(repair(noisy, Repair.CLAMP).weights.sum()) / domain.size
    assert added == pytest.approx(10, abs=5 * 20 / math.sqrt(domain.size))
    assert DiscreteLaplace(scale).mean_absolute / 2 == pytest.approx(10, rel=1e-3)
    report(f"M14 rows that clamping adds to an empty cell, b = 20: note 10, ours {added:.2f}")


def _row(numbers: list[float], form: str) -> str:
    return " / ".join(format(number, form) for number in numbers)
