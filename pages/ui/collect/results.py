"""Estimates from the answers: shares with intervals, joint tables, and made-up people."""

import pandas as pd
import streamlit as st

from pages.ui.collect.choices import read_choices
from pages.ui.shell.charts import Lane, show
from pages.ui.shell.numbers import say_count
from pages.ui.shell.widgets import download
from synth.collecting import (
    Collected,
    debiased_shares,
    joint_shares,
    people_needed,
    shares_picture,
)
from synth.errors import SynthError
from synth.foreign import in_markdown, line
from synth.privacy import plain
from synth.util import write_number, write_share

# Most questions of a joint table on the screen.
MAX_JOINT_QUESTIONS = 3


def results() -> None:
    """Show the estimates from the answers, and offer synthetic people; else nothing."""
    results = read_choices().results
    if results is None:
        return
    collected = results.collected
    st.header("Results")
    people = "1 person" if collected.people == 1 else f"{collected.people:,} people"
    st.markdown(
        f"**{people}** answered, each with epsilon {plain(collected.design.epsilon)} over "
        f"{say_count(len(collected.design.questions), 'question')}. Each 95 % interval "
        "contains the true share with at least 95 % probability."
    )
    _warn(collected)
    _shares(collected)
    _joint_table(collected)
    label = "Download a synthetic table"
    download(
        label, results.content, "synthetic.csv", mime="text/csv", icon=":material/table:"
    )
    st.caption(f"{results.people.table.rows:,} rows. {in_markdown(results.people.says)}")


def _warn(collected: Collected) -> None:
    """Warn if fewer people answered than the allowed error needs.

    Nothing is shown if the typed error is invalid, or would need too many people.
    """
    try:
        error = read_choices().allowed_error()
        needed = people_needed(collected.design, error=error).exact
    except SynthError:  # the form above shows what is wrong
        return
    if collected.people < needed:
        how_few = "Far too few" if 2 * collected.people < needed else "Too few"
        points = write_number(100 * float(error))
        st.warning(
            f"{how_few}: {needed:,} people are needed for shares within {points} percentage "
            "points.",
            icon=":material/group_off:",
        )


def _shares(collected: Collected) -> None:
    """Show the estimated shares of one chosen question as a picture, and of all in a table.

    A second table has the raw estimates, before they are limited to 0 to 100 %.
    """
    questions = collected.design.questions
    number = 0
    if len(questions) > 1:
        chosen = st.selectbox(
            "Question",
            range(len(questions)),
            format_func=lambda number: line(questions[number].text),
        )
        number = chosen or 0
    shares = debiased_shares(collected)
    show(shares_picture(questions[number], shares[number]), Lane.PUBLIC, "collected shares")
    rows: list[dict[str, object]] = []
    raw_rows: list[dict[str, object]] = []
    for question, estimates in zip(questions, shares, strict=True):
        for estimate in estimates:
            answer = {"question": question.text, "answer": estimate.option}
            # Rounded to the digits that half the width of the interval allows.
            half_width = (estimate.high - estimate.low) / 2
            raw_share = write_share(estimate.share, half_width)
            rows.append({**answer, "share": estimate.text})
            raw_rows.append(
                {**answer, "randomised answers": estimate.count, "raw share": raw_share}
            )
    st.dataframe(pd.DataFrame(rows), hide_index=True, alt="The share of each answer.")
    _fold(
        "Raw shares", "An estimate without bias may lie below 0 % or above 100 %.", raw_rows
    )


def _fold(label: str, note: str, rows: list[dict[str, object]]) -> None:
    """Show a table, with a note above it, in a section that is closed at first.

    Each of ``rows`` maps the titles of columns to values.
    """
    with st.expander(label):
        st.caption(note)
        st.dataframe(pd.DataFrame(rows), hide_index=True, alt=f"{label}.")


def _joint_table(collected: Collected) -> None:
    """Show the estimated joint shares of the answers to the chosen questions.

    At most ``MAX_JOINT_QUESTIONS`` questions can be chosen. A second table has the raw
    estimates, before they are made non-negative.
    """
    questions = collected.design.questions
    if len(questions) < 2:
        return
    chosen = st.pills(
        "Questions together",
        range(len(questions)),
        default=[0, 1],
        selection_mode="multi",
        format_func=lambda number: in_markdown(questions[number].text, 60),
    )
    if not 1 <= len(chosen) <= MAX_JOINT_QUESTIONS:
        st.caption(f"Choose up to {MAX_JOINT_QUESTIONS}; the command line shows more.")
        return
    try:
        joint = joint_shares(collected, tuple(sorted(chosen)))
    except SynthError as problem:
        st.error(in_markdown(str(problem)), icon=":material/edit:")
        return
    rows: list[dict[str, object]] = []
    raw_rows: list[dict[str, object]] = []
    for options, raw, error, share in joint.cells():
        cell = {
            questions[number].text: option
            for number, option in zip(joint.questions, options, strict=True)
        }
        # Rounded to the digits that half the width of a 95 % interval allows.
        rows.append({**cell, "share": write_share(share, 2 * error)})
        raw_rows.append(
            {
                **cell,
                "raw share": write_share(raw, 2 * error),
                "standard error": write_share(error, error),
            }
        )
    st.dataframe(pd.DataFrame(rows), hide_index=True, alt="The shares of answers together.")
    _fold(
        "Raw joint shares",
        "The shares above are the nearest ones that are not negative and add up to 100 %.",
        raw_rows,
    )
