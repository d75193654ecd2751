"""The domain as a data dictionary, and in SDV's form. PUBLIC."""

import csv
import io
from typing import cast

from synth.bundle.guard import guard_cell
from synth.domain import Column, Derived, Domain, Outside, sdv_column, write_schema
from synth.util import Document

DICTIONARY = "dictionary.csv"
HEADER = (
    "column",
    "kind",
    "values",
    "cells",
    "missing",
    "outside",
    "spreadsheet guard",
    "about",
)

OUTSIDE = {
    Outside.CELL: "have a cell of their own",
    Outside.NEAREST: "count as the nearest bound",
    Outside.MISSING: "count as missing",
    Outside.DROP: "leave their row out",
}


def dictionary(domain: Domain) -> str:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(HEADER)
    rules = {one.name: one for one in domain.derived}
    drawn = {one.name: one.available for one in domain.identifiers}
    for column in domain.written_columns:
        marked = f"written as '{domain.missing_marker}'"
        if column.name in rules:
            row = _follows(rules[column.name], domain)
        elif column.name in drawn:
            rest = f"rows beyond {drawn[column.name]:,} have none, {marked}"
            missing = rest if column.missing else "none"
            about = (column.in_words, "none", missing, "never read", "none needed")
            row = (column.name, "identifier", *about, column.description)
        else:
            told = (column.in_words, str(column.size), marked if column.missing else "none")
            outside = f"values outside {OUTSIDE[column.rule]}"
            row = (
                column.name,
                column.kind,
                *told,
                outside,
                _guards(column),
                column.description,
            )
        writer.writerow(map(guard_cell, row))
    return file.getvalue()


def _follows(rule: Derived, domain: Domain) -> tuple[str, ...]:
    held, column = rule.expected, rule.column
    span = f"from {held.low:.12g} to {held.high:.12g}"
    values = span if held.kind == "number" else " | ".join(column.labels)
    missing = f"written as '{domain.missing_marker}' if it cannot be computed"
    rest = (f"follows from: {rule.rule}", _guards(column), rule.description)
    return (rule.name, "derived", values, "none", missing, *rest)


def sdv_metadata(domain: Domain) -> Document:
    fields = cast("list[Document]", write_schema(domain)["fields"])
    columns = {str(field["name"]): sdv_column(field) for field in fields}
    return {"METADATA_SPEC_VERSION": "V1", "tables": {"table": {"columns": columns}}}


def _guards(column: Column) -> str:
    labels = (column.name, *column.cells)
    texts = [label for label in labels if guard_cell(label) != label]
    if not column.declared_texts or not texts:
        return "none needed"
    return f"in the CSV files, an apostrophe precedes: {' | '.join(texts)}"
