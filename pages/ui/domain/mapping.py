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
    name: str
    content: bytes
    sheet: Sheet


def waiting_sheet() -> Mapped | None:
    kept: Mapped | None = state.said("codebook_waiting")
    return kept


def ask_roles(name: str, content: bytes, sheet: Sheet) -> None:
    state.write("codebook_waiting", Mapped(name, content, sheet))
    state.advance("codebook")


def mapping() -> None:
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
        titled = not sheet.has_titles and st.checkbox(
            "The first row holds titles", key=f"titles_{number}"
        )
        sheet = sheet.with_titles() if titled else sheet
        shown = [*sheet.rows[:ROWS_SHOWN]]
        titles = [f"{i}. {line(title, 40)}" for i, title in enumerate(sheet.header, 1)]
        rows = [
            dict(zip(titles, (line(cell, 80) for cell in row), strict=True)) for row in shown
        ]
        st.dataframe(rows, hide_index=True)
        roles = _roles(sheet, number)
        left, right = st.columns(2)
        left.button(
            "Use this data dictionary",
            on_click=_take,
            args=(mapped, roles, titled),
            type="primary",
            disabled="name" not in roles,
            help=None if "name" in roles else "Say which column holds the names.",
        )
        right.button(
            "Leave it", on_click=state.guard(state.write), args=("codebook_waiting", None)
        )


def _roles(sheet: Sheet, number: int) -> dict[str, int]:
    # Two or three untitled columns are name, value and label.
    width, roles = len(sheet.header), {}
    usual = {"name": 0, "value": 1, "label": 2} if width < 4 else {}
    guessed = sheet.roles or {role: place for role, place in usual.items() if place < width}
    places = st.columns(3)
    for i, (role, words) in enumerate(ROLES.items()):
        key = f"role_{role}_{number}_{sheet.has_titles}"
        state.seed(key, guessed.get(role, -1))
        chosen = places[i % 3].selectbox(
            words.capitalize(),
            [-1, *range(len(sheet.header))],
            format_func=lambda p: (
                "not in it" if p < 0 else f"{p + 1}. {line(sheet.header[p], 40)}"
            ),
            key=key,
        )
        if chosen >= 0:
            roles[role] = chosen
    return roles


@state.guard
def _take(mapped: Mapped, roles: dict[str, int], titled: bool) -> None:
    with state.while_open():
        found = read_codebooks([(mapped.name, mapped.content)], roles=roles, titled=titled)
    declare(*found)
    state.write("codebook_waiting", None)


def declare(document: Mapping[str, Any], notes: list[str]) -> None:
    now = state.draft().with_declaration(document)
    state.put(now)
    state.change(notes=tuple(dict.fromkeys((*now.notes, *notes))))
    renew()
