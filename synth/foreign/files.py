"""Files that users name: the endings of their names, and how they are opened.

Only regular files are opened: a pipe would block, a device never ends.

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
from synth.util import check_path

if TYPE_CHECKING:
    from _typeshed import SupportsRead

# Bytes of a file that are read at a time.
READ_BYTES = 1 << 20

# Endings of JSON lines, and of workbooks.
JSON_LINES = (".jsonl", ".ndjson")
WORKBOOKS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
# Endings of statistics files, and their functions in pyreadstat.
READERS = {
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".dta": "read_dta",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}
# Those with readable headers.
LABEL_ENDINGS = (".sav", ".zsav", ".por", ".dta")


def open_file(path: str | Path) -> BinaryIO:
    """Open a file that a user named, for reading; only a regular one.

    Raises:
        ArgumentError: It is a pipe, a device or a folder, or no file can have this name.
        OSError: It does not exist, or cannot be opened.
    """
    check_path(path)
    _check(path, os.stat(path))
    # If a pipe takes the file's place now, O_NONBLOCK prevents waiting, and the second check
    # finds it.
    handle = os.open(
        path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    )
    file = os.fdopen(handle, "rb")
    try:
        _check(path, os.fstat(handle))
    except ArgumentError:
        file.close()
        raise
    return file


def read_file(path: str | Path, max_bytes: int) -> bytes:
    """Return up to ``max_bytes`` bytes of a file, and one more if it is longer.

    So the caller sees that it is too long. The errors are those of `open_file`.
    """
    with open_file(path) as file:
        return file.read(max_bytes + 1)


def load_file(
    path: str | Path, max_bytes: int, subject: str, *, kind: type[SynthError]
) -> bytes:
    """Return up to ``max_bytes`` bytes of a small file, and one more if it is longer.

    Args:
        path: The file.
        max_bytes: The most bytes that the caller accepts.
        subject: The beginning of the sentence about an error, such as "The plan".
        kind: The error to raise if the file cannot be read.
    """
    try:
        return read_file(path, max_bytes)
    except OSError as error:
        reason = ": there is no such file" if isinstance(error, FileNotFoundError) else ""
        raise kind(f"{subject} '{path}' cannot be read{reason}.") from None


def read_blocks(file: "SupportsRead[bytes]") -> Iterator[bytes]:
    """Yield the content of a file in blocks."""
    while block := file.read(READ_BYTES):
        yield block


def _check(path: str | Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise ArgumentError(f"'{path}' is a pipe, a device or a folder; expected a file.")
