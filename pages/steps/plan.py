"""Step 3: epsilon, neighbours and repair, with the forecast beside them."""

import streamlit as st

from pages.ui import frame, inputs, state
from pages.ui.draft import Draft, why_locked
from pages.ui.prediction import noise, prediction
from synth import limits
from synth.plan import Method
from synth.privacy import Neighbors
from synth.repair import Repair

NEIGHBORS = {
    Neighbors.REPLACE_ONE: "**Replace one row.** The number of rows is public and kept exactly; "
    "noise of scale 2/epsilon.",
    Neighbors.ADD_REMOVE: "**Add or remove one row.** The number of rows is private too; noise of "
    "scale 1/epsilon, and the synthetic table's size is noisy.",
}
REPAIRS = {
    Repair.AUTO: "Automatic: nearest or most likely, whichever promises less error",
    Repair.SIMPLEX: "Nearest: subtract one threshold, keep the total",
    Repair.BAYES: "Most likely: what a count may have been, given all the others",
    Repair.CLAMP: "Clamp: negative counts become 0; adds rows that are not there",
    Repair.RESCALE: "Clamp and rescale: as clamp, then shrink to the total",
    Repair.NONE: "None: draw from the positive counts as they are",
}


METHODS = {
    Method.DENSE: "Histogram: every combination of cells, for few columns",
    Method.AUTO: "Automatic: histogram or pairs of columns, by public numbers",
    Method.HISTOGRAM: "Large histogram: only counts above a threshold are listed",
    Method.ONE_SHOT: "All pairs at once: the pairs of columns that are worth it, for many columns",
    Method.ADAPTIVE: "Pair after pair: part of the budget goes where the fit is worst; slower",
    Method.TREE: "Tree of pairs: the strongest links only; fast",
    Method.INDEPENDENT: "Columns alone: no links between them; for very little budget",
}


def choices(draft: Draft) -> None:
    inputs.epsilon(draft)
    left, right = st.columns([3, 2])
    left.selectbox(
        "How the table is modelled",
        [*METHODS],
        format_func=lambda m: METHODS[m],
        **state.tied_choice("method"),
    )
    right.text_input(
        "Delta (empty: none)",
        placeholder="such as 1e-9",
        help="With a delta, many pairs can be measured with less noise each, for a weaker promise. "
        "It must be far below 1 over the number of rows.",
        **state.tied_choice("delta"),
    )
    st.radio(
        "What the guarantee compares",
        [*NEIGHBORS],
        format_func=lambda n: NEIGHBORS[n],
        **state.tied_choice("neighbors"),
    )
    left, right = st.columns([3, 2])
    left.selectbox(
        "Repair of negative counts (free: it sees noisy counts only)",
        [*REPAIRS],
        format_func=lambda r: REPAIRS[r],
        **state.tied_choice("repair"),
    )
    right.number_input(
        "Synthetic rows (0: as many as the table)",
        min_value=0,
        max_value=limits.ROWS_MAX,
        step=1000,
        **state.tied_choice("rows"),
    )


@st.fragment
def body(seen: Draft, locked: str | None) -> None:
    """All of the page. A move of the slider runs this alone; any other choice the whole app."""
    draft = state.draft()
    if not seen.differs_in_epsilon_only(draft) or why_locked(draft, "release") != locked:
        st.rerun()
    frame.sidebar(draft)
    left, right = st.columns([6, 5], gap="large")
    with frame.sentences():
        with left:
            choices(draft)
            plan = draft.plan()
        with right:
            prediction(draft, plan)
        with left:
            if not plan.by_model:
                noise(plan)


with frame.step("plan") as draft:
    body(draft, why_locked(draft, "release"))
