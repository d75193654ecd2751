"""Relations that all rows obey, from a look: listed, and taken in by a click. PRIVATE."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from pages.ui.domain.column import renew
from pages.ui.shell import state
from pages.ui.shell.draft import Draft
from synth.domain import KEY, LOOKED_UP
from synth.drafting import Proposal, choose_proposals, take_proposals
from synth.errors import DomainError
from synth.estimate import read_rules
from synth.foreign import in_markdown

# Proposals that are in sight at once, and most of the others.
PROPOSALS_OPEN = 3
PROPOSALS_SHOWN = 20
HEADING = "Relations that all rows obey"
EVERY = "all"


def open_proposals(draft: Draft) -> list[Proposal]:
    """Return the proposals of a look whose columns all still take part with their cells."""
    chosen_names = {*draft.chosen_names}
    return [proposal for proposal in draft.proposals if {*proposal.columns} <= chosen_names]


def relations(draft: Draft) -> None:
    """Show the relations that a look proposes, each with a button that takes it in.

    Nothing is shown without a proposal.
    """
    proposals = open_proposals(draft)
    if not proposals:
        return
    with st.container(border=True):
        st.header(HEADING, anchor=False)
        st.caption(
            "Take in relations that are common knowledge about any such table: synthetic "
            "rows then obey them. The certificate says that they were taken from the rows. "
            "No guarantee covers them."
        )
        for proposal in proposals[:PROPOSALS_OPEN]:
            _offer(proposal)
        if len(proposals) > 1:
            st.button("Take in all", key="take all", on_click=take_relations, args=([EVERY],))
        others = proposals[PROPOSALS_OPEN:]
        if others:
            # So few that the way to the next step stays short for the keyboard.
            with st.expander(f"{len(others):,} more"):
                for proposal in others[:PROPOSALS_SHOWN]:
                    _offer(proposal)
                if len(others) > PROPOSALS_SHOWN:
                    st.caption(f"And {len(others) - PROPOSALS_SHOWN:,} more.")


def _offer(proposal: Proposal) -> None:
    """Show a proposal, and the button that takes it in."""
    text_place, button_place = st.columns([3, 2], vertical_alignment="center")
    text_place.markdown(in_markdown(f"{_begin_large(proposal.sentence)}."))
    button_place.button(
        in_markdown(f"Take in {proposal.name}"),
        key=f"take {proposal.name}",
        on_click=take_relations,
        args=([proposal.name],),
        width="stretch",
    )


@state.guard
def take_relations(names: Sequence[str]) -> None:
    """Take in proposals by their names; `EVERY` means all that go together.

    Raises:
        DomainError: The description has changed, so that a rule does not fit it any more.
    """
    draft = state.draft()
    chosen = choose_proposals(open_proposals(draft), names, every=EVERY)
    state.put(with_relations(draft, chosen))
    renew()


def with_relations(draft: Draft, chosen: Sequence[Proposal]) -> Draft:
    """Return the draft with proposals taken in, marked as taken from the rows.

    A column that follows from others takes no part with cells of its own any more.

    Args:
        draft: All choices of the session.
        chosen: Proposals that do not exclude each other.

    Raises:
        DomainError: A rule or a derived column does not fit the description.
    """
    targets = {proposal.target for proposal in chosen if proposal.target}
    places = {new["name"]: place for place, new in enumerate(draft.fields)}
    derived: list[dict[str, Any]] = [
        {
            "name": proposal.target,
            KEY: {**proposal.derivation, "taken": True},
            "place": places[proposal.target],
        }
        for proposal in chosen
        if proposal.target
    ]
    rules = take_proposals(chosen, {"fields": []}, draft.rules).rules
    changed = draft.change(
        derived=(*draft.derived, *derived),
        rules=rules or None,
        left_out=draft.left_out | targets,
        proposals=tuple(proposal for proposal in draft.proposals if proposal not in chosen),
        origin=LOOKED_UP,
        vouched=False,
    )
    _, faults = changed.derived_columns
    for name in targets & {*faults}:
        raise DomainError(faults[name])
    if rules and changed.domain is not None:
        read_rules(rules, changed.domain)
    return changed


def _begin_large(sentence: str) -> str:
    return f"{sentence[:1].upper()}{sentence[1:]}"
