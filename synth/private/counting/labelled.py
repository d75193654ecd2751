"""Columns that a code book describes in part, completed by a look at their values. PRIVATE.

Labels annotate values. Only if all values of a column have a label, they are its list.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from synth import limits
from synth.domain import (
    MAX_REASONS,
    constraints,
    has_labels,
    is_number,
    load_schema,
    read_codebooks,
)
from synth.drafting import DraftColumn
from synth.errors import LimitError, name_some
from synth.private.counting.profiles import Profile
from synth.private.table import PrivateTable
from synth.util import Document, Json

# Entries of a code book about a column, other than its kind and values.
ANNOTATIONS = ("description", "missingValues", "synth:labels")
# Most codes that a sentence names.
NAMED_CODES = 5
NUMBERS = ("integer", "number")
TIMES = ("date", "datetime", "time", "duration")
_DIGIT = re.compile("[0-9]")
WHOLE = re.compile(r"-?[0-9]{1,15}")
DECIMAL = re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?")


def read_labels_of(table: PrivateTable) -> dict[str, Document]:
    """Return the labels of a table's own file for its columns, by name.

    The values are fields of a Table Schema. The result is empty if the file has no labels, as
    a CSV file has none, or more than a declaration can have. No row is read.

    Raises:
        DomainError: The file is damaged.
    """
    path = table.path
    if not has_labels(path) or not path.is_file():
        return {}
    try:
        document, _ = read_codebooks([(path.name, path)])
    except LimitError:
        return {}
    return {str(field["name"]): field for field in document["fields"]}


def note_unread_labels(table: PrivateTable, book: Mapping[str, Document]) -> tuple[str, ...]:
    """Return a sentence if the labels of a table's file were too many to be read.

    Args:
        table: The confidential rows; none is read.
        book: The descriptions of its columns, by name.
    """
    if book or not has_labels(table.path) or not table.path.is_file():
        return ()
    return (
        "The labels of the file are not taken, as they are more than a description can have.",
    )


def read_book(table: PrivateTable, codebook: str | Path | None = None) -> dict[str, Document]:
    """Return the descriptions of a table's columns before any row is read, by name.

    The values are fields of a Table Schema: of a code book, and for other columns the labels
    of the table's own file.

    Args:
        table: The confidential rows; none is read.
        codebook: The path of a code book of any kind; None for none.

    Raises:
        DomainError: The code book is of no known kind, or the table's file is damaged.
        LimitError: The code book describes more than a declaration can have.
    """
    fields = read_labels_of(table)
    if codebook is None:
        return fields
    document, _ = load_schema(codebook)
    shared_missing = document.get("missingValues", [""])
    for entry in _list_under(document, "fields"):
        if isinstance(entry, Mapping) and "name" in entry:
            # Codes of the whole book count in its columns only.
            spellings = {} if shared_missing == [""] else {"missingValues": shared_missing}
            fields[str(entry["name"])] = {**spellings, **entry}
    return fields


def list_own_missing(
    fields: Mapping[str, Document], typed: Sequence[str] = ()
) -> dict[str, list[str]]:
    """Return the spellings of a missing value in columns with some of their own, by name.

    Args:
        fields: The fields of a code book by name.
        typed: Spellings that count in every column.
    """
    spellings: dict[str, list[str]] = {}
    for name, field in fields.items():
        if "missingValues" in field:
            codes = map(_value_of, _list_under(field, "missingValues"))
            spellings[name] = list(dict.fromkeys((*codes, *typed)))
    return spellings


def settle_labelled(
    column: DraftColumn,
    profile: Profile,
    field: Document | None,
    *,
    typed: Sequence[str] = (),
) -> DraftColumn:
    """Return a drafted column with the description of a code book.

    What a code book declares in full stays so. Otherwise, if all values of the column have a
    label, the labelled values are its list. If not, the draft gets the labels.

    Args:
        column: The draft by the rows alone.
        profile: The statistics of the column, in which its codes for missing values are none
            of its values.
        field: The column's field in the code book; None if the code book does not have it.
        typed: Spellings of a missing value that count in every column.
    """
    if field is None:
        return _add_typed(column, typed)
    declared = DraftColumn(field=field, reason="is described by its code book")
    if not declared.is_open and not field.get("synth:open_list"):
        return declared
    annotations = _annotations(field, (*typed, *column.missing))
    labels = _list_labels(field)
    has_few_values = bool(labels) and profile.filled_rows < limits.LISTED_ROWS
    if profile.has_few_rows or has_few_values:
        # Nothing is taken from the rows: the column stays as the code book has it.
        return replace(column, field={**field, **annotations}, left_out=False)
    texts = {text.strip() for text, _ in profile.common} - {*column.missing}
    # Labelled codes for missing values are no values of the profile, and make no list alone.
    if labels and texts and profile.is_listed and texts <= labels.keys():
        return _list_all(column, profile, field, annotations=annotations)
    if column.left_out or "type" not in column.field:
        return replace(column, field={**annotations, **column.field})
    return _annotate(column, labels, annotations)


def _add_typed(column: DraftColumn, typed: Sequence[str]) -> DraftColumn:
    """Return a drafted column whose own list of missing values holds the typed ones, too."""
    own_texts = _list_under(column.field, "missingValues")
    if not own_texts:
        return column
    added = [text for text in typed if text not in own_texts]
    return replace(column, field={**column.field, "missingValues": [*own_texts, *added]})


def add_missing_kinds(
    fields: Mapping[str, Document], table: PrivateTable, names: Collection[str]
) -> dict[str, Document]:
    """Return fields with the missing values of a file that say why one is missing.

    Those with a label are there already. Others, such as ``.a`` of Stata without a label, are
    counted; PRIVATE. A kind of too few rows is not proposed.

    Args:
        fields: The fields of a code book, or of the file's own labels, by name.
        table: The confidential rows.
        names: The columns of the draft.
    """
    described = dict(fields)
    for name, rows_by_kind in _count_missing_kinds(table, names).items():
        field = described.get(name, {"name": name})
        entries = _list_under(field, "missingValues") or [""]
        known = {*map(_value_of, entries)}
        added: list[Json] = [
            {"value": kind, "label": f"missing value {kind}"}
            for kind, rows in sorted(rows_by_kind.items())
            if rows >= limits.LISTED_ROWS and kind not in known
        ]
        if added:
            described[name] = {**field, "missingValues": [*entries, *added]}
    return described


def _count_missing_kinds(
    table: PrivateTable, names: Collection[str]
) -> dict[str, Counter[str]]:
    """Return the rows of each of the file's missing values that say why, by column. PRIVATE.

    Args:
        table: A copy in Parquet of a file that has such values; others have none.
        names: The columns.
    """
    if not table.missing_kinds:
        return {}
    import pyarrow as pa
    from pyarrow import compute, parquet

    kinds = pa.array(table.missing_kinds)
    rows_by_name: dict[str, Counter[str]] = {}
    with parquet.ParquetFile(table.data) as file:
        for batch in file.iter_batches():
            for name, cells in zip(table.header, batch.columns, strict=True):
                if name not in names:
                    continue
                found = cells.filter(compute.is_in(cells, kinds))
                for entry in found.value_counts().to_pylist():
                    rows = rows_by_name.setdefault(name, Counter())
                    rows[entry["values"]] += entry["counts"]
    return rows_by_name


def _annotations(field: Document, spellings: Sequence[str]) -> Document:
    """Return the entries of a code book about a column, other than its kind and values.

    A list of missing values replaces that of all columns, so it gets their spellings too.

    Args:
        field: The field of the code book.
        spellings: Other spellings of a missing value in this column.
    """
    annotations = {key: field[key] for key in ANNOTATIONS if key in field}
    if "missingValues" in field:
        entries = _list_under(field, "missingValues")
        codes = [*map(_value_of, entries)]
        added = [text for text in dict.fromkeys(spellings) if text not in codes]
        annotations["missingValues"] = [*entries, *added]
    return annotations


def _list_all(
    column: DraftColumn, profile: Profile, field: Document, *, annotations: Document
) -> DraftColumn:
    """Return a column that lists all labelled values, as each value of the rows has a label.

    Args:
        column: The draft by the rows alone.
        profile: The statistics of the column.
        field: The column's field in the code book.
        annotations: The column's description and codes for missing values.
    """
    labels = _list_labels(field)
    has_missing = profile.filled_rows < profile.rows or "missingValues" in annotations
    categories = labels | _list_reasons(field)
    list_field: Document = {
        "name": column.name,
        "type": "string",
        "constraints": {"enum": [*categories], "required": not has_missing},
        "categories": _label_values(categories),
    }
    if field.get("categoriesOrdered"):
        list_field["categoriesOrdered"] = True
    list_field |= {key: value for key, value in annotations.items() if key != "synth:labels"}
    reason = f"lists {len(labels)} values, and each value of the rows has a label"
    return DraftColumn(
        field=list_field, reason=reason, left_out=False, missing=column.missing
    )


def _annotate(
    column: DraftColumn, labels: Mapping[str, str], annotations: Document
) -> DraftColumn:
    """Return a drafted list or range with the labels of its values.

    Args:
        column: The draft by the rows alone, with its kind.
        labels: The labels by value; some values of the rows have none.
        annotations: The column's description and codes for missing values.
    """
    field: Document = {**column.field, **annotations}
    field.pop("synth:labels", None)
    reasons = _list_reasons(field)
    limiting = dict(constraints(column.field))
    values = limiting.get("enum")
    if isinstance(values, list):
        # Labelled values are public with their code book, so all of them are listed.
        codes = list(dict.fromkeys([*map(str, values), *labels]))
        if all(map(DECIMAL.fullmatch, codes)):
            codes.sort(key=float)
        categories = {code: labels.get(code, "") for code in codes} | reasons
        field["constraints"] = {**limiting, "enum": [*categories]}
        if any(categories.values()):
            field["categories"] = _label_values(categories)
    elif field["type"] in NUMBERS:
        _annotate_numbers(field, labels, reasons)
    elif field["type"] in TIMES:
        # A text without digits is surely no date or time.
        sure_reasons = {code: reasons[code] for code in reasons if not _DIGIT.search(code)}
        if signs := _list_signs(field, sure_reasons):
            field["synth:signs"] = _label_values(signs)
    if not labels:
        return replace(column, field=field)
    labelled_codes = name_some([*labels], NAMED_CODES)
    reason = f"{column.reason}; {labelled_codes} have labels, and other values have none"
    return replace(column, field=field, reason=reason)


def _annotate_numbers(
    field: Document, labels: Mapping[str, str], reasons: Mapping[str, str]
) -> None:
    """Give a field of numbers its labels, and a cell to each reason for a missing value.

    Args:
        field: The field, which is changed.
        labels: The labels by value; some values of the rows have none.
        reasons: Codes and texts that say why a value is missing, with their labels.
    """
    spikes = [*map(str, _list_under(field, "synth:spikes"))]
    spike_labels = {code: labels.get(code, "") for code in spikes}
    spike_labels |= _list_codes_outside(field, reasons)
    if spike_labels:
        field["synth:spikes"] = _label_values(spike_labels)
    signs = _list_signs(field, reasons)
    if signs:
        field["synth:signs"] = _label_values(signs)
    numbers = {
        code: label
        for code, label in labels.items()
        if code not in spikes and _fits(code, str(field["type"]))
    }
    if numbers:
        field["synth:labels"] = _label_values(numbers)


def _list_codes_outside(field: Document, codes: Mapping[str, str]) -> dict[str, str]:
    """Return codes for missing values outside the bounds of a field, with their labels.

    Outside the bounds such a code has a cell of its own.

    Args:
        field: The field of a column of numbers.
        codes: Codes with their labels.
    """
    limiting = constraints(field)
    low, high = float(str(limiting["minimum"])), float(str(limiting["maximum"]))
    return {
        code: label
        for code, label in codes.items()
        if _fits(code, str(field["type"])) and not low <= float(code) <= high
    }


def _list_signs(field: Document, codes: Mapping[str, str]) -> dict[str, str]:
    """Return the signs of a field of numbers with their labels, if they have some.

    Its texts for missing values with a label, such as ``.a`` of Stata, are among them.

    Args:
        field: The field of a column of numbers.
        codes: Codes for missing values with their labels.
    """
    texts = {
        code: label
        for code, label in codes.items()
        if not is_number(code) and len(code) <= limits.SIGN_LENGTH
    }
    entries = _list_under(field, "synth:signs")
    drafted = dict.fromkeys(map(_value_of, entries), "") | _labels_of(entries)
    return drafted | texts


def _fits(code: str, kind: str) -> bool:
    """Return whether a code is a number of a kind of column, ``integer`` or ``number``."""
    return bool((WHOLE if kind == "integer" else DECIMAL).fullmatch(code))


def _list_labels(field: Document) -> dict[str, str]:
    """Return the labels of values in a field, of its list or of its numbers.

    Labels of codes for missing values are not among them.
    """
    entries = [*_list_under(field, "categories"), *_list_under(field, "synth:labels")]
    missing = [*map(_value_of, _list_under(field, "missingValues"))]
    labels = _labels_of(entries)
    return {value: label for value, label in labels.items() if value not in missing}


def _list_reasons(field: Document) -> dict[str, str]:
    """Return the labelled codes for missing values in a field, which say why one is missing.

    There are none if they are more than `MAX_REASONS`.
    """
    reasons = _labels_of(_list_under(field, "missingValues"))
    return reasons if len(reasons) <= MAX_REASONS else {}


def _labels_of(entries: Sequence[Any]) -> dict[str, str]:
    """Return labels by value, of entries that are texts or objects with value and label."""
    return {
        _value_of(entry): str(entry["label"])
        for entry in entries
        if isinstance(entry, Mapping) and entry.get("label")
    }


def _label_values(labels: Mapping[str, str]) -> list[Json]:
    """Return values as a field lists them: with a label as an object, else as a text."""
    return [
        {"value": code, "label": label} if label else code for code, label in labels.items()
    ]


def _list_under(field: Document, key: str) -> list[Any]:
    entries = field.get(key)
    return entries if isinstance(entries, list) else []


def _value_of(entry: Any) -> str:
    return str(entry.get("value") if isinstance(entry, Mapping) else entry)
