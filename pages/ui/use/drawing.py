"""Rows of a bundle drawn again: under a condition, or with typed shares."""

import streamlit as st

from pages.ui.shell import state
from pages.ui.shell.dummies import read_typed_shares, take_drawn
from pages.ui.use.choices import Using
from synth import limits
from synth.bundle import draw_more, request_rows

_DRAWN = "used_drawn"


def draw_again(opened: Using) -> None:
    """Show the form that draws more rows of a release, and the download of drawn ones.

    Rows can fulfil a condition, or have shares of a column that the user sets.
    """
    st.markdown(
        "Draw more rows of the release, for free: of a group, or with shares that you set. "
        "Do not read shares off such rows. Use *Ask* for that."
    )
    rows_place, condition_place = st.columns([2, 5])
    rows_place.number_input("Rows", 1, limits.ROWS_MAX, value=1_000, key="used_rows")
    condition_place.text_input(
        "Condition", key="used_where", placeholder="region = north and age >= 60"
    )
    st.text_input("Shares of a column", key="used_shares", placeholder="sex: f=0.5, m=0.5")
    st.button("Draw the rows", icon=":material/casino:", on_click=_draw, args=(opened,))
    take_drawn(f"{_DRAWN} {opened.certificate}", "set_shares.zip")


@state.guard
def _draw(opened: Using) -> None:
    """Draw rows by the typed condition and shares, and store their file for the download.

    SynthError if a condition or share is invalid.
    """
    place = f"{_DRAWN} {opened.certificate}"
    state.keep(place, None)  # if this drawing fails, no earlier file is offered
    shares = read_typed_shares(str(state.read_value("used_shares") or ""))
    rows = int(state.read_value("used_rows") or 1)
    where = str(state.read_value("used_where") or "")
    with state.while_open():
        result = opened.analysis.result
        # An empty condition is none; so are empty shares.
        request = request_rows(result.plan.domain, rows, where=where, shares=shares)
        drawing = draw_more(result, opened.certificate, request)
        state.keep(place, drawing.write_archive(state.folder().fresh() / "set_shares.zip"))
