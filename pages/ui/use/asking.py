"""Questions to a release: a line to write, pickers, and examples that it can answer."""

from functools import partial

import streamlit as st

from pages.ui.ask.builder import build_question
from pages.ui.ask.suggesting import explain_fault
from pages.ui.shell import state
from pages.ui.use.choices import Using, change, open_choice
from synth.analysis import released_examples
from synth.api.analysing import Conclusions
from synth.errors import SynthError
from synth.foreign import in_code, in_markdown
from synth.questions import KINDS, Question, Suggestions, suggest_questions

LINE = "used_question"
WHOM = {"rows": "these rows", "people": "the people they are a random sample of"}
OTHER = "used_other"
CONTRASTS = {"": "One question", "less": "Difference of two", "over": "Ratio of two"}
# Most answers on the screen.
MAX_ANSWERS = 20
# Most columns that are shown as buttons; more are a list to choose from.
MAX_BUTTONS = 24


def ask_release(opened: Using) -> None:
    """Show the field for questions to a release, its columns, and examples.

    Answers come from the release alone, so they cost nothing.
    """
    st.header("Questions")
    examples = find_examples(opened)
    st.text_input(
        "A question",
        key=LINE,
        placeholder=examples[0] if examples else "count",
        help=f"{', '.join(KINDS)}; groups with 'by', rows with 'where', a reference level as "
        "in: regression hours on age, sex reference F.",
        on_change=_answer_text,
    )
    # ``contrast`` is "less" or "over" for two compared questions, and empty for a single one.
    if opened.contrast:
        st.text_input(
            "less the second question"
            if opened.contrast == "less"
            else "over the second question",
            key=OTHER,
            placeholder="a second question of the same kind",
            help="Of the same kind as the first, such as two means, two shares or two "
            "counts.",
            on_change=_answer_text,
        )
    st.button("Answer question", icon=":material/arrow_forward:", on_click=_answer_text)
    if opened.refused:
        suggested = opened.suggested or Suggestions()
        explain_fault(opened.refused, suggested, verb="Answer", act=_answer)
    _offer_examples("Examples: click one to answer it", "used_example", examples)
    _ask_about_column(opened)
    if not opened.contrast:
        build_question(
            opened.analysis.domain.columns, "used build", "Answer built question", act=_answer
        )
    _choices(opened)


def find_examples(opened: Using, name: str = "") -> list[str]:
    """Return example questions that the release answers; each was tried.

    ``name`` is a column that all of them are about; empty for the whole release.
    """
    analysis = opened.analysis
    ask = partial(analysis.ask, about=opened.about)
    key = ("examples", analysis.digest, opened.about, name)
    return state.work_out(key, lambda: released_examples(analysis.result.record, ask, name))


def _offer_examples(label: str, name: str, examples: list[str]) -> None:
    """Show questions of which a click answers one.

    The number in the widget's key grows with each click, so that the pills are drawn anew and
    none stays selected.

    Args:
        label: The label of the questions, in Markdown.
        name: A name for the widget's key.
        examples: The questions.
    """
    if not examples:
        return
    key = f"names_{name}_{state.number(name)}"
    st.pills(
        label,
        examples,
        format_func=in_markdown,
        key=key,
        on_change=_take_example,
        args=(name, key),
        wrap=True,
    )


def _ask_about_column(opened: Using) -> None:
    """Show the columns of a release; a click on one shows questions about it."""
    names = opened.analysis.domain.names
    label = "Columns: click one for questions about it"
    if len(names) <= MAX_BUTTONS:
        name = st.pills(
            label, names, format_func=in_markdown, key="names_used_column", wrap=True
        )
    else:
        name = st.selectbox(
            "Column to ask about",
            names,
            index=None,
            placeholder="Choose a column",
            key="names_used_column",
        )
    if name is None:
        return
    examples = find_examples(opened, name)
    _offer_examples(f"Questions about {in_code(name)}", "used_about", examples)
    if not examples:
        st.caption("The release answers no simple question about this column.")


def _choices(opened: Using) -> None:
    """Show two choices: who the answers are about, and if two questions are compared.

    Answers are about the rows themselves, or the people of whom they are a random sample.
    """
    with st.expander("Compare two questions, or ask about people", icon=":material/tune:"):
        tied = state.tie(
            "used_contrast", opened.contrast, lambda chosen: change(contrast=chosen or "")
        )
        st.segmented_control(
            "Compare",
            list(CONTRASTS),
            format_func=CONTRASTS.__getitem__,
            required=True,
            **tied,
        )
        tied = state.tie("used_about", opened.about, lambda about: change(about=about))
        st.radio("Answers are about", list(WHOM), format_func=WHOM.__getitem__, **tied)


@state.guard
def _answer_text() -> None:
    _answer(state.read_value(LINE) or "")


@state.guard
def _take_example(name: str, key: str) -> None:
    """Answer the clicked example.

    Args:
        name: The name of the pills, which are drawn anew, so that none stays selected.
        key: The key by which the state holds the clicked example.
    """
    state.advance(name)  # the old widget's value can still be read
    line = state.read_value(key) or ""
    state.write(LINE, line)
    _answer(line)


def _answer(line: str) -> None:
    """Answer a question, or its comparison with a second one, and show the answer.

    A question that cannot be answered is shown with the reason. ``line`` is its text.
    """
    opened = open_choice()
    if opened is None or not line.strip():
        return
    second_line = ""
    if opened.contrast:
        second_line = (state.read_value(OTHER) or "").strip()
        if not second_line:
            return
    try:
        if not second_line:
            conclusions = opened.analysis.ask(line, about=opened.about)
        else:
            conclusion = opened.analysis.contrast(
                line, second_line, ratio=opened.contrast == "over", about=opened.about
            )
            conclusions = Conclusions((conclusion,))
    except SynthError as error:
        suggested = None if second_line else _suggest(opened, line)
        change(refused=str(error), suggested=suggested)
        return
    change(answers=(conclusions, *opened.answers)[:MAX_ANSWERS], refused="", suggested=None)
    state.write(LINE, "")
    state.write(OTHER, "")


def _suggest(opened: Using, line: str) -> Suggestions:
    """Return what a refused text may mean, of what the release can answer."""

    def check(question: Question) -> Question:
        """Answer a question, to see whether the release can; SynthError if it cannot."""
        opened.analysis.ask(question, about=opened.about)
        return question

    return suggest_questions(line, opened.analysis.domain, check)
