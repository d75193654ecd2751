"""All errors of Synth; each message is one clear sentence.

::

    SynthError
    ├── ArgumentError
    │   └── NoiseError
    ├── DomainError
    ├── TableError
    ├── LimitError
    ├── QuestionError
    ├── CollectError
    ├── LedgerError
    ├── ProjectError
    └── ReleaseError
        ├── RefutedError
        ├── NotBundleError
        └── OtherVersionError

>>> import synth
>>> try:
...     synth.Domain(age=synth.Integer(97, 18))
... except synth.SynthError as error:
...     print(error)
Column 'age': minimum 97 is above maximum 18.

A message names arguments, columns, line numbers and declared limits. It never contains the
value of a cell, because messages appear in logs, tickets and on shared screens."""

import re
import unicodedata
from collections.abc import Sequence
from decimal import Decimal
from numbers import Real

# Most characters of a message, and of a name that it quotes.
MESSAGE_LENGTH = 2_000
QUOTED_LENGTH = 300

# A text in single quotes; an apostrophe within a word, as in "file's", begins no quotation.
_QUOTED = re.compile(r"(?<!\w)'(.*?)'(?!\w)", re.DOTALL)


def escape_text(text: str) -> str:
    """Return a file's text for a terminal, with every unprintable character escaped.

    Such characters could move the cursor or turn the direction of the text.

    >>> escape_text("a\\u202eb\\x1b[2J")
    'a\\\\u202eb\\\\x1b[2J'
    """
    return "".join(c if _is_seen(c) else c.encode("unicode_escape").decode() for c in text)


def describe_value(value: object) -> str:
    """Return a wrong value in words, for the sentence of an error.

    A number is shown as it is, a text in quotes, and all else by its type alone: a table in
    the place of a number would else put its rows into the message.

    >>> describe_value(-1), describe_value("x"), describe_value({"age": [41]})
    ('-1', "'x'", 'of the type dict')
    """
    if isinstance(value, str):
        return f"'{value}'"
    if value is not None and not isinstance(value, Real | Decimal):
        return f"of the type {type(value).__name__}"
    try:
        return str(value)
    except ValueError:  # Python writes no more than some thousand digits
        return "a number of very many digits"


def clean_message(text: str) -> str:
    """Return a message as it is shown: short, and with every unprintable character escaped.

    Every error and every note passes here, with all names that it quotes.
    """
    # Shortened once more after escaping, which makes up to ten characters of one.
    return shorten_message(escape_text(shorten_message(text)))


def shorten_message(text: str) -> str:
    """Return a message cut to `MESSAGE_LENGTH`, and its quoted names to `QUOTED_LENGTH`.

    Names are quoted in single quotes. A quotation of several lines is no name, but perhaps
    the rows of a table, and is not shown at all. Long texts are cut in their middle, because
    the end of a message says what to do.

    >>> shorten_message("There is no '" + "x" * 100_000 + "'; choose another.")[-21:]
    "xxx'; choose another."
    >>> len(shorten_message("x" * 100_000))
    2003
    """
    if len(text) > MESSAGE_LENGTH:
        text = f"{text[: MESSAGE_LENGTH * 3 // 4]} … {text[-(MESSAGE_LENGTH // 4) :]}"
    return _QUOTED.sub(_shorten_quoted, text)


def _shorten_quoted(quotation: re.Match[str]) -> str:
    """Return a quoted name with its quotes, cut in its middle if it is long.

    A text of three lines or more is not shown, as it may be the rows of a table.
    """
    name = quotation[1]
    if name.count("\n") > 1:
        return "(a text of several lines)"
    if len(name) <= QUOTED_LENGTH:
        return quotation[0]
    return f"'{name[: QUOTED_LENGTH * 2 // 3]}…{name[-(QUOTED_LENGTH // 3) :]}'"


def name_some(names: Sequence[str], most: int) -> str:
    """Return the first ``most`` names with commas, and the number of the others.

    >>> name_some(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _is_seen(character: str) -> bool:
    """Return whether a character is shown as itself, or is a space (category Zs)."""
    return character.isprintable() or unicodedata.category(character) == "Zs"


class SynthError(Exception):
    """Base of all errors that a steward sees: one sentence without any cell's value.

    >>> import synth
    >>> try:
    ...     synth.Domain(age=synth.Integer(97, 18))
    ... except synth.SynthError as error:
    ...     print(error)
    Column 'age': minimum 97 is above maximum 18.
    """

    def __str__(self) -> str:
        return clean_message(super().__str__())


class ArgumentError(SynthError, ValueError):
    """An argument of a function is invalid."""


class NoiseError(ArgumentError):
    """An epsilon needs noise that is larger or smaller than Synth draws."""


class DomainError(SynthError):
    """The declared domain is wrong or incomplete."""


class TableError(SynthError):
    """The confidential table cannot be read under the declared domain."""


class LimitError(SynthError):
    """A size would exceed a declared limit; raised before anything is allocated."""


class QuestionError(SynthError):
    """A question is invalid, or asks for undeclared columns or values."""


class CollectError(SynthError):
    """Collected answers cannot be read, or belong to another form."""


class LedgerError(SynthError):
    """The ledger cannot be written, read or trusted."""


class ProjectError(SynthError):
    """A project cannot be saved or opened."""


class ReleaseError(SynthError):
    """A release or its output cannot be made."""


class RefutedError(ReleaseError):
    """Files contradict their claims."""


class NotBundleError(ReleaseError):
    """A file or a folder is no bundle of Synth at all, so it makes no claim that could be
    false.
    """


class OtherVersionError(ReleaseError):
    """Another version of Synth made the files, and this one cannot check them."""
