"""Step 5: real against synthetic rows. It reads the confidential table, so it waits for a
click.
"""

from dataclasses import replace
from functools import partial

import streamlit as st

from pages.ui.compare.compared import Findings, compare_release
from pages.ui.compare.findings import show_findings
from pages.ui.data.reading import show_faults
from pages.ui.frame import frame
from pages.ui.release.released import from_release
from pages.ui.shell import state
from pages.ui.shell.charts import Lane, badge
from pages.ui.shell.promise import first_line
from pages.ui.shell.release import Release
from pages.ui.shell.rows_at_work import run_on_rows, watch_rows


@state.guard
def compare_now(release: Release) -> None:
    """Start to compare a release with its table; the session stores the comparison."""

    def take(comparison: Findings) -> None:
        """Store the comparison in the session."""
        state.renew(release, replace(release, comparison=comparison))
        state.change(compared=True)

    run_on_rows(
        partial(compare_release, release), take, title="Comparing with the confidential table"
    )


def ask(release: Release) -> None:
    """Show the button that compares a release with its confidential table.

    Nothing is read before the user clicks.
    """
    st.markdown(
        "Comparing reads the confidential rows. The numbers are for you alone: they are in "
        "no download, and **no guarantee covers them**."
    )
    st.button(
        "Compare with the confidential table",
        type="primary",
        icon=":material/visibility:",
        on_click=compare_now,
        args=(release,),
    )


with frame.step("compare") as draft:
    watch_rows()
    release = draft.release
    assert release is not None, "the step is locked until then"
    if not draft.follows_plan(release):
        st.info(f"This is the release with {release.cost}, not the present plan.")
    show_faults(release.source)
    with st.container():  # one place, also while it is empty: what comes below stays
        if release.comparison is None:
            first_line(release, warns_of_relations=True)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.header("Against the confidential table", width="content")
        badge(Lane.PRIVATE)
    if release.comparison is None:
        ask(release)
    else:
        show_findings(release.comparison)
    from_release(release)
