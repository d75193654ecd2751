"""Declarations from elsewhere: a file, or, if the steward asks for it, the private rows."""

import json

import streamlit as st

from pages.ui.domain.column import renew
from pages.ui.shell import state
from pages.ui.shell.draft import Draft
from pages.ui.shell.numbers import counted
from synth import limits
from synth.counting.counts import look
from synth.domain.domain import DECLARED, LOOKED_UP
from synth.domain.table_schema import write_schema
from synth.foreign.text import in_markdown

NOTES_SHOWN = 3


@state.guarded
def _take(key: str) -> None:
    uploaded = state.said(key)
    if uploaded is not None:
        state.advance("declaration")
        state.put(state.draft().with_declaration(uploaded.getvalue()))
        renew()


@state.guarded
def _look() -> None:
    now = state.draft()
    if now.source is not None:
        state.put(now.with_look(*look(now.source.table, now.undeclared())))
        renew()


@state.guarded
def _afresh() -> None:
    names = dict.fromkeys(f["name"] for f in state.draft().fields)
    document = {"fields": [{"name": name} for name in names]}
    state.put(state.draft().with_declaration(document))
    renew()


def importer(draft: Draft) -> None:
    """Import, save, look at the data, start afresh."""
    with st.expander("Import or save a declaration", icon=":material/upload_file:"):
        key = f"declaration_{state.number('declaration')}"
        st.file_uploader(
            "Table Schema, SDV metadata, NIST data dictionary, private-pgm domain or code book "
            "(CSV); it replaces what is declared below",
            type=["json", "csv"],
            max_upload_size=limits.SCHEMA_MB,
            key=key,
            on_change=_take,
            args=(key,),
        )
        if draft.domain is not None:
            st.download_button(
                "Save the declaration below",
                json.dumps(write_schema(draft.declared), indent=1, ensure_ascii=False),
                file_name="domain.json",
                mime="application/json",
                on_click="ignore",
                icon=":material/download:",
            )
    with st.expander("No code book at hand?", icon=":material/visibility:"):
        _looking(draft)


def _looking(draft: Draft) -> None:
    blank = draft.undeclared()
    st.markdown(
        "Synth can fill in the columns that are not declared from the confidential rows: lists "
        f"of up to {limits.LOOKED_UP_VALUES} values, smallest and largest numbers. **No guarantee "
        "covers what is taken from them**: a rare value would be published as it is. The plan and "
        "the certificate will say so."
    )
    left, right = st.columns(2)
    left.button(
        f"Look at the data for {counted(len(blank), 'column')}",
        on_click=_look,
        disabled=not blank,
        help=None if blank else "All columns are declared.",
        icon=":material/visibility:",
    )
    right.button(
        "Start afresh with the names only",
        on_click=_afresh,
        disabled=draft.domain is None and draft.origin == DECLARED,
        icon=":material/restart_alt:",
    )


def remarks(draft: Draft) -> None:
    """What the declaration did not say, and where it comes from."""
    if draft.origin == LOOKED_UP:
        st.warning(f"The domain is {LOOKED_UP}.", icon=":material/visibility:")
    if 0 < len(draft.notes) <= NOTES_SHOWN:
        st.info("  \n".join(map(in_markdown, draft.notes)), icon=":material/edit_note:")
    elif draft.notes:
        with st.expander(
            f"{counted(len(draft.notes), 'remark')} on the declaration", icon=":material/edit_note:"
        ):
            st.markdown("\n".join(f"- {in_markdown(note)}" for note in draft.notes))
    odd = [n for n in draft.remarks if n in draft.chosen or n not in draft.left_out]
    if odd:
        some = ", ".join(f"'{name}'" for name in odd[:5]) + (" …" if len(odd) > 5 else "")
        st.info(
            in_markdown(f"Perhaps unfit for a synthetic table, by their declaration: {some}."),
            icon=":material/block:",
        )
