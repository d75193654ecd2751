"""The dataset of a table: the population whose budget it spends."""

from collections.abc import Sequence

import streamlit as st

from pages.ui.shell import budgets, state
from pages.ui.shell.release import Source
from synth.errors import name_some
from synth.foreign import in_markdown

# Most datasets of the ledger that a sentence names.
NAMED_PEOPLE = 5


def population(source: Source) -> bool:
    """Show whose budget a spend on a table takes; return whether that is known.

    The page Data asks for it, and fills in the name of the file. It is asked again only if
    it is not known, or if it may be a slip: an updated table is about the same people, and
    must not silently get its own budget.
    """
    if not source.mark:
        return True  # a simulated table, which no ledger counts
    datasets = budgets.ledger().datasets()
    if source.people in datasets or (source.people and not _doubt(source)):
        st.caption(
            f"This takes from the budget of **{in_markdown(source.people)}**. "
            f"{_say_shared(source, datasets)} You can change whose data "
            "this is on the page Data."
        )
        return True
    ask_people(source)
    if not source.people:
        st.info("Say whose data this is to go on.", icon=":material/groups:")
        return False
    return _ask_again(source)


def ask_people(source: Source) -> None:
    """Show the choice of a table's dataset."""
    datasets = budgets.ledger().datasets()
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
        **state.tie("people", source.people or None, budgets.set_people),
    )
    st.caption(_say_shared(source, datasets))


def _say_shared(source: Source, datasets: Sequence[str]) -> str:
    """Return that people share a budget, and which others the ledger knows if they are new.

    Args:
        source: The table.
        datasets: The datasets that the ledger knows.
    """
    sentence = "All tables about the same people share one budget."
    if datasets and source.people and source.people not in datasets:
        known_people = name_some([*map(repr, datasets)], NAMED_PEOPLE)
        sentence += (
            f" {in_markdown(repr(source.people))} is new here and gets a budget of its own. "
            f"If the table is about the people of {in_markdown(known_people)}, choose that "
            "name instead."
        )
    return sentence


def _doubt(source: Source) -> str:
    """Return why the people of a table may be others than said; empty without a doubt.

    The ledger knows this very table, or a similar name: the same people could get a second
    budget by mistake.
    """
    released_names = budgets.ledger().known_as(source.mark)
    if released_names:
        return f"This very table was released before as {in_markdown(released_names[0])}."
    similar_names = budgets.ledger().look_alikes(source.people)
    if similar_names:
        name, dataset = in_markdown(similar_names[0]), in_markdown(source.people)
        return f"There is a population {name}, which looks like {dataset}."
    return ""


def _ask_again(source: Source) -> bool:
    """Show the doubt about the people, and a tick; return whether they may get a budget."""
    dataset = in_markdown(source.people)
    st.warning(
        f"{_doubt(source)} Choose it above, unless these are other people.",
        icon=":material/groups:",
    )
    return st.checkbox(
        f"Give {dataset} a budget of its own all the same", key=f"new {source.people}"
    )
