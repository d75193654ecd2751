"""Where a release's word on some columns comes from, and when there is none."""

import numpy as np
import pytest

from synth.errors import QuestionError
from synth.noise.laplace import DiscreteLaplace
from synth.noisy.record import Bar
from synth.questions.sources import Source, source_of
from tests.questions.test_released import COUNTS, Model, histogram


def test_a_histogram_is_added_up_over_the_other_columns() -> None:
    source = source_of(histogram(), (1,))
    assert source.values.tolist() == COUNTS.sum(axis=0).tolist()
    assert source.each == 4
    assert isinstance(source.noise, DiscreteLaplace)


def test_counts_that_are_left_out_have_no_sum() -> None:
    with pytest.raises(QuestionError, match=r"^the release leaves out counts below 1,200, so it"):
        source_of(histogram(threshold=1_200), (0,))


def test_columns_that_nobody_measured_together_need_a_bar() -> None:
    with pytest.raises(QuestionError, match=r"^the release says nothing of age and sex together$"):
        source_of(Model((0,), (1,)), (0, 1))
    bar = Bar(("sex", "age"), measured=False, expected=0.5)
    assert source_of(Model((0,), (1,), bars=(bar,)), (0, 1)).noise is None


def test_a_bar_bounds_what_a_model_is_off_by() -> None:
    bar = Bar(("a", "b"), measured=False, expected=0.02)
    source = Source(np.ones(10), None, 1, bar, 1_000)
    assert source.reach(np.ones(3)) == pytest.approx(1.65 * 20)
    assert source.reach(np.array([2.0, -1.0])) == pytest.approx(3 * 1.65 * 20)
    assert source.size(np.ones(1)) == pytest.approx(2 * 20 / 10)
    assert source.size(np.ones(9)) == pytest.approx(2 * 20 / 10)
    assert source.size(np.ones(5)) == pytest.approx(20)
