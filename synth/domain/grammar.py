"""Lexemes and operators of questions and formulas: from text to words, names, values,
symbols. PUBLIC.

A name that is no plain word is in double quotes, a text in single ones, a quote inside
doubled. Both languages are read from left to right by the precedence of their operators
(precedence climbing). No library reads them, as answers and projects store questions for
years."""

import re
from collections.abc import Callable, Mapping
from typing import ClassVar, Generic, NamedTuple, NoReturn, TypeVar

Parsed = TypeVar("Parsed")

QUOTED_PATTERN = r"""|"(?P<name>(?:[^"]|"")*)"|'(?P<text>(?:[^']|'')*)'"""
# Letters, marks and digits of any script; `_` is the only ASCII symbol.
WORD = r"|(?P<word>[^\W\d][^\s!-/:-@\[-^`{-~]*)"


class Lexeme(NamedTuple):
    # ``word``, ``name`` in double quotes, ``text`` in single ones, ``number`` or ``symbol``.
    form: str
    text: str
    start: int
    end: int

    @property
    def word(self) -> str:
        return self.text.lower() if self.form in ("word", "symbol") else ""


def compile_lexeme(number: str, symbols: str) -> re.Pattern[str]:
    signs = "|".join(map(re.escape, sorted(symbols.split(), key=len, reverse=True)))
    return re.compile(
        rf"\s*(?:(?P<number>{number}){WORD}{QUOTED_PATTERN}|(?P<symbol>{signs}))"
    )


def split_lexemes(
    text: str, lexeme: re.Pattern[str], refuse: Callable[[int], NoReturn]
) -> list[Lexeme]:
    """Split a text into its lexemes; ``refuse`` is called with a place that has none.

    >>> signs = compile_lexeme("[0-9]+", "> >=")
    >>> [(one.form, one.text) for one in split_lexemes("age >= 65", signs, int)]
    [('word', 'age'), ('symbol', '>='), ('number', '65')]
    """
    pieces, place, end = list[Lexeme](), 0, len(text.rstrip())
    while place < end:
        found = lexeme.match(text, place)
        if found is None:
            refuse(place + len(text[place:]) - len(text[place:].lstrip()))
        form, place = str(found.lastgroup), found.end()
        quote = {"name": '"', "text": "'"}.get(form, "")
        value = found.group(form).replace(quote * 2, quote) if quote else found.group(form)
        pieces.append(Lexeme(form, value, place - len(found.group().lstrip()), place))
    return pieces


class LexemeReader(Generic[Parsed]):
    """Reads lexemes from the first to the last.

    A language defines the precedence of its operators (``binding``, 0 for none), its operands
    (`read_operand`), and how an operator combines with its left side (`join`).
    """

    binding: ClassVar[Mapping[str, int]] = {}

    def __init__(self, text: str, pieces: list[Lexeme]) -> None:
        self.text, self.pieces, self.place = text, pieces, 0

    @property
    def next(self) -> Lexeme | None:
        return self.pieces[self.place] if self.place < len(self.pieces) else None

    @property
    def word(self) -> str:
        return self.next.word if self.next else ""

    @property
    def start(self) -> int:
        after = self.pieces[-1].end if self.pieces else 0
        return self.next.start if self.next else after

    def take(self, word: str) -> bool:
        is_next = self.word == word
        self.place += is_next
        return is_next

    def read(self, tight: int, depth: int) -> Parsed:
        left = self.read_operand(depth)
        while (binds := self.binding.get(self.word, 0)) > tight:
            left = self.join(left, binds, depth)
        return left

    def read_operand(self, depth: int) -> Parsed:
        raise NotImplementedError

    def join(self, left: Parsed, binds: int, depth: int) -> Parsed:
        raise NotImplementedError


def name_place(text: str, place: int, shown: int) -> str:
    """Say where a text can't be read, by the rest of its line.

    >>> name_place("age ?? 5", 4, 40), name_place("age ?? 5\\n41", 4, 40)
    ("at '?? 5' (character 5)", "at '?? 5' (character 5)")
    """
    lines = text[place:].split("\n")
    rest = next((" ".join(line.split()) for line in lines if line.strip()), "")
    if not rest:
        return "at its end"
    number = place + len(text[place:]) - len(text[place:].lstrip()) + 1
    return f"at '{rest if len(rest) <= shown else rest[:shown] + '…'}' (character {number:,})"
