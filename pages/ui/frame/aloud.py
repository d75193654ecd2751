"""Names for a screen reader, where Streamlit has none that says what a part is about.

Bars are called "progress" by Streamlit, and the buttons of all lists "Open".
"""

from pathlib import Path

import streamlit as st

JS = Path(__file__).with_name("aloud.js").read_text(encoding="utf-8")
_mount = st.components.v2.component("aloud", js=JS)


def name_parts() -> None:
    """Mount the script that gives these parts their names on every page."""
    with st.sidebar:
        _mount(key="aloud")
