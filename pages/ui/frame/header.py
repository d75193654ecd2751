"""The top of every page: the table, whose data it is, the budget, undo, and a new start."""

import streamlit as st

from pages.ui.frame.theme import theme_switch
from pages.ui.frame.undoing import undo_buttons
from pages.ui.shell import at_work, state
from pages.ui.shell.budget_bar import show_budget
from pages.ui.shell.draft import Draft
from pages.ui.shell.release import Source
from synth.foreign import in_markdown

# The name of the product beside its picture, in a blue that is seen in both themes.
LOGO = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 108 28" role="img" '
    'aria-label="Synth"><path fill="#2A85C7" d="M13 1 4 5v7c0 5.8 3.8 11.2 9 12.6 5.2-1.4 '
    '9-6.8 9-12.6V5z"/><path fill="#fff" d="m11.5 17.5-4-4L9 12l2.5 2.5L17 9l1.5 1.5z"/>'
    '<text x="30" y="20" font-family="sans-serif" font-size="19" font-weight="700" '
    'fill="#2A85C7">Synth</text></svg>'
)


def header(draft: Draft, page: str) -> None:
    """Show the table, its people, their budget, *Undo*, *Start over*, and light or dark.

    Without a table, only the colours can be chosen. ``page`` is the name of the open page.
    """
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key="header"
    ):
        if draft.source is not None:
            _name_table(draft.source)
            if page != "ledger":  # which says the same, with what is left
                show_budget()
            undo_buttons(page)
            with st.popover("Start over", icon=":material/restart_alt:"):
                _ask_to_start_over()
        theme_switch()


def _name_table(source: Source) -> None:
    """Show the name of the table, and whose data it is."""
    people = "nobody: simulated" if source.simulated else (source.people or "not said yet")
    st.markdown(f"Table: **{in_markdown(source.title)}** · whose data: {in_markdown(people)}")


def _ask_to_start_over() -> None:
    """Show what starting over means, and the button that does it."""
    running = at_work.job() is not None or at_work.ask_job() is not None
    st.markdown(
        "Choose another table. This one leaves the app; its project, its releases and what "
        "was spent stay."
    )
    st.button(
        "Start over with another table",
        key="start_over",
        on_click=state.guard(start_over),
        disabled=running,
        help="Wait until the release has ended." if running else None,
    )


def start_over() -> None:
    """Close the current table and its project; the paid releases of the session stay."""
    current = state.draft()
    if current.source is not None:
        state.folder().drop(current.source.table.path)
    state.keep("draft", Draft(releases=current.releases, answers=current.answers))
