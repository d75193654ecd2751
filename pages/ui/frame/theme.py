"""The switch between light and dark in the header.

Streamlit has it in the menu at the top right, where few look. The switch chooses there, so
that nothing is loaded anew.
"""

from pathlib import Path

import streamlit as st

# With the style of the whole header.
CSS = Path(__file__).with_name("header.css").read_text(encoding="utf-8")
JS = Path(__file__).with_name("theme.js").read_text(encoding="utf-8")
_mount = st.components.v2.component("theme", css=CSS, js=JS, isolate_styles=False)


def theme_switch() -> None:
    """Show the button that changes from light to dark, or back."""
    _mount(key="theme", width="content")
