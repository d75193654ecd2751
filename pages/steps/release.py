"""Step 4: one button spends the budget once, and says how much."""

import streamlit as st

from pages.ui.frame import frame
from pages.ui.plan.prediction import outlook_of
from pages.ui.release.accepting import writing
from pages.ui.release.spending import confirm, offer_known
from pages.ui.release.spends import expected_errors, spends
from pages.ui.release.watching import watch
from pages.ui.shell import state
from pages.ui.shell.charts import Lane, badge
from pages.ui.shell.draft import Draft
from pages.ui.shell.numbers import short
from pages.ui.shell.promise import first_line, show_promise
from pages.ui.shell.release import Release
from pages.ui.shell.words import command_line
from synth.estimate import RECIPES
from synth.plans import Method, Plan
from synth.privacy import brief
from synth.util import explain_word


def show_release(release: Release) -> None:
    """There is no button, as another release of this plan would be free."""
    result = release.result
    how = "Opened from a bundle" if release.opened else "Released"
    st.success(
        f"{how}: {result.synthetic.rows:,} synthetic rows with {release.cost}. "
        "This release is stored; looking at it again spends nothing.",
        icon=":material/check_circle:",
    )
    badge(Lane.DP)
    first_line(release)
    if not release.files:
        writing(release)
    first = result.synthetic.table.slice(0, 8).to_pandas()
    st.dataframe(first, hide_index=True, placeholder="missing")
    st.caption("The first rows of the synthetic table. Nobody in it exists.")
    show_promise(release)
    expected_errors(release)
    spends(result.record)


def describe_method(draft: Draft, plan: Plan) -> str:
    made, rows = draft.earlier_release, draft.table_rows
    if made is not None:
        return RECIPES[made.result.record.strategy or Method.DENSE].short
    if RECIPES[plan.method].chooses and not rows:
        return "not known yet"
    return RECIPES[outlook_of(plan, rows).method if rows else plan.method].short


def contents(draft: Draft, plan: Plan) -> None:
    columns, cells, noise = st.columns(3)
    columns.metric("Columns", len(plan.domain.columns), border=True)
    cells.metric("Cells", short(plan.domain.size), border=True, help=explain_word("cell"))
    drawn = plan.cell_noise
    scale = brief(drawn.scale, most=12) if drawn is not None else ""
    label = "Noise scale" if scale else "Method"
    noise.metric(label, scale or describe_method(draft, plan), border=True)
    table = draft.source.title if draft.source else plan.dataset
    st.code(command_line(plan, table), language="bash", wrap_lines=True)
    st.caption("domain.json is the description; the step Download has it.")


def page(draft: Draft) -> None:
    plan = draft.plan()
    if draft.earlier_release is not None:
        show_release(draft.earlier_release)
        if draft.earlier_release.opened:  # perhaps of an older version of the table
            with st.expander(
                "Release your table again with new noise", icon=":material/lock_open:"
            ):
                entry = state.find_spend()
                offer_known(entry) if entry is not None else confirm(draft, plan)
    elif (entry := state.find_spend()) is not None:
        offer_known(entry)
    else:
        if draft.release is not None:
            st.info(
                f"You changed the plan after the release with {draft.release.cost}. "
                "The step Download still has that release.",
                icon=":material/history:",
            )
        confirm(draft, plan)
    with st.expander("Details", icon=":material/list:"):
        contents(draft, plan)


with frame.step("release") as draft:
    place = st.empty()
    running = state.job()
    if running is not None:
        watch(running, place)
    with place.container():
        page(draft)
