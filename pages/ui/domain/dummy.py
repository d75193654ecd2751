"""A dummy table of the declaration, for writing code before access to the data."""

import streamlit as st

from pages.ui.shell import state
from pages.ui.shell.draft import Draft
from pages.ui.shell.dummies import read_typed_shares, take_drawn
from synth import limits
from synth.bundle import draw_dummy
from synth.domain import Domain
from synth.errors import DomainError

_MADE = "dummy_made"


def make_dummy(draft: Draft) -> None:
    """Show the form of a dummy table, and its file.

    Its rows are drawn from the declaration alone. The file is offered only while the
    declaration is the one from which it was made.
    """
    with st.expander("Dummy table", icon=":material/science:"):
        st.markdown(
            "Make a table from the declaration alone, so that others can write code before "
            "they have access. It has the right columns and types. It says no more than the "
            "declaration and costs nothing."
        )
        st.number_input(
            "Rows of the dummy", 1, limits.ROWS_MAX, value=1_000, key="dummy_rows"
        )
        st.text_input(
            "Shares (empty: all cells alike)",
            key="dummy_shares",
            placeholder="sex: f=0.6, m=0.4",
            help="Put a semicolon between columns. Other cells share the rest.",
        )
        st.button(
            "Make a dummy",
            icon=":material/casino:",
            on_click=_make,
            disabled=draft.domain is None,
        )
        if state.read_value(f"{_MADE} of") == draft.domain:
            take_drawn(_MADE, "dummy.zip")


@state.guard
def _make() -> None:
    """Draw a dummy table from the declaration, and store its file for the download.

    Raises:
        SynthError: No column is declared, or the typed shares are invalid.
    """
    domain: Domain | None = state.draft().domain
    if domain is None:
        raise DomainError("Describe a column first.")
    state.keep(_MADE, None)  # if this one fails, no earlier file is offered
    shares = read_typed_shares(str(state.read_value("dummy_shares") or ""))
    dummy = draw_dummy(domain, int(state.read_value("dummy_rows") or 1), shares)
    state.keep(_MADE, dummy.write_archive(state.folder().fresh() / "dummy.zip"))
    state.keep(f"{_MADE} of", domain)
