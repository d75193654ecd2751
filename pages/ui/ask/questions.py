"""The questions: a line to write, the list, examples, pickers, and a file."""

import json
from functools import partial
from typing import Any

import streamlit as st

from pages.ui.ask import inquiring
from pages.ui.ask.builder import build_question
from pages.ui.ask.suggesting import explain_fault
from pages.ui.shell import state
from pages.ui.shell.ask_choices import remove_weight
from pages.ui.shell.draft import Draft
from pages.ui.shell.numbers import say_count
from pages.ui.shell.widgets import download, upload
from synth import limits
from synth.errors import SynthError
from synth.foreign import in_code, in_markdown
from synth.privacy import plain
from synth.questions import (
    Question,
    check_asked,
    kinds_of_tables,
    read_questions,
    suggest_questions,
)

LINE = "question"
# Most questions that are listed one by one.
MAX_LISTED_QUESTIONS = 40


def questions(draft: Draft) -> None:
    """Show the editor of questions, the list, examples, pickers, and a file of questions."""
    st.header("Questions")
    _write(draft)
    _list_questions(draft)
    _examples(draft)
    build_question(draft.askable.columns, "ask build", "Add built question", act=_add_text)
    if len(draft.asking.questions) > 1:
        with st.expander("Weights of the questions", icon=":material/balance:"):
            _weights(draft)
    with st.expander("Questions from a file, or to a file", icon=":material/upload_file:"):
        upload(
            "questions",
            "A JSON list of questions, as texts or objects",
            _add_file,
            type=["json"],
            max_upload_size=limits.QUESTIONS_MB,
        )
        if draft.asking.questions:
            content = [question.to_json() for question in draft.asking.questions]
            download(
                "Save the questions",
                json.dumps(content, indent=1, ensure_ascii=False),
                "questions.json",
                mime="application/json",
                icon=":material/save:",
            )


def _write(draft: Draft) -> None:
    """Show the text field for a question, and what is wrong with its text.

    If the text may mean a question, or several, a button adds each of them.
    """
    state.seed(LINE, draft.asking.line)  # as the field loses its text when the page changes
    kinds = [kind.name for kind in kinds_of_tables()]
    examples = inquiring.examples(draft)
    st.text_input(
        "A question",
        key=LINE,
        placeholder=examples[0] if examples else "count",
        help=f"{', '.join(kinds)}; groups with 'by', rows with 'where'. Put names with "
        "blanks or signs in \"double quotes\", such values in 'single quotes'. 'is "
        "missing' counts values that are missing for any reason.",
        on_change=_add_written,
    )
    st.button("Add question", icon=":material/add:", on_click=_add_written)
    line = draft.asking.line
    if line.strip() and (why := inquiring.find_fault(draft, line)):
        check = partial(check_asked, domain=draft.askable, unit=draft.unit)
        suggested = suggest_questions(line, draft.askable, check)
        explain_fault(why, suggested, verb="Add", act=_add_text)


@state.guard
def _add_text(text: str) -> None:
    _add(inquiring.check_question(state.draft(), text))


@state.guard
def _add_written() -> None:
    """Store the text of the field, and add it to the list of questions if it is valid."""
    line = state.read_value(LINE) or ""
    state.choose(line=line)
    if line.strip() and not inquiring.find_fault(state.draft(), line):
        _add(inquiring.check_question(state.draft(), line))


def _add(*new_questions: Question) -> None:
    """Add valid questions to the list, and empty the text field."""
    state.change(asking=state.draft().asking.add_questions(new_questions))
    write("")


def write(line: str) -> None:
    """Put a question into the line, to be edited."""
    state.choose(line=line)
    state.write(LINE, line)


def _examples(draft: Draft) -> None:
    """Show example questions; a click puts one into the text field, to be edited.

    Each was tried on the described columns. The number in the widget's key grows with each
    click, so that the pills are drawn anew and none stays selected.
    """
    examples = inquiring.examples(draft)
    if not examples:
        return
    key = f"names_example_{state.number('example')}"
    st.pills(
        "Examples: click one to edit it",
        examples,
        format_func=in_markdown,
        key=key,
        on_change=_take_example,
        args=(key,),
        wrap=True,
    )


@state.guard
def _take_example(key: str) -> None:
    state.advance("example")
    write(state.read_value(key) or "")


def _list_questions(draft: Draft) -> None:
    """Show the first ``MAX_LISTED_QUESTIONS`` questions, each with a button to remove it."""
    questions = draft.asking.questions
    for number, question in enumerate(questions[:MAX_LISTED_QUESTIONS]):
        _show_question(draft, number, question)
    if len(questions) > MAX_LISTED_QUESTIONS:
        st.caption(
            f"And {say_count(len(questions) - MAX_LISTED_QUESTIONS, 'more question')}."
        )
    if len(questions) > 1:
        st.button("Remove all questions", icon=":material/delete_sweep:", on_click=clear)


def _show_question(draft: Draft, number: int, question: Question) -> None:
    """Show one question with its fault, and a button to remove it.

    ``number`` is the position in the list, from 0.
    """
    bare = remove_weight(question)  # as the weight has a field of its own
    with st.container(horizontal=True, vertical_alignment="center"):
        st.code(str(bare), language=None, wrap_lines=True, width="stretch")
        st.button(
            f"Remove question {number + 1}",
            key=f"remove {number} {bare}",
            icon=":material/close:",
            type="tertiary",
            help=f"Remove this question: {in_code(str(bare))}",
            on_click=_remove,
            args=(number,),
        )
    if why := inquiring.find_fault(draft, question):
        st.error(in_markdown(why), icon=":material/edit:")


def _weights(draft: Draft) -> None:
    """Show a field for the weight of each question.

    The weight is the question's share of the budget relative to the others.
    """
    st.caption("Weight: the share of the budget for a question, relative to the others.")
    for number, question in enumerate(draft.asking.questions[:MAX_LISTED_QUESTIONS]):
        bare = remove_weight(question)
        st.text_input(
            f"Weight of {in_code(str(bare))}",
            placeholder="weight",
            **state.tie(
                f"weight {number} {bare}",
                plain(question.weight),
                partial(_weigh, number),
            ),
        )


def _weigh(number: int, text: str) -> None:
    state.change(asking=state.draft().asking.weighing(number, text))


@state.guard
def _remove(number: int) -> None:
    state.change(asking=state.draft().asking.remove_question(number))


@state.guard
def clear() -> None:
    """Remove all questions, and who asks them."""
    state.choose(questions=(), way=None, asker="")


def _add_file(uploaded: Any) -> None:
    """Add all questions of an uploaded JSON file; with one invalid question, add none.

    Raises:
        SynthError: The file or a question is invalid; the message has the question's number.
    """
    draft = state.draft()
    new_questions = []
    for number, question in enumerate(read_questions(uploaded.getvalue(), draft.askable), 1):
        try:
            new_questions.append(inquiring.check_question(draft, question))
        except SynthError as error:
            raise type(error)(f"Question {number}: {error}") from None
    state.change(asking=draft.asking.add_questions(tuple(new_questions)))
