"""Files that others name, opened as files: a pipe would be waited for, a device never ends.

>>> open_file("/dev/null")
Traceback (most recent call last):
synth.errors.ArgumentError: '/dev/null' is a pipe, a device or a folder; expected a file.
"""

import os
import stat
from pathlib import Path
from typing import BinaryIO

from synth.errors import ArgumentError


def open_file(path: str | Path) -> BinaryIO:
    """Open a file to read it.

    Raises:
        ArgumentError: It is a pipe, a device or a folder.
        OSError: There is none, or it cannot be opened.
    """
    if "\0" in str(path):
        raise FileNotFoundError
    _check(path, os.stat(path))
    # Whatever takes its place now: a pipe is not waited for, and found out.
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    file = os.fdopen(handle, "rb")
    try:
        _check(path, os.fstat(handle))
    except ArgumentError:
        file.close()
        raise
    return file


def read_file(path: str | Path, most: int) -> bytes:
    """So many bytes of a file, and one more where it has more.

    Raises:
        ArgumentError: It is a pipe, a device or a folder.
        OSError: There is none, or it cannot be read.
    """
    with open_file(path) as file:
        return file.read(most + 1)


def _check(path: str | Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise ArgumentError(f"'{path}' is a pipe, a device or a folder; expected a file.")
