"""``dummy DOMAIN --rows N``: a table from the declaration only, for writing code."""

import argparse
from typing import TYPE_CHECKING

from synth.bundle import BUNDLED_TABLES, FORMATS, formats_named
from synth.cli.outputs import check_outputs
from synth.cli.plan import offer_options, read_domain
from synth.cli.saying import print_answer, set_run
from synth.errors import ArgumentError
from synth.util import Document, FileOutput, Protection

if TYPE_CHECKING:
    from synth.bundle import DrawnRows
    from synth.rows import Shares


def define(parser: argparse.ArgumentParser) -> None:
    set_run(parser, _run)
    parser.add_argument("domain", metavar="DOMAIN", help="the declaration, or a code book")
    add_options(parser, "dummy.zip")


def add_options(parser: argparse.ArgumentParser, out: str) -> None:
    parser.add_argument("--rows", required=True, metavar="N", help="how many rows")
    parser.add_argument(
        "--shares",
        action="append",
        default=[],
        metavar="TEXT",
        help="'COLUMN: CELL=SHARE, CELL=SHARE', or a JSON file of columns, cells and shares",
    )
    others = ", ".join(name for name in FORMATS if name not in BUNDLED_TABLES)
    parser.add_argument("--format", default="", metavar="F,F", help=f"besides CSV: {others}")
    parser.add_argument("--out", "-o", default=out, metavar="ZIP", help=f"default: {out}")
    offer_options(parser, "overwrite")


def rows_from(text: str) -> int:
    """Return the typed number of rows.

    Raises:
        ArgumentError: The text is not such a number.
    """
    if not text.isdecimal() or not int(text):
        raise ArgumentError("--rows must be a whole number from 1 up.")
    return int(text)


def shares_from(texts: list[str]) -> "Shares":
    """Return the given shares, from texts or files.

    Raises:
        ArgumentError: A text has no shares.
    """
    from synth.rows import load_shares, parse_shares

    files = [text for text in texts if text.lower().endswith(".json")]
    found = parse_shares(text for text in texts if text not in files)
    for path in files:
        more = load_shares(path)
        if twice := more.keys() & found.keys():
            raise ArgumentError(f"Shares of the column '{min(twice)}' are given twice.")
        found |= more
    return found


def check_drawn(options: argparse.Namespace, *inputs: str) -> Protection:
    """Refuse an output that cannot be written; rows are drawn anew each time, so none may
    stay.
    """
    read = [*inputs, *(text for text in options.shares if text.lower().endswith(".json"))]
    zipped = FileOutput(options.out, (".zip",))
    return check_outputs(options, zipped, inputs=read, is_same_again=False)


def write_drawn(
    options: argparse.Namespace, made: "DrawnRows", protection: Protection
) -> None:
    formats = formats_named(options.format) if options.format else ()
    path = made.write_archive(options.out, formats, protection)
    summary: Document = {"file": str(path), "rows": made.certificate.rows, "epsilon": 0}
    first = f"{made.certificate.rows:,} rows, nothing spent: {path}"
    print_answer(options, summary, [first, *made.certificate.caveats])


def _run(options: argparse.Namespace) -> None:
    from synth.api.drawing import dummy

    protection = check_drawn(options)
    rows, shares = rows_from(options.rows), shares_from(options.shares)
    write_drawn(options, dummy(read_domain(options), rows, shares).drawn, protection)
