"""Our own messages if the server does not answer, or refuses a file.

Streamlit's dialog speaks of itself and of the internet, and its uploader shows a status code.
Their texts have no setting, so this script replaces them. A page that never loaded has no
script and shows the browser's message."""

from pathlib import Path

import streamlit as st

TITLE = "Disconnected"
SAYS = (
    "Synth does not answer. What you declared and chose is saved where it runs, and a "
    "release that was at work goes on, or is found again. This page connects by itself as "
    "soon as it can; if Synth was stopped, start it again; if too many of its pages are "
    "open, close some."
)

REFUSED = (
    "Refused: the file is larger than this server's limit, or your uploads (or those of all "
    "users) are. Close other tabs of Synth and wait two minutes, or ask who runs the server."
)

JS = Path(__file__).with_name("connection.js").read_text(encoding="utf-8")
_mount = st.components.v2.component("connection", js=JS)


def connection() -> None:
    """Mount the script with our messages."""
    _mount(key="connection", data={"title": TITLE, "says": SAYS, "refused": REFUSED})
