"""All other tools of the step Domain, in one section that is closed at first."""

import streamlit as st

from pages.ui.domain.deriving import add_derived
from pages.ui.domain.dummy import make_dummy
from pages.ui.domain.identifying import add_identifiers
from pages.ui.domain.importing import draft_from_table, import_files
from pages.ui.domain.left_out import list_left_out
from pages.ui.domain.meter import meter
from pages.ui.domain.overview import edit_several, missing_spellings, spreadsheet
from pages.ui.shell.draft import Draft


def more(draft: Draft, *, is_begun: bool) -> None:
    """Show all other tools in one section, each closed at first.

    Args:
        draft: All choices of the session.
        is_begun: Whether a column is described. Before, the page has the tools that begin a
            description above the table.
    """
    with st.expander(
        "More: files, spreadsheet, several columns, rules, IDs, dummy, size",
        icon=":material/more_horiz:",
    ):
        # A place of its own, so that no section below moves, and closes, at the first column.
        with st.container():
            if is_begun:
                import_files(draft)
                draft_from_table(draft, expanded=False)
        with st.expander("All columns as a spreadsheet", icon=":material/table:"):
            spreadsheet(draft)
            missing_spellings(draft)
        edit_several(draft)
        add_derived(draft)
        add_identifiers(draft)
        make_dummy(draft)
        if is_begun:
            list_left_out(draft)
        if draft.domain is not None:
            with st.expander("Size and noise", icon=":material/grid_on:"):
                meter(draft, draft.domain)
