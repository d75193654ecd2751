"""The protected unit: one row, or all rows of one person."""

import streamlit as st

from pages.ui.plan.pricing import price_of_unit, say_price
from pages.ui.shell import state
from pages.ui.shell.charts import Lane, badge
from pages.ui.shell.draft import Draft
from pages.ui.shell.numbers import say_count
from pages.ui.shell.release import Source
from synth.foreign import in_markdown
from synth.privacy import Neighbors, Unit
from synth.util import explain_word

NEIGHBORS = {
    Neighbors.REPLACE_ONE: (
        "**Replace one row.** The number of rows is public and stays exact; noise of scale "
        "2/epsilon."
    ),
    Neighbors.ADD_REMOVE: (
        "**Add or remove one row.** The number of rows is private too; noise of scale "
        "1/epsilon, and the synthetic table's size is noisy."
    ),
}
PERSONS = {
    Neighbors.REPLACE_ONE: (
        "**Replace one person,** with all rows. The number of rows is private; noise of "
        "scale {}/epsilon."
    ),
    Neighbors.ADD_REMOVE: (
        "**Add or remove one person,** with all rows. The number of rows is private; noise "
        "of scale {}/epsilon."
    ),
}


def unit(draft: Draft) -> None:
    """Show the choice of the column that identifies persons, and how many rows of one count.

    Without such a column the guarantee protects one row.
    """
    assert draft.source is not None  # the page stops before if there is no table
    _propose_key(draft, draft.source)
    header = dict.fromkeys(draft.source.table.header)
    person_place, rows_place = st.columns([3, 2], vertical_alignment="bottom")
    person_place.selectbox(
        "Whose row is it?",
        ["", *header],
        format_func=_name_person,
        help="Choose the column that names the person, and the guarantee protects all rows "
        "of a person together. The synthetic table need not have this column.",
        **state.tie("person", draft.person if draft.person in header else "", take_person),
    )
    if not draft.person:
        st.caption(
            "The guarantee protects one row. If a person can have several rows, choose the "
            "column that names the person."
        )
        return
    tied = state.tied_choice("max_rows")
    rows_place.number_input(
        "Most rows of one person that count", min_value=1, max_value=1_000, step=1, **tied
    )
    rows = "one row" if draft.max_rows == 1 else f"{draft.max_rows} rows"
    st.caption(
        "The guarantee protects all rows of a person together. If a person has more rows, "
        f"{rows} count: a public rule chooses them, and looks at nobody else. Synth leaves "
        f"out rows where {in_markdown(repr(draft.person))} is empty, missing or unreadable. "
        "Noise grows with the rows that count, and the number of rows is private."
    )
    price_of_unit(draft)


def _propose_key(draft: Draft, source: Source) -> None:
    """Offer to protect all rows of a person if a column of keys repeats. PRIVATE.

    Nothing is offered once a column is chosen.
    """
    if draft.person or not source.key:
        return
    badge(Lane.PRIVATE)
    text_place, button_place = st.columns([3, 1], vertical_alignment="center")
    name = in_markdown(repr(source.key))
    each = say_count(source.key_rows, "row")
    text_place.info(
        f"Values of {name} repeat. If they are persons, protect each of them with up to "
        f"{each}: {_say_kept(source)}",
        icon=":material/groups:",
    )
    button_place.button(
        f"Protect each {name}",
        key="take_key",
        on_click=_take_key,
        args=(source,),
        help=f"Chooses the column below, and that {each} of each count. Both are taken from "
        "the rows, and the certificate says so.",
    )
    st.caption(in_markdown(say_price(draft, Unit(source.key, source.key_rows))))


def _say_kept(source: Source) -> str:
    """Return how many rows count with the proposal, as the end of a sentence. PRIVATE."""
    all_rows = say_count(source.rows_with_key, "row")
    if not source.rows_beyond:
        return f"that keeps all {all_rows} with a key."
    return (
        f"that keeps {source.rows_with_key - source.rows_beyond:,} of {all_rows} with a key. "
        f"It leaves out {say_count(source.rows_beyond, 'row')} of persons who have more."
    )


@state.guard
def _take_key(source: Source) -> None:
    """Choose the proposed column of keys as the one that names the person.

    Column and number of rows come from the rows, and the certificate says so.
    """
    state.change(person=source.key, max_rows=source.key_rows, looked=True)


def _name_person(column: str) -> str:
    return f"The column '{column}' says" if column else "Each row is one person"


def choose_neighbours(draft: Draft) -> None:
    """Show the choice of the neighbouring tables: one row or person replaced, or added.

    The words name the noise scale as a multiple of 1/epsilon.
    """
    words = NEIGHBORS
    if draft.person:
        # The most by which one person can change the counts, summed over all cells.
        words = {
            relation: text.format(draft.max_rows * relation.sensitivity)
            for relation, text in PERSONS.items()
        }
    st.radio(
        "What the guarantee compares",
        [*words],
        format_func=words.__getitem__,
        help=explain_word("neighbours"),
        **state.tied_choice("neighbors"),
    )


def take_person(name: str) -> None:
    """Store the column that identifies persons; empty if each row is one person."""
    state.change(person=name, max_rows=state.draft().max_rows if name else 1)
