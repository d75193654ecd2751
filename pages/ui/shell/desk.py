"""The data of one browser page while the server runs, which survives a refresh.

A refresh ends a session and starts another. The draft with its table, the private folder and
releases pass to the next session of the same browser, address and signed-in person. Desks end
with their sessions and running releases. The address contains nothing about them."""

import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from operator import attrgetter
from threading import Lock
from time import monotonic, sleep
from typing import Any

IsOpen = Callable[[], bool]

# Seconds that a closing page may need.
CLOSING_SECONDS = 0.5

_ONE_AT_A_TIME = Lock()


@dataclass(eq=False, kw_only=True)
class Desk:
    """The data of a session.

    Attributes:
        owner: Whose session it is; empty if nobody knows.
        browser: The key of the browser; an unknown browser passes nothing on.
        is_open: It returns whether the page is still open; None without a server.
        things: By name, as in the session's state. PRIVATE: they include a table.
        used: The time of the last addition.
        since: The time from which it has its project.
    """

    owner: str = ""
    browser: str = ""
    is_open: IsOpen | None = None
    things: dict[str, Any] = field(default_factory=dict, repr=False)
    used: float = field(default_factory=monotonic)
    since: float = field(default_factory=monotonic)

    @property
    def is_left(self) -> bool:
        """Return whether a session with a table was left.

        Its page is closed, and its files are still there.
        """
        draft = self.things.get("draft")
        folder = self.things.get("folder")
        has_table = draft is not None and draft.source is not None
        has_files = folder is None or folder.remove.alive
        is_closed = self.is_open is not None and not self.is_open()
        return has_table and has_files and is_closed

    def put(self, name: str, thing: Any) -> None:
        """Store something of the session under a name, for the session after a refresh."""
        before = self.things.get(name)
        # The time at which a project was opened decides which of two pages has it.
        if name == "draft" and (before is None or before.project != thing.project):
            self.since = monotonic()
        self.things[name] = thing
        self.used = monotonic()

    def take(self, name: str) -> None:
        """Remove something."""
        self.things.pop(name, None)


_DESKS: weakref.WeakSet[Desk] = weakref.WeakSet()


def open_desk(
    owner: str, browser: str, is_open: IsOpen | None, *, closing: float = CLOSING_SECONDS
) -> Desk:
    """Return the desk that a page of this owner and browser left last, or a new one.

    Args:
        owner: Whose session it is; empty if nobody knows.
        browser: The key of the browser; empty for an unknown one.
        is_open: It returns whether the new page is open; None without a server.
        closing: How many seconds to wait for another page that may be closing.
    """
    end = monotonic() + closing
    desk = _pass_on(owner, browser, is_open)
    # A refresh opens the new page before the server knows that the old one is closed.
    while desk is None and _other_desks(owner) and monotonic() <= end:
        sleep(0.05)
        desk = _pass_on(owner, browser, is_open)
    if desk is None:
        desk = Desk(owner=owner, browser=browser, is_open=is_open)
        # Only a known owner's page on a server can be followed by another one.
        if owner and is_open is not None:
            _DESKS.add(desk)
    return desk


def is_open_elsewhere(own_desk: Desk, project: str) -> bool:
    """Return whether another open page of the same owner has had the project for longer.

    ``project`` is its identifier.
    """
    return any(
        desk.things["draft"].project == project and desk.since < own_desk.since
        for desk in _other_desks(own_desk.owner)
        if desk is not own_desk and "draft" in desk.things and desk.is_open and desk.is_open()
    )


def _other_desks(owner: str) -> list[Desk]:
    return [desk for desk in list(_DESKS) if owner and desk.owner == owner]


def _pass_on(owner: str, browser: str, is_open: IsOpen | None) -> Desk | None:
    """Return the desk that a closed page left last; None if none.

    It then belongs to the new session. Its owner and browser must be those of the new
    session. ``is_open`` returns whether the new page is open.
    """
    if is_open is None or not browser:
        return None
    with _ONE_AT_A_TIME:
        abandoned_desks = [
            desk for desk in _other_desks(owner) if desk.browser == browser and desk.is_left
        ]
        if not abandoned_desks:
            return None
        desk = max(abandoned_desks, key=attrgetter("used"))
        desk.is_open = is_open
        if "folder" in desk.things:
            desk.things["folder"].pass_to(is_open)
        return desk
