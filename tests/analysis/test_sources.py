"""Where a release's word on some columns comes from, and when there is none."""

import numpy as np
import pytest

from synth.analysis import Source, source_of
from synth.errors import QuestionError
from synth.estimate import Bar
from tests.analysis.test_linear import Model, histogram


def test_columns_that_nobody_measured_together_need_a_bar() -> None:
    """A release answers about columns measured apart only if its model states an error
    for them.

    Age and sex were measured each by itself. With a bar, the model's error for the pair, the
    model's counts are taken, and no measured part stands behind them.
    """
    with pytest.raises(
        QuestionError, match=r"^the release says nothing of age and sex together$"
    ):
        source_of(Model((0,), (1,)), (0, 1))
    bar = Bar(("sex", "age"), measured=False, expected=0.5)
    assert source_of(Model((0,), (1,), bars=(bar,)), (0, 1)).parts == ()


def test_a_bar_bounds_what_a_model_is_off_by() -> None:
    """Some cells of a model together are off by at most 1.65 times the bar, the error of all
    ten cells; the average error of one cell is 2 / 10 of the bar.

    What one cell lacks another has: the error of nine cells is that of the tenth, and weights
    count by the largest less the smallest. The factor 1.65 bounds the error at 95 %.
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
    """The estimate is the weighted sum of measured counts whose weights `terms` returns.

    Age, sex and their pair were measured. Their counts contradict one another by -5 to 4
    rows, so that the estimate needs the weights of all three.
    """
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
    """With a public number of rows, here 400, the counts sum to it and the sum has no
    error.
    """
    source = source_of(histogram(), (0, 1), 400)
    assert source.values.sum() == pytest.approx(400)
    assert source.reach(np.ones(12)) == 0  # weights of 1: the sum of all 12 cells
