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

A message names arguments, columns, line numbers and declared limits. It never contains the value of
a cell, because messages appear in logs, tickets and on shared screens.
"""

import unicodedata
from collections.abc import Sequence


def escape_text(text: str) -> str:
    """Return a file's text for a terminal, with every unprintable character escaped.

    >>> escape_text("a\\u202eb\\x1b[2J")
    'a\\\\u202eb\\\\x1b[2J'
    """
    return "".join(c if _is_seen(c) else c.encode("unicode_escape").decode() for c in text)


def name_some(names: Sequence[str], most: int) -> str:
    """Return the first names of a list, and the number of the others.

    >>> name_some(["a", "b", "c"], 2)
    'a, b and 1 more'
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _is_seen(character: str) -> bool:
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
        return escape_text(super().__str__())


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
    """A file or a folder is no bundle of Synth at all, so it makes no claim that could be false."""


class OtherVersionError(ReleaseError):
    """Another version of Synth made the files, and this one cannot check them."""
