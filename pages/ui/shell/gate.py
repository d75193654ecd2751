"""Sign-in, where the server has one: Streamlit's OpenID Connect, and a list of who may come in.

It is on where ``.streamlit/secrets.toml`` has an ``[auth]`` section. Then only addresses named in
``SYNTH_USERS`` (between commas) are let in; an empty list lets nobody in.
"""

import os
from hashlib import sha256

import streamlit as st
from streamlit import runtime
from streamlit.errors import StreamlitSecretNotFoundError

from pages.ui.shell.hosts import COOKIE
from pages.ui.shell.top import top
from synth.foreign.text import in_markdown


def admitted(address: str | None, listed: str, *, verified: bool = True) -> bool:
    """Whether an address is on the list; one that its provider did not verify is not.

    >>> admitted("Ann@example.org", "bo@example.org, ann@example.org"), admitted(None, "")
    (True, False)
    """
    users = {user.strip().casefold() for user in listed.split(",")} - {""}
    return verified and address is not None and address.casefold() in users


def signed_in() -> str:
    """The address of who has signed in; empty where nobody has to."""
    return str(st.user.get("email", "")) if _configured() else ""


def visitor() -> str:
    """Whose projects are shown: of who has signed in or, where nobody has to, of this browser.

    Empty where that is not known; nobody's projects are shown then. The browser's key stands in no
    file: only its digest does.
    """
    if _configured():
        return signed_in()
    key = browser_key()
    return f"browser {sha256(key.encode()).hexdigest()[:32]}" if key else ""


def browser_key() -> str:
    """The key that the doorman gave this browser."""
    try:
        return str(st.context.cookies.get(COOKIE, "")) if runtime.exists() else ""
    except RuntimeError:
        return ""


def gate() -> None:
    """Stop here for whoever is not admitted, before anything is shown."""
    if not _configured():
        return
    if not st.user.is_logged_in:
        top("gate", {})
        st.title("Synth")
        st.markdown("Please sign in.")
        st.button("Sign in", type="primary", on_click=st.login)
        st.stop()
    address = st.user.get("email")
    known = str(address) if address else None
    verified = st.user.get("email_verified", False) is True
    if not admitted(known, os.environ.get("SYNTH_USERS", ""), verified=verified):
        name = in_markdown(known or "This account")
        st.error(f"{name} is not on the list of this server's users; ask who runs it.")
        st.button("Sign out", on_click=st.logout)
        st.stop()


def _configured() -> bool:
    try:
        return "auth" in st.secrets
    except StreamlitSecretNotFoundError:
        return False
