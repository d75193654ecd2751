"""Which ledger a command is about, and who acts in it."""

import argparse
import sys
from getpass import getpass
from pathlib import Path

from synth.cli.saying import ask_line, is_terminal
from synth.door import Ledger, home_ledger, known_home_ledger
from synth.errors import LedgerError


def offer_ledger(action: argparse.ArgumentParser) -> None:
    """Add the option that names the ledger."""
    action.add_argument(
        "--ledger", metavar="FILE", help="the ledger; by default that of this machine"
    )


def offer_acting(action: argparse.ArgumentParser) -> None:
    """Add the option that says who acts."""
    action.add_argument(
        "--as", metavar="NAME", help="who you are; Synth asks for your passphrase"
    )


def place_of(options: argparse.Namespace) -> Path:
    """Return the ledger that a command is about.

    Raises:
        LedgerError: None is named, and this machine has none.
    """
    if options.ledger is not None:
        return Path(options.ledger)
    path = known_home_ledger()
    if path is None:
        raise LedgerError(
            f"This machine has no ledger yet, at '{home_ledger()}'; --ledger FILE names "
            "another."
        )
    return path


def open_existing(options: argparse.Namespace) -> Ledger:
    """Return the ledger of a command, for writing; it is not created here."""
    place = place_of(options)
    Ledger(place, readonly=True).close()
    return Ledger(place)


def identify(ledger: Ledger, options: argparse.Namespace) -> None:
    """Let the person of ``--as`` act in a ledger, after the passphrase was typed.

    Raises:
        LedgerError: The ledger does not know this person with this passphrase.
    """
    name = getattr(options, "as", None)
    if name:
        ledger.persons.identify(name, ask_passphrase(f"Passphrase of {name}: "))


def ask_passphrase(prompt: str) -> str:
    """Return a passphrase typed unseen; without a terminal, the next line of input."""
    if is_terminal(sys.stdin):
        return getpass(prompt)
    return ask_line(prompt).rstrip("\r\n")
