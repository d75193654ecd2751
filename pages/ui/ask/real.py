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


def real(answered: Answered) -> None:
    st.header("Real against noisy")
    badge(Lane.PRIVATE)
    if answered.real is None:
        st.markdown(
            "This reads the confidential rows. The numbers are for you alone: they are in no "
            "download, and **no guarantee covers them**."
        )
        st.button(
            "Show the real answers",
            icon=":material/visibility:",
            on_click=_look,
            args=(answered,),
        )
        return
    noisy = answered.asked.answers
    parts = [_comparison_table(*pair) for pair in zip(noisy, answered.real, strict=True)]
    st.dataframe(pd.concat(parts, ignore_index=True), hide_index=True)
    show_all(pictures(noisy, answered.real), Lane.PRIVATE)


@state.guard
def _look(answered: Answered) -> None:
    found = real_answers(answered.asked, answered.source.table)
    state.renew(answered, replace(answered, real=found))


def _comparison_table(noisy: Answer, true: Answer) -> pd.DataFrame:
    if noisy.chosen:
        pairs = {"noisy": list(noisy.chosen), "real": list(true.chosen)}
        what = [f"{place}." for place in range(1, len(noisy.chosen) + 1)]
        return pd.DataFrame({"question": str(noisy.question), "what": what, **pairs})
    if not _alike(noisy, true):
        held = [""] * len(noisy.value)
    elif np.isnan(noisy.low).all():
        held = ["no interval"] * len(noisy.value)
    else:
        inside = (noisy.low <= true.value) & (true.value <= noisy.high)
        none = np.isnan(noisy.low)
        held = list(map(str, np.where(none, "", np.where(inside, "yes", "no"))))
    places = range(len(noisy.value))
    exact = (
        [true.value_text(i) for i in places] if _alike(noisy, true) else "ask it alone to see"
    )
    return pd.DataFrame(
        {
            "question": str(noisy.question),
            "what": noisy.labels or ("",),
            "noisy": list(map(noisy.value_text, places)),
            "real": exact,
            "in the interval": held,
        }
    )


def _alike(noisy: Answer, true: Answer) -> bool:
    # The most frequent values may differ between both.
    return noisy.labels == true.labels
