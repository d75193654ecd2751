"""Which browser a session is of: a cookie says it, and a secret that only this server's pages have.

A browser sends a cookie to every port of a host, so each server of the machine gets it. What a page
stores in the browser is read by pages of the same address only, the port included: no other server
gets it. The page makes this secret and sends it over its own connection. No script can read the
cookie.
"""

from collections.abc import Callable
from hashlib import sha256
from typing import Any

import streamlit as st
from streamlit import runtime

from pages.ui.shell.hosts import COOKIE

KEY = "browser"
"""The component, among what widgets say."""

_SHORTEST = 32
"""Characters of a secret."""

JS = """
function secret() {
  try {
    if (!localStorage.synth_secret) {
      const bytes = crypto.getRandomValues(new Uint8Array(24));
      localStorage.synth_secret = Array.from(bytes, b => b.toString(16).padStart(2, '0')).join('');
    }
    return localStorage.synth_secret;
  } catch { return ''; }  // the browser stores nothing
}
export default function ({ setStateValue }) { setStateValue('secret', secret()); }
"""

_mount = st.components.v2.component("browser", js=JS)


def ask_secret(take: Callable[[], None]) -> None:
    """Have the page say its secret.

    Args:
        take: Called before the next run of the script, when the page has said it.
    """
    _mount(key=KEY, on_secret_change=take)


def read_cookie() -> str:
    """The key that the doorman gave this browser; empty where there is none, or no server."""
    sent = st.context.cookies.get(COOKIE) if runtime.exists() else None
    return sent if isinstance(sent, str) else ""


def browser_key(secret: Any) -> str:
    """A name of this browser that tells neither its cookie nor its secret; empty without both."""
    if not read_cookie() or not isinstance(secret, str) or len(secret) < _SHORTEST:
        return ""
    return sha256(f"{read_cookie()} {secret}".encode()).hexdigest()[:32]
