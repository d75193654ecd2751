"""Groups of widgets on several pages, such as a file uploader or a button that spends."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from pages.ui.shell import state
from synth import limits
from synth.door import Entry
from synth.errors import NotBundleError


def upload(
    name: str, label: str, take: Callable[[Any], None], *, place: Any = st, **options: Any
) -> None:
    """``take`` receives each file once, or a list if several are allowed."""
    key = f"{name}_{state.number(name)}"

    @state.guard
    def take_over() -> None:
        if uploaded := state.said(key):
            state.advance(name)
            take(uploaded)

    place.file_uploader(label, key=key, on_change=take_over, **options)


def name_upload(error: NotBundleError, path: Path, name: str) -> NotBundleError:
    """Return the error with the name that the file had before it was uploaded."""
    return NotBundleError(str(error).replace(f"'{path.name}'", f"'{name}'", 1))


def ask_rows(place: Any, *, is_first: bool = False) -> None:
    """Unless ``is_first``, an earlier answer is only shown."""
    draft = state.draft()
    if draft.is_counted:
        return
    if draft.about_rows and not is_first:
        place = place.popover(f"About {draft.about_rows:,} rows")
    known = draft.about_rows or None
    place.number_input(
        "About how many rows?",
        help="Type a rough number. The exact number is private, so Synth does not use it.",
        min_value=1,
        max_value=limits.ROWS_MAX,
        step=1000,
        placeholder="such as 10,000",
        **state.tie(
            "choice_about_rows", known, lambda rows: state.change(about_rows=rows or 0)
        ),
    )


def spend_button(
    label: str, act: Callable[..., None], *args: Any, agreed: bool, **options: Any
) -> None:
    usual = {
        "icon": ":material/lock_open:",
        "help": None if agreed else "Tick the box first.",
    }
    st.button(
        label,
        on_click=state.guard(act),
        args=args,
        disabled=not agreed,
        **{**usual, **options},
    )


def show_known(entry: Entry, what: str, back: str) -> None:
    st.info(
        f"{what} on {entry.time[:10]} (entry {entry.number} of the ledger). "
        f"Getting {back} back spends nothing.",
        icon=":material/receipt_long:",
    )


def show_command(command: str, note: str = "") -> None:
    with st.expander("Command line", icon=":material/terminal:"):
        st.code(command, language="bash", wrap_lines=True)
        if note:
            st.caption(note)


def offer_file(
    name: str,
    path: Path,
    said: tuple[str, str | None, str],
    *,
    is_first: bool,
    **options: Any,
) -> None:
    """Offer a file with its label, MIME type and icon; the first one stands out."""
    label, mime, icon = said
    key, kind = f"download_{name}", "primary" if is_first else "secondary"
    download(
        label, path.read_bytes, name, mime=mime, icon=icon, key=key, type=kind, **options
    )


def download(
    label: str, content: Any, name: str, *, mime: str | None, place: Any = st, **options: Any
) -> None:
    """Offer a public file; downloading it does not draw the page again."""
    place.download_button(
        label, content, file_name=name, mime=mime, on_click="ignore", **options
    )
