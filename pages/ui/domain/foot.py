"""The end of the page: what goes on and what is out; the question before the next step."""

from collections.abc import Mapping, Sequence

import streamlit as st

from pages.ui.domain.card import NAME_LENGTH
from pages.ui.domain.column import renew
from pages.ui.domain.overview import troubles
from pages.ui.domain.remarks import questions_of
from pages.ui.domain.standing import (
    NAMED_COLUMNS,
    Standing,
    Status,
    list_standings,
    sum_up,
    waiting_names,
)
from pages.ui.shell import state
from pages.ui.shell.charts import Lane, badge
from pages.ui.shell.numbers import say_count
from synth.foreign import in_markdown, line

# Keys of the session: whether the question is open, and whether it was answered.
ASKING = "asks before the plan"
ANSWERED = "goes to the plan"
PLAN = "pages/steps/plan.py"
AGREEING = "You agree to what is lost of their values. The certificate says so."
# Most columns that a button names.
NAMED_ON_BUTTON = 2


def foot(standings: Mapping[str, Standing]) -> None:
    """Show what goes on, what waits and what is out, by name, with a button to take in.

    Before the first column is described, the sentence above the table is enough.
    """
    if all(standing.status is Status.BLANK for standing in standings.values()):
        return
    with st.container(border=True, key="foot"):
        st.markdown(f"**{in_markdown(sum_up(standings))}**")
        names = takeable_names(standings)
        if names:
            st.button(
                f"Take in {in_markdown(_name_columns(names))}",
                key="take in waiting",
                icon=":material/add:",
                on_click=take_in,
                args=(names,),
                help=AGREEING,
            )


def takeable_names(standings: Mapping[str, Standing]) -> list[str]:
    """Return the columns that wait and can be taken in, as they are described."""
    return [name for name in waiting_names(standings) if not standings[name].lock]


@state.guard
def take_in(names: Sequence[str]) -> None:
    """Let columns take part, and so agree to what they lose."""
    _decide(names, takes_part=True)


def _decide(names: Sequence[str], *, takes_part: bool) -> None:
    """Store in the draft whether these columns take part in releases."""
    changed = state.draft()
    for name in names:
        changed = changed.with_part(name, takes_part)
    state.put(changed)
    renew()


def waits() -> bool:
    """Open the question about columns that wait, and return whether there are any."""
    draft = state.draft()
    is_waiting = bool(waiting_names(list_standings(draft, questions_of(draft, troubles()))))
    state.write(ASKING, is_waiting)
    return is_waiting


def go_on() -> None:
    """Go to the next step, once the question about waiting columns was answered."""
    if state.read_value(ANSWERED):
        state.write(ANSWERED, False)
        st.switch_page(PLAN)


def ask_if_waiting(standings: Mapping[str, Standing]) -> None:
    """Show the question about waiting columns, if the button to the next step opened it."""
    if state.read_value(ASKING) and waiting_names(standings):
        _ask(standings)


def _close() -> None:
    state.write(ASKING, False)


@st.dialog("Some columns wait for you", on_dismiss=_close)
def _ask(standings: Mapping[str, Standing]) -> None:
    """Ask what becomes of columns that would be left out without a decision."""
    go_on()
    names = waiting_names(standings)
    takeable = takeable_names(standings)
    if state.draft().look:
        badge(Lane.PRIVATE)
    st.markdown(
        f"{say_count(len(names), 'column')} would stay out of the synthetic table, because "
        "nobody has decided:"
    )
    st.markdown(
        "\n".join(
            f"- **{in_markdown(name)}**: {in_markdown(_say_why(standings[name]))}"
            for name in names[:NAMED_COLUMNS]
        )
    )
    if len(names) > NAMED_COLUMNS:
        st.markdown(f"And {say_count(len(names) - NAMED_COLUMNS, 'column')} more.")
    with st.container(horizontal=True):
        if takeable:
            st.button(
                f"Take in {in_markdown(_name_columns(takeable))} and go on",
                key="dialog take in",
                type="primary",
                on_click=_answer,
                args=(takeable, names),
                help=AGREEING,
            )
        st.button(
            f"Leave out {in_markdown(_name_columns(names))} and go on",
            key="dialog leave out",
            on_click=_answer,
            args=((), names),
        )
        if st.button(f"Look at {in_markdown(_name_columns(names[:1]))}", key="dialog look"):
            _close()
            state.change(open_column=names[0])
            st.rerun()


def _say_why(standing: Standing) -> str:
    """Return what a column that waits holds and loses, in words."""
    return "; ".join(filter(None, (standing.values, *standing.lost)))


def _name_columns(names: Sequence[str]) -> str:
    """Return the names of a few columns for a button, or how many they are."""
    if len(names) > NAMED_ON_BUTTON:
        return say_count(len(names), "column")
    return " and ".join(line(name, NAME_LENGTH) for name in names)


@state.guard
def _answer(taken: Sequence[str], names: Sequence[str]) -> None:
    """Take in some of the waiting columns, leave out the others, and go to the next step."""
    _decide(taken, takes_part=True)
    _decide([name for name in names if name not in taken], takes_part=False)
    _close()
    state.write(ANSWERED, True)
