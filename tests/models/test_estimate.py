"""Fitting: marginals that agree are reproduced, others are balanced."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from synth.estimate.models.estimate import Measurement, fit
from synth.estimate.models.inference import project
from synth.util import Floats
from tests.models.test_inference import FOUR_CYCLE, joint_of_beliefs

SHAPE = (4, 3, 5, 2)
EVERYTHING = (0, 1, 2, 3)


def random_joint(seed: int = 0) -> Floats:
    return np.random.default_rng(seed).integers(1, 60, SHAPE).astype(float)


def fitted_marginal(model: Any, clique: tuple[int, ...], total: float) -> Floats:
    """The expected rows of a fitted model in the cells of a clique, of so many rows in
    all.
    """
    everything = tuple(range(len(model.tree.shape)))
    return project(joint_of_beliefs(model.tree, model.beliefs), everything, clique) * total


def measure_without_noise(
    joint: Floats, cliques: Sequence[tuple[int, ...]]
) -> list[Measurement]:
    """The exact marginals of a joint table, as measurements of deviation 1."""
    return [Measurement(c, project(joint, EVERYTHING, c), 1.0) for c in cliques]


@pytest.mark.parametrize(
    "cliques", [[(0,), (3,)], [(0, 1), (1, 2), (1, 3)], FOUR_CYCLE, [(0, 1, 2), (1, 2, 3)]]
)
def test_marginals_without_noise_are_reproduced(cliques: Sequence[tuple[int, ...]]) -> None:
    """A model fitted to exact marginals has these marginals, within 0.2 %.

    The cliques are sets of columns; the table of four columns has random counts.
    """
    joint = random_joint()
    model = fit(SHAPE, measure_without_noise(joint, cliques), joint.sum())
    for clique in cliques:
        expected = project(joint, EVERYTHING, clique)
        np.testing.assert_allclose(
            fitted_marginal(model, clique, joint.sum()), expected, rtol=2e-3
        )


def test_four_cycle_has_the_greatest_entropy() -> None:
    """The fitted model is the one of greatest entropy among those with the measured
    pairs.

    The expected pairs come from iterative proportional fitting of the whole table, which
    needs no junction tree. The measured pairs form a cycle; unmeasured pairs are compared as
    well.
    """
    joint = random_joint(1)
    measured = measure_without_noise(joint, FOUR_CYCLE)
    proportionally_fitted = np.full(SHAPE, joint.sum() / joint.size)
    for _ in range(300):
        for measurement in measured:
            summed_columns = tuple(v for v in EVERYTHING if v not in measurement.clique)
            ratio = measurement.values / project(
                proportionally_fitted, EVERYTHING, measurement.clique
            )
            proportionally_fitted = proportionally_fitted * np.expand_dims(
                ratio, summed_columns
            )
    model = fit(SHAPE, measured, joint.sum())
    for pair in combinations(EVERYTHING, 2):
        expected = project(proportionally_fitted, EVERYTHING, pair)
        fitted = fitted_marginal(model, pair, joint.sum())
        np.testing.assert_allclose(fitted, expected, rtol=5e-3, err_msg=str(pair))


def test_contradicting_marginals_are_balanced_by_their_precision() -> None:
    """Marginals that contradict each other are averaged by the inverse of their
    variances.

    Weights are 1/1^2 and 1/2^2 by their deviations: (80 + 20/4) / (1 + 1/4) = 68.
    """
    sharp = Measurement((0,), np.array([80.0, 20.0]), 1.0)
    blunt = Measurement((0, 1), np.array([[20.0], [80.0]]), 2.0)
    fitted = fitted_marginal(fit((2, 1), [sharp, blunt], 100), (0,), 100)
    np.testing.assert_allclose(fitted, [68.0, 32.0], atol=0.1)


def test_negative_counts_are_projected() -> None:
    """Negative noisy counts become 0, and the others give their rows evenly.

    Of 60, 50 and -10, which are to add up to 100, the last becomes 0 and the two others lose
    5 each. That is the least squares fit of one marginal: its projection to the simplex.
    """
    noisy = Measurement((0,), np.array([60.0, 50.0, -10.0]), 5.0)
    fitted = fitted_marginal(fit((3,), [noisy], 100), (0,), 100)
    np.testing.assert_allclose(fitted, [55.0, 45.0, 0.0], atol=0.5)


def test_noise_lowers_the_loss_to_its_own_size_and_no_further() -> None:
    """A fit to noisy marginals is nearer to them than their noise: the sum of squared gaps,
    in deviations, is below the number of cells.
    """
    joint = random_joint(2)
    generator = np.random.default_rng(3)
    noisy = [
        Measurement(m.clique, m.values + generator.normal(0, 10, m.values.shape), 10.0)
        for m in measure_without_noise(joint, [*FOUR_CYCLE, (0, 2)])
    ]
    model = fit(SHAPE, noisy, joint.sum())
    gaps = [
        (fitted_marginal(model, m.clique, joint.sum()) - m.values) / m.deviation
        for m in noisy
    ]
    assert sum((gap**2).sum() for gap in gaps) < sum(gap.size for gap in gaps)


def test_nothing_measured_is_uniform() -> None:
    assert fitted_marginal(fit((2, 2), [], 8), (0, 1), 8).tolist() == [[2.0, 2.0], [2.0, 2.0]]
