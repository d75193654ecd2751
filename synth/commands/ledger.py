"""``python -m synth ledger show|verify|export FILE``: read a ledger without the app."""

import argparse
import json
from pathlib import Path
from typing import Any

from synth.balance import Balance
from synth.budget import parse_budget, plain, terms
from synth.errors import ArgumentError
from synth.ledger import Ledger
from synth.plan import Plan


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of a command that spends."""
    parser.add_argument("--ledger", metavar="FILE", help="where the spend is written")
    parser.add_argument("--dataset", metavar="NAME", help="the table's name in the ledger")
    parser.add_argument("--budget", metavar="E", help="the most to be spent on it, ever")


def open_ledger(options: argparse.Namespace, plan: Plan) -> Ledger | None:
    """The ledger that the options name, with the budget set; None where they name none."""
    if options.ledger is None:
        if options.budget is not None:
            message = "--budget needs --ledger FILE to be counted in."
            raise ArgumentError(message)
        return None
    budget = options.budget
    if budget is not None:
        budget = parse_budget(budget, plan.neighbors)
    ledger = Ledger(options.ledger)
    if budget is not None:
        ledger.set_budget(plan.dataset, budget)
    return ledger


def add(commands: Any) -> None:
    """Add the command to the parser."""
    summary = "read, check or export a ledger"
    parser = commands.add_parser("ledger", help=summary, description=summary)
    actions = parser.add_subparsers(dest="action", required=True, metavar="show|verify|export")
    for name, run, help_text in (
        ("show", _show, "budgets, spends and what is left"),
        ("verify", _verify, "check that nothing was edited"),
        ("export", _export, "print all entries as one JSON object"),
    ):
        action = actions.add_parser(name, help=help_text, description=help_text)
        action.add_argument("ledger", metavar="FILE", help="the ledger")
        action.add_argument("--json", action="store_true", help="print one JSON object")
        action.set_defaults(run=run)


def _show(options: argparse.Namespace) -> None:
    with Ledger(options.ledger, readonly=True) as ledger:
        balances = [ledger.balance(dataset) for dataset in ledger.datasets()]
    if options.json:
        print(json.dumps({"datasets": [_summary(balance) for balance in balances]}))
    else:
        print("\n".join(line for balance in balances for line in _lines(balance)) or "Empty.")


def _verify(options: argparse.Namespace) -> None:
    with Ledger(options.ledger, readonly=True) as ledger:
        events, head, sealed = ledger.verify(), ledger.head, ledger.sealed
    if options.json:
        print(json.dumps({"entries": events, "head": head, "sealed": sealed}))
        return
    print(f"{events} entries, none edited. Head {head}.")
    if not sealed:
        print("The key file is not here: the chain holds, but its seals were not checked.")


def _export(options: argparse.Namespace) -> None:
    with Ledger(options.ledger, readonly=True) as ledger:
        ledger.verify()
        print(json.dumps(ledger.export(), indent=None if options.json else 1))


def _summary(balance: Balance) -> dict[str, Any]:
    budget = balance.budget
    return {
        "dataset": balance.dataset,
        "unit": budget.unit if budget else None,
        "budget": str(budget.amount) if budget else None,
        "neighbors": budget.neighbors.value if budget else None,
        "spent": str(balance.spent),
        "left": str(balance.left) if budget else None,
        "spends": [
            {
                "entry": entry.number,
                "time": entry.time,
                "guarantee": terms(entry.guarantee),
                "purpose": entry.purpose,
                "protects": entry.protects,
                "by": entry.by or None,
            }
            for entry in balance.spends
        ],
    }


def _lines(balance: Balance) -> list[str]:
    head = f"{balance.dataset}: no budget"
    if balance.budget:
        head = (
            f"{balance.dataset}: budget {balance.budget}; spent {plain(balance.spent)}, "
            f"left {plain(balance.left)}"
        )
    spends = [
        f"  {entry.number:>4}  {entry.time}  {entry.guarantee}  {entry.purpose}, "
        f"for {entry.protects}{entry.by and ', by '}{entry.by}"
        for entry in balance.spends
    ]
    return [head, *spends]


def recorded(ledger: Ledger, dataset: str) -> dict[str, Any]:
    """What a release says of its ledger."""
    balance = ledger.balance(dataset)
    return {
        "file": str(Path(ledger.path or "")),
        "spent": str(balance.spent),
        "left": str(balance.left),
    }
