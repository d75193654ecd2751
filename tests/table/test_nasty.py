"""Seventy-eight awkward files, each with what a good app does about it.

An entry is what `open_table` and a count of all columns (up to twelve) make of the file: the
reading options a steward would choose after the hint, then rows and header, or the sentence.
The shared folder's INDEX.md says what is expected; where we do something else, the entry says
why. Files are read under a domain that keeps every row, so rows are never lost in silence.
"""

import csv
import io
import re

import pytest

from synth.domain import Categorical, Date, Domain, Number, Outside
from synth.errors import SynthError
from synth.private.counting import count
from synth.private.table import list_remarks, look_through, open_table, parse_format
from synth.private.table.choices import SIGHT_BYTES
from synth.private.table.format_guesses import suggest
from tests.tables import SHARED

NASTY = SHARED / "nasty"
pytestmark = pytest.mark.skipif(not NASTY.is_dir(), reason="the shared tables are not here")

# name: (options, rows, columns or their names)
READ: dict[str, tuple[str, int, int | tuple[str, ...]]] = {
    "bom_utf8.csv": ("", 2, ("id", "name")),
    "utf16le_bom.csv": ("", 20, ("name", "age")),
    "latin1.csv": ("encoding=cp1252", 12, ("name", "age")),
    "shift_jis.csv": ("encoding=shift_jis", 20, ("名前", "年齢")),
    "unicode_headers.csv": ("", 2, ("id", "国人")),
    "semicolon_quotes.csv": ("delimiter=; header=0 columns=3", 3, 3),
    "semicolon_umlaut_dates.csv": (
        "delimiter=;",
        7,
        ("Zeit [MEZ]", "Wasserstand", "Status", "column_4"),
    ),
    "decimal_comma.csv": ("delimiter=; decimal=,", 5, ("commas", "periods")),
    "decimal_mixed_fail.csv": ("delimiter=; decimal=,", 3, ("foo",)),
    "thousands_sep.csv": ("delimiter=; thousands=,", 5, ("name", "money", "city")),
    "locale_thousands_dot.csv": ("decimal=, thousands=.", 1, ("a", "b", "c")),
    "quoted_newlines_crlf.csv": ("lines=span", 3, ("a", "b", "c")),
    "quotes_and_newlines.csv": ("lines=span", 2, ("a", "b")),
    "escaped_quotes.csv": ("", 2, ("a", "b")),
    "json_in_cell.csv": ("", 1, ("key", "val")),
    "duplicate_headers.csv": ("", 2, ("id_1", "name", "id_2", "age", "id_3")),
    "duplicate_header_collision.csv": ("", 2, ("a_2", "b", "a_3", "a_1")),
    "blank_header.csv": ("", 2, ("id", "column_2", "age")),
    "header_spaces.csv": ("", 3, ("bla",)),
    "header_newlines.csv": ("lines=span", 1, ("start end", "b", "c")),
    "numeric_headers.csv": ("", 3, 10),
    "no_header.csv": ("header=0 columns=3", 2, ("column_1", "column_2", "column_3")),
    "mac_cr_newlines.csv": ("lines=span", 2, ("a", "b", "c")),
    "wide_9074_cols.csv": ("", 3, 9074),
    "wide_101_cols_header_only.csv": ("header=0 columns=101", 1, 101),
    "huge_number.csv": ("", 1, ("bignumber",)),
    "nan_inf_numbers.csv": ("", 13, 6),
    "null_tokens.csv": ("", 1, 6),
    "null_tokens_2.csv": ("", 3, ("name", "age", "height")),
    "missing_dash.csv": ("", 7, ("id", "age", "name")),
    "missing_null_word.csv": ("header=0 columns=4", 10, 4),
    "mixed_dates.csv": ("", 5, ("A", "B")),
    "bad_date.csv": ("", 2, ("Date",)),
    "timezone_dates.csv": ("", 4, ("datetime", "time")),
    "leading_zero_codes.csv": ("", 6, 8),
    "leading_zeros_only.csv": ("", 3, ("value",)),
    "header_only.csv": ("", 0, ("id", "name")),
    "long_cell_30kB.csv": ("header=0 columns=3", 1, 3),
    "table.csv.gz": ("", 2, ("id", "name")),
    "gzip_named_csv.csv": ("", 2, ("id", "name")),
    "zip_named_csv.csv": ("", 2, ("id", "name")),
    "table.csv.zip": ("", 2, ("id", "name")),
    "table.tsv": ("delimiter=tab", 3, ("id", "name")),
    "sheets.xlsx": ("", 1, ("id", "name")),
    "merged_cells.xlsx": ("", 0, ("data",)),
    "multiline_headers.xlsx": ("", 3, 3),
    "booleans.xlsx": ("", 2, ("number", "string", "boolean")),
    "ints_floats_dates.xls": ("", 3, ("Int", "Float", "Date")),
    "dictionary.parquet": ("", 2, 11),
    "decimal.parquet": ("", 24, ("value",)),
    "decimal_fixed.parquet": ("", 24, ("value",)),
    "timestamp.parquet": ("", 1, ("Time",)),
    "pandas_date.parquet": ("", 2, ("foo",)),
    "silly_names.parquet": ("", 3, ("önë", "column_2", "🦆")),
    "nan.parquet": ("", 1, ("mycol",)),
    "dict_malformed.parquet": (
        "",
        25,
        4,
    ),  # DuckDB reads it whole, like pandas: no error to show
    "table.parquet": ("", 2, ("id", "name")),
    "huge_integers.csv": ("", 3, ("id", "order_id", "amount")),
    "html_markdown_unicode.csv": ("", 3, ("name", "note")),
    "nul_byte_value.csv": ("", 1, ("a", "b", "c")),
    # A carriage return outside quotes is a character of its cell, as lines end by line feeds.
    "formula_injection.csv": ("", 11, ("id", "diagnosis", "=1+1", "@col")),
}

# name: (options, rows, how many of them are left out, what the steward is told in private)
AMISS: dict[str, tuple[str, int, int, str]] = {
    "invalid_utf8_mid.csv": (
        "",
        20,
        0,
        "bytes that are not text in the file's encoding, on line",
    ),
    "unescaped_quotes.csv": ("", 10, 3, "not doubled inside quotes, on lines 9 and 10"),
    "ragged_rows.csv": ("", 4, 1, "another number of cells than columns, on line 5"),
    "ragged_short_long.csv": (
        "",
        2,
        2,
        "Every one of the 2 rows has another number of cells",
    ),
    "trailing_comma_rows.csv": (
        "",
        1,
        1,
        "The only row has another number of cells than the 4",
    ),
    "bad_mixed_types.csv": (
        "",
        3,
        2,
        "another number of cells than columns, on lines 2 and 3",
    ),
    # The footnotes below the table are rows of another width.
    "head_padding.csv": (
        "delimiter=; header=12",
        82,
        22,
        "than columns, on lines 74, 75, 76",
    ),
    "comment_rows.csv": (
        "comment=#",
        3,
        1,
        "the comment mark that it starts with, on line 4",
    ),
    "excel_pasting.csv": ("header=4 thousands=,", 20, 3, "3 cells seem to hold line breaks"),
    # Its third line is one cell short, which pandas fills in silence.
    "empty_columns.csv": ("", 3, 1, "another number of cells than columns, on line 3"),
}

# name: (options, the sentence)
REFUSED: dict[str, tuple[str, str]] = {
    "all_blank_headers.csv": ("", "holds no column names"),
    "nul_byte_header.csv": ("delimiter=|", "is not a table in CSV text"),
    "empty_0_bytes.csv": ("", "is empty"),
    "empty_1_newline.csv": ("", "is empty"),
    "encrypted.xls": ("", "damaged or protected by a password"),
    "nulls.parquet": ("", "nested columns, which are not supported: 'b_struct'"),
    "list_columns.parquet": ("", "not supported: 'int64_list', 'utf8_list'"),
}

# What the default reading must say when the file needs options: the hint, never applied.
HINTS = {
    "latin1.csv": "encoding=cp1252",
    "semicolon_quotes.csv": "delimiter=;",
    "semicolon_umlaut_dates.csv": "delimiter=;",
    "decimal_comma.csv": "delimiter=; decimal=,",
    "thousands_sep.csv": "delimiter=; thousands=,",
    "comment_rows.csv": "comment=#",
    "no_header.csv": "header=0 columns=3",
    "missing_null_word.csv": "header=0 columns=4",
    "wide_101_cols_header_only.csv": "header=0 columns=101",
}


def accept_all(header: tuple[str, ...]) -> Domain:
    """A domain that leaves no row out."""
    columns = [
        Categorical(name=title, categories=("no such text",), outside=Outside.CELL)
        for title in header[:12]
    ]
    return Domain(tuple(columns))


def read_nasty(name: str, options: str) -> tuple[int, tuple[str, ...], list[str]]:
    """The number of rows of a file, its header, and the notes for the steward."""
    table = open_table(NASTY / name, parse_format(options.split()))
    counts = count(table, accept_all(table.header))
    assert counts.counts.sum() == counts.rows
    return counts.rows, table.header, list(table.notes)


def list_cells(name: str) -> set[str]:
    """Cells below the first line of a file: texts that no message may repeat.

    Short cells, numbers and punctuation are left out, as messages hold some by chance.
    """
    start = (NASTY / name).read_bytes()
    form = suggest(start[:SIGHT_BYTES])
    text = start.decode(form.encoding, "replace").replace("\0", "")
    lines = io.StringIO(text.partition("\n")[2], newline="")
    texts = {
        cell.strip() for row in csv.reader(lines, delimiter=form.delimiter) for cell in row
    }
    return {cell for cell in texts if len(cell) > 2 and not re.fullmatch(r"[\W\d]+", cell)}


def holds_word(text: str, word: str) -> bool:
    """Whether a text has a word that is no part of a longer one."""
    return re.search(rf"\b{re.escape(word)}\b", text) is not None


def test_every_file_of_the_index_has_its_entry() -> None:
    """Each of the 78 files of the shared index is in exactly one of the three tables above.

    `READ`, `AMISS` and `REFUSED` say which files are read, read with faults, or refused. The
    index names each file in the first column of a table.
    """
    index = (NASTY / "INDEX.md").read_text(encoding="utf-8")
    names_of_the_index = set(re.findall(r"^\| ([^ |]+\.[a-z]+(?:\.[a-z]+)?) \|", index, re.M))
    assert len(names_of_the_index) == 78
    assert names_of_the_index == set(READ) | set(AMISS) | set(REFUSED)


@pytest.mark.parametrize("name", sorted(READ))
def test_a_file_that_can_be_read(name: str) -> None:
    """An awkward but sound file is read with the expected number of rows and header.

    `READ` has the reading options, the number of rows, and the names or the number of
    columns. The shared index or a look into the file says what is right. Column names
    never repeat.
    """
    options, rows, header = READ[name]
    read_row_count, names, _notes = read_nasty(name, options)
    assert read_row_count == rows
    assert header in (names, len(names))
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("name", sorted(AMISS))
def test_a_file_with_damaged_rows_is_read_and_the_steward_is_told(name: str) -> None:
    """A file with damaged rows is read, and the steward is told of the rows but of no cell.

    `AMISS` has the reading options, the rows, how many of these are left out, and a part of
    the remark. Rows that are left out still count as rows.
    """
    options, rows, left_out, remark = AMISS[name]
    table = open_table(NASTY / name, parse_format(options.split()))
    counts = count(table, accept_all(table.header))
    remarks = " ".join(list_remarks(table))
    assert (counts.rows, counts.rows - counts.counts.sum()) == (rows, left_out)
    assert remark in remarks
    assert not [cell for cell in list_cells(name) if holds_word(remarks, cell)]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("quoted_newlines_crlf.csv", "1 cell seems to hold line breaks (first on line 3)."),
        ("quotes_and_newlines.csv", "1 cell seems to hold line breaks (first on line 2)."),
        (
            "mac_cr_newlines.csv",
            "(first on line 3). As the file is read now, 1 line is left out.",
        ),
    ],
)
def test_cells_that_seem_to_hold_line_breaks_are_said(name: str, sentence: str) -> None:
    """If quoted cells seem to go on over line ends, the steward is told how many and where.

    By default a row ends with its line. The remark comes once all rows were looked through.
    """
    table = open_table(NASTY / name)
    look_through(table)
    assert sentence in " ".join(list_remarks(table))


@pytest.mark.parametrize("name", sorted(HINTS))
def test_a_file_that_needs_options_suggests_them(name: str) -> None:
    """For a file that needs reading options, the hint ends with them."""
    assert open_table(NASTY / name).hint().removesuffix(".").endswith(HINTS[name])


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_a_file_that_cannot_gets_one_sentence_without_cells(name: str) -> None:
    """A file that cannot be read is refused with one line that repeats no cell of it.

    The exception has no cause either, as an engine's own message would quote cells.
    """
    options, sentence = REFUSED[name]
    with pytest.raises(SynthError, match=re.escape(sentence)) as caught:
        read_nasty(name, options)
    message = str(caught.value)
    assert message.endswith(".")
    assert message.count("\n") == 0
    assert caught.value.__cause__ is None
    if not name.endswith((".parquet", ".xls")):  # whose cells are no text
        assert not [cell for cell in list_cells(name) if holds_word(message, cell)]


def number_column(name: str, *edges: str) -> Number:
    """A number with cells between the edges, and one for what is outside."""
    ends = {"minimum": edges[0], "maximum": edges[-1]}
    return Number(name=name, edges=edges, outside=Outside.CELL, **ends)


def year_column(name: str, first: int) -> Date:
    """A date column with one cell for a whole year, and one for what is outside."""
    ends = {"minimum": f"{first}-01-01", "maximum": f"{first}-12-31"}
    return Date(name=name, bins=1, outside=Outside.CELL, **ends)


COMMAS = "delimiter=; decimal=,"
MONEY = number_column("money", "0", "1000", "200000", "1e10")


def text_column(name: str, *categories: str) -> Categorical:
    """A column of these categories, and one cell for what is outside."""
    return Categorical(name=name, categories=categories, outside=Outside.CELL)


@pytest.mark.parametrize(
    ("name", "options", "column", "expected"),
    [
        (
            "decimal_comma.csv",
            COMMAS,
            number_column("commas", "-2e4", "0", "1", "2", "2e4"),
            [1, 1, 1, 2, 0],
        ),
        # A decimal point is no number where the comma is declared: it is outside, not
        # guessed.
        (
            "decimal_mixed_fail.csv",
            COMMAS,
            number_column("foo", "0", "100", "200"),
            [1, 1, 1],
        ),
        ("thousands_sep.csv", "delimiter=; thousands=,", MONEY, [1, 1, 3, 0]),
        ("leading_zeros_only.csv", "", text_column("value", "01", "002", "3"), [1, 1, 0, 1]),
        ("leading_zero_codes.csv", "", text_column("CODGEO", "1001", "01001"), None),
        ("mixed_dates.csv", "", year_column("A", 2024), None),
        ("bad_date.csv", "", year_column("Date", 2019), [0, 2]),
        ("booleans.xlsx", "", text_column("boolean", "true", "false"), [1, 1, 0]),
        ("ints_floats_dates.xls", "", number_column("Int", "0", "1000000"), [3, 0]),
        ("huge_integers.csv", "", number_column("amount", "-1", "1"), [2, 1]),
        ("dictionary.parquet", "", year_column("timestamp_col", 2009), [2, 0]),
        ("dictionary.parquet", "", text_column("bool_col", "true", "false"), [1, 1, 0]),
        (
            "decimal.parquet",
            "",
            number_column("value", *map(str, range(1, 26))),
            [1] * 24 + [0],
        ),
        ("nan.parquet", "", number_column("mycol", "0", "1"), [0, 1]),
    ],
)
def test_values_are_read_as_declared(
    name: str, options: str, column: Categorical, expected: list[int] | None
) -> None:
    """Numbers, dates, truth values and codes of a file are counted in their declared cells.

    ``expected`` has a count for each cell of the column, in order; the last one counts values
    outside. Where it is None, the file only has to be counted without a failure.
    """
    table = open_table(NASTY / name, parse_format(options.split()))
    counts = count(table, Domain((column,))).dense().tolist()
    assert sum(counts) > 0
    assert expected is None or counts == expected
