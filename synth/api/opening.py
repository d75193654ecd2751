"""`open_table`: a file with the options to read it. DOOR."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from synth.private.table import PrivateTable, TableLike, open_any, parse_format
from synth.private.table import open_table as open_file
from synth.util import check_types


@check_types
def open_table(
    path: TableLike, *, names: Sequence[str] = (), **options: str | int | Sequence[str]
) -> PrivateTable:
    """Open a confidential file with options for reading it.

    Args:
        path: The file; functions that take a table also take a path, and use the defaults. It
            may also be a source of record batches; they are copied once for several calls.
        names: The declared columns of a file with JSON objects on its lines, without a
            header.
        options: The options of ``--format``: lines, delimiter, encoding, header, below,
            row_names, columns, line_end, comment, decimal, thousands, sheet, ragged, split
            (docs/how-to/reading.md); a list of texts gives an option several times.

    Returns:
        A table for `release`, `ask` and `compare`. You may show its header, but not its rows.

    Raises:
        SynthError: An option does not exist, or the file is not a table.

    >>> import pathlib, synth, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = path.write_text('age;note\\n41;"two\\nlines"\\n')
    >>> synth.open_table(path, delimiter=";", lines="span").header
    ('age', 'note')
    """
    if not isinstance(path, str | Path):  # no file, so that no option of reading applies
        return open_any(path)
    texts: list[str] = []
    for name, value in options.items():
        values = [value] if isinstance(value, str | int) else value
        texts += [f"{name}={single_value}" for single_value in values]
    return open_file(path, replace(parse_format(texts), names=tuple(names)))
