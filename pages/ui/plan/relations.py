"""The question what to give up for relations between columns, where all would be lost."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from pages.ui.plan.budget import find_balance, say_left
from pages.ui.plan.prediction import changes_of, outlook_of, relations_of_plan, span
from pages.ui.shell import state
from pages.ui.shell.declaration import with_cut
from pages.ui.shell.draft import Draft
from synth.domain import FOR_RELATIONS
from synth.errors import SynthError, name_some
from synth.forecasts import Change
from synth.foreign import in_markdown
from synth.plans import Plan

# Of the table whose user goes on without relations.
COLUMNS_ONLY = "columns_only"
# The most changes that are shown at once, besides that of columns only.
MAX_CHANGE_CARDS = 3
MAX_NAMES = 8


def has_open_question(draft: Draft) -> bool:
    """Return whether the step waits for an answer: a number of rows, or about relations.

    The first is asked for where the exact number is private: without it there is no forecast.
    The second is open while a plan would lose all relations, and the user has not agreed to
    it. An incomplete plan asks nothing.
    """
    if not draft.table_rows:
        return True
    try:
        plan = draft.plan()
    except SynthError:
        return False
    lost, _kept = relations_of_plan(plan, draft.table_rows)
    return bool(lost) and bool(_list_changes(draft, plan)) and not _is_agreed(draft)


def ask_about_relations(draft: Draft, plan: Plan) -> None:
    """Show the question with a card for each change that keeps relations, most first.

    One card goes on with columns only. Without a change that helps, and after an answer, one
    sentence says what the table will show.
    """
    lost, kept = relations_of_plan(plan, draft.table_rows)
    if not lost:
        if kept:
            st.caption(in_markdown(kept))
        return
    changes = _list_changes(draft, plan)
    if not changes or _is_agreed(draft):
        st.warning(in_markdown(lost), icon=":material/link_off:")
        if changes:
            st.button("Ask me again", key="relations_again", on_click=_forget)
        return
    with st.container(border=True, key="relations"):
        st.header("Keep relations between columns?")
        st.markdown(in_markdown(f"{lost} Choose what to give up for them, or go on without."))
        _cards(draft, plan, changes[:MAX_CHANGE_CARDS])
        if changes[MAX_CHANGE_CARDS:]:
            with st.expander("Other ways"):
                for change in changes[MAX_CHANGE_CARDS:]:
                    _offer(draft, change)
        st.caption(
            "The numbers are forecasts for a usual table of this size. If you choose "
            "nothing, the next step goes on with columns only. A public table of these "
            "columns, such as last year's, can keep relations too: add it under Advanced."
        )


def _list_changes(draft: Draft, plan: Plan) -> list[Change]:
    """Return the changes that keep relations within the budget, the best first."""
    return changes_of(plan, draft.table_rows, find_balance(draft))


def _cards(draft: Draft, plan: Plan, changes: Sequence[Change]) -> None:
    """Show equal cards: one for each change, and one for columns only."""
    places = st.columns(len(changes) + 1)
    for place, change in zip(places, changes, strict=False):
        with place.container(border=True, height="stretch"):
            _offer(draft, change)
    with places[-1].container(border=True, height="stretch"):
        st.subheader(in_markdown(_head(0, changes[0].count)))
        st.markdown("Each column is drawn by itself.")
        expected = outlook_of(plan, draft.table_rows)
        st.caption(f"Pairs are then off by {span(expected.pairs)}.")
        st.button("Go on with columns only", key="relations_none", on_click=_agree)


def _offer(draft: Draft, change: Change) -> None:
    """Show what a change keeps and costs, and the button that makes it."""
    st.subheader(in_markdown(_head(change.measured or 0, change.count)))
    costs = []
    if "delta" in change.options:
        costs.append("The promise may then fail with a chance of one in a billion.")
    if epsilon := change.options.get("epsilon"):
        left = say_left(draft, find_balance(draft), epsilon)
        costs.append(f"Epsilon {epsilon} {left}." if left else "The promise is then weaker.")
    if change.names:
        quoted = [f"'{name}'" for name in change.names]
        where = "With fewer bins" if "bins" in change.options else "Without"
        costs.append(f"{where}: {name_some(quoted, MAX_NAMES)}.")
    st.markdown(in_markdown(" ".join(costs)))
    st.caption(in_markdown(change.expected))
    st.button(
        in_markdown(change.title),
        key=f"change {' '.join(change.options)}",
        on_click=state.guard(_make),
        args=(change,),
    )


def _head(measured: int, count: int) -> str:
    """Return how many pairs are kept, as the heading of a card."""
    about = "" if measured in (0, count) else "About "
    return f"{about}{measured:,} of {count:,} pairs"


def _make(change: Change) -> None:
    """Make a change in the draft."""
    draft = state.draft()
    choices: dict[str, Any] = {
        name: change.options[name] for name in ("delta", "epsilon") if name in change.options
    }
    if "columns" in change.options:
        draft = draft.leave_out(change.names, FOR_RELATIONS)
    if most_bins := change.options.get("bins"):
        draft = draft.with_fields(
            {
                name: with_cut(draft.field_of(name), "synth:bins", int(most_bins))
                for name in change.names
            }
        )
    state.put(draft.change(**choices))


def _is_agreed(draft: Draft) -> bool:
    """Return whether the user goes on with columns only, of the current table."""
    return (
        draft.source is not None and state.read_value(COLUMNS_ONLY) == draft.source.table.path
    )


def _agree() -> None:
    """Go on with columns only."""
    source = state.draft().source
    if source is not None:
        state.keep(COLUMNS_ONLY, source.table.path)


def _forget() -> None:
    """Ask again."""
    state.keep(COLUMNS_ONLY, None)
