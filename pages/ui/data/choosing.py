"""Choosing a confidential table: by upload, by path, or simulated for practice."""

from contextlib import suppress
from dataclasses import replace
from typing import Any

import streamlit as st

from pages.ui.data.databases import open_source
from pages.ui.data.taking import opened_as_before, take, use
from pages.ui.data.waiting import put_aside
from pages.ui.shell import budgets, folders, state
from pages.ui.shell.release import Source
from synth import limits
from synth.domain import write_schema
from synth.errors import SynthError
from synth.foreign import in_markdown
from synth.lessons import ROWS, SURVEY_COLUMNS, SURVEY_NAME, survey_domain, write_example
from synth.private.table import is_source, open_table


def take_upload(uploaded: Any) -> None:
    """Copy an uploaded table to the private folder, and open it as the current one.

    Raises:
        SynthError: It is too large, or cannot be read. The copy is deleted then.
    """
    state.write("file_failed", uploaded.name)  # until `use` empties it
    limits.check_upload(uploaded.size)
    path = state.folder().keep(uploaded, uploaded.name)
    put_aside()
    try:
        take(uploaded.name, path)
    except Exception:
        state.folder().drop(path)
        raise


def path_box() -> None:
    """Show the field for a path, if the server's operator allows folders; else nothing."""
    allowed_folders = folders.named_folders()
    if not allowed_folders:
        return
    st.text_input(
        "A file on the machine that runs Synth", key="path", placeholder="people.csv"
    )
    st.button("Use this file", on_click=take_path, icon=":material/folder_open:")
    st.caption(in_markdown(f"Below {' or '.join(map(str, allowed_folders))}."))


@state.guard
def take_path() -> None:
    """Open the server's file at the typed path, and make it the current table.

    A path outside of the allowed folders is refused with a message.
    """
    path = folders.resolve_path(state.read_value("path") or "")
    put_aside()
    take(path.name, path)


def reopen() -> None:
    """Reopen the table of a project, if that is possible.

    It is for a simulated table, and for an unchanged file or database table. If that fails,
    the project waits until the user chooses its table.
    """
    expected = state.draft().expected
    if expected is None or not (expected.simulated or expected.path):
        return
    if expected.simulated:
        _use_survey()
        return
    with suppress(SynthError):
        if is_source(expected.path):
            source = open_source(expected.path, expected.title)
        else:
            path = folders.resolve_path(expected.path)
            source = Source(title=expected.title, table=opened_as_before(path))
            # Once more: the path may have become a link to a place that is not allowed.
            folders.resolve_path(str(path))
        if budgets.mark_table(source) == expected.mark:  # the keyed digest of its content
            use(source)


@state.guard
def take_survey() -> None:
    """Make the simulated survey the current table, with its declaration and number of rows.

    Only ``SURVEY_COLUMNS`` take part at first.
    """
    _use_survey()
    drafted = state.draft().with_declaration(write_schema(survey_domain()))
    left_out = frozenset(survey_domain().names) - set(SURVEY_COLUMNS)
    state.put(replace(drafted, left_out=left_out, about_rows=ROWS))


def _use_survey() -> None:
    table, _ = write_example(state.folder().fresh())
    use(Source(title=SURVEY_NAME, table=open_table(table), simulated=True))
