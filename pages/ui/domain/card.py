"""The card of the open column: how it stands in words, the answers, and its form."""

from collections.abc import Mapping, Sequence

import streamlit as st

from pages.ui.domain.column import column_form, renew
from pages.ui.domain.identifying import ask_pattern
from pages.ui.domain.importing import read_with_marks
from pages.ui.domain.overview import troubles
from pages.ui.domain.remarks import questions_of
from pages.ui.domain.standing import Standing, Status
from pages.ui.shell import state
from pages.ui.shell.draft import Draft
from synth.domain import Column
from synth.drafting import Review, name_special_values
from synth.foreign import in_markdown, line
from synth.private.table import parse_format

# What stands between thousands, by the mark; other marks are blanks.
THOUSANDS_WORDS = {",": "commas", ".": "points", "'": "apostrophes", "\u2019": "apostrophes"}
# The key of the expander with the form.
EDITING = "editing"
# Most characters of a name on a button.
NAME_LENGTH = 30


def show_card(draft: Draft, name: str, standings: Mapping[str, Standing]) -> None:
    """Show a list to choose the column, and the card of the chosen one.

    Args:
        draft: All choices of the session.
        name: The open column.
        standings: The standing of each column, by its name.
    """
    st.selectbox(
        "Column",
        [*standings],
        format_func=line,
        **state.tie("open_column", name, lambda chosen: state.change(open_column=chosen)),
    )
    with st.container(border=True, key="card"):
        st.header(in_markdown(name), anchor=False)
        _say_standing(draft, standings[name])
        _ask(draft, name, standings[name])
        if standings[name].status is not Status.DECIDE:  # else the answers decide
            _switch(draft, name, standings[name])
        with st.expander(
            "Change its description",
            icon=":material/edit:",
            key=EDITING,
            on_change="rerun",
            expanded=not isinstance(draft.columns[name], Column),
        ):
            column_form(draft, name)


def name_marks(options: Sequence[str]) -> str:
    """Return the label of the button that reads numbers with other marks.

    >>> name_marks(["decimal=,", "thousands=nbsp"])
    'Read decimal commas, and blanks between thousands'

    Args:
        options: Options of the file's format.
    """
    form = parse_format(options)
    between = f"{THOUSANDS_WORDS.get(form.thousands, 'blanks')} between thousands"
    if form.decimal == ".":
        return f"Read {between}"
    return f"Read decimal commas, and {between}" if form.thousands else "Read decimal commas"


def _say_standing(draft: Draft, standing: Standing) -> None:
    """Show in words what a column holds, what it loses, and why it waits or is out."""
    field = draft.field_of(standing.name)
    if field.get("description"):
        st.caption(in_markdown(str(field["description"])))
    with st.container(key=f"values_of {standing.name}"):
        if standing.values:
            kind = f"**{in_markdown(standing.kind)}:** " if standing.kind else ""
            st.markdown(f"{kind}{in_markdown(standing.values)}")
        column = draft.columns[standing.name]
        special_values = name_special_values(column) if isinstance(column, Column) else []
        if special_values:
            st.caption(in_markdown(f"With a cell of their own: {', '.join(special_values)}."))
    for sentence in standing.lost:
        say = st.warning if standing.status in (Status.DECIDE, Status.CHECK) else st.markdown
        say(in_markdown(sentence))
    looked = draft.look.get(standing.name)
    if looked is not None and looked.example:
        st.caption(in_markdown(f"Most common: {looked.example}"))


def _ask(draft: Draft, name: str, standing: Standing) -> None:
    """Show the answers to the open question on a column, each as a button with its name."""
    short_name = in_markdown(line(name, NAME_LENGTH))
    offers = {column.name: column.offer for column in draft.list_reviews(Review.QUESTIONS)}
    identifiers = {column.name for column in draft.list_reviews(Review.IDENTIFIERS)}
    with st.container(horizontal=True):
        if options := draft.find_reading(name):
            st.button(
                f"{name_marks(options)}: {short_name}",
                key=f"marks {name}",
                on_click=read_with_marks,
                args=(name,),
                type="primary",
                help="Reads the whole file with this mark, and fills in such columns from "
                "the rows. *Undo* in the header takes it back.",
            )
        if name in offers:
            for label, takes_part in ((offers[name], True), ("Leave out", False)):
                st.button(
                    f"{in_markdown(label)}: {short_name}",
                    key=f"decide {name} {takes_part}",
                    on_click=take_decision,
                    args=(name, takes_part),
                    type="primary" if takes_part else "secondary",
                )
        elif standing.status in (Status.DECIDE, Status.CHECK):
            st.button(
                f"Leave out {short_name}",
                key=f"leave {name}",
                on_click=take_decision,
                args=(name, False),
            )
            if standing.status is Status.CHECK:
                st.button(
                    f"Keep {short_name}", key=f"keep {name}", on_click=_keep, args=(name,)
                )
        if name in identifiers:
            with st.popover(f"Draw IDs for {short_name}", key=f"draw {name}"):
                ask_pattern(name)


def _switch(draft: Draft, name: str, standing: Standing) -> None:
    """Show the switch whether a column goes on; it is off with a reason if it cannot."""
    tied = state.tie(
        f"goes on {name} {state.number('card')}",
        name in draft.chosen_names,
        lambda takes_part: _take_part(name, takes_part),
    )
    st.toggle(
        "Goes on into the synthetic table",
        disabled=bool(standing.lock),
        help=in_markdown(standing.lock) if standing.lock else None,
        **tied,
    )


def _take_part(name: str, takes_part: bool) -> None:
    state.put(state.draft().with_part(name, takes_part).change(open_column=name))


@state.guard
def take_decision(name: str, takes_part: bool) -> None:
    """Record whether a column goes on, and open the next one that waits for a decision."""
    decided = state.draft().with_part(name, takes_part)
    waiting = questions_of(decided, troubles())
    following = next((other for other in waiting if other != name), name)
    state.put(decided.change(open_column=following))
    renew()


@state.guard
def _keep(name: str) -> None:
    """Keep a column in spite of a remark."""
    current = state.draft()
    state.put(current.change(accepted=current.accepted | {name}, open_column=name))
