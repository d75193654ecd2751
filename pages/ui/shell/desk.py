"""The data of one browser page while the server runs, which survives a refresh.

A refresh ends a session and starts another. The draft with its table, the private folder and
releases pass to the next session of the same browser, address and signed-in person. Desks end
with their sessions and running releases. The address contains nothing about them."""

import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic, sleep
from typing import Any

IsOpen = Callable[[], bool]

# Seconds that a closing page may need.
CLOSING = 0.5

_ONE_AT_A_TIME = Lock()


@dataclass(eq=False, kw_only=True)
class Desk:
    """The data of a session.

    Attributes:
        browser: The key of the browser; an unknown browser passes nothing on.
        is_open: It returns whether the page is still open; None without a server.
        things: By name, as in the session's state. PRIVATE: they include a table.
        used, since: Times of the last addition, and from which it has its project.
    """

    owner: str = ""
    browser: str = ""
    is_open: IsOpen | None = None
    things: dict[str, Any] = field(default_factory=dict, repr=False)
    used: float = field(default_factory=monotonic)
    since: float = field(default_factory=monotonic)

    @property
    def is_left(self) -> bool:
        draft, folder = self.things.get("draft"), self.things.get("folder")
        there = draft is not None and draft.source is not None
        kept = folder is None or folder.remove.alive
        return there and kept and self.is_open is not None and not self.is_open()

    def put(self, name: str, thing: Any) -> None:
        before = self.things.get(name)
        if name == "draft" and (before is None or before.project != thing.project):
            self.since = monotonic()
        self.things[name] = thing
        self.used = monotonic()

    def take(self, name: str) -> None:
        self.things.pop(name, None)


_DESKS: weakref.WeakSet[Desk] = weakref.WeakSet()


def open_desk(
    owner: str, browser: str, is_open: IsOpen | None, *, closing: float = CLOSING
) -> Desk:
    """Return the desk that a page of this owner and browser left last, or a new one.

    ``closing`` is how many seconds to wait for another page that may be closing.
    """
    end = monotonic() + closing
    while (found := _pass_on(owner, browser, is_open)) is None and _other_desks(owner):
        if monotonic() > end:
            break
        sleep(0.05)
    if found is None:
        found = Desk(owner=owner, browser=browser, is_open=is_open)
        if owner and is_open is not None:
            _DESKS.add(found)
    return found


def is_open_elsewhere(mine: Desk, project: str) -> bool:
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
        left = [
            desk for desk in _other_desks(owner) if desk.browser == browser and desk.is_left
        ]
        if not left:
            return None
        desk = max(left, key=lambda one: one.used)
        desk.is_open = is_open
        if "folder" in desk.things:
            desk.things["folder"].pass_to(is_open)
        return desk
