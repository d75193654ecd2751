"""Private copies on disk: one place for all of them, which goes with the process that made it.

Each user has a folder in the system's temporary one, each process a place in it whose lock it
holds while it lives. The place goes when the process ends in order; on POSIX a shell outlives
the process to remove it however it ended, by whatever signal. What is left all the same, say by
a power cut, goes when the next process starts: it removes every place whose lock nobody holds.
Locks are the kernel's (flock of the folder itself, or a locked file on Windows), so that neither
a process number used again nor a container with numbers of its own can mislead it.

>>> with Folder() as path:
...     there = path.is_dir()
>>> there, path.exists()
(True, False)
"""

import atexit
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import weakref
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import IO, NoReturn

from synth.errors import TableError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

ROOTS = 10
"""How many names are tried for a user's folder, as anybody may take one."""

OUTLIVER = 'trap "" HUP INT TERM; read -r _; rm -rf -- "$0"'
"""Reads until its standard input ends, which is when the process that holds the other end does."""

_LOCK_FILE = "lock"
FOLDERS_BY_PROCESS: dict[int, Path] = {}
_ONE_AT_A_TIME = Lock()


class Folder:
    """A private folder: made when it is first needed, removed with its owner or the process."""

    _end: "weakref.finalize[..., Folder] | None" = None

    @cached_property
    def path(self) -> Path:
        """Where it is.

        Raises:
            TableError: No private folder can be made.
        """
        path = Path(tempfile.mkdtemp(dir=place()))
        self._end = weakref.finalize(self, _remove, path, os.getpid())
        return path

    def remove(self) -> None:
        """Remove it now; the next use of its path makes another."""
        if self._end is not None:
            del self.path
            self._end()
            self._end = None

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *error: object) -> None:
        self.remove()


def place() -> Path:
    """This process's own folder; making it sweeps what dead processes left.

    Raises:
        TableError: None can be made that nobody else can read.
    """
    with _ONE_AT_A_TIME:
        mine = FOLDERS_BY_PROCESS.get(os.getpid())
        if mine is None or not mine.is_dir():
            mine = FOLDERS_BY_PROCESS[os.getpid()] = _make_place()
        return mine


def open_unnamed() -> IO[bytes]:
    """A file in that folder that has no name and goes when it is closed, or with the process.

    Raises:
        TableError: No private folder can be made.
        OSError: It cannot be made there.
    """
    return tempfile.TemporaryFile(dir=place())


def sweep() -> None:
    """Remove what dead processes of this user left, and nothing that a living one holds.

    Raises:
        TableError: The user's folder is not the user's alone.
    """
    root = _root()
    held = _hold(root, wait=True)
    if held is not None:
        _sweep(root)
        os.close(held)


def _make_place() -> Path:
    root = _root()
    held = _hold(root, wait=True)  # nobody sweeps between the making and the locking
    try:
        if held is not None:
            _sweep(root)
        path = Path(tempfile.mkdtemp(prefix=f"{os.getpid()}-", dir=root))
        lock = _hold(path, wait=False)
    except OSError:
        path, lock = None, None
    finally:
        if held is not None:
            os.close(held)
    if path is None:
        _refuse(root)
    atexit.register(_leave, path, lock, _start_cleaner(path), os.getpid())
    return path


def _sweep(root: Path) -> None:
    for left in root.iterdir():
        held = _hold(left, wait=False) if left.is_dir() and not left.is_symlink() else None
        if held is not None:
            os.close(held)
            shutil.rmtree(left, ignore_errors=True)


def _hold(folder: Path, *, wait: bool) -> int | None:
    """A descriptor that holds a folder's lock until it is closed; None where another does.

    Where the file system knows no locks it is None too: then nothing is ever swept.
    """
    handle = None
    try:
        if sys.platform == "win32":
            handle = os.open(folder / _LOCK_FILE, os.O_RDWR | os.O_CREAT, 0o600)
            msvcrt.locking(handle, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        else:
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError:
        if handle is not None:
            os.close(handle)
        return None
    return handle


def _root() -> Path:
    """The user's folder; one that somebody else made under its name is never used."""
    user = os.getuid() if sys.platform != "win32" else "user"
    names = [f"synth-{user}", *(f"synth-{user}-{i}" for i in range(1, ROOTS))]
    folder = Path(tempfile.gettempdir())
    root = next((folder / name for name in names if _is_ours(folder / name)), None)
    if root is None:
        _refuse(folder)
    return root


def _is_ours(root: Path) -> bool:
    """Whether it is a folder, no link to one, that only this user can look into."""
    try:
        with suppress(FileExistsError):
            root.mkdir(mode=0o700)
        found = root.lstat()
    except OSError:
        return False
    if sys.platform == "win32":  # the temporary folder is the user's own there
        return stat.S_ISDIR(found.st_mode)
    private = not found.st_mode & 0o077 and found.st_uid == os.getuid()
    return stat.S_ISDIR(found.st_mode) and private


def _start_cleaner(path: Path) -> subprocess.Popen[bytes] | None:
    """A shell that waits for this process to end, in whatever way, and then removes the place."""
    if sys.platform == "win32":
        return None
    quiet = subprocess.DEVNULL
    with suppress(OSError):
        return subprocess.Popen(
            ["/bin/sh", "-c", OUTLIVER, str(path)],
            stdin=subprocess.PIPE, stdout=quiet, stderr=quiet, cwd="/", start_new_session=True,
        )  # fmt: skip
    return None


def _leave(
    path: Path, lock: int | None, shell: subprocess.Popen[bytes] | None, process: int
) -> None:
    """The orderly way out. A process that was forked off leaves its parent's place alone."""
    if os.getpid() != process:
        return
    if lock is not None:
        os.close(lock)
    _remove(path, process)
    if shell is not None:
        stdin: IO[bytes] | None = shell.stdin
        if stdin is not None:
            stdin.close()
        with suppress(subprocess.TimeoutExpired):
            shell.wait(5)


def _remove(path: Path, process: int) -> None:
    if os.getpid() == process:
        shutil.rmtree(path, ignore_errors=True)


def _refuse(folder: Path) -> NoReturn:
    raise TableError(
        f"No private folder can be made in '{folder}'; make room there, or name another by TMPDIR."
    )
