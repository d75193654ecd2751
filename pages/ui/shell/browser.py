"""The browser of a session, by a secret that only this server's pages have.

Only pages of the same address and port can read what a page stores, so no other server gets
the secret. The page makes it and sends it over its own connection. A cookie has no part in
this: a browser sends it to every server of the machine, and each of them can replace it."""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit import runtime

# The component's key among the widgets.
KEY = "browser"

# Fewest characters of a secret.
_MIN_SECRET_LENGTH = 32

JS = Path(__file__).with_name("browser.js").read_text(encoding="utf-8")
_mount = st.components.v2.component("browser", js=JS)


def ask_secret(take: Callable[[], None]) -> bool:
    """Return whether the page has sent its secret; ``take`` is called when it arrives."""
    return _mount(key=KEY, on_secret_change=take).secret is not None


def is_browser() -> bool:
    """Return whether the session's client can be asked for a secret, as every browser can."""
    agent = st.context.headers.get("User-Agent") if runtime.exists() else None
    return isinstance(agent, str) and agent.startswith("Mozilla/")


def browser_key(secret: Any) -> str:
    """Return a key for this browser, a digest of its secret; empty for an invalid secret.

    The key does not reveal the secret.
    """
    if not isinstance(secret, str) or len(secret) < _MIN_SECRET_LENGTH:
        return ""
    # 128 bits of the digest, which no two browsers share by chance.
    return sha256(secret.encode(errors="replace")).hexdigest()[:32]
