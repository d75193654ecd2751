"""``python -m synth verify BUNDLE``: check a bundle or answers, with or without the ledger."""

import argparse
import json
from typing import TYPE_CHECKING

from synth.errors import ArgumentError
from synth.ledger.ledger import Ledger

if TYPE_CHECKING:
    from synth.verification import Verified


def define(parser: argparse.ArgumentParser) -> None:
    """Add the command's options to its parser."""
    parser.add_argument(
        "bundle", metavar="BUNDLE", help="the zip file, or the folder of answers or parts"
    )
    parser.add_argument("--ledger", metavar="FILE", help="the ledger it should be recorded in")
    parser.add_argument(
        "--file",
        action="append",
        default=[],
        metavar="FILE",
        help="a file that `export` made of it, to be checked too; may be given several times",
    )
    parser.add_argument("--public", metavar="FILE", help="the public table that was the guess")
    parser.add_argument(
        "--redraw",
        action="store_true",
        help="draw the rows of a model again, too; takes as long as the release did",
    )
    parser.add_argument(
        "--engine",
        choices=("duckdb", "spark"),
        default="duckdb",
        help="with --redraw: draw rows in parts again in this process (default), or on Spark",
    )
    parser.add_argument("--master", default="", metavar="URL", help="the cluster of Spark")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=_verify)


def _verify(options: argparse.Namespace) -> None:
    from synth.counting.counts import Engine
    from synth.models.large_rows import here
    from synth.pipeline import place_of
    from synth.public_file import public_reader
    from synth.verification import verify  # its charts take a second that other commands do without

    ledger = None if options.ledger is None else Ledger(options.ledger, readonly=True)
    public = public_reader(options.public)
    place = place_of(Engine(options.engine), options.master) if options.redraw else here
    checked = verify(options.bundle, ledger, public, redraw=options.redraw, place=place)
    checks = [*checked.checks, *(_file(checked, path) for path in options.file)]
    if options.json:
        print(json.dumps({"valid": True, "checks": checks}))
    else:
        print("\n".join(("The bundle holds what it claims.", *(f"  {c}" for c in checks))))


def _file(checked: "Verified", path: str) -> str:
    from synth.verification import VerifiedRelease
    from synth.verification.exported import check_exported

    if not isinstance(checked, VerifiedRelease):
        message = "Only a bundle of a release has rows that are exported; leave out --file."
        raise ArgumentError(message)
    return check_exported(checked.archive, checked.synthetic, path)
