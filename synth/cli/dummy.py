"""``dummy DOMAIN --rows N``: a table from the declaration only, for writing code."""

import argparse
from typing import TYPE_CHECKING

from synth import limits
from synth.bundle import BUNDLED_TABLES, FORMATS, formats_named
from synth.cli.outputs import check_outputs
from synth.cli.plan import offer_options, read_domain
from synth.cli.saying import print_answer, set_run
from synth.errors import ArgumentError
from synth.privacy import parse_whole
from synth.util import Document, FileOutput, Protection

if TYPE_CHECKING:
    from synth.bundle import DrawnRows
    from synth.rows import Shares


def define(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``synth dummy``, and the function that runs."""
    set_run(parser, _run)
    parser.add_argument("domain", metavar="DOMAIN", help="the declaration, or a code book")
    add_options(parser, "dummy.zip")


def add_options(parser: argparse.ArgumentParser, out: str) -> None:
    """Add the options of drawing rows, which several commands share.

    Args:
        parser: The parser of the command.
        out: The file that is written without ``--out``.
    """
    parser.add_argument("--rows", required=True, metavar="N", help="how many rows")
    parser.add_argument(
        "--shares",
        action="append",
        default=[],
        metavar="TEXT",
        help="'COLUMN: CELL=SHARE, CELL=SHARE', or a JSON file of columns, cells and shares",
    )
    others = ", ".join(name for name in FORMATS if name not in BUNDLED_TABLES)
    parser.add_argument("--formats", default="", metavar="F,F", help=f"besides CSV: {others}")
    offer_options(
        parser, "out", default=out, metavar="FILE.zip", help=f"the bundle (default: {out})"
    )
    offer_options(parser, "overwrite")


def rows_from(text: str) -> int:
    """Return the typed number of rows.

    Raises:
        ArgumentError: The text is not such a number.
    """
    return parse_whole(text, name="--rows", most=limits.ROWS_MAX)


def shares_from(texts: list[str]) -> "Shares":
    """Return the wanted shares of cells by column, from texts or JSON files.

    Args:
        texts: Such as "sex: f=0.7", or the path of a file that ends with .json.

    Raises:
        ArgumentError: A text has no shares, or a column has them twice.
    """
    from synth.rows import load_shares, parse_shares

    files = [text for text in texts if text.lower().endswith(".json")]
    shares = parse_shares(text for text in texts if text not in files)
    for path in files:
        file_shares = load_shares(path)
        repeated = file_shares.keys() & shares.keys()
        if repeated:
            raise ArgumentError(f"Shares of the column '{min(repeated)}' are given twice.")
        shares |= file_shares
    return shares


def check_drawn(options: argparse.Namespace, *inputs: str) -> Protection:
    """Refuse an output that cannot be written, or that is there already.

    Rows are drawn anew each time, so no file that is there can hold the same ones.

    Args:
        options: The options of the command line.
        inputs: Files that are read, and so are never replaced.

    Returns:
        The protection to write the output with.
    """
    input_files = [
        *inputs,
        *(text for text in options.shares if text.lower().endswith(".json")),
    ]
    zipped = FileOutput(options.out, (".zip",))
    return check_outputs(options, zipped, inputs=input_files, is_same_again=False)


def write_drawn(
    options: argparse.Namespace, drawn_rows: "DrawnRows", protection: Protection
) -> None:
    """Write drawn rows as a zip, and print its path and what a user must know.

    Args:
        options: The options of the command line.
        drawn_rows: The rows with their certificate.
        protection: It refuses to replace files.
    """
    formats = formats_named(options.formats) if options.formats else ()
    path = drawn_rows.write_archive(options.out, formats, protection)
    summary: Document = {"file": str(path), "rows": drawn_rows.certificate.rows, "epsilon": 0}
    first = f"{drawn_rows.certificate.rows:,} rows, nothing spent: {path}"
    print_answer(options, summary, [first, *drawn_rows.certificate.caveats])


def _run(options: argparse.Namespace) -> None:
    """Draw rows from a declaration alone, write them, and print their path."""
    from synth.api.drawing import dummy

    protection = check_drawn(options)
    rows = rows_from(options.rows)
    shares = shares_from(options.shares)
    table = dummy(read_domain(options), rows, shares)
    write_drawn(options, table.drawn, protection)
