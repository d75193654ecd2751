"""``python -m synth ledger persons|reserve``: who must agree, and reserved budgets."""

import argparse
from typing import TYPE_CHECKING, Any

from synth.cli.acting import (
    ask_passphrase,
    identify,
    offer_acting,
    offer_ledger,
    open_existing,
    place_of,
)
from synth.cli.saying import add_verb, print_answer
from synth.door import WHOLE_LEDGER, Ledger, home_ledger
from synth.errors import ArgumentError
from synth.privacy import plain
from synth.util import Document

if TYPE_CHECKING:
    from synth.door import PersonsSetting

ONE_PERSON = "One person alone may spend: nothing is set to two persons."


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
    """Print the settings of two persons."""
    from synth.door import describe_persons

    settings = ledger.persons.settings()
    summary: Document = {"settings": [_summary(setting) for setting in settings]}
    print_answer(options, summary, describe_persons(settings) or [ONE_PERSON])


def _summary(setting: "PersonsSetting") -> Document:
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
    """Reserve a part of a dataset's budget for a project, and print the reservation."""
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
