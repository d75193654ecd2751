"""Two persons on the command line: who acts, and ``synth ledger persons|reserve``."""

import argparse
import sys
from getpass import getpass
from pathlib import Path
from typing import Any

from synth.cli.saying import add_verb, ask_line, is_terminal, print_answer
from synth.door import (
    WHOLE_LEDGER,
    Ledger,
    PersonsSetting,
    describe_persons,
    home_ledger,
    known_home_ledger,
)
from synth.errors import ArgumentError, LedgerError
from synth.privacy import plain
from synth.util import Document

ONE_PERSON = "One person alone may spend: nothing is set to two persons."


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


def define_persons(actions: Any) -> None:
    """Add the verbs ``persons`` and ``reserve`` to those of ``synth ledger``."""
    persons = add_verb(
        actions, "persons", "show or set who must agree to each spend", run=_persons
    )
    offer_ledger(persons)
    persons.add_argument(
        "--dataset", metavar="NAME", help="for this dataset only; by default for all of them"
    )
    persons.add_argument(
        "--names", metavar="A,B", help="two persons or more; each types a passphrase"
    )
    persons.add_argument(
        "--signed-in", metavar="A,B", help="their addresses, if they sign in at the server"
    )
    persons.add_argument(
        "--off", action="store_true", help="end the setting, to which two persons agree"
    )
    offer_acting(persons)
    reserve = add_verb(
        actions, "reserve", "reserve a part of a budget for a project", run=_reserve
    )
    reserve.usage = "%(prog)s AMOUNT --dataset NAME --project NAME\n         [options]"
    offer_ledger(reserve)
    reserve.add_argument(
        "amount", metavar="AMOUNT", help="in the unit of the budget; 0 ends the reservation"
    )
    reserve.add_argument(
        "--dataset", metavar="NAME", required=True, help="whose budget it is"
    )
    reserve.add_argument(
        "--project", metavar="NAME", required=True, help="the project that may spend it"
    )
    offer_acting(reserve)


def _persons(options: argparse.Namespace) -> None:
    """Show the persons of a ledger, set them, or end the setting."""
    dataset = options.dataset or WHOLE_LEDGER
    is_setting = bool(options.names or options.signed_in)
    if is_setting and options.off:
        raise ArgumentError(
            "--off ends the setting, so it does not go with names; leave one."
        )
    if is_setting:
        with Ledger(options.ledger or home_ledger()) as ledger:
            _require(ledger, options, dataset)
            _print_settings(options, ledger)
    elif options.off:
        with open_existing(options) as ledger:
            identify(ledger, options)
            ledger.persons.end(dataset)
            _print_settings(options, ledger)
    else:
        with Ledger(place_of(options), readonly=True) as ledger:
            _print_settings(options, ledger)


def _require(ledger: Ledger, options: argparse.Namespace, dataset: str) -> None:
    """Set a dataset or the whole ledger to two persons, who type their passphrases."""
    passphrases = {}
    for name in _split_names(options.names):
        passphrases[name] = ask_passphrase(f"New passphrase of {name}: ")
        if ask_passphrase(f"The passphrase of {name} once more: ") != passphrases[name]:
            raise ArgumentError("The two passphrases differ; nothing was set.")
    signed_in = _split_names(options.signed_in)
    ledger.persons.require(passphrases, signed_in=signed_in, dataset=dataset)


def _split_names(text: str | None) -> list[str]:
    """Return the names that stand between commas; none if nothing is typed."""
    return text.split(",") if text else []


def _print_settings(options: argparse.Namespace, ledger: Ledger) -> None:
    """Print what is set to two persons."""
    settings = ledger.persons.settings()
    summary: Document = {"settings": [_summary(setting) for setting in settings]}
    print_answer(options, summary, describe_persons(settings) or [ONE_PERSON])


def _summary(setting: PersonsSetting) -> Document:
    """Return a setting as JSON; the dataset of the whole ledger is null."""
    is_whole = setting.dataset == WHOLE_LEDGER
    return {
        "entry": setting.number,
        "time": setting.time,
        "dataset": None if is_whole else setting.dataset,
        "names": [*setting.names],
        "signed_in": [*setting.signed_in],
    }


def _reserve(options: argparse.Namespace) -> None:
    """Reserve a part of a dataset's budget for a project, and print what is reserved."""
    with open_existing(options) as ledger:
        identify(ledger, options)
        reserved = ledger.reserve(options.dataset, options.amount, options.project)
        balance = ledger.balance(options.dataset)
    amount, _ = balance.rest_of(reserved)
    summary: Document = {
        "entry": reserved.number,
        "dataset": balance.dataset,
        "project": reserved.project,
        "reserved": str(reserved.amount),
        "reserved_delta": str(reserved.delta),
        "left": str(amount),
    }
    line = (
        f"Of the budget of '{balance.dataset}', {plain(reserved.amount)} is reserved for the "
        f"project '{reserved.project}'; {plain(amount)} of it is left."
    )
    print_answer(options, summary, [line])
