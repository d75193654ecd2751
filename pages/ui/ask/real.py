"""Real and noisy answers. PRIVATE: it reads the confidential table, so it waits for a
click.
"""

from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from pages.ui.ask.answers import pictures, show_all
from pages.ui.shell import state
from pages.ui.shell.charts import Lane, badge
from pages.ui.shell.job import Answered
from synth.private.comparison import real_answers
from synth.questions import Answer


def real(answered: Answered, *, of: str = "answers") -> None:
    """Show the real answers next to the noisy ones, once the user has asked to see them.

    Until then the confidential table is not read. ``of`` is a word for the answers in the
    keys of widgets.
    """
    st.header("Real against noisy")
    badge(Lane.PRIVATE)
    if answered.real is None:
        st.markdown(
            "This reads the confidential rows. The numbers are for you alone: they are in no "
            "download, and **no guarantee covers them**."
        )
        st.button(
            "Show the real answers",
            key=f"look at {of}",
            icon=":material/visibility:",
            on_click=_look,
            args=(answered,),
        )
        return
    noisy = answered.asked.answers
    tables = [
        _comparison_table(noisy_answer, real_answer)
        for noisy_answer, real_answer in zip(noisy, answered.real, strict=True)
    ]
    st.dataframe(
        pd.concat(tables, ignore_index=True), hide_index=True, alt="Noisy and real answers."
    )
    show_all(pictures(noisy, answered.real), Lane.PRIVATE, of=of)


@state.guard
def _look(answered: Answered) -> None:
    answers = real_answers(answered.asked, answered.source.table)
    state.renew(answered, replace(answered, real=answers))


def _comparison_table(noisy: Answer, true: Answer) -> pd.DataFrame:
    """Return a table of one question, with a row for each number of its answer. PRIVATE.

    It has the noisy number, the true one, and whether the interval contains it. If the two
    answers list different values, the true ones are not shown.
    """
    if noisy.chosen:  # the answer is a ranking of values, without numbers
        pairs = {"noisy": list(noisy.chosen), "real": list(true.chosen)}
        ranks = [f"{place}." for place in range(1, len(noisy.chosen) + 1)]
        return pd.DataFrame({"question": str(noisy.question), "what": ranks, **pairs})
    places = range(len(noisy.value))
    exact: list[str] | str = "ask it alone to see"
    in_interval: list[str] | str = ""
    if _alike(noisy, true):
        exact = [true.value_text(place) for place in places]
        in_interval = _compare_to_interval(noisy, true)
    return pd.DataFrame(
        {
            "question": str(noisy.question),
            "what": noisy.labels or ("",),
            "noisy": list(map(noisy.value_text, places)),
            "real": exact,
            "in the interval": in_interval,
        }
    )


def _compare_to_interval(noisy: Answer, true: Answer) -> list[str] | str:
    """Return for each number "yes" or "no": if the interval has the true number.

    A number without an interval has an empty text. If no number has an interval, one text
    says so for all. PRIVATE.
    """
    has_none = np.isnan(noisy.low)
    if has_none.all():
        return "no interval"
    is_inside = (noisy.low <= true.value) & (true.value <= noisy.high)
    return list(map(str, np.where(has_none, "", np.where(is_inside, "yes", "no"))))


def _alike(noisy: Answer, true: Answer) -> bool:
    # The most frequent values may differ between both.
    return noisy.labels == true.labels
