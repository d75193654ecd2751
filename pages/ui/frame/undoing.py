"""Undo and redo in the header: the last choice about the table or its plan."""

import streamlit as st

from pages.ui.domain.column import renew
from pages.ui.domain.overview import TROUBLES
from pages.ui.shell import state
from pages.ui.shell.history import session_history
from synth.foreign import in_markdown

UNDO = -1
REDO = 1


def undo_buttons(page: str) -> None:
    """Show the button that takes back the last choice; after it, the one that redoes it.

    ``page`` is the name of the open page.
    """
    history = session_history()
    # A move of Plan's slider draws only that page, and not this button, anew.
    may_be_newer = page == "plan"
    can_undo = history.can(UNDO)
    help_text = None
    if can_undo and not may_be_newer:
        help_text = f"The last choice: {in_markdown(history.name_step(UNDO))}"
    st.button(
        "Undo",
        key="undo",
        icon=":material/undo:",
        on_click=take_step,
        args=(UNDO,),
        disabled=not can_undo and not may_be_newer,
        help=help_text,
    )
    if history.can(REDO):
        st.button(
            "Redo",
            key="redo",
            icon=":material/redo:",
            on_click=take_step,
            args=(REDO,),
            help=f"Choose again: {in_markdown(history.name_step(REDO))}",
        )


@state.guard
def take_step(steps: int) -> None:
    """Take back the last choice, or do the next one again, and say which one it was.

    ``steps`` is ``UNDO`` or ``REDO``. What was spent stays spent.
    """
    history = session_history()
    history.see(state.draft())
    if not history.can(steps):
        state.notice("There is no choice to take back.")
        return
    change = history.name_step(steps)
    state.write(TROUBLES, {})  # refused edits were of the description that is left
    state.put(history.go(state.draft(), steps))
    renew()
    state.notice(f"{'Undone' if steps == UNDO else 'Done again'}: {change}.")
