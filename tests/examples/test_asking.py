"""Examples: questions to a confidential table, and to a release of it."""

from pathlib import Path

import pandas as pd
import pytest

import synth


def test_a_count_has_an_interval(frame: pd.DataFrame, domain: synth.Domain) -> None:
    """A noisy count lies in its 95 % interval, and is near the true count.

    At epsilon 1 the noise has scale 1, so 50 rows leave much room.
    """
    (answer,) = synth.ask(frame, domain, "count where age >= 65", epsilon=1).answers
    assert answer.low[0] <= answer.value[0] <= answer.high[0]
    assert answer.value[0] == pytest.approx((frame["age"] >= 65).sum(), abs=50)


def test_questions_share_one_budget(frame: pd.DataFrame, domain: synth.Domain) -> None:
    """Two questions cost epsilon 1/5 in all, and answer with five numbers.

    These are a mean for each of two sexes, and three cells of `smoker`: no, yes and missing.
    """
    answers = synth.ask(frame, domain, ["mean age by sex", "table smoker"], epsilon="0.2")
    assert str(answers) == "Answers(2 questions, epsilon 0.2, replace-one)"
    assert len(answers.table) == 2 + 3


def test_the_budget_may_be_a_rho_of_zcdp(frame: pd.DataFrame, domain: synth.Domain) -> None:
    assert "rho 0.1" in str(synth.ask(frame, domain, "mean age", rho="0.1"))


def test_a_question_that_makes_no_sense_is_one_sentence(
    frame: pd.DataFrame, domain: synth.Domain
) -> None:
    """A question about a misspelled column is refused, and the sentence proposes the right
    name.
    """
    with pytest.raises(synth.SynthError, match="did you mean 'age'"):
        synth.ask(frame, domain, "mean agee", epsilon=1)


def test_a_release_answers_for_nothing(bundle: Path, frame: pd.DataFrame) -> None:
    """A release answers further questions without the table, each with an interval.

    The estimate is within 2 percentage points of the share in the survey of 20,000 people.
    """
    (answer,) = synth.analyse(bundle).ask("share where smoker = yes")
    assert answer.low[0] < answer.estimate[0] < answer.high[0]
    assert answer.estimate[0] == pytest.approx((frame["smoker"] == "yes").mean(), abs=0.02)


def test_two_groups_are_compared(bundle: Path) -> None:
    """A release answers the difference of two means, with an interval around it."""
    contrast = synth.analyse(bundle).contrast(
        "mean age where sex = female", "mean age where sex = male"
    )
    assert contrast.low[0] < contrast.estimate[0] < contrast.high[0]


def test_a_function_of_yours_gets_an_interval(bundle: Path) -> None:
    """Any Python function of synthetic rows, here a median, gets an interval by
    simulation.
    """
    estimate = synth.analyse(bundle).interval(
        lambda rows: rows["age"].median(), columns=["age"]
    )
    assert estimate.low[0] <= estimate.estimate[0] <= estimate.high[0]
    assert estimate.simulated


def test_replicates_are_for_multiple_imputation(bundle: Path) -> None:
    """Three synthetic tables of a release, for multiple imputation, have 20,000 rows each."""
    tables = synth.replicates(bundle, tables=3)
    assert [len(table) for table in tables] == [20_000] * 3
