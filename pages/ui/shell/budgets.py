"""The ledger of the session, and the budget of the people of the current table."""

from dataclasses import replace
from functools import partial

from pages.ui.shell import home, state
from pages.ui.shell.gate import signed_in
from pages.ui.shell.release import Source
from pages.ui.shell.words import budget_text
from synth.door import Balance, Entry, Ledger, check_name
from synth.errors import LedgerError
from synth.privacy import Guarantee, parse_budget
from synth.spending import Spending, mark_of, request_of


def ledger() -> Ledger:
    """Return the ledger; in memory for practice tables, which spend nothing real.

    Raises:
        LedgerError: It cannot be opened, or was edited.
    """
    source = state.draft().source
    if source is not None and source.simulated:
        return state.make_kept("rehearsal", partial(Ledger, recalls=True))
    return real_ledger()


def real_ledger() -> Ledger:
    """Return the ledger of real tables, whatever the current table is; errors as `ledger`."""
    return state.make_once("ledger", lambda: home.open_ledger(signed_in()))


def find_spend(spending: Spending | None = None) -> Entry | None:
    """Return the ledger's entry of the same spend on the current table, or None.

    ``spending`` is a plan, an inquiry or another request; by default the current plan.

    Raises:
        SynthError: The plan is not complete, or the ledger cannot be read.
    """
    source = state.draft().source
    spending = spending or state.draft().plan()
    if source is None:
        return None
    mark = source.mark
    if source.simulated:  # the real ledger has no mark of it, but that of the rehearsal has
        mark = state.work_out(("rehearsal", source.table.path), lambda: mark_table(source))
    request = request_of(spending, source.table)
    return ledger().paid(dataset=spending.dataset, table=mark, request=request)


def mark_table(source: Source) -> str:
    """Return the digest of a table under the ledger's key, by which the ledger recognises it.

    It is of the files' bytes, or of the content for a table without files.
    """
    table = source.table
    return ledger().fingerprint(*table.files) if table.files else mark_of(table, ledger())


def balance() -> Balance | None:
    """Return spends and budget of the current table; None if no ledger counts it."""
    source = state.draft().source
    return ledger().balance(source.dataset) if source is not None and source.mark else None


def budget_left() -> str:
    """Return the sentence on how much of the budget is left; empty without a budget."""
    current = balance()
    if current is None or current.budget is None:
        return ""
    return f"Of the budget {current.left_words} is left."


def set_people(name: str | None) -> None:
    """Set the dataset whose budget the current table spends.

    The table's releases and answers get it too. None or an empty name leaves it open.
    LedgerError if the name is invalid.
    """
    current = state.draft()
    assert current.source is not None
    people = check_name(name) if name else ""
    state.put(current.with_source(replace(current.source, people=people)))


def set_budget(text: str) -> None:
    """Set the first budget of the current table's dataset; nothing for a simulated table.

    ``text`` is such as "3" or "epsilon=3,delta=1e-6". SynthError if it is invalid, or if the
    dataset has another budget.
    """
    if (name := _people_with_budget()) is not None:
        ledger().set_budget(name, parse_budget(text, state.draft().neighbors))


def change_budget(text: str, reason: str) -> None:
    """Change the budget of the current table's dataset, or set its first one.

    Args:
        text: The new budget, such as "epsilon=3,delta=1e-6".
        reason: Why it is changed; the first budget needs no reason.

    Raises:
        SynthError: The budget is invalid, or smaller than the spends; or a change has no
            reason.
    """
    if (name := _people_with_budget()) is None:
        return
    current = ledger().balance(name)
    if not current.budgets:  # the dataset never had one, so no reason is needed
        set_budget(text)
        return
    relation = state.draft().neighbors
    # With spends, the budget keeps the neighbouring relation to which they refer.
    if current.budget is not None and current.spends:
        relation = current.budget.neighbors
    ledger().change_budget(name, parse_budget(text, relation), reason)


def _people_with_budget() -> str | None:
    """Return the dataset whose budget the current table spends.

    It is None if no ledger counts the table. LedgerError if the user has not chosen one yet.
    """
    source = state.draft().source
    if source is None or not source.mark:
        return None
    if not source.people:
        raise LedgerError(
            "Say first, in the step Data, whose data this is; it shares their budget."
        )
    return source.people


def set_first_budget(spent: Guarantee) -> None:
    """Set the typed budget before the first spend, if the dataset of the table has none yet.

    ``spent`` is the cost of that spend, from which a typed plain number gets its delta.
    SynthError if the text is invalid, or if no dataset is chosen.
    """
    current = state.draft()
    account = balance()
    if account is None:
        return
    has_dataset = current.source is not None and bool(current.source.people)
    # Without a dataset `set_budget` raises the error that asks for one.
    if account.budget is None or not has_dataset:
        set_budget(budget_text(current.budget, spent))
