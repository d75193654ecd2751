"""The link at the top of a step to its button *Next*, which is at the end of the page.

It is seen while it has the focus, right after the title: so *Next* is two keys away, however
much a page holds.
"""

from pathlib import Path

import streamlit as st

CSS = Path(__file__).with_name("way_on.css").read_text(encoding="utf-8")
JS = Path(__file__).with_name("way_on.js").read_text(encoding="utf-8")
# The key of the container of the button.
PLACE = "way_on"
_mount = st.components.v2.component("way_on", css=CSS, js=JS, isolate_styles=False)


def link_to_next(title: str) -> None:
    """Show the link. ``title`` is that of the next step."""
    with st.container(key="skip"):
        _mount(key="skip_to_next", data={"label": f"Go to Next: {title}", "place": PLACE})
