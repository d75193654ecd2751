"""Sheets of OpenDocument, and workbooks in Excel's binary layout, made by hand."""

import struct
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

OFFICE = "urn:oasis:names:tc:opendocument:xmlns"
SPACES = " ".join(
    f'xmlns:{name}="{OFFICE}:{name}:1.0"' for name in ("office", "table", "text", "calcext")
)


def open_document(
    path: Path, *rows: str, name: str = "One", further_tables: str = ""
) -> Path:
    """A sheet of OpenDocument with rows as they are in its XML."""
    content = (
        f"<office:document-content {SPACES}><office:body><office:spreadsheet>"
        f'<table:table table:name="{name}">{"".join(rows)}</table:table>{further_tables}'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", content)
    return path


def row(*cells: str, times: int = 1) -> str:
    return (
        "<table:table-row "
        f'table:number-rows-repeated="{times}">{"".join(cells)}</table:table-row>'
    )


def cell(kind: str, value: str = "", text: str = "", times: int = 1) -> str:
    """A cell of a type; its value is in the attribute that the type has."""
    attribute = {"float": "value", "percentage": "value", "currency": "value"}.get(kind, kind)
    attribute = attribute if attribute == "value" else f"{attribute}-value"
    value_attribute = f'office:{attribute}="{value}"' if value else ""
    return (
        f'<table:table-cell office:value-type="{kind}" {value_attribute} '
        f'table:number-columns-repeated="{times}"><text:p>{text}</text:p></table:table-cell>'
    )


def blank(times: int = 1) -> str:
    return f'<table:table-cell table:number-columns-repeated="{times}"/>'


# Excel's binary layout.


def binary_workbook(
    path: Path,
    rows: Sequence[tuple[int, Sequence[tuple[int, Any]]]],
    *,
    formats: Sequence[tuple[int, str]] = (),
    later: bool = False,
) -> Path:
    """A workbook of rows by their number from 0, each of cells by their column.

    A cell is a text, a bool, a number, None for an error, bytes of a record's value after its
    kind, or a number with the place of its style; styles are the formats, after the plain
    one."""
    strings: list[str] = []
    sheet = [_record(148, struct.pack("<IIII", 0, 0, 0, 0)), _record(145)]
    for number, cells in rows:
        sheet.append(_record(0, struct.pack("<IIHBBBI", number, 0, 300, 0, 0, 0, 0)))
        sheet += [_cell(column, value, strings) for column, value in cells]
    sheet.append(_record(146))
    styles = [_record(615, struct.pack("<I", len(formats)))]
    styles += [_record(44, struct.pack("<H", n) + _text(code)) for n, code in formats]
    style_formats = [0, *(number for number, _ in formats)]
    styles += [
        _record(616),
        _record(617, struct.pack("<I", len(style_formats))),
        *(_record(47, struct.pack("<HH", 0, n) + bytes(12)) for n in style_formats),
    ]
    parts: dict[str, bytes] = {
        "_rels/.rels": _relations(("r1", "officeDocument", "xl/workbook.bin")),
        "xl/workbook.bin": _record(131)
        + _record(153, struct.pack("<III", later, 0, 0))
        + _record(143)
        + _record(156, struct.pack("<II", 0, 1) + _text("r1") + _text("One"))
        + _record(144)
        + _record(157, bytes(26)),
        "xl/_rels/workbook.bin.rels": _relations(
            ("r1", "worksheet", "worksheets/sheet1.bin"),
            ("r2", "sharedStrings", "sharedStrings.bin"),
            ("r3", "styles", "styles.bin"),
        ),
        "xl/worksheets/sheet1.bin": b"".join(sheet),
        "xl/sharedStrings.bin": _record(159, struct.pack("<II", len(strings), len(strings)))
        + b"".join(_record(19, b"\0" + _text(text)) for text in strings),
        "xl/styles.bin": b"".join([*styles, _record(618)]),
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def _cell(column: int, value: Any, strings: list[str]) -> bytes:
    value, style = value if isinstance(value, tuple) else (value, 0)
    head = struct.pack("<II", column, style)
    match value:
        case None:
            return _record(3, head + b"\x2a")
        case bool():
            return _record(4, head + bytes([value]))
        case bytes():
            return _record(value[0], head + value[1:])
        case str():
            strings.append(value)
            return _record(7, head + struct.pack("<I", len(strings) - 1))
    return _record(5, head + struct.pack("<d", value))


def _record(kind: int, content: bytes = b"") -> bytes:
    return _pieces(kind) + _pieces(len(content)) + content


def _pieces(number: int) -> bytes:
    """A number in pieces of seven bits."""
    pieces = bytearray()
    while number >= 0x80:
        pieces.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*pieces, number])


def _text(text: str) -> bytes:
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


def _relations(*relations: tuple[str, str, str]) -> bytes:
    main = "http://schemas.openxmlformats.org"
    parts = "".join(
        f'<Relationship Id="{name}" Type="{main}/officeDocument/2006/relationships/{kind}" '
        f'Target="{target}"/>'
        for name, kind, target in relations
    )
    return (
        "<Relationships "
        f'xmlns="{main}/package/2006/relationships">{parts}</Relationships>'.encode()
    )
