"""The words, names, values and symbols of a question's text. PUBLIC.

>>> [(one.form, one.text) for one in lexemes("age >= 65 and day < 2024-01-31")][2:]
[('number', '65'), ('word', 'and'), ('word', 'day'), ('symbol', '<'), ('number', '2024-01-31')]
"""  # noqa: E501

from functools import partial
from typing import NoReturn

from synth import limits
from synth.domain import Lexeme, compile_lexeme, name_place, split_lexemes
from synth.errors import LimitError
from synth.questions.wording.spelling import (
    DAY_PATTERN,
    NUMBER_WORD,
    TIME_WORDS,
    refuse_question,
)

QUOTE_LEN = 40

QUOTES = (
    "put names with blanks or signs in double quotes, and such values in single quotes: "
    "\"marital-status\" = 'Never-married'"
)
SIGNS = f"the signs are = != < <= > >= ( ) and commas; {QUOTES}"
_VALUES = "|".join((*TIME_WORDS, DAY_PATTERN.pattern, NUMBER_WORD.pattern))
_WORDS = compile_lexeme(
    rf"""(?:{_VALUES})(?![\w.'":]|-\d)""",
    "( ) [ ] ; , - / = == != <> < <= > >=",
)


def lexemes(text: str) -> list[Lexeme]:
    """Split a question into its lexemes (words, names, values and signs), in order.

    Raises:
        QuestionError: A character has no place in a question.
        LimitError: It is too long.
    """
    if not isinstance(text, str) or not text.strip():
        refuse_question("The question is empty.")
    if len(text) > limits.QUESTION_LENGTH:
        raise LimitError(
            f"The question has {len(text):,} characters; the limit is "
            f"{limits.QUESTION_LENGTH:,}."
        )
    try:
        text.encode()
    except UnicodeEncodeError:
        refuse_question("The question holds half a character (a lone surrogate).")
    pieces = split_lexemes(text, _WORDS, partial(_refuse_lexeme, text))
    for piece in pieces:
        if piece.form == "word" and not piece.text.isidentifier():
            refuse_place(text, piece.start, QUOTES)
    return pieces


def _refuse_lexeme(text: str, place: int) -> NoReturn:
    """Refuse the text at a place where no lexeme begins, with a hint on what may be there."""
    if text[place] in "'\"":
        refuse_question("The question has a quote that is not closed.")
    begins_number = text[place].isdigit() or (
        text[place] == "." and text[place + 1 :][:1].isdigit()
    )
    number_hint = f"write a number such as 65, -8, 2.5 or 1e3; {QUOTES}"
    allowed = number_hint if begins_number else SIGNS
    refuse_place(text, place, allowed)


def refuse_place(text: str, place: int, allowed: str) -> NoReturn:
    """Say at which place a question can't be read, and what may be there.

    Args:
        text: The whole question.
        place: The number of the character.
        allowed: What may be there, in words.

    Raises:
        QuestionError: Always.
    """
    refuse_question(
        f"The question cannot be read {name_place(text, place, QUOTE_LEN)}: {allowed}."
    )
