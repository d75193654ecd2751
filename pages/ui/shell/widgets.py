"""Groups of widgets that several pages have, such as a place for files or a button that spends."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from pages.ui.shell import state
from synth import limits
from synth.door import Entry


def upload(
    name: str, label: str, take: Callable[[Any], None], *, place: Any = st, **options: Any
) -> None:
    """Offer a place for files: what is handed over is taken once, and the place is empty again.

    Args:
        name: What the widget's key begins with.
        label: Above it.
        take: Gets the file; where several may be handed over, all of them in a list.
        place: Where it stands.
        options: As of `st.file_uploader`.
    """
    key = f"{name}_{state.number(name)}"

    @state.guard
    def take_over() -> None:
        if uploaded := state.said(key):
            state.advance(name)
            take(uploaded)

    place.file_uploader(label, key=key, on_change=take_over, **options)


def ask_rows(place: Any, *, is_first: bool = False) -> None:
    """Ask about how many rows there are, where their number is private or was not counted.

    Args:
        place: Where.
        is_first: Whether it is asked here first; elsewhere, what was said is only shown.
    """
    draft = state.draft()
    if draft.is_counted:
        return
    if draft.about_rows and not is_first:
        place = place.popover(f"About {draft.about_rows:,} rows")
    place.number_input(
        "About how many rows?",
        help="Type a rough number. The exact number is private, so Synth does not use it.",
        min_value=1,
        max_value=limits.ROWS_MAX,
        step=1000,
        placeholder="such as 10,000",
        **state.tie(
            "choice_about_rows",
            draft.about_rows or None,
            lambda rows: state.change(about_rows=rows or 0),
        ),
    )


def spend_button(
    label: str, act: Callable[..., None], *args: Any, agreed: bool, **options: Any
) -> None:
    """Offer a button that spends, once a box was ticked.

    Args:
        label: On it.
        act: What it does, guarded here.
        args: Of what it does.
        agreed: Whether the box is ticked.
        options: As of `st.button`.
    """
    usual = {"icon": ":material/lock_open:", "help": None if agreed else "Tick the box first."}
    st.button(
        label, on_click=state.guard(act), args=args, disabled=not agreed, **{**usual, **options}
    )


def show_known(entry: Entry, what: str, back: str) -> None:
    """Say that the ledger has this very spend, so that getting it back costs nothing.

    Args:
        entry: Of the ledger.
        what: What was done.
        back: What can be got back.
    """
    st.info(
        f"{what} on {entry.time[:10]} (entry {entry.number} of the ledger). "
        f"Getting {back} back spends nothing.",
        icon=":material/receipt_long:",
    )


def show_command(command: str, note: str = "") -> None:
    """Show what does the same without a screen."""
    with st.expander("Command line", icon=":material/terminal:"):
        st.code(command, language="bash", wrap_lines=True)
        if note:
            st.caption(note)


def download(
    label: str, content: Any, name: str, mime: str | None, *, place: Any = st, **options: Any
) -> None:
    """Offer a file that is public; taking it does not draw the page anew."""
    place.download_button(label, content, file_name=name, mime=mime, on_click="ignore", **options)
