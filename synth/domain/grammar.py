"""How questions and formulas are read: from text to words, names, values and signs. PUBLIC.

Both languages write names and values in one way: a name that is no plain word in double quotes, a
text in single ones, a quote inside doubled. Both are read from left to right by how tightly their
operators bind (precedence climbing). They are read here and not by a library, as answers and
projects keep for years what was asked.
"""

import re
from collections.abc import Callable, Mapping
from typing import ClassVar, Generic, NamedTuple, NoReturn, TypeVar

Parsed = TypeVar("Parsed")

QUOTED_PATTERN = r"""|"(?P<name>(?:[^"]|"")*)"|'(?P<text>(?:[^']|'')*)'"""
WORD = r"|(?P<word>[^\W\d][^\s!-/:-@\[-^`{-~]*)"
"""Letters, marks and digits of any script; no sign of ASCII but `_`."""


class Lexeme(NamedTuple):
    """A word, name, value or symbol, and where it stands."""

    form: str
    """``word``, ``name`` in double quotes, ``text`` in single ones, ``number`` or ``symbol``."""
    text: str
    start: int
    end: int

    @property
    def word(self) -> str:
        """A word in small letters, or a symbol; empty for what has another form."""
        return self.text.lower() if self.form in ("word", "symbol") else ""


def compile_lexeme(number: str, symbols: str) -> re.Pattern[str]:
    """Return the pattern of one lexeme of a language, by its numbers and its symbols."""
    signs = "|".join(map(re.escape, sorted(symbols.split(), key=len, reverse=True)))
    return re.compile(rf"\s*(?:(?P<number>{number}){WORD}{QUOTED_PATTERN}|(?P<symbol>{signs}))")


def split_lexemes(
    text: str, lexeme: re.Pattern[str], refuse: Callable[[int], NoReturn]
) -> list[Lexeme]:
    """Split a text into its lexemes, in order; ``refuse`` is called with a place that has none.

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
    """Lexemes, read from the first to the last.

    A language says how tightly its operators bind (``binding``, 0 for none), what an operand is
    (`read_operand`), and what an operator makes of what stands on its left (`join`).
    """

    binding: ClassVar[Mapping[str, int]] = {}

    def __init__(self, text: str, pieces: list[Lexeme]) -> None:
        self.text, self.pieces, self.place = text, pieces, 0

    @property
    def next(self) -> Lexeme | None:
        """The lexeme that comes next; None at the end."""
        return self.pieces[self.place] if self.place < len(self.pieces) else None

    @property
    def word(self) -> str:
        """The word or symbol that comes next; empty for all else."""
        return self.next.word if self.next else ""

    @property
    def start(self) -> int:
        """Where the next lexeme stands, or where the last one ended."""
        after = self.pieces[-1].end if self.pieces else 0
        return self.next.start if self.next else after

    def take(self, word: str) -> bool:
        """Go on if this word or symbol comes next."""
        is_next = self.word == word
        self.place += is_next
        return is_next

    def read(self, tight: int, depth: int) -> Parsed:
        """Read an operand, and what follows by operators that bind more than so tightly."""
        left = self.read_operand(depth)
        while (binds := self.binding.get(self.word, 0)) > tight:
            left = self.join(left, binds, depth)
        return left

    def read_operand(self, depth: int) -> Parsed:
        """Read what stands between operators."""
        raise NotImplementedError

    def join(self, left: Parsed, binds: int, depth: int) -> Parsed:
        """Read the operator that comes next, with what is on its right."""
        raise NotImplementedError


def name_place(text: str, place: int, shown: int) -> str:
    """Say where a text cannot be read.

    >>> name_place("age ?? 5", 4, 40)
    "at '?? 5' (character 5)"
    """
    rest = " ".join(text[place:].split())
    if not rest:
        return "at its end"
    number = place + len(text[place:]) - len(text[place:].lstrip()) + 1
    return f"at '{rest if len(rest) <= shown else rest[:shown] + '…'}' (character {number:,})"
