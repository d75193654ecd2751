"""``python -m synth ledger``: a ledger without the app."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from synth.cli.acting import identify, offer_ledger, open_existing, place_of
from synth.cli.plan import refuse_given
from synth.cli.saying import add_verb, ask_line, print_answer, say, say_file, say_json
from synth.door import (
    MOVED,
    Balance,
    BudgetEntry,
    Entry,
    Ledger,
    Subtotal,
    check_name,
    home_ledger,
)
from synth.errors import ArgumentError, LedgerError
from synth.foreign import open_file
from synth.privacy import (
    DEFAULT_BUDGET,
    Budget,
    Guarantee,
    Neighbors,
    implied_guarantee,
    in_advance,
    parse_budget,
    spell,
    terms,
)
from synth.private.table import PrivateTable
from synth.spending import DatasetName, Wording, check_name_known
from synth.util import Document

if TYPE_CHECKING:
    from synth.door import Allowance, Reservation

COMMAND_WORDING = Wording("--dataset NAME", "--dataset '{}'", "--new-dataset")
UNSEALED = (
    "the key file is not here, so no seal was checked. Anyone who can write the ledger's "
    "file could have written such entries. Read it with the key file next to it."
)
# The exit status of a check that found nothing wrong, but left something open.
NOT_CHECKED = 3
SPEND_OPTIONS = (
    "ledger",
    "no_ledger",
    "dataset",
    "new_dataset",
    "budget",
    "as",
    "project",
)
NOT_RECORDED = (
    "Not recorded: no ledger knows this spend, and the same command would spend again."
)


def choose_ledger(options: argparse.Namespace) -> None:
    """Set the ledger of a command that spends, which is this machine's if none is named.

    Raises:
        ArgumentError: An option about the ledger goes with ``--no-ledger``.
        LedgerError: The folder of this machine's ledger cannot be made.
    """
    if options.no_ledger:
        about_ledger = ("ledger", "budget", "new_dataset", "as", "project")
        refuse_given(options, about_ledger, "{} does not go with --no-ledger.")
    elif options.ledger is None:
        options.ledger = str(home_ledger())


def open_ledger(
    options: argparse.Namespace,
    dataset: str,
    neighbors: Neighbors,
    *tables: PrivateTable,
    costs: Sequence[Guarantee] = (),
) -> Ledger | None:
    """Return the ledger of a spend, with the dataset's budget set; None without a ledger.

    Warnings about the past of the table and of the name go to stderr.

    Args:
        options: The options of the command line, after `choose_ledger`.
        dataset: The dataset's name.
        neighbors: The relation of the spend, and of a budget.
        tables: The protected tables.
        costs: The amounts that the command is about to spend; none for a look.
    """
    from synth.spending import mark_of, needs_budget, set_first_budget

    if options.ledger is None:
        return None
    budget = options.budget
    if budget is not None:
        budget = parse_budget(budget, neighbors)
    ledger = Ledger(options.ledger, project=options.project or "")
    identify(ledger, options)
    # Outputs that are there already may only come from the same request, paid for before.
    if sentence := getattr(options, "sentence_of_files_there", ""):
        ledger.accept_repeats_only(sentence)
    marks = [mark_of(table, ledger) for table in tables]
    dataset_name = DatasetName(
        name=check_name(dataset),
        is_said=options.dataset is not None,
        is_new=options.new_dataset,
    )
    remarks = check_name_known(ledger, dataset_name, marks, wording=COMMAND_WORDING)
    if all(marks):
        remarks += ledger.remarks(dataset, *marks)
    if budget is None and costs and needs_budget(ledger, dataset):
        budget = _ask_budget(dataset, neighbors)
    if budget is not None:
        ledger.set_budget(dataset, budget)
    elif costs:
        remark = set_first_budget(
            ledger, dataset, costs, neighbors=neighbors, option="--budget"
        )
        remarks.append(remark)
    for remark in filter(None, remarks):
        say(f"Note: {remark}", to=sys.stderr)
    return ledger


def recording_lines(book: Ledger | None) -> list[str]:
    """Return the line that says that a spend is not recorded; none if it is."""
    return [NOT_RECORDED] if book is None else []


def _ask_budget(dataset: str, neighbors: Neighbors) -> Budget | None:
    """Return the budget that a person at a terminal types; None for the usual one.

    Nobody is asked where the input is no terminal, as in a script.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    say(
        f"'{dataset}' has no budget yet. How much may all spends on these people cost "
        f"together, now and later? Type an epsilon such as 2, or press Enter for "
        f"{DEFAULT_BUDGET}.",
        to=sys.stderr,
    )
    while True:
        typed = ask_line(f"Budget [{DEFAULT_BUDGET}]: ").strip()
        if not typed:
            return None
        try:
            return parse_budget(typed, neighbors)
        except ArgumentError as error:
            say(str(error), to=sys.stderr)


def define(parser: argparse.ArgumentParser) -> None:
    """Add the verbs of ``synth ledger`` with their options."""
    actions = parser.add_subparsers(
        dest="action",
        required=True,
        metavar="show|verify|export|budget|checks|persons|reserve",
    )
    for name, run, summary in (
        ("show", _show, "show budgets, their changes, spends and the rest"),
        ("verify", _verify, "check that no one edited it"),
        ("export", _export, "print all entries as lines of JSON, oldest first"),
    ):
        action = add_verb(actions, name, summary, run=run, details=run is _show)
        offer_ledger(action)
        if run is _verify:
            action.add_argument(
                "--lines", metavar="FILE", help="lines of `export`, checked too"
            )
    _define_budget(
        add_verb(actions, "budget", "raise or lower a dataset's budget", run=_budget)
    )
    _define_checks(
        add_verb(
            actions,
            "checks",
            "declare how many figures an asker may check",
            run=_allow_checks,
        )
    )
    from synth.cli.persons import define_persons  # which no other command needs

    define_persons(actions)


def _define_budget(action: argparse.ArgumentParser) -> None:
    """Add the options of ``ledger budget``."""
    action.usage = "%(prog)s E --dataset NAME --reason TEXT\n         [options]"
    offer_ledger(action)
    action.add_argument(
        "budget", metavar="E", help="the new total budget, at least the sum of the spends"
    )
    action.add_argument("--dataset", metavar="NAME", required=True, help="whose budget it is")
    action.add_argument(
        "--reason", metavar="TEXT", required=True, help="why; the ledger shows and exports it"
    )
    action.add_argument(
        "--neighbors",
        choices=[relation.value for relation in Neighbors],
        help="the relation of the spends; by default as before",
    )


def _define_checks(action: argparse.ArgumentParser) -> None:
    """Add the options of ``ledger checks``."""
    action.usage = "%(prog)s N --dataset NAME [--asker NAME]\n         [options]"
    offer_ledger(action)
    action.add_argument(
        "checks", metavar="N", help="how many claimed figures, with those so far"
    )
    action.add_argument("--dataset", metavar="NAME", required=True, help="whose figures")
    action.add_argument(
        "--asker",
        metavar="NAME",
        default="",
        help="who asks; by default each asker without a number of their own",
    )


def _allow_checks(options: argparse.Namespace) -> None:
    """Declare how many claimed figures an asker may have compared, and print it.

    Raises:
        ArgumentError: The number is none.
        LedgerError: The ledger knows no such dataset.
    """
    if not options.checks.isdecimal():
        raise ArgumentError("The number of checks is a whole number, such as 3.")
    with open_existing(options) as ledger:
        dataset = check_name(options.dataset)
        allowance = ledger.allow_checks(dataset, int(options.checks), options.asker)
    summary: Document = {"dataset": dataset, **allowance.to_json()}
    print_answer(options, summary, [f"'{dataset}': {allowance.words}"])


def _budget(options: argparse.Namespace) -> None:
    """Raise or lower the budget of a dataset, and print the old and the new one."""
    with open_existing(options) as ledger:
        balance_before = ledger.balance(options.dataset)
        before = balance_before.budget
        relation = Neighbors.REPLACE_ONE if before is None else before.neighbors
        if options.neighbors is not None:
            relation = Neighbors(options.neighbors)
        budget = parse_budget(options.budget, relation)
        change = ledger.change_budget(options.dataset, budget, options.reason)
        balance = ledger.balance(options.dataset)
    summary: Document = {"entry": change.number, **_summary(balance, {})}
    was = "there was none" if before is None else f"it was {before}"
    # Earlier versions had a budget for each spelling; none is in force if they are of
    # several kinds.
    if before is None and balance_before.budgets:
        was = "its spellings had several, which cannot be compared"
    lines = [
        f"The budget of '{balance.dataset}' is now {balance.budget}; {was}.",
        f"Entry {change.number} of the ledger records the reason: {change.reason}",
    ]
    if balance.was_moved:
        lines.append(MOVED)
    print_answer(options, summary, lines)


def _show(options: argparse.Namespace) -> None:
    """Print the budgets and spends of all datasets of a ledger."""
    with Ledger(place_of(options), readonly=True) as ledger:
        _note_unsealed(ledger)
        datasets = [
            (ledger.balance(name), ledger.tables(name), ledger.checks(name))
            for name in ledger.datasets()
        ]
    lines: list[str] = []
    summaries: list[Document] = []
    for balance, tables, allowances in datasets:
        lines += _lines(balance, tables, verbose=options.verbose)
        lines += [f"  {allowance.words}" for allowance in allowances]
        summaries.append(_summary(balance, tables) | _checks_summary(allowances))
    print_answer(options, {"datasets": summaries}, lines or ["Empty."])


def _verify(options: argparse.Namespace) -> int:
    """Check that nobody edited a ledger, print the result, and return the exit status.

    The status is 0, or 3 if the key is not there, so that the seals were not checked.

    Raises:
        LedgerError: The ledger was edited, or exported lines are not in it.
    """
    with Ledger(place_of(options), readonly=True) as ledger:
        events = ledger.verify()
        head = ledger.head
        sealed = ledger.sealed
        line_count = (
            None if options.lines is None else _check_lines(Path(options.lines), ledger)
        )
    summary: Document = {"entries": events, "head": head, "sealed": sealed}
    lines = [f"{events} entries, none edited. Head {head}."]
    if not sealed:
        lines = [
            f"{events} entries, whose hashes form a chain. Head {head}.",
            f"Not checked: {UNSEALED}",
        ]
    if line_count is not None:
        summary["lines"] = line_count
        lines.append(f"{line_count} lines, all of them in the chain.")
    print_answer(options, summary, lines)
    return 0 if sealed else NOT_CHECKED


def _note_unsealed(ledger: Ledger) -> None:
    if not ledger.sealed:
        say(f"Note: {UNSEALED}", to=sys.stderr)


def _check_lines(path: Path, ledger: Ledger) -> int:
    """Check that all lines of an exported file are in a ledger; return their number.

    Raises:
        LedgerError: One is not, or the file cannot be read.
    """
    ledger_lines = set(ledger.lines())
    try:
        with open_file(path) as file:  # a pipe would never end
            lines = file.read().decode("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        raise LedgerError(f"The file '{path}' cannot be read.") from None
    for number, line in enumerate(lines, 1):
        if line not in ledger_lines:
            raise LedgerError(f"Line {number:,} of '{path.name}' is not in the ledger.")
    return len(lines)


def _export(options: argparse.Namespace) -> None:
    """Print all entries of a ledger that was not edited, as one JSON value or as lines."""
    with Ledger(place_of(options), readonly=True) as ledger:
        ledger.verify()
        _note_unsealed(ledger)
        if options.json:
            say_json(ledger.export())
        else:
            say_file("\n".join([*ledger.lines(), ""]))


def _summary(balance: Balance, tables: dict[int, int]) -> Document:
    """Return the budget, its changes and the spends of a dataset as JSON.

    Args:
        balance: The dataset's entries and sums.
        tables: From the number of a spend to the number of its table within the dataset, as
            far as the ledger recognises it.
    """
    budget = balance.budget
    return {
        "dataset": balance.dataset,
        "unit": budget.unit if budget else None,
        "budget": str(budget.amount) if budget else None,
        "budget_delta": str(budget.guarantee.delta) if budget else None,
        "neighbors": budget.neighbors.value if budget else None,
        "spent": str(balance.spent),
        "spent_delta": str(balance.spent_delta),
        "left": str(balance.left) if budget else None,
        "left_delta": str(balance.left_delta) if budget else None,
        "warning": MOVED if balance.was_moved else None,
        "budgets": [
            {
                "entry": entry.number,
                "time": entry.time,
                "budget": str(entry.budget),
                "reason": entry.reason or None,
                "by": entry.by or None,
            }
            for entry in balance.budgets
        ],
        "reservations": [
            {
                "entry": reservation.number,
                "project": reservation.project,
                "reserved": str(reservation.amount),
                "left": str(balance.rest_of(reservation)[0]) if budget else None,
            }
            for reservation in balance.reservations
        ],
        "sums": [_sum(subtotal, balance) for subtotal in balance.subtotals],
        "spends": [
            {
                "entry": entry.number,
                "time": entry.time,
                "guarantee": terms(entry.guarantee),
                "purpose": entry.purpose,
                "protects": entry.protects,
                "table": tables.get(entry.number),
                "by": entry.by or None,
                "approved_by": entry.approved_by or None,
                "project": entry.project or None,
            }
            for entry in balance.spends
        ],
    }


def _checks_summary(allowances: "Sequence[Allowance]") -> Document:
    """Return the numbers of checks of a dataset as JSON; empty if there are none."""
    if not allowances:
        return {}
    return {"checks": [allowance.to_json() for allowance in allowances]}


def _sum(subtotal: Subtotal, balance: Balance) -> Document:
    """Return the sum of the spends that protect one unit under one relation, as JSON.

    It has the enforced sum, an epsilon and delta that this implies, and the smaller sum that
    would hold had all spends been fixed in advance. Each is None if there is none.

    Args:
        subtotal: The spends of one unit and relation.
        balance: Of their dataset, with its budget and the delta at which a rho is shown.
    """
    total = subtotal.total(balance.budget)
    implied = total and implied_guarantee(total, balance.stated_delta)
    ahead = in_advance(subtotal.guarantees, balance.stated_delta)
    fixed = None
    if ahead:
        fixed = {**asdict(ahead), "delta": str(ahead.delta), "least": ahead.least}
    return {
        "protects": subtotal.protects,
        "neighbors": subtotal.neighbors.value,
        "spends": len(subtotal.guarantees),
        "enforced": dict(terms(total)) if total else None,
        "implied": dict(terms(implied)) if implied and implied != total else None,
        "had_they_been_fixed_in_advance": fixed,
    }


def _sum_lines(subtotal: Subtotal, balance: Balance, *, verbose: bool) -> list[str]:
    """Return the sum of the spends that protect one unit under one relation, as lines.

    If verbose, a second line may give the smaller sum that would hold had all spends been
    fixed in advance.

    Args:
        subtotal: The spends of one unit and relation.
        balance: Of their dataset, with its budget and the delta at which a rho is shown.
        verbose: Whether to add the second line.
    """
    total = subtotal.total(balance.budget)
    better = verbose and in_advance(subtotal.guarantees, balance.stated_delta)
    about = f"for {subtotal.protects}, {subtotal.neighbors.value}"
    amount = "an epsilon with a delta cannot be added to a rho"
    if total:
        amount = spell(total, balance.stated_delta)
    lines = [f"  In all, {about}: {amount}"]
    if better:
        lines.append(f"  {better}")
    return lines


def _lines(balance: Balance, tables: dict[int, int], *, verbose: bool) -> list[str]:
    """Return a dataset's budget, its spends and changes in order, and the sums, as lines.

    Args:
        balance: The dataset's entries and sums.
        tables: From the number of a spend to the number of its table within the dataset.
        verbose: Whether to add times of day, tables and persons.
    """
    head = f"{balance.dataset}: no budget"
    if balance.budget:
        head = (
            f"{balance.dataset}: budget {balance.budget}; spent {balance.spent_words}, left "
            f"{balance.left_words}"
        )
    # Spends and changes of the budget by their number in the ledger, which is their order.
    events: dict[int, str] = {}
    for entry in balance.spends:
        events[entry.number] = _spend_line(entry, balance, tables, verbose=verbose)
    for change in balance.changes:
        events[change.number] = _change_line(change, verbose=verbose)
    lines = [head, *(events[number] for number in sorted(events))]
    if balance.budget is not None:
        lines += [_reservation_line(kept, balance) for kept in balance.reservations]
    for subtotal in balance.subtotals:
        lines += _sum_lines(subtotal, balance, verbose=verbose)
    if balance.was_moved:
        lines.append(f"  {MOVED}")
    return lines


def _spend_line(
    entry: Entry, balance: Balance, tables: dict[int, int], *, verbose: bool
) -> str:
    """Return a spend as a line: its number, time, cost and purpose, and details if verbose.

    Args:
        entry: The spend.
        balance: Of its dataset, with the delta at which a rho is shown as an epsilon.
        tables: From the number of a spend to the number of its table within the dataset.
        verbose: Whether to add the time of day, the unit, the table and the person.
    """
    table = f", table {tables[entry.number]}" if entry.number in tables else ""
    by = f", by {entry.by}" if entry.by else ""
    if entry.approved_by:
        by = f", by {entry.by} and {entry.approved_by}"
    details = f", for {entry.protects}{table}{by}" if verbose else ""
    if entry.approved_by and not verbose:  # two persons are named in any case
        details = by
    cost = spell(entry.guarantee, balance.stated_delta)
    time = entry.time if verbose else entry.time[:10]
    return f"  {entry.number:>4}  {time}  {cost}  {entry.purpose}{details}"


def _change_line(change: BudgetEntry, *, verbose: bool) -> str:
    """Return a change of a budget as a line; if verbose, with time of day and person."""
    time = change.time if verbose else change.time[:10]  # else the date alone
    by = f", by {change.by}" if verbose and change.by else ""
    reason = change.reason or "no reason was asked for"
    return f"  {change.number:>4}  {time}  budget changed to {change.budget}: {reason}{by}"


def _reservation_line(reservation: "Reservation", balance: Balance) -> str:
    """Return a reservation as a line: the project, the amount, and the rest."""
    return f"  {balance.describe_reservation(reservation)}"


def ledger_summary(ledger: Ledger, dataset: str) -> Document:
    """Return the file of a ledger and the balance of a dataset, for `--json`."""
    balance = ledger.balance(dataset)
    file = str(Path(ledger.path or ""))
    return {
        "file": file,
        "spent": str(balance.spent),
        "spent_delta": str(balance.spent_delta),
        "left": str(balance.left),
        "left_delta": str(balance.left_delta),
    }
