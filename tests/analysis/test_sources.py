"""Where a release's word on some columns comes from, and when there is none."""

import numpy as np
import pytest

from synth.analysis import Source, source_of
from synth.errors import QuestionError
from synth.estimate import Bar
from tests.analysis.test_linear import Model, histogram


def test_columns_that_nobody_measured_together_need_a_bar() -> None:
    """With a bar, a model's word is taken, and no measured part stands behind it."""
    with pytest.raises(
        QuestionError, match=r"^the release says nothing of age and sex together$"
    ):
        source_of(Model((0,), (1,)), (0, 1))
    bar = Bar(("sex", "age"), measured=False, expected=0.5)
    assert source_of(Model((0,), (1,), bars=(bar,)), (0, 1)).parts == ()


def test_a_bar_bounds_what_a_model_is_off_by() -> None:
    """Some cells together are off by at most the bar, as what one cell lacks another has;
    weights count by the largest less the smallest. 1.65 times the bar bounds it at 95 %.

    The expected error of a cell is 2 / 10 of the bar; of nine cells it is that of the tenth.
    """
    bar = Bar(("a", "b"), measured=False, expected=0.02)
    source = Source(
        shape=(10,), parts=(), rows=None, modelled=np.ones(10), bar=bar, total=1_000
    )
    # The bar is 2 % of 1,000 rows in all ten cells; one cell is off by 2 / 10 of that.
    assert source.reach(np.ones(3)) == pytest.approx(1.65 * 20)
    assert source.reach(np.array([2.0, -1.0])) == pytest.approx(3 * 1.65 * 20)
    assert source.size(np.ones(1)) == pytest.approx(2 * 20 / 10)
    assert source.size(np.ones(9)) == pytest.approx(2 * 20 / 10)
    assert source.size(np.ones(5)) == pytest.approx(20)


def test_the_weights_of_measured_cells_give_the_estimate() -> None:
    rng = np.random.default_rng(1)
    model = Model((0,), (1,), (0, 1))
    for _, marginal in model.measured:
        marginal.values[:] += rng.integers(-5, 5, marginal.values.shape)
    source = source_of(model, (0, 1))
    weights = rng.normal(size=12)
    measured = zip(source.terms(weights), source.parts, strict=True)
    estimate = sum(float(term.weights @ part.sums.reshape(-1)) for term, part in measured)
    assert estimate == pytest.approx(float(weights @ source.values))


def test_a_public_number_of_rows_takes_its_part_of_the_noise() -> None:
    source = source_of(histogram(), (0, 1), 400)
    assert source.values.sum() == pytest.approx(400)
    assert source.reach(np.ones(12)) == 0
