"""A suggested format never makes a row the line of column names; where they are is asked."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synth.domain import Domain
from synth.errors import ArgumentError, TableError
from synth.private.counting import count
from synth.private.table import Format, PrivateTable, list_remarks, look_through, open_table
from synth.private.table.csv_options import parse_format
from synth.private.table.format_guesses import suggest
from tests.tables import SHARED

ROWS = "46,f\n49,m\n31,f\n87,m\n22,f\n"
R_TABLE = "".join(f'"{n}",{row}\n' for n, row in enumerate(ROWS.split(), 1))
"""The same rows as R writes them, each with its number in front."""


def open_text(folder: Path, content: str, form: Format | None = None) -> PrivateTable:
    """Write a text as a CSV file and open it."""
    path = folder / "t.csv"
    path.write_text(content, encoding="utf-8")
    return open_table(path, form or Format())


@pytest.mark.parametrize("end", [",", ",,"])
def test_separators_at_the_ends_of_rows_are_no_further_cell(tmp_path: Path, end: str) -> None:
    """Empty cells beyond the last column raise no doubt and leave no row out."""
    table = open_text(tmp_path, "age,sex\n" + ROWS.replace("\n", f"{end}\n"))
    assert table.hint() == ""
    look_through(table)
    assert list_remarks(table) == []


def test_names_of_rows_that_r_writes_are_said_with_what_to_do(tmp_path: Path) -> None:
    """If every row has one cell more than the header, the steward is told that R writes so.

    The remark says which option reads the names, and quotes no cell such as 46.
    """
    table = open_text(tmp_path, "age,sex\n" + R_TABLE)
    assert table.suggest_options() == ("row_names=yes",)
    look_through(table)
    (remark,) = list_remarks(table)
    assert remark.startswith("Every one of the 5 rows has another number of cells than the 2")
    assert "as R writes names of rows" in remark
    assert "choose row_names=yes" in remark
    assert "46" not in remark


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", " "])
def test_names_of_rows_are_read_as_a_column_without_a_name(
    tmp_path: Path, delimiter: str
) -> None:
    """With row_names=yes the names of rows are the first column, as in a file with an empty
    first name, and no row is lost. The format remembers the option.
    """
    form = Format(delimiter=delimiter, row_names=True)
    header = '"age","sex"\n'.replace(",", delimiter)
    table = open_text(tmp_path, header + R_TABLE.replace(",", delimiter), form)
    assert table.header == ("column_1", "age", "sex")
    assert table.hint() == ""
    look_through(table)
    assert list_remarks(table) == []
    assert count(table, Domain(sex=["f", "m"])).counts.tolist() == [3, 2]
    assert "row_names=yes" in table.asked
    assert parse_format(table.asked) == form


def test_names_of_rows_need_a_header() -> None:
    """The option is for files with a header, and its answer is yes or no."""
    with pytest.raises(ArgumentError, match="'row_names' is for a file with a header"):
        parse_format(["header=0", "columns=2", "row_names=yes"])
    with pytest.raises(ArgumentError, match="'row_names' must be yes or no"):
        parse_format(["row_names=2"])
    assert parse_format(["row_names=True"]).options == ("row_names=yes",)
    assert parse_format(["row_names=no", "header=1"]).options == ()


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_a_title_above_the_header_is_asked_about(tmp_path: Path, delimiter: str) -> None:
    """A title line above the column names leads to a question, never to another header.

    The title has one cell and the rows have two. If the steward chooses line 3 as the header,
    the question goes away.
    """
    body = f"Survey 2024\n\nage,sex\n{ROWS}".replace(",", delimiter)
    table = open_text(tmp_path, body)
    assert not any(option.startswith("header") for option in table.suggest_options())
    assert "Its first line has 1 cell, and most other lines have 2" in table.hint()

    chosen = open_text(tmp_path, body, Format(delimiter=delimiter, header=3))
    assert chosen.header == ("age", "sex")
    assert chosen.hint() == ""


@pytest.mark.parametrize(
    ("first", "option"), [("sep=,", "choose header=2."), ("#age,sex", "choose comment=#.")]
)
def test_a_first_line_that_may_be_no_header_is_asked_about(
    tmp_path: Path, first: str, option: str
) -> None:
    """A first line that names the separator or starts as a comment leads to a question.

    The hint ends with the option to choose, which is never suggested as a format. It quotes
    no cell such as 46.
    """
    table = open_text(tmp_path, f"{first}\n{ROWS}")
    assert table.suggest_options() == ()
    assert table.hint().endswith(option)
    assert "46" not in table.hint()


@pytest.mark.parametrize(
    ("content", "header"),
    [(f"# by hand\nage,sex\n{ROWS}", 2), (f"Survey\n# by hand\nage,sex\n{ROWS}", 3)],
)
def test_comments_above_a_chosen_header_do_not_move_it(
    tmp_path: Path, content: str, header: int
) -> None:
    """A comment above a chosen header line never leads to a suggestion to skip comments.

    Skipping comments would make another line the header, so it is not suggested even if a
    comment follows below.
    """
    table = open_text(tmp_path, content, Format(header=header))
    assert table.header == ("age", "sex")
    assert table.suggest_options() == ()

    with_comment_below = open_text(tmp_path, content + "# the end\n", Format(header=header))
    assert with_comment_below.suggest_options() == ()


def test_comments_among_the_rows_are_suggested(tmp_path: Path) -> None:
    """A comment below the header leads to the suggestion to skip comments."""
    table = open_text(tmp_path, f"age,sex\n{ROWS}# the end\n")
    assert table.suggest_options() == ("comment=#",)


def test_a_chosen_header_is_not_put_in_doubt_by_the_line_above(tmp_path: Path) -> None:
    """A line above a header that the steward chose does not put it in doubt."""
    table = open_text(tmp_path, "2024-01-31,1\nage,sex\n" + ROWS, Format(header=2))
    assert table.suggest_options() == ()


def test_a_first_line_of_data_gives_as_many_columns_as_it_has_cells(tmp_path: Path) -> None:
    """If the first line looks like data, a file without a header is suggested.

    The decimal number makes it data. The number of columns is that of the first line, three,
    although most lines have four cells.
    """
    table = open_text(tmp_path, "1,2.5,3\n" + "4,5.5,6,7\n" * 9)
    assert table.suggest_options() == ("header=0", "columns=3")


def test_a_stray_mark_in_a_name_does_not_make_rows_names(tmp_path: Path) -> None:
    """A quotation mark in a column name never makes later rows part of the header.

    Where cells may span lines, such a header is refused, because it seems to go on below. A
    name that is quoted as a whole may contain a line end.
    """
    content = 'height 5",note\n12,5" tall\n13,"a\nb"\n'
    assert open_text(tmp_path, content).header == ('height 5"', "note")
    with pytest.raises(
        TableError, match=r"first line of 't\.csv' cannot be read as a CSV header"
    ):
        open_text(tmp_path, content, Format(lines="span"))

    quoted = open_text(tmp_path, '"net\nincome",note\n13,"a\nb"\n', Format(lines="span"))
    assert quoted.header == ("net income", "note")


CELLS = st.sampled_from(
    ["", "a", "b c", "12", "1,5", "2024-01-31", "#x", "sep=;", '"q"', "NA"]
)
LINES = st.lists(
    st.tuples(st.lists(CELLS, min_size=1, max_size=4), st.integers(1, 5)),
    min_size=1,
    max_size=4,
)


@given(lines=LINES, mark=st.sampled_from(",;\t|"), header=st.integers(1, 3))
def test_no_suggestion_moves_the_header(
    lines: Sequence[tuple[list[str], int]], mark: str, header: int
) -> None:
    """A suggested format keeps the header on its line, or says that the file has none (0).

    It never treats a line at or above the header as a comment. The files are random: each of
    a few lines is repeated up to five times.
    """
    text = "".join((mark.join(cells) + "\n") * times for cells, times in lines)
    suggestion = suggest(text.encode(), Format(header=header))
    form = parse_format([f"header={header}", *suggestion.options])
    assert form.header in (header, 0)
    takes_the_header_for_a_comment = suggestion.comment and any(
        line.startswith("#") for line in text.split("\n")[:header]
    )
    assert not takes_the_header_for_a_comment


def test_no_shared_table_gets_a_header_from_its_rows() -> None:
    """For all example tables, the suggestion is the first line as header, or no header (0).

    The suggestion is made from the first 64 KB of a file.
    """
    folders = [SHARED / "field", SHARED / "nasty"]
    files = [path for folder in folders for path in folder.glob("*.csv")]
    if not files:
        pytest.skip("the shared tables are not here")
    headers = {suggest(path.read_bytes()[: 1 << 16]).header for path in files}
    assert headers == {0, 1}
