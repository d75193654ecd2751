"""A release as a DDI Codebook: `ddi.xml`, which data archives take. PUBLIC.

Its statistics count synthetic rows, and nothing else. Source: DDI Codebook 2.5
(https://ddialliance.org/Specification/DDI-Codebook/2.5/).

>>> clean("a\\x00b")
'a\\ufffdb'
"""

import re
from collections.abc import Mapping, Sequence
from typing import cast
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from synth import limits
from synth.bundle.certificate import ReleaseCertificate
from synth.bundle.croissant import title_bundle
from synth.bundle.dictionary import OUTSIDE
from synth.bundle.file_names import SYNTHETIC
from synth.bundle.guard import guard_cell
from synth.domain import Binned, Column, write_field
from synth.estimate import let_go
from synth.rows import SyntheticTable
from synth.util import Ints, Json, SmallCodes

DDI = "ddi.xml"
NAMESPACE = "ddi:codebook:2_5"
# The ID of the note that all counts refer to.
NOISE = "noise"
NOISE_SENTENCE = (
    "All counts of categories are noisy. They count the synthetic rows, which Synth drew "
    "from noisy counts of the confidential table."
)
_KINDS = {"integer": "numeric", "number": "numeric"}
_DATES = {"date": "date", "datetime": "time"}
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def codebook(certificate: ReleaseCertificate, rows: SyntheticTable) -> bytes:
    """Return the DDI Codebook of a release, as the bytes of its file.

    Args:
        certificate: The certificate of the release.
        rows: The synthetic rows, whose values are counted.
    """
    # The four parts of DDI: about this document, the study, the file, and its columns.
    root = Element("codeBook", {"xmlns": NAMESPACE, "version": "2.5"})
    title = title_bundle(certificate)
    _cite(SubElement(root, "docDscr"), f"Codebook: {title}", certificate)
    study = SubElement(root, "stdyDscr")
    _cite(study, title, certificate)
    _describe_study(study, certificate)
    file = SubElement(SubElement(root, "fileDscr", ID="F1", URI=SYNTHETIC), "fileTxt")
    _add_text(file, "fileName", SYNTHETIC)
    size = SubElement(file, "dimensns")
    _add_text(size, "caseQnty", str(rows.rows))
    _add_text(size, "varQnty", str(len(rows.domain.written)))
    _add_text(file, "fileType", "text/csv", charset="UTF-8")
    _describe_columns(SubElement(root, "dataDscr"), rows)
    ElementTree.indent(root, " ")
    # Readers of XML turn a bare carriage return into a line feed.
    xml = ElementTree.tostring(root, "unicode").replace("\r", "&#13;")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{xml}\n'.encode()


def _cite(parent: Element, title: str, certificate: ReleaseCertificate) -> None:
    """Add a citation to an element: the title, the time and the software.

    Args:
        parent: The element of DDI.
        title: The title that is cited.
        certificate: The certificate, with the time and the version of Synth.
    """
    citation = SubElement(parent, "citation")
    _add_text(SubElement(citation, "titlStmt"), "titl", title)
    production = SubElement(citation, "prodStmt")
    created = certificate.created
    _add_text(production, "prodDate", created, date=created)
    _add_text(production, "software", "Synth", version=certificate.versions["synth"])


def _describe_study(study: Element, certificate: ReleaseCertificate) -> None:
    """Add the guarantee as abstract, and the note that all counts refer to.

    The note says that counts are noisy. Its ID is `NOISE`.
    """
    guarantee = certificate.guarantee.statement
    info = SubElement(study, "stdyInfo")
    _add_text(info, "abstract", guarantee)
    _add_text(SubElement(info, "sumDscr"), "dataKind", "Synthetic rows")
    number_of_rows = f"Number of rows: {certificate.number_of_rows}."
    origin = f"Description of the columns: {certificate.domain_origin}."
    notes = " ".join((NOISE_SENTENCE, guarantee, number_of_rows, origin))
    _add_text(SubElement(study, "method"), "notes", notes, ID=NOISE, type="noise")


def _describe_columns(parent: Element, rows: SyntheticTable) -> None:
    """Add a description of each column of the synthetic rows to an element.

    Columns with cells have counts of rows. Columns that follow from others by a rule, and ID
    columns, have none.
    """
    domain = rows.domain
    counts = dict(zip(domain.names, count_cells(rows), strict=True))
    rules = {column.name: column for column in domain.derived}
    # The IDs of the columns in the file.
    places = {name: f"V{number}" for number, name in enumerate(domain.written, 1)}
    for column in domain.written_columns:
        var = SubElement(parent, "var", ID=places[column.name], files="F1")
        _describe_column(
            var, column, domain.marker_of(column), counts=counts.get(column.name, ())
        )
        if rule := rules.get(column.name):
            sources = " ".join(places[name] for name in rule.sources)
            _add_text(SubElement(var, "derivation", var=sources), "drvdesc", rule.rule)
        var.append(Element("varFormat", _format_of(column)))


def _format_of(column: Column) -> dict[str, str]:
    """Return the attributes of a column's format in DDI: numbers, dates or characters."""
    field = write_field(column)
    kind = str(field["type"])
    attributes = {"type": _KINDS.get(kind, "character")}
    if kind in _DATES:
        attributes["category"] = _DATES[kind]
        if date_format := str(field.get("format", "")):
            attributes["formatname"] = date_format
    return attributes


def count_cells(rows: SyntheticTable) -> list[list[int]]:
    """Return the number of rows in each cell: a list of counts for each column.

    The rows may be stored as distinct ones with a list of which is picked for each row. Then
    distinct rows are counted as often as they are picked.
    """
    copies = None if rows.picked is None else _tally(rows.picked, len(rows.distinct[0]))
    pairs = zip(rows.domain.columns, rows.distinct, strict=True)
    return [_tally(codes, column.size, copies).tolist() for column, codes in pairs]


def _tally(codes: SmallCodes, size: int, copies: Ints | None = None) -> Ints:
    """Count the rows of each code, piece by piece, as they may be in a file.

    Args:
        codes: The code of each row, shape (rows,).
        size: The number of codes.
        copies: How often each of these rows counts, shape (rows,); None for once.

    Returns:
        The counts, shape (size,).
    """
    counts = np.zeros(size, np.int64)
    for start in range(0, len(codes), limits.ROWS_AT_A_TIME):
        piece = slice(start, start + limits.ROWS_AT_A_TIME)
        weights = None if copies is None else copies[piece]
        # With weights, NumPy counts in floats.
        counts += np.bincount(codes[piece], weights, size).astype(np.int64)
        let_go(codes[piece])  # the memory of what was read from a file
    return counts


def _describe_column(
    var: Element, column: Column, marker: str, *, counts: Sequence[int]
) -> None:
    """Add the declaration of a column, and its categories.

    Args:
        var: The element of the column.
        column: The declared column.
        marker: The marker of missing values; empty if there is none.
        counts: The number of rows in each cell; none for a column without counts.
    """
    field = write_field(column)
    is_binned = isinstance(column, Binned)  # numbers or dates, in bins
    # The name as in the CSV file, whose texts no spreadsheet takes for formulas.
    var.set("name", clean(column.respell(guard_cell).name))
    # Attributes of DDI: the scale, whether categories are ordered, and the decimals.
    var.set("intrvl", "contin" if is_binned else "discrete")
    if field.get("categoriesOrdered"):
        var.set("nature", "ordinal")
    if "synth:decimals" in field:
        var.set("dcml", str(field["synth:decimals"]))
    if column.description:
        _add_text(var, "labl", column.description)
    if is_binned:
        bounds = cast("Mapping[str, Json]", field["constraints"])
        unit = "REAL" if field["type"] == "number" else "INT"
        valid = {"UNITS": unit, "min": str(bounds["minimum"]), "max": str(bounds["maximum"])}
        SubElement(SubElement(var, "valrng"), "range", valid)
    missing_texts = [*column.reasons]
    if column.missing and marker:
        missing_texts.insert(0, marker)
    if missing_texts:
        invalid = SubElement(var, "invalrng")
        for text in missing_texts:
            SubElement(invalid, "item", VALUE=clean(guard_cell(text)))
    # Bins, and columns without listed values, are described in words too.
    if (counts and is_binned) or not column.labels:
        _add_text(var, "txt", column.in_words)
    _describe_cells(var, column, marker, counts=counts)
    if counts:
        _add_text(var, "codInstr", f"Values outside {OUTSIDE[column.rule]}.")


def _describe_cells(
    var: Element, column: Column, marker: str, *, counts: Sequence[int]
) -> None:
    """Add the bins of a column with their counts, then its single values.

    Args:
        var: The element of the column.
        column: The declared column.
        marker: The marker of missing values; empty if there is none.
        counts: The number of rows in each cell; none for a column without counts.
    """
    cells = column.respell(guard_cell).cells  # texts as in the CSV file
    pieces = column.pieces if isinstance(column, Binned) else ()
    # A spike is a single value with a cell of its own among the bins.
    bins = [code for code, piece in enumerate(pieces) if not piece.spike]
    if counts:
        for code in bins:
            group = SubElement(var, "catgryGrp")
            _add_text(group, "labl", cells[code])
            _add_count(group, counts[code])
    for code in sorted(set(range(len(cells))) - {*bins}):
        if code == column.missing_code:
            category = SubElement(var, "catgry", {"missing": "Y"})
            value = guard_cell(marker)
            meaning = "missing"
        else:
            text = column.cells[code]
            is_reason = text in column.reasons
            category = SubElement(var, "catgry", {"missing": "Y"} if is_reason else {})
            value = cells[code]
            meaning = column.meanings.get(text, "")
        # Without a marker, a missing value is an empty cell, which has no text to list.
        if code != column.missing_code or marker:
            _add_text(category, "catValu", value)
        if meaning:
            _add_text(category, "labl", meaning)
        if counts:
            _add_count(category, counts[code])


def _add_count(parent: Element, count: int) -> None:
    """Add the noisy count of a category."""
    _add_text(parent, "catStat", str(count), type="freq", methrefs=NOISE)


def _add_text(parent: Element, tag: str, text: str, **attributes: str) -> None:
    """Add an element with a text and attributes."""
    SubElement(parent, tag, attributes).text = clean(text)


def clean(text: str) -> str:
    """Return a text with U+FFFD for each character that XML has no way to write."""
    return _NO_XML.sub("\ufffd", text)
