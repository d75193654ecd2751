"""Each page starts at its top, wherever the focus was; links to steps say their states.

A button at the end of a long page would lead to the end of the next one. A pressed widget
that vanishes loses the focus, and a screen reader restarts at the navigation."""

from collections.abc import Mapping
from pathlib import Path

import streamlit as st

CSS = Path(__file__).with_name("style.css").read_text(encoding="utf-8")
JS = Path(__file__).with_name("top.js").read_text(encoding="utf-8")
_mount = st.components.v2.component("top", css=CSS, js=JS, isolate_styles=False)


def top(page: str, states: Mapping[str, str]) -> None:
    """Mount the script that scrolls up, and that says the state of each step in its link."""
    _mount(key="top", data={"page": page, "states": dict(states)})
