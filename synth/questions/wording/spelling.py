"""Spelling and limits of names and values in a question. PUBLIC."""

import re
from typing import NoReturn

from synth import limits
from synth.errors import LimitError, QuestionError

# Words that need quotes as names or values.
KEYWORDS = frozenset("where by with over and or not in between is missing null".split())


NUMBER_WORD = re.compile(r"-?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


# A day, or a month.
DAY_PATTERN = re.compile("[0-9]{4}-[0-9]{2}(?:-[0-9]{2})?")

# What else needs no quotes: dates as files have them, moments, and times such as 8:30.
TIME_WORDS = (
    "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(?::[0-9]{2})?(?:Z|[+-][0-9]{2}:?[0-9]{2})?",
    "[0-9]{1,4}-[0-9]{1,2}-[0-9]{1,4}",
    "[0-9]{1,2}-[A-Za-z]{3,9}-[0-9]{2,4}",
    "[0-9]{1,4}[.][0-9]{1,2}[.][0-9]{2,4}",
    "[0-9]{1,4}/[0-9]{1,2}/[0-9]{2,4}",
    "[0-9]{1,2}/[0-9]{4}",
    "[0-9]{1,7}:[0-9]{2}(?::[0-9]{2})?",
)


_WORD = re.compile("[A-Za-z_][A-Za-z0-9_]*")


def name_text(name: str) -> str:
    """Write a name in the text of a question: plain, or in double quotes.

    >>> name_text("age"), name_text("hours-per-week"), name_text("by")
    ('age', '"hours-per-week"', '"by"')
    """
    return name if _is_word(name) else '"' + name.replace('"', '""') + '"'


def value_text(value: str) -> str:
    """Write a value in the text of a question: plain, or in single quotes.

    >>> (
    ...     value_text("Female"),
    ...     value_text("-8"),
    ...     value_text("2020-01-31"),
    ...     value_text("2020-01"),
    ... )
    ('Female', '-8', '2020-01-31', '2020-01')
    >>> value_text("it's"), value_text("01/2020")
    ("'it''s'", "'01/2020'")
    """
    plain = _is_word(value) or NUMBER_WORD.fullmatch(value) or DAY_PATTERN.fullmatch(value)
    return value if plain else "'" + value.replace("'", "''") + "'"


def _is_word(text: str) -> bool:
    return _WORD.fullmatch(text) is not None and text.lower() not in KEYWORDS


def check_column_name(name: object) -> None:
    """Refuse a name that no column can have.

    Raises:
        QuestionError: It is empty, no text, or holds half a character.
        LimitError: It is too long.
    """
    if not isinstance(name, str) or not name.strip():
        refuse_question("A question names a column by a text that is not empty.")
    _check_text("The name of a column", name, limits.NAME_LENGTH)


def check_value(column: str, value: object) -> None:
    """Refuse a value that no comparison can have; ``column`` is named in messages.

    Raises:
        QuestionError: It is no text, or holds half a character.
        LimitError: It is too long.
    """
    if not isinstance(value, str):
        refuse_question(f"{name_column(column)}: a value must be a text.")
    _check_text(f"{name_column(column)}: a value", value, limits.VALUE_LENGTH)


def _check_text(subject: str, text: str, limit: int) -> None:
    """Refuse a text that is too long or no valid Unicode.

    Args:
        subject: What the text is, as the beginning of a message.
        text: The text.
        limit: The most characters that the text may have.
    """
    if len(text) > limit:
        raise LimitError(
            f"{subject} in a question has {len(text):,} characters; the limit is {limit:,}."
        )
    try:
        # Fails for a lone surrogate.
        text.encode()
    except UnicodeEncodeError:
        refuse_question(f"{subject} in a question holds half a character (a lone surrogate).")


def shorten(text: str) -> str:
    """Return a text, cut so that a message may quote it."""
    return text if len(text) <= limits.QUOTED else f"{text[: limits.QUOTED]}…"


def name_column(column: str) -> str:
    """Return the name of a column as a message shows it."""
    return f"Column '{column}'"


def refuse_question(message: str) -> NoReturn:
    """Refuse a question.

    Raises:
        QuestionError: Always.
    """
    raise QuestionError(message)
