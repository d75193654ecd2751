"""Output of the command line: text that a terminal shows and never runs.

Anybody may choose names of columns, files and categories. Characters that are invisible, move the
cursor or turn the direction of text are escaped, and so are those that the terminal cannot encode.
"""

import json
import os
import re
import sys
from contextlib import suppress
from typing import TextIO

from synth.errors import ReleaseError, escape_text
from synth.util import Json


def say(*lines: str, to: TextIO | None = None) -> None:
    """Print lines, by default to stdout; a closed stderr stops nothing.

    Raises:
        ReleaseError: Stdout cannot be written.
        BrokenPipeError: The reader of stdout has ended.
    """
    text = "".join(f"{escape_text(line)}\n" for line in lines)
    if to in (None, sys.stdout):
        _print(text)
        return
    with suppress(OSError):
        print(_encodable(text, to), end="", file=to, flush=True)


def say_json(value: Json, *, indent: int | None = None) -> None:
    """Print a JSON value, with unsafe characters escaped as in JSON.

    Raises:
        ReleaseError: Stdout cannot be written.
        BrokenPipeError: The reader of stdout has ended.
    """
    text = json.dumps(value, indent=indent, ensure_ascii=indent is None)
    _print(re.sub(r"[^\x20-\x7e\n]", _spelled_out, text) + "\n")


def say_file(text: str) -> None:
    """Print a file unchanged; on a terminal, its lines.

    Raises:
        ReleaseError: Stdout cannot be written, or not in its encoding.
        BrokenPipeError: The reader of stdout has ended.
    """
    if sys.stdout.isatty():
        say(*text.splitlines())
        return
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        raise ReleaseError(
            f"The output is in {sys.stdout.encoding}, which lacks a character of this file; name "
            "one by --out FILE."
        ) from None
    _print(text)


def let_go_of_output() -> None:
    """Close stdout for good, as writing the rest at exit would fail again."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print(text: str) -> None:
    try:
        print(_encodable(text, sys.stdout), end="", flush=True)
    except BrokenPipeError:
        raise
    except (OSError, AttributeError):  # full, or closed from the start
        let_go_of_output()
        raise ReleaseError("The output cannot be written.") from None


def _encodable(text: str, to: TextIO) -> str:
    encoding = to.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def _spelled_out(found: re.Match[str]) -> str:
    character = found[0]
    with suppress(UnicodeEncodeError):
        character.encode(sys.stdout.encoding or "utf-8")
        if character.isprintable():
            return character
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))
