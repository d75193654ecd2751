"""Private files of one session: a folder only this user can read, gone when the session ends."""

import os
import shutil
import tempfile
import weakref
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from typing import Any, BinaryIO

from synth.errors import TableError
from synth.foreign.folders import place, sweep

GRACE = 130.0
"""A little more than the two minutes for which Streamlit keeps a lost session."""


class PrivateFolder:
    """A temporary folder of mode 0700, removed with the object, the process or the session.

    Args:
        is_open: Says whether the session is still there. Streamlit forgets a lost session only
            when the next one comes, so a thread looks every few seconds.
        grace: Seconds after which a lost session cannot come back.
    """

    def __init__(self, is_open: Callable[[], bool] | None = None, *, grace: float = GRACE) -> None:
        sweep()
        self.path = Path(tempfile.mkdtemp(dir=place()))
        self.remove = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)
        if is_open is not None:
            Thread(target=_watch, args=(self.remove, is_open, grace), daemon=True).start()

    def keep(self, content: BinaryIO, name: str) -> Path:
        """Copy an upload to a file of mode 0600 and return its path.

        Raises:
            TableError: It cannot be written.
        """
        path = Path(tempfile.mkdtemp(dir=self.path)) / _plain(name)
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "wb") as file:
                shutil.copyfileobj(content, file, 2**20)
        except OSError:
            self.drop(path)
            message = "The upload cannot be stored; the disk may be full."
            raise TableError(message) from None
        return path

    def fresh(self) -> Path:
        """A new empty folder inside."""
        return Path(tempfile.mkdtemp(dir=self.path))

    def drop(self, path: Path) -> None:
        """Remove a file with its folder; paths outside are left alone."""
        if path.parent.parent == self.path:
            shutil.rmtree(path.parent, ignore_errors=True)


def _watch(remove: "weakref.finalize[..., PrivateFolder]", is_open: Any, grace: float) -> None:
    seen = monotonic()
    while remove.alive and monotonic() - seen <= grace:
        sleep(min(5.0, grace))
        if is_open():
            seen = monotonic()
    remove()


def _plain(name: str) -> str:
    """The last part of an uploaded file's name, or a stand-in."""
    return Path(name.replace("\\", "/")).name.strip(". ") or "table.csv"
