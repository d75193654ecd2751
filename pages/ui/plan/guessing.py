"""A public table as a guess, and who vouches for it."""

from typing import Any

import streamlit as st

from pages.ui.shell import state
from pages.ui.shell.draft import Draft
from pages.ui.shell.widgets import upload
from synth import limits
from synth.errors import ArgumentError
from synth.estimate import MAX_NAME_LENGTH, PublicTable
from synth.foreign import in_markdown
from synth.spending import public_apart

WARNING = (
    "Nothing in this table is protected: its rows may show through in the synthetic rows, "
    "and no guarantee covers them. Choose a table that everybody may see, such as last "
    "year's release or a census extract."
)
WHO = "public_by"


def public_guess(draft: Draft) -> None:
    """Show the public table from which the method starts, or the box to upload one.

    The upload is off until the user has named who vouches that the table is public.
    """
    table = draft.public
    with st.expander(
        f"A public table as the guess{' (1)' if table else ''}", icon=":material/public:"
    ):
        st.caption(
            "Choose a public table with the same columns, or some of them. Synth starts from "
            "this table and corrects it by noisy counts. Synth ignores a table that does not "
            "help."
        )
        st.warning(WARNING, icon=":material/visibility:")
        if table is None:
            label = "Who vouches that it is public? The name is released."
            st.text_input(label, key=WHO, max_chars=MAX_NAME_LENGTH)
            upload(
                "public",
                "The public table, or the bundle of an earlier synthetic release",
                _read,
                max_upload_size=limits.upload_mb(),
                disabled=not (state.read_value(WHO) or "").strip(),
            )
        else:
            _in_use(draft, table)


def _read(uploaded: Any) -> None:
    """Read an uploaded public table for the plan; then the upload is deleted.

    SynthError if it cannot be read, does not fit the declaration, or is the confidential
    table.
    """
    draft = state.draft()
    if draft.domain is None or draft.source is None:
        return
    path = state.folder().keep(uploaded, uploaded.name)
    try:
        who = state.read_value(WHO) or ""
        with state.while_open():
            table = public_apart(path, draft.domain, who, table=draft.source.table)
    finally:
        state.folder().drop(path)
    state.change(public=table)


def _in_use(draft: Draft, table: PublicTable) -> None:
    """Show the public table of the plan, what it lacks, and a button that removes it."""
    source = table.source  # the record of the table that the certificate gets
    missing_columns = [name for name in draft.chosen_names if name not in source.columns]
    st.markdown(
        in_markdown(
            f"{source.rows:,} public rows of {len(source.columns)} columns; "
            f"{source.vouched_by} vouches that they are public. SHA-256 of the coded rows: "
            f"{source.digest}."
        )
    )
    if missing_columns:
        st.caption(in_markdown(f"Without it: {', '.join(missing_columns)}."))
    if table.left_out:
        st.caption(f"{table.left_out:,} of its rows do not fit the declaration.")
    if not draft.guesses:
        st.warning(
            "The declaration has changed since this table was read; it is not used. Remove "
            "it and take it again.",
            icon=":material/warning:",
        )
    st.button("Remove the public table", on_click=state.guard(_remove))


def _remove() -> None:
    if state.draft().public is None:
        raise ArgumentError("There is no public table to remove.")
    state.change(public=None)
