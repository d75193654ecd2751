"""What every declared column has, whatever its kind.

A kind says into which cells it is cut, how a cell's text is read, what happens to values outside,
what can be asked of it and how it is written down. All else that handles columns asks these
methods: the kinds themselves are listed in `synth.domain.kinds`.
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
    """What happens to a value that is not in the column's declared range or list."""

    CELL = "cell"
    """It goes to a cell of its own."""
    NEAREST = "nearest"
    """It goes to the nearest bound; what is no number or date goes where missing values go."""
    MISSING = "missing"
    """It goes to the missing cell."""
    DROP = "drop"
    """Its row is left out."""


@dataclass(frozen=True, kw_only=True)
class Column(ABC):
    """One declared column; the base of all kinds.

    Attributes:
        kind: What screens and messages call the kind.
        rules: What may happen to values outside.
        types: The types of Table Schema that this kind writes, by what people choose them by.
        keys: Keys of our own (``synth:...``) that its fields have besides those of all.
        asks: What a form asks of it, with an example: ``categories``, ``spellings``, ``bounds``,
            ``calendar``, ``bins`` and ``spikes``.
        name: Header of the column in the table.
        missing: Whether missing values have a cell of their own.
        outside: The rule for values outside; None stands for the default of the kind.
        description: Free text from the code book.
        meanings: What codes stand for, from the code book; files hold the codes.
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
        """Raise DomainError where the declaration makes no sense."""

    @property
    @abstractmethod
    def labels(self) -> tuple[str, ...]:
        """Labels of the declared categories or bins, in code order."""

    @property
    @abstractmethod
    def reading(self) -> Reading:
        """What the text of a cell stands for."""

    @property
    def cutting(self) -> Cutting | None:
        """Where what was read is cut into cells; None where it is the code already."""
        return None

    @abstractmethod
    def position(self, text: str) -> Fraction:
        """Exact place of a typed value on the column's axis: of a listed one, its code.

        Raises:
            ValueError: It stands for no value of this kind.
        """

    @abstractmethod
    def write_position(self, position: Fraction) -> str:
        """One text of a value at a place, whatever the text it was typed as."""

    def tell(self, value: float, end: Callable[[float], int] = round) -> float | str:  # noqa: ARG002
        """A mean of values as they are read, to be shown: a number, or the text of a date.

        Args:
            value: As it is read.
            end: How a date is made whole.
        """
        return value

    @property
    def told_in(self) -> str:
        """The word for that unit; empty of numbers."""
        return ""

    @property
    def told_unit(self) -> float:
        """The unit of differences of values, as they are read: of dates a day or a second."""
        return 1.0

    @property
    def summable(self) -> Summable | None:
        """What adding up its values takes; None where they are no numbers and no dates."""
        return None

    @property
    def cell_ends(self) -> tuple[tuple[float, float], ...]:
        """Least and greatest value of each declared cell; none where there is nothing to add up."""
        return ()

    @property
    def formula_values(self) -> FormulaValues:
        """What a formula finds in it: here, texts.

        Raises:
            DomainError: It cannot stand in a formula.
        """
        other = () if self.other_code is None else (self.cells[self.other_code],)
        return FormulaValues("text", texts=self.labels + other)

    @property
    @abstractmethod
    def values(self) -> float:
        """How many different values there may be, as far as the declaration says."""

    @property
    @abstractmethod
    def in_words(self) -> str:
        """What the data dictionary says of its values."""

    @property
    def dtype(self) -> str:
        """What a DataFrame of pandas holds it as."""
        return "str"

    @classmethod
    def declared_by(cls, field: Field) -> bool:
        """Whether a field of a Table Schema is of this kind; the first kind that says so has it."""
        return field.get("type", "string") in cls.types.values()

    @classmethod
    @abstractmethod
    def read_field(cls, name: str, field: Field) -> Arguments:
        """What a field says of the attributes that not every kind has, by name.

        Raises:
            DomainError: It is wrong or incomplete.
        """

    @abstractmethod
    def write_field(self) -> dict[str, Json]:
        """The field with what not every kind has; ``type`` and ``constraints`` are there."""

    @property
    def list_size(self) -> int:
        """How many values a list declares; 0 where there is no list."""
        return 0

    @property
    def declared_texts(self) -> tuple[str, ...]:
        """The texts that cells are compared with; none for numbers and dates."""
        return ()

    def respell(self, spell: Callable[[str], str]) -> Self:
        """The column with its name, and the texts that cells are compared with, spelled anew."""
        return replace(self, name=spell(self.name))

    @property
    def extent(self) -> tuple[Sequence[float], Sequence[float]] | None:
        """Least and greatest value of each declared cell; None where values have no order.

        Columns of one kind share the axis.
        """
        return None

    def no_order_with(self, other: "Column") -> str:
        """Why its values cannot be put in order with another column's; empty where they can."""
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
        """The cells as screens show them: the code, and what it stands for."""
        return tuple(f"{c} · {m}" if (m := self.meanings.get(c)) else c for c in self.cells)

    @property
    def size(self) -> int:
        """Number of cells."""
        return len(self.cells)

    @property
    def missing_code(self) -> int | None:
        """Code of the missing cell, or None where there is none."""
        return len(self.labels) if self.missing else None

    @property
    def other_code(self) -> int | None:
        """Code of the cell for values outside, or None where there is none."""
        return len(self.labels) + self.missing if self.rule == Outside.CELL else None


def refuse(message: str) -> NoReturn:
    """Raise DomainError."""
    raise DomainError(message)


def refuse_long(what: str, texts: Iterable[str], most: int) -> None:
    """Refuse a declaration with a text that is too long, or none that a file could hold.

    Raises:
        DomainError: Naming the limit, and not the text.
    """
    for text in texts:
        if len(text) > most:
            refuse(f"{what} has {len(text):,} characters; the limit is {most:,}.")
        try:
            text.encode()
        except UnicodeEncodeError:
            refuse(f"{what} holds half a character (a lone surrogate).")


def first_repeat(names: Iterable[str]) -> str | None:
    """The first name that stands there a second time, or None."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None
