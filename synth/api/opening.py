"""`open_table`: a file with the options to read it. DOOR."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from synth.api.option_names import DecimalName, LineEndName, LinesName, RaggedName
from synth.errors import TableError
from synth.private.table import (
    JSON_OBJECTS,
    PrivateTable,
    TableLike,
    open_any,
    parse_format,
)
from synth.private.table import open_table as open_file
from synth.util import check_types


@check_types
def open_table(  # noqa: PLR0913 - public: each option by name
    path: TableLike,
    *,
    lines: LinesName | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: int | None = None,
    below: int | None = None,
    row_names: bool | None = None,
    columns: int | None = None,
    line_end: LineEndName | None = None,
    comment: str | None = None,
    decimal: DecimalName | None = None,
    thousands: str | None = None,
    sheet: str | None = None,
    ragged: RaggedName | None = None,
    split: str | Sequence[str] = (),
    names: Sequence[str] = (),
) -> PrivateTable:
    """Open a confidential file with options for reading it.

    Args:
        path: The file; functions that take a table also take a path, and use the defaults. It
            may also be a source of record batches; they are copied once for several calls.
        lines: "one", each line is a row; "span", quoted cells may hold line ends; "json",
            each line is a JSON object.
        delimiter: The character between cells, or its name, such as "tab".
        encoding: The encoding of the text, such as "cp1252".
        header: The number of the line with the names of the columns; 0 for none.
        below: How many rows below the header hold no record.
        row_names: Whether rows begin with a name of their own, which the header lacks.
        columns: The number of columns of a file without a header.
        line_end: "lf" or "cr", if not as the header's line ends.
        comment: The character at the start of lines to skip.
        decimal: The decimal mark of numbers.
        thousands: The mark between groups of three digits.
        sheet: The name of a workbook's sheet.
        ragged: What happens to rows of another number of cells: "leave_out" or "fill".
        split: Columns whose cells hold several answers (docs/how-to/reading.md).
        names: The declared columns of a file with JSON objects on its lines, without a
            header.

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
    options = {
        "lines": lines,
        "delimiter": delimiter,
        "encoding": encoding,
        "header": header,
        "below": below,
        "row_names": row_names,
        "columns": columns,
        "line_end": line_end,
        "comment": comment,
        "decimal": decimal,
        "thousands": thousands,
        "sheet": sheet,
        "ragged": ragged,
    }
    texts = [f"{name}={value}" for name, value in options.items() if value is not None]
    texts += [f"split={text}" for text in ([split] if isinstance(split, str) else split)]
    if not isinstance(path, str | Path):
        from synth.private.table import refuse_options

        named_options = [text.partition("=")[0] for text in texts]
        kind = "open" if isinstance(path, PrivateTable) else "memory"
        if names:
            named_options.append("names")
        refuse_options("The table", kind, named_options)
        return open_any(path)
    table = open_file(path, replace(parse_format(texts), names=tuple(names)))
    if names and table.form.lines != JSON_OBJECTS:
        raise TableError(
            f"'{table.path.name}' names its columns itself: leave out 'names', which is for "
            "JSON lines."
        )
    return table
