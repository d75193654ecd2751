"""The language of formulas, from text to a tree; nothing of it is ever run as Python. PUBLIC.

A formula is made of numbers, texts in single quotes, and columns (in double quotes where a name is
no plain word), of ``+ - * / ^``, comparisons (``= != < <= > >=``, ``in (...)``), ``and or not``,
parentheses and the functions of `FUNCTIONS`. Values and names are written as in questions
(`synth.questions.lexemes`). It is read here and not by a library, as a bundle is verified by what
its formulas give, whichever version of a library is installed then.

>>> str(parse_formula("round(weight / height ^ 2, 1)"))
'round(weight / height ^ 2, 1)'
>>> parse_formula('if("marital status" in (1, 2), 1, 0)').names
('marital status',)
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn

from synth import limits
from synth.errors import DomainError

FUNCTIONS = {
    "floor": (1, 1),
    "ceil": (1, 1),
    "round": (1, 2),
    "abs": (1, 1),
    "min": (2, 50),
    "max": (2, 50),
    "year": (1, 1),
    "month": (1, 1),
    "day": (1, 1),
    "if": (3, 3),
    "coalesce": (2, 50),
    "bins": (2, 200),
    "concat": (2, 50),
}
"""Every function, with the fewest and the most values it takes."""

_LEXEME = re.compile(
    r"""\s*(?:(?P<number>\d+(?:\.\d+)?|\.\d+)(?![\w.'"])|(?P<word>[^\W\d]\w*)"""
    r"""|"(?P<name>(?:[^"]|"")+)"|'(?P<text>(?:[^']|'')*)'"""
    r"""|(?P<symbol><=|>=|!=|<>|==|[-+*/^=<>(),]))"""
)
_BINDING = {"or": 1, "and": 2, "+": 5, "-": 5, "*": 6, "/": 6, "^": 8}
_COMPARING = {"=": "=", "==": "=", "!=": "!=", "<>": "!=", "<": "<", "<=": "<=", ">": ">",
              ">=": ">=", "in": "in"}  # fmt: skip
_BINDING |= dict.fromkeys(_COMPARING, 4)
_WORDS = {"or", "and", "not", "in"}
_NOT, _MINUS, _DEPTH = 3, 7, 40


@dataclass(frozen=True)
class Formula:
    """A part of a formula.

    Attributes:
        does: ``number``, ``text`` or ``column``, a sign, ``not`` or the name of a function.
        parts: What it is made of.
        value: The number, text or name as it is written.
        text: All of it as it was typed; of the whole formula only.
    """

    does: str
    parts: tuple["Formula", ...] = ()
    value: str = ""
    text: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns it looks at, each once."""
        own = (self.value,) if self.does == "column" else ()
        found = [name for part in self.parts for name in part.names]
        return tuple(dict.fromkeys([*own, *found]))

    def __str__(self) -> str:
        return self.text


def parse_formula(text: str) -> Formula:
    """Read a formula.

    Raises:
        DomainError: It is none; the sentence shows the place.
    """
    if not text.strip():
        raise DomainError("The formula is empty.")
    if len(text) > limits.QUESTION_LENGTH:
        raise DomainError(
            f"The formula has {len(text):,} characters; the limit is {limits.QUESTION_LENGTH}."
        )
    reader = _Reader(list(_lexemes(text)), text)
    found = reader.read(0, 0)
    if reader.at < len(reader.pieces):
        reader.refuse("an operator or the end is expected here")
    return Formula(found.does, found.parts, found.value, " ".join(text.split()))


@dataclass(frozen=True)
class _Lexeme:
    form: str
    text: str
    start: int

    @property
    def sign(self) -> str:
        """An operator or symbol; empty for all else."""
        lower = self.text.lower()
        return lower if self.form == "symbol" or (self.form == "word" and lower in _WORDS) else ""


def _lexemes(text: str) -> Iterator[_Lexeme]:
    at, end = 0, len(text.rstrip())
    while at < end:
        found = _LEXEME.match(text, at)
        if found is None:
            _at(text, at, "numbers, columns, texts in single quotes and + - * / ^ are allowed")
        form = found.lastgroup or ""
        value = found.group(form)
        quote = {"name": '"', "text": "'"}.get(form, "")
        yield _Lexeme(form, value.replace(quote * 2, quote) if quote else value, found.start(form))
        at = found.end()


class _Reader:
    """Reads a formula from left to right by how tightly its operators bind."""

    def __init__(self, pieces: list[_Lexeme], text: str) -> None:
        self.pieces, self.text, self.at = pieces, text, 0

    @property
    def sign(self) -> str:
        return self.pieces[self.at].sign if self.at < len(self.pieces) else ""

    def refuse(self, expected: str) -> NoReturn:
        start = self.pieces[self.at].start if self.at < len(self.pieces) else len(self.text)
        _at(self.text, start, expected)

    def read(self, tight: int, depth: int) -> Formula:
        if depth > _DEPTH:
            raise DomainError(f"The formula is nested more than {_DEPTH} deep.")
        left = self._first(depth)
        while (sign := self.sign) and (binds := _BINDING.get(sign, 0)) > tight:
            self.at += 1
            if sign == "in":
                left = Formula("in", (left, *self._listed(depth)))
                continue
            right = self.read(binds if sign != "^" else binds - 1, depth + 1)
            left = Formula(_COMPARING.get(sign, sign), (left, right))
            if sign in _COMPARING and self.sign in _COMPARING:
                self.refuse("comparisons are joined by and")
        return left

    def _first(self, depth: int) -> Formula:
        if self.at == len(self.pieces):
            self.refuse("a value or a column is expected here")
        piece = self.pieces[self.at]
        self.at += 1
        if piece.sign == "(":
            inner = self.read(0, depth + 1)
            self._expect(")")
            return inner
        if piece.sign in ("-", "not"):
            inner = self.read(_MINUS if piece.sign == "-" else _NOT, depth + 1)
            return Formula("negative" if piece.sign == "-" else "not", (inner,))
        if piece.sign:
            self.at -= 1
            self.refuse("a value or a column is expected here")
        if piece.form == "word" and self.sign == "(":
            return self._called(piece, depth)
        does = {"number": "number", "text": "text"}.get(piece.form, "column")
        return Formula(does, (), piece.text)

    def _called(self, piece: _Lexeme, depth: int) -> Formula:
        name = piece.text.lower()
        if name not in FUNCTIONS:
            self.at -= 1
            self.refuse(f"there is no such function, but there are {', '.join(FUNCTIONS)}")
        parts, (least, most) = self._listed(depth), FUNCTIONS[name]
        if not least <= len(parts) <= most:
            raise DomainError(
                f"The function {name} takes {least} to {most} values, not {len(parts)}."
            )
        return Formula(name, parts)

    def _listed(self, depth: int) -> tuple[Formula, ...]:
        self._expect("(")
        found = [self.read(0, depth + 1)]
        while self.sign == ",":
            self.at += 1
            found.append(self.read(0, depth + 1))
        self._expect(")")
        return tuple(found)

    def _expect(self, sign: str) -> None:
        if self.sign != sign:
            self.refuse(f"'{sign}' is expected here")
        self.at += 1


def _at(text: str, place: int, expected: str) -> NoReturn:
    rest = " ".join(text[place:].split())[:40]
    where = f"at '{rest}' (character {place + 1:,})" if rest else "at its end"
    raise DomainError(f"The formula cannot be read {where}: {expected}.")
