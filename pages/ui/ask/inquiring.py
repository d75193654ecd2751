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
    example_questions,
    least_epsilon,
    least_rho,
    list_alternatives,
    read_question,
)


def check_question(draft: Draft, question: str | Question) -> Question:
    """Return a question that matches the declared columns; SynthError if it is invalid."""
    check = partial(check_asked, domain=draft.askable, unit=draft.unit)
    return read_question(question, draft.askable, check)


def find_fault(draft: Draft, question: str | Question) -> str:
    """Return the fault of a question as a sentence; an empty text if it is valid.

    A question is valid if it fits the declared columns and the protected unit of the draft.
    """
    try:
        check_question(draft, question)
    except SynthError as error:
        return str(error)
    return ""


def examples(draft: Draft) -> list[str]:
    """Return example questions for this table; each was tried on its columns.

    A column that was left out, such as one of keys, is in none as long as others go on.
    """
    domain = draft.askable
    if draft.chosen_names:
        domain = domain.project(draft.chosen_names)
    key = ("examples", domain, draft.unit)
    return state.work_out(key, lambda: example_questions(domain, draft.unit))


def inquiry(
    draft: Draft, guarantee: Guarantee | None = None, questions: tuple[Question, ...] = ()
) -> Inquiry:
    """Return the questions together with their guarantee, as chosen in the draft.

    Args:
        draft: All choices of the session, with a table.
        guarantee: It replaces the chosen guarantee; None keeps it.
        questions: They replace the chosen questions; empty keeps them.

    Raises:
        SynthError: A question or the guarantee is invalid.
    """
    chosen = draft.asking
    assert draft.source is not None  # the step is locked without a table
    new = Inquiry.read(
        questions or chosen.questions,
        draft.askable,
        guarantee or chosen.guarantee,
        neighbors=draft.neighbors,
        unit=draft.unit,
        way=chosen.way,
        dataset=draft.source.dataset,
    )
    # No ledger counts the checks of a rehearsal.
    asker = "" if draft.source.simulated else chosen.asker
    return reuse_inquiry(replace(new, asker=asker))


def reuse_inquiry(new: Inquiry) -> Inquiry:
    """Return the equal inquiry that the session made before, as it has cached results.

    If only the name of the dataset or of the asker differs, a copy with the new names shares
    the cached results. An inquiry that the session has not seen is stored and returned.
    """
    # ``request`` identifies the questions and their guarantee, and not the dataset's name.
    before = state.work_out(("inquiry", new.request), lambda: new)
    is_same = (before.dataset, before.asker) == (new.dataset, new.asker)
    return before if is_same else _rename_inquiry(before, new)


def _rename_inquiry(before: Inquiry, new: Inquiry) -> Inquiry:
    """Return an inquiry with the names of the dataset and of the asker of ``new``.

    It keeps the cached results of ``before``. ``replace`` drops cached properties, so the two
    expensive ones are copied. Neither depends on the names.
    """
    renamed = replace(before, dataset=new.dataset, asker=new.asker)
    vars(renamed).update(workload=before.workload, arrangement=before.arrangement)
    return renamed


def forecast(inquiry: Inquiry, rows: int) -> list[Answer]:
    """Return the forecast answers for this number of rows: errors and no values."""
    return state.work_out(("forecast", inquiry.request, rows), lambda: inquiry.forecast(rows))


def ways(inquiry: Inquiry, rows: int) -> list[Alternative]:
    """Return the ways to answer all questions, the best first.

    A way is a mechanism for all questions. Each has a forecast of its errors for a table with
    ``rows`` rows. The user's choice of a way is ignored, so that all ways are compared.
    """
    if inquiry.way is not None:
        inquiry = reuse_inquiry(inquiry.answered_by(None))
    key = ("ways", inquiry.request, rows)
    return state.work_out(key, lambda: list_alternatives(inquiry, rows))


def find_epsilon(inquiry: Inquiry, error: Fraction, rows: int) -> Fraction | None:
    """Return the least epsilon, or rho, with which no average error exceeds a limit.

    It is 0 if nothing has to be spent, and None if no epsilon is enough. Rho is returned if
    the inquiry's guarantee is zCDP. An epsilon is for the delta of the inquiry's guarantee.

    Args:
        inquiry: The questions and how they are answered.
        error: The largest allowed error, in the unit of each answer.
        rows: The number of rows for which errors are forecast.
    """
    solve = least_epsilon if inquiry.guarantee.rho is None else least_rho
    return state.work_out(
        ("needed", inquiry.request, error, rows), lambda: solve(inquiry, error, rows)
    )
