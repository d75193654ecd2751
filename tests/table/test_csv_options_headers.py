"""Headers as programs write them: quoted, named by a first line, or in several lines."""

from pathlib import Path

import pandas as pd
import pytest

import synth
from synth.errors import ArgumentError, TableError
from synth.private.counting import count
from synth.private.table import Format, PrivateTable, list_remarks, look_through, open_table
from synth.private.table.csv_options import parse_format
from synth.private.table.format_guesses import suggest
from synth.private.table.opening import open_any

DOMAIN = synth.Domain(age=synth.Integer(18, 97, bins=4), sex=["f", "m"])
ROWS = [(46, "f"), (49, "m"), (31, "f"), (87, "m"), (22, "f")]


def write(folder: Path, text: str) -> Path:
    path = folder / "t.csv"
    path.write_text(text, encoding="utf-8")
    return path


def counted(table: PrivateTable) -> list[int]:
    """The rows in each cell of `DOMAIN`, those of all sexes and ages in order."""
    return count(table, DOMAIN).dense().tolist()


@pytest.mark.parametrize("mark", [";", "\t", "|"])
def test_a_quoted_header_with_another_delimiter_is_read_at_once(
    tmp_path: Path, mark: str
) -> None:
    """A header of quoted names is read by its own delimiter, which needs no option.

    Such files come from R's write.csv2, from KoBo and from LimeSurvey.
    """
    lines = [mark.join(['"age"', '"sex"']), *(f'{age}{mark}"{sex}"' for age, sex in ROWS)]
    path = write(tmp_path, "\n".join(lines) + "\n")

    table = open_any(path)

    assert table.header == ("age", "sex")
    assert table.form.delimiter == mark
    assert "between the cells" in table.notes[-1]
    counts = counted(table)
    with_commas = write(tmp_path, "age,sex\n" + "".join(f"{a},{s}\n" for a, s in ROWS))
    assert counts == counted(open_table(with_commas))


def test_a_quoted_header_that_two_delimiters_cut_is_asked(tmp_path: Path) -> None:
    """A header that could be cut at two different marks offers both, as neither is sure.

    In "a|b";"c|d" either the semicolon or the bar may separate the cells.
    """
    path = write(tmp_path, '"a|b";"c|d"\n1;2\n')
    table = open_table(path)
    assert table.sure_form() == table.form
    assert [cut.delimiter for cut in table.cuts()] == [";", "|", ","]


@pytest.mark.parametrize("first", ["sep=;", '"sep=;"', "sep=;;"])
@pytest.mark.parametrize("mark", [";", ","])
def test_the_line_that_names_the_delimiter_is_no_header(
    tmp_path: Path, first: str, mark: str
) -> None:
    """Excel reads it so; programs that fill lines up add delimiters at its end."""
    text = "\n".join([first, "age;sex", *(f"{age};{sex}" for age, sex in ROWS)]) + "\n"

    table = open_any(write(tmp_path, text.replace(";", mark)))

    assert table.header == ("age", "sex")
    assert (table.form.delimiter, table.form.header) == (mark, 2)
    assert "as its first line says" in table.notes[-1]
    assert sum(counted(table)) == len(ROWS)


def test_a_delimiter_at_each_line_s_end_makes_no_doubt(tmp_path: Path) -> None:
    """If every line ends with the delimiter, the table has one more column, which is
    empty.
    """
    path = write(tmp_path, "age;sex;\n" + "".join(f"{a};{s};\n" for a, s in ROWS))
    table = open_any(path)
    assert table.header == ("age", "sex", "column_3")
    assert sum(counted(table)) == len(ROWS)


def test_blanks_between_quoted_names_are_said_to_be_the_cause(tmp_path: Path) -> None:
    """A header with blanks between quoted names is refused, and the message says what to
    choose.
    """
    path = write(tmp_path, '"age" "sex"\n46 "f"\n')
    with pytest.raises(TableError, match=r"blanks between its names. Choose --read delim"):
        open_table(path)
    chosen = open_table(path, Format(delimiter=" "))
    assert chosen.header == ("age", "sex")


def test_names_of_rows_are_seen_with_a_chosen_delimiter_too(tmp_path: Path) -> None:
    """R's write.table writes the numbers of rows, but no name above them."""
    body = "".join(f'"{number}" {a} "{s}"\n' for number, (a, s) in enumerate(ROWS))
    path = write(tmp_path, '"age" "sex"\n' + body)
    hint = open_table(path, Format(delimiter=" ")).doubt_header()
    assert "one cell more than its first line has names, as R writes names of rows" in hint


QUALTRICS = (
    "age,sex\n"
    '"How old\nare you?",Your sex\n'
    '"{""ImportId"":""QID1""}","{""ImportId"":""QID2""}"\n'
)


@pytest.mark.parametrize("lines", ["one", "span"])
def test_lines_of_qualtrics_are_named_and_left_out_once_declared(
    tmp_path: Path, lines: str
) -> None:
    """Declared lines of questions are no rows: they are not counted, and not called left
    out.
    """
    head = QUALTRICS if lines == "span" else QUALTRICS.replace("old\nare", "old are")
    path = write(tmp_path, head + "".join(f"{a},{s}\n" for a, s in ROWS))
    form = Format(lines=lines)
    if lines == "one":  # a line break within a question hides the lines from a quick look
        assert "choose below=2 to leave them out" in open_table(path, form).hint()
        assert open_table(path, form).suggest_options() == ("below=2",)

    table = open_table(path, Format(lines=lines, below=2))

    look_through(table)
    assert list_remarks(table) == []
    counts = count(table, DOMAIN)
    assert counts.rows == len(ROWS)
    assert sum(counts.dense()) == len(ROWS)


@pytest.mark.slow
def test_lines_below_the_header_of_a_workbook_are_left_out(tmp_path: Path) -> None:
    """With the option `below=1`, the row of questions below a workbook's names is no
    record.
    """
    frame = pd.DataFrame([("How old?", "Sex?"), *ROWS], columns=["age", "sex"])
    path = tmp_path / "t.xlsx"
    frame.to_excel(path, index=False)
    assert count(open_table(path), DOMAIN).rows == len(ROWS) + 1
    assert count(open_table(path, Format(below=1)), DOMAIN).rows == len(ROWS)


def test_lines_below_need_a_header() -> None:
    """The option `below` is refused without a header, and if it is no number."""
    with pytest.raises(ArgumentError, match="below' is for a file with a header"):
        parse_format(["header=0", "columns=2", "below=1"])
    with pytest.raises(ArgumentError, match="below' must be the number of rows below"):
        parse_format(["below=two"])


@pytest.mark.parametrize(
    ("text", "options"),
    [
        # Lists of codes, as of a question with several answers.
        ('a,b\n72,"2,5"\n51,5\n18,"1,3"\n40,1\n', ()),
        ('a,b\n72,"1,2,5"\n51,"2,5"\n18,"1,3"\n', ()),
        # Numbers with a decimal comma.
        ('a,b\n72,"2,5"\n51,"5,25"\n18,1\n', ("decimal=,",)),
        ("a;b\n72;2,5\n51;5\n18;1\n40;7\n", ("delimiter=;", "decimal=,")),
    ],
)
def test_a_list_of_codes_is_no_decimal_comma(text: str, options: tuple[str, ...]) -> None:
    assert suggest(text.encode()).options == options


@pytest.mark.parametrize("mark", [";", "\t", "|"])
def test_quoted_names_over_several_lines_are_cut_at_once(tmp_path: Path, mark: str) -> None:
    """LimeSurvey quotes texts of questions as names, which may hold line breaks.

    With lines=span the mark between such names is found as in a header of one line, and the
    rows raise no doubt about the header.
    """
    names = mark.join(['"id"', '"How do\nyou feel?"', '"Your\n\nage"'])
    rows = "".join(mark.join([f'"{n}"', '"well"', f'"{30 + n}"']) + "\n" for n in range(9))
    path = tmp_path / "lime.csv"
    path.write_text(f"{names}\n{rows}")
    table = open_table(path, Format(lines="span"))
    assert table.sure_form().delimiter == mark
    again = open_table(path, table.sure_form())
    assert again.header == ("id", "How do you feel?", "Your age")
    assert again.hint() == ""
