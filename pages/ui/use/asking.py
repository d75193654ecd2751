"""Questions to a release, and its conclusions."""

from itertools import chain

import streamlit as st

from pages.ui.ask.answers import effects
from pages.ui.ask.builder import build_question
from pages.ui.ask.words import as_table, examples, released_examples
from pages.ui.shell import state
from pages.ui.shell.charts import Lane, badge, show
from pages.ui.use.choices import Using, change, open_choice
from synth.analysis import Conclusion
from synth.api.analysing import Conclusions
from synth.domain import Domain
from synth.errors import QuestionError, SynthError
from synth.foreign import in_markdown
from synth.questions import KINDS, parse

LINE = "used_question"
WHOM = {"rows": "these rows", "people": "the people they are a random sample of"}
OTHER = "used_other"
CONTRASTS = {"": "One question", "less": "Difference of two", "over": "Ratio of two"}
# Most answers on the screen.
MAX_ANSWERS = 20


def ask_release(opened: Using) -> None:
    """Show the field for questions to a release, examples, and the answers so far.

    Answers come from the release alone, so they cost nothing.
    """
    st.header("Ask")
    badge(Lane.DP)
    st.markdown("Answers are free. Each comes with an interval that counts the noise.")
    _choices(opened)
    line_place, button_place = st.columns([6, 1], vertical_alignment="bottom")
    line_place.text_input(
        "A question",
        key=LINE,
        placeholder="share where age >= 65",
        help=f"{', '.join(KINDS)}; groups with 'by', rows with 'where', a reference level as "
        "in: regression hours on age, sex reference F.",
        on_change=_answer_text,
    )
    button_place.button(
        "Answer", icon=":material/arrow_forward:", on_click=_answer_text, width="stretch"
    )
    # ``contrast`` is "less" or "over" for two compared questions, and empty for a single one.
    if opened.contrast:
        st.text_input(
            "less the second question"
            if opened.contrast == "less"
            else "over the second question",
            key=OTHER,
            placeholder="mean age where sex = M",
            help="Of the same kind as the first, such as two means, two shares or two "
            "counts.",
            on_change=_answer_text,
        )
    if opened.refused:
        st.error(in_markdown(opened.refused), icon=":material/block:")
    if not opened.contrast:
        build_question(opened.analysis.domain.columns, "used build", "Answer it", act=_answer)
    key = f"used_example_{state.number('used_example')}"
    columns = opened.analysis.domain.columns
    st.pills(
        "Examples for this release",
        list(dict.fromkeys([*examples(columns), *released_examples(columns)])),
        format_func=in_markdown,
        key=key,
        on_change=_example,
        args=(key,),
    )
    # A question may have several conclusions.
    for number, conclusion in enumerate(chain.from_iterable(opened.answers)):
        _show_answer(conclusion, opened.analysis.domain, number)
    if opened.answers:
        st.button("Clear the answers", icon=":material/delete_sweep:", on_click=_clear)


def _choices(opened: Using) -> None:
    """Show two choices: who the answers are about, and if two questions are compared.

    Answers are about the rows themselves, or the people of whom they are a random sample.
    """
    tied = state.tie("used_about", opened.about, lambda about: change(about=about))
    st.radio(
        "Answers are about", list(WHOM), format_func=WHOM.__getitem__, horizontal=True, **tied
    )
    tied = state.tie(
        "used_contrast", opened.contrast, lambda chosen: change(contrast=chosen or "")
    )
    st.segmented_control(
        "Compare", list(CONTRASTS), format_func=CONTRASTS.__getitem__, required=True, **tied
    )


@state.guard
def _answer_text() -> None:
    _answer(state.read_value(LINE) or "")


@state.guard
def _example(key: str) -> None:
    """Answer the clicked example.

    ``key`` is the key of the pills; they are drawn anew, so that none stays selected.
    """
    state.advance("used_example")  # the old widget's value can still be read
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
        change(refused=str(error))
        return
    change(answers=(conclusions, *opened.answers)[:MAX_ANSWERS], refused="")
    state.write(LINE, "")
    state.write(OTHER, "")


def _show_answer(conclusion: Conclusion, domain: Domain, number: int) -> None:
    """Show one answer with its interval, its remarks, and a picture if it is a regression.

    Args:
        conclusion: The answer.
        domain: The columns of the release.
        number: The answer's position on the page, for the keys of widgets.
    """
    st.subheader(in_markdown(conclusion.question))
    try:
        question = parse(conclusion.question)
    except QuestionError:  # two questions that are compared
        question = None
    if len(conclusion.texts) == 1:
        answer = conclusion.chosen[0] if conclusion.chosen else conclusion.text()
        st.markdown(f"**{in_markdown(answer)}**")
    else:
        table = as_table(question, conclusion, domain)
        # Only a crossed table names its rows; the index of others just counts them.
        has_row_names = table.index.names != [None]
        st.dataframe(table, hide_index=not has_row_names, key=f"used_answer_{number}")
    if question is not None and question.regressors:
        show(effects(question, conclusion, domain), Lane.DP, f"used_effects_{number}")
    sentences = [conclusion.sentence, f"About {WHOM[conclusion.about]}.", *conclusion.remarks]
    st.caption(
        in_markdown(" ".join(map(_end_sentence, sentences))),
        help=in_markdown(f"How: {_end_sentence(conclusion.how)}"),
    )
    if conclusion.stamp:  # the failed check of a bundle that was opened all the same
        st.error(in_markdown(f"UNVERIFIED: {conclusion.stamp}"), icon=":material/gpp_bad:")


@state.guard
def _clear() -> None:
    change(answers=(), refused="")


def _end_sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."
