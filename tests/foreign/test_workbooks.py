"""Workbooks: a row is its own cells, whatever stands in the others and however far away."""

import datetime as dt
import random
import struct
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pytest
import python_calamine
import xlsxwriter

from synth.domain import UNREADABLE
from synth.errors import TableError
from synth.foreign import Fault, binary_ooxml, ooxml, open_document
from synth.foreign import cells as module
from synth.foreign.cells import CELLS_AT_A_TIME, cell_text, kept_text, write_table
from synth.foreign.numbers import format_kind
from synth.foreign.workbooks import OldWorkbook
from synth.private.table import CELL, Format, open_table
from tests.foreign import sheets as hand
from tests.foreign.sheets import blank, cell, row
from tests.table.typed import read_rows

pytestmark = pytest.mark.usefixtures("inside")

Row = Sequence[Any]


def write_xlsx(path: Path, *lines: Row) -> Path:
    """A workbook as the usual writer has it; None is no cell."""
    book = openpyxl.Workbook()
    for number, line in enumerate(lines, 1):
        for place, value in enumerate(line, 1):
            if value is not None:
                book.active.cell(number, place, value)
    book.save(path)
    return path


def write_ods(path: Path, *lines: Row) -> Path:
    """A sheet of OpenDocument with texts and numbers; None is a blank cell."""

    def make_cell(value: Any) -> str:
        if value is None:
            return blank()
        if isinstance(value, str):
            return cell("string", text=value)
        return cell("float", str(value))

    return hand.open_document(path, *(row(*map(make_cell, line)) for line in lines))


def write_xlsb(path: Path, *lines: Row) -> Path:
    """A workbook in Excel's binary layout; None is no cell, and a blank line no row."""
    numbered_lines = [
        (number, [(place, value) for place, value in enumerate(line) if value is not None])
        for number, line in enumerate(lines)
    ]
    return hand.binary_workbook(path, [line for line in numbered_lines if line[1]])


WRITERS: dict[str, Callable[..., Path]] = {
    "xlsx": write_xlsx,
    "ods": write_ods,
    "xlsb": write_xlsb,
}


@pytest.mark.parametrize("ending", WRITERS)
def test_blank_rows_are_no_rows_wherever_they_stand(tmp_path: Path, ending: str) -> None:
    """A row without any text or number is no row, in the middle of a sheet or at its end.

    Whether blank rows counted once depended on a last row after them. So the table is read
    with 100 blank rows at its end, and with one more row below these.
    """
    blank_row: Row = (None, None)
    lines: list[Row] = [
        ("a", "b"),
        blank_row,
        ("x", 1),
        blank_row,
        (" ", None),
        ("y", None),
        *[blank_row] * 100,
    ]
    expected = [("x", "1"), ("y", None)]
    for last_rows, expected_rows in (((), expected), ((("z", 3),), [*expected, ("z", "3")])):
        table = open_table(WRITERS[ending](tmp_path / f"t.{ending}", *lines, *last_rows))
        assert (table.header, read_rows(table)) == (("a", "b"), expected_rows)


@pytest.mark.parametrize("ending", WRITERS)
def test_a_cell_beyond_the_names_is_no_part_of_the_table(tmp_path: Path, ending: str) -> None:
    """A cell to the right of the named columns changes nothing, and alone it makes no row.

    It once widened all rows, and a row with nothing else was one. The odd row has a cell
    about 700 columns to the right, with or without cells under the names.
    """
    far: list[Any] = [None] * 700
    for odd, expected in (
        (("x", 1, *far, "far"), [("x", "1"), ("y", "2")]),
        ((None, None, *far, 7), [("y", "2")]),
    ):
        path = WRITERS[ending](tmp_path / f"t.{ending}", ("a", "b", None), odd, ("y", 2))
        assert read_rows(open_table(path)) == expected


@pytest.mark.parametrize("ending", WRITERS)
def test_without_names_the_columns_are_declared(tmp_path: Path, ending: str) -> None:
    """A sheet without a header is read only if the format says how many columns it has.

    Otherwise the rows would decide. Further cells are dropped and further columns are
    missing. More columns than the limit are refused.
    """
    path = WRITERS[ending](tmp_path / f"t.{ending}", ("x", 1, "far"), ("y", None), (None, 3))
    with pytest.raises(TableError) as error:
        open_table(path, Format(header=0))
    assert str(error.value) == (
        "Without a line of names, the reading option 'columns' must say how many "
        f"'t.{ending}' has."
    )

    table = open_table(path, Format(header=0, columns=2))
    assert table.header == ("column_1", "column_2")
    assert table.notes == ("There is no header; the columns are called column_1 and so on.",)
    assert read_rows(table) == [("x", "1"), ("y", None), (None, "3")]
    wider_table = open_table(path, Format(header=0, columns=4))
    assert read_rows(wider_table)[0] == ("x", "1", "far", None)

    with pytest.raises(TableError, match=r"has 99,999 columns; the limit is"):
        open_table(path, Format(header=0, columns=99_999))


@pytest.mark.parametrize("ending", WRITERS)
def test_names_may_stand_further_down(tmp_path: Path, ending: str) -> None:
    """The column names may stand on any line; a line without cells is refused as header.

    Line 3 has a name twice, which is numbered, and a gap, which gets a name by its place.
    Line 2 is blank, and the sheet has no line 9.
    """
    path = WRITERS[ending](
        tmp_path / f"t.{ending}", ("title",), (None,), ("a", None, "a"), (1, 2, 3)
    )
    table = open_table(path, Format(header=3))
    assert (table.header, read_rows(table)) == (("a_1", "column_2", "a_2"), [("1", "2", "3")])

    for line in (2, 9):
        sentence = (
            rf"^Line {line} of 't.{ending}' holds no column names. If they stand on another "
            "line, choose it, such as --read header=3"
        )
        with pytest.raises(TableError, match=sentence):
            open_table(path, Format(header=line))


DATED = "yyyy-mm-dd"
# A value, the number format of its cell, and the text as which it is read.
ODD: list[tuple[Any, str, str | None]] = [
    (1e300, DATED, UNREADABLE),
    (-1e300, DATED, UNREADABLE),
    (-1, DATED, UNREADABLE),
    (2_958_466, DATED, UNREADABLE),
    (1e10, "[h]:mm", UNREADABLE),
    (-1e300, "[h]:mm", UNREADABLE),
    (0.5, DATED, "12:00:00"),
    (43_831, DATED, "2020-01-01"),
    (1.5, "[h]:mm", "36:00:00"),
    ("#N/A", "General", None),
    ("=1/0", "General", None),
    (True, "General", "true"),
    ("_xD800_", "General", UNREADABLE),
    ("x\ny\tz", "General", "x\ny\tz"),
    ("é" * 9, "@", "é" * 9),
    (dt.time(1, 2, 3), "h:mm", "01:02:03"),
    (2**53 - 1, "0", str(2**53 - 1)),
    (0.1, "0", "0.1"),
]


def write_styled(path: Path, *values: tuple[Any, str]) -> Path:
    """A workbook of two columns, a value and a number beside it."""
    book = openpyxl.Workbook()
    book.active.append(["a", "b"])
    for number, (value, form) in enumerate(values, 2):
        book.active.cell(number, 1, value).number_format = form
        book.active.cell(number, 2, number)
    book.save(path)
    return path


def test_a_cell_that_no_value_can_be_made_of_costs_itself_alone(tmp_path: Path) -> None:
    """A date or duration beyond all bounds makes its own cell unreadable, and no other.

    A date of -1e300 once broke the library, and with it the whole table. `ODD` has each
    value, its number format and the text as which it is read. Beside it stands the number of
    its row.
    """
    path = write_styled(tmp_path / "t.xlsx", *((value, form) for value, form, _ in ODD))
    rows = read_rows(open_table(path))
    expected = [(text, str(number)) for number, (*_, text) in enumerate(ODD, 2)]
    assert rows == expected


def test_a_number_that_is_none_costs_itself_alone(tmp_path: Path) -> None:
    """A cell with a damaged value is unreadable, and the number beside it is read.

    The sheet is made by hand, as no writer makes such cells. The first five are: a text as a
    number, a text and a style that the workbook lacks, an impossible date, and no number.
    Then come a text with a reading aid, a formula with its result, and one without.
    """
    odd = [
        '<c r="A2"><v>x</v></c>',
        '<c r="A3" t="s"><v>99</v></c>',
        '<c r="A4" s="99"><v>1</v></c>',
        '<c r="A5" t="d"><v>2020-13-01</v></c>',
        '<c r="A6"><v>nan</v></c>',
        '<c r="A7" t="inlineStr"><is><t>x</t><rPh><t>no</t></rPh></is></c>',
        '<c r="A8" t="str"><f>"y"</f><v>y</v></c>',
        '<c r="A9"><f>1+1</f></c>',
    ]
    lines = "".join(
        f'<row r="{n}">{cell}<c r="B{n}"><v>{n}</v></c></row>'
        for n, cell in enumerate(odd, 2)
    )
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    names = '<row><c t="inlineStr"><is><t>a</t></is></c><c t="str"><v>b</v></c></row>'
    sheet = f'<worksheet xmlns="{main}"><sheetData>{names}{lines}</sheetData></worksheet>'
    from tests.foreign.files import write_workbook

    rows = read_rows(open_table(write_workbook(tmp_path / "t.xlsx", sheet)))
    assert [text for text, _ in rows] == [*[UNREADABLE] * 5, "x", "y", None]
    assert [number for _, number in rows] == [str(n) for n in range(2, 10)]


def test_open_document_cells_of_every_type(tmp_path: Path) -> None:
    """Each type of a cell in OpenDocument is read as the text that stands beside it.

    Impossible numbers, dates and times are unreadable. A time of over a day stays as it is
    written. Notes are no part of a cell.
    """
    cells: dict[str, str | None] = {
        cell("float", "1.50"): "1.5",
        cell("percentage", "0.5"): "0.5",
        cell("currency", "2"): "2",
        cell("float", "x"): UNREADABLE,
        cell("float", "inf"): UNREADABLE,
        cell("float"): UNREADABLE,
        cell("date", "2020-01-02"): "2020-01-02",
        cell("date", "2020-01-02T03:04:05.5"): "2020-01-02T03:04:05.500000",
        cell("date", "2020-13-02"): UNREADABLE,
        cell("date", "99999-01-01"): UNREADABLE,
        cell("time", "PT12H30M00S"): "12:30:00",
        cell("time", "PT36H00M00S"): "PT36H00M00S",
        cell("time", "tea"): UNREADABLE,
        cell("time", "PT9999999999999999H"): UNREADABLE,
        cell("boolean", "true"): "true",
        cell("void"): None,
        blank(): None,
        cell("string", "said", "shown"): "said",
        cell(
            "string", text='x<text:s text:c="3"/>y<text:tab/>z<text:span>!</text:span>'
        ): "x   y\tz!",
        cell("string", text="x</text:p><text:p>y"): "x\ny",
        cell(
            "string",
            text="</text:p><office:annotation><text:p>note</text:p></office:annotation>"
            "<text:p>t",
        ): "\nt",
    }
    lines = [row(cell_text, cell("float", str(n))) for n, cell_text in enumerate(cells)]
    path = hand.open_document(
        tmp_path / "t.ods", row(cell("string", text="a", times=2)), *lines
    )
    assert read_rows(open_table(path)) == [
        (text, str(n)) for n, text in enumerate(cells.values())
    ]


def test_open_document_rows_may_stand_for_many(tmp_path: Path) -> None:
    """Rows and cells of OpenDocument that stand for many are read as so many.

    A row with 7 is there three times, and its cells beyond the two columns are dropped. Twice
    a million blank rows are no rows and take no memory. The note names the sheet.
    """
    blanks = row(blank(1_024), times=1_000_000)
    path = hand.open_document(
        tmp_path / "t.ods",
        row(cell("string", text="a", times=2)),
        row(cell("float", "7", times=16_384), times=3),
        blanks,
        row(cell("string", text="z")),
        blanks,
        further_tables='<table:table table:name="Two"><table:table-row/></table:table>',
    )
    table = open_table(path)
    assert read_rows(table) == [*[("7", "7")] * 3, ("z", None)]
    assert table.notes[0] == "Sheet 'One' of 2 is read."


def test_binary_cells_of_every_kind(tmp_path: Path) -> None:
    """Each kind of a cell in Excel's binary layout is read as the text that stands beside it.

    Numbers may be packed into 30 bits, as an integer or as the first half of a double, and in
    hundredths. Dates count days from 1900, or from 1904 if the workbook says so. Damaged
    cells are unreadable.
    """

    def short(bits: int) -> bytes:
        """A number of 30 bits; of the last two, 1 means hundredths and 2 an integer."""
        return bytes([2]) + struct.pack("<I", bits & 0xFFFFFFFF)

    text = struct.pack("<I", 1) + "é".encode("utf-16-le")
    half = struct.unpack("<I", struct.pack("<d", 1.5)[4:])[0]
    cells: list[tuple[Any, str | None]] = [
        ("x", "x"),
        (True, "true"),
        (None, None),
        (1.5, "1.5"),
        (short(-7 << 2 | 2), "-7"),
        (short(725 << 2 | 3), "7.25"),
        (short(half), "1.5"),
        (b"\x06" + text, "é"),
        (b"\x08" + text, "é"),
        (b"\x09" + struct.pack("<d", 2.0), "2"),
        (b"\x0a\x01", "true"),
        (b"\x0b\x2a", None),
        ((43_831.0, 1), "2020-01-01"),
        ((1.5, 2), "36:00:00"),
        ((43_831.0, 3), "2020-01-01"),
        ((-1e300, 1), UNREADABLE),
        ((1.0, 99), "1"),
        (b"\x07\xff\xff\xff\xff", UNREADABLE),
        (float("nan"), UNREADABLE),
        (b"\x05\x01", UNREADABLE),
        (b"\x06\x01\0\0\0\x00\xd8", UNREADABLE),
    ]
    lines = [(n, [(0, value), (1, float(n))]) for n, (value, _) in enumerate(cells, 1)]
    formats = [(200, DATED), (201, "[h]:mm"), (14, DATED)]
    path = tmp_path / "t.xlsb"
    hand.binary_workbook(path, [(0, [(0, "a"), (1, "b")]), *lines], formats=formats)
    assert read_rows(open_table(path)) == [
        (text, str(n)) for n, (_, text) in enumerate(cells, 1)
    ]

    # Day 1 after the first of January 1904.
    hand.binary_workbook(
        path, [(0, [(0, "a")]), (1, [(0, (1.0, 1))])], formats=formats, later=True
    )
    assert read_rows(open_table(path)) == [("1904-01-02",)]


CODES = [
    "General",
    "0.00",
    "0%",
    "d-mmm-yy",
    "h:mm AM/PM",
    "mm:ss.0",
    "[h]:mm:ss",
    "[ss]",
    "@",
    DATED,
    '"day "0',
    '0.0 "h"',
    "[Red]0",
    "[$-409]d\\-mmm\\-yy;@",
    "#,##0.00 [$€-407]",
    "\\d0",
    "0;yyyy",
    "[Blue][h]:mm",
    "_-* #,##0.00_-",
    "dddd",
    "yyyy年",
]


@pytest.mark.parametrize("seed", range(2))
def test_workbooks_are_read_as_the_library_reads_them(tmp_path: Path, seed: int) -> None:
    """Random workbooks of a usual writer are read as calamine, another reader, reads them.

    The cells have texts, dates, durations and numbers in each format of `CODES`. One of the
    two workbooks counts days from 1904. Calamine is the reference, but for hostile cells it
    breaks, so Synth reads newer workbooks itself.
    """
    draw, path = random.Random(seed), tmp_path / "t.xlsx"
    book = xlsxwriter.Workbook(path, {"date_1904": bool(seed)})
    sheet = book.add_worksheet("Ü &")
    formats = [book.add_format({"num_format": code}) for code in CODES]
    texts = [
        "x",
        " a ",
        "é\nb",
        "_x0041_",
        "1",
        "<&>",
        dt.date(2020, 1, 2),
        True,
        dt.timedelta(1.25),
    ]
    for line in range(120):
        for place in range(8):
            number = draw.choice(
                [draw.uniform(1, 60_000), draw.randint(2, 60_000), draw.random()]
            )
            value = draw.choice([*texts, *[number] * 9])
            if draw.random() < 0.9:
                sheet.write(line, place, value, draw.choice(formats))
    book.close()

    sheet_of_the_library = python_calamine.CalamineWorkbook.from_path(
        path
    ).get_sheet_by_index(0)
    expected = {
        (line, place): cell_text(value)
        for line, values in enumerate(
            sheet_of_the_library.to_python(skip_empty_area=False), 1
        )
        for place, value in enumerate(values)
        if value != ""
    }
    with zipfile.ZipFile(path) as archive:
        workbook = ooxml.Workbook(archive)
        read_cells = {
            (n, i): t
            for n, cells in workbook.rows(workbook.sheets[0])
            for i, t in cells.items()
        }
    assert workbook.sheets == ("Ü &",)
    assert read_cells == expected


def test_old_workbooks_lose_the_row_where_the_library_breaks(tmp_path: Path) -> None:
    """In a workbook of Excel until 2003, a cell that breaks the library costs its own row.

    The library reads these files row by row. No writer of them is installed, so a newer
    workbook stands in. Rows 3 and 4 have an impossible date and duration.
    """
    values = [(1, "0"), (-1e300, DATED), (1e10, "[h]:mm"), (2, "0")]
    book = OldWorkbook(str(write_styled(tmp_path / "t.xlsx", *values)))
    rows = dict(book.rows(book.sheets[0]))
    assert rows == {
        1: {0: "a", 1: "b"},
        2: {0: "1", 1: "2"},
        3: dict.fromkeys(range(2), UNREADABLE),
        4: dict.fromkeys(range(2), UNREADABLE),
        5: {0: "2", 1: "5"},
    }


@pytest.mark.parametrize("kind", [ooxml, binary_ooxml, open_document])
def test_a_part_with_entities_of_its_own_is_refused(tmp_path: Path, kind: Any) -> None:
    """A workbook whose XML declares entities, which could unfold without end, is refused."""
    unfolding = '<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>'
    part = open_document.CONTENT if kind is open_document else "_rels/.rels"
    path = tmp_path / ("t.ods" if kind is open_document else "t.xlsx")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(part, unfolding)
    with zipfile.ZipFile(path) as archive, pytest.raises(ValueError, match="entities"):
        kind.Workbook(archive)
    with pytest.raises(TableError, match="cannot be read as a workbook; it is damaged"):
        open_table(path)


def test_formats_of_moments_are_told_by_their_first_part() -> None:
    """A number format makes dates or durations only by marks of time in its first part.

    Marks in quotation marks, behind a backslash or in a later part do not count. All other
    formats of `CODES` are of plain numbers or texts.
    """
    kinds = {code: format_kind(code) for code in CODES}

    dated = {
        "d-mmm-yy",
        "h:mm AM/PM",
        "mm:ss.0",
        DATED,
        "[$-409]d\\-mmm\\-yy;@",
        "dddd",
        "yyyy年",
    }
    assert {code for code, kind in kinds.items() if kind == "date"} == dated
    assert [c for c, kind in kinds.items() if kind == "duration"] == [
        "[h]:mm:ss",
        "[ss]",
        "[Blue][h]:mm",
    ]


def test_texts_are_kept_up_to_the_limit() -> None:
    """A text of `CELL` bytes is kept, a longer one or half a character is unreadable.

    The letter é has two bytes. An empty text is missing.
    """
    assert kept_text("é" * (CELL // 2), CELL) == "é" * (CELL // 2)
    assert [kept_text(text, CELL) for text in ("x" * (CELL + 1), "\ud800", "")] == [
        UNREADABLE,
        UNREADABLE,
        None,
    ]


def test_a_table_beyond_the_limit_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table whose texts exceed the limit of bytes is refused, though its file is small.

    Equal texts take almost no room in the file, so the texts are counted: 2,000 times 1,000
    bytes exceed 1 MB, 500 times do not. The size is checked after each part of the cells,
    which is made smaller here.
    """
    monkeypatch.setattr(module, "CELLS_AT_A_TIME", CELLS_AT_A_TIME // 1024)
    request = {"folder": str(tmp_path), "unpacked_mb": 1}
    with pytest.raises(Fault) as fault:
        write_table(request, ["a"], (["x" * 1_000] for _ in range(2_000)))
    assert fault.value.answer == {"fault": "size", "mb": 1}
    write_table(request, ["a", "a"], ([None, "x" * 1_000] for _ in range(500)))
