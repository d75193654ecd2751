"""``python -m synth verify BUNDLE``: check a bundle or answers, with or without the ledger.

The exit status is 0 if all claims are confirmed, 1 if one is refuted, 3 if none is refuted but one
was not checked (such as all files of another version of Synth), and 2 if verify could not read
them.
"""

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from synth.cli.saying import say, say_json
from synth.door import Ledger
from synth.errors import ArgumentError, OtherVersionError, RefutedError

if TYPE_CHECKING:
    from synth.verification import Verified

SUMMED_UP = {
    "confirmed": (0, "The bundle holds what it claims, and all of it was checked."),
    "refuted": (1, "The bundle does not hold what it claims."),
    "not checked": (3, "Nothing is refuted, but not all that is claimed was checked."),
}
"""The exit status and the sentence by verdict."""


def define(parser: argparse.ArgumentParser) -> None:
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
        "--release", metavar="BUNDLE", help="the release that rows were drawn from by `draw`"
    )
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


def _verify(options: argparse.Namespace) -> int:
    from synth.estimate import place_here
    from synth.spending import place_of, public_reader
    from synth.verification import verify

    ledger = None if options.ledger is None else Ledger(options.ledger, readonly=True)
    public = public_reader(options.public)
    place = place_of(options.engine, options.master) if options.redraw else place_here
    try:
        ways = {"redraw": options.redraw, "place": place, "release": options.release}
        checked = verify(options.bundle, ledger, public, **ways)
        files = [_file(checked, path) for path in options.file]
    except RefutedError as error:
        return _say("refuted", {"refuted": [str(error)]}, as_json=options.json)
    except OtherVersionError as error:
        return _say("not checked", {"not checked": [str(error)]}, as_json=options.json)
    checked = replace(checked, checks=(*checked.checks, *files))
    found = {"confirmed": [*checked.confirmed], "not checked": [*checked.not_checked]}
    return _say(checked.verdict, found, as_json=options.json)


def _say(verdict: str, found: dict[str, list[str]], *, as_json: bool) -> int:
    status, said = SUMMED_UP[verdict]
    if as_json:
        say_json({"verdict": verdict, **found})
        return status
    say(f"{verdict.capitalize()}. {said}")
    for name, checks in found.items():
        if checks:
            say(f"{name.capitalize()}:", *(f"  {one}" for one in checks))
    return status


def _file(checked: "Verified", path: str) -> str:
    from synth.verification import VerifiedRelease, check_exported

    if not isinstance(checked, VerifiedRelease):
        raise ArgumentError(
            "Only a bundle of a release has rows that are exported; leave out --file."
        )
    return check_exported(checked.archive, checked.synthetic, path)
