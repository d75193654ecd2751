"""A code book of any shape: the steward chooses the role of each of its columns."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.ui.domain.column import renew
from pages.ui.shell import state
from pages.ui.shell.numbers import say_count
from synth.domain import ROLES, Sheet, read_codebooks
from synth.foreign import in_markdown, line

ROWS_SHOWN = 5


@dataclass(frozen=True)
class Mapped:
    """A data dictionary whose columns have no known roles yet.

    Attributes:
        name: Its name.
        content: The bytes of the file.
        sheet: The cells of the sheet, as texts.
    """

    name: str
    content: bytes
    sheet: Sheet


def waiting_sheet() -> Mapped | None:
    """Return the data dictionary that waits for the roles of its columns."""
    waiting: Mapped | None = state.read_value("codebook_waiting")
    return waiting


def ask_roles(name: str, content: bytes, sheet: Sheet) -> None:
    """Store a data dictionary that waits for the user to say what its columns mean.

    Args:
        name: The file's name.
        content: The bytes of the file.
        sheet: The cells of the sheet, as texts.
    """
    state.write("codebook_waiting", Mapped(name, content, sheet))
    state.advance("codebook")  # so that the form's widgets start empty


def mapping() -> None:
    """Show a form that asks what each column of a waiting data dictionary means.

    The first rows of the dictionary are shown above it.
    """
    mapped = waiting_sheet()
    if mapped is None:
        return
    sheet = mapped.sheet
    with st.container(border=True):
        st.markdown(
            f"**{in_markdown(mapped.name)}** has {say_count(len(sheet.header), 'column')} "
            f"and {say_count(sheet.count, 'row')}. Say what each column means. A row may "
            "describe a column or one value; only the first row of a column needs its name."
        )
        number = state.number("codebook")
        is_titled = not sheet.has_titles and st.checkbox(
            "The first row holds titles", key=f"titles_{number}"
        )
        sheet = sheet.with_titles() if is_titled else sheet
        first_rows = [*sheet.rows[:ROWS_SHOWN]]
        # Numbered, as several columns may have the same title.
        titles = [f"{i}. {line(title, 40)}" for i, title in enumerate(sheet.header, 1)]
        rows = []
        for row in first_rows:
            texts = [line(cell, 80) for cell in row]
            rows.append(dict(zip(titles, texts, strict=True)))
        st.dataframe(rows, hide_index=True, alt="The first rows of the data dictionary.")
        roles = _roles(sheet, number)
        use_column, leave_column = st.columns(2)
        use_column.button(
            "Use this data dictionary",
            on_click=_take,
            args=(mapped, roles, is_titled),
            type="primary",
            disabled="name" not in roles,
            help=None if "name" in roles else "Say which column holds the names.",
        )
        leave_column.button(
            "Leave it", on_click=state.guard(state.write), args=("codebook_waiting", None)
        )


def _roles(sheet: Sheet, number: int) -> dict[str, int]:
    """Ask which column of a data dictionary has which role; return columns by role.

    A role is such as ``name``, ``value`` or ``label``; a column is its position from 0. A
    role without a column is not returned. In a sheet of up to three untitled columns, the
    default is name, value and label.

    Args:
        sheet: The cells of the dictionary.
        number: A number for the keys of the widgets, new for each file.
    """
    width = len(sheet.header)
    usual_roles = {"name": 0, "value": 1, "label": 2} if width < 4 else {}
    # The roles that its titles say; without known titles the usual ones.
    guessed = sheet.roles or {
        role: place for role, place in usual_roles.items() if place < width
    }

    def write_place(place: int) -> str:
        """Return a column's number and title; -1 stands for none."""
        return "not in it" if place < 0 else f"{place + 1}. {line(sheet.header[place], 40)}"

    roles = {}
    places = st.columns(3)
    for i, (role, words) in enumerate(ROLES.items()):
        key = f"role_{role}_{number}_{sheet.has_titles}"
        state.seed(key, guessed.get(role, -1))
        chosen = places[i % 3].selectbox(
            words.capitalize(),
            [-1, *range(len(sheet.header))],
            format_func=write_place,
            key=key,
        )
        if chosen >= 0:
            roles[role] = chosen
    return roles


@state.guard
def _take(mapped: Mapped, roles: dict[str, int], is_titled: bool) -> None:
    """Read a data dictionary with the chosen roles, and take its declaration.

    Args:
        mapped: The waiting file.
        roles: The position of the column that has each role.
        is_titled: Whether its first row holds titles.
    """
    with state.while_open():
        codebook = read_codebooks(
            [(mapped.name, mapped.content)], roles=roles, titled=is_titled
        )
    declare(*codebook)
    state.write("codebook_waiting", None)


def declare(document: Mapping[str, Any], notes: list[str]) -> None:
    """Replace the declaration by an imported one, and show the notes on its gaps.

    Args:
        document: A Table Schema.
        notes: Sentences on what the file leaves open.
    """
    changed = state.draft().with_declaration(document)
    state.put(changed)
    all_notes = dict.fromkeys((*changed.notes, *notes))  # each once
    state.change(notes=tuple(all_notes))
    renew()
