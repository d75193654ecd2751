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
    "asks you to.\n"
)

_PATH = re.compile(r"/_stcore/upload_file/([^/]+)/[^/]+$")

# Largest overhead of a request, in bytes.
_MAX_OVERHEAD_BYTES = 2**20

# Bytes of a file in addition to its content and name.
_RECORD_BYTES = 1_000

# The desk of each admitted session.
_DESKS: WeakValueDictionary[str, Desk] = WeakValueDictionary()

_TURN = Lock()


def let_in(session: str, desk: Desk) -> None:
    """Admit a session, whose uploads count for the owner of its desk."""
    with _TURN:
        _DESKS[session] = desk


class Quota:
    """Lets uploads of admitted sessions in, as long as there is room."""

    def __init__(self, app: Callable[..., Awaitable[None]]) -> None:
        self.app = app
        self._arriving: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Any, send: Send) -> None:
        """Serve one request; an upload only of an admitted session, and within the limits.

        The arguments are those of an ASGI application.
        """
        # The path of an upload has the identifier of its session.
        match = _PATH.search(scope["path"]) if scope.get("method") == "PUT" else None
        desk = _DESKS.get(match[1]) if match else None
        if match is None:
            await self.app(scope, receive, send)
        elif desk is None:
            await refuse(send, 403, REFUSED)
        else:
            await self._take(scope, receive, send, person=desk.owner)

    async def _take(self, scope: Scope, receive: Any, send: Send, *, person: str) -> None:
        """Pass an upload on while counting its bytes; refuse it above a limit.

        ``person`` is the owner of the session, for whom the bytes count.
        """
        size = 0

        async def receive_part() -> dict[str, Any]:
            """Return the next message, once its bytes are counted and allowed."""
            nonlocal size
            message: dict[str, Any] = await receive()
            part_bytes = len(message.get("body", b""))
            size += part_bytes
            self._arriving[person] += part_bytes
            try:
                self._check(person, size, uncounted=0)
            except LimitError as error:
                # Raised inside of the app, which answers by this status.
                raise HTTPException(413, str(error)) from None
            return message

        try:
            announced = _content_length(scope)
            self._check(person, announced, uncounted=announced)
            await self.app(scope, receive_part, send)
        except LimitError as error:
            await refuse(send, 413, f"{error}\n")
        finally:  # from here on the upload counts among those that the server holds
            self._arriving[person] -= size

    def _check(self, person: str, size: int, *, uncounted: int) -> None:
        """Raise LimitError if a file is too large, or exceeds the room for uploads.

        Args:
            person: The owner of the upload.
            size: The bytes of its request, announced or arrived.
            uncounted: How many of them are not among the bytes that have arrived.
        """
        limits.check_upload(
            size - _MAX_OVERHEAD_BYTES
        )  # a request has more bytes than its file
        used_bytes = _held_bytes() + self._arriving
        limits.check_uploads(used_bytes[person] + uncounted, used_bytes.total() + uncounted)


def _content_length(scope: Scope) -> int:
    """Return the bytes that a request announces; 0 if it announces none."""
    with suppress(ValueError, KeyError):
        return max(0, int(dict(scope["headers"])[b"content-length"]))
    return 0


def _held_bytes() -> Counter[str]:
    """Return how many bytes of uploads the server holds, by owner.

    They are in Streamlit's memory, and as copies in the private folders of sessions.
    """
    used_bytes: Counter[str] = Counter()
    with _TURN:
        desks = dict(_DESKS)
    # Files that are in Streamlit's memory, by session.
    manager = runtime.get_instance().uploaded_file_mgr if runtime.exists() else None
    if isinstance(manager, MemoryUploadedFileManager):
        for session, files in list(manager.file_storage.items()):
            owner = desks[session].owner if session in desks else ""
            used_bytes[owner] += sum(map(_record_bytes, list(files.values())))
    # Copies in private folders; several sessions may share a desk.
    for desk in set(desks.values()):
        if "folder" in desk.things:
            used_bytes[desk.owner] += desk.things["folder"].uploaded_bytes
    return used_bytes


def _record_bytes(file: UploadedFileRec) -> int:
    return len(file.data) + len(file.name) + len(file.type) + _RECORD_BYTES
