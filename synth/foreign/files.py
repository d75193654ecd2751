"""Files that others name, opened as files: a pipe would be waited for, a device never ends.

>>> open_file("/dev/null")
Traceback (most recent call last):
synth.errors.ArgumentError: '/dev/null' is a pipe, a device or a folder; expected a file.
"""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from synth.errors import ArgumentError, SynthError

if TYPE_CHECKING:
    from _typeshed import SupportsRead

READ_BYTES = 1 << 20
"""Bytes of a file that are read at a time."""


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


def load_file(path: str | Path, most: int, what: str, kind: type[SynthError]) -> bytes:
    """Read a small file whole: so many bytes, and one more where it has more.

    Args:
        path: The file.
        most: How many bytes.
        what: What it is, as the sentence calls it.
        kind: The error where it cannot be read.

    Raises:
        SynthError: It cannot.
    """
    try:
        return read_file(path, most)
    except OSError:
        raise kind(f"{what} '{path}' cannot be read.") from None


def read_blocks(file: "SupportsRead[bytes]") -> Iterator[bytes]:
    """Read a file to its end, some bytes at a time."""
    while block := file.read(READ_BYTES):
        yield block


def _check(path: str | Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise ArgumentError(f"'{path}' is a pipe, a device or a folder; expected a file.")
