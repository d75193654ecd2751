"""Taking a file as the confidential table: opened, counted, and found in the ledger.

A format is taken at once if only one makes sense; the page says so and can undo it."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from pages.ui.data.waiting import Waiting, drop_copy
from pages.ui.shell import budgets, folders, state
from pages.ui.shell.draft import start
from pages.ui.shell.reading import open_file, with_rows
from pages.ui.shell.recognising import recognise
from pages.ui.shell.release import Source
from synth.errors import SynthError
from synth.private.table import (
    DEFAULT,
    ColumnsError,
    EncodingError,
    Format,
    HeaderError,
    PrivateTable,
    parse_format,
)


def opened_as_before(path: Path) -> PrivateTable:
    """Open a table in the format that the open project stored; if that fails, by default."""
    known_table = state.draft().expected
    if known_table is not None:
        with suppress(SynthError):
            form = parse_format(known_table.options)
            return open_file(path, replace(form, names=known_table.header))
    return open_file(path)


def take(title: str, path: Path, form: Format = DEFAULT) -> None:
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
        state.write("file_waiting", Waiting(title, path, "encoding", error.candidates))
        return
    except HeaderError as error:
        state.write(
            "file_waiting",
            Waiting(
                title, path, "header", header_cause=error.cause, delimiter=error.delimiter
            ),
        )
        return
    except ColumnsError:
        expected = state.draft().expected
        if expected is None:
            state.write("file_waiting", Waiting(title, path, "names"))
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
        waiting = Waiting(current.source.title, path, "encoding", error.candidates)
        state.write("file_waiting", waiting)


def use(source: Source) -> None:
    """Make a table the current one, and find it in the ledger unless it is simulated.

    The copy of the table before is deleted. A table begins a description and a project of its
    own, unless it is the table before or that of a reopened project.
    """
    # The table could be opened, so no file waits and none has failed.
    state.write("file_waiting", None)
    state.write("file_failed", "")
    before = state.draft()
    if before.source is not None:
        drop_copy(before.source.table.path, source)
        source = _with_known_mark(source, before.source)
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
    elif state.project() is not None and started.project != before.project:
        state.notice(
            f"'{source.title}' is another table: it begins a description and a project of "
            "its own. What you did before is below, under Your projects."
        )
    state.put(started)
    if not source.simulated:
        recognise(expected)


def _with_known_mark(source: Source, before: Source) -> Source:
    """Return a table with its mark in the ledger if it is the very table before.

    Args:
        source: The new table.
        before: The current one.
    """
    may_be_same = before.mark and not source.simulated
    if not may_be_same or before.table.header != source.table.header:
        return source
    is_same = budgets.mark_table(source) == before.mark
    return replace(source, mark=before.mark) if is_same else source
