"""What one page of a browser has on its desk while the server lives: it outlives a refresh.

A refresh ends a session and begins another. What the first one had - the draft with its table, the
private folder, releases, a release at work - passes to the next one of the same browser at the same
address, and of the same person where people sign in. Desks are held by their sessions and by
releases at work, and go when these do. Nothing about it stands in the address.
"""

import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic, sleep
from typing import Any

IsOpen = Callable[[], bool]

CLOSING = 0.5
"""Seconds that a page which is just being left may take to be gone."""

_ONE_AT_A_TIME = Lock()


@dataclass(eq=False)
class Desk:
    """What belongs to a session.

    Attributes:
        owner: Whose it is.
        browser: The key of the browser; nothing passes on where it is not known.
        is_open: Says whether its page is still there; None without a server.
        things: By name, as in the session's state. PRIVATE: a table is among them.
        used: When something was put on it last.
        since: When it came to have the project it has now.
    """

    owner: str = ""
    browser: str = ""
    is_open: IsOpen | None = None
    things: dict[str, Any] = field(default_factory=dict, repr=False)
    used: float = field(default_factory=monotonic)
    since: float = field(default_factory=monotonic)

    @property
    def is_left(self) -> bool:
        """Whether its page is gone, and something worth having is on it."""
        draft, folder = self.things.get("draft"), self.things.get("folder")
        there = draft is not None and draft.source is not None
        kept = folder is None or folder.remove.alive
        return there and kept and self.is_open is not None and not self.is_open()

    def put(self, name: str, thing: Any) -> None:
        """Put something on it."""
        before = self.things.get(name)
        if name == "draft" and (before is None or before.project != thing.project):
            self.since = monotonic()
        self.things[name] = thing
        self.used = monotonic()

    def take(self, name: str) -> None:
        """Take something away."""
        self.things.pop(name, None)


_DESKS: weakref.WeakSet[Desk] = weakref.WeakSet()


def open_desk(
    owner: str, browser: str, is_open: IsOpen | None, *, closing: float = CLOSING
) -> Desk:
    """The desk that a page of this owner and browser left last; a new one where there is none.

    Args:
        owner: Of the new page.
        browser: The key of its browser.
        is_open: Says whether the new page is still there.
        closing: Seconds to wait for another page that may be closing.
    """
    end = monotonic() + closing
    while (found := _pass_on(owner, browser, is_open)) is None and _other_desks(owner):
        if monotonic() > end:
            break
        sleep(0.05)
    if found is None:
        found = Desk(owner, browser, is_open)
        if owner and is_open is not None:
            _DESKS.add(found)
    return found


def is_open_elsewhere(mine: Desk, project: str) -> bool:
    """Whether another page that is open has this project too, and had it first."""
    return any(
        desk.things["draft"].project == project and desk.since < mine.since
        for desk in _other_desks(mine.owner)
        if desk is not mine and "draft" in desk.things and desk.is_open and desk.is_open()
    )


def _other_desks(owner: str) -> list[Desk]:
    return [desk for desk in list(_DESKS) if owner and desk.owner == owner]


def _pass_on(owner: str, browser: str, is_open: IsOpen | None) -> Desk | None:
    if is_open is None or not browser:
        return None
    with _ONE_AT_A_TIME:
        left = [desk for desk in _other_desks(owner) if desk.browser == browser and desk.is_left]
        if not left:
            return None
        desk = max(left, key=lambda one: one.used)
        desk.is_open = is_open
        if "folder" in desk.things:
            desk.things["folder"].pass_to(is_open)
        return desk
