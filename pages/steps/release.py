"""Step 4: one button spends the budget once, and says how much."""

import streamlit as st

from pages.ui.domain.left_out import name_left_out
from pages.ui.frame import frame
from pages.ui.ledger.reserving import ask_project
from pages.ui.ledger.two_persons import show_waiting
from pages.ui.plan.pricing import warn_of_rows
from pages.ui.release.details import contents, show_release
from pages.ui.release.spending import confirm, offer_stored
from pages.ui.release.watching import watch
from pages.ui.shell import at_work, budgets
from pages.ui.shell.draft import Draft
from pages.ui.shell.rows_at_work import watch_rows
from synth.plans import Plan


def page(draft: Draft) -> None:
    """Show the release of the current plan, or else the button to make it."""
    plan = draft.plan()
    earlier = draft.earlier_release
    if earlier is None:
        name_left_out(draft)
        offer_release(draft, plan)
    else:
        show_release(earlier)
        # A release from a bundle may be of an older version of the table.
        if earlier.opened:
            with st.expander(
                "Release your table again with new noise", icon=":material/lock_open:"
            ):
                offer_release(draft, plan)
    with st.expander("Details", icon=":material/list:"):
        contents(draft, plan)


def offer_release(draft: Draft, plan: Plan) -> None:
    """Offer the stored result of this plan if it is paid for, otherwise a spend.

    A notice says so if the latest release followed another plan.
    """
    entry = budgets.find_spend()
    if entry is not None:
        offer_stored(entry, draft, plan)
        return
    if draft.earlier_release is None and draft.release is not None:
        st.info(
            f"You changed the plan after the release with {draft.release.cost}. "
            "The step Download still has that release.",
            icon=":material/history:",
        )
    warn_of_rows(draft)
    show_waiting(plan.dataset)
    ask_project(plan.dataset)
    confirm(draft, plan)


with frame.step("release") as draft:
    watch_rows()
    place = st.empty()
    running = at_work.job()
    if running is not None:
        watch(running, place)
    with place.container():
        page(draft)
