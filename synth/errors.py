"""What can go wrong, said in one clear sentence.

::

    SynthError
    ├── ArgumentError   a number or word handed to a function (also a ValueError)
    ├── DomainError     the public declaration of the columns
    ├── TableError      the confidential table cannot be read as declared
    ├── LimitError      something is larger than a declared limit
    ├── QuestionError   a question that cannot be read, or not be asked of the declared columns
    ├── CollectError    collected answers, or the form they are of, that cannot be read
    ├── LedgerError     the record of spends
    ├── ProjectError    a project that cannot be saved, or a file that is none
    └── ReleaseError    a release that cannot be made, or a result that cannot be written
        ├── RefutedError        files that do not hold what they claim
        └── OtherVersionError   files of another version of Synth, which are not checked

>>> import synth
>>> try:
...     synth.Domain(age=synth.Integer(97, 18))
... except synth.SynthError as error:
...     print(error)
Column 'age': minimum 97 is above maximum 18.

A message names arguments, columns, line numbers and declared limits. It never holds the
value of a cell, because messages end up in logs, in tickets and on shared screens.
"""

import unicodedata
from collections.abc import Sequence


def escape_text(text: str) -> str:
    """A text of a file for a terminal: what is not printable, nor a blank, is spelled out.

    >>> escape_text("a\\u202eb\\x1b[2J")
    'a\\\\u202eb\\\\x1b[2J'
    """
    return "".join(c if _is_seen(c) else c.encode("unicode_escape").decode() for c in text)


def name_some(names: Sequence[str], most: int) -> str:
    """Name the first of some things, and count the others.

    >>> name_some(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _is_seen(character: str) -> bool:
    return character.isprintable() or unicodedata.category(character) == "Zs"


class SynthError(Exception):
    """Root of all errors meant for the steward: one sentence, which holds no cell's value.

    >>> import synth
    >>> try:
    ...     synth.Domain(age=synth.Integer(97, 18))
    ... except synth.SynthError as error:
    ...     print(error)
    Column 'age': minimum 97 is above maximum 18.
    """

    def __str__(self) -> str:
        return escape_text(super().__str__())


class ArgumentError(SynthError, ValueError):
    """An argument is outside what the function accepts."""


class DomainError(SynthError):
    """The declared domain is wrong or incomplete."""


class TableError(SynthError):
    """The confidential table cannot be read under the declared domain."""


class LimitError(SynthError):
    """A declared limit would be exceeded; raised before anything is allocated."""


class QuestionError(SynthError):
    """A question cannot be read, or asks for what is not declared."""


class CollectError(SynthError):
    """Collected answers cannot be read, or are of another form."""


class LedgerError(SynthError):
    """The ledger cannot be written, read or trusted."""


class ProjectError(SynthError):
    """A project cannot be saved or opened."""


class ReleaseError(SynthError):
    """A release or its output cannot be made."""


class RefutedError(ReleaseError):
    """Files do not hold what they claim."""


class OtherVersionError(ReleaseError):
    """Files were made by another version of Synth, and this one cannot check them."""
