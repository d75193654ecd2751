"""Step 1 asks what a file leaves open, and says which table is at hand."""

from pathlib import Path

import openpyxl
import pytest
from streamlit.testing.v1 import AppTest

from synth.domain import Categorical, Domain, Outside
from synth.private.counting import count
from tests.app.steward import draft_of, press, text_of, visit


@pytest.fixture
def app() -> AppTest:
    return visit()


def upload_table(app: AppTest, name: str, content: bytes) -> AppTest:
    """Upload a file in the step Data."""
    app.file_uploader[0].upload(name, content, "text/csv").run()
    assert not app.exception
    return app


def header_of(app: AppTest) -> tuple[str, ...]:
    """Return the column names of the current table; none without a table."""
    source = draft_of(app).source
    return () if source is None else source.table.header


def test_an_encoding_that_is_open_waits_for_an_answer(app: AppTest) -> None:
    """If several encodings fit a file, the user picks the one whose text is right.

    The last table stays until then. The file is written in code page 850 of DOS.
    """
    upload_table(app, "old.csv", b"a,b\n1,2\n")
    upload_table(app, "neu.csv", "Größe,Straße\n1,2\n".encode("cp850"))
    assert header_of(app) == ("a", "b")
    assert "**neu.csv** is not read yet" in text_of(app)
    assert "You still have **old.csv**" in text_of(app)

    radio = app.radio(key="encoding_said")
    label = next(option for option in radio.options if option.startswith("Größe,Straße"))
    radio.set_value("cp850").run()
    assert "DOS" in label

    press(app, "Read it in this encoding")
    assert header_of(app) == ("Größe", "Straße")
    assert draft_of(app).source.table.asked == ("encoding=cp850",)  # type: ignore[union-attr]
    assert "not read" not in text_of(app)


def test_a_header_that_cannot_be_read_waits_for_its_delimiter(app: AppTest) -> None:
    """R's write.table puts blanks between quoted names; the page offers that mark at once.

    The last table stays until then. Names on another line can be chosen, too.
    """
    upload_table(app, "old.csv", b"a,b\n1,2\n")
    upload_table(app, "r.txt", b'"age" "sex"\n41 "f"\n')
    assert header_of(app) == ("a", "b")
    assert "there are blanks between its names. Choose how the file is read." in text_of(app)
    assert "--read" not in text_of(app)
    assert app.selectbox(key="header_delimiter").value == " "

    press(app, "Read it that way")
    assert header_of(app) == ("age", "sex")
    assert draft_of(app).source.table.asked == ("delimiter=space",)  # type: ignore[union-attr]

    upload_table(app, "titled.txt", b'"a" survey"\nage;sex\n41;f\n')
    app.selectbox(key="header_delimiter").set_value(";").run()
    app.number_input(key="header_line").set_value(2).run()
    press(app, "Read it that way")
    assert header_of(app) == ("age", "sex")


def test_lines_of_qualtrics_are_left_out_by_one_click(app: AppTest) -> None:
    """A Qualtrics file has two lines of questions below its header; one click leaves them
    out.
    """
    content = (
        b"age,sex\nHow old are you?,Your sex\n"
        b'"{""ImportId"":""QID1""}","{""ImportId"":""QID2""}"\n' + b"41,f\n" * 20
    )
    upload_table(app, "q.csv", content)
    assert "2 lines without a record below the names" in text_of(app)

    press(app, "Read it that way")

    assert draft_of(app).source.rows == 20  # type: ignore[union-attr]
    assert "below the names" not in text_of(app)


def test_a_file_that_waits_can_be_left(app: AppTest) -> None:
    """The user can put aside a file whose encoding is not clear, and then has no table.

    If none of the likely encodings is right, the page offers all others.
    """
    upload_table(app, "neu.csv", "Größe,Alter\n1,2\n".encode("cp1252"))
    app.radio(key="encoding_said").set_value("").run()
    assert any("Korean (EUC-KR)" in box.options for box in app.selectbox)

    press(app, "Leave this file")
    assert header_of(app) == ()
    assert "not read" not in text_of(app)


def test_a_failed_upload_leaves_no_doubt_about_the_table_at_hand(app: AppTest) -> None:
    """After an upload that cannot be read, the page says which table is in use, or that there
    is none. The sentence stays when the page runs again, and goes with the next valid upload.
    The bytes only begin like an old Excel file.
    """
    upload_table(app, "bad.xlsx", b"\xd0\xcf\x11\xe0 no workbook")
    assert "Synth could not read **bad.xlsx**. You have no table yet." in text_of(app)

    upload_table(app, "old.csv", b"a,b\n1,2\n")
    assert "could not read" not in text_of(app)

    upload_table(app, "bad.xlsx", b"\xd0\xcf\x11\xe0 no workbook")
    for _ in range(2):  # and it stays said
        assert "You still have **old.csv**." in text_of(app)
        app.run()


def test_one_column_is_asked_about_at_once(app: AppTest) -> None:
    """If a file seems to have one column, the page cuts it at a likely delimiter, or asks.

    A semicolon is taken at once here, and Undo brings the question back. A file in which two
    delimiters are possible is asked about.
    """
    upload_table(app, "t.csv", b"age;sex\n1;2\n")
    assert header_of(app) == ("age", "sex")
    assert "with a semicolon between the cells" in text_of(app)

    press(app, "Undo this guess")
    assert "has **one column**" in text_of(app)
    options = app.radio(key="cut").options
    assert [option.split(":")[0] for option in options] == [
        "Semicolon",
        "Nothing, it is one column",
    ]

    press(app, "Read it that way")
    assert header_of(app) == ("age", "sex")

    upload_table(app, "t.csv", b"age;sex|x\n1;2|3\n")
    app.radio(key="cut").set_value(app.radio(key="cut").options[1]).run()


def test_what_is_sure_is_taken_at_once_and_undone_with_one_button(app: AppTest) -> None:
    """A delimiter and an encoding that are sure are taken at once, and one button undoes
    both. The file has semicolons and is written in Windows-1252. After Undo the page asks for
    each of them.
    """
    names = "Fallnummer;Geschlecht;Größe;Gewicht;Aufnahme;Entlassung;Station;Befund;Entgelt"
    rows = "".join(f"{n};männlich;1,{n};78;Mai;Juni;Innere;-;12,34\n" for n in range(10, 40))
    upload_table(app, "klinik.csv", f"{names}\n{rows}".encode("cp1252"))
    source = draft_of(app).source
    assert source is not None
    assert source.table.asked == ("delimiter=;", "encoding=cp1252")
    words = "(Windows-1252) with a semicolon between the cells."
    assert words in text_of(app)

    press(app, "Undo this guess")
    assert "**klinik.csv** is not read yet" in text_of(app)
    assert header_of(app) == source.table.header

    press(app, "Read it in this encoding")
    assert "has **one column**" in text_of(app)
    assert source.table.path.exists()


def test_a_decimal_mark_is_only_suggested_as_rows_alone_show_it(app: AppTest) -> None:
    """A semicolon as delimiter is taken at once, but a decimal comma is only suggested.

    The header shows the delimiter, while only private rows show the decimal mark.
    """
    upload_table(app, "t.csv", "\n".join(["a;b", *["1,5;2,5"] * 20]).encode())
    assert draft_of(app).source.table.asked == ("delimiter=;",)  # type: ignore[union-attr]
    assert "The file's shape suggests a decimal comma." in [info.value for info in app.info]
    assert not app.warning


def test_ragged_rows_are_told_at_once_and_ruled_on(app: AppTest) -> None:
    """The page reports rows with a wrong number of cells, and the user decides what becomes
    of them. A row that is too short can be filled with empty cells; one that is too long
    cannot. Line 3 is too short and line 4 is too long.
    """
    upload_table(app, "t.csv", b"a,b\n1,2\n3\n1,2,3\n")
    assert "2 rows are left out because of another number of cells" in text_of(app)
    assert "on lines 3 and 4" in text_of(app)

    rule = app.radio(key="format ragged")
    assert rule.value is None
    rule.set_value("fill").run()
    assert draft_of(app).source.table.asked == ("ragged=fill",)  # type: ignore[union-attr]
    assert "1 row is left out" in text_of(app)

    app.radio(key="format ragged").set_value("leave_out").run()
    assert draft_of(app).source.table.asked == ("ragged=leave_out",)  # type: ignore[union-attr]
    assert "Private" in text_of(app)


BREAKS = b'a,note\nx,"one\ntwo"\ny,none\nx,"three\nfour"\n'


@pytest.mark.parametrize(
    ("button", "rows"), [("Cells may hold line breaks", 3), ("Every line is a row", 5)]
)
def test_line_breaks_in_cells_are_asked_about_before_any_spend(
    app: AppTest, button: str, rows: int
) -> None:
    """If cells seem to hold line breaks, the user decides whether each line is a row.

    BREAKS has 3 records, two of which hold a line break, so it has 5 lines below the header.
    """
    upload_table(app, "t.csv", BREAKS)
    assert text_of(app).count("2 cells seem to hold line breaks") == 1

    press(app, button)
    assert "Every line is a row" not in [app_button.label for app_button in app.button]
    source = draft_of(app).source
    assert source is not None
    assert source.table.form.lines == ("span" if rows == 3 else "one")

    domain = Domain((Categorical(name="a", categories=("x", "y"), outside=Outside.CELL),))
    assert count(source.table, domain).rows == rows


def test_a_file_without_a_header_takes_its_columns_with_it(app: AppTest) -> None:
    """If the user says that a file has no header, its columns get names by number.

    If the first line is the header again, its cells are the names again.
    """
    upload_table(app, "t.csv", b"1.5,2\n3,4\n")
    app.number_input(key="format header").set_value(0).run()
    assert header_of(app) == ("column_1", "column_2")
    app.number_input(key="format header").set_value(1).run()
    assert header_of(app) == ("1.5", "2")


def test_no_button_makes_a_record_the_column_names(app: AppTest) -> None:
    """No suggestion turns a record into column names, although lines differ in their number
    of cells. Names of rows, trailing delimiters and a title line above the header are
    recognised or reported. For the title line, the user gives the line of the header.
    """
    rows = "".join(f"{n},{30 + n},{'fm'[n % 2]}\n" for n in range(30))

    # One cell more than the header: R writes the names of rows in front.
    upload_table(app, "r.csv", f"age,sex\n{rows}".encode())
    assert header_of(app) == ("age", "sex")
    assert "as R writes names of rows" in text_of(app)
    next(button for button in app.button if button.label == "Read it that way").click().run()
    assert header_of(app) == ("column_1", "age", "sex")
    assert "another number of cells" not in text_of(app)
    app.checkbox(key="format row_names").uncheck().run()
    assert header_of(app) == ("age", "sex")

    # A delimiter at the end of each line.
    upload_table(app, "ends.csv", b"age,sex\n" + b"46,f,\n" * 30)
    assert header_of(app) == ("age", "sex")
    assert "shape suggests" not in text_of(app)
    assert "another number of cells" not in text_of(app)

    # A title above the header.
    upload_table(app, "titled.csv", f"Survey\nid,age,sex\n{rows}".encode())
    assert header_of(app) == ("Survey",)
    assert "Its first line has 1 cell, and most other lines have 3" in text_of(app)
    app.number_input(key="format header").set_value(2).run()
    assert header_of(app) == ("id", "age", "sex")


def test_what_a_workbook_hides_is_shown_in_private(app: AppTest, tmp_path: Path) -> None:
    """The step Data counts the hidden rows of a workbook, and names its hidden columns."""
    book = openpyxl.Workbook()
    for line in [["age", "sex"], [41, "f"], [35, "m"]]:
        book.active.append(line)
    book.active.row_dimensions[2].hidden = True
    book.active.column_dimensions["B"].hidden = True
    book.save(tmp_path / "t.xlsx")
    upload_table(app, "t.xlsx", (tmp_path / "t.xlsx").read_bytes())
    assert "1 row of the sheet is hidden, by hand or by a filter" in text_of(app)
    assert "Hidden columns are read like all others: 'sex'" in text_of(app)


def test_a_first_line_that_looks_like_a_record_is_asked_about(app: AppTest) -> None:
    """A first line like all others is asked about, and so are names that are read as one."""
    rows = "".join(f"Ann{n},{30 + n},{'fm'[n % 2]}\n" for n in range(9))
    upload_table(app, "records.csv", rows.encode())
    assert "look like those of a record" in text_of(app)
    app.number_input(key="format header").set_value(0).run()
    assert "look like those of a record" not in text_of(app)
    upload_table(app, "named.csv", f"name,age,sex\n{rows}".encode())
    app.number_input(key="format header").set_value(0).run()
    assert "Its first line looks like column names" in text_of(app)


def test_a_column_of_several_answers_is_split(app: AppTest) -> None:
    """The step Data reads such a column as a column for each option that the user lists."""
    upload_table(app, "t.csv", b'uses,sex\n"1,3",f\n2,m\n"1,2",f\n' * 9)
    app.text_area(key="format split").set_value("uses:,:1,2,3").run()
    assert header_of(app) == ("uses_1", "uses_2", "uses_3", "uses_other", "sex")
    app.text_area(key="format split").set_value("uses:,").run()
    assert "must have the form" in text_of(app)
    assert "sex" in header_of(app)
