"""The dataset of a table: the population whose budget it spends."""

import streamlit as st

from pages.ui.shell import state
from pages.ui.shell.release import Source
from synth.errors import name_some
from synth.foreign import in_markdown

# Most datasets of the ledger that a sentence names.
NAMED_PEOPLE = 5


def population(source: Source) -> bool:
    """Ask for the dataset of a table; return whether it is known.

    The name of the file is filled in. If the ledger knows other people, the page says so: an
    updated table is about the same people, and must not silently get its own budget.
    """
    if not source.mark:
        return True  # a simulated table, which no ledger counts
    datasets = ask_people(source)
    if not source.people:
        st.info("Say whose data this is to go on.", icon=":material/groups:")
        return False
    return source.people in datasets or _ask_again(source)


def ask_people(source: Source) -> list[str]:
    """Show the choice of a table's dataset; return the datasets that the ledger knows."""
    datasets = state.ledger().datasets()
    options = list(datasets)
    if source.people and source.people not in datasets:
        options.append(source.people)
    st.selectbox(
        "Whose data is this?",
        options,
        placeholder="Choose a population, or type a new name",
        accept_new_options=True,
        help="Name the people, not the file. A new version of a table is about the same "
        "people, even if it has more rows.",
        **state.tie("people", source.people or None, state.set_people),
    )
    sentence = "All tables about the same people share one budget."
    if datasets and source.people and source.people not in datasets:
        known_people = name_some([*map(repr, datasets)], NAMED_PEOPLE)
        sentence += (
            f" {in_markdown(repr(source.people))} is new here and gets a budget of its own. "
            f"If the table is about the people of {in_markdown(known_people)}, choose that "
            "name instead."
        )
    st.caption(sentence)
    return datasets


def _ask_again(source: Source) -> bool:
    """Return whether these people may get a budget of their own.

    A tick is asked for if the ledger knows this very table, or a similar name: the same
    people could get a second budget by mistake.
    """
    released_names = state.ledger().known_as(source.mark)
    similar_names = state.ledger().look_alikes(source.people)
    if not released_names and not similar_names:
        return True
    dataset = in_markdown(source.people)
    if released_names:
        remark = f"This very table was released before as {in_markdown(released_names[0])}."
    else:
        name = in_markdown(similar_names[0])
        remark = f"There is a population {name}, which looks like {dataset}."
    st.warning(
        f"{remark} Choose it above, unless these are other people.", icon=":material/groups:"
    )
    return st.checkbox(
        f"Give {dataset} a budget of its own all the same", key=f"new {source.people}"
    )
