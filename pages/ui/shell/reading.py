"""Opening a table's file: in a format, and with what its rows say at once. PRIVATE."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from pages.ui.shell import folders, state
from pages.ui.shell.draft import Draft, start
from pages.ui.shell.release import Source
from synth import limits
from synth.errors import SynthError
from synth.private.counting import count_all_rows, find_repeated_key, read_first_rows
from synth.private.table import (
    DEFAULT,
    Format,
    PrivateTable,
    look_at_irregular,
    look_through,
    open_table,
    parse_format,
)

# Largest table, in bytes, whose rows are counted at once.
MAX_COUNTED_BYTES = 2**28

# Largest table, in bytes, whose rows are checked at once.
LOOKED_THROUGH = 16 * 2**20


def with_rows(source: Source) -> Source:
    """Return the table with what its rows say at once, for the user's eyes alone.

    That is their number, whether there are none, the first of them if they may be shown, and
    a column of keys that repeat. The number is 0 if the table is too large, or not countable.
    Counting stops if the page is closed.
    """
    data = source.table.data
    # Only a single file has a size to compare with the limit.
    is_large = data.is_file() and data.stat().st_size > MAX_COUNTED_BYTES
    rows: int | None = None
    first_rows: tuple[tuple[str | None, ...], ...] = ()
    key = None
    if not is_large:
        with suppress(SynthError), state.while_open():
            rows = count_all_rows(source.table)
    if rows and limits.shows_rows():
        with suppress(SynthError), state.while_open():
            first_rows = tuple(read_first_rows(source.table))
    if rows:
        with suppress(SynthError), state.while_open():
            key = find_repeated_key(source.table)
    return replace(
        source,
        rows=rows or 0,
        is_empty=rows == 0,
        first_rows=first_rows,
        key=key.name if key else "",
        key_rows=key.max_rows if key else 0,
        rows_with_key=key.rows if key else 0,
        rows_beyond=key.left_out if key else 0,
    )


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


def reopen(form: Format) -> None:
    """Open the current file in another format.

    Column names that were typed for it stay. A table of a database has no format.

    Raises:
        SynthError: It cannot be read so, and the table stays as it was read before.
    """
    current = state.draft()
    if current.source is not None and not current.source.place:
        path = current.source.table.path
        form = replace(form, names=current.source.table.form.names)
        if not path.is_relative_to(state.folder().path):
            folders.resolve_path(str(path))  # as when it was chosen
        source = replace(current.source, table=open_file(path, form))
        state.put(start(with_rows(source), current))


def add_options(options: Sequence[str]) -> None:
    """Open the current file with more options of its format, such as ``decimal=,``.

    SynthError if it cannot be read so; then it stays as it was read before.
    """
    source = state.draft().source
    if source is not None:
        reopen(parse_format([*source.table.asked, *options]))


def read_as_before(current: Draft, options: Sequence[str]) -> Draft:
    """Return the draft with its file read by the options of its last release.

    The draft stays as it is if the file was read so, or cannot be read so any more.
    """
    source = current.source
    if source is None or tuple(source.table.asked) == tuple(options):
        return current
    try:
        table = open_file(source.table.path, parse_format(options))
    except SynthError:
        return current
    return start(with_rows(replace(source, table=table)), current)
