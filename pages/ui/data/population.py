"""The dataset of a table: the population whose budget it spends."""

import streamlit as st

from pages.ui.shell import state
from pages.ui.shell.release import Source
from synth.foreign import in_markdown


def population(source: Source) -> bool:
    """Nothing is preselected if the ledger knows other datasets: an updated table has the
    same people, and must not silently get its own budget."""
    if not source.mark:
        return True  # a rehearsal
    there = state.ledger().datasets()
    st.selectbox(
        "Whose data is this?",
        [*dict.fromkeys((*there, *filter(None, [source.people])))],
        placeholder="Choose a population, or type a new name",
        accept_new_options=True,
        help="Name the people, not the file. A new version of a table is about the same "
        "people, even if it has more rows.",
        **state.tie("people", source.people or None, state.set_people),
    )
    st.caption("All tables about the same people share one budget.")
    if not source.people:
        st.info("Say whose data this is to go on.", icon=":material/groups:")
        return False
    return source.people in there or _ask_again(source)


def _ask_again(source: Source) -> bool:
    held = state.ledger().known_as(source.mark)
    alike = state.ledger().look_alikes(source.people)
    if not held and not alike:
        return True
    new = in_markdown(source.people)
    what = (
        f"This very table was released before as {in_markdown(held[0])}."
        if held
        else f"There is a population {in_markdown(alike[0])}, which looks like {new}."
    )
    st.warning(
        f"{what} Choose it above, unless these are other people.", icon=":material/groups:"
    )
    return st.checkbox(
        f"Give {new} a budget of its own all the same", key=f"new {source.people}"
    )
