"""Functions of columns that were measured a few at a time: by a model that is asked for by
name.
"""

import pandas as pd
import pytest

from synth.api.functions import FunctionOf
from synth.errors import QuestionError
from tests.analysis.releases import TRUE_COUNTS, marginals_release, nearly


def old_women(frame: pd.DataFrame) -> float:
    """The share of women of 50 or more who work more than 4 hours."""
    return float(((frame["age"] >= 50) & (frame["hours"] > 4) & (frame["sex"] == "F")).mean())


def function_asked() -> FunctionOf:
    """The function of three columns, asked of a release that counted them only by pairs."""
    release = marginals_release()
    return FunctionOf(
        function=old_women,
        domain=release.domain.project(("age", "hours", "sex")),
        record=release,
        digest="ab",
    )


def test_a_model_joins_what_was_measured_if_asked_for() -> None:
    """With by_model=True a function of three columns that only pairs of were counted is
    estimated.

    A model joins the pairs, and a remark says so. The true share is that of ages from bin 6
    (50 years) and hours from 5 in the table.
    """
    progress_calls: list[tuple[int, int]] = []
    estimate = function_asked().interval(
        0.95, sampled=False, by_model=True, progress=lambda *done: progress_calls.append(done)
    )
    assert progress_calls[-1] == (100, 100)  # progress: table 100 of 100
    assert estimate.remarks[1].startswith("MODEL: these columns were not measured together")
    assert "joined by a model" in estimate.how

    truth = TRUE_COUNTS[6:, 5:, 0].sum() / TRUE_COUNTS.sum()
    assert nearly(estimate.low[0], truth, estimate.high[0])


def test_otherwise_it_is_refused_and_says_how() -> None:
    """Without by_model=True a function of columns not counted together is refused, with that
    advice.
    """
    with pytest.raises(
        QuestionError, match=r"^The release cannot answer: .* by_model=True, or --"
    ):
        function_asked().interval(0.95, sampled=False, by_model=False, progress=None)


def test_columns_that_were_measured_together_need_no_model() -> None:
    """A function of two columns that were counted as a pair is answered without the model.

    The function is the number of rows, which is public and so exact; no remark warns of a
    model.
    """
    release = marginals_release()
    of = FunctionOf(
        function=len,
        domain=release.domain.project(("age", "sex")),
        record=release,
        digest="ab",
    )
    estimate = of.interval(0.95, sampled=False, by_model=True, progress=None)
    assert estimate.estimate.tolist() == [TRUE_COUNTS.sum()]
    assert len(estimate.remarks) == 1
