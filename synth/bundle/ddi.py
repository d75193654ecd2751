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
from synth.bundle.guard import guard_cell
from synth.bundle.writer import SYNTHETIC
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
    root = Element("codeBook", {"xmlns": NAMESPACE, "version": "2.5"})
    title = title_bundle(certificate)
    for place, what in (("docDscr", f"Codebook: {title}"), ("stdyDscr", title)):
        citation = SubElement(SubElement(root, place), "citation")
        _add_text(SubElement(citation, "titlStmt"), "titl", what)
        made = SubElement(citation, "prodStmt")
        _add_text(made, "prodDate", certificate.created, date=certificate.created)
        _add_text(made, "software", "Synth", version=certificate.versions["synth"])
    guarantee = certificate.guarantee.statement
    study = SubElement(root[-1], "stdyInfo")
    _add_text(study, "abstract", guarantee)
    _add_text(SubElement(study, "sumDscr"), "dataKind", "Synthetic rows")
    known = f"Number of rows: {certificate.number_of_rows}."
    origin = f"Description of the columns: {certificate.domain_origin}."
    notes = " ".join((NOISE_SENTENCE, guarantee, known, origin))
    _add_text(SubElement(root[-1], "method"), "notes", notes, ID=NOISE, type="noise")
    about = SubElement(SubElement(root, "fileDscr", ID="F1", URI=SYNTHETIC), "fileTxt")
    _add_text(about, "fileName", SYNTHETIC)
    size = SubElement(about, "dimensns")
    _add_text(size, "caseQnty", str(rows.rows))
    _add_text(size, "varQnty", str(len(rows.domain.written)))
    _add_text(about, "fileType", "text/csv", charset="UTF-8")
    _describe_columns(SubElement(root, "dataDscr"), rows)
    ElementTree.indent(root, " ")
    said = ElementTree.tostring(root, "unicode").replace("\r", "&#13;")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{said}\n'.encode()


def _describe_columns(parent: Element, rows: SyntheticTable) -> None:
    domain = rows.domain
    counts = dict(zip(domain.names, count_cells(rows), strict=True))
    rules = {one.name: one for one in domain.derived}
    places = {name: f"V{number}" for number, name in enumerate(domain.written, 1)}
    for column in domain.written_columns:
        var = SubElement(parent, "var", ID=places[column.name], files="F1")
        _describe_column(
            var, column, domain.missing_marker, counts=counts.get(column.name, ())
        )
        if rule := rules.get(column.name):
            used = " ".join(places[name] for name in rule.sources)
            _add_text(SubElement(var, "derivation", var=used), "drvdesc", rule.rule)
        said = write_field(column)
        kind, form = str(said["type"]), str(said.get("format", ""))
        written = {"type": _KINDS.get(kind, "character")}
        if kind in _DATES:
            written |= {"category": _DATES[kind], **({"formatname": form} if form else {})}
        var.append(Element("varFormat", written))


def count_cells(rows: SyntheticTable) -> list[list[int]]:
    copies = None if rows.picked is None else _tally(rows.picked, len(rows.distinct[0]))
    pairs = zip(rows.domain.columns, rows.distinct, strict=True)
    return [_tally(codes, column.size, copies).tolist() for column, codes in pairs]


def _tally(codes: SmallCodes, size: int, copies: Ints | None = None) -> Ints:
    found = np.zeros(size, np.int64)
    for start in range(0, len(codes), limits.ROWS_AT_A_TIME):
        some = slice(start, start + limits.ROWS_AT_A_TIME)
        weights = None if copies is None else copies[some]
        found += np.bincount(codes[some], weights, size).astype(np.int64)
        let_go(codes[some])
    return found


def _describe_column(
    var: Element, column: Column, marker: str, *, counts: Sequence[int]
) -> None:
    spelled, said = column.respell(guard_cell), write_field(column)
    bounds, is_binned = (
        cast("Mapping[str, Json]", said["constraints"]),
        isinstance(column, Binned),
    )
    var.set("name", clean(spelled.name))
    var.set("intrvl", "contin" if is_binned else "discrete")
    if said.get("categoriesOrdered"):
        var.set("nature", "ordinal")
    if "synth:decimals" in said:
        var.set("dcml", str(said["synth:decimals"]))
    if column.description:
        _add_text(var, "labl", column.description)
    if is_binned:
        ends = {end[:3]: str(bounds[end]) for end in ("minimum", "maximum")}
        unit = "REAL" if said["type"] == "number" else "INT"
        SubElement(SubElement(var, "valrng"), "range", {"UNITS": unit, **ends})
    if column.missing and marker:
        SubElement(SubElement(var, "invalrng"), "item", VALUE=clean(guard_cell(marker)))
    if (counts and is_binned) or not column.labels:
        _add_text(var, "txt", column.in_words)
    pieces = column.pieces if isinstance(column, Binned) else ()
    bins = [code for code, piece in enumerate(pieces) if not piece.spike]
    for code in bins if counts else ():
        group = SubElement(var, "catgryGrp")
        _add_text(group, "labl", spelled.cells[code])
        _add_count(group, counts[code])
    for code in sorted(set(range(len(spelled.cells))) - {*bins}):
        is_missing = code == column.missing_code
        item = SubElement(var, "catgry", {"missing": "Y"} if is_missing else {})
        if not is_missing or marker:
            _add_text(
                item, "catValu", guard_cell(marker) if is_missing else spelled.cells[code]
            )
        if meaning := "missing" if is_missing else column.meanings.get(column.cells[code]):
            _add_text(item, "labl", meaning)
        if counts:
            _add_count(item, counts[code])
    if counts:
        _add_text(var, "codInstr", f"Values outside {OUTSIDE[column.rule]}.")


def _add_count(parent: Element, count: int) -> None:
    _add_text(parent, "catStat", str(count), type="freq", methrefs=NOISE)


def _add_text(parent: Element, tag: str, text: str, **attributes: str) -> None:
    SubElement(parent, tag, attributes).text = clean(text)


def clean(text: str) -> str:
    """Return a text with U+FFFD for each character that XML has no way to write."""
    return _NO_XML.sub("\ufffd", text)
