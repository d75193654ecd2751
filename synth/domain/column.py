"""The interface of a declared column of any kind.

A kind defines its cells, how a cell's text is read, the rule for values outside, the questions it
allows, and its written form. All other code calls these methods. `synth.domain.kinds` lists the
kinds.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, NoReturn, Self

from synth import limits
from synth.domain.field_values import Arguments, Field
from synth.domain.frozen import FrozenMap, freeze_fields
from synth.domain.reading import Cutting, FormulaValues, Reading, Summable
from synth.errors import DomainError
from synth.foreign import UNREADABLE as UNREADABLE
from synth.util import Json

MISSING_LABEL = "(missing)"
OTHER_LABEL = "(other)"


class Outside(StrEnum):
    """The rule for a value outside the column's declared range or list."""

    CELL = "cell"
    """It gets a cell of its own."""
    NEAREST = "nearest"
    """It goes to the nearest bound; a text that is no number or date counts as missing."""
    MISSING = "missing"
    """It counts as missing."""
    DROP = "drop"
    """Its row is left out."""


@dataclass(frozen=True, kw_only=True)
class Column(ABC):
    """One declared column; the base of all kinds.

    Attributes:
        kind: Name of the kind on screens and in messages.
        rules: Possible rules for values outside.
        types: The Table Schema types that this kind writes, by the name people choose.
        keys: Our own keys (``synth:...``) of its fields, besides those of all kinds.
        asks: The inputs of its form, with an example: ``categories``, ``spellings``, ``bounds``,
            ``calendar``, ``bins`` and ``spikes``.
        name: Header of the column in the table.
        missing: Whether missing values have a cell of their own.
        outside: The rule for values outside; None for the default of the kind.
        description: Free text from the code book.
        meanings: Labels of codes, from the code book; files hold the codes.
    """

    kind: ClassVar[str] = "column"
    rules: ClassVar[tuple[Outside, ...]] = tuple(Outside)
    types: ClassVar[Mapping[str, str]] = {}
    keys: ClassVar[frozenset[str]] = frozenset()
    asks: ClassVar[Mapping[str, str]] = {}

    name: str
    missing: bool = False
    outside: Outside | None = None
    description: str = field(default="", compare=False)
    meanings: Mapping[str, str] = field(default_factory=FrozenMap, compare=False)

    def __post_init__(self) -> None:
        freeze_fields(self)
        if not self.name.strip():
            refuse("A column has no name.")
        refuse_long("The name of a column", [self.name], limits.NAME_LENGTH)
        where = f"Column '{self.name}'"
        refuse_long(f"{where}: the description", [self.description], limits.LABEL_LENGTH)
        refuse_long(f"{where}: a code with a label", self.meanings, limits.VALUE_LENGTH)
        refuse_long(f"{where}: a label", self.meanings.values(), limits.LABEL_LENGTH)
        if self.outside is not None and self.outside not in self.rules:
            refuse(f"Column '{self.name}' ({self.kind}) cannot use the rule '{self.outside}'.")
        if self.outside == Outside.MISSING and not self.missing:
            refuse(
                f"Column '{self.name}' sends values outside to the missing cell, "
                "but declares none (set required to false)."
            )
        self._validate()

    @abstractmethod
    def _validate(self) -> None:
        """Raise DomainError if the declaration makes no sense."""

    @property
    @abstractmethod
    def labels(self) -> tuple[str, ...]:
        """Labels of the declared categories or bins, in code order."""

    @property
    @abstractmethod
    def reading(self) -> Reading:
        """How a cell's text is read."""

    @property
    def cutting(self) -> Cutting | None:
        """Where values are cut into cells; None if reading gives the code."""
        return None

    @abstractmethod
    def position(self, text: str) -> Fraction:
        """Return the exact position of a typed value on the column's axis; for a listed value its
        code.

        Raises:
            ValueError: It is no value of this kind.
        """

    @abstractmethod
    def write_position(self, position: Fraction) -> str:
        """Return one text of the value at a position, however it was typed."""

    def tell(self, value: float, end: Callable[[float], int] = round) -> float | str:  # noqa: ARG002
        """Return a mean of values for display: a number, or the text of a date.

        Args:
            value: In units of reading.
            end: Rounds a date to a whole unit.
        """
        return value

    @property
    def told_in(self) -> str:
        """The word for that unit; empty for numbers."""
        return ""

    @property
    def told_unit(self) -> float:
        """The unit of differences of values, in units of reading; for dates a day or a second."""
        return 1.0

    @property
    def summable(self) -> Summable | None:
        """How to add its values; None if they are no numbers and no dates."""
        return None

    @property
    def cell_ends(self) -> tuple[tuple[float, float], ...]:
        """Least and greatest value of each declared cell; none if its values can't be added."""
        return ()

    @property
    def formula_values(self) -> FormulaValues:
        """Its possible values in a formula: here, texts.

        Raises:
            DomainError: It can't be used in a formula.
        """
        other = () if self.other_code is None else (self.cells[self.other_code],)
        return FormulaValues("text", texts=self.labels + other)

    @property
    @abstractmethod
    def values(self) -> float:
        """Number of different possible values, as far as declared."""

    @property
    @abstractmethod
    def in_words(self) -> str:
        """Its values, for the data dictionary."""

    @property
    def dtype(self) -> str:
        """Its type in a pandas DataFrame."""
        return "str"

    @classmethod
    def declared_by(cls, field: Field) -> bool:
        """Return whether a Table Schema field is of this kind; the first kind that says so gets it.
        """
        return field.get("type", "string") in cls.types.values()

    @classmethod
    @abstractmethod
    def read_field(cls, name: str, field: Field) -> Arguments:
        """Return the field's attributes of this kind, by name.

        Raises:
            DomainError: It is wrong or incomplete.
        """

    @abstractmethod
    def write_field(self) -> dict[str, Json]:
        """Return the field with the entries of this kind; ``type`` and ``constraints`` exist
        already.
        """

    @property
    def list_size(self) -> int:
        """Number of values in the declared list; 0 if there is no list."""
        return 0

    @property
    def declared_texts(self) -> tuple[str, ...]:
        """The texts that cells are compared with; none for numbers and dates."""
        return ()

    def respell(self, spell: Callable[[str], str]) -> Self:
        """Return the column with its name and declared texts spelled by a function."""
        return replace(self, name=spell(self.name))

    @property
    def extent(self) -> tuple[Sequence[float], Sequence[float]] | None:
        """Least and greatest value of each declared cell; None if values have no order.

        Columns of one kind share the axis.
        """
        return None

    def no_order_with(self, other: "Column") -> str:
        """Say why its values can't be ordered with another column's; empty if they can."""
        return "" if type(self) is type(other) else "are of different kinds and have no order"

    @property
    def rule(self) -> Outside:
        """The rule for values outside, with the default filled in."""
        return self.outside or self._default_rule()

    def _default_rule(self) -> Outside:
        return Outside.MISSING if self.missing else Outside.DROP

    @cached_property
    def cells(self) -> tuple[str, ...]:
        """Labels of all cells, in code order."""
        extra = (MISSING_LABEL,) * self.missing + (OTHER_LABEL,) * (self.rule == Outside.CELL)
        return self.labels + extra

    @property
    def titles(self) -> tuple[str, ...]:
        """The cells as screens show them: code and label."""
        return tuple(f"{c} · {m}" if (m := self.meanings.get(c)) else c for c in self.cells)

    @property
    def size(self) -> int:
        """Number of cells."""
        return len(self.cells)

    @property
    def missing_code(self) -> int | None:
        """Code of the missing cell, or None."""
        return len(self.labels) if self.missing else None

    @property
    def other_code(self) -> int | None:
        """Code of the cell for values outside, or None."""
        return len(self.labels) + self.missing if self.rule == Outside.CELL else None


def refuse(message: str) -> NoReturn:
    """Raise DomainError."""
    raise DomainError(message)


def refuse_long(what: str, texts: Iterable[str], most: int) -> None:
    """Refuse a declaration with a text that is too long, or that no file could hold.

    Raises:
        DomainError: Names the limit, and not the text.
    """
    for text in texts:
        if len(text) > most:
            refuse(f"{what} has {len(text):,} characters; the limit is {most:,}.")
        try:
            text.encode()
        except UnicodeEncodeError:
            refuse(f"{what} holds half a character (a lone surrogate).")


def first_repeat(names: Iterable[str]) -> str | None:
    """Return the first name that occurs a second time, or None."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None
