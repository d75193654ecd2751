"""What the answers tell: shares with their intervals, questions together, and made-up people."""

import pandas as pd
import streamlit as st

from pages.ui.collect.choices import read_choices
from pages.ui.shell.charts import Lane, show
from pages.ui.shell.numbers import counted
from pages.ui.shell.widgets import download
from synth.collecting import Collected, debiased_shares, joint_shares, shares_picture
from synth.errors import SynthError
from synth.foreign import in_markdown, line
from synth.privacy import plain

TOGETHER = 3
"""Most questions of a joint table on the screen."""


def results() -> None:
    """Show them, once answers were read."""
    found = read_choices().results
    if found is None:
        return
    collected = found.collected
    st.header("What they tell")
    people = "1 person" if collected.people == 1 else f"{collected.people:,} people"
    st.markdown(
        f"**{people}** answered, each with epsilon {plain(collected.design.epsilon)} over "
        f"{counted(len(collected.design.questions), 'question')}. An interval holds the true share "
        "in at least 95 of 100 cases; a debiased share may lie below 0 or above 1."
    )
    _shares(collected)
    _joint_table(collected)
    label = "Download a synthetic table"
    download(label, found.content, "synthetic.csv", "text/csv", icon=":material/table:")
    st.caption(f"{found.drawn.table.rows:,} rows. {in_markdown(found.drawn.says)}")


def _shares(collected: Collected) -> None:
    questions = collected.design.questions
    number = 0
    if len(questions) > 1:
        number = (
            st.selectbox(
                "Question", range(len(questions)), format_func=lambda n: line(questions[n].text)
            )
            or 0
        )
    shares = debiased_shares(collected)
    show(shares_picture(questions[number], shares[number]), Lane.PUBLIC, "collected shares")
    rows = [
        {
            "question": question.text,
            "answer": one.option,
            "randomised answers": one.count,
            "share, %": round(100 * one.share, 2),
            "from": round(100 * one.low, 2),
            "to": round(100 * one.high, 2),
        }
        for question, found in zip(questions, shares, strict=True)
        for one in found
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True)


def _joint_table(collected: Collected) -> None:
    """The joint table of a few questions."""
    questions = collected.design.questions
    if len(questions) < 2:
        return
    together = st.pills(
        "Questions together",
        range(len(questions)),
        default=[0, 1],
        selection_mode="multi",
        format_func=lambda n: in_markdown(questions[n].text, 60),
    )
    if not 1 <= len(together) <= TOGETHER:
        st.caption(f"Choose up to {TOGETHER}; the command line shows more.")
        return
    try:
        joint = joint_shares(collected, tuple(sorted(together)))
    except SynthError as problem:
        st.error(in_markdown(str(problem)), icon=":material/edit:")
        return
    rows = [
        {
            **{questions[n].text: said for n, said in zip(joint.questions, options, strict=True)},
            "share, repaired, %": round(100 * kept, 2),
            "debiased, %": round(100 * debiased, 2),
            "standard error": round(100 * error, 2),
        }
        for options, debiased, error, kept in joint.cells()
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True)
    st.caption(
        "Debiased by the product of the questions' inverse matrices. Repaired: the nearest shares "
        "that are not negative and add up to 100 %."
    )
