"""Workbooks and zips made by hand."""

import zipfile
from itertools import groupby
from pathlib import Path

import pytest

from synth.foreign import parent

LINUX = pytest.mark.skipif(not parent.MEMORY_IS_LIMITED, reason="the system limits no memory")

MB = 2**20


def write_workbook(path: Path, sheet: str | bytes, *, spare: bytes = b"") -> Path:
    """A workbook of one sheet, by hand."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    rel = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    parts: dict[str, str | bytes] = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"/>',
        "_rels/.rels": "<Relationships "
        f'xmlns="{package}/relationships"><Relationship Id="r1" '
        f'Type="{rel}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" '
        f'xmlns:r="{rel}"><sheets><sheet name="One" '
        'sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="r1" Type="{rel}/worksheet" Target="worksheets/sheet1.xml"/>'
        "</Relationships>",
        "xl/worksheets/sheet1.xml": sheet,
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
        if spare:
            archive.writestr("xl/media/image1.bin", spare)
    return path


def write_sheet(*cells: str) -> str:
    """SheetRow with a 1 in each, row by row."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    cells_by_row = groupby(cells, lambda cell: cell.lstrip("ABCDEFGX"))
    rows = ""
    for row, row_cells in cells_by_row:
        elements = "".join(f'<c r="{cell}"><v>1</v></c>' for cell in row_cells)
        rows += f'<row r="{row}">{elements}</row>'
    return f'<worksheet xmlns="{main}"><sheetData>{rows}</sheetData></worksheet>'


def write_zeros(path: Path, name: str, megabytes: int) -> Path:
    """A zip file with zeros."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open(name, "w", force_zip64=True) as member:
            for _ in range(megabytes):
                member.write(bytes(MB))
    return path
