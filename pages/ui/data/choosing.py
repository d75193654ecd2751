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
from synth.private.counting import count_all_rows, read_first_rows
from synth.private.table import (
    DEFAULT,
    DELIMITERS,
    ENCODING_NAMES,
    ENCODINGS,
    Candidate,
    ColumnsError,
    EncodingError,
    Format,
    HeaderError,
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

# The names of delimiters that people choose from.
NAMES_BY_MARK = {mark: name for name, mark in DELIMITERS.items()}
# Largest table, in bytes, whose rows are counted at once.
COUNTED = 2**28

# Largest table, in bytes, whose rows are checked at once.
LOOKED_THROUGH = 16 * 2**20


@dataclass(frozen=True)
class Waiting:
    """A file that waits for its encoding, its delimiter, or the names of its columns.

    Attributes:
        title: Its name.
        path: The private copy, or the file of the server.
        candidates: The encodings that fit; none if the file waits for something else.
        header_cause: Why its header cannot be read, as a sentence; empty if it can.
        delimiter: A delimiter that cuts such a header into names; empty if none was seen.
    """

    title: str
    path: Path
    candidates: tuple[Candidate, ...] = ()
    header_cause: str = ""
    delimiter: str = ""


def waiting_file() -> Waiting | None:
    """Return the file that waits for its encoding or column names; None if no file waits."""
    waiting: Waiting | None = state.read_value("file_waiting")
    return waiting


def with_rows(source: Source) -> Source:
    """Return the table with its number of rows, and its first rows if they may be shown.

    The number is 0 if the table is too large, or not countable. Counting stops if the page is
    closed.
    """
    data = source.table.data
    rows = 0
    # Only a single file has a size to compare with the limit.
    if not data.is_file() or data.stat().st_size <= COUNTED:
        with suppress(SynthError), state.while_open():
            rows = count_all_rows(source.table)
    first_rows: tuple[tuple[str | None, ...], ...] = ()
    if rows and limits.shows_rows():
        with suppress(SynthError), state.while_open():
            first_rows = tuple(read_first_rows(source.table))
    return replace(source, rows=rows, first_rows=first_rows)


def failed_name() -> str:
    """Return the name of the table that could not be read last; empty if it was."""
    return state.read_value("file_failed") or ""


def open_file(path: Path, form: Format = DEFAULT) -> PrivateTable:
    """Open a table in a format, and look for damaged rows if it is small enough.

    The remarks are stored with the table. By default the format is detected.

    Raises:
        EncodingError: The encoding is unclear.
        ColumnsError: The file names no columns.
        SynthError: It cannot be read.
    """
    with state.while_open():
        table = open_table(path, form)
        if table.data.is_file() and table.data.stat().st_size <= LOOKED_THROUGH:
            look_through(table)
        # A file of any size that no engine reads as Synth does: its copy notes its faults.
        look_at_irregular(table)
    return table


def opened_as_before(path: Path) -> PrivateTable:
    """Open a table in the format that the open project stored; if that fails, by default."""
    known_table = state.draft().expected
    if known_table is not None:
        with suppress(SynthError):
            form = parse_format(known_table.options)
            return open_file(path, replace(form, names=known_table.header))
    return open_file(path)


def _take(title: str, path: Path, form: Format = DEFAULT) -> None:
    """Open a file as the current table; if its encoding or columns are unclear, let it wait.

    Args:
        title: The name of the file, for people.
        path: The private copy of an upload, or a file of the server.
        form: How the file is read; by default as its content suggests.

    Raises:
        SynthError: It cannot be read. The page then shows the file's name as failed.
    """
    state.write("file_failed", title)  # until `use` empties it
    try:
        table = _open_surely(path, form)
    except EncodingError as error:
        state.write("file_waiting", Waiting(title, path, error.candidates))
        return
    except HeaderError as error:
        waiting = Waiting(title, path, header_cause=error.cause, delimiter=error.delimiter)
        state.write("file_waiting", waiting)
        return
    except ColumnsError:
        expected = state.draft().expected
        if expected is None:
            state.write("file_waiting", Waiting(title, path))
            return
        # The file has no names of its own: it gets those of the reopened project's table.
        table = open_file(path, replace(form, names=expected.header))
    if not path.is_relative_to(state.folder().path):
        folders.resolve_path(str(path))  # once more, as a link may have been put in its place
    use(Source(title=title, table=table))


def _open_surely(path: Path, form: Format) -> PrivateTable:
    """Return a file as a table, in the encoding and with the delimiter that surely fit it.

    A guess is sure if only one makes sense. The user can undo it: then the file's path is
    stored as "undone", and nothing is guessed for it. An open project's format is used first.

    Args:
        path: The file.
        form: The chosen format, or the default.

    Raises:
        EncodingError: No encoding is sure, or the user undid the guess.
        SynthError: The file cannot be read.
    """
    expected = state.draft().expected
    if form == DEFAULT and expected is not None and expected.options:
        return opened_as_before(path)
    is_undone = state.read_value("undone") == str(path)
    encoding = ""  # the guessed one, if the file did not say its own
    try:
        table = open_file(path, form)
    except EncodingError as error:
        if is_undone or not error.sure:
            raise
        encoding = error.sure
        table = open_file(path, Format(encoding=encoding))
    # `sure_form` may have another delimiter, which the header alone makes certain.
    sure = table.form if is_undone else table.sure_form()
    if encoding or sure != table.form:
        state.write("taken_at_once", str(path))  # so that the page offers to undo it
    return table if sure == table.form else open_file(path, sure)


@state.guard
def ask_again() -> None:
    """Open the current table anew without a guessed encoding or delimiter.

    If its encoding is unclear then, the file waits for the user's choice.
    """
    current = state.draft()
    assert current.source is not None  # only then the page offers this
    path = current.source.table.path
    # The page offers no more to undo the guess, and `_open_surely` guesses nothing for it.
    state.write("taken_at_once", "")
    state.write("undone", str(path))
    try:
        source = replace(current.source, table=open_file(path))
        state.put(start(with_rows(source), current))
    except EncodingError as error:
        state.write("file_waiting", Waiting(current.source.title, path, error.candidates))


def put_aside() -> None:
    """Forget the waiting file, and delete its private copy unless it is the current table."""
    waiting = waiting_file()
    state.write("file_waiting", None)
    if waiting is not None:
        _drop(waiting.path, state.draft().source)


def _drop(path: Path, used: Source | None) -> None:
    """Delete a table's private copy unless it is the used table; leave other files alone.

    ``used`` is the table whose file must stay; None if there is none.
    """
    is_used = used is not None and used.table.path == path
    if path.is_relative_to(state.folder().path) and not is_used:
        state.folder().drop(path)


def use(source: Source) -> None:
    """Make a table the current one, and find it in the ledger unless it is simulated.

    The copy of the table before is deleted. If an open project waits for another table, a
    notice says that this one begins a new project.
    """
    # The table could be opened, so no file waits and none has failed.
    state.write("file_waiting", None)
    state.write("file_failed", "")
    before = state.draft()
    if before.source is not None:
        _drop(before.source.table.path, source)
    source = with_rows(source)
    started = start(source, before)
    # The table of the reopened project, unless this table begins another project.
    expected = before.expected if started.project == before.project else None
    if before.expected is not None and expected is None:
        state.notice(
            f"'{source.title}' has other columns than '{before.expected.title}', the table "
            "of the project that was open; it begins a project of its own, and the other one "
            "stays."
        )
    state.put(started)
    if not source.simulated:
        recognise(expected)


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
        _take(uploaded.name, path)
    except Exception:
        state.folder().drop(path)
        raise


@state.guard
def take_encoding(encoding: str) -> None:
    """Read the waiting file in the chosen encoding, and make it the current table."""
    waiting = waiting_file()
    if waiting is not None:
        _take(waiting.title, waiting.path, Format(encoding=encoding))


@state.guard
def take_names() -> None:
    """Read the waiting file with the typed names of its columns, one name on each line.

    Only files of JSON lines have no names of their own.
    """
    waiting = waiting_file()
    lines = (state.read_value("names_said") or "").splitlines()
    names = dict.fromkeys(line.strip() for line in lines if line.strip())
    if waiting is not None and names:
        _take(waiting.title, waiting.path, Format(lines="json", names=tuple(names)))


@state.guard
def take_header() -> None:
    """Read the waiting file with the chosen delimiter and line of the column names."""
    waiting = waiting_file()
    if waiting is not None:
        form = Format(
            delimiter=state.read_value("header_delimiter"),
            header=state.read_value("header_line"),
            lines="span" if state.read_value("header_spans") else "one",
        )
        _take(waiting.title, waiting.path, form)


def header_box(waiting: Waiting) -> None:
    """Ask how the header of a waiting file is to be read."""
    with st.container(border=True):
        st.warning(
            f"{in_markdown(waiting.header_cause)} Choose how the file is read.",
            icon=":material/view_column:",
        )
        delimiter_place, line_place = st.columns(2)
        delimiter_place.selectbox(
            "Between cells",
            [*NAMES_BY_MARK],
            index=[*NAMES_BY_MARK].index(waiting.delimiter or DEFAULT.delimiter),
            format_func=NAMES_BY_MARK.__getitem__,
            key="header_delimiter",
        )
        line_place.number_input(
            "Line with the column names", min_value=1, step=1, key="header_line"
        )
        st.checkbox("Quoted cells may hold line breaks", key="header_spans")
        _read_or_leave("Read it that way", take_header)


def names_box(waiting: Waiting) -> None:
    """Ask for the names of the columns of a waiting file without any."""
    with st.container(border=True):
        st.warning(
            f"**{in_markdown(waiting.title)}** has one JSON object on each line and no "
            "header. Type the names of the columns, as your data dictionary has them.",
            icon=":material/data_object:",
        )
        st.text_area("Column names, one on each line", key="names_said")
        _read_or_leave("Read these columns", take_names)


def encoding_box() -> None:
    """Ask what the waiting file needs to be read, if there is one.

    That is its encoding, the form of its header, or the names of its columns.

    A sample of the header shows the effect of each likely encoding.
    """
    waiting = waiting_file()
    if waiting is None:
        return
    if waiting.header_cause:
        header_box(waiting)
        return
    if not waiting.candidates:
        names_box(waiting)
        return
    with st.container(border=True):
        st.warning(
            f"**{in_markdown(waiting.title)}** is not read yet: it does not say in which "
            "encoding it is written. Choose the one in which the names of its columns read "
            "right.",
            icon=":material/translate:",
        )
        texts = {candidate.encoding: candidate.text for candidate in waiting.candidates}

        def show_sample(encoding: str) -> str:
            """Return the option's text: the header read in this encoding, and its name."""
            if not encoding:
                return "Another encoding"
            return f"{in_markdown(texts[encoding], 120)} — {ENCODING_NAMES[encoding]}"

        # The empty option leads to the list of all other encodings.
        chosen = st.radio(
            "Encoding", [*texts, ""], format_func=show_sample, key="encoding_said"
        )
        if not chosen:
            other_encodings = [name for name in ENCODINGS if name not in texts]
            chosen = st.selectbox(
                "Another encoding", other_encodings, format_func=ENCODING_NAMES.__getitem__
            )
        _read_or_leave("Read it in this encoding", take_encoding, chosen)


def _read_or_leave(label: str, act: Callable[..., None], *args: str) -> None:
    """Show a button that reads the waiting file by ``act(*args)``, and one to forget it."""
    with st.container(horizontal=True):
        st.button(label, on_click=act, args=args, type="primary")
        st.button("Leave this file", on_click=leave)


@state.guard
def leave() -> None:
    """Forget the waiting file, and the failure to read it."""
    put_aside()
    state.write("file_failed", "")


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
            source = _open_source(expected.path, expected.title)
        else:
            path = folders.resolve_path(expected.path)
            source = Source(title=expected.title, table=opened_as_before(path))
            # Once more: the path may have become a link to a place that is not allowed.
            folders.resolve_path(str(path))
        if state.mark_table(source) == expected.mark:  # the keyed digest of its content
            use(source)


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
    _take(path.name, path)


def source_box() -> None:
    """Show the databases that the operator has named, and tables of a chosen one.

    Nothing is shown without databases. Tables are listed on a click only.
    """
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
        source_name, tables = state.read_value("source_tables") or ("", [])
        if source_name != chosen:  # the listed tables are those of another database
            return
        if not tables:
            st.info("You may read no table of this database.", icon=":material/database_off:")
            return
        schema_place, table_place = st.columns(2)
        schemas = [*dict.fromkeys(schema_of_table for schema_of_table, _ in tables)]
        schema = schema_place.selectbox("Schema", schemas, key="source_schema")
        names = [name for schema_of_table, name in tables if schema_of_table == schema]
        table_place.selectbox("Table", names, key="source_table")
        st.button(
            "Use this table", on_click=take_source, icon=":material/table:", type="primary"
        )


@state.guard
def list_source_tables() -> None:
    """List the schemas and names of the tables of the chosen database, and store the list."""
    name = state.read_value("source_name")
    state.write("source_tables", None)  # if listing fails, no earlier list is shown
    if name in named_sources():
        with state.while_open():
            state.write("source_tables", (name, list_source(name)))


@state.guard
def take_source() -> None:
    """Copy the chosen table of a named database, and make it the current one.

    Nothing happens unless the table is in the list that the page shows.
    """
    name, schema, table = (
        state.read_value(f"source_{part}") for part in ("name", "schema", "table")
    )
    source_name, tables = state.read_value("source_tables") or ("", [])
    if name != source_name or (schema, table) not in tables:
        return  # chosen together with the press: the page shows the new choice first
    title = f"{name}: {schema}.{table}"
    state.write("file_failed", title)  # until `use` empties it
    source = _open_source(source_address(name, schema, table), title)
    put_aside()
    use(source)


def _open_source(place: str, title: str) -> Source:
    with state.while_open():
        return Source(title=title, table=open_source_table(place), place=place)


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
