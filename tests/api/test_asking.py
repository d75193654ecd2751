"""``synth.ask``: answers with intervals, by the inquiry that the command line makes."""

from pathlib import Path

import pytest

import synth
from tests.api.people import DOMAIN, FRAME


def test_answers_are_a_table_and_a_bundle(tmp_path: Path) -> None:
    """Answers are a table with one row for each number, and are saved as a bundle that
    verifies.

    The labels are the two sexes, rank 1 of the most frequent value, and none for the mean.
    Half of 1,000 people are f and the mean age is 50, up to noise of epsilon 20 in all.
    """
    answers = synth.ask(FRAME, DOMAIN, ["table sex", "top 1 sex", "mean age"], epsilon=20)
    assert answers.table["label"].tolist() == ["f", "m", "1", ""]
    assert answers.table["value"][0] == pytest.approx(500, abs=20)
    assert answers[2].value[0] == pytest.approx(50, abs=5)
    assert repr(answers) == "Answers(3 questions, epsilon 20, replace-one)"
    assert "<table" in answers._repr_html_()
    checked = synth.verify(answers.save(tmp_path / "a.zip"))
    assert checked.certificate == answers.certificate or checked.checks


def test_the_same_question_costs_nothing_again(tmp_path: Path) -> None:
    """The same question to the same ledger gives the stored answer again, for nothing."""
    book = {"ledger": tmp_path / "l.db", "dataset": "people", "budget": "1/2"}
    first, second = (
        synth.ask(FRAME, DOMAIN, "count where sex = f", "0.1", **book)  # type: ignore[arg-type]
        for _ in range(2)
    )
    assert (first.repeated, second.repeated) == (False, True)
    assert first.table.equals(second.table)
