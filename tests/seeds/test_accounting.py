"""A1 to A6: definitions and accounting of the notes, with their slips put right."""

import math
from fractions import Fraction
from itertools import chain, combinations

import numpy as np
import pytest
from scipy import stats

from synth.privacy import accounting
from tests.conftest import Report
from tests.privacy.losses import composed, loss_of
from tests.seeds.test_mechanisms import shifted_gaussians

pytestmark = pytest.mark.seed


def response(epsilon: float) -> tuple[list[float], list[float]]:
    keep = 1 / (1 + math.exp(-epsilon))
    return [keep, 1 - keep], [1 - keep, keep]


def test_a1(report: Report) -> None:
    """The exact hockey-stick is the largest P(T) - e^eps Q(T) over every set of outputs."""
    p, q = [0.4, 0.3, 0.2, 0.1, 0.0], [0.1, 0.2, 0.25, 0.4, 0.05]
    sets = list(chain.from_iterable(combinations(range(5), size) for size in range(6)))
    gaps = []
    for epsilon in (0.0, 0.3, 1.0):
        for one, other in ((p, q), (q, p)):
            brute = max(
                sum(one[i] for i in t) - math.exp(epsilon) * sum(other[i] for i in t)
                for t in sets
            )
            gaps.append(abs(loss_of(one, other).delta(epsilon) - brute))
    assert max(gaps) < 1e-12
    loss = loss_of(*response(1.0))
    assert loss.delta(1.0) < 1e-15
    assert loss.delta(0.5) == pytest.approx((math.e - math.exp(0.5)) / (1 + math.e))
    report(
        "A1  hockey-stick against all 32 sets, both ways: note equal, ours off by "
        f"{max(gaps):.0e}"
    )


def test_a2(report: Report) -> None:
    """eps-DP is eps tanh(eps/2)-zCDP, below eps^2/2; rho-zCDP is no pure DP at any order."""
    tight = []
    for epsilon in (0.1, 0.5, 1.0, 3.0, 10.0):
        loss = loss_of(*response(epsilon))
        orders = np.concatenate([1 + np.logspace(-6, 0, 50), np.logspace(0.4, 3, 50)])
        rho = max(loss.renyi(a) / a for a in orders)
        assert rho <= accounting.pure_rho(epsilon) * (1 + 1e-6)
        assert accounting.pure_rho(epsilon) < epsilon**2 / 2
        tight.append(rho / accounting.pure_rho(epsilon))
    assert min(tight) > 0.999
    gaussian = loss_of(*shifted_gaussians(1.0, 1))
    assert gaussian.renyi(20.0) == pytest.approx(10)
    report(
        f"A2  rho of randomised response / (eps tanh(eps/2)): note 1, ours {min(tight):.5f}"
    )


def test_a3(report: Report) -> None:
    """P(loss > eps) <= delta is sufficient, not necessary."""
    sigma = accounting.analytic_sigma(1, 1e-5)
    m = 1 / sigma
    exceeds = float(stats.norm.sf(1, loc=m * m / 2, scale=m))
    assert exceeds == pytest.approx(1.61e-4, abs=5e-7)
    discrete = loss_of(*shifted_gaussians((100 * sigma) ** 2, 100))
    assert discrete.exceeds(1.0) == pytest.approx(exceeds, rel=0.01)
    assert discrete.delta(1.0) == pytest.approx(1e-5, rel=0.01)
    report(f"A3  P(loss > eps) at delta = 1e-5: note 1.61e-4, ours {exceeds:.3g}")


def test_a4(report: Report) -> None:
    """The Gaussian's loss is N(rho, 2 rho), and its tail below e^(-l^2 / (4 rho))."""
    rho = 0.5
    loss = loss_of(*shifted_gaussians(100.0**2, 100))
    mean = float(loss.losses @ loss.masses)
    variance = float((loss.losses - mean) ** 2 @ loss.masses)
    assert [mean, variance] == pytest.approx([rho, 2 * rho], rel=1e-6)
    for step in (0.5, 1.0, 2.0, 4.0):
        assert loss.exceeds(step + rho) <= math.exp(-(step**2) / (4 * rho))
    report(
        f"A4  loss at rho = .5: note N(0.5, 1), ours mean {mean:.4f}, variance {variance:.4f}"
    )


def test_a5(report: Report) -> None:
    """Basic, advanced and zCDP composition at eps = .1, delta' = 1e-6."""
    noted = {10: (1.00, 1.77, 1.47), 50: (5.0, 4.24, 3.54), 1_000: (100, 27.1, 20.6)}
    shown = []
    for k, (basic, advanced, zcdp) in noted.items():
        total = accounting.compose(0.1, k, delta=1e-6)
        assert total.basic == pytest.approx(basic)
        assert total.advanced == pytest.approx(advanced, rel=3e-3)
        assert total.zcdp == pytest.approx(zcdp, rel=3e-3)
        shown.append(f"k={k} {total.basic:.2f} / {total.advanced:.2f} / {total.zcdp:.2f}")
    exact = composed(loss_of(*response(0.1)), 50)
    total = accounting.compose(0.1, 50, delta=1e-6)
    assert exact.delta(min(total.basic, total.advanced, total.zcdp)) <= 1e-6
    report(f"A5  note 1.00/1.77/1.47, 5.0/4.24/3.54, 100/27.1/20.6; ours {', '.join(shown)}")


def test_a6(report: Report) -> None:
    """zCDP to (eps, delta), solved for rho."""
    noted = {
        (1, 1e-9): (0.01497, 5e-6),
        (1, 1e-5): (0.03056, 5e-6),
        (0.1, 1e-9): (0.00018, 5e-6),
        (0.1, 1e-5): (0.00043, 5e-6),
        (10, 1e-9): (1.0908, 5e-5),
        (10, 1e-5): (1.7827, 5e-5),
    }
    exact = {pair: [Fraction(str(number)) for number in pair] for pair in noted}
    ours = {pair: float(accounting.zcdp_rho(*exact[pair])) for pair in noted}
    for pair, (rho, digits) in noted.items():
        assert ours[pair] == pytest.approx(rho, abs=digits)
    shown = " / ".join(f"{rho:.5f}" for rho in ours.values())
    report(f"A6  note .01497 / .03056 / .00018 / .00043 / 1.0908 / 1.7827, ours {shown}")
