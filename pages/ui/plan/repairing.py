"""The choice of the repair of negative noisy counts, before a release."""

import streamlit as st

from pages.ui.plan.prediction import biases, say_other_repair
from pages.ui.shell import state
from pages.ui.shell.draft import Draft
from synth.estimate import REPAIRS
from synth.foreign import in_markdown
from synth.plans import Plan


def repair(draft: Draft, plan: Plan) -> None:
    """Show the choice of the repair of negative noisy counts, and its effect if known."""
    st.selectbox(
        "Repair of negative counts (free: it sees noisy counts only)",
        [*REPAIRS],
        format_func=lambda name: REPAIRS[name].label,
        **state.tie("choice_repair", str(draft.repair), state.change_repair),
    )
    if draft.table_rows:
        st.caption(in_markdown(biases(plan, draft.table_rows)))
        if sentence := say_other_repair(plan):
            st.caption(in_markdown(sentence))
