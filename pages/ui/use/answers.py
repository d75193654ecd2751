"""The conclusions of a release, the newest first."""

from itertools import chain

import streamlit as st

from pages.ui.ask.answers import effects
from pages.ui.ask.words import as_table
from pages.ui.shell import state
from pages.ui.shell.charts import Lane, badge, show
from pages.ui.use.asking import WHOM
from pages.ui.use.choices import Using, change
from synth.analysis import Conclusion
from synth.domain import Domain
from synth.errors import QuestionError
from synth.foreign import in_code, in_markdown
from synth.questions import parse


def show_conclusions(opened: Using) -> None:
    """Show the answers so far, or where they will be."""
    st.header("Answers")
    badge(Lane.DP)
    if not opened.answers:
        st.info("Ask a question. Its answer appears here.", icon=":material/edit:")
        return
    # A question may have several conclusions.
    for number, conclusion in enumerate(chain.from_iterable(opened.answers)):
        with st.container(border=True):
            _show_answer(conclusion, opened.analysis.domain, number)
    st.button("Clear the answers", icon=":material/delete_sweep:", on_click=_clear)


def _show_answer(conclusion: Conclusion, domain: Domain, number: int) -> None:
    """Show one answer with its interval, its remarks, and a picture if it is a regression.

    Args:
        conclusion: The answer.
        domain: The columns of the release.
        number: The answer's position on the page, for the keys of widgets.
    """
    st.subheader(in_code(conclusion.question))
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
        st.dataframe(
            table,
            hide_index=not has_row_names,
            key=f"used_answer_{number}",
            alt="The answer.",
        )
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
    change(answers=(), refused="", suggested=None)


def _end_sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."
