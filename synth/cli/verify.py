"""``python -m synth verify BUNDLE``: check a bundle or answers, with or without the ledger.

Exit status 0: all claims are confirmed. 1: one is refuted. 3: none is refuted but one was not
checked (such as all files of another version of Synth). 2: verify could not read them, or
they are no bundle.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from synth.cli.saying import say, say_json, set_run
from synth.door import Ledger
from synth.errors import ArgumentError, OtherVersionError, RefutedError
from synth.util import Document, Json

if TYPE_CHECKING:
    from synth.estimate import RowStore
    from synth.verification import OpenPart, PublicReader, Verified

SUMMED_UP = {
    "confirmed": (0, "All claims of the bundle were checked and hold."),
    "refuted": (1, "At least one claim of the bundle is false."),
    "not checked": (3, "No claim is refuted, but some were not checked."),
}


FOR_STEWARD = (
    "Only the steward's ledger can show that the spend is recorded, and a few statements "
    "that follow from no file; -v lists them."
)
# The sentence for a bundle without a spend, or whose spend the ledger has shown.
FOLLOW_FROM_NO_FILE = (
    "A few statements, such as the time, follow from no file; -v lists them."
)


def define(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``synth verify``, and the function that runs."""
    parser.add_argument(
        "bundle",
        metavar="BUNDLE",
        help="the zip file, or the folder of a release, of answers or of parts",
    )
    parser.add_argument(
        "--ledger",
        metavar="FILE",
        help="the ledger that should record it; by default this machine's, if it has one",
    )
    parser.add_argument(
        "--file",
        action="append",
        default=[],
        metavar="FILE",
        help="also check a file that `export` made from it; may be given several times",
    )
    parser.add_argument("--public", metavar="FILE", help="the public table used as the guess")
    parser.add_argument(
        "--release", metavar="BUNDLE", help="the release from which `draw` took the rows"
    )
    parser.add_argument(
        "--quick",
        action="store_true",
        help="do not draw the rows of a model again, which takes as long as the release",
    )
    parser.add_argument(
        "--engine",
        choices=("duckdb", "spark"),
        default="duckdb",
        help="draw rows in parts again in this process (default), or on Spark",
    )
    parser.add_argument("--master", default="", metavar="URL", help="the cluster of Spark")
    set_run(parser, _verify, details=True)


def _verify(options: argparse.Namespace) -> int:
    """Check a bundle, print the verdict, and return the exit status of `SUMMED_UP`."""
    from synth.verification import verify

    ledger = None if options.ledger is None else Ledger(options.ledger, readonly=True)
    try:
        checked = verify(
            options.bundle,
            ledger,
            _public_reader(options.public),
            redraw=not options.quick,
            place=_place_of(options),
            release=options.release,
            or_own=True,
        )
        files = [_file(checked, path) for path in options.file]
    except RefutedError as error:
        return _say("refuted", {"refuted": [str(error)]}, options)
    except OtherVersionError as error:
        return _say("not checked", {"not checked": [str(error)]}, options)
    checked = replace(checked, checks=(*checked.checks, *files))
    reasons = {
        "not checked": [*checked.not_checked],
        "confirmed": [*checked.confirmed],
        "for the steward": [*checked.for_steward],
    }
    return _say(checked.verdict, reasons, options, open_parts=checked.open_parts)


def _public_reader(path: str | None) -> "PublicReader | None":
    """Return the reader of the public table, if one is given."""
    if path is None:
        return None
    from synth.spending import public_reader

    return public_reader(path)


def _place_of(options: argparse.Namespace) -> "RowStore | None":
    """Return where rows in parts are drawn again; None for this process."""
    if options.quick or options.engine == "duckdb":
        return None
    from synth.spending import place_of

    return place_of(options.engine, options.master)


def _say(
    verdict: str,
    reasons: dict[str, list[str]],
    options: argparse.Namespace,
    *,
    open_parts: Sequence["OpenPart"] | None = None,
) -> int:
    """Print the verdict and its reasons; return the exit status.

    Args:
        verdict: A key of `SUMMED_UP`.
        reasons: Sentences on the checks, by their verdict. Those of files of ``--file`` are
            the last confirmed ones.
        options: The options of the command line.
        open_parts: The parts of the certificate that were not checked, if it was checked at
            all.
    """
    status, sentence = SUMMED_UP[verdict]
    if options.json:
        parts: Document = {}
        if open_parts is not None:
            parts_not_checked: list[Json] = [
                {"part": part.pattern, "reason": part.reason} for part in open_parts
            ]
            parts["parts not checked"] = parts_not_checked
        say_json({"verdict": verdict, **reasons, **parts})
        return status
    if reasons.get("for the steward"):
        sentence = "All claims that can be checked here hold."
    say(f"{verdict.capitalize()}. {sentence}")
    for name, checks in reasons.items():
        if name == "confirmed" and not options.verbose:
            files = checks[len(checks) - len(options.file) :]
            say(*files, f"{len(checks)} checks are confirmed; -v lists them.")
        elif name == "for the steward" and checks and not options.verbose:
            from synth.verification import UNRECORDED

            say(FOR_STEWARD if UNRECORDED in checks else FOLLOW_FROM_NO_FILE)
        elif checks:
            say(f"{name.capitalize()}:", *(f"  {check}" for check in checks))
    return status


def _file(checked: "Verified", path: str) -> str:
    """Check that a file was exported from a bundle; return a sentence that says so.

    Raises:
        ArgumentError: The bundle has no rows that are exported.
    """
    from synth.verification import VerifiedRelease, check_exported

    if not isinstance(checked, VerifiedRelease):
        raise ArgumentError(
            "Only a bundle of a release has rows that are exported; leave out --file."
        )
    return check_exported(checked.archive, checked.synthetic, path)
