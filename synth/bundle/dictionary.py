"""The domain as a data dictionary, and in the form that SDV reads. PUBLIC."""

import csv
import io

from synth.bundle.guard import LATEST, Edition, guarded
from synth.check import Document
from synth.domain.domain import Binned, Boolean, Categorical, Column, Date, Domain, Integer, Outside

DICTIONARY = "dictionary.csv"

_OUTSIDE = {
    Outside.CELL: "have a cell of their own",
    Outside.NEAREST: "count as the nearest bound",
    Outside.MISSING: "count as missing",
    Outside.DROP: "leave their row out",
}


def dictionary(domain: Domain, edition: Edition = LATEST) -> str:
    """The data dictionary as CSV: what each column may hold and how it was cut."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(
        ("column", "kind", "values", "cells", "missing", "outside", "spreadsheet guard", "about")
    )
    for column in domain.columns:
        missing = f"written as '{domain.missing_marker}'" if column.missing else "none"
        row = (
            column.name,
            column.kind,
            _values(column),
            str(column.size),
            missing,
            f"values outside {_OUTSIDE[column.rule]}",
            _guards(column, edition),
            column.description,
        )
        writer.writerow([guarded(cell, edition) for cell in row])
    return file.getvalue()


def sdv_metadata(domain: Domain) -> Document:
    """The domain in the form that SDV reads (metadata V1, one table)."""
    columns = {column.name: _sdv(column) for column in domain.columns}
    return {"METADATA_SPEC_VERSION": "V1", "tables": {"table": {"columns": columns}}}


def _values(column: Column) -> str:
    match column:
        case Categorical():
            listed = (f"{c} = {m}" if (m := column.meanings.get(c)) else c for c in column.labels)
            return ("in this order: " if column.ordered else "") + " | ".join(listed)
        case Boolean():
            return " | ".join(column.labels)
        case Binned():
            return _range(column)
    return ""


def _range(column: Binned) -> str:
    """Bounds and bins, and which values have a cell of their own."""
    by = f" by {column.period}" if isinstance(column, Date) and column.period else ""
    bins = "1 bin" if column.bin_count == 1 else f"{column.bin_count:,} bins"
    text = f"{column.minimum} to {column.maximum}, {bins}{by}"
    pairs = zip(column.pieces, column.titles, strict=False)
    spikes = [title.replace(" · ", " = ", 1) for piece, title in pairs if piece.spike]
    return f"{text}; a cell of their own for {' | '.join(spikes)}" if spikes else text


def _guards(column: Column, edition: Edition) -> str:
    labels = (column.name, *column.cells)
    texts = [label for label in labels if guarded(label, edition) != label]
    if isinstance(column, Binned) or not texts:
        return "none needed"
    return f"in the CSV files an apostrophe stands before: {' | '.join(texts)}"


def _sdv(column: Column) -> dict[str, str]:
    match column:
        case Boolean():
            return {"sdtype": "boolean"}
        case Date():
            return {"sdtype": "datetime", "datetime_format": column.pattern}
        case Integer():
            return {"sdtype": "numerical", "computer_representation": "Int64"}
        case Binned():
            return {"sdtype": "numerical", "computer_representation": "Float"}
    return {"sdtype": "categorical"}
