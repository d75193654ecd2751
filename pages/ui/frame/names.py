"""Names of columns, of tables and of people, which a browser must not translate.

Whoever reads the app in another language finds them as the file has them.
"""

from pathlib import Path

import streamlit as st

from pages.ui.shell.draft import Draft

# Most names that are sent to the page.
MAX_NAMES = 2_000
JS = Path(__file__).with_name("names.js").read_text(encoding="utf-8")
_mount = st.components.v2.component("names", js=JS)


def keep_names(draft: Draft) -> None:
    """Mount the script that marks these names, and all values, as not to be translated."""
    names = [field["name"] for field in draft.fields]
    if draft.source is not None:
        names += [draft.source.title, draft.source.people, *draft.source.table.header]
    unique_names = [*dict.fromkeys(name for name in names if name)]
    with st.sidebar:
        _mount(key="names", data={"names": unique_names[:MAX_NAMES]})
