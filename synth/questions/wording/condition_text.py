"""The condition of a question, read from its text. PUBLIC."""

from typing import NoReturn

from synth import limits
from synth.domain import Lexeme, LexemeReader
from synth.errors import LimitError
from synth.questions.wording.condition import (
    And,
    Compare,
    Condition,
    Missing,
    Not,
    OneOf,
    Or,
    Sign,
    check_depth,
    compare_range,
)
from synth.questions.wording.lexemes import QUOTES, SIGNS, refuse_place

CONDITION = (
    "a condition joins comparisons by and, or, not and parentheses: age >= 65, sex in (F, "
    "M), age between 18 and 64, income is missing"
)


OPERATORS = frozenset("and or not in between is".split())


_SIGNS = {
    "=": Sign.EQUAL,
    "==": Sign.EQUAL,
    "!=": Sign.UNEQUAL,
    "<>": Sign.UNEQUAL,
    "<": Sign.BELOW,
    "<=": Sign.AT_MOST,
    ">": Sign.ABOVE,
    ">=": Sign.AT_LEAST,
}


# A comparison turned around.
_TURNED = str.maketrans("<>", "><")


def condition_of(text: str, pieces: list[Lexeme]) -> Condition:
    """Return the condition that some lexemes (words, values, signs) of a text mean.

    Args:
        text: The whole question, to show the place of an error.
        pieces: The lexemes of the condition, in order.

    Raises:
        QuestionError: There is no condition.
        LimitError: It lists too many values, or is nested too deeply.

    >>> from synth.questions.wording.lexemes import lexemes
    >>> text = "AGE > 64 or not (sex in ('F') or 1 < x and x <> 5)"
    >>> str(condition_of(text, lexemes(text)))
    'AGE > 64 or not (sex in (F) or (x > 1 and x != 5))'
    """
    if not pieces:
        refuse_place(text, len(text), CONDITION)
    # A comparison has two operands; more than that can only be too many.
    if sum(map(is_operand, pieces)) > 2 * limits.CONDITION_VALUES + 2:
        raise LimitError(
            f"A condition holds more than {limits.CONDITION_VALUES:,} comparisons and values."
        )
    reader = _Reader(text, pieces)
    condition = reader.read(0, 0)
    if reader.next is not None:
        reader.refuse()
    return condition


def is_operand(piece: Lexeme | None) -> bool:
    """Return whether a lexeme may be a name or a value."""
    return piece is not None and piece.form != "symbol" and piece.word not in OPERATORS


class _Reader(LexemeReader[Condition]):
    """Reads a condition; "or", "and" and "not" bind ever more tightly."""

    binding = {"or": 1, "and": 2}  # noqa: RUF012

    def read_operand(self, depth: int) -> Condition:
        """Read a comparison, or a condition in parentheses or behind "not".

        ``depth`` is how many conditions are around it.
        """
        check_depth(depth)
        # The position where a parenthesis opens, if one does.
        opened = self.start
        if self.take("not"):
            # "not" takes the next operand only: it binds more tightly than "and".
            return Not(self.read(self.binding["and"], depth + 1))
        if self.take("("):
            inner = self.read(0, depth + 1)
            if self.next is None:
                refuse_place(self.text, opened, "this parenthesis is not closed")
            self._expect(")")
            return inner
        return self._read_comparison(depth)

    def join(self, first: Condition, binds: int, depth: int) -> Condition:
        """Read all parts that the same word, "and" or "or", joins to the first one.

        Args:
            first: The condition before the word.
            binds: How tightly the word binds.
            depth: How many conditions are around it.
        """
        word = self.word
        parts = [first]
        while self.take(word):
            parts.append(self.read(binds, depth))
        return And(tuple(parts)) if word == "and" else Or(tuple(parts))

    def _read_comparison(self, depth: int) -> Condition:
        """Read an operand and what it is compared with: a sign and a value, or "is", "in",
        "between".

        A QuestionError names the place if something else stands there.
        """
        operand = self._take_operand()
        if sign := _SIGNS.get(self.word):
            self.place += 1
            return self._compare(operand, sign, self._take_operand())
        column = self._name(operand)
        read_rest = self._read_missing if self.take("is") else self._read_values
        # "not" stands in "is not missing" and in "not in (...)".
        is_negated = self.take("not")
        check_depth(depth + is_negated)
        return Not(read_rest(column)) if is_negated else read_rest(column)

    def _read_missing(self, column: str) -> Condition:
        """Read "missing" or "null" after "is".

        A QuestionError names the place if something else stands there.
        """
        if not (self.take("missing") or self.take("null")):
            self.refuse()
        return Missing(column)

    def _read_values(self, column: str) -> Condition:
        """Read what follows a column's name: "between" two values, or "in" a list.

        A QuestionError names the place if something else stands there.
        """
        if self.take("between"):
            low = self._value(self._take_operand())
            self._expect("and")
            return compare_range(column, low, self._value(self._take_operand()))
        self._expect("in")
        self._expect("(")
        values = list[str]()
        while not self.take(")"):
            if values:
                self._expect(",")
            values.append(self._value(self._take_operand()))
        return OneOf(column, tuple(values))

    def _compare(self, first: Lexeme, sign: Sign, second: Lexeme) -> Compare:
        """Return the comparison that two operands with a sign between them make.

        The name of the column may stand second: "1 < x" is turned around to "x > 1".
        """
        if first.form in ("number", "text") and second.form in ("word", "name"):
            first, second, sign = second, first, Sign(sign.translate(_TURNED))
        return Compare(self._name(first), sign, self._value(second))

    def _name(self, piece: Lexeme) -> str:
        """Return an operand as the name of a column; refuse a number or a quoted value.

        A QuestionError names the place if something else stands there.
        """
        if piece.form not in ("word", "name"):
            refuse_place(self.text, piece.start, f"write the name of a column here; {QUOTES}")
        return piece.text

    def _value(self, piece: Lexeme) -> str:
        """Return an operand as a value; refuse one in double quotes, which is a column's
        name.

        A QuestionError names the place if something else stands there.
        """
        if piece.form == "name":
            allowed = "put a value in single quotes; columns are not compared"
            refuse_place(self.text, piece.start, allowed)
        return piece.text

    def _take_operand(self) -> Lexeme:
        """Return the next lexeme and go on; refuse one that is no operand.

        A QuestionError names the place if something else stands there.
        """
        piece = self.next
        if piece is None or not is_operand(piece):
            self.refuse()
        self.place += 1
        return piece

    def _expect(self, word: str) -> None:
        if not self.take(word):
            self.refuse()

    def refuse(self) -> NoReturn:
        """Refuse the text at this place, with a hint on what may stand there."""
        before = self.pieces[self.place - 1] if self.place else None
        # The hint for the usual mistakes, else what a condition may be.
        allowed = CONDITION
        if is_operand(before) and is_operand(self.next):
            allowed = f"a sign or a comma is missing before it; or {QUOTES}"
        elif self.word in ("-", "/"):
            allowed = f"there is no arithmetic; {QUOTES}"
        elif self.word in ("[", "]", ";"):
            allowed = SIGNS
        elif self.word == ")" and is_operand(before):
            allowed = "this parenthesis was not opened"
        refuse_place(self.text, self.start, allowed)
