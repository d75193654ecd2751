"""The host check: requests for a name that is not the server's are refused.

Another site can let its own name point to 127.0.0.1 (DNS rebinding). The browser then takes
this server for that site's, and only the ``Host`` header shows it. The check precedes pages,
uploads, downloads, health and the WebSocket. It ignores the port: a tunnel has another, and
no page can choose the name by it."""

import os
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
REFUSED = (
    "Synth does not answer under this name. The operator of the server may add it to "
    "SYNTH_HOSTS.\n"
)

# The paths below ``_stcore`` that the app's own pages use. All others are not served: an
# interface for agents, server metrics, which reveal others' sessions, and paths of later
# versions.
DOORS = ("health", "host-config", "stream", "upload_file", "bidi-components")

# The permissions of the app's pages: load from this server only, and never in a frame.
# Streamlit's one inline script (a flag for indexing robots) is left out; blobs are
# components.
POLICY = (
    "default-src 'none'",
    "script-src 'self' blob:",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "media-src 'self' blob:",
    "worker-src 'self' blob:",
    "manifest-src 'self'",
    "base-uri 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
)

HEADERS = {
    "content-security-policy": "; ".join(POLICY),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}

_NAME = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+?)\.?(:[0-9]{1,5})?", re.IGNORECASE)

Scope = Mapping[str, Any]
Send = Callable[[dict[str, Any]], Awaitable[None]]


def names() -> tuple[str, ...]:
    """Return the server's other names, listed with commas in ``SYNTH_HOSTS``.

    Invalid names are left out.
    """
    entries = os.environ.get("SYNTH_HOSTS", "").split(",")
    names = (_name(entry.strip()) for entry in entries)
    return tuple(name for name in names if name)


def is_answered(host: str | None, origin: str | None, names: Iterable[str] = ()) -> bool:
    """Return whether a request with these headers is answered.

    Args:
        host: The ``Host`` header, the name by which the server is asked; None without one, or
            with several.
        origin: The ``Origin`` header, the requesting page's address; None without a
            requesting page, or for resources that any page may link to.
        names: Names of the server in addition to its loopback names.

    >>> is_answered("127.0.0.1:8501", None), is_answered("evil.example:8501", None)
    (True, False)
    >>> is_answered("localhost:8501", "http://localhost:8501")
    True
    >>> is_answered("localhost:8501", "http://localhost:3000")  # another server's page
    False
    """
    names = tuple(names)
    if host is None or _name(host) not in (*LOOPBACK, *names):
        return False
    if origin is None:
        return True
    asking_host = origin.partition("://")[2]
    # A page of the same name and port; or, behind a proxy, of a known name.
    return asking_host.lower() == host.lower() or _name(asking_host) in names


class Doorman:
    """Refuses requests for other names, and serves only paths of our pages."""

    def __init__(
        self, app: Callable[..., Awaitable[None]], names: Iterable[str] = ()
    ) -> None:
        """Guard ``app``, an ASGI application.

        ``names`` are its names in addition to the loopback ones.
        """
        self.app = app
        self.names = tuple(names)

    async def __call__(self, scope: Scope, receive: Any, send: Send) -> None:
        """Serve one request, or refuse it with 403 for a wrong name and 404 for a wrong path.

        The arguments are those of an ASGI application.
        """
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
        elif not is_answered(_only(scope, b"host"), _only(scope, b"origin"), self.names):
            await _turn_away(scope, send, 403, sentence=REFUSED)
        elif not _is_door(scope["path"]):
            await _turn_away(scope, send, 404, sentence="Synth does not serve this.\n")
        else:
            await self.app(scope, receive, _with_headers(send))


def _is_door(path: str) -> bool:
    """Return whether a path is served: below ``_stcore`` only the paths in ``DOORS`` are."""
    return all(part in DOORS for part in re.findall("/_stcore(?:/([^/]*))?", path))


def _name(host: str) -> str:
    """Return the name of a host in small letters, without its port; empty if invalid."""
    match = _NAME.fullmatch(host)
    return match[1].lower() if match else ""


def _only(scope: Scope, header: bytes) -> str | None:
    """Return the one value of a header; None without one.

    A repeated header is refused: a repeated ``Host`` counts as missing, a repeated ``Origin``
    as "null", which is no server's name.
    """
    values = [value.decode("latin-1") for key, value in scope["headers"] if key == header]
    if len(values) > 1:
        return None if header == b"host" else "null"
    return values[0] if values else None


def _with_headers(send: Send) -> Send:
    """Return a sender that adds the security headers to the start of each answer."""
    added = [(name.encode(), value.encode()) for name, value in HEADERS.items()]

    async def sent(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *added]}
        await send(message)

    return sent


async def _turn_away(scope: Scope, send: Send, status: int, *, sentence: str) -> None:
    """Refuse a request by a status and a sentence, or close a websocket."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})  # a breach of policy
    else:
        await refuse(send, status, sentence)


async def refuse(send: Send, status: int, sentence: str) -> None:
    """Answer a request by an HTTP status and a sentence, which nobody may cache."""
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"cache-control", b"no-store"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": sentence.encode()})
