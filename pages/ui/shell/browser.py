"""The browser of a session, by a cookie and a secret that only this server's pages have.

A browser sends a cookie to every server of the machine. Only pages of the same address and port can
read what a page stores, so no other server gets the secret. The page makes the secret and sends it
over its own connection. No script can read the cookie.
"""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit import runtime

from pages.ui.shell.hosts import COOKIE

# The component's key among the widgets.
KEY = "browser"

# Characters of a secret.
_SHORTEST = 32

JS = Path(__file__).with_name("browser.js").read_text(encoding="utf-8")
_mount = st.components.v2.component("browser", js=JS)


def ask_secret(take: Callable[[], None]) -> bool:
    """Return whether the page's secret is there."""
    return _mount(key=KEY, on_secret_change=take).secret is not None


def read_cookie() -> str:
    sent = st.context.cookies.get(COOKIE) if runtime.exists() else None
    return sent if isinstance(sent, str) else ""


def browser_key(secret: Any) -> str:
    """Return a name of this browser that reveals neither cookie nor secret; empty without both."""
    if not read_cookie() or not isinstance(secret, str) or len(secret) < _SHORTEST:
        return ""
    return sha256(f"{read_cookie()} {secret}".encode()).hexdigest()[:32]
