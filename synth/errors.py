"""All errors of Synth; each message is one clear sentence.

A message names arguments, columns, line numbers and declared limits. It never contains the
value of a cell, because messages appear in logs, tickets and on shared screens.

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
    │   └── WaitingError
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
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from numbers import Real

# Most characters of a message, and of a name that it quotes.
MESSAGE_LENGTH = 2_000
QUOTED_LENGTH = 300

# The sentence about JSON that cannot be read as a plan, or as a part of one.
NO_PLAN = "This is no plan of Synth, or one of another version."

_QUOTED = re.compile(r"(?<!\w)'(.*?)'(?!\w)", re.DOTALL)


def escape_text(text: str) -> str:
    """Return a file's text for a terminal, with every unprintable character escaped.

    >>> escape_text("a\\u202eb\\x1b[2J")
    'a\\\\u202eb\\\\x1b[2J'
    """
    return "".join(c if _is_seen(c) else c.encode("unicode_escape").decode() for c in text)


def describe_value(value: object) -> str:
    """Return a wrong value for a sentence: a number or a text as it is, else its type.

    A table in the place of a number would else put its rows into the message.

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


# The other spellings of arguments, which the functions and the command line take, too.
SPELLINGS: Mapping[str, str] = {"neighbours": "neighbors", "favor": "favour"}


def find_similar(word: str, choices: Iterable[str]) -> str:
    """Return the choice that somebody may have meant by a word; empty without one.

    It is the word itself if that is a choice, or else the only choice that begins with the
    word, or else the most similar one.

    >>> find_similar("eps", ["--epsilon", "--delta"]), find_similar("Agee", ["sex", "age"])
    ('--epsilon', 'age')
    >>> find_similar("x", ["age"])
    ''
    """
    from difflib import get_close_matches

    by_folded = {choice.lstrip("-").casefold(): choice for choice in choices}
    folded = word.lstrip("-").casefold()
    if folded in by_folded:
        return by_folded[folded]
    longer_choices = [choice for choice in by_folded if folded and choice.startswith(folded)]
    if len(longer_choices) == 1:
        return by_folded[longer_choices[0]]
    similar_choices = get_close_matches(folded, by_folded, 1)
    return by_folded[similar_choices[0]] if similar_choices else ""


def suggest_similar(word: str, choices: Iterable[str]) -> str:
    """Return the end of a sentence about an unknown word, with a choice like it if any is.

    >>> suggest_similar("agee", ["sex", "age"]), suggest_similar("x", ["age"])
    ("; did you mean 'age'?", '.')
    """
    similar = find_similar(word, choices)
    return f"; did you mean '{similar}'?" if similar else "."


def clean_message(text: str) -> str:
    """Return a message as it is shown: short, and with every unprintable character escaped.

    Every error and every note passes here, with all names that it quotes.
    """
    # Shortened before, so that escaping has little to do, and after, as it makes up to ten
    # characters of one.
    return shorten_message(escape_text(shorten_message(text)))


def shorten_message(text: str) -> str:
    """Return a message in which no name, path or value is longer than anybody reads.

    Names are expected in single quotes. A quoted text of several lines is no name, but
    perhaps the rows of a table, and is not shown at all. A long name or message is cut in its
    middle, as its end says what to do.

    >>> shorten_message("There is no '" + "x" * 100_000 + "'; choose another.")[-21:]
    "xxx'; choose another."
    >>> len(shorten_message("x" * 100_000))
    2003
    """
    if len(text) > MESSAGE_LENGTH:  # three quarters from its beginning, one from its end
        text = f"{text[: MESSAGE_LENGTH * 3 // 4]} … {text[-(MESSAGE_LENGTH // 4) :]}"
    return _QUOTED.sub(_shorten_quoted, text)


def _shorten_quoted(quotation: re.Match[str]) -> str:
    """Return a quoted name with its quotes, cut in its middle if it is long.

    ``quotation`` is a match of `_QUOTED`. A text of more than two lines is not shown.
    """
    name = quotation[1]
    if name.count("\n") > 1:
        return "(a text of several lines)"
    if len(name) <= QUOTED_LENGTH:
        return quotation[0]
    return f"'{name[: QUOTED_LENGTH * 2 // 3]}…{name[-(QUOTED_LENGTH // 3) :]}'"


def name_some(names: Sequence[str], most: int) -> str:
    """Return the first ``most`` names of a list, and the number of the others, in words.

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


class WaitingError(LedgerError):
    """A spend that waits for the approval of a second person; nothing was spent.

    Attributes:
        request: The number of the request in the ledger.
    """

    def __init__(self, sentence: str, request: int) -> None:
        """Take the one sentence, and the number of the request."""
        super().__init__(sentence)
        self.request = request


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
