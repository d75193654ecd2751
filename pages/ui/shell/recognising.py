"""A table or a bundle that the ledger or a project knows."""

from dataclasses import replace

from pages.ui.shell import home, saving, state
from pages.ui.shell.release import Release
from synth.door import MADE
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
    mark = state.mark_table(current.source)  # the keyed digest of its content
    plan = home.recall_plan(mark) if expected is None else None
    # The name of the dataset: as the ledger knows it, or else as the project does.
    people = home.people_of(state.ledger(), current.source.title, mark, plan=plan or {})
    people = people or (expected.people if expected is not None else "")
    recognised = current.with_source(replace(current.source, mark=mark, people=people))
    state.put(recognised)
    if recognised.waiting is not None:
        state.notice("The opened bundle waits for a table that has all its columns.")
    if recognised.release is not None and recognised.release.opened:
        state.notice(_where_it_is_counted())
    elif plan is not None:
        state.put(recognised.with_plan(plan))
        when = "was released before" if state.find_spend() else "was about to be released"
        state.notice(f"This table {when}: its declaration and plan are back.")
        _tell_of_interruption()
    elif expected is not None:
        state.notice(saving.recognition_note(expected, mark))
        _tell_of_interruption()
    for remark in state.ledger().remarks(people, mark) if people else ():
        state.notice(remark)


def _tell_of_interruption() -> None:
    """Show a notice if a release by the current plan was interrupted after its spend."""
    entry = state.find_spend()
    # Paid for, but no result was recorded.
    if entry is not None and state.ledger().state(entry) != MADE:
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
    entry = state.find_spend()
    if entry is not None:
        return f"The release of the bundle is entry {entry.number} of the ledger here."
    return (
        "The ledger here does not count the release of this bundle. If the release is of "
        "this table, add its epsilon to the sum in the ledger."
    )
