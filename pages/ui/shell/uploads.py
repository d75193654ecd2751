"""Uploads: accepted from admitted sessions while there is room.

Streamlit alone keeps any number of files from every open page in memory, signed in or not.
Here a file must come from a session that passed the gate. The bytes of one person's uploads
and of all uploads are limited: in transit, in memory and in private folders."""

import re
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from threading import Lock
from typing import Any
from weakref import WeakValueDictionary

from starlette.exceptions import HTTPException
from streamlit import runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from pages.ui.shell.desk import Desk
from pages.ui.shell.hosts import Scope, Send, refuse
from synth import limits
from synth.errors import LimitError

REFUSED = (
    "Synth takes files only from its own pages, after you have signed in where this server "
    "asks "
    "you to.\n"
)

_PATH = re.compile(r"/_stcore/upload_file/([^/]+)/[^/]+$")

# Largest overhead of a request, in bytes.
_AROUND = 2**20

# Bytes of a file in addition to its content and name.
_RECORD = 1_000

# The desk of each admitted session.
_DESKS: WeakValueDictionary[str, Desk] = WeakValueDictionary()

_TURN = Lock()


def let_in(session: str, desk: Desk) -> None:
    with _TURN:
        _DESKS[session] = desk


class Quota:
    def __init__(self, app: Callable[..., Awaitable[None]]) -> None:
        self.app = app
        self._arriving: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Any, send: Send) -> None:
        found = _PATH.search(scope["path"]) if scope.get("method") == "PUT" else None
        desk = _DESKS.get(found[1]) if found else None
        if found is None:
            await self.app(scope, receive, send)
        elif desk is None:
            await refuse(send, 403, REFUSED)
        else:
            await self._take(desk.owner, scope, receive, send)

    async def _take(self, person: str, scope: Scope, receive: Any, send: Send) -> None:
        size = 0

        async def receive_part() -> dict[str, Any]:
            nonlocal size
            message: dict[str, Any] = await receive()
            size += (more := len(message.get("body", b"")))
            self._arriving[person] += more
            try:
                self._check(person, size, 0)
            except LimitError as error:
                raise HTTPException(413, str(error)) from None
            return message

        try:
            self._check(person, _content_length(scope), _content_length(scope))
            await self.app(scope, receive_part, send)
        except LimitError as error:
            await refuse(send, 413, f"{error}\n")
        finally:
            self._arriving[person] -= size

    def _check(self, person: str, size: int, more: int) -> None:
        """Refuse a file that is too large, or exceeds the room; ``more`` of its bytes are not
        counted yet.
        """
        limits.check_upload(size - _AROUND)
        held = _held_bytes() + self._arriving
        limits.check_uploads(held[person] + more, held.total() + more)


def _content_length(scope: Scope) -> int:
    with suppress(ValueError, KeyError):
        return max(0, int(dict(scope["headers"])[b"content-length"]))
    return 0


def _held_bytes() -> Counter[str]:
    held: Counter[str] = Counter()
    with _TURN:
        desks = dict(_DESKS)
    manager = runtime.get_instance().uploaded_file_mgr if runtime.exists() else None
    if isinstance(manager, MemoryUploadedFileManager):
        for session, files in list(manager.file_storage.items()):
            owner = desks[session].owner if session in desks else ""
            held[owner] += sum(map(_record_bytes, list(files.values())))
    for desk in set(desks.values()):
        held[desk.owner] += (
            desk.things["folder"].uploaded_bytes if "folder" in desk.things else 0
        )
    return held


def _record_bytes(file: UploadedFileRec) -> int:
    return len(file.data) + len(file.name) + len(file.type) + _RECORD
