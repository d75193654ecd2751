"""Shared parts of commands: reading a table, and remarks for the steward alone."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from synth.cli.plan import in_group
from synth.cli.saying import ask_line, say
from synth.errors import ArgumentError, name_some
from synth.private.counting import ENGINES, Engine, open_source
from synth.private.table import (
    PrivateTable,
    breaks_in,
    list_remarks,
    look_at_irregular,
    name_delimiter,
    parse_format,
)
from synth.util import Watch

if TYPE_CHECKING:
    from synth.plans import Plan

# Most columns that a sentence names.
NAMED_COLUMNS = 20


def read_options(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """Add the argument TABLE and the options of reading it.

    Args:
        parser: The parser of the command.
        required: Whether the command cannot do without a table.
    """
    parser.set_defaults(
        engine=Engine.DUCKDB.value, master=""
    )  # of a command that offers no other
    table = in_group(parser, "table")
    table.add_argument(
        "table",
        nargs=None if required else "?",
        metavar="TABLE",
        help="the confidential table",
    )
    table.add_argument(
        "--read",
        action="append",
        default=[],
        metavar="OPTION=VALUE",
        help="how to read the file: delimiter, encoding, header (its line; 0 for none), "
        "below (rows below it that hold no record), columns (their number, without one), "
        "lines (one: each line is a row; span: quoted cells may hold line breaks), line_end "
        "(lf or cr), comment, decimal, thousands, sheet, ragged (leave_out or fill). Repeat "
        "it for several",
    )


def count_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of the engine that counts rows."""
    engine = in_group(parser, "engine")
    engine.add_argument(
        "--engine",
        choices=[*map(str, ENGINES)],
        help="engine that counts rows: duckdb (default) or spark; with spark, TABLE may be "
        "spark:database.table",
    )
    engine.add_argument("--master", metavar="URL", help="the cluster of the engine spark")


def table_from(options: argparse.Namespace, names: Sequence[str] = ()) -> PrivateTable:
    """Return the confidential table, after a look at how its lines break into rows.

    Changes to its names and problems of its rows go to stderr. If quoted cells may hold line
    breaks, a person at a terminal chooses, and the choice is added to ``options.read``.

    Args:
        options: The options of the command line.
        names: The needed declared columns, for a table without names.
    """
    table = introduce(options, names)
    with Watch().watch():
        look_at_irregular(table)
    if breaks_in(table) and not any(option.startswith("lines=") for option in options.read):
        chosen = _ask_for_lines(table)
        if chosen:
            options.read = [*options.read, f"lines={chosen}"]
            # The question itself was the first remark, which is not to be printed again.
            options.said = set(list_remarks(table)[:1])
        if chosen == "span":
            return table_from(options, names)
    tell(table, options)
    return table


def _ask_for_lines(table: PrivateTable) -> str:
    """Ask on a terminal whether rows may span lines: "span" if so, else "one".

    A script is not asked: the result is then empty, and the command goes on.

    Raises:
        ArgumentError: The input ends without an answer.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return ""
    say(
        f"Private, for you alone: {breaks_in(table)}",
        "  1  Cells may hold line breaks (--read lines=span)",
        "  2  Every line is a row (--read lines=one)",
        to=sys.stderr,
    )
    answer = ""
    while answer not in ("1", "2"):
        if not (line := ask_line("1 or 2? ")):  # the end of the input
            raise ArgumentError(
                "Nothing was spent: say --read lines=span or --read lines=one."
            )
        answer = line.strip()
    return "span" if answer == "1" else "one"


def introduce(options: argparse.Namespace, names: Sequence[str] = ()) -> PrivateTable:
    """Return the confidential table, of which only the header was read.

    Changes to its names and a delimiter that was found go to stderr.

    Args:
        options: The options of the command line; a found delimiter is added to ``read``.
        names: The needed declared columns, for a table without names.

    Raises:
        ArgumentError: The first line has one name, or several with other delimiters, and no
            option chooses.
    """
    form = replace(parse_format(options.read), names=tuple(filter(None, names)))
    table = open_source(options.table, form, options.engine, master=options.master)
    is_delimiter_given = any(option.startswith("delimiter=") for option in options.read)
    sure = table.sure_form()
    if not is_delimiter_given and sure != table.form:
        options.read = list(sure.options)
        mark = name_delimiter(sure.delimiter)
        note = f"Note: Synth reads '{table.path.name}' with {mark} between the cells"
        if sure.header == table.form.header:
            note += "; --read delimiter=, reads it as one column."
        else:
            note += ", as its first line says; the column names are on the next line."
        say(note, to=sys.stderr)
        return introduce(options, names)
    for note in table.notes:
        say(f"Note: {note}", to=sys.stderr)
    # Several delimiters could be meant: the one with most columns first, one column last.
    if not is_delimiter_given and len(cuts := table.cuts()) > 1:
        widest_cut = cuts[0]
        single_cut = cuts[-1]
        mark = {"\t": "tab", " ": "space"}.get(widest_cut.delimiter, widest_cut.delimiter)
        raise ArgumentError(
            f"'{table.path.name}' has one column with commas between the cells, and "
            f"{len(widest_cut.names):,} with another mark; choose --read "
            f"'delimiter={mark}', or --read delimiter={single_cut.delimiter} if it is one "
            "column."
        )
    return table


def tell(table: PrivateTable, options: argparse.Namespace) -> None:
    """Print problems of the rows to stderr, each sentence once."""
    printed = vars(options).setdefault("said", set())
    for remark in list_remarks(table):
        if remark not in printed:
            printed.add(remark)
            say(f"Private, for you alone: {remark}", to=sys.stderr)


def tell_undeclared(table: PrivateTable, plan: "Plan") -> None:
    """Print to stderr which columns of the table no declaration names.

    The steward alone sees their names: they reach no file.

    Args:
        table: The confidential table.
        plan: The plan of a release.
    """
    domain = plan.domain
    known_names = {*domain.written, *domain.decisions.left_out, plan.unit.person}
    names = [f"'{name}'" for name in table.header if name and name not in known_names]
    if names:
        say(
            "Private, for you alone: the declaration does not name these columns of the "
            f"table, so nothing of them is released: {name_some(names, NAMED_COLUMNS)}.",
            to=sys.stderr,
        )


def progress(stage: str) -> None:
    """Name a stage on the terminal; a pipe stays silent."""
    if sys.stderr.isatty():
        say(f"{stage} ...", to=sys.stderr)
