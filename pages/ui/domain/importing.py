"""Declarations from a file, or, on the steward's request, from the private rows."""

import json
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.ui.domain.column import renew
from pages.ui.domain.drafting import ask_for_draft
from pages.ui.domain.mapping import ask_roles, declare, mapping
from pages.ui.shell import state
from pages.ui.shell.draft import Draft
from pages.ui.shell.numbers import say_count
from pages.ui.shell.widgets import download, upload
from synth import limits
from synth.bundle import guard_cell
from synth.domain import (
    DECLARED,
    HOW_TO,
    Sheet,
    ask_codebook,
    has_labels,
    read_codebooks,
    template,
    write_schema,
)
from synth.estimate import QUICK_DRAFT
from synth.foreign import in_markdown, line
from synth.private.counting import profile_table

# Endings that may be uploaded.
KINDS = "json csv tsv txt xlsx xlsm xls ods xml sav zsav por dta".split()


def _take(uploaded: list[Any]) -> None:
    files = [(one.name, one.getvalue()) for one in uploaded]
    state.write("parts_waiting", None)
    with state.while_open():
        found = read_codebooks(files) if len(files) > 1 else ask_codebook(*files[0])
    if isinstance(found, Sheet):
        ask_roles(*files[0], found)
    elif isinstance(found[0], str):
        state.write("parts_waiting", Parts(*files[0], found))
    else:
        declare(*found)


@dataclass(frozen=True)
class Parts:
    name: str
    content: bytes
    parts: tuple[str, ...]


def _choose_part() -> None:
    kept: Parts | None = state.said("parts_waiting")
    if kept is None:
        return
    with st.container(border=True):
        label = f"{in_markdown(kept.name)} describes several tables; which is this one?"
        chosen = st.selectbox(label, kept.parts, format_func=line)
        st.button("Take it", on_click=_take_part, args=(kept, chosen), type="primary")


@state.guard
def _take_part(kept: Parts, part: str) -> None:
    state.write("parts_waiting", None)
    with state.while_open():
        found = read_codebooks([(kept.name, kept.content)], part)
    declare(*found)


@state.guard
def _take_labels() -> None:
    source = state.draft().source
    if source is not None:
        with state.while_open():
            found = read_codebooks([(source.table.path.name, source.table.path)])
        declare(*found)


def _codebook_tools(draft: Draft) -> None:
    source = draft.source
    if source is None:
        return
    if has_labels(source.table.path):
        st.button(
            "Take the labels of the table's own file",
            on_click=_take_labels,
            icon=":material/label:",
            help="Names, categories with their labels, and codes for missing values, as the file "
            "describes them. No row is read. Taking them, you say that they are public.",
        )
    download(
        "Data dictionary to fill in",
        template(source.table.header, guard_cell),
        "codebook.csv",
        "text/csv",
        help=HOW_TO,
        icon=":material/edit_document:",
    )


@state.guard
def _look() -> None:
    now = state.draft()
    if now.source is not None:
        found = profile_table(now.source.table, now.undeclared_names(), now.missing_values)
        state.put(now.with_look(found.columns, found.missing_values, found.remarks))
        renew()


@state.guard
def _start_afresh() -> None:
    now = state.draft()
    names = now.source.table.header if now.source else [f["name"] for f in now.fields]
    fields = [{"name": name} for name in dict.fromkeys(names) if name]
    state.put(now.with_declaration({"fields": fields}))
    state.write("codebook_waiting", None)
    state.write("parts_waiting", None)
    state.advance("declaration")
    renew()


def importer(draft: Draft) -> None:
    with st.expander("Import or save a description", icon=":material/upload_file:"):
        upload(
            "declaration",
            "A description or data dictionaries: CSV or Excel in any shape, DDI, REDCap, Table "
            "Schema, data package, SPSS or Stata labels. It replaces the description below",
            _take,
            type=KINDS,
            accept_multiple_files=True,
            max_upload_size=limits.SCHEMA_MB,
        )
        _choose_part()
        mapping()
        _codebook_tools(draft)
        if draft.domain is not None:
            download(
                "Save the description",
                json.dumps(write_schema(draft.declared_domain), indent=1, ensure_ascii=False),
                "domain.json",
                "application/json",
                icon=":material/download:",
            )
    begun = any("type" in new for new in draft.fields)
    with st.expander("Draft from the table", icon=":material/visibility:", expanded=not begun):
        left, right = st.columns(2, gap="medium")
        with left:
            ask_for_draft(draft)
        with right:
            _offer_look(draft)


def _offer_look(draft: Draft) -> None:
    blank = draft.undeclared_names()
    st.markdown(
        f"**{QUICK_DRAFT}**  \nSynth fills in the columns that are not described, from the "
        f"confidential rows: kinds, values of at least {limits.LISTED_ROWS} rows, round bounds, "
        "spellings of missing values. It leaves out identifiers, contacts and free text. **No "
        "guarantee covers what is taken from the rows**; the plan and the certificate say so."
    )
    st.button(
        f"Look at the data for {say_count(len(blank), 'column')}",
        on_click=_look,
        disabled=not blank,
        help=None if blank else "All columns are declared.",
        icon=":material/visibility:",
    )
    st.button(
        "Start afresh with the names only",
        on_click=_start_afresh,
        disabled=draft.domain is None and draft.origin == DECLARED,
        icon=":material/restart_alt:",
    )
