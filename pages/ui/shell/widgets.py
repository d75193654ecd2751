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
    """Show a file uploader, which is empty again as soon as a file was taken.

    Args:
        name: A name for the widget's key.
        label: The text above it.
        take: It receives the uploaded file once, or the list of files if several are allowed.
        place: The container; by default the page.
        options: Other arguments of the uploader.
    """
    key = f"{name}_{state.number(name)}"

    @state.guard
    def take_over() -> None:
        """Take an upload, and empty the widget; do nothing if a file was removed."""
        uploaded = state.read_value(key)
        if uploaded:
            state.advance(name)  # first, so that the widget is empty even if taking fails
            take(uploaded)

    place.file_uploader(label, key=key, on_change=take_over, **options)


def name_upload(error: NotBundleError, path: Path, name: str) -> NotBundleError:
    """Return the error with the name that the file had before it was uploaded."""
    return NotBundleError(str(error).replace(f"'{path.name}'", f"'{name}'", 1))


def ask_rows(place: Any, *, is_first: bool = False) -> None:
    """Ask for a rough number of rows, unless the exact one is public.

    Args:
        place: The container of the field.
        is_first: Whether the field is shown at once. Otherwise an earlier answer is shown as
            a button that opens the field.
    """
    draft = state.draft()
    if draft.is_counted:
        return
    if draft.about_rows and not is_first:
        place = place.popover(f"About {draft.about_rows:,} rows")
    typed_rows = draft.about_rows or None
    place.number_input(
        "About how many rows?",
        help="Type a rough number. The exact number is private, so Synth does not use it.",
        min_value=1,
        max_value=limits.ROWS_MAX,
        step=1000,
        placeholder="such as 10,000",
        **state.tie("choice_about_rows", typed_rows, _change_rows),
    )


def _change_rows(rows: int | None) -> None:
    state.change(about_rows=rows or 0)


def spend_button(
    label: str, act: Callable[..., None], *args: Any, agreed: bool, **options: Any
) -> None:
    """Show a button that spends budget; it is off until the user has agreed.

    Args:
        label: The text on it.
        act: The action, called with ``args``; a failure is shown as a sentence.
        args: The arguments of the action.
        agreed: Whether the box above is ticked.
        options: Other arguments of the button.
    """
    defaults = {  # for what ``options`` does not set
        "icon": ":material/lock_open:",
    }
    with st.container():  # so that the sentence moves nothing below
        st.button(
            label,
            on_click=state.guard(act),
            args=args,
            disabled=not agreed,
            **{**defaults, **options},
        )
        if not agreed:  # a button that is off is passed over by the keyboard
            st.caption("Tick the box above first.")


def show_earlier_spend(entry: Entry, event: str, back: str) -> None:
    """Say that the same was paid for before, and costs nothing again.

    Args:
        entry: The spend in the ledger.
        event: What was done then, the beginning of a sentence.
        back: What can be had again, such as "those answers".
    """
    date = entry.time[:10]  # of an ISO time
    st.info(
        f"{event} on {date} (entry {entry.number} of the ledger). "
        f"Getting {back} back spends nothing.",
        icon=":material/receipt_long:",
    )


def show_command(command: str, note: str = "") -> None:
    """Show the command that does the same on the command line, with a note below it."""
    with st.expander("Command line", icon=":material/terminal:"):
        st.code(command, language="bash", wrap_lines=True)
        if note:
            st.caption(note)


def offer_file(
    name: str,
    path: Path,
    caption: tuple[str, str | None, str],
    *,
    is_first: bool,
    **options: Any,
) -> None:
    """Show the download button of a file.

    Args:
        name: The name of the downloaded file.
        path: The file.
        caption: The label, the MIME type or None, and the icon.
        is_first: Whether the button is the main one.
        options: Other arguments of the button.
    """
    label, mime, icon = caption
    defaults = {"key": f"download_{name}"}  # unless ``options`` has a key
    download(
        label,
        path.read_bytes,
        name,
        mime=mime,
        icon=icon,
        type="primary" if is_first else "secondary",
        **{**defaults, **options},
    )


def download(
    label: str, content: Any, name: str, *, mime: str | None, place: Any = st, **options: Any
) -> None:
    """Show the download button of a public file; a click does not draw the page again.

    Args:
        label: The text on the button.
        content: The file as text or bytes, or a function that returns it on a click.
        name: The name of the downloaded file.
        mime: The MIME type; None to let the browser guess.
        place: The container; by default the page.
        options: Other arguments of the button.
    """
    place.download_button(
        label, content, file_name=name, mime=mime, on_click="ignore", **options
    )
