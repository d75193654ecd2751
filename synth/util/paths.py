"""Paths that people type, and the folder for lasting files. PUBLIC.

A typed path is refused if no file of this system can have that name. A path with a zero byte or half a character, or one that is too long, raises a different error
in each library that is given it. So every command and every public function has its paths
looked at here first. Whether there is such a file, and of which kind, is not asked.

>>> check_path("a.csv")
>>> check_path("a\\0")
Traceback (most recent call last):
synth.errors.ArgumentError: 'a\\x00' cannot be the name of a file: no name holds such a character.
"""  # noqa: E501

import errno
import os
import sys
from pathlib import Path

from synth.errors import ArgumentError


def check_path(path: str | os.PathLike[str], name: str = "") -> None:
    """Refuse a path that no file of this system can have.

    Args:
        path: The path; a folder's or one that is not there yet is as good.
        name: What an empty path was given for.

    Raises:
        ArgumentError: It is empty, too long, holds a character that no name holds, or is a
            text of several lines.
    """
    text = os.fspath(path)
    # A table as text in place of its path: no file may get its rows as a name.
    if isinstance(text, str) and text.count("\n") > 1:
        where = f" for {name}" if name else ""
        raise ArgumentError(
            f"A text of several lines is given{where}; name a file or a folder."
        )
    if not text:
        where = f" for {name}" if name else ""
        raise ArgumentError(f"No path is given{where}; name a file or a folder.")
    reason = _find_fault(text)
    if reason:
        raise ArgumentError(f"'{text}' cannot be the name of a file: {reason}.")


def _find_fault(text: str) -> str:
    """Return in words why no file can have this path; an empty text if one can.

    A path where there is no file at present is not a fault.
    """
    try:
        # A lone surrogate stands for a byte that is no text: engines and zips refuse it.
        text.encode()
        os.lstat(Path(text).absolute())
    except ValueError:
        return "no name holds such a character"
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            return "this system allows no name or path of that length"
        if error.errno == errno.EINVAL:  # as Windows has it for < and the like
            return "this system allows no such name"
    return ""


def home_folder() -> Path:
    """Return the folder of the ledger, the projects, and the lock of the window.

    It is that of ``SYNTH_HOME``, by default the platform's folder for user data.
    """
    return Path(os.environ.get("SYNTH_HOME") or _usual()).expanduser()


def _usual() -> str:
    """Return the folder for user data that is usual on this platform, "~" not expanded."""
    if sys.platform == "win32":
        return os.environ.get("LOCALAPPDATA", "~") + "/Synth"
    if sys.platform == "darwin":
        return "~/Library/Application Support/Synth"
    return os.environ.get("XDG_DATA_HOME", "~/.local/share") + "/synth"
