"""The table of columns: one row each, with a tick, and a button that opens its card.

Streamlit's own tables are drawn on a canvas, which a screen reader, a browser's translation
and a narrow window know little of. This one is an HTML table."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from pages.ui.domain.column import renew
from pages.ui.domain.standing import GOES_ON, Standing
from pages.ui.shell import state
from pages.ui.shell.draft import Draft
from pages.ui.shell.numbers import say_count
from synth.foreign import line

KEY = "columns"
# Most rows of the table. A browser takes minutes for those of a hostile description.
MAX_ROWS = 1_000
# Most characters of an example.
EXAMPLE_LENGTH = 40

_parts = {
    kind: Path(__file__).with_name(f"columns.{kind}").read_text(encoding="utf-8")
    for kind in ("html", "css", "js")
}
_mount = st.components.v2.component("columns", **_parts, isolate_styles=False)


def show_columns(
    draft: Draft, names: Sequence[str], standings: Mapping[str, Standing], *, open_column: str
) -> None:
    """Show the named columns as a table. PRIVATE after a look at the rows.

    Of more than `MAX_ROWS` columns the first ones are shown, and a sentence says so.

    Args:
        draft: All choices of the session.
        names: The columns, in order.
        standings: The standing of each column, by its name.
        open_column: The column whose card is shown beside the table.
    """
    data = {
        "caption": f"{say_count(len(names), 'column')}, each with its description",
        "looked": bool(draft.look),
        "open": open_column,
        "rows": [_write_row(draft, standings[name]) for name in names[:MAX_ROWS]],
    }
    _mount(
        key=KEY,
        data=data,
        on_opened_change=state.guard(take_opened),
        on_ticked_change=state.guard(take_tick),
    )
    if len(names) > MAX_ROWS:
        st.caption(
            f"These are the first {MAX_ROWS:,} of {say_count(len(names), 'column')}. "
            "Search for the others by their names."
        )


def _write_row(draft: Draft, standing: Standing) -> dict[str, Any]:
    """Return what the browser shows of a column."""
    looked = draft.look.get(standing.name)
    return {
        "name": standing.name,
        "on": standing.status in GOES_ON,
        "lock": standing.lock,
        "status": standing.status.name.lower(),
        "word": standing.status.value,
        "kind": standing.kind if standing.values else "",
        "values": line(standing.values),
        "lost": [line(text) for text in standing.lost],
        "example": line(looked.example, EXAMPLE_LENGTH) if looked is not None else "",
        "bars": list(draft.bars.get(standing.name, ())),
    }


def take_opened() -> None:
    """Open the card of the column whose row was chosen in the browser."""
    value = state.read_value(KEY)
    name = "" if value is None else str(value.opened or "")
    if name in _names():
        state.change(open_column=name)


def take_tick() -> None:
    """Let the column take part whose tick was set in the browser, or leave it out."""
    value = state.read_value(KEY)
    ticked = None if value is None else value.ticked
    if isinstance(ticked, Mapping) and ticked.get("name") in _names():
        state.put(state.draft().with_part(str(ticked["name"]), bool(ticked.get("on"))))
        renew()


def _names() -> set[str]:
    return {field["name"] for field in state.draft().fields}
