"""Privacy-loss distributions, conversions and compositions."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from synth.errors import ArgumentError
from synth.privacy import accounting
from tests.privacy.losses import composed, loss_of, zcdp_delta


def test_composition_rounds_up_and_agrees_with_brute_force() -> None:
    """The composed loss of three releases gives no smaller delta than all joint outcomes do.

    Three releases of three outcomes have 27 joint ones. Losses are rounded up to a grid of
    0.001, hence the tolerance of 0.003. The probability of exceeding epsilon is at least
    delta.
    """
    p, q = np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.3, 0.5])
    joint_p = np.einsum("i,j,k->ijk", p, p, p).ravel()
    joint_q = np.einsum("i,j,k->ijk", q, q, q).ravel()
    exact = loss_of(joint_p, joint_q)

    composition = composed(loss_of(p, q), 3)

    for epsilon in (0.0, 0.5, 1.0, 2.0):
        assert exact.delta(epsilon) <= composition.delta(epsilon) + 1e-12
        assert composition.delta(epsilon) == pytest.approx(exact.delta(epsilon), abs=3e-3)
        assert composition.exceeds(epsilon) >= composition.delta(epsilon)


def test_no_conversion_is_below_its_inverse() -> None:
    """Converting a rho to an epsilon and back loses nothing and promises nothing too small.

    The delta of 1e-6 is checked by an independent search with SciPy. The rho that comes back
    needs no more than this delta, and is the first one to four digits.
    """
    for rho in (0.001, 0.1, 2.0):
        epsilon = accounting.zcdp_epsilon(rho, 1e-6)
        assert zcdp_delta(rho, epsilon) == pytest.approx(1e-6, rel=1e-3)

        back = accounting.zcdp_rho(Fraction(epsilon), Fraction(1, 10**6))
        assert zcdp_delta(float(back), epsilon) <= 1e-6 * (1 + 1e-8)
        assert float(back) == pytest.approx(rho, rel=1e-4)


def test_analytic_sigma_is_on_the_safe_side_and_tight() -> None:
    """Gaussian noise of the computed sigma keeps within delta; a sigma 1e-4
    smaller does not.
    """
    for epsilon, delta in ((0.01, 1e-9), (1, 1e-5), (20, 1e-7), (90, 1e-12)):
        sigma = accounting.analytic_sigma(epsilon, delta, sensitivity=3)
        assert accounting.gaussian_delta(epsilon, sigma, sensitivity=3) <= delta
        assert accounting.gaussian_delta(epsilon, 0.9999 * sigma, sensitivity=3) > delta


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: accounting.analytic_sigma(1, 0), "delta must be above 0, but it is 0."),
        (lambda: accounting.analytic_sigma(1, 1), "delta must be below 1, but it is 1."),
        (
            lambda: accounting.analytic_sigma(1, math.nan),
            "delta must be a finite number, but it is nan.",
        ),
        (
            lambda: accounting.gaussian_delta(1, math.inf),
            "sigma must be a finite number, but it is inf.",
        ),
        (
            lambda: accounting.compose(1, 0, delta=0.1),
            "k must be a whole number of at least 1, but it is 0.",
        ),
    ],
)
def test_bad_arguments_are_refused(call: Any, message: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        call()
    assert str(caught.value) == message
