"""Private files of one session: a folder that only this user can read, removed with the
session.
"""

import os
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock, Thread
from time import monotonic, sleep
from typing import BinaryIO

from pages.ui.shell import memory
from synth.errors import TableError
from synth.foreign import place, sweep

# Slightly more than the two minutes for which Streamlit keeps a lost session.
GRACE_SECONDS = 130.0


class PrivateFolder:
    """A temporary folder of mode 0700, removed with the object, the process or the session.

    A thread checks ``is_open`` every few seconds, as Streamlit forgets a lost session only
    when the next one arrives. After ``grace`` seconds a lost session cannot return."""

    def __init__(
        self, is_open: Callable[[], bool] | None = None, *, grace: float = GRACE_SECONDS
    ) -> None:
        """Make the folder, and start the thread that removes it.

        Args:
            is_open: It returns whether the session's page is open; None without a server.
            grace: How many seconds a lost session may be away until its folder is removed.
        """
        sweep()  # removes folders that ended processes have left behind
        self.path = Path(tempfile.mkdtemp(dir=place()))
        # Called by hand, or when this object or the process ends.
        self.remove = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)
        self._users = _Users(is_open)
        self._grace = grace
        self._sizes: dict[Path, int] = {}
        memory.when_gone(self)
        if is_open is not None:
            Thread(target=_watch, args=(self.remove, self._users, grace), daemon=True).start()

    @property
    def uploaded_bytes(self) -> int:
        """Return how many bytes its uploads take."""
        return sum(list(self._sizes.values())) if self.remove.alive else 0

    @property
    def is_left(self) -> bool:
        """Return whether its page was closed, and for so long that it cannot come back."""
        return self._users.seconds_away > self._grace

    def pass_to(self, is_open: Callable[[], bool] | None) -> None:
        """Keep the folder for another session."""
        self._users.is_open = is_open

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Keep the files while the block runs, even if the session is lost meanwhile."""
        with self._users.at_work():
            yield

    def keep(self, content: BinaryIO, name: str) -> Path:
        """Copy an upload to a file of mode 0600 in a folder of its own, and return its path.

        ``name`` is the upload's name; folders in it are dropped. TableError if the copy
        cannot be written.
        """
        path = Path(tempfile.mkdtemp(dir=self.path)) / _plain_name(name)
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "wb") as file:
                shutil.copyfileobj(content, file, 2**20)
                self._sizes[path] = file.tell()
        except OSError:
            self.drop(path)
            raise TableError("The upload cannot be stored; the disk may be full.") from None
        return path

    def fresh(self) -> Path:
        """Return a new, empty folder inside."""
        return Path(tempfile.mkdtemp(dir=self.path))

    def drop(self, path: Path) -> None:
        """Remove an upload's file with its folder; leave other paths alone."""
        if path.parent.parent == self.path:
            self._sizes.pop(path, None)
            shutil.rmtree(path.parent, ignore_errors=True)


class _Users:
    """The users of a folder: its session, and work that must not lose its files."""

    def __init__(self, is_open: Callable[[], bool] | None) -> None:
        self.is_open = is_open
        self._open_until = monotonic()
        self._at_work = 0
        self._lock = Lock()

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Count the folder as used while the block runs."""
        with self._lock:
            self._at_work += 1
        try:
            yield
        finally:
            with self._lock:
                self._at_work -= 1

    @property
    def seconds_away(self) -> float:
        """Return for how many seconds the page has been closed; 0 without a server."""
        if self.is_open is None or self.is_open():
            self._open_until = monotonic()
            return 0.0
        return monotonic() - self._open_until

    @property
    def are_there(self) -> bool:
        has_page = self.is_open is not None and not self.seconds_away
        return self._at_work > 0 or has_page


def _watch(
    remove: "weakref.finalize[..., PrivateFolder]", users: _Users, grace: float
) -> None:
    """Remove the folder once nobody has used it for a while, and return.

    Args:
        remove: The finalizer that removes it. It holds no reference to the folder's object.
        users: They say whether the folder is in use.
        grace: How many seconds it may be unused.
    """
    last_seen = monotonic()
    while remove.alive and monotonic() - last_seen <= grace:
        sleep(min(5.0, grace))
        if users.are_there:
            last_seen = monotonic()
    remove()


def _plain_name(name: str) -> str:
    """Return a file's name without folders, and without dots or blanks at its ends."""
    return Path(name.replace("\\", "/")).name.strip(". ") or "table.csv"
