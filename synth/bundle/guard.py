"""CSV cells that no spreadsheet runs. PUBLIC.

Every CSV file of a release is guarded. The Parquet file and the domain hold every category as
declared.

>>> guard_cell("=1+1"), guard_cell("-5"), guard_cell("F")
("'=1+1", '-5', 'F')
"""

import csv
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from io import TextIOWrapper
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from synth.domain import Column, Domain
from synth.foreign import open_file
from synth.rows import Maker, Pieces, label_texts, make_piece, write_csv

_CELL_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


def guard_cell(text: str) -> str:
    """Return a cell that no spreadsheet runs: an apostrophe precedes a formula.

    A formula starts with one of ``= + - @`` (OWASP, CSV injection), in any width that NFKC
    maps to them, or U+2212. Spreadsheets ignore blanks, invisible characters and an
    apostrophe before it. Cells that start with a tab or a line break are always guarded.
    Neither ``|`` nor ``%`` starts a formula in Excel or LibreOffice. Numbers are spared, and
    no two texts become the same.

    >>> (
    ...     guard_cell("\\uff1d1+1"),
    ...     guard_cell(" \\u200b=1"),
    ...     guard_cell("a=1"),
    ...     guard_cell("'=1"),
    ... )
    ("'＝1+1", "' \\u200b=1", 'a=1', "''=1")
    """
    if _is_formula(text) and not _CELL_NUMBER.fullmatch(text):
        return f"'{text}"
    return text


def guarded_table(table: pa.Table) -> pa.Table:
    """Return a table whose cells and names no spreadsheet runs as formulas (`guard_cell`)."""
    columns = [_guarded_column(column.combine_chunks()) for column in table.columns]
    return pa.Table.from_arrays(
        columns, names=[guard_cell(name) for name in table.column_names]
    )


def write_guarded(
    pieces: Pieces, path: Path, *, missing: str | Sequence[str] = "", headed: bool = True
) -> None:
    """Write pieces of rows as a CSV file whose cells no spreadsheet runs (`guard_cell`).

    Args:
        pieces: Tables of consecutive rows, or functions that make them when they are written.
        path: The file to write.
        missing: The text of a missing value, of all columns or of each.
        headed: Whether the first line has the names.
    """
    guarded_pieces = (partial(_guarded_piece, piece) for piece in pieces)
    write_csv(guarded_pieces, path, missing=missing, headed=headed)


def _guarded_piece(piece: pa.Table | Maker) -> pa.Table:
    """Make a piece of rows, and guard its cells."""
    return guarded_table(make_piece(piece))


def guarded_domain(domain: Domain) -> Domain:
    """Return a domain whose names and labels are those of the guarded CSV file.

    It has no derived columns and no ID columns.
    """
    columns = tuple(map(_guarded_column_of, domain.columns))
    markers = tuple(map(guard_cell, domain.missing_values))
    return replace(
        domain, columns=columns, derived=(), identifiers=(), missing_values=markers
    )


def _guarded_column_of(column: Column) -> Column:
    """Return a declared column with guarded texts, those of missing values included."""
    respelled = column.respell(guard_cell)
    if column.missing_values is None:
        return respelled
    return replace(respelled, missing_values=tuple(map(guard_cell, column.missing_values)))


def is_guarded(path: str | Path, domain: Domain) -> bool:
    """Return whether a CSV file has guarded texts of the domain; the first such text decides.

    A text of the domain is guarded if `guard_cell` put an apostrophe before it, as in the
    files of a release; in a table made elsewhere it is as declared. Texts that need no guard
    are the same in both, and decide nothing.

    An unreadable file counts as not guarded; the reader of the table refuses it.

    Args:
        path: The CSV file, of synthetic rows or of a confidential table.
        domain: The declared columns.
    """
    texts = {domain.missing_marker}
    for column in domain.columns:
        texts |= {column.name, *column.cells, domain.marker_of(column)}
    plain = {text for text in texts if guard_cell(text) != text}
    # A guarded text that is itself declared decides nothing either.
    guarded = {guard_cell(text) for text in plain} - plain
    try:
        with TextIOWrapper(open_file(path), "utf-8-sig", "replace", newline="") as file:
            for row in csv.reader(file):
                for cell in row:
                    if cell in guarded or cell in plain:
                        return cell in guarded
    except (csv.Error, OSError):
        return False
    return False


def _is_formula(text: str) -> bool:
    """Return whether a spreadsheet may take a text for a formula.

    Numbers with a sign count too; `guard_cell` spares them.
    """
    if text.lstrip("'")[:1] in ("\t", "\r", "\n"):
        return True
    first = next((sign for sign in text if not _is_passed_over(sign)), "")
    # NFKC turns full-width signs into ASCII. U+2212 is the minus sign, which stays itself.
    return unicodedata.normalize("NFKC", first)[:1] in ("=", "+", "-", "@", "\u2212")


def _is_passed_over(character: str) -> bool:
    """Return whether spreadsheets ignore a character before a formula."""
    # Unicode's categories Z (separators) and C (control and invisible characters).
    return character == "'" or unicodedata.category(character)[0] in "ZC"


def _guarded_column(column: pa.Array) -> pa.Array:
    """Return a column of Arrow with guarded texts (`guard_cell`); numbers need no guard.

    Texts come back as a dictionary: each different text is stored and guarded only once.
    """
    if pa.types.is_dictionary(column.type):
        labels = label_texts([guard_cell(text) for text in column.dictionary.to_pylist()])
        return pa.DictionaryArray.from_arrays(column.indices, labels)
    if not pa.types.is_string(column.type):
        return column
    values = pc.dictionary_encode(column)
    # A column without any text stays as it is.
    return _guarded_column(values) if len(values.dictionary) else column
