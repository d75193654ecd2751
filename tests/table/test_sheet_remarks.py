"""What a workbook hides is said to the steward, and nothing else of it."""

import struct
import warnings
import zipfile
from pathlib import Path

import openpyxl
import pytest

import synth
from synth.private.table import list_remarks, open_table
from tests.foreign import sheets as hand
from tests.foreign.sheets import OFFICE, blank, cell, row

HIDDEN = [
    "1 sheet of the workbook is hidden.",
    "2 rows of the sheet are hidden, by hand or by a filter. Synth reads them like all "
    "others.",
    "Hidden columns are read like all others: 'b'.",
]


def write_xlsx(path: Path) -> Path:
    """Write a workbook with hidden rows, a hidden column and a hidden sheet.

    A formula has no stored value, a row has a format only, and another table stands below.
    """
    book = openpyxl.Workbook()
    sheet = book.active
    for line in [["a", "b"], ["x", 1], ["y", 2], ["x", "=1+1"], [], ["y", 3]]:
        sheet.append(line)
    sheet.row_dimensions[3].hidden = True
    sheet.row_dimensions[4].hidden = True
    sheet.column_dimensions["B"].hidden = True
    sheet["A5"].number_format = "0.00"
    sheet["D2"] = "far"
    book.create_sheet("Old").sheet_state = "hidden"
    book.save(path)
    return path


def write_ods(path: Path) -> Path:
    """Write a sheet of OpenDocument with hidden rows, a hidden column and a hidden sheet."""
    rows = [
        row(cell("string", text="x"), cell("float", str(number))).replace(
            "<table:table-row ", f'<table:table-row table:visibility="{visibility}" '
        )
        for number, visibility in enumerate(["visible", "filter", "collapse"])
    ]
    formula = '<table:table-cell table:formula="of:=1+1"/>'
    columns = '<table:table-column/><table:table-column table:visibility="collapse"/>'
    names = row(cell("string", text="a"), cell("string", text="b"))
    last_rows = [row(cell("string", text="y"), formula), row(blank(2)), row(blank(2))]
    hand.open_document(
        path,
        columns,
        names,
        *rows,
        *last_rows,
        further_tables='<table:table table:name="Old" table:style-name="ta2"/>',
    )
    styles = (
        f'<office:automatic-styles xmlns:style="{OFFICE}:style:1.0"><style:style '
        'style:name="ta2"><style:table-properties table:display="false"/></style:style>'
        "</office:automatic-styles><office:body>"
    )
    return replace_in(path, "content.xml", [(b"<office:body>", styles.encode())])


def write_xlsb(path: Path) -> Path:
    """Write a workbook in Excel's binary layout with hidden rows and a hidden column.

    Its only sheet is hidden, too.
    """
    lines = [(0, [(0, "a"), (1, "b")]), *[(n, [(0, "x"), (1, n)]) for n in (1, 2, 3)]]
    hand.binary_workbook(path, lines)
    layout = "<IIHBBBI"
    shown = [struct.pack(layout, line, 0, 300, 0, 0, 0, 0) for line in (1, 2)]
    hidden = [struct.pack(layout, line, 0, 300, 0, 0x10, 0, 0) for line in (1, 2)]
    first_row = hand._record(145)
    column = hand._record(60, struct.pack("<IIIIH", 1, 1, 0, 0, 1))
    changes = [*zip(shown, hidden, strict=True), (first_row, column + first_row)]
    replace_in(path, "xl/worksheets/sheet1.bin", changes)
    states = [(struct.pack("<II", 0, 1), struct.pack("<II", 1, 1))]
    return replace_in(path, "xl/workbook.bin", states)


def replace_in(path: Path, part: str, changes: list[tuple[bytes, bytes]]) -> Path:
    """Replace bytes in a part of a zip, each once."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    for before, after in changes:
        assert before in parts[part]
        parts[part] = parts[part].replace(before, after, 1)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def test_what_a_workbook_of_excel_hides_is_said(tmp_path: Path) -> None:
    """Each hidden thing is counted; names of columns are shown, and no cell is."""
    table = open_table(write_xlsx(tmp_path / "t.xlsx"))
    assert list_remarks(table) == [
        *HIDDEN,
        "1 formula has no stored value, so it is missing. Open the file in a spreadsheet "
        "program and save it there.",
        "1 row holds only formats or blanks. It is no row of the table.",
        "Rows go on below blank rows, on line 6. Synth reads all of them as one table: move "
        "other tables to sheets of their own.",
        "1 row has cells beyond the last named column, which Synth ignores.",
    ]
    assert not any("hidden" in note for note in table.notes)


def test_what_a_sheet_of_open_document_hides_is_said(tmp_path: Path) -> None:
    """Rows that a filter hides count as hidden, and a formula without a value as missing."""
    remarks = list_remarks(open_table(write_ods(tmp_path / "t.ods")))
    assert remarks[:3] == HIDDEN
    assert remarks[3].startswith("1 formula has no stored value")
    assert len(remarks) == 4


def test_what_a_binary_workbook_hides_is_said(tmp_path: Path) -> None:
    """The flags of rows, columns and sheets in the binary layout are read, too."""
    assert list_remarks(open_table(write_xlsb(tmp_path / "t.xlsb"))) == [
        "The sheet that is read is hidden in its workbook.",
        *HIDDEN,
    ]


def test_a_plain_workbook_hides_nothing(tmp_path: Path) -> None:
    """A sheet of rows below names has no remarks."""
    book = openpyxl.Workbook()
    for line in [["a", "b"], ["x", 1], ["y", 2]]:
        book.active.append(line)
    book.save(tmp_path / "t.xlsx")
    assert list_remarks(open_table(tmp_path / "t.xlsx")) == []


@pytest.mark.slow
def test_python_says_what_a_workbook_hides(tmp_path: Path) -> None:
    """A draft has the remarks among its notes, and a release warns of them in private."""
    path = write_xlsx(tmp_path / "t.xlsx")
    assert HIDDEN[1] in synth.draft(path).notes
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        synth.check(path, {"a": ["x", "y"]})
    assert f"Private, for you alone: {HIDDEN[1]}" in [
        str(warning.message) for warning in caught
    ]


def test_lines_below_the_table_of_a_workbook_are_said(tmp_path: Path) -> None:
    """A total and a source count as records, as in a file of text, and this is said."""
    book = openpyxl.Workbook()
    rows = [["town", "sales"], *[["Ulm", 3]] * 12, ["Total", 36], ["Source: office", None]]
    for line in rows:
        book.active.append(line)
    book.save(tmp_path / "t.xlsx")
    assert list_remarks(open_table(tmp_path / "t.xlsx")) == [
        "2 rows begin like a line below the table, such as a total or a source, on lines 14 "
        "and 15. They count as records: take such lines out of the file."
    ]
