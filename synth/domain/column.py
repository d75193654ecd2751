"""What every declared column has, and the two kinds that list their values.

Every kind says into which cells it is cut and what happens to values outside. Numbers are in
`synth.domain.bins`, dates in `synth.domain.dates`; `synth.domain.domain` puts columns together.

>>> sex = Categorical(name="sex", categories=("1", "2"), meanings={"1": "male", "2": "female"})
>>> sex.cells, sex.titles
(('1', '2'), ('1 · male', '2 · female'))
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import ClassVar, NoReturn

from synth import limits
from synth.errors import DomainError

MISSING_LABEL = "(missing)"
OTHER_LABEL = "(other)"
UNREADABLE = "\x1a"
"""What the text of a cell is that cannot be read: SUBSTITUTE in ASCII, which none may declare."""


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
    """One declared column; the base of the five kinds.

    Attributes:
        name: Header of the column in the table.
        missing: Whether missing values have a cell of their own.
        outside: The rule for values outside; None stands for the default of the kind.
        description: Free text from the code book.
        meanings: What codes stand for, from the code book; files hold the codes.
    """

    kind: ClassVar[str] = "column"
    rules: ClassVar[tuple[Outside, ...]] = tuple(Outside)

    name: str
    missing: bool = False
    outside: Outside | None = None
    description: str = field(default="", compare=False)
    meanings: Mapping[str, str] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
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


@dataclass(frozen=True, kw_only=True)
class Categorical(Column):
    """A column with a list of categories, kept as text exactly as declared.

    Attributes:
        categories: The codes.
        ordered: Whether their order means something, from the least to the most.
    """

    kind: ClassVar[str] = "categorical"
    rules: ClassVar[tuple[Outside, ...]] = (Outside.CELL, Outside.MISSING, Outside.DROP)

    categories: tuple[str, ...]
    ordered: bool = False

    def _validate(self) -> None:
        if not self.categories:
            refuse(f"Column '{self.name}' lists no categories.")
        if len(self.categories) > limits.CATEGORIES:
            refuse(
                f"Column '{self.name}' lists {len(self.categories):,} categories; "
                f"the limit is {limits.CATEGORIES:,}."
            )
        refuse_long(f"Column '{self.name}': a category", self.categories, limits.VALUE_LENGTH)
        if any(c != c.strip() or not c for c in self.categories):
            refuse(f"Column '{self.name}' lists a category that is empty or padded with blanks.")
        twice = first_repeat(self.categories)
        if twice is not None:
            refuse(f"Column '{self.name}' lists the category '{twice}' twice.")
        if self.rule == Outside.CELL and OTHER_LABEL in self.categories:
            refuse(f"Column '{self.name}' lists '{OTHER_LABEL}', the name of its outside cell.")
        if self.missing and MISSING_LABEL in self.categories:
            refuse(f"Column '{self.name}' lists '{MISSING_LABEL}', the name of its missing cell.")

    @property
    def labels(self) -> tuple[str, ...]:
        return self.categories


@dataclass(frozen=True, kw_only=True)
class Boolean(Column):
    """A yes-or-no column; several spellings may stand for each of the two values."""

    kind: ClassVar[str] = "boolean"
    rules: ClassVar[tuple[Outside, ...]] = Categorical.rules

    true_values: tuple[str, ...] = ("true", "True", "TRUE", "1")
    false_values: tuple[str, ...] = ("false", "False", "FALSE", "0")

    def _validate(self) -> None:
        if not self.true_values or not self.false_values:
            refuse(f"Column '{self.name}' needs at least one spelling for true and for false.")
        spellings = self.true_values + self.false_values
        if len(spellings) > limits.MARKERS:
            refuse(f"Column '{self.name}' lists over {limits.MARKERS:,} spellings.")
        refuse_long(f"Column '{self.name}': a spelling", spellings, limits.VALUE_LENGTH)
        twice = first_repeat(spellings)
        if twice is not None:
            refuse(f"Column '{self.name}' lists the spelling '{twice}' twice.")

    @property
    def labels(self) -> tuple[str, ...]:
        return (self.false_values[0], self.true_values[0])


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
