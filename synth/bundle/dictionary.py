"""The domain as a data dictionary. PUBLIC."""

import csv
import io
from collections.abc import Iterable, Sequence

from synth.bundle.guard import guard_cell
from synth.domain import Column, Derived, Domain, Outside

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
    """Return the data dictionary as the text of a CSV file, a row for each written column.

    Its columns are `HEADER`. The rows also describe columns that follow from others by a
    rule, and ID columns.
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(HEADER)
    rules = {column.name: column for column in domain.derived}
    identifiers = {column.name: column for column in domain.identifiers}
    for column in domain.written_columns:
        marker = f"written as '{domain.marker_of(column)}'"
        if column.name in rules:
            row = _describe_derived(rules[column.name], marker)
        elif column.name in identifiers:
            available = identifiers[column.name].available
            row = _describe_identifier(column, marker, available=available)
        else:
            row = _describe_column(column, marker)
        writer.writerow(map(guard_cell, row))
    return file.getvalue()


def _describe_column(column: Column, marker: str) -> tuple[str, ...]:
    """Return the row of a column with cells: a text for each column of `HEADER`.

    Args:
        column: The declared column.
        marker: How missing values are written, in words.
    """
    return (
        column.name,
        column.kind,
        column.in_words,
        str(column.size),
        _describe_missing(column, marker),
        f"values outside {OUTSIDE[column.rule]}",
        _describe_guards(column.name, _written_texts(column)),
        column.description,
    )


def _describe_missing(column: Column, marker: str) -> str:
    """Return in words how missing values of a column are read and written.

    Args:
        column: The declared column.
        marker: How missing values are written, in words.
    """
    words = [marker if column.missing else "none"]
    spellings = [text for text in column.missing_values or () if text not in column.reasons]
    if column.missing and any(spellings):
        listing = list_spellings(column, spellings)
        words.append(f"in this column of the table also: {listing}")
    if column.reasons:
        listing = list_spellings(column, column.reasons)
        words.append(f"with a cell of their own: {listing}")
    return "; ".join(words)


def list_spellings(column: Column, spellings: Iterable[str]) -> str:
    """Return codes for missing values of a column in words, with their labels.

    The empty cell is not among them.

    Args:
        column: The declared column.
        spellings: Some of its spellings of a missing value.

    >>> from synth import Domain, Integer
    >>> domain = Domain(hours=Integer(0, 99, missing={"98": "refused", "99": ""}))
    >>> list_spellings(domain["hours"], ["", "98", "99"])
    '98 = refused, 99'
    """
    labels = column.missing_meanings
    return ", ".join(
        f"{text} = {labels[text]}" if text in labels else text for text in spellings if text
    )


def _describe_identifier(column: Column, marker: str, *, available: int) -> tuple[str, ...]:
    """Return the row of a column of unique IDs: a text for each column of `HEADER`.

    Args:
        column: The declared column.
        marker: How missing values are written, in words.
        available: The number of different IDs that the pattern gives.
    """
    missing = "none"
    if column.missing:
        missing = f"rows beyond {available:,} have none, {marker}"
    return (
        column.name,
        "identifier",
        column.in_words,
        "none",
        missing,
        "never read",
        _describe_guards(column.name, ()),
        column.description,
    )


def _describe_derived(rule: Derived, marker: str) -> tuple[str, ...]:
    """Return the row of a column that follows from others: a text for each of `HEADER`.

    Args:
        rule: The column and its rule.
        marker: How missing values are written, in words.
    """
    expected = rule.expected  # the possible values that follow from the rule
    values = " | ".join(rule.column.labels)
    if expected.kind == "number":
        values = f"from {expected.low:.12g} to {expected.high:.12g}"
    return (
        rule.name,
        "derived",
        values,
        "none",
        f"{marker} if it cannot be computed",
        f"follows from: {rule.rule}",
        _describe_guards(rule.column.name, _written_texts(rule.column)),
        rule.description,
    )


def _written_texts(column: Column) -> tuple[str, ...]:
    """Return the texts that a column may have in the files.

    Numbers and dates are written without a guard, so of such a column only signs are texts.
    """
    return tuple(column.cells) if column.declared_texts else column.signs


def _describe_guards(name: str, texts: Sequence[str]) -> str:
    """Return in words which texts of a column an apostrophe precedes in the CSV files.

    It keeps spreadsheets from running them as formulas.

    Args:
        name: The name of the column.
        texts: The texts that it may have.
    """
    guarded = [text for text in (name, *texts) if guard_cell(text) != text]
    if not guarded:
        return "none needed"
    return f"in the CSV files, an apostrophe precedes: {' | '.join(guarded)}"
