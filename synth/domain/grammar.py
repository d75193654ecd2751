"""Lexemes and operators of questions and formulas. PUBLIC.

A lexeme is a word, a name, a value or a symbol.

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
    """A piece of a question or formula.

    Attributes:
        form: ``word``, ``name`` in double quotes, ``text`` in single ones, ``number`` or
            ``symbol``.
        text: The piece without quotes.
        start: Its place in the whole text.
        end: The place behind it.
    """

    form: str
    text: str
    start: int
    end: int

    @property
    def word(self) -> str:
        """The word or symbol in lower case; empty for other lexemes."""
        return self.text.lower() if self.form in ("word", "symbol") else ""


def compile_lexeme(number: str, symbols: str) -> re.Pattern[str]:
    """Return the regular expression of one lexeme: a number, word, name, text or symbol.

    The name of the group that matches is the lexeme's form.

    Args:
        number: The regular expression of a number.
        symbols: The operators and other signs, with blanks between them.
    """
    # Long symbols first, as ">=" is not ">" and then "=".
    signs = "|".join(map(re.escape, sorted(symbols.split(), key=len, reverse=True)))
    return re.compile(
        rf"\s*(?:(?P<number>{number}){WORD}{QUOTED_PATTERN}|(?P<symbol>{signs}))"
    )


def split_lexemes(
    text: str, lexeme: re.Pattern[str], refuse: Callable[[int], NoReturn]
) -> list[Lexeme]:
    """Split a text into its lexemes: words, names, texts, numbers and symbols.

    Args:
        text: The question or formula.
        lexeme: The expression of one lexeme, by `compile_lexeme`.
        refuse: Is called with the first place at which no lexeme begins, and raises.

    >>> signs = compile_lexeme("[0-9]+", "> >=")
    >>> [(piece.form, piece.text) for piece in split_lexemes("age >= 65", signs, int)]
    [('word', 'age'), ('symbol', '>='), ('number', '65')]
    """
    pieces: list[Lexeme] = []
    place = 0
    end = len(text.rstrip())
    while place < end:
        match = lexeme.match(text, place)
        if match is None:
            refuse(_skip_blanks(text, place))
        form = str(match.lastgroup)
        value = match.group(form)
        quote = {"name": '"', "text": "'"}.get(form)
        if quote is not None:
            # Within quotes a quote is written twice.
            value = value.replace(quote + quote, quote)
        pieces.append(Lexeme(form, value, _skip_blanks(text, place), match.end()))
        place = match.end()
    return pieces


def _skip_blanks(text: str, place: int) -> int:
    """Return the first place from a place on that is no blank."""
    return len(text) - len(text[place:].lstrip())


class LexemeReader(Generic[Parsed]):
    """Reads lexemes from the first to the last.

    A language defines the precedence of its operators (``binding``, 0 for none), its operands
    (`read_operand`), and how an operator combines with its left side (`join`).
    """

    binding: ClassVar[Mapping[str, int]] = {}

    def __init__(self, text: str, pieces: list[Lexeme]) -> None:
        """Begin at the first lexeme of a text.

        `text` is the whole text, for messages, and `pieces` are its lexemes.
        """
        self.text = text
        self.pieces = pieces
        self.place = 0

    @property
    def next(self) -> Lexeme | None:
        """The next lexeme; None at the end."""
        return self.pieces[self.place] if self.place < len(self.pieces) else None

    @property
    def word(self) -> str:
        """The next lexeme as a word or symbol in lower case; empty if it is neither."""
        return self.next.word if self.next else ""

    @property
    def start(self) -> int:
        """The place of the next lexeme in the text, or the end of the last one."""
        after = self.pieces[-1].end if self.pieces else 0
        return self.next.start if self.next else after

    def take(self, word: str) -> bool:
        """Move past the next lexeme if it is this word or symbol; return whether it was."""
        is_next = self.word == word
        if is_next:
            self.place += 1
        return is_next

    def read(self, tight: int, depth: int) -> Parsed:
        """Read an operand, with the operators and operands that follow.

        This is precedence climbing.

        Args:
            tight: Only operators that bind more tightly than this are taken; 0 takes all.
            depth: The number of formulas around this one.
        """
        operand = self.read_operand(depth)
        while (binds := self.binding.get(self.word, 0)) > tight:
            operand = self.join(operand, binds, depth)
        return operand

    def read_operand(self, depth: int) -> Parsed:
        """Read an operand: a value, or something in parentheses."""
        raise NotImplementedError

    def join(self, operand: Parsed, binds: int, depth: int) -> Parsed:
        """Read an operator and its right side, and return it with its left side."""
        raise NotImplementedError


def name_place(text: str, place: int, limit: int) -> str:
    """Say in words where a text can't be read, by quoting the rest of the line.

    Args:
        text: The text.
        place: The position of the fault, from 0.
        limit: The most characters that are quoted.

    >>> name_place("age ?? 5", 4, 40), name_place("age ?? 5\\n41", 4, 40)
    ("at '?? 5' (character 5)", "at '?? 5' (character 5)")
    """
    lines = text[place:].split("\n")
    # The rest of the line may be blank; then the next line with a sign is quoted.
    line_rest = next((" ".join(line.split()) for line in lines if line.strip()), "")
    if not line_rest:
        return "at its end"
    if len(line_rest) > limit:
        line_rest = line_rest[:limit] + "…"
    return f"at '{line_rest}' (character {_skip_blanks(text, place) + 1:,})"
