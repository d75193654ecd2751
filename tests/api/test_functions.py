"""Functions of columns that were measured a few at a time: by a model that is asked for by
name.
"""

import pandas as pd
import pytest

from synth.api.functions import FunctionOf
from synth.errors import QuestionError
from tests.analysis.releases import TRUTH, model, nearly


def old_women(frame: pd.DataFrame) -> float:
    return float(((frame["age"] >= 50) & (frame["hours"] > 4) & (frame["sex"] == "F")).mean())


def function_asked() -> FunctionOf:
    release = model()
    return FunctionOf(
        function=old_women,
        domain=release.domain.project(("age", "hours", "sex")),
        record=release,
        digest="ab",
    )


def test_a_model_joins_what_was_measured_if_asked_for() -> None:
    """The share of three columns that no marginal holds together is estimated by a model, and
    says so.
    """
    seen_shapes: list[tuple[int, int]] = []
    estimate = function_asked().interval(
        0.95, sampled=False, by_model=True, progress=lambda *done: seen_shapes.append(done)
    )
    assert seen_shapes[-1] == (100, 100)
    assert estimate.remarks[1].startswith("MODEL: these columns were not measured together")
    assert "joined by a model" in estimate.how
    truth = TRUTH[6:, 5:, 0].sum() / TRUTH.sum()
    assert nearly(estimate.low[0], truth, estimate.high[0])


def test_otherwise_it_is_refused_and_says_how() -> None:
    with pytest.raises(
        QuestionError, match=r"^The release cannot answer: .* by_model=True, or --"
    ):
        function_asked().interval(0.95, sampled=False, by_model=False, progress=None)


def test_columns_that_were_measured_together_need_no_model() -> None:
    release = model()
    of = FunctionOf(
        function=len,
        domain=release.domain.project(("age", "sex")),
        record=release,
        digest="ab",
    )
    estimate = of.interval(0.95, sampled=False, by_model=True, progress=None)
    assert estimate.estimate.tolist() == [TRUTH.sum()]
    assert len(estimate.remarks) == 1
