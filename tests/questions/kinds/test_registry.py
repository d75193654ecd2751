"""What every kind of question keeps, one that is added by a few lines too."""

import re
from functools import cache
from math import prod
from pathlib import Path

import numpy as np
import pytest

import synth
from synth.analysis import conclusions
from synth.cli.answers import answer_lines, forecast_lines
from synth.errors import QuestionError
from synth.estimate import Record
from synth.lessons.survey import simulate, survey_domain
from synth.privacy import Guarantee
from synth.questions import (
    KINDS,
    CountKind,
    Inquiry,
    ProductKind,
    Question,
    QuestionKind,
    SumKind,
    parse,
)
from synth.questions.kinds.sums import MEAN
from synth.spending import ask
from synth.verification import verify
from synth.verification.checks import VerifiedAnswers
from tests.ledger.ledgers import ledger_with_budget

DOMAIN = survey_domain().project(["age", "sex", "education", "income", "smoker"])
TABLE = simulate(600)
ADDED: tuple[QuestionKind, ...] = (
    SumKind(
        name="pair",
        example="age, income",
        columns=(2, 2),
        takes=("over",),
        divides=True,
        single=MEAN,
        labels=tuple,
    ),
    CountKind(
        name="shares",
        example="smoker by education",
        columns=(1, 3),
        joined="by",
        lists=True,
        divides=True,
        unit="share",
        error_unit="percentage points",
    ),
    CountKind(
        name="proportions",
        example="sex by smoker",  # of the rows that have a sex, in one denominator
        columns=(1, 3),
        joined="by",
        lists=True,
        divides=True,
        unit="share",
        error_unit="percentage points",
    ),
)
"""Kinds that are no one's."""


@cache
def release() -> Record:
    """A histogram of all columns."""
    return synth.release(simulate(20_000), DOMAIN, epsilon=5, method="dense").result.record


def check_kind(kind: QuestionKind, folder: Path) -> None:
    """See that a kind is said, asked, forecast, answered, certified and verified, and
    read.
    """
    text = f"{kind} {kind.example}"
    question = parse(text)
    assert (str(question), Question.from_json(question.to_json())) == (text, question)
    if question.kind.not_asked:
        with pytest.raises(QuestionError, match=re.escape(question.kind.not_asked)):
            Inquiry.read([text], DOMAIN, Guarantee.pure(2))
    else:
        check_answers(text, folder)
    check_release(question)


def check_answers(text: str, folder: Path) -> None:
    """See that a question is forecast, answered, written to an archive and verified."""
    inquiry = Inquiry.read([text], DOMAIN, Guarantee.pure(2), dataset="staff")
    (forecast,) = inquiry.forecast(len(TABLE))
    assert forecast.expected_error > 0
    assert np.isnan(forecast.value).all()
    assert any(text in line for line in forecast_lines(inquiry, [forecast]))

    ledger = ledger_with_budget(folder / "l.db", "epsilon=9", "staff", inquiry.neighbors)
    TABLE.to_csv(folder / "t.csv", index=False)
    answers = ask(inquiry, folder / "t.csv", ledger=ledger)

    checked = verify(answers.write_archive(folder / "a.zip", ledger), ledger)
    assert isinstance(checked, VerifiedAnswers)
    (again,), (answer,) = checked.answers, answers.answers
    assert again.to_json() == answer.to_json()
    assert len(answer.value) == max(1, len(answer.labels), len(answer.chosen))
    assert len(answer.value) >= _numbers(answer.question)
    assert any(text in line for line in answer_lines(answers.answers))


def _numbers(question: Question) -> int:
    """How many numbers there are at least: one of each cell, most frequent value or
    column.
    """
    kind = question.kind
    if question.listed_columns and "counts" not in kind.takes:
        return prod(DOMAIN[name].size for name in question.listed_columns)
    return max(question.k, len(kind.labels(question.columns)) if kind.labels else 1)


def check_release(question: Question) -> None:
    """See that a release answers the question with bounds, or refuses it where it cannot."""
    kind = question.kind
    is_product = isinstance(kind, ProductKind)
    is_asked_only = is_product and not (kind.of_products or kind.not_asked)
    untold = question.candidates or question.claimed or is_asked_only
    if untold or (question.by and is_product):
        with pytest.raises(QuestionError, match=r"^The release cannot answer"):
            conclusions([question], release())
        return
    (conclusion,) = conclusions([question], release())
    assert len(conclusion.low) >= _numbers(question)
    assert conclusion.unit == question.kind.unit.format(", ".join(question.columns))
    assert (conclusion.low <= conclusion.high).all() or conclusion.chosen


@pytest.mark.parametrize("name", KINDS)
def test_a_kind_keeps_the_contract(name: str, tmp_path: Path) -> None:
    check_kind(KINDS[name], tmp_path)


@pytest.mark.parametrize("kind", ADDED, ids=str)
def test_a_kind_that_is_added_keeps_the_contract(
    kind: QuestionKind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kind of question that is registered by a few lines passes all checks of the built-in
    kinds.

    `check_kind` asks its example, forecasts, answers and verifies it, and asks a release.
    """
    monkeypatch.setitem(KINDS, kind.name, kind)
    check_kind(kind, tmp_path)
