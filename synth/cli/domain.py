"""``python -m synth domain check|convert|draft``: declarations without the app."""

import argparse
import csv
import io
import json
import sys
from pathlib import Path
from typing import cast

from synth.check import Document, Json
from synth.cli.commands import Commands, Print, introduce
from synth.counting.counts import look
from synth.domain.advice import unfit
from synth.domain.domain import LOOKED_UP, Domain, coarsening_advice
from synth.domain.foreign_formats import OTHER, to_other
from synth.domain.table_schema import finish, load_schema, write_schema
from synth.errors import DomainError, ReleaseError
from synth.limits import DENSE_CELLS
from synth.table.csv_options import parse_format
from synth.table.plain_copy import remarks
from synth.table.private_table import open_table


def add(commands: Commands, show: Print) -> None:
    """Add the command to the parser; ``show`` prints a summary as text or JSON."""
    summary = "check, convert or draft a declaration of columns"
    parser = commands.add_parser("domain", help=summary, description=summary)
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="check|convert|draft")
    check = verbs.add_parser("check", help="say what a declaration declares")
    check.add_argument("file", metavar="FILE")
    check.set_defaults(run=lambda options: _check(options, show))
    convert = verbs.add_parser("convert", help="to another tool's kind, or to Table Schema")
    convert.add_argument("file", metavar="FILE")
    convert.add_argument("--to", choices=["table-schema", *OTHER], default="table-schema")
    convert.add_argument("--out", metavar="FILE", help="default: standard output")
    convert.set_defaults(run=_convert)
    draft = verbs.add_parser("draft", help="a declaration to be filled in, from a table's header")
    draft.add_argument("table", metavar="TABLE")
    draft.add_argument("--format", action="append", default=[], metavar="OPTION=VALUE")
    draft.add_argument(
        "--look",
        action="store_true",
        help="fill it in from the private rows; the certificate will say so",
    )
    draft.add_argument("--out", metavar="FILE", help="default: standard output")
    draft.set_defaults(run=_draft)
    for verb in (check, convert, draft):
        verb.add_argument("--json", action="store_true", help="print one JSON object")


def _check(options: argparse.Namespace, show: Print) -> None:
    document, notes = load_schema(options.file)
    domain = finish(document)
    columns = {column.name: column.size for column in domain.columns}
    advice = "" if domain.size <= DENSE_CELLS else coarsening_advice(domain, DENSE_CELLS)
    odd = {c.name: said for c in domain.columns if (said := unfit(c.name, c))}
    notes = [*notes, *(f"Column '{name}' {said}." for name, said in odd.items())]
    summary: Document = {
        "cells": domain.size,
        "columns": columns,
        "origin": domain.origin,
        "notes": notes,
    }
    lines = [f"{domain.size:,} cells in {len(columns)} columns, {domain.origin}."]
    lines += [f"  {name}: {size:,} cells" for name, size in columns.items()]
    show(
        options,
        {**summary, "notes": notes, "advice": advice},
        [*lines, *notes, *([advice] if advice else [])],
    )


def _convert(options: argparse.Namespace) -> None:
    document, notes = load_schema(options.file)
    domain = _finished(document)
    if domain is not None:
        document = write_schema(domain)
    if options.to != "table-schema":
        document, lost = to_other(_counted(document, domain), options.to)
        notes += lost
    for note in notes:
        print(f"Note: {note}", file=sys.stderr)
    _write(options.out, document)


def _finished(document: Document) -> Domain | None:
    """The domain of a Table Schema; None where it is a draft of names and types.

    Raises:
        DomainError: It is neither.
    """
    try:
        return finish(document)
    except DomainError:
        if not _is_draft(document):
            raise
    return None


def _is_draft(document: Document) -> bool:
    fields = document.get("fields")
    return isinstance(fields, list) and all(
        isinstance(field, dict)
        and set(field) <= {"name", "type", "format", "description"}
        and all(isinstance(value, str) for value in field.values())
        and {"name", "type"} <= set(field)
        for field in fields
    )


def _counted(document: Document, domain: Domain | None) -> Document:
    """The schema with the number of cells of each column, where they can be counted."""
    sizes = {column.name: column.size for column in domain.columns} if domain else {}
    fields = cast("list[dict[str, Json]]", document["fields"])
    counted = [f | {"synth:cells": sizes.get(cast("str", f["name"]))} for f in fields]
    return {**document, "fields": counted}


def _draft(options: argparse.Namespace) -> None:
    table = open_table(options.table, parse_format(options.format))
    introduce(table, options)
    if hint := table.hint():
        print(f"Note:{hint}", file=sys.stderr)
    if not options.look:
        _write(options.out, {"fields": [{"name": name} for name in table.header]})
        return
    fields, notes = look(table)
    for note in [f"The domain is {LOOKED_UP}.", *notes, *remarks(table)]:
        print(f"Note: {note}", file=sys.stderr)
    _write(options.out, {"fields": fields, "missingValues": [""], "synth:origin": LOOKED_UP})


def _write(path: str | None, document: Document) -> None:
    if "rows" in document:
        buffer = io.StringIO()
        csv.writer(buffer, lineterminator="\n").writerows(cast("list[list[str]]", document["rows"]))
        text = buffer.getvalue()
    else:
        text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    if path is None:
        print(text, end="")
        return
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError:
        message = f"The file '{path}' cannot be written."
        raise ReleaseError(message) from None
