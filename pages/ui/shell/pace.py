"""Bounded work for each open page, and a limit on the number of open pages.

Every message of a page may start its script anew, and a page that sends them without end
keeps the server busy for long. Three things bound that: one script at a time runs for a page
(``fastReruns`` in ``.streamlit/config.toml`` is off, so that requests which arrive meanwhile
become one); messages beyond a burst are taken up a few a second; and there are only so many
open pages. A person who drags a slider or types stays below all of them."""

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Any

from pages.ui.shell.hosts import Scope, Send
from synth import limits

STREAM = "/_stcore/stream"
# Messages that a page may send at once, and how many a second after that.
BURST_MESSAGES = 100
PER_SECOND = 5.0
# The code that a WebSocket is closed by for "try again later".
TRY_LATER = 1013


class Allowance:
    """Messages that a page may send now; they come back with time.

    >>> allowance = Allowance(now=0.0)
    >>> waits = [allowance.take(now=0.0) for _ in range(BURST_MESSAGES + 2)]
    >>> waits[0], waits[-2:], allowance.take(now=1000.0)
    (0.0, [0.2, 0.4], 0.0)
    """

    def __init__(self, now: float) -> None:
        self._messages = float(BURST_MESSAGES)
        self._counted_at = now

    def take(self, now: float) -> float:
        """Take one message, and return how many seconds it has to wait before it is answered.

        ``now`` is the time in seconds, which never goes back.
        """
        regained = (now - self._counted_at) * PER_SECOND
        # Below 0 if messages are taken in advance, which then have to wait.
        self._messages = min(BURST_MESSAGES, self._messages + regained) - 1
        self._counted_at = now
        return max(0.0, -self._messages / PER_SECOND)


class Pace:
    """Lets a limited number of pages in, and takes up their messages at a limited pace."""

    def __init__(self, app: Callable[..., Awaitable[None]]) -> None:
        self.app = app
        self.open_pages = 0

    async def __call__(self, scope: Scope, receive: Any, send: Send) -> None:
        """Serve one request; or one page's websocket for as long as the page is open.

        A page too many is refused. The arguments are those of an ASGI application.
        """
        if scope["type"] != "websocket" or not scope["path"].endswith(STREAM):
            await self.app(scope, receive, send)
            return
        if self.open_pages >= limits.open_pages():
            await send({"type": "websocket.close", "code": TRY_LATER})
            return
        self.open_pages += 1
        try:
            await self.app(scope, _paced(receive), send)
        finally:
            self.open_pages -= 1


def _paced(receive: Callable[[], Awaitable[Any]]) -> Callable[[], Awaitable[Any]]:
    """Return a receiver of messages that delays a page's messages beyond its allowance."""
    allowance = Allowance(monotonic())

    async def receive_later() -> Any:
        """Return the page's next message, once it has waited for its allowance."""
        message = await receive()
        if message["type"] == "websocket.receive":
            # Until then the server reads nothing more from the page: what it sends on waits
            # there.
            await asyncio.sleep(allowance.take(monotonic()))
        return message

    return receive_later
