"""The noisy histogram of a plan as it may come, drawn before anything is spent."""

import streamlit as st

from pages.ui.plan.prediction import outlook_of
from pages.ui.shell import state
from pages.ui.shell.charts import Lane, badge, show
from pages.ui.shell.draft import Draft
from synth.bundle import view_repaired
from synth.estimate import RECIPES, repair_counts
from synth.forecasts import simulate_counts
from synth.plans import Plan


def simulation(draft: Draft, plan: Plan) -> None:
    """Show what the noise of a plan may do to the counts of a histogram, and its repair.

    Nothing is shown if the number of rows is unknown, if the forecast expects another method
    than a histogram, or if it has too many cells to be repaired while the slider moves.
    """
    rows = draft.table_rows
    if not rows or not RECIPES[outlook_of(plan, rows).method].is_whole:
        return
    noisy = simulate_counts(plan, rows)
    if noisy is None:
        return
    place = st.expander(
        "The noisy histogram, simulated",
        icon=":material/bar_chart:",
        key="simulation",
        on_change="rerun",
    )
    if not place.open:  # counts are repaired once somebody opens it
        return
    repaired = state.work_out(
        ("simulated", plan.domain.shape, plan.scale, plan.repair, rows),
        lambda: repair_counts(noisy, plan.repair),
    )
    view = view_repaired(noisy, repaired)
    with place:
        badge(Lane.PUBLIC)
        st.markdown(
            f"Noise of at most ±{view.reach:,} rows in 95 of 100 cells would make "
            f"**{view.negative:,} of {len(view.noisy):,} counts negative**. A larger epsilon "
            "makes the noise smaller. After the release you choose how negative counts are "
            "repaired, at no cost."
        )
        show(view.draw(sort=True, only_small=True), Lane.PUBLIC, "simulated")
        st.caption(
            "The counts are those of a usual table of this size, not of yours: no row was "
            "read. The step Release shows your own noisy counts."
        )
