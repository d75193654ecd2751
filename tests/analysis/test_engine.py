"""Which way answers: sums of noisy counts, and refusals that say what a fresh answer costs."""

import pytest

from synth.analysis.engine import conclusions
from synth.errors import QuestionError
from tests.questions.test_released import histogram


def test_a_count_is_the_sum_of_its_cells() -> None:
    (found,) = conclusions(["count where sex = F"], histogram())
    assert found.estimate.tolist() == [160.0]
    assert found.low[0] < 160 < found.high[0]
    assert found.counts == ("the noise of the release",)


def test_what_a_release_lacks_is_refused_with_a_price() -> None:
    with pytest.raises(QuestionError, match=r"Not from this release: .* off by about ± "):
        conclusions(["count where sex = F"], histogram(threshold=5))
