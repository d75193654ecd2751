"""Where a release's word on some columns comes from, and when there is none."""

import numpy as np
import pytest

from synth.errors import QuestionError
from synth.estimate.noisy.record import Bar
from synth.noise.laplace import DiscreteLaplace
from synth.questions.sources import Source, source_of
from tests.questions.test_released import COUNTS, Model, histogram


def test_a_histogram_is_added_up_over_the_other_columns() -> None:
    source = source_of(histogram(), (1,))
    assert source.values.tolist() == COUNTS.sum(axis=0).tolist()
    (part,) = source.parts
    assert part.each == 4
    assert isinstance(part.noise, DiscreteLaplace)


def test_counts_that_are_left_out_have_no_sum() -> None:
    with pytest.raises(QuestionError, match=r"^the release leaves out counts below 1,200, so it"):
        source_of(histogram(threshold=1_200), (0,))


def test_columns_that_nobody_measured_together_need_a_bar() -> None:
    with pytest.raises(QuestionError, match=r"^the release says nothing of age and sex together$"):
        source_of(Model((0,), (1,)), (0, 1))
    bar = Bar(("sex", "age"), measured=False, expected=0.5)
    assert source_of(Model((0,), (1,), bars=(bar,)), (0, 1)).parts == ()


def test_a_bar_bounds_what_a_model_is_off_by() -> None:
    bar = Bar(("a", "b"), measured=False, expected=0.02)
    source = Source((10,), (), None, np.ones(10), bar, 1_000)
    assert source.reach(np.ones(3)) == pytest.approx(1.65 * 20)
    assert source.reach(np.array([2.0, -1.0])) == pytest.approx(3 * 1.65 * 20)
    assert source.size(np.ones(1)) == pytest.approx(2 * 20 / 10)
    assert source.size(np.ones(9)) == pytest.approx(2 * 20 / 10)
    assert source.size(np.ones(5)) == pytest.approx(20)


def test_histograms_are_put_together_without_bias_and_with_less_noise() -> None:
    pair, both = (
        source_of(Model(*cliques), (0, 1)) for cliques in ([(0, 1)], [(0,), (1,), (0, 1)])
    )
    assert both.values == pytest.approx(COUNTS.reshape(-1))  # nothing was added to these
    one = np.zeros(12)
    one[3] = 1
    assert both.size(one) < pair.size(one)


def test_the_weights_of_measured_cells_give_the_estimate() -> None:
    rng = np.random.default_rng(1)
    model = Model((0,), (1,), (0, 1))
    for _, marginal in model.measured:
        marginal.values[:] += rng.integers(-5, 5, marginal.values.shape)
    source = source_of(model, (0, 1))
    weights = rng.normal(size=12)
    measured = zip(source.terms(weights), source.parts, strict=True)
    told = sum(float(term.weights @ part.sums.reshape(-1)) for term, part in measured)
    assert told == pytest.approx(float(weights @ source.values))


def test_a_public_number_of_rows_takes_its_part_of_the_noise() -> None:
    source = source_of(histogram(), (0, 1), 400)
    assert source.values.sum() == pytest.approx(400)
    assert source.reach(np.ones(12)) == 0
