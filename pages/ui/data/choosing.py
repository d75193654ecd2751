"""Choosing a confidential table: by upload, by path, or simulated for practice.

An unreadable table does not replace the current one: the page shows the error until you
choose another. A table with an unclear encoding waits for your choice."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import streamlit as st

from pages.ui.shell import folders, state
from pages.ui.shell.draft import start
from pages.ui.shell.recognising import recognise
from pages.ui.shell.release import Source
from synth import limits
from synth.domain import write_schema
from synth.errors import SynthError
from synth.foreign import in_markdown
from synth.lessons import ROWS, SURVEY_COLUMNS, SURVEY_NAME, survey_domain, write_example
from synth.private.counting import count_all_rows
from synth.private.table import (
    DEFAULT,
    ENCODING_NAMES,
    ENCODINGS,
    Candidate,
    ColumnsError,
    EncodingError,
    Format,
    PrivateTable,
    is_source,
    list_source,
    look_at_irregular,
    look_through,
    named_sources,
    open_source_table,
    open_table,
    parse_format,
    source_address,
)

# Largest table, in bytes, whose rows are counted at once.
COUNTED = 2**28

# Largest table, in bytes, whose rows are checked at once.
LOOKED_THROUGH = 16 * 2**20


@dataclass(frozen=True)
class Waiting:
    """A file that waits for its encoding, or, without candidates, for its columns."""

    title: str
    path: Path
    candidates: tuple[Candidate, ...] = ()


def waiting_file() -> Waiting | None:
    kept: Waiting | None = state.said("file_waiting")
    return kept


def with_rows(source: Source) -> Source:
    data = source.table.data
    rows = 0
    if not data.is_file() or data.stat().st_size <= COUNTED:
        with suppress(SynthError), state.while_open():
            rows = count_all_rows(source.table)
    return replace(source, rows=rows)


def failed_name() -> str:
    return state.said("file_failed") or ""


def open_file(path: Path, form: Format = DEFAULT) -> PrivateTable:
    with state.while_open():
        table = open_table(path, form)
        if table.data.is_file() and table.data.stat().st_size <= LOOKED_THROUGH:
            look_through(table)
        look_at_irregular(table)
    return table


def opened_as_before(path: Path) -> PrivateTable:
    expected = state.draft().expected
    if expected is not None:
        with suppress(SynthError):
            return open_file(
                path, replace(parse_format(expected.options), names=expected.header)
            )
    return open_file(path)


def _take(title: str, path: Path, form: Format = DEFAULT) -> None:
    state.write("file_failed", title)
    try:
        table = _open_surely(path, form)
    except EncodingError as error:
        state.write("file_waiting", Waiting(title, path, error.candidates))
        return
    except ColumnsError:
        expected = state.draft().expected
        if expected is None:
            state.write("file_waiting", Waiting(title, path))
            return
        table = open_file(path, replace(form, names=expected.header))
    if not path.is_relative_to(state.folder().path):
        folders.resolve_path(str(path))  # once more, as a link may have been put in its place
    use(Source(title=title, table=table))


def _open_surely(path: Path, form: Format) -> PrivateTable:
    expected = state.draft().expected
    if form == DEFAULT and expected is not None and expected.options:
        return opened_as_before(path)
    is_undone = state.said("undone") == str(path)
    try:
        table, encoding = open_file(path, form), ""
    except EncodingError as error:
        if is_undone or not error.sure:
            raise
        table, encoding = open_file(path, Format(encoding=error.sure)), error.sure
    sure = table.form if is_undone else table.sure_form()
    if encoding or sure != table.form:
        state.write("taken_at_once", str(path))
    return table if sure == table.form else open_file(path, sure)


@state.guard
def ask_again() -> None:
    now = state.draft()
    assert now.source is not None
    path = now.source.table.path
    state.write("taken_at_once", "")
    state.write("undone", str(path))
    try:
        state.put(start(with_rows(replace(now.source, table=open_file(path))), now))
    except EncodingError as error:
        state.write("file_waiting", Waiting(now.source.title, path, error.candidates))


def put_aside() -> None:
    left = waiting_file()
    state.write("file_waiting", None)
    if left is not None:
        _drop(left.path, state.draft().source)


def _drop(path: Path, used: Source | None) -> None:
    is_used = used is not None and used.table.path == path
    if path.is_relative_to(state.folder().path) and not is_used:
        state.folder().drop(path)


def use(source: Source) -> None:
    state.write("file_waiting", None)
    state.write("file_failed", "")
    before = state.draft()
    if before.source is not None:
        _drop(before.source.table.path, source)
    source = with_rows(source)
    started = start(source, before)
    waited = before.expected if started.project == before.project else None
    if before.expected is not None and waited is None:
        state.notice(
            f"'{source.title}' has other columns than '{before.expected.title}', the table "
            "of the project that was open; it begins a project of its own, and the other one "
            "stays."
        )
    state.put(started)
    if not source.simulated:
        recognise(waited)


def take_upload(uploaded: Any) -> None:
    state.write("file_failed", uploaded.name)
    limits.check_upload(uploaded.size)
    path = state.folder().keep(uploaded, uploaded.name)
    put_aside()
    try:
        _take(uploaded.name, path)
    except Exception:
        state.folder().drop(path)
        raise


@state.guard
def take_encoding(encoding: str) -> None:
    left = waiting_file()
    if left is not None:
        _take(left.title, left.path, Format(encoding=encoding))


@state.guard
def take_names() -> None:
    left = waiting_file()
    names = [name.strip() for name in (state.said("names_said") or "").splitlines()]
    if left is not None and (given := tuple(dict.fromkeys(filter(None, names)))):
        _take(left.title, left.path, Format(lines="json", names=given))


def names_box(left: Waiting) -> None:
    with st.container(border=True):
        st.warning(
            f"**{in_markdown(left.title)}** has one JSON object on each line and no header. "
            "Type the names of the columns, as your data dictionary has them.",
            icon=":material/data_object:",
        )
        st.text_area("Column names, one on each line", key="names_said")
        _read_or_leave("Read these columns", take_names)


def encoding_box() -> None:
    left = waiting_file()
    if left is None:
        return
    if not left.candidates:
        names_box(left)
        return
    with st.container(border=True):
        st.warning(
            f"**{in_markdown(left.title)}** is not read yet: it does not say in which "
            "encoding it is written. Choose the one in which the names of its columns read "
            "right.",
            icon=":material/translate:",
        )
        read = {one.encoding: one.text for one in left.candidates}
        chosen = st.radio(
            "Encoding",
            [*read, ""],
            format_func=lambda e: (
                f"{in_markdown(read[e], 120)} — {ENCODING_NAMES[e]}"
                if e
                else "Another encoding"
            ),
            key="encoding_said",
        )
        if not chosen:
            others = [e for e in ENCODINGS if e not in read]
            chosen = st.selectbox(
                "Another encoding", others, format_func=ENCODING_NAMES.__getitem__
            )
        _read_or_leave("Read it in this encoding", take_encoding, chosen)


def _read_or_leave(label: str, act: Callable[..., None], *args: str) -> None:
    with st.container(horizontal=True):
        st.button(label, on_click=act, args=args, type="primary")
        st.button("Leave this file", on_click=leave)


@state.guard
def leave() -> None:
    put_aside()
    state.write("file_failed", "")


def reopen() -> None:
    """Reopen the table of a project if it is simulated, or an unchanged server file that may
    be opened."""
    expected = state.draft().expected
    if expected is None or not (expected.simulated or expected.path):
        return
    if expected.simulated:
        _use_survey()
        return
    with suppress(SynthError):
        if is_source(expected.path):
            source = _open_source(expected.path, expected.title)
        else:
            path = folders.resolve_path(expected.path)
            source = Source(title=expected.title, table=opened_as_before(path))
            folders.resolve_path(str(path))
        if state.mark_table(source) == expected.mark:
            use(source)


def path_box() -> None:
    named = folders.named_folders()
    if not named:
        return
    st.text_input(
        "A file on the machine that runs Synth", key="path", placeholder="people.csv"
    )
    st.button("Use this file", on_click=take_path, icon=":material/folder_open:")
    st.caption(in_markdown(f"Below {' or '.join(map(str, named))}."))


@state.guard
def take_path() -> None:
    path = folders.resolve_path(state.said("path") or "")
    put_aside()
    _take(path.name, path)


def source_box() -> None:
    try:
        names = [*named_sources()]
    except SynthError as error:
        st.warning(in_markdown(str(error)), icon=":material/database_off:")
        return
    if not names:
        return
    with st.expander("Use a database", icon=":material/database:"):
        chosen = st.selectbox("Database", names, key="source_name")
        st.button("Show its tables", on_click=list_source_tables)
        listed, tables = state.said("source_tables") or ("", [])
        if listed != chosen:
            return
        if not tables:
            st.info("You may read no table of this database.", icon=":material/database_off:")
            return
        left, right = st.columns(2)
        schemas = [*dict.fromkeys(one for one, _ in tables)]
        schema = left.selectbox("Schema", schemas, key="source_schema")
        names = [name for one, name in tables if one == schema]
        right.selectbox("Table", names, key="source_table")
        st.button(
            "Use this table", on_click=take_source, icon=":material/table:", type="primary"
        )


@state.guard
def list_source_tables() -> None:
    name = state.said("source_name")
    state.write("source_tables", None)
    if name in named_sources():
        with state.while_open():
            state.write("source_tables", (name, list_source(name)))


@state.guard
def take_source() -> None:
    """Copy the chosen table of a named source, after listing its tables again."""
    name, schema, table = (state.said(f"source_{one}") for one in ("name", "schema", "table"))
    listed, tables = state.said("source_tables") or ("", [])
    if name != listed or (schema, table) not in tables:
        return  # chosen together with the press: the page shows the new choice first
    title = f"{name}: {schema}.{table}"
    state.write("file_failed", title)
    source = _open_source(source_address(name, schema, table), title)
    put_aside()
    use(source)


def _open_source(place: str, title: str) -> Source:
    with state.while_open():
        return Source(title=title, table=open_source_table(place), place=place)


@state.guard
def take_survey() -> None:
    _use_survey()
    drafted = state.draft().with_declaration(write_schema(survey_domain()))
    left_out = frozenset(survey_domain().names) - set(SURVEY_COLUMNS)
    state.put(replace(drafted, left_out=left_out, about_rows=ROWS))


def _use_survey() -> None:
    table, _ = write_example(state.folder().fresh())
    use(Source(title=SURVEY_NAME, table=open_table(table), simulated=True))
