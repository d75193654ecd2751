"""The language of formulas, from text to a tree; Synth never runs it as Python. PUBLIC.

A formula consists of numbers, texts in single quotes, and columns (in double quotes if a name
is no plain word). Its operators are ``+ - * / ^``, comparisons (``= != < <= > >=``, ``in
(...)``) and ``and or not``. It may use parentheses and `FUNCTIONS`.

>>> str(parse_formula("round(weight / height ^ 2, 1)"))
'round(weight / height ^ 2, 1)'
>>> parse_formula('if("marital status" in (1, 2), 1, 0)').names
('marital status',)
"""
# No library reads formulas, so no version of a library changes the values that `verify`
# expects.

from dataclasses import dataclass
from functools import partial
from typing import NoReturn

from synth import limits
from synth.domain.grammar import (
    Lexeme,
    LexemeReader,
    compile_lexeme,
    name_place,
    split_lexemes,
)
from synth.errors import DomainError

# Every function, with its least and greatest number of arguments.
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
    "date": (3, 3),
    "if": (3, 3),
    "coalesce": (2, 50),
    "bins": (2, 200),
    "concat": (2, 50),
}

_LEXEME = compile_lexeme(
    r"""(?:\d+(?:\.\d+)?|\.\d+)(?![\w.'"])""", "<= >= != <> == - + * / ^ = < > ( ) ,"
)
_BINDING = {"or": 1, "and": 2, "+": 5, "-": 5, "*": 6, "/": 6, "^": 8}
_COMPARING = {
    "=": "=",
    "==": "=",
    "!=": "!=",
    "<>": "!=",
    "<": "<",
    "<=": "<=",
    ">": ">",
    ">=": ">=",
    "in": "in",
}
_BINDING |= dict.fromkeys(_COMPARING, 4)
# How tightly the operators before one operand bind: -2 ^ 2 is -(2 ^ 2).
_NOT = 3
_MINUS = 7
_MAX_DEPTH = 40
# Most characters of the formula that a message quotes.
_QUOTE_LENGTH = 40


@dataclass(frozen=True, kw_only=True)
class Formula:
    """A part of a formula.

    Attributes:
        does: ``number``, ``text`` or ``column``, an operator, ``not`` or the name of a
            function.
        parts: The operands, or the function's arguments.
        value: The number, text or name as written.
        text: The typed text; set for the whole formula only.
    """

    does: str
    parts: tuple["Formula", ...] = ()
    value: str = ""
    text: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that it takes values from, each once, in the order of the formula."""
        if self.does == "column":
            return (self.value,)
        names: dict[str, None] = {}  # a set that keeps the order
        for part in self.parts:
            names |= dict.fromkeys(part.names)
        return tuple(names)

    def __str__(self) -> str:
        """Return the typed text."""
        return self.text


def parse_formula(text: str) -> Formula:
    """Return the tree of a formula.

    The tree has an operator, a function, a column or a constant at each node. The whole
    formula keeps its text, with single blanks.

    Raises:
        DomainError: It cannot be read, is too long, or is nested too deeply. The place of a
            fault is named.
    """
    if not text.strip():
        raise DomainError("The formula is empty.")
    if len(text) > limits.QUESTION_LENGTH:
        raise DomainError(
            f"The formula has {len(text):,} characters; the limit is "
            f"{limits.QUESTION_LENGTH}."
        )
    # What the message says at a place where no lexeme begins.
    allowed = "numbers, columns, texts in single quotes and + - * / ^ are allowed"
    reader = _Reader(text, split_lexemes(text, _LEXEME, partial(_refuse, text, allowed)))
    # All operators are taken, whatever they bind; what is left then is a fault.
    formula = reader.read(tight=0, depth=0)
    if reader.next is not None:
        reader.refuse("an operator or the end is expected here")
    _refuse_deep(formula)
    return Formula(
        does=formula.does,
        parts=formula.parts,
        value=formula.value,
        text=" ".join(text.split()),
    )


def _refuse_deep(formula: Formula) -> None:
    """Refuse a formula whose parts are nested more than `limits.FORMULA_PARTS` deep.

    The reader limits parentheses only: a sum of many terms nests to the left without any.
    """
    level: list[Formula] = [formula]
    for _ in range(limits.FORMULA_PARTS):
        level = [part for outer_part in level for part in outer_part.parts]
        if not level:
            return
    raise DomainError(
        f"The formula joins more than {limits.FORMULA_PARTS} parts one after the other; put "
        "parentheses around some of them, or make derived columns of them."
    )


class _Reader(LexemeReader[Formula]):
    binding = _BINDING

    def refuse(self, expected: str) -> NoReturn:
        _refuse(self.text, expected, self.start)

    def read_operand(self, depth: int) -> Formula:
        """Read a value, a column, a function's call, or a formula in parentheses.

        A minus or "not" may stand before it. `depth` is the number of formulas around it;
        DomainError is raised if it is too great, or if no operand is next.
        """
        if depth > _MAX_DEPTH:
            raise DomainError(f"The formula is nested more than {_MAX_DEPTH} deep.")
        # `read` stops before operators that bind less tightly than its first argument says.
        if self.take("("):
            inner_formula = self.read(0, depth + 1)
            self._expect(")")
            return inner_formula
        if self.take("-"):
            return Formula(does="negative", parts=(self.read(_MINUS, depth + 1),))
        if self.take("not"):
            return Formula(does="not", parts=(self.read(_NOT, depth + 1),))
        piece = self.next
        if piece is None:
            self.refuse("a value or a column is expected here")
        is_sign = piece.form == "symbol" or piece.word in _BINDING
        is_empty_name = piece.form == "name" and not piece.text
        if is_sign or is_empty_name:
            self.refuse("a value or a column is expected here")
        self.place += 1
        if piece.form == "word" and self.word == "(":
            return self._read_call(piece, depth)
        does = {"number": "number", "text": "text"}.get(piece.form, "column")
        return Formula(does=does, parts=(), value=piece.text)

    def join(self, first: Formula, binds: int, depth: int) -> Formula:
        """Read an operator and its right operand, and return both operands joined.

        Args:
            first: The left operand, which was read.
            binds: How tightly the operator binds; more tightly binding ones come first.
            depth: The number of formulas around this one.
        """
        sign = self.word
        self.place += 1
        if sign == "in":
            return Formula(does="in", parts=(first, *self._read_list(depth)))
        # 2 ^ 3 ^ 2 is 2 ^ (3 ^ 2): the right operand of a power takes further powers in.
        least_binding = binds - 1 if sign == "^" else binds
        second = self.read(least_binding, depth + 1)
        # "a < b < c" would compare a truth with c.
        if sign in _COMPARING and self.word in _COMPARING:
            self.refuse("comparisons are joined by and")
        return Formula(does=_COMPARING.get(sign, sign), parts=(first, second))

    def _read_call(self, piece: Lexeme, depth: int) -> Formula:
        """Read the arguments of a function, whose name was just read.

        Args:
            piece: The function's name.
            depth: The number of formulas around the call.

        Raises:
            DomainError: There is no such function, or it takes another number of values.
        """
        if piece.word not in FUNCTIONS:
            self.place -= 1  # the message names the place of the name
            self.refuse(f"there is no such function, but there are {', '.join(FUNCTIONS)}")
        parts = self._read_list(depth)
        fewest, largest = FUNCTIONS[piece.word]
        if not fewest <= len(parts) <= largest:
            raise DomainError(
                f"The function {piece.word} takes {fewest} to {largest} values, not "
                f"{len(parts)}."
            )
        return Formula(does=piece.word, parts=parts)

    def _read_list(self, depth: int) -> tuple[Formula, ...]:
        """Read formulas in parentheses, with commas between them; at least one.

        `depth` is the number of formulas around the list.
        """
        self._expect("(")
        formulas = [self.read(0, depth + 1)]
        while self.take(","):
            formulas.append(self.read(0, depth + 1))
        self._expect(")")
        return tuple(formulas)

    def _expect(self, sign: str) -> None:
        if not self.take(sign):
            self.refuse(f"'{sign}' is expected here")


def _refuse(text: str, expected: str, place: int) -> NoReturn:
    where = name_place(text, place, _QUOTE_LENGTH)
    raise DomainError(f"The formula cannot be read {where}: {expected}.")
