"""Sign-in, if the server has one: Streamlit's OpenID Connect, and a list of admitted people.

It is on if ``.streamlit/secrets.toml`` has an ``[auth]`` section. Then it admits only
addresses in ``SYNTH_USERS`` (separated by commas); an empty list admits nobody."""

import os

import streamlit as st
from streamlit.errors import StreamlitSecretNotFoundError

from pages.ui.shell.ending import end_page
from pages.ui.shell.sign_ins import note_sign_in
from pages.ui.shell.top import top
from synth.foreign import in_markdown


def is_admitted(
    address: str | None, allowed_addresses: str, *, verified: bool = True
) -> bool:
    """Return whether an address is on the list and verified by its provider.

    Args:
        address: The address of the signed-in account; None if it has none.
        allowed_addresses: The list, separated by commas; capitals do not matter.
        verified: Whether the provider says that the address belongs to the account.

    >>> (
    ...     is_admitted("Ann@example.org", "bo@example.org, ann@example.org"),
    ...     is_admitted(None, ""),
    ... )
    (True, False)
    """
    users = {user.strip().casefold() for user in allowed_addresses.split(",")} - {""}
    return verified and address is not None and address.casefold() in users


def signed_in() -> str:
    """Return the address of the signed-in person; empty without sign-in."""
    return str(st.user.get("email", "")) if _is_configured() else ""


def visitor(browser: str) -> str:
    """Return the owner of the session's projects: the signed-in address, or the browser.

    ``browser`` is the browser's key. It is empty for an unknown browser, which has no
    projects.
    """
    if _is_configured():
        return signed_in()
    return f"browser {browser}" if browser else ""


def gate() -> None:
    """Stop the page with a request to sign in, unless its visitor is admitted.

    A server without sign-in admits everybody. Each sign-in is logged.
    """
    if not _is_configured():
        return
    if not st.user.is_logged_in:
        top("gate", {})  # the script and the style of every page
        st.title("Synth")
        st.markdown("Please sign in.")
        st.button("Sign in", type="primary", on_click=st.login)
        end_page()
    address = st.user.get("email")
    user_address = str(address) if address else None
    verified = st.user.get("email_verified", False) is True
    admitted = is_admitted(user_address, os.environ.get("SYNTH_USERS", ""), verified=verified)
    note_sign_in(user_address, admitted=admitted)
    if not admitted:
        name = in_markdown(user_address or "This account")
        st.error(f"{name} is not on the list of this server's users; ask who runs it.")
        st.button("Sign out", on_click=st.logout)
        end_page()


def _is_configured() -> bool:
    """Return whether the server's operator has set up sign-in."""
    try:
        return "auth" in st.secrets
    except StreamlitSecretNotFoundError:
        return False
