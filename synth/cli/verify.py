"""``python -m synth verify BUNDLE``: check a bundle or answers, with or without the ledger."""

import argparse
import json

from synth.cli.commands import Commands
from synth.ledger.ledger import Ledger


def add(commands: Commands) -> None:
    """Add the command to the parser."""
    summary = "check a bundle, or answers: files, certificate and what it claims"
    parser = commands.add_parser("verify", help=summary, description=summary)
    parser.add_argument("bundle", metavar="BUNDLE", help="the zip file, or the folder of answers")
    parser.add_argument("--ledger", metavar="FILE", help="the ledger it should be recorded in")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(run=_verify)


def _verify(options: argparse.Namespace) -> None:
    from synth.verification import verify  # its charts take a second that other commands do without

    ledger = None if options.ledger is None else Ledger(options.ledger, readonly=True)
    checked = verify(options.bundle, ledger)
    if options.json:
        print(json.dumps({"valid": True, "checks": checked.checks}))
    else:
        print("\n".join(("The bundle holds what it claims.", *(f"  {c}" for c in checked.checks))))
