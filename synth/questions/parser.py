"""The condition of a question, from its text. PUBLIC.

The order in which "and", "or", "not" and comparisons bind is sqlglot's. Its parser never sees a
name or a value, only their numbers, and a handful of its nodes is understood: there is no way to a
function, a query, a cast or arithmetic.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NoReturn

from synth import limits
from synth.errors import LimitError
from synth.questions.condition import (
    And,
    Compare,
    Condition,
    Missing,
    Not,
    OneOf,
    Or,
    Sign,
    between,
    check_depth,
)
from synth.questions.lexemes import OPERATORS, QUOTES, SIGNS, Lexeme, refuse_place

if TYPE_CHECKING:  # it takes a fifth of a second to load
    from sqlglot import exp
    from sqlglot.tokenizer_core import Token

CONDITION = (
    "a condition is made of comparisons such as age >= 65, sex in (F, M), age between 18 and 64 or "
    "income is missing, joined by and, or, not and parentheses"
)


_LISTING = ("[", "]", ";")
"""Signs of a list of conditions, which is none itself."""


def condition_of(text: str, pieces: list[Lexeme]) -> Condition:
    """The condition that some of the lexemes of a text make.

    Raises:
        QuestionError: They make none.
        LimitError: They list too many values, or are nested too deeply.

    >>> from synth.questions.lexemes import lexemes
    >>> text = "AGE > 64 or not (sex in ('F') or 1 < x and x <> 5)"
    >>> str(condition_of(text, lexemes(text)))
    'AGE > 64 or not (sex in (F) or (x > 1 and x != 5))'
    """
    _check_lexemes(text, pieces)
    return _Reader(text, pieces).read(_tree(text, pieces))


def _check_lexemes(text: str, pieces: list[Lexeme]) -> None:
    """Refuse what is too long or too deep to be parsed, and two names or values side by side."""
    if not pieces:
        refuse_place(text, len(text), CONDITION)
    operands = sum(piece.is_operand for piece in pieces)
    if operands > 2 * limits.CONDITION_VALUES + 2:
        raise LimitError(
            f"A condition holds more than {limits.CONDITION_VALUES:,} comparisons and values."
        )
    _check_parentheses(text, pieces)
    for before, piece in pairwise(pieces):
        if before.is_operand and piece.is_operand:
            refuse_place(text, piece.start, f"a sign or a comma is missing before it, or {QUOTES}")
        if piece.text in _LISTING and piece.form == "symbol":
            refuse_place(text, piece.start, SIGNS)
        if piece.text in ("-", "/") and piece.form == "symbol":
            refuse_place(text, piece.start, f"there is no arithmetic, and {QUOTES}")


def _check_parentheses(text: str, pieces: list[Lexeme]) -> None:
    """Refuse parentheses that are not closed or not opened, and what is nested too deeply."""
    opened: list[tuple[Lexeme, int]] = []
    nots, before = 0, ""
    for piece in pieces:
        nots = nots + 1 if piece.word == "not" else nots
        if piece.word == "(":
            opened.append((piece, 0 if before == "in" else 1 + nots))
        elif piece.word == ")":
            if not opened:
                refuse_place(text, piece.start, "this parenthesis was not opened")
            opened.pop()
        nots = nots if piece.word == "not" else 0
        before = piece.word
        check_depth(sum(levels for _, levels in opened) + nots)
    if opened:
        refuse_place(text, opened[-1][0].start, "this parenthesis is not closed")


def _tree(text: str, pieces: list[Lexeme]) -> "exp.Expr":
    """The condition as sqlglot parses it, with the numbers of pieces for names and values."""
    from sqlglot import exp
    from sqlglot.errors import ParseError
    from sqlglot.parser import Parser

    try:
        found = Parser().parse_into(exp.Condition, list(_tokens(pieces)), text)
    except ParseError as error:
        place = next((one.get("col") for one in error.errors), None)
        refuse_place(text, place if isinstance(place, int) else len(text), CONDITION)
    if len(found) != 1 or found[0] is None:
        refuse_place(text, pieces[0].start, CONDITION)
    return found[0]


def _tokens(pieces: list[Lexeme]) -> Iterator["Token"]:
    """The pieces as sqlglot's parser is to see them, each with its place as the column."""
    from sqlglot.tokenizer_core import Token, TokenType

    words = {one: TokenType[one.upper()] for one in OPERATORS}
    symbols = {
        "(": TokenType.L_PAREN, ")": TokenType.R_PAREN, ",": TokenType.COMMA,
        "=": TokenType.EQ, "==": TokenType.EQ, "!=": TokenType.NEQ, "<>": TokenType.NEQ,
        "<": TokenType.LT, "<=": TokenType.LTE, ">": TokenType.GT, ">=": TokenType.GTE,
        "-": TokenType.DASH, "/": TokenType.SLASH,
    }  # fmt: skip
    known = words | symbols
    for number, piece in enumerate(pieces):
        kind = known.get(piece.word, TokenType.IDENTIFIER)
        if _is_missing(pieces, number):
            kind = TokenType.NULL
        yield Token(kind, str(number), 1, piece.start, piece.start, piece.end - 1)


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
        return self._refuse(node, CONDITION)

    def _compare(self, node: "exp.Expr", sign: Sign) -> Compare:
        left, right = node.this, node.expression
        is_turned = self._form(left) in ("number", "text") and self._form(right) in ("word", "name")
        if is_turned:
            left, right, sign = right, left, _TURNED.get(sign, sign)
        return Compare(self._column(left), sign, self._value(right))

    def _column(self, node: Any) -> str:
        if self._form(node) in ("word", "name"):
            return self._operand(node).text
        return self._refuse(node, f"the name of a column stands here, and {QUOTES}")

    def _value(self, node: Any) -> str:
        form = self._form(node)
        if form == "name":
            self._refuse(node, "a value stands in single quotes, and columns are not compared")
        if not form:
            self._refuse(node, CONDITION)
        return self._operand(node).text

    def _form(self, node: Any) -> str:
        """How a name or value is written; empty for any other node."""
        if type(node).__name__ != "Column" or not _has_only(node, "this"):
            return ""
        piece = self._operand(node)
        return piece.form if piece.is_operand else ""

    def _operand(self, node: "exp.Expr") -> Lexeme:
        return self.pieces[int(node.name)]

    def _refuse(self, node: Any, allowed: str) -> NoReturn:
        from sqlglot import exp

        found = node.find(exp.Identifier) if isinstance(node, exp.Expr) else None
        refuse_place(self.text, self._operand(found).start if found else len(self.text), allowed)


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
