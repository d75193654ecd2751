"""Private copies on disk, all in one place that is removed with its process.

Each user has a folder in the system's temporary one, and each process a place in it, whose
lock the process holds while it runs. The place is removed when the process ends normally. On
POSIX a shell outlives the process and removes the place after any signal. After a power cut,
the next process removes every place whose lock nobody holds. The kernel holds the locks:
flock of the folder, or a locked file on Windows. So a reused process number or a container
cannot cause a wrong removal.

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

# Names that Synth tries for a user's folder, as anybody may create one.
ROOTS = 10

# A script that reads until its standard input ends, which is when the process ends.
OUTLIVER = 'trap "" HUP INT TERM; read -r _; rm -rf -- "$0"'

_LOCK_FILE = "lock"
FOLDERS_BY_PROCESS: dict[int, Path] = {}
_ONE_AT_A_TIME = Lock()


class Folder:
    """A private folder: made on first use, removed with its owner or the process."""

    _end: "weakref.finalize[..., Folder] | None" = None

    @cached_property
    def path(self) -> Path:
        """Its path, where the folder is made when it is first asked for.

        Raises:
            TableError: No private folder can be made.
        """
        path = Path(tempfile.mkdtemp(dir=place()))
        # Removes the folder when this object is collected, or when the process ends.
        self._end = weakref.finalize(self, _remove, path, os.getpid())
        return path

    def remove(self) -> None:
        """Remove the folder, if it was made."""
        if self._end is not None:
            # Drops the stored path, so that a later use makes a new folder.
            del self.path
            self._end()
            self._end = None

    def __enter__(self) -> Path:
        """Return the path of the folder."""
        return self.path

    def __exit__(self, *error: object) -> None:
        """Remove the folder."""
        self.remove()


def place() -> Path:
    """Return the folder of this process alone, for private copies.

    Making it removes the folders of processes that have ended.

    Raises:
        TableError: No folder can be made that only this user can read.
    """
    with _ONE_AT_A_TIME:
        # Each process has a folder of its own: a forked one must not use its parent's.
        folder = FOLDERS_BY_PROCESS.get(os.getpid())
        if folder is None or not folder.is_dir():
            folder = FOLDERS_BY_PROCESS[os.getpid()] = _make_place()
        return folder


def open_unnamed() -> IO[bytes]:
    """Open a temporary file without a name in this process's folder, to write and read.

    It vanishes when it is closed, or with the process.

    Raises:
        TableError: No private folder can be made.
        OSError: The file cannot be made.
    """
    return tempfile.TemporaryFile(dir=place())


def sweep() -> None:
    """Remove the folders that this user's ended processes left behind.

    Raises:
        TableError: Another user can access the user's folder.
    """
    root = _root()
    root_lock = _hold(root, wait=True)
    if root_lock is not None:
        _sweep(root)
        os.close(root_lock)


def _make_place() -> Path:
    """Make the folder of this process, and arrange that it is removed when the process ends.

    Raises:
        TableError: No private folder can be made.
    """
    root = _root()
    # So nobody sweeps between the making of the folder and its locking.
    root_lock = _hold(root, wait=True)
    try:
        if root_lock is not None:
            _sweep(root)
        path = Path(tempfile.mkdtemp(prefix=f"{os.getpid()}-", dir=root))
        lock = _hold(path, wait=False)
    except OSError:
        path = None
        lock = None
    finally:
        if root_lock is not None:
            os.close(root_lock)
    if path is None:
        _refuse(root)
    cleaner = _start_cleaner(path)
    atexit.register(_leave, path, lock, cleaner=cleaner, process=os.getpid())
    return path


def _sweep(root: Path) -> None:
    """Remove the folders of processes that have ended: those whose lock nobody holds.

    ``root`` is the user's folder, in which each process has its own.
    """
    for path in root.iterdir():
        if not path.is_dir() or path.is_symlink():
            continue
        lock = _hold(path, wait=False)
        if lock is not None:
            os.close(lock)
            shutil.rmtree(path, ignore_errors=True)


def _hold(folder: Path, *, wait: bool) -> int | None:
    """Return a file descriptor that holds a folder's lock until it is closed.

    None if another process holds the lock, or if the file system has no locks. In the latter
    case nothing is ever swept.

    Args:
        folder: The folder to lock.
        wait: Whether to wait until another process gives up the lock.
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
    """Return this user's folder for the folders of all its processes.

    It is never one that another user made under its name.

    Raises:
        TableError: All names that Synth tries are taken.
    """
    user = os.getuid() if sys.platform != "win32" else "user"
    names = [f"synth-{user}", *(f"synth-{user}-{i}" for i in range(1, ROOTS))]
    folder = Path(tempfile.gettempdir())
    root = next((folder / name for name in names if _is_ours(folder / name)), None)
    if root is None:
        _refuse(folder)
    return root


def _is_ours(root: Path) -> bool:
    """Return whether a folder belongs to this user, and only this user can access it.

    It is made if it is not there.
    """
    try:
        with suppress(FileExistsError):
            root.mkdir(mode=0o700)
        status = root.lstat()
    except OSError:
        return False
    if sys.platform == "win32":  # the temporary folder is the user's own there
        return stat.S_ISDIR(status.st_mode)
    is_private = not status.st_mode & 0o077 and status.st_uid == os.getuid()
    return stat.S_ISDIR(status.st_mode) and is_private


def _start_cleaner(path: Path) -> subprocess.Popen[bytes] | None:
    """Start a shell that removes a folder as soon as this process is gone, for any reason.

    The shell waits until its standard input, a pipe from this process, ends. None on Windows,
    and if there is no shell.
    """
    if sys.platform == "win32":
        return None
    quiet = subprocess.DEVNULL
    with suppress(OSError):
        return subprocess.Popen(
            ["/bin/sh", "-c", OUTLIVER, str(path)],
            stdin=subprocess.PIPE,
            stdout=quiet,
            stderr=quiet,
            cwd="/",
            # So that signals to this process's group do not reach it.
            start_new_session=True,
        )
    return None


def _leave(
    path: Path,
    lock: int | None,
    *,
    cleaner: subprocess.Popen[bytes] | None,
    process: int,
) -> None:
    """Remove a process's folder at its normal end, and let its cleaner end.

    Args:
        path: The folder.
        lock: The descriptor of its lock; None without a lock.
        cleaner: The shell that would remove the folder after any other end; None without one.
        process: The number of the process that made the folder.
    """
    # A forked process leaves its parent's place alone.
    if os.getpid() != process:
        return
    if lock is not None:
        os.close(lock)
    _remove(path, process)
    if cleaner is not None:
        stdin: IO[bytes] | None = cleaner.stdin
        if stdin is not None:
            stdin.close()
        with suppress(subprocess.TimeoutExpired):
            cleaner.wait(5)


def _remove(path: Path, process: int) -> None:
    # A forked process leaves the folders of its parent alone.
    if os.getpid() == process:
        shutil.rmtree(path, ignore_errors=True)


def _refuse(folder: Path) -> NoReturn:
    """Raise the error that no private folder can be made in this one."""
    raise TableError(
        f"No private folder can be made in '{folder}'; make room there, or name another by "
        "TMPDIR."
    )
