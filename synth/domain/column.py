"""The interface of a declared column of any kind; `synth.domain.fields` lists the kinds.

A kind defines its cells, how a cell's text is read, the rule for values outside, the
questions it allows, and its written form."""

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

    # It gets a cell of its own.
    CELL = "cell"
    # It goes to the nearest bound; a text that is no number or date counts as missing.
    NEAREST = "nearest"
    # It counts as missing.
    MISSING = "missing"
    # Its row is left out.
    DROP = "drop"


@dataclass(frozen=True, kw_only=True)
class Column(ABC):
    """One declared column; the base of all kinds.

    Attributes:
        kind: Its name on screens and in messages.
        types: The Table Schema types that this kind writes, by the name people choose.
        keys: Our own keys (``synth:...``) of its fields, besides those of all kinds.
        asks: The inputs of its form: ``categories``, ``spellings``, ``bounds``, ``calendar``,
            ``bins`` and ``spikes``.
        missing: Whether missing values have a cell of their own.
        outside: The rule for values outside; None for the default of the kind.
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
            refuse(
                f"Column '{self.name}' ({self.kind}) cannot use the rule '{self.outside}'."
            )
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
        return None

    @abstractmethod
    def position(self, text: str) -> Fraction:
        """Return the exact position of a value on the column's axis; for a listed value its
        code.

        Raises:
            ValueError: It is no value of this kind.
        """

    @abstractmethod
    def write_position(self, position: Fraction) -> str:
        """Return one text of the value at a position, however it was typed."""

    def tell(self, value: float, end: Callable[[float], int] = round) -> float | str:  # noqa: ARG002
        """Return a mean of values, in units of reading, as a number or the text of a date.

        ``end`` rounds a date to a whole unit.
        """
        return value

    @property
    def told_in(self) -> str:
        return ""

    @property
    def told_unit(self) -> float:
        """The unit of differences, in units of reading; for dates a day or a second."""
        return 1.0

    @property
    def summable(self) -> Summable | None:
        return None

    @property
    def cell_ends(self) -> tuple[tuple[float, float], ...]:
        return ()

    @property
    def formula_values(self) -> FormulaValues:
        """Its possible values in a formula; DomainError if it can't be used in one."""
        other = () if self.other_code is None else (self.cells[self.other_code],)
        return FormulaValues(kind="text", texts=self.labels + other)

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
        return "str"

    @classmethod
    def declared_by(cls, field: Field) -> bool:
        """Return whether a field is of this kind; the first kind that says so gets it."""
        return field.get("type", "string") in cls.types.values()

    @classmethod
    @abstractmethod
    def read_field(cls, name: str, field: Field) -> Arguments:
        """Return the field's attributes of this kind; DomainError if it is wrong or
        incomplete.
        """

    @abstractmethod
    def write_field(self) -> dict[str, Json]:
        """Return the field's entries of this kind; ``type`` and ``constraints`` exist
        already.
        """

    @property
    def list_size(self) -> int:
        return 0

    @property
    def declared_texts(self) -> tuple[str, ...]:
        return ()

    def respell(self, spell: Callable[[str], str]) -> Self:
        return replace(self, name=spell(self.name))

    @property
    def extent(self) -> tuple[Sequence[float], Sequence[float]] | None:
        """Least and greatest value of each declared cell; None if values have no order.

        Columns of one kind share the axis.
        """
        return None

    def no_order_with(self, other: "Column") -> str:
        return "" if type(self) is type(other) else "are of different kinds and have no order"

    @property
    def rule(self) -> Outside:
        return self.outside or self._default_rule()

    def _default_rule(self) -> Outside:
        return Outside.MISSING if self.missing else Outside.DROP

    @cached_property
    def cells(self) -> tuple[str, ...]:
        extra = (MISSING_LABEL,) * self.missing + (OTHER_LABEL,) * (self.rule == Outside.CELL)
        return self.labels + extra

    @property
    def titles(self) -> tuple[str, ...]:
        return tuple(f"{c} · {m}" if (m := self.meanings.get(c)) else c for c in self.cells)

    @property
    def size(self) -> int:
        return len(self.cells)

    @property
    def missing_code(self) -> int | None:
        return len(self.labels) if self.missing else None

    @property
    def other_code(self) -> int | None:
        return len(self.labels) + self.missing if self.rule == Outside.CELL else None


def refuse(message: str) -> NoReturn:
    raise DomainError(message)


def refuse_long(what: str, texts: Iterable[str], most: int) -> None:
    """Refuse a text that is too long, or that no file could hold; the error names the
    limit.
    """
    for text in texts:
        if len(text) > most:
            refuse(f"{what} has {len(text):,} characters; the limit is {most:,}.")
        try:
            text.encode()
        except UnicodeEncodeError:
            refuse(f"{what} holds half a character (a lone surrogate).")


def first_repeat(names: Iterable[str]) -> str | None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None
