"""The words, names, values and symbols that the text of a question is made of. PUBLIC.

>>> [(one.form, one.text) for one in lexemes("age >= 65 and day < 2024-01-31")][2:]
[('number', '65'), ('word', 'and'), ('word', 'day'), ('symbol', '<'), ('number', '2024-01-31')]
"""

from functools import cache
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from synth import limits
from synth.errors import LimitError
from synth.questions.wording import DAY, NUMBER, refuse_question

if TYPE_CHECKING:  # it takes a fifth of a second to load
    from sqlglot.tokenizer_core import Token
    from sqlglot.tokens import Tokenizer

SHOWN = 40
"""Characters of a question that a message quotes."""

QUOTES = (
    "a name that is no plain word stands in double quotes, and such a value in single ones: "
    "\"marital-status\" = 'Never-married'"
)
SIGNS = f"of signs there are = != < <= > >= ( ) and commas, and {QUOTES}"
_SYMBOLS = set("( ) [ ] ; , - / = == != <> < <= > >=".split())
OPERATORS = frozenset("and or not in between is".split())


class Lexeme(NamedTuple):
    """A word, name, value or symbol of a question, and where it stands."""

    form: str
    """``word``, ``name`` in double quotes, ``text`` in single ones, ``number`` or ``symbol``."""
    text: str
    start: int
    end: int

    @property
    def word(self) -> str:
        """A word in small letters, or a symbol; empty for what has another form."""
        return self.text.lower() if self.form in ("word", "symbol") else ""

    @property
    def is_operand(self) -> bool:
        """Whether it may be a name or a value."""
        return self.form != "symbol" and self.word not in OPERATORS


@cache
def _tokenizer() -> "type[Tokenizer]":
    """A tokenizer that knows no words, and neither comments nor other kinds of quotes."""
    from sqlglot.tokenizer_core import TokenType
    from sqlglot.tokens import Tokenizer

    class Words(Tokenizer):
        COMMENTS = []  # noqa: RUF012
        KEYWORDS = {  # noqa: RUF012
            ">=": TokenType.GTE,
            "<=": TokenType.LTE,
            "<>": TokenType.NEQ,
            "!=": TokenType.NEQ,
            "==": TokenType.EQ,
        }

    return Words


def lexemes(text: str) -> list[Lexeme]:
    """What a text is made of, in order.

    Raises:
        QuestionError: Something in it has no place in a question.
        LimitError: It is too long.
    """
    from sqlglot.errors import TokenError

    _check_text(text)
    try:
        tokens = _tokenizer()().tokenize(text)
    except TokenError:
        refuse_question("The question has a quote that is not closed.")
    found: list[Lexeme] = []
    end = 0
    for token in tokens:
        if token.start < end:  # it is part of a day or of a number below 0
            continue
        if text[end : token.start].strip():
            refuse_place(text, end, "a question holds no comments")
        found.append(_lexeme(text, token))
        end = found[-1].end
    if text[end:].strip():
        refuse_place(text, end, "a question holds no comments")
    return found


def _check_text(text: object) -> None:
    if not isinstance(text, str) or not text.strip():
        refuse_question("The question is empty.")
    if len(text) > limits.QUESTION_LENGTH:
        raise LimitError(
            f"The question has {len(text):,} characters; the limit is {limits.QUESTION_LENGTH:,}."
        )
    try:
        text.encode()
    except UnicodeEncodeError:
        refuse_question("The question holds half a character (a lone surrogate).")


def _lexeme(text: str, token: "Token") -> Lexeme:
    """The one that begins with a token; a day and a number below 0 are several tokens."""
    form = _FORMS.get(token.token_type.name, "symbol")
    start, end = token.start, token.end + 1
    if form == "number" or token.text in ("-", "."):
        value = DAY.match(text, start) or NUMBER.match(text, start)
        if value is not None and not _goes_on(text, value.end()):
            return Lexeme("number", value.group(), start, value.end())
    if form == "number":
        refuse_place(text, start, f"a number is one such as 65, -8, 2.5 or 1e3, and {QUOTES}")
    if form == "symbol" and token.text not in _SYMBOLS:
        refuse_place(text, start, SIGNS)
    if form == "word" and not token.text.isidentifier():
        refuse_place(text, start, QUOTES)
    return Lexeme(form, token.text, start, end)


_FORMS = {"VAR": "word", "IDENTIFIER": "name", "STRING": "text", "NUMBER": "number"}


def _goes_on(text: str, end: int) -> bool:
    """Whether what was read as a number is the beginning of something else."""
    following = text[end : end + 1]
    return following.isalnum() or following in ("_", ".", "'", '"')


def refuse_place(text: str, place: int, allowed: str) -> NoReturn:
    """Say where a question cannot be read, and what may stand there."""
    rest = " ".join(text[place:].split())
    if not rest:
        refuse_question(f"The question cannot be read at its end: {allowed}.")
    shown = rest if len(rest) <= SHOWN else f"{rest[:SHOWN]}…"
    number = place + len(text[place:]) - len(text[place:].lstrip()) + 1
    refuse_question(f"The question cannot be read at '{shown}' (character {number:,}): {allowed}.")
