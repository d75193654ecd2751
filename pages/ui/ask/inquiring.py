"""The inquiry from the steward's choices, with its cached forecast. PUBLIC."""

from dataclasses import replace
from fractions import Fraction
from functools import partial

from pages.ui.shell import state
from pages.ui.shell.draft import Draft
from synth.errors import SynthError
from synth.privacy import Guarantee
from synth.questions import (
    Alternative,
    Answer,
    Inquiry,
    Question,
    check_asked,
    least_epsilon,
    least_rho,
    list_alternatives,
    read_question,
)


def check_question(draft: Draft, question: str | Question) -> Question:
    """Return a question that matches the declared columns.

    Raises:
        SynthError: The question is invalid.
    """
    check = partial(check_asked, domain=draft.askable, unit=draft.unit)
    return read_question(question, draft.askable, check)


def find_fault(draft: Draft, question: str | Question) -> str:
    """Return the fault of a question as one sentence; empty without a fault."""
    try:
        check_question(draft, question)
    except SynthError as error:
        return str(error)
    return ""


def inquiry(
    draft: Draft, guarantee: Guarantee | None = None, questions: tuple[Question, ...] = ()
) -> Inquiry:
    """Return the inquiry of the draft.

    Args:
        draft: The choices.
        guarantee: The cost of all answers; by default the chosen one.
        questions: By default the added ones.

    Raises:
        SynthError: A question or the guarantee is invalid.
    """
    chosen = draft.asking
    assert draft.source is not None
    return reuse_inquiry(
        Inquiry.read(
            questions or chosen.questions,
            draft.askable,
            guarantee or chosen.guarantee,
            draft.neighbors,
            unit=draft.unit,
            way=chosen.way,
            dataset=draft.source.dataset,
        )
    )


def reuse_inquiry(new: Inquiry) -> Inquiry:
    """Return the equal inquiry from before, if any, as it holds cached results."""
    before = state.work_out(("inquiry", new.request), lambda: new)
    return before if before.dataset == new.dataset else _rename_inquiry(before, new)


def _rename_inquiry(before: Inquiry, new: Inquiry) -> Inquiry:
    made = replace(before, dataset=new.dataset)
    vars(made).update(workload=before.workload, arrangement=before.arrangement)
    return made


def forecast(asked: Inquiry, rows: int) -> list[Answer]:
    """Return the expected errors of an inquiry.

    Raises:
        SynthError: The way does not answer the questions, or there are too many cells.
    """
    return state.work_out(("forecast", asked.request, rows), lambda: asked.forecast(rows))


def ways(asked: Inquiry, rows: int) -> list[Alternative]:
    """Return every way that answers all questions, the best first and marked."""
    free = asked if asked.way is None else reuse_inquiry(asked.answered_by(None))
    return state.work_out(("ways", free.request, rows), lambda: list_alternatives(free, rows))


def find_epsilon(asked: Inquiry, error: Fraction, rows: int) -> Fraction | None:
    """Return the smallest epsilon, or rho, at which every expected error is small enough.

    Returns:
        0 if nothing has to be spent, None if no epsilon is enough.
    """
    solve = least_epsilon if asked.guarantee.rho is None else least_rho
    key = ("needed", asked.request, error, rows)
    return state.work_out(key, lambda: solve(asked, error, rows))
