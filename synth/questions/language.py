"""A question as one would say it. PUBLIC.

::

    count where age >= 65 and sex = Female     table sex by income, race
    share where income = '>50K'                top 3 occupation with counts
    total "hours-per-week" by sex              means age, "education-num" where sex is missing
    mean age by sex over persons weight 2      count where age between 18 and 64 or x in (a, 'b')

Words of the language may be in capitals. A name that is no plain word stands in double quotes, a
value that is no plain word, number or day in single ones; a quote inside is doubled.

The words are sqlglot's, and so is the order in which "and", "or", "not" and comparisons bind. Its
parser never sees a name or a value, only their numbers, and a handful of its nodes is understood:
there is no way to a function, a query, a cast or arithmetic.

>>> parse("mean age by sex where hours between 1 and 80").where
And(parts=(Compare(column='hours', sign=<Sign.AT_LEAST: '>='>, value='1'), \
Compare(column='hours', sign=<Sign.AT_MOST: '<='>, value='80')))
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from synth import limits
from synth.errors import LimitError
from synth.questions.condition import (
    DAY,
    NUMBER,
    And,
    Compare,
    Condition,
    Missing,
    Not,
    OneOf,
    Or,
    Sign,
    between,
    refuse_question,
)
from synth.questions.question import OVER, Kind, Question, parse_weight

if TYPE_CHECKING:  # it takes a fifth of a second to load
    from sqlglot import exp
    from sqlglot.tokenizer_core import Token
    from sqlglot.tokens import Tokenizer

SHOWN = 40
"""Characters of a question that a message quotes."""

_CONDITION = (
    "a condition is made of comparisons such as age >= 65, sex in (F, M), age between 18 and 64 or "
    "income is missing, joined by and, or, not and parentheses"
)
_QUOTES = (
    "a name that is no plain word stands in double quotes, and such a value in single ones: "
    "\"marital-status\" = 'Never-married'"
)
_SYMBOLS = set("( ) , - / = == != <> < <= > >=".split())
_STRUCTURE = {"where", "by", "with", "over"}


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
        return self.form != "symbol" and self.word not in _OPERATORS


_OPERATORS = {"and", "or", "not", "in", "between", "is"}


def parse(text: str) -> Question:
    """Read a question.

    Raises:
        QuestionError: It is none; the message shows the place and says what may stand there.
        LimitError: It is too long, lists too many values, or is nested too deeply.

    >>> str(parse('COUNT where "hours-per-week" > 40 AND NOT (sex=Female or sex is null)'))
    'count where "hours-per-week" > 40 and not (sex = Female or sex is missing)'
    """
    pieces = _pieces(text)
    words = [piece.word for piece in pieces]
    cut = words.index("where") if "where" in words else len(pieces)
    head = _Head(text, pieces[:cut])
    where = None if cut == len(pieces) else _condition(text, pieces[cut + 1 :])
    return head.question(where)


def parse_condition(text: str) -> Condition:
    """Read what may stand after ``where``.

    Raises:
        QuestionError: It is no condition.
        LimitError: It is too long, lists too many values, or is nested too deeply.
    """
    return _condition(text, _pieces(text))


# What a text is made of


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


def _pieces(text: str) -> list[Lexeme]:
    from sqlglot.errors import TokenError

    _check_text(text)
    try:
        tokens = _tokenizer()().tokenize(text)
    except TokenError:
        refuse_question("The question has a quote that is not closed.")
    pieces: list[Lexeme] = []
    end = 0
    for token in tokens:
        if token.start < end:  # it is part of a day or of a number below 0
            continue
        if text[end : token.start].strip():
            _refuse(text, end, "a question holds no comments")
        pieces.append(_piece(text, token))
        end = pieces[-1].end
    if text[end:].strip():
        _refuse(text, end, "a question holds no comments")
    return pieces


def _check_text(text: object) -> None:
    if not isinstance(text, str) or not text.strip():
        refuse_question(f"A question begins with one of {', '.join(Kind)}.")
    if len(text) > limits.QUESTION_LENGTH:
        message = (
            f"The question has {len(text):,} characters; the limit is {limits.QUESTION_LENGTH:,}."
        )
        raise LimitError(message)
    try:
        text.encode()
    except UnicodeEncodeError:
        refuse_question("The question holds half a character (a lone surrogate).")


def _piece(text: str, token: "Token") -> Lexeme:
    """The piece that begins with a token."""
    form = _FORMS.get(token.token_type.name, "symbol")
    start, end = token.start, token.end + 1
    if form == "number" or token.text == "-":
        value = DAY.match(text, start) or NUMBER.match(text, start)
        if value is not None and not _goes_on(text, value.end()):
            return Lexeme("number", value.group(), start, value.end())
    if form == "number":
        _refuse(text, start, f"a number is one such as 65, -8, 2.5 or 1e3, and {_QUOTES}")
    if form == "symbol" and token.text not in _SYMBOLS:
        _refuse(text, start, f"{_CONDITION}; {_QUOTES}")
    if form == "word" and not token.text.isidentifier():
        _refuse(text, start, _QUOTES)
    return Lexeme(form, token.text, start, end)


_FORMS = {"VAR": "word", "IDENTIFIER": "name", "STRING": "text", "NUMBER": "number"}


def _goes_on(text: str, end: int) -> bool:
    """Whether what was read as a number is the beginning of something else."""
    following = text[end : end + 1]
    return following.isalnum() or following in ("_", ".", "'", '"')


# The part before `where`


class _Head:
    """Reads the pieces before ``where``, from the first to the last."""

    def __init__(self, text: str, pieces: list[Lexeme]) -> None:
        self.text, self.pieces, self.place = text, pieces, 0

    def question(self, where: Condition | None) -> Question:
        kind = self._kind()
        k = self._k() if kind is Kind.TOP else 1
        columns = self._names("," if kind is not Kind.TABLE else ", by") if kind.columns[1] else ()
        by = self._names(", by") if self._takes("by") else ()
        options = self._options()
        return Question(
            kind, columns, by, where, k,
            counts=options.get("with") is not None,
            over=str(options.get("over", OVER[0])),
            weight=Fraction(options.get("weight", 1)),
        )  # fmt: skip

    def _kind(self) -> Kind:
        word = self._next.word if self._next else ""
        if word not in tuple(Kind):
            allowed = f"a question begins with one of {', '.join(Kind)}"
            self._refuse(allowed)
        self.place += 1
        return Kind(word)

    def _k(self) -> int:
        """How many values: a number after ``top``, or 1 where none stands there."""
        piece = self._next
        if piece is None or piece.form != "number":
            return 1
        if not piece.text.isdigit() or len(piece.text) > 9:
            self._refuse(f"'top' takes a whole number from 1 to {limits.CATEGORIES:,}")
        self.place += 1
        return int(piece.text)

    def _names(self, separators: str) -> tuple[str, ...]:
        names = [self._name()]
        while any(self._takes(one) for one in separators.split()):
            names.append(self._name())
        return tuple(names)

    def _name(self) -> str:
        piece = self._next
        if piece is None or piece.form not in ("word", "name") or piece.word in _STRUCTURE:
            self._refuse(f"the name of a column stands here, and {_QUOTES}")
        self.place += 1
        return piece.text

    def _options(self) -> dict[str, str | Fraction]:
        """What follows in any order: with counts, over persons, weight 2."""
        found: dict[str, str | Fraction] = {}
        while piece := self._next:
            option = piece.word
            if option not in ("with", "over", "weight") or option in found:
                self._refuse(
                    "after the columns stand 'by', 'with counts', 'over rows', 'over persons', "
                    f"'weight 2' or 'where', each once, and {_QUOTES}"
                )
            self.place += 1
            found[option] = self._weight() if option == "weight" else self._word(option)
        return found

    def _word(self, option: str) -> str:
        words = ("counts",) if option == "with" else OVER
        for word in words:
            if self._takes(word):
                return word
        return self._refuse(f"after '{option}' stands {' or '.join(words)}")

    def _weight(self) -> Fraction:
        piece = self._next
        if piece is None or piece.form != "number":
            self._refuse("after 'weight' stands a number such as 2, 0.5 or 1/3")
        self.place += 1
        written = piece.text
        if self._takes("/"):
            written += f"/{self._next.text if self._next else ''}"
            self.place += 1
        return parse_weight(written)

    @property
    def _next(self) -> Lexeme | None:
        return self.pieces[self.place] if self.place < len(self.pieces) else None

    def _takes(self, word: str) -> bool:
        """Go on if this word or symbol comes next."""
        is_next = self._next is not None and self._next.word == word
        self.place += is_next
        return is_next

    def _refuse(self, allowed: str) -> NoReturn:
        after = self.pieces[-1].end if self.pieces else 0
        _refuse(self.text, self._next.start if self._next else after, allowed)


# The part after `where`


def _condition(text: str, pieces: list[Lexeme]) -> Condition:
    _check_pieces(text, pieces)
    return _Reader(text, pieces).read(_tree(text, pieces))


def _check_pieces(text: str, pieces: list[Lexeme]) -> None:
    """Refuse what is too long or too deep to be parsed, and two names or values side by side."""
    if not pieces:
        _refuse(text, len(text), _CONDITION)
    operands = sum(piece.is_operand for piece in pieces)
    if operands > 2 * limits.CONDITION_VALUES + 2:
        message = f"A condition holds more than {limits.CONDITION_VALUES:,} comparisons and values."
        raise LimitError(message)
    if max(_depths(pieces)) > limits.CONDITION_DEPTH:
        message = (
            "A condition nests 'and', 'or', 'not' and parentheses more than "
            f"{limits.CONDITION_DEPTH} deep."
        )
        raise LimitError(message)
    for before, piece in pairwise(pieces):
        if before.is_operand and piece.is_operand:
            _refuse(text, piece.start, f"a sign is missing before it, or {_QUOTES}")
        if piece.text in ("-", "/") and piece.form == "symbol":
            _refuse(text, piece.start, f"there is no arithmetic, and {_QUOTES}")


def _depths(pieces: list[Lexeme]) -> Iterator[int]:
    """How many parentheses are open and how many "not" apply, after each piece."""
    open_parentheses: list[int] = []
    nots = 0
    for piece in pieces:
        if piece.word == "(":
            open_parentheses.append(nots)
        elif piece.word == ")" and open_parentheses:
            open_parentheses.pop()
        nots = nots + 1 if piece.word == "not" else 0
        yield len(open_parentheses) + sum(open_parentheses) + nots


def _tree(text: str, pieces: list[Lexeme]) -> "exp.Expr":
    """The condition as sqlglot parses it, with the numbers of pieces for names and values."""
    from sqlglot import exp
    from sqlglot.errors import ParseError
    from sqlglot.parser import Parser

    try:
        found = Parser().parse_into(exp.Condition, list(_tokens(pieces)), text)
    except ParseError as error:
        place = next((one.get("col") for one in error.errors), None)
        _refuse(text, place if isinstance(place, int) else len(text), _CONDITION)
    if len(found) != 1 or found[0] is None:
        _refuse(text, pieces[0].start, _CONDITION)
    return found[0]


def _tokens(pieces: list[Lexeme]) -> Iterator["Token"]:
    """The pieces as sqlglot's parser is to see them, each with its place as the column."""
    from sqlglot.tokenizer_core import Token, TokenType

    words = {one: TokenType[one.upper()] for one in _OPERATORS}
    symbols = {
        "(": TokenType.L_PAREN, ")": TokenType.R_PAREN, ",": TokenType.COMMA,
        "=": TokenType.EQ, "==": TokenType.EQ, "!=": TokenType.NEQ, "<>": TokenType.NEQ,
        "<": TokenType.LT, "<=": TokenType.LTE, ">": TokenType.GT, ">=": TokenType.GTE,
        "-": TokenType.DASH, "/": TokenType.SLASH,
    }  # fmt: skip
    known = words | symbols
    for number, piece in enumerate(pieces):
        kind, shown = known.get(piece.word, TokenType.IDENTIFIER), str(number)
        if _is_missing(pieces, number):
            kind = TokenType.NULL
        if kind is not TokenType.IDENTIFIER:
            shown = piece.text
        yield Token(kind, shown, 1, piece.start, piece.start, piece.end - 1)


def _is_missing(pieces: list[Lexeme], number: int) -> bool:
    """Whether a piece is the word after ``is`` or ``is not``."""
    before = [piece.word for piece in pieces[max(0, number - 2) : number]]
    after_is = before[-1:] == ["is"] or before == ["is", "not"]
    return after_is and pieces[number].word in ("missing", "null")


_SIGNS = {
    "EQ": Sign.EQUAL,
    "NEQ": Sign.UNEQUAL,
    "LT": Sign.BELOW,
    "LTE": Sign.AT_MOST,
    "GT": Sign.ABOVE,
    "GTE": Sign.AT_LEAST,
}
_TURNED = {
    Sign.BELOW: Sign.ABOVE,
    Sign.AT_MOST: Sign.AT_LEAST,
    Sign.ABOVE: Sign.BELOW,
    Sign.AT_LEAST: Sign.AT_MOST,
}


class _Reader:
    """Turns the few nodes that a condition is made of into one; refuses all others."""

    def __init__(self, text: str, pieces: list[Lexeme]) -> None:
        self.text, self.pieces = text, pieces

    def read(self, node: "exp.Expr") -> Condition:
        match type(node).__name__:
            case "Paren":
                return self.read(node.this)
            case "And" | "Or" as word:
                parts = tuple(map(self.read, _chained(node)))
                return And(parts) if word == "And" else Or(parts)
            case "Not":
                return Not(self.read(node.this))
            case "In" if _has_only(node, "this", "expressions"):
                values = tuple(map(self._value, node.expressions))
                return OneOf(self._column(node.this), values)
            case "Between" if _has_only(node, "this", "low", "high"):
                low, high = self._value(node.args["low"]), self._value(node.args["high"])
                return between(self._column(node.this), low, high)
            case "Is" if type(node.expression).__name__ == "Null":
                return Missing(self._column(node.this))
            case name if name in _SIGNS:
                return self._compare(node, _SIGNS[name])
        return self._refuse(node, _CONDITION)

    def _compare(self, node: "exp.Expr", sign: Sign) -> Compare:
        left, right = node.this, node.expression
        is_turned = self._form(left) in ("number", "text") and self._form(right) in ("word", "name")
        if is_turned:
            left, right, sign = right, left, _TURNED.get(sign, sign)
        return Compare(self._column(left), sign, self._value(right))

    def _column(self, node: Any) -> str:
        if self._form(node) in ("word", "name"):
            return self._operand(node).text
        return self._refuse(node, f"the name of a column stands here, and {_QUOTES}")

    def _value(self, node: Any) -> str:
        form = self._form(node)
        if form == "name":
            self._refuse(node, "a value stands in single quotes, and columns are not compared")
        if not form:
            self._refuse(node, _CONDITION)
        return self._operand(node).text

    def _form(self, node: Any) -> str:
        """How a name or value is written; empty for any other node."""
        is_operand = type(node).__name__ == "Column" and _has_only(node, "this")
        return self._operand(node).form if is_operand else ""

    def _operand(self, node: "exp.Expr") -> Lexeme:
        return self.pieces[int(node.name)]

    def _refuse(self, node: Any, allowed: str) -> NoReturn:
        from sqlglot import exp

        found = node.find(exp.Identifier) if isinstance(node, exp.Expr) else None
        _refuse(self.text, self._operand(found).start if found else len(self.text), allowed)


def _chained(node: "exp.Expr") -> Iterator["exp.Expr"]:
    """What stands between the same word, from left to right, however many there are."""
    stack: list[Any] = [node]
    while stack:
        one = stack.pop()
        if type(one) is type(node):
            stack += [one.args["expression"], one.this]
        else:
            yield one


def _has_only(node: "exp.Expr", *names: str) -> bool:
    return {name for name, value in node.args.items() if value} <= set(names)


def _refuse(text: str, place: int, allowed: str) -> NoReturn:
    """Say where a question cannot be read, and what may stand there."""
    rest = " ".join(text[place:].split())
    if not rest:
        refuse_question(f"The question cannot be read at its end: {allowed}.")
    shown = rest if len(rest) <= SHOWN else f"{rest[:SHOWN]}…"
    number = place + len(text[place:]) - len(text[place:].lstrip()) + 1
    refuse_question(f"The question cannot be read at '{shown}' (character {number:,}): {allowed}.")
