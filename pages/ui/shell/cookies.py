"""Cookies of other servers: the app works with any of them as without.

Browsers send a cookie to every port of a host, and each of them may set, replace and delete
it. So Synth knows nobody by a cookie, and passes on only those of Streamlit. Of these, the
token against requests of other sites could be replaced by another port, and uploads would
then be refused. A page of another server is told by its ``Origin``, which no page can choose
and `hosts.Doorman` has looked at before. So a request with an ``Origin`` gets a token that
fits its cookie. Only the cookies of a sign-in remain: who can replace them can sign a person
out."""

import re
from collections.abc import Awaitable, Callable
from typing import Any

from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string
from streamlit.web.server.starlette.starlette_server_config import XSRF_COOKIE_NAME

from pages.ui.shell.hosts import Scope, Send

Header = tuple[bytes, bytes]

_STREAMLITS = re.compile(rb"\s*_streamlit_\w+=")
_TOKEN_COOKIE = XSRF_COOKIE_NAME.encode()
_TOKEN_HEADER = b"x-xsrftoken"
_PROTOCOLS = b"sec-websocket-protocol"
# Methods that change nothing, and need no token.
_SAFE = ("GET", "HEAD", "OPTIONS")


class Cookies:
    """Passes requests on without foreign cookies, and with a token that fits."""

    def __init__(self, app: Callable[..., Awaitable[None]]) -> None:
        self.app = app
        self._token = generate_xsrf_token_string().encode()

    async def __call__(self, scope: Scope, receive: Any, send: Send) -> None:
        """Pass a request on to the app with its headers changed.

        Messages of other types are passed on unchanged. The arguments are those of an ASGI
        application.
        """
        if scope["type"] in ("http", "websocket"):
            scope = {**scope, "headers": self._own_headers(scope)}
        await self.app(scope, receive, send)

    def _own_headers(self, scope: Scope) -> list[Header]:
        """Return a request's headers with Streamlit's cookies alone, and this server's token.

        The token is set for websockets and requests that change something, if a page sent
        them: Streamlit refuses such requests without it. A page sends an ``Origin`` header.
        """
        headers: list[Header] = list(scope["headers"])
        needs_token = scope["type"] == "websocket" or scope.get("method") not in _SAFE
        is_page = any(name == b"origin" for name, _ in headers)
        cookies = _streamlit_cookies(headers)
        if needs_token and is_page:
            cookies = [
                cookie for cookie in cookies if cookie.partition(b"=")[0] != _TOKEN_COOKIE
            ]
            cookies.append(_TOKEN_COOKIE + b"=" + self._token)
            # Streamlit compares the cookie's token with that of a websocket's protocols, or
            # with that of a header.
            headers = [_with_token(header, self._token) for header in headers]
            headers = [header for header in headers if header[0] != _TOKEN_HEADER]
            headers.append((_TOKEN_HEADER, self._token))
        other_headers = [header for header in headers if header[0] != b"cookie"]
        return (
            [*other_headers, (b"cookie", b"; ".join(cookies))] if cookies else other_headers
        )


def _streamlit_cookies(headers: list[Header]) -> list[bytes]:
    """Return the cookies of Streamlit among those of a request, each as ``name=value``."""
    cookies: list[bytes] = []
    for name, value in headers:
        if name == b"cookie":
            cookies.extend(value.split(b";"))
    return [cookie.strip() for cookie in cookies if _STREAMLITS.match(cookie)]


def _with_token(header: Header, token: bytes) -> Header:
    """Return a header; the second of a websocket's protocols is replaced by the token.

    A browser can send no other headers with a websocket, so Streamlit's page puts it there.
    """
    name, value = header
    if name != _PROTOCOLS:
        return header
    entries = [entry.strip() for entry in value.split(b",")]
    return name, b", ".join([entries[0], token, *entries[2:]])
