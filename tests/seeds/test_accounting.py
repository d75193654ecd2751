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


def randomised_response(epsilon: float) -> tuple[list[float], list[float]]:
    """Return the chances of both outputs for a yes, and for a no."""
    chance_of_truth = 1 / (1 + math.exp(-epsilon))
    chance_of_lie = 1 - chance_of_truth
    return [chance_of_truth, chance_of_lie], [chance_of_lie, chance_of_truth]


def test_a1_the_hockey_stick_is_the_largest_over_all_sets(report: Report) -> None:
    """Our delta is the largest P(T) - e^eps Q(T) over every set T of outputs.

    All 32 sets of five outputs are tried, in both directions. For randomised response of
    epsilon 1, delta is 0 at 1 and (e - e^0.5) / (1 + e) at 0.5.
    """
    p, q = [0.4, 0.3, 0.2, 0.1, 0.0], [0.1, 0.2, 0.25, 0.4, 0.05]

    sets = list(chain.from_iterable(combinations(range(5), size) for size in range(6)))

    gaps = []
    for epsilon in (0.0, 0.3, 1.0):
        for first, second in ((p, q), (q, p)):
            brute = max(
                sum(first[output] for output in outputs)
                - math.exp(epsilon) * sum(second[output] for output in outputs)
                for outputs in sets
            )
            gaps.append(abs(loss_of(first, second).delta(epsilon) - brute))

    assert max(gaps) < 1e-12

    loss = loss_of(*randomised_response(1.0))
    assert loss.delta(1.0) < 1e-15
    assert loss.delta(0.5) == pytest.approx((math.e - math.exp(0.5)) / (1 + math.e))

    report(
        "A1  hockey-stick against all 32 sets, both ways: note equal, ours off by "
        f"{max(gaps):.0e}"
    )


def test_a2_epsilon_costs_a_rho_below_half_its_square(report: Report) -> None:
    """A pure epsilon costs the rho eps tanh(eps/2), which is below eps^2/2, and no less.

    The largest Renyi divergence over its order is searched for randomised response. It is
    within 0.1 % of that rho, so the rho is tight. Gaussian noise of sigma 1 has a divergence
    of order / 2, which grows without end: a rho is no pure epsilon.
    """
    tight = []

    for epsilon in (0.1, 0.5, 1.0, 3.0, 10.0):
        loss = loss_of(*randomised_response(epsilon))
        orders = np.concatenate([1 + np.logspace(-6, 0, 50), np.logspace(0.4, 3, 50)])
        rho = max(loss.renyi(order) / order for order in orders)
        assert rho <= accounting.pure_rho(epsilon) * (1 + 1e-6)
        assert accounting.pure_rho(epsilon) < epsilon**2 / 2
        tight.append(rho / accounting.pure_rho(epsilon))

    assert min(tight) > 0.999

    gaussian = loss_of(*shifted_gaussians(1.0, 1))
    assert gaussian.renyi(20.0) == pytest.approx(10)

    report(
        f"A2  rho of randomised response / (eps tanh(eps/2)): note 1, ours {min(tight):.5f}"
    )


def test_a3_a_loss_rarely_above_epsilon_suffices_for_delta(report: Report) -> None:
    """A loss that exceeds epsilon with probability delta suffices for delta, but is not
    needed.

    Gaussian noise that is just enough for epsilon 1 and delta 1e-5 exceeds epsilon with
    probability 1.61e-4, as the source notes say. The loss of Gaussian noise is normal, of
    mean mu^2 / 2 and deviation mu. Discrete noise in steps of 1/100 agrees within 1 %.
    """
    sigma = accounting.analytic_sigma(1, 1e-5)
    mu = 1 / sigma
    exceeds = float(stats.norm.sf(1, loc=mu * mu / 2, scale=mu))
    assert exceeds == pytest.approx(1.61e-4, abs=5e-7)

    discrete = loss_of(*shifted_gaussians((100 * sigma) ** 2, 100))
    assert discrete.exceeds(1.0) == pytest.approx(exceeds, rel=0.01)
    assert discrete.delta(1.0) == pytest.approx(1e-5, rel=0.01)

    report(f"A3  P(loss > eps) at delta = 1e-5: note 1.61e-4, ours {exceeds:.3g}")


def test_a4_the_loss_of_gaussian_noise_is_normal(report: Report) -> None:
    """The loss of Gaussian noise has mean rho and variance 2 rho, as a normal law.

    Its probability to exceed the mean by l is below e^(-l^2 / (4 rho)). Discrete noise in
    steps of 1/100 of sigma is used.
    """
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


def test_a5_composition_has_the_totals_of_the_note(report: Report) -> None:
    """The totals of k releases of epsilon 0.1 are those of the source notes, by all three
    theorems.

    They are plain addition, the advanced theorem and zCDP with a delta of 1e-6. At the least
    of them, 50 randomised responses of epsilon 0.1 stay within that delta.
    """
    noted = {10: (1.00, 1.77, 1.47), 50: (5.0, 4.24, 3.54), 1_000: (100, 27.1, 20.6)}
    lines = []

    for k, (basic, advanced, zcdp) in noted.items():
        total = accounting.compose(0.1, k, delta=1e-6)
        assert total.basic == pytest.approx(basic)
        assert total.advanced == pytest.approx(advanced, rel=3e-3)
        assert total.zcdp == pytest.approx(zcdp, rel=3e-3)
        lines.append(f"k={k} {total.basic:.2f} / {total.advanced:.2f} / {total.zcdp:.2f}")

    exact = composed(loss_of(*randomised_response(0.1)), 50)
    total = accounting.compose(0.1, 50, delta=1e-6)
    assert exact.delta(min(total.basic, total.advanced, total.zcdp)) <= 1e-6

    report(f"A5  note 1.00/1.77/1.47, 5.0/4.24/3.54, 100/27.1/20.6; ours {', '.join(lines)}")


def test_a6_a_rho_for_epsilon_and_delta_is_that_of_the_note(report: Report) -> None:
    """The largest rho that implies an epsilon and a delta is that of the source notes, to its
    last digit.

    `noted` has the rho of the source notes by epsilon and delta, with half of a unit of its
    last digit.
    """
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

    rhos = " / ".join(f"{rho:.5f}" for rho in ours.values())
    report(f"A6  note .01497 / .03056 / .00018 / .00043 / 1.0908 / 1.7827, ours {rhos}")
