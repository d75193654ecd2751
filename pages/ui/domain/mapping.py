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
        content: Its bytes.
        sheet: Its cells.
    """

    name: str
    content: bytes
    sheet: Sheet


def waiting_sheet() -> Mapped | None:
    """Return the data dictionary that waits for the roles of its columns."""
    waiting: Mapped | None = state.read_value("codebook_waiting")
    return waiting


def ask_roles(name: str, content: bytes, sheet: Sheet) -> None:
    """Let a data dictionary wait for the roles of its columns."""
    state.write("codebook_waiting", Mapped(name, content, sheet))
    state.advance("codebook")


def mapping() -> None:
    """Show the form for the roles of a waiting data dictionary."""
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
        titles = [f"{i}. {line(title, 40)}" for i, title in enumerate(sheet.header, 1)]
        rows = [
            dict(zip(titles, (line(cell, 80) for cell in row), strict=True))
            for row in first_rows
        ]
        st.dataframe(rows, hide_index=True)
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
    """Ask which column of a sheet has which role; return the chosen ones.

    Two or three untitled columns are name, value and label.
    """
    width = len(sheet.header)
    usual_roles = {"name": 0, "value": 1, "label": 2} if width < 4 else {}
    guessed = sheet.roles or {
        role: place for role, place in usual_roles.items() if place < width
    }

    def write_place(place: int) -> str:
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
    """Read a sheet with the chosen roles as the description."""
    with state.while_open():
        codebook = read_codebooks(
            [(mapped.name, mapped.content)], roles=roles, titled=is_titled
        )
    declare(*codebook)
    state.write("codebook_waiting", None)


def declare(document: Mapping[str, Any], notes: list[str]) -> None:
    """Take over a description, with notes on it."""
    changed = state.draft().with_declaration(document)
    state.put(changed)
    state.change(notes=tuple(dict.fromkeys((*changed.notes, *notes))))
    renew()
