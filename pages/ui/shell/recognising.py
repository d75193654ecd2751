"""A table or a bundle that the ledger or a project knows."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pages.ui.shell import budgets, home, saving, state
from pages.ui.shell.draft import Draft
from pages.ui.shell.reading import read_as_before
from pages.ui.shell.release import Release
from synth.door import MADE
from synth.errors import SynthError
from synth.plans import KnownTable


def recognise(expected: KnownTable | None = None) -> None:
    """Find the current table in the ledger; if it was released before, restore its plan.

    Notices say what was found. LedgerError if the ledger cannot be opened.

    Args:
        expected: The table of a reopened project, whose plan is newer than the stored one;
            None without such a project.
    """
    current = state.draft()
    assert current.source is not None
    mark = budgets.mark_table(current.source)  # the keyed digest of its content
    remembered = home.recall_plan(mark) if expected is None else None
    plan = remembered.plan if remembered is not None else {}
    if remembered is not None:
        current = read_as_before(current, remembered.options)
    source = current.source
    assert source is not None
    # The name of the dataset: as the ledger knows it, or else as the project does.
    people = home.people_of(budgets.ledger(), source.title, mark, plan=plan)
    people = people or (expected.people if expected is not None else "")
    recognised = current.with_source(replace(source, mark=mark, people=people))
    state.put(recognised)
    if recognised.waiting is not None:
        state.notice("The opened bundle waits for a table that has all its columns.")
    if recognised.release is not None and recognised.release.opened:
        state.notice(_where_it_is_counted())
    elif plan:
        _restore_plan(recognised, plan)
    elif expected is not None:
        state.notice(saving.recognition_note(expected, mark))
        _tell_of_interruption()
    for remark in budgets.ledger().remarks(people, mark) if people else ():
        state.notice(remark)


def _restore_plan(recognised: Draft, plan: Mapping[str, Any]) -> None:
    """Take over the plan of the last release of this table, and say so.

    A plan without a column of the table is left aside: the file is read in another way now.
    """
    try:
        restored = recognised.with_plan(plan)
    except SynthError:
        state.notice(
            "This table was released before, but its plan does not fit the columns as the "
            "file is read now. Describe them anew, or read the file as it was read then."
        )
        return
    state.put(restored)
    when = "was released before" if budgets.find_spend() else "was about to be released"
    state.notice(f"This table {when}: its declaration and plan are back.")
    _tell_of_interruption()


def _tell_of_interruption() -> None:
    """Show a notice if a release by the current plan was interrupted after its spend."""
    entry = budgets.find_spend()
    # Paid for, but no result was recorded.
    if entry is not None and budgets.ledger().state(entry) != MADE:
        state.notice(
            f"That release was interrupted after its spend (entry {entry.number} of the "
            "ledger). It goes on in the step Release, and spends nothing more."
        )


def open_release(opened: Release) -> None:
    """Take over a release from a bundle, and show whether the ledger counts it."""
    before = state.draft().source
    state.put(state.draft().with_release(opened))
    source = state.draft().source
    if source is not None and source.mark:
        state.notice(_where_it_is_counted())
    elif before is not None and source is None:
        state.notice("The table at hand lacks columns of the bundle and was put aside.")


def _where_it_is_counted() -> str:
    """Return the sentence on whether this server's ledger counts a bundle's release."""
    entry = budgets.find_spend()
    if entry is not None:
        return f"The release of the bundle is entry {entry.number} of the ledger here."
    return (
        "The ledger here does not count the release of this bundle. If the release is of "
        "this table, add its epsilon to the sum in the ledger."
    )
