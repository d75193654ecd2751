"""Which options of a format apply to a kind of table; the others are refused. PRIVATE.

The kind of a file follows from its name and its header, so that no row decides.

>>> from synth.private.table.csv_options import Format
>>> list_ignored("text", Format(sheet="Berlin", delimiter=";"))
['sheet']
>>> list_ignored("workbook", Format(sheet="Berlin", delimiter=";"))
['delimiter']
"""

from collections.abc import Sequence
from dataclasses import replace

from synth.errors import TableError
from synth.private.table.csv_options import (
    DEFAULT,
    FORMAT_OPTIONS,
    JSON_OBJECTS,
    Format,
)

# Options that choose a part of a file with several tables.
CHOICE_OF_TABLE = frozenset({"sheet"})
# Options that say which lines of a sheet hold names.
LINES_OF_NAMES = frozenset({"header", "below", "columns"})
# Columns of texts may be split in files of every kind.
EVERYWHERE = frozenset({"split"})
# Options of each kind of table, by its name in `KIND_NAMES`.
APPLICABLE = {
    "text": frozenset(FORMAT_OPTIONS) - CHOICE_OF_TABLE,
    JSON_OBJECTS: frozenset({"encoding", "line_end", "decimal", "thousands"}) | EVERYWHERE,
    "workbook": CHOICE_OF_TABLE | LINES_OF_NAMES | EVERYWHERE,
    "sqlite": CHOICE_OF_TABLE | EVERYWHERE,
    "duckdb": CHOICE_OF_TABLE | EVERYWHERE,
    "arrow": EVERYWHERE,
    "parquet": EVERYWHERE,
    "statistics": EVERYWHERE,
    "database": EVERYWHERE,
    "catalog": frozenset[str](),
    "memory": frozenset[str](),
    "open": frozenset[str](),
}
# Each kind of table in words.
KIND_NAMES = {
    "text": "a file of delimited text",
    JSON_OBJECTS: "a file of JSON lines",
    "workbook": "a workbook",
    "sqlite": "a file of SQLite",
    "duckdb": "a file of DuckDB",
    "arrow": "a file of Arrow",
    "parquet": "a Parquet file",
    "statistics": "a file of SPSS, Stata or SAS",
    "database": "a table of a database",
    "catalog": "a table of a cluster",
    "memory": "a table in memory",
    "open": "a table that is open already",
}


def list_ignored(kind: str, form: Format) -> list[str]:
    """Return the options of a format that differ from the defaults and do not apply.

    Args:
        kind: The kind of the table, a key of `KIND_NAMES`.
        form: How the table is read.
    """
    if kind == JSON_OBJECTS:
        # What is true of each such file may be said.
        lines = DEFAULT.lines if form.lines == JSON_OBJECTS else form.lines
        form = replace(form, lines=lines, header=form.header or DEFAULT.header)
    return [
        option
        for option in FORMAT_OPTIONS
        if getattr(form, option) != getattr(DEFAULT, option)
        and option not in APPLICABLE[kind]
    ]


def check_options(subject: str, kind: str, form: Format) -> None:
    """Refuse options of a format that would change nothing for this kind of table.

    Args:
        subject: The table as the first words of a sentence.
        kind: Its kind, a key of `KIND_NAMES`.
        form: How it is read.

    Raises:
        TableError: With the options.
    """
    refuse_options(subject, kind, list_ignored(kind, form))


def refuse_options(subject: str, kind: str, options: Sequence[str]) -> None:
    """Refuse options by their names, if there are any.

    Args:
        subject: The table as the first words of a sentence.
        kind: Its kind, a key of `KIND_NAMES`.
        options: Those that do not apply.

    Raises:
        TableError: With the options.
    """
    if not options:
        return
    listing = " and ".join(f"'{option}'" for option in options)
    noun = "option" if len(options) == 1 else "options"
    verb = "does" if len(options) == 1 else "do"
    pronoun = "it" if len(options) == 1 else "them"
    raise TableError(
        f"{subject} is {KIND_NAMES[kind]}, to which the format {noun} {listing} {verb} not "
        f"apply: leave {pronoun} out."
    )
