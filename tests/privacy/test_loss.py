"""Privacy-loss distributions, conversions and compositions."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from synth.errors import ArgumentError
from synth.privacy import accounting
from synth.privacy.loss import PrivacyLoss


def test_composition_rounds_up_and_agrees_with_brute_force() -> None:
    p, q = np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.3, 0.5])
    triple = PrivacyLoss.of(
        np.einsum("i,j,k->ijk", p, p, p).ravel(), np.einsum("i,j,k->ijk", q, q, q).ravel()
    )
    composed = PrivacyLoss.of(p, q).compose(3)
    for epsilon in (0.0, 0.5, 1.0, 2.0):
        assert triple.delta(epsilon) <= composed.delta(epsilon) + 1e-12
        assert composed.delta(epsilon) == pytest.approx(triple.delta(epsilon), abs=3e-3)
        assert composed.exceeds(epsilon) >= composed.delta(epsilon)


def test_outputs_that_one_side_never_gives_count_in_full() -> None:
    loss = PrivacyLoss.of([0.9, 0.1], [1.0, 0.0])
    assert loss.delta(50.0) == pytest.approx(0.1)
    assert loss.renyi(2.0) == math.inf
    assert loss.compose(2).delta(50.0) == pytest.approx(0.19)


def test_no_conversion_is_below_its_inverse() -> None:
    for rho in (0.001, 0.1, 2.0):
        epsilon = accounting.zcdp_epsilon(rho, 1e-6)
        assert accounting.zcdp_delta(rho, epsilon) == pytest.approx(1e-6, rel=1e-3)
        back = accounting.zcdp_rho(Fraction(epsilon), Fraction(1, 10**6))
        assert accounting.zcdp_delta(back, epsilon) <= 1e-6 * (1 + 1e-8)
        assert float(back) == pytest.approx(rho, rel=1e-4)


def test_analytic_sigma_is_on_the_safe_side_and_tight() -> None:
    for epsilon, delta in ((0.01, 1e-9), (1, 1e-5), (20, 1e-7), (90, 1e-12)):
        sigma = accounting.analytic_sigma(epsilon, delta, sensitivity=3)
        assert accounting.gaussian_delta(epsilon, sigma, sensitivity=3) <= delta
        assert accounting.gaussian_delta(epsilon, 0.9999 * sigma, sensitivity=3) > delta


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: accounting.classic_sigma(1, 1e-5),
            "epsilon must be below 1 for the classic Gaussian, but it is 1; use the analytic "
            "one, which holds for every epsilon.",
        ),
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
        (lambda: accounting.zcdp_delta(-1, 1), "rho must be above 0, but it is -1."),
        (
            lambda: accounting.compose(1, 0, delta=0.1),
            "k must be a whole number of at least 1, but it is 0.",
        ),
        (
            lambda: PrivacyLoss.of([1.0], [0.5, 0.5]),
            "p and q must be two lists of the same length, but they are not.",
        ),
        (
            lambda: PrivacyLoss.of([0.5, 0.5], [0.5, 0.6]),
            "q must hold probabilities that add up to 1, but it does not.",
        ),
    ],
)
def test_bad_arguments_are_refused(call: Any, message: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        call()
    assert str(caught.value) == message
