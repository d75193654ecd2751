"""Output of the command line: text that a terminal shows and never runs.

Anyone may choose names of columns, files and categories. Characters are escaped that are
invisible, move the cursor, turn the direction of text, or cannot be encoded.
"""

import argparse
import json
import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from shutil import get_terminal_size
from textwrap import wrap
from typing import Any, TextIO

from synth.errors import ReleaseError, clean_message, escape_text
from synth.util import Document, Json

Run = Callable[[argparse.Namespace], int | None]


def set_run(parser: argparse.ArgumentParser, run: Run, *, details: bool = False) -> None:
    """Set what a command runs, and add the options of its output.

    Args:
        parser: The parser of the command.
        run: Called with the options; it returns an exit status, or None for 0.
        details: Whether the command has the option ``--verbose``.
    """
    parser.set_defaults(run=run)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    if details:
        parser.add_argument("-v", "--verbose", action="store_true", help="print details")


def add_verb(
    verbs: Any, name: str, summary: str, *, run: Run, details: bool = False
) -> argparse.ArgumentParser:
    """Add and return the parser of a verb of a command, such as "show" of "ledger".

    Args:
        verbs: The subparsers of the command, from argparse.
        name: The verb.
        summary: What it does, without a capital and a full stop.
        run: What runs the verb.
        details: Whether it has the option ``--verbose``.
    """
    parser: argparse.ArgumentParser
    parser = verbs.add_parser(name, help=summary, description=sentence_of(summary))
    set_run(parser, run, details=details)
    return parser


def print_answer(options: argparse.Namespace, summary: Document, lines: list[str]) -> None:
    """Print the answer of a command: as JSON with ``--json``, else as lines.

    Args:
        options: The options of the command line.
        summary: The answer as JSON.
        lines: The answer as lines of text.
    """
    if options.json:
        say_json(summary)
    else:
        say(*lines)


def say(*lines: str, to: TextIO | None = None) -> None:
    """Print lines, by default to stdout.

    A terminal wraps them. A closed stderr stops nothing.

    Raises:
        ReleaseError: Stdout cannot be written.
        BrokenPipeError: The reader of stdout has ended.
    """
    is_message = to not in (None, sys.stdout)  # an error or a note, which may quote anything
    clean = [clean_message(line) if is_message else escape_text(line) for line in lines]
    if is_terminal(to or sys.stdout):
        clean = [
            part for line in clean for part in wrap_line(line, get_terminal_size().columns)
        ]
    text = "".join(f"{line}\n" for line in clean)
    if to is None or not is_message:
        _print(text)
        return
    with suppress(OSError):
        print(_encodable(text, to), end="", file=to, flush=True)


def is_terminal(to: TextIO | None) -> bool:
    """Return whether an output is a terminal."""
    with suppress(OSError, ValueError):
        return to is not None and to.isatty()
    return False


def ask_line(prompt: str) -> str:
    """Ask a person at the terminal; return the typed line, empty at the input's end."""
    print(prompt, end="", file=sys.stderr, flush=True)
    return sys.stdin.readline()


def wrap_line(line: str, width: int) -> list[str]:
    """Return a line as lines of a width, with its indentation; lines of a table stay whole.

    >>> wrap_line("  Note: the answer is public.", 20)
    ['  Note: the answer', '  is public.']
    """
    text = line.lstrip()
    if "  " in text or len(line) <= width:
        return [line]
    indent = " " * (len(line) - len(text))
    return wrap(
        line, width, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False
    )


def sentence_of(words: str) -> str:
    """Return words as a sentence.

    >>> sentence_of("no rows fit")
    'No rows fit.'
    """
    return f"{words[:1].upper()}{words[1:]}."


def say_json(value: Json, *, indent: int | None = None) -> None:
    """Print a JSON value, with unsafe characters escaped as in JSON; raises as `say`."""
    text = json.dumps(value, indent=indent, ensure_ascii=indent is None)
    _print(re.sub(r"[^\x20-\x7e\n]", _spelled_out, text) + "\n")


def say_file(text: str) -> None:
    """Print a file unchanged; on a terminal, safely.

    Raises:
        ReleaseError: Stdout cannot be written, or lacks a character of the file.
        BrokenPipeError: The reader of stdout has ended.
    """
    if is_terminal(sys.stdout):
        _print("".join(f"{escape_text(line)}\n" for line in text.splitlines()))
        return
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        raise ReleaseError(
            f"The output is in {sys.stdout.encoding}, which lacks a character of this file; "
            "name one by --out FILE."
        ) from None
    _print(text)


def let_go_of_output() -> None:
    """Close stdout for good, as writing the rest at exit would fail again."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print(text: str) -> None:
    """Print a text to stdout as it is.

    Raises:
        ReleaseError: Stdout cannot be written, for instance because a disk is full.
        BrokenPipeError: The reader of stdout has ended.
    """
    try:
        print(_encodable(text, sys.stdout), end="", flush=True)
    except BrokenPipeError:
        raise
    except (OSError, AttributeError):  # full, or closed from the start
        let_go_of_output()
        raise ReleaseError("The output cannot be written.") from None


def _encodable(text: str, to: TextIO) -> str:
    """Return a text with escapes in place of characters that an output cannot encode."""
    encoding = to.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def _spelled_out(match: re.Match[str]) -> str:
    """Return a matched character as it is if stdout can show it, else as a JSON escape."""
    character = match[0]
    with suppress(UnicodeEncodeError):
        character.encode(sys.stdout.encoding or "utf-8")
        if character.isprintable():
            return character
    # An escape of JSON is four hexadecimal digits of UTF-16; rare characters take two.
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))
