"""What the answers are expected to be worth, before anything is spent. PUBLIC."""

import math

import pandas as pd
import streamlit as st

from pages.ui.ask import inquiring, words
from pages.ui.shell import state
from pages.ui.shell.charts import Lane, badge
from pages.ui.shell.draft import Draft
from synth.privacy.sharing import told
from synth.questions.answers import Answer
from synth.questions.inquiry import Inquiry
from synth.questions.ways import WORDS, WayName

AUTOMATIC = "Automatic: the best for each question"
FEW = 4
"""Questions that the table of ways shows one by one."""


def forecasts(draft: Draft, asked: Inquiry) -> None:
    """Errors by question, the ways, and the budget that an error takes."""
    st.subheader("What to expect")
    badge(Lane.PUBLIC)
    rows = draft.about_rows
    if not rows:
        st.info("Type above about how many rows the table has to see what to expect.")
        return
    answers = inquiring.forecast(asked, rows)
    st.dataframe(
        pd.DataFrame(
            {
                "Question": [str(answer.question) for answer in answers],
                "Expected error": [words.off(answer) for answer in answers],
                "How": [WORDS[answer.way] for answer in answers],
            }
        ),
        hide_index=True,
    )
    st.caption(f"For about {rows:,} rows, the number typed above; groups taken to be equal.")
    _ways(draft, asked, rows)


def _ways(draft: Draft, asked: Inquiry, rows: int) -> None:
    """Every way that answers all questions: what it costs and is worth."""
    found = inquiring.alternatives(asked, rows)
    with st.expander("Ways to answer, side by side", icon=":material/alt_route:", expanded=True):
        st.selectbox(
            "Way to answer",
            [*found],
            format_func=named,
            **state.tied("ask way", draft.asking.way, lambda way: state.choose(way=way)),
        )
        st.dataframe(
            pd.DataFrame([_way(asked, w, one) for w, one in found.items()]), hide_index=True
        )
        st.caption("All of it follows from public numbers. Ways that cannot answer are not listed.")


def named(way: WayName | None) -> str:
    """A way as it is listed."""
    return AUTOMATIC if way is None else WORDS[way][:1].upper() + WORDS[way][1:]


def _way(asked: Inquiry, way: WayName | None, answers: list[Answer]) -> dict[str, str]:
    spent = inquiring.by(asked, way).arrangement.spent
    row = {"Way": named(way), "Costs": told(spent) if spent else "nothing"}
    if len(answers) <= FEW:
        return row | {str(answer.question): words.off(answer) for answer in answers}
    kinds = {words.unit_of(answer): answer for answer in sorted(answers, key=_size)}
    return row | {f"Worst, {unit}": words.off(answer) for unit, answer in kinds.items()}


def _size(answer: Answer) -> float:
    return math.inf if math.isnan(answer.expected_error) else answer.expected_error
