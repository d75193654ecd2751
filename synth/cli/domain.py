"""``python -m synth domain check|convert|draft|template``: declarations without the app.

``domain draft TABLE --epsilon E``: a draft with a guarantee, or its forecast.
"""

import argparse
import csv
import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from synth.cli import ledger, proposing
from synth.cli import plan as plans
from synth.cli.commands import introduce, progress, read_options, table_from
from synth.cli.outputs import check_outputs, check_paid_outputs
from synth.cli.plan import in_group
from synth.cli.saying import add_verb, print_answer, say, say_file, say_json
from synth.domain import (
    LOOKED_UP,
    OTHER_FORMATS,
    ROLES,
    Domain,
    Sheet,
    coarsening_advice,
    find_misfit,
    finish,
    load_bytes,
    load_description,
    load_schema,
    read_codebooks,
    read_field,
    sheet_in,
    template,
    to_other,
    write_schema,
)
from synth.drafting import (
    QUICK_DRAFT,
    Candidates,
    DraftRequest,
    Hopes,
    draft_lines,
    list_offers,
    offer_draft,
)
from synth.errors import ArgumentError
from synth.limits import DENSE_CELLS
from synth.privacy import DEFAULT_BUDGET, Guarantee, Neighbors, parse_budget, plain
from synth.private.table import JSON_OBJECTS, PrivateTable, list_remarks, look_through
from synth.util import Document, FileOutput, Json, Protection

# The name that stands for all columns that lose values.
ALL = "all"
# Lists that a column may have before its values are declared.
ANNOTATIONS = ("missingValues", "synth:labels")
GUARANTEED = (
    *(
        "delta",
        "neighbors",
        "person",
        "max_rows",
        "rows",
        "candidates",
        "columns",
        "forecast",
    ),
    *ledger.SPEND_OPTIONS,
)


FOR_GUARANTEE = "{} is for a draft with a guarantee: add --epsilon E."


def define(parser: argparse.ArgumentParser) -> None:
    """Add the verbs of ``synth domain`` with their options."""
    verbs = parser.add_subparsers(
        dest="verb", required=True, metavar="check|convert|draft|template"
    )
    check = add_verb(verbs, "check", "check a declaration and describe it", run=_check)
    check.add_argument("file", metavar="FILE", help="the declaration")
    summary = "convert code books of any kind to Table Schema, or to another tool's kind"
    convert = add_verb(verbs, "convert", summary, run=_convert)
    convert.add_argument(
        "files", metavar="FILE", nargs="+", help="code books, which must agree"
    )
    meaning = "the role of a sheet's column, by title or number; roles: " + ", ".join(ROLES)
    convert.add_argument(
        "--map", action="append", default=[], metavar="ROLE=COLUMN", help=meaning
    )
    convert.add_argument(
        "--part", default="", metavar="NAME", help="the resource or table to read"
    )
    convert.add_argument(
        "--to", choices=["table-schema", *OTHER_FORMATS], default="table-schema"
    )
    convert.add_argument(
        "--person",
        metavar="COLUMN",
        help="the column that identifies persons, for csvw-eo; default: each row is a person",
    )
    convert.add_argument(
        "--max-rows", metavar="N", help="the most rows of one person, for csvw-eo"
    )
    _add_draft(
        add_verb(verbs, "draft", "draft a declaration from a table's header", run=_draft)
    )
    summary = "write a code book to fill in, from a table's header"
    blank = add_verb(verbs, "template", summary, run=_template)
    read_options(blank)
    for verb in (convert, blank):
        plans.offer_options(verb, "out", metavar="FILE", help="default: standard output")
        plans.offer_options(verb, "overwrite")


def _add_draft(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``domain draft``."""
    read_options(parser)
    draft = in_group(parser, "look")
    draft.add_argument(
        "--look",
        action="store_true",
        help="fill it in from the private rows; the certificate mentions it",
    )
    for flag, metavar, meaning in (
        (
            "--date",
            "COLUMN=EXAMPLE",
            "an example of a column's dates, such as visit=31.12.2019",
        ),
        ("--missing", "SPELLING", "spellings of a missing value, other than an empty cell"),
        ("--take", "COLUMN", "a column to include that it leaves out"),
        (
            "--agree",
            "COLUMN",
            "a column to include in spite of the values that it loses, or 'all'",
        ),
    ):
        meaning = f"with --look: {meaning}"
        draft.add_argument(flag, action="append", default=[], metavar=metavar, help=meaning)
    draft.add_argument(
        "--codebook",
        metavar="FILE",
        help="with --look: a code book of any kind; the rows complete what it leaves open",
    )
    proposing.add_options(draft)
    plans.spend(parser, required=False)
    plans.offer_options(
        parser, "delta", help="in addition to epsilon: names values that enough rows have"
    )
    plans.offer_options(parser, "columns", help="the columns to be drafted")
    plans.offer_options(parser, "candidates")
    plans.offer_options(
        parser, "rows", group="forecast", help="about how many rows the table has"
    )
    plans.offer_options(
        parser, "forecast", help="only show the expected result: spends nothing"
    )
    plans.offer_options(parser, *ledger.SPEND_OPTIONS)
    plans.offer_options(parser, "out", metavar="FILE", help="default: standard output")
    plans.offer_options(parser, "overwrite")


def _check(options: argparse.Namespace) -> None:
    """Check a declaration, and print its columns, their numbers of cells, and advice."""
    document, notes = load_description(options.file)
    domain = finish(document)
    columns = {column.name: column.size for column in domain.columns}
    rules = {rule.name: rule.rule for rule in domain.derived}
    marks = {rule.name: " (taken from the rows)" for rule in domain.derived if rule.taken}
    ids = {identifier.name: identifier.rule for identifier in domain.identifiers}
    advice = "" if domain.size <= DENSE_CELLS else coarsening_advice(domain, DENSE_CELLS)
    notes = list(notes)
    for column in domain.columns:
        reason = find_misfit(column.name, column)
        if reason:
            notes.append(f"Column '{column.name}' {reason}.")
    summary: Document = {"cells": domain.size, "columns": columns}
    if rules:
        summary["derived"] = rules
    if ids:
        summary["identifiers"] = ids
    summary |= {"origin": domain.origin, "notes": notes, "advice": advice}
    lines = [f"{domain.size:,} cells in {len(columns)} columns, {domain.origin}."]
    lines += [f"  {name}: {size:,} cells" for name, size in columns.items()]
    lines += [
        f"  {name}: no cells, follows from {rule}{marks.get(name, '')}"
        for name, rule in rules.items()
    ]
    lines += [f"  {name}: no cells, IDs drawn as {rule}" for name, rule in ids.items()]
    lines += notes
    if advice:
        lines.append(advice)
    print_answer(options, summary, lines)


def _convert(options: argparse.Namespace) -> None:
    """Write code books as one declaration, of Synth or for another tool.

    Columns may lack what a domain needs; the declaration is then written as it is.
    """
    ending = ".csv" if options.to == "codebook" else ".json"
    protection = check_outputs(options, *_named_output(options, ending))
    document, notes = _load_documents(options)
    # There is no domain if a column only has a name and a type; other columns are checked.
    fields = document.get("fields")
    if isinstance(fields, list) and any(map(_is_draft, fields)):
        for place, field in enumerate(fields, 1):
            if not _is_draft(field):
                read_field(field, place)
        domain = None
    else:
        domain = finish(document)
    if domain is not None:
        document = write_schema(domain)
    if options.to != "table-schema":
        counted = _count_cells(document, domain) | _unit_of(options)
        document, lost = to_other(counted, options.to)
        notes += lost
    for note in notes:
        say(f"Note: {note}", to=sys.stderr)
    _write(options.out, document, protection)


def _unit_of(options: argparse.Namespace) -> Document:
    """Return the privacy unit as the format csvw-eo writes it; empty if none is given.

    Raises:
        ArgumentError: It is given for another format, or is incomplete.
    """
    is_unit_given = options.person is not None or options.max_rows is not None
    if is_unit_given and options.to != "csvw-eo":
        raise ArgumentError("--person and --max-rows are for --to csvw-eo.")
    if options.max_rows is not None and options.person is None:
        raise ArgumentError(
            "--max-rows is about the rows of one person: add --person COLUMN."
        )
    if not is_unit_given:
        return {}
    most_rows = 1
    if options.max_rows is not None:
        most_rows = plans.read_option(options, "max_rows")
    return {"privacyUnit": options.person, "maxContributions": most_rows}


def _load_documents(options: argparse.Namespace) -> tuple[Document, list[str]]:
    """Read the code books of the options.

    Several must agree, and become one. The columns of a single sheet may be given roles by
    ``--map ROLE=COLUMN``, where COLUMN is a title or a number.

    Returns:
        The declaration as a Table Schema, and notes on what is missing.

    Raises:
        SynthError: A code book cannot be read, or a role or a column does not exist.
    """
    if len(options.files) > 1:
        if options.map:
            raise ArgumentError("--map is for one code book; convert each by itself first.")
        books = [(Path(path).name, load_bytes(path)) for path in options.files]
        document, notes = read_codebooks(books, options.part)
        return load_schema(document)[0], notes
    (path,) = options.files
    if not options.map:
        return load_schema(path, part=options.part)
    book = Path(path).name, load_bytes(path)
    sheet = sheet_in(*book)
    # If the steward names titles, the first line of a sheet is a header although it looks
    # like a row.
    titles = {mapping.partition("=")[2] for mapping in options.map}
    titled = not sheet.has_titles and not titles.isdisjoint(sheet.rows[0])
    titled_sheet = sheet.with_titles() if titled else sheet
    roles: dict[str, int] = {}
    for mapping in options.map:
        role, _, title = mapping.partition("=")
        if role not in ROLES:
            raise ArgumentError(
                f"'{role}' is no role of a code book's column; they are {', '.join(ROLES)}."
            )
        roles[role] = _place_of_title(title, titled_sheet)
    document, notes = read_codebooks([book], roles=roles, titled=titled)
    return load_schema(document)[0], notes


def _place_of_title(title: str, sheet: Sheet) -> int:
    """Return the position of a column from 0, by its title or its number from 1.

    Raises:
        ArgumentError: The sheet has no such column.
    """
    header = sheet.header
    if title.strip() in header:
        return header.index(title.strip())
    if title.isdecimal() and 1 <= int(title) <= len(header):
        return int(title) - 1
    raise ArgumentError(
        f"The code book has no column '{title}'; it has {sheet.name_titles()}."
    )


def _template(options: argparse.Namespace) -> None:
    """Write a code book to fill in, with the names of a table's header."""
    from synth.bundle import guard_cell

    protection = check_outputs(options, *_named_output(options, ".csv"))
    table = introduce(options)
    _write_text(options.out, template(table.header, guard_cell), protection)


def _is_draft(field: Json) -> bool:
    """Return whether a column of a declaration must still be completed.

    It then has a name and at most a type, a format, a description and codes for missing
    values. The type "boolean" is complete without more.
    """
    if not isinstance(field, dict) or "name" not in field or field.get("type") == "boolean":
        return False
    texts = {key: value for key, value in field.items() if key not in ANNOTATIONS}
    return set(texts) <= {"name", "type", "format", "description"} and all(
        isinstance(value, str) for value in texts.values()
    )


def _count_cells(document: Document, domain: Domain | None) -> Document:
    """Return a declaration with each column's number of cells, None without a domain."""
    sizes = {column.name: column.size for column in domain.columns} if domain else {}
    fields = cast("list[dict[str, Json]]", document["fields"])
    counted = [
        field | {"synth:cells": sizes.get(cast("str", field["name"]))} for field in fields
    ]
    return {**document, "fields": counted}


def _draft(options: argparse.Namespace) -> None:
    """Write a draft of a declaration: with a guarantee, from a look, or of names only.

    A look reads the rows without a guarantee, so that its draft is PRIVATE until reviewed.
    """
    from synth.private.counting import profile_table, read_book

    check_draft(options)
    if options.epsilon is not None:
        draft_with_guarantee(options)
        return
    outputs = [*_named_output(options, ".json"), *proposing.list_outputs(options)]
    protection = check_outputs(options, *outputs)
    table = _introduce_named(options)
    if hint := table.hint():
        say(f"Note:{hint}", to=sys.stderr)
    if not options.look:
        for line in offer_drafts(options, table.header):
            say(f"Note: {line}", to=sys.stderr)
        _write(options.out, {"fields": [{"name": name} for name in table.header]}, protection)
        return
    look_through(table)
    draft = profile_table(
        table,
        None,
        ("", *options.missing),
        dates=_dates(options.date),
        book=read_book(table, options.codebook),
    )
    draft = draft.take_in(options.take)
    draft = draft.agree_all() if ALL in options.agree else draft.agree(options.agree)
    origin = [] if draft.is_empty else [f"The domain is {LOOKED_UP}."]
    for note in [*origin, *draft.notes, *list_remarks(table)]:
        say(f"Note: {note}", to=sys.stderr)
    taken = proposing.take_named(options, draft.open_proposals, draft.schema())
    proposing.check_rules(options, taken, protection)  # before a file is written
    _write(options.out, taken.document, protection, private=True)
    proposing.write_rules(options, taken, protection)


def _introduce_named(options: argparse.Namespace) -> PrivateTable:
    """Return the table; ``--columns`` names the columns of one without a header.

    Raises:
        ArgumentError: There are names for a table that has a header.
    """
    names: Sequence[str] = plans.read_option(options, "columns") or ()
    table = introduce(options, names)
    if names and table.form.lines != JSON_OBJECTS:
        raise ArgumentError(FOR_GUARANTEE.format("--columns"))
    return table


def check_draft(options: argparse.Namespace) -> None:
    """Refuse options of ``domain draft`` that exclude each other.

    Raises:
        ArgumentError: Two options conflict, or one needs another.
    """
    if options.epsilon is not None and options.look:
        raise ArgumentError("--look and --epsilon are two ways to draft; keep one.")
    if options.codebook is not None and not options.look:
        raise ArgumentError("--codebook is for a draft by a look: add --look.")
    proposing.refuse_without_look(options)
    if options.forecast and options.rows is None:
        raise ArgumentError("A forecast reads no rows: add --rows N, their rough number.")
    if options.epsilon is None:
        wrong = FOR_GUARANTEE
        for_guarantee_only = list(GUARANTEED)
        if not options.look:
            # Drafts are offered, for which the rough number of rows is used: `offer_drafts`.
            for_guarantee_only.remove("rows")
        # Lines of JSON have no header, so that the columns must be named: `_introduce_named`.
        for_guarantee_only.remove("columns")
        plans.refuse_given(options, for_guarantee_only, wrong)


def offer_drafts(options: argparse.Namespace, header: tuple[str, ...]) -> list[str]:
    """Return sentences on what a draft with a guarantee can describe, and how to get one.

    Args:
        options: The options of the command line, perhaps with the rough number of rows.
        header: The names of the table's columns.
    """
    unit = plans.unit_from(options)
    rows = plans.read_option(options, "rows")
    if rows is None:
        return [
            "With --rows N, the rough number of rows, Synth shows what a private draft can "
            "describe.",
            f"{QUICK_DRAFT} (--look).",
        ]
    names = [name for name in header if name != unit.person]
    draft = offer_draft(names, rows, plans.read_option(options, "neighbors"), unit=unit)
    budget = plain(parse_budget(DEFAULT_BUDGET, Neighbors.REPLACE_ONE).amount)
    private, quick = list_offers(draft, budget, len(names))
    if draft is not None:
        guarantee = draft.request.guarantee
        columns = draft.request.columns
        private += (
            f": --epsilon {float(guarantee.epsilon or 0):g} --delta "
            f"{float(guarantee.delta):g}"
        )
        if len(columns) < len(names):
            private += f" --columns '{', '.join(columns)}'"
    return [f"{private}.", f"{quick} (--look)."]


def draft_with_guarantee(options: argparse.Namespace) -> None:
    """Draft a declaration with a guarantee and write it, or only print what to expect.

    Raises:
        SynthError: The request is refused, in one sentence. Before noise is drawn nothing was
            spent.
    """
    from synth.spending import columns_to_draft, draft_domain

    ledger.choose_ledger(options)
    protection = check_paid_outputs(options, *_named_output(options, ".json"))
    columns = plans.read_option(options, "columns")
    unit = plans.unit_from(options)
    table = table_from(options, columns or ())
    request = DraftRequest(
        columns=columns_to_draft(table, columns, person=unit.person),
        guarantee=Guarantee.of(
            plans.read_option(options, "epsilon"), plans.read_option(options, "delta")
        ),
        neighbors=plans.read_option(options, "neighbors"),
        unit=unit,
        candidates=plans.read_option(options, "candidates") or Candidates(),
        dataset=plans.dataset_from(options),
    )
    if options.rows is not None:  # what a draft may find in so many rows
        for line in Hopes(request, plans.read_option(options, "rows")).lines:
            say(line, to=sys.stdout if options.forecast else sys.stderr)
    if options.forecast:
        return
    book = ledger.open_ledger(
        options, request.dataset, request.neighbors, table, costs=[request.guarantee]
    )
    drafted = draft_domain(request, table, ledger=book, progress=progress)
    for line in (*draft_lines(drafted), *ledger.recording_lines(book)):
        say(line, to=sys.stderr)
    _write(options.out, drafted.document, protection)


def _dates(texts: list[str]) -> dict[str, str]:
    """Return examples of dates by column, from texts such as "visit=31.12.2019".

    Raises:
        ArgumentError: A text lacks the name or the example.
    """
    # Names may contain an equals sign, examples may not.
    pairs = [text.rpartition("=") for text in texts]
    if not all(name and example for name, _, example in pairs):
        raise ArgumentError("Write a column and an example, such as --date visit=31.12.2019.")
    return {name: example for name, _, example in pairs}


def _named_output(options: argparse.Namespace, *endings: str) -> list[FileOutput]:
    return [] if options.out is None else [FileOutput(options.out, endings)]


def _write(
    path: str | None, document: Document, protection: Protection, *, private: bool = False
) -> None:
    """Write a declaration as JSON, or a code book's rows as CSV.

    Args:
        path: The file; None for standard output.
        document: A declaration; with the key "rows", a code book.
        protection: It refuses to replace files.
        private: Whether only this user may read the file.
    """
    from synth.bundle import guard_cell, json_bytes

    if "rows" in document:
        buffer = io.StringIO()
        rows = cast("list[list[str]]", document["rows"])
        csv.writer(buffer, lineterminator="\n").writerows(
            map(guard_cell, row) for row in rows
        )
        _write_text(path, buffer.getvalue(), protection)
    elif path is None:
        say_json(document, indent=1)
    else:
        _write_text(path, json_bytes(document).decode(), protection, private=private)


def _write_text(
    path: str | None, text: str, protection: Protection, *, private: bool = False
) -> None:
    """Write a text to a file, or to standard output without a path.

    Args:
        path: The file; None for standard output.
        text: The content.
        protection: It refuses to replace files.
        private: Whether only this user may read the file.
    """
    if path is None:
        say_file(text)
    else:
        protection.write_file(
            path, lambda part: part.write_bytes(text.encode()), private=private
        )
