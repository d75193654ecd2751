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
from synth.domain.field_values import Arguments, Field, constraints, label_codes
from synth.domain.frozen import FrozenMap, freeze_fields, set_field
from synth.domain.reading import Cutting, FormulaValues, Reading, Summable
from synth.errors import DomainError, find_similar
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
        rules: The rules for values outside that this kind can use.
        types: The Table Schema types that this kind writes, by the name people choose.
        keys: Our own keys (``synth:...``) of its fields, in addition to those of all kinds.
        asks: The inputs of its form: ``categories``, ``spellings``, ``bounds``, ``calendar``,
            ``bins``, ``spikes`` and ``signs``.
        name: Its name.
        missing: Whether missing values have a cell of their own.
        outside: The rule for values outside; None for the default of the kind.
        description: Its content in words.
        meanings: Labels of codes and signs, from the code book; files hold the codes.
        signs: Texts that are no values, such as ``<5`` among numbers; each has a cell of its
            own.
        missing_values: The spellings of a missing value in this column, of which synthetic
            rows use the first; None if those of the domain count.
        missing_meanings: Labels of these spellings, from the code book.
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
    signs: tuple[str, ...] = ()
    missing_values: tuple[str, ...] | None = None
    missing_meanings: Mapping[str, str] = field(default_factory=FrozenMap, compare=False)

    def __post_init__(self) -> None:
        """Raise DomainError if texts are too long, or the rule for values outside is wrong.

        Lists and mappings among the attributes become immutable first.
        """
        freeze_fields(self)
        if not self.name.strip():
            refuse("A column has no name.")
        refuse_long("The name of a column", [self.name], limits.NAME_LENGTH)
        where = f"Column '{self.name}'"
        refuse_long(f"{where}: the description", [self.description], limits.LABEL_LENGTH)
        refuse_long(f"{where}: a code with a label", self.meanings, limits.VALUE_LENGTH)
        labels = (*self.meanings.values(), *self.missing_meanings.values())
        refuse_long(f"{where}: a label", labels, limits.LABEL_LENGTH)
        self._check_missing_values()
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
        if self.signs:
            self._validate_signs()
        self._label_reasons()

    def _label_reasons(self) -> None:
        """Copy the labels of reasons from `missing_meanings` to `meanings`, if it lacks them.

        A reason is a spelling of a missing value with a cell of its own, such as "refused".
        `missing_meanings` labels spellings of missing values, `meanings` labels cells; a
        reason is both.
        """
        labels = {
            reason: self.missing_meanings[reason]
            for reason in self.reasons
            if reason in self.missing_meanings
        }
        if labels:
            # The column is frozen. A label that `meanings` has already wins.
            set_field(self, "meanings", FrozenMap({**labels, **self.meanings}))

    def _check_missing_values(self) -> None:
        """Raise DomainError if the spellings of a missing value are too many or too long."""
        spellings = self.missing_values or ()
        if len(spellings) > limits.MARKERS:
            refuse(
                f"Column '{self.name}' declares over {limits.MARKERS:,} spellings of missing "
                "values."
            )
        subject = f"Column '{self.name}': a spelling of missing values"
        refuse_long(subject, spellings, limits.VALUE_LENGTH)

    @abstractmethod
    def _validate(self) -> None:
        """Raise DomainError if the declaration makes no sense."""

    def _validate_signs(self) -> None:
        """Raise DomainError if signs make no sense; here, as the kind has none."""
        refuse(f"Column '{self.name}' ({self.kind}) has no signs; list them as values.")

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
        """How a value that was read gets its cell; None for a listed value."""
        return None

    @abstractmethod
    def position(self, text: str) -> Fraction:
        """Return the exact position of a text's value on the column's axis.

        The axis is that of numbers, of units since 1970 for dates, or of places in the list.

        Raises:
            ValueError: It is no value of this kind.
        """

    @abstractmethod
    def write_position(self, position: Fraction) -> str:
        """Return one text of the value at a position, however it was typed."""

    def tell(self, value: float, end: Callable[[float], int] = round) -> float | str:  # noqa: ARG002
        """Return a mean of values as people read it: a number, or the text of a date.

        Args:
            value: The mean, as values are read: a number, or seconds since 1970.
            end: How a date is rounded to a whole day or second; not used for numbers.
        """
        return value

    @property
    def told_in(self) -> str:
        """The unit of a mean, in words; empty for numbers."""
        return ""

    @property
    def told_unit(self) -> float:
        """The unit of differences, in units of reading; for dates a day or a second."""
        return 1.0

    @property
    def summable(self) -> Summable | None:
        """How its values are added up; None if they cannot be."""
        return None

    @property
    def cell_ends(self) -> tuple[tuple[float, float], ...]:
        """Lower and upper end of each declared cell; empty if values have no order."""
        return ()

    @property
    def formula_values(self) -> FormulaValues:
        """The column's possible values in a formula.

        Values outside the list count as one more text, if they have a cell.

        Raises:
            DomainError: The column cannot be used in a formula.
        """
        texts = self.labels
        if self.other_code is not None:
            texts = (*texts, self.cells[self.other_code])
        return FormulaValues(kind="text", texts=texts)

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
        """The type of its column in a DataFrame."""
        return "str"

    @classmethod
    def declared_by(cls, field: Field) -> bool:
        """Return whether a field is of this kind; the first kind that says so gets it."""
        return field.get("type", "string") in cls.types.values()

    @classmethod
    @abstractmethod
    def read_field(cls, name: str, field: Field) -> Arguments:
        """Return what a Table Schema field declares, as arguments of this class by name.

        Those that columns of all kinds have, such as the name, are not among them.

        Raises:
            DomainError: The field is wrong or incomplete.
        """

    @abstractmethod
    def write_field(self) -> dict[str, Json]:
        """Return the entries of this kind in the column's field, ``type`` among them."""

    @property
    def list_size(self) -> int:
        """Number of listed values; 0 of a kind without a list."""
        return 0

    @property
    def declared_texts(self) -> tuple[str, ...]:
        """The listed values; none of a kind without a list."""
        return ()

    def declares(self, text: str) -> bool:
        """Return whether a text is declared: as a value, or as a missing value of its own."""
        return text in (*self.declared_texts, *self.signs, *(self.missing_values or ()))

    @property
    def lacks_values(self) -> bool:
        """Whether there may be values that its list lacks, which is to decide."""
        return False

    @property
    def reasons(self) -> tuple[str, ...]:
        """The declared values that mean a missing value in this column, such as "refused".

        They have a cell of their own each, so that no two are mixed up.
        """
        if not self.missing_values:
            return ()
        spellings = {*self.missing_values}
        return tuple(text for text in self.declared_texts if text in spellings)

    def respell(self, spell: Callable[[str], str]) -> Self:
        """Return the column with another spelling of its texts."""
        return replace(self, name=spell(self.name))

    @property
    def extent(self) -> tuple[Sequence[float], Sequence[float]] | None:
        """Least values of all declared cells, and their greatest values, in code order.

        None if values have no order. The values of two columns of one kind are in the same
        unit, so that they can be compared.
        """
        return None

    def no_order_with(self, column: "Column") -> str:
        """Return why its values can't be compared with another column's; empty if they can.

        The answer continues a sentence about the two columns.
        """
        return (
            "" if type(self) is type(column) else "are of different kinds and have no order"
        )

    @property
    def rule(self) -> Outside:
        """The rule for values outside, or the default of the kind."""
        return self.outside or self._default_rule()

    def _default_rule(self) -> Outside:
        return Outside.MISSING if self.missing else Outside.DROP

    @cached_property
    def cells(self) -> tuple[str, ...]:
        """Labels of all cells: of values, of signs, of missing values and values outside.

        The code of a cell is its place in this tuple.
        """
        labels = [*self.labels, *self.signs]
        if self.missing:
            labels.append(MISSING_LABEL)
        if self.rule == Outside.CELL:
            labels.append(OTHER_LABEL)
        return tuple(labels)

    @property
    def titles(self) -> tuple[str, ...]:
        """Labels of all cells with their meanings, as far as the code book gives them."""
        return tuple(title_of(cell, self.meanings.get(cell, "")) for cell in self.cells)

    @property
    def size(self) -> int:
        """Number of cells."""
        return len(self.cells)

    @property
    def value_cells(self) -> int:
        """Number of cells that hold values; they come before all others."""
        return len(self.labels)

    @property
    def sign_codes(self) -> dict[str, int]:
        """The code of each sign by its text; signs come after all cells of values."""
        return {sign: code for code, sign in enumerate(self.signs, self.value_cells)}

    @property
    def missing_code(self) -> int | None:
        """The code of missing values; None without a cell for them."""
        return self.value_cells + len(self.signs) if self.missing else None

    @property
    def other_code(self) -> int | None:
        """The code of the cell for values outside; None if the column has no such cell."""
        if self.rule != Outside.CELL:
            return None
        return self.value_cells + len(self.signs) + int(self.missing)

    @property
    def is_mixed(self) -> bool:
        """Whether files hold texts next to its values: signs, or the label of others."""
        return bool(self.signs) or self.other_code is not None


def write_field(column: Column) -> dict[str, Json]:
    """Return the Table Schema field of a column.

    `synth.domain.fields.read_field` restores an equal column.
    """
    field = {"name": column.name, **column.write_field()}
    field["constraints"] = {**dict(constraints(field)), "required": not column.missing}
    if column.outside is not None:
        field["synth:outside"] = column.outside.value
    if column.missing_values is not None:
        spellings = label_codes(column.missing_values, column.missing_meanings)
        field["missingValues"] = spellings
    if column.description:
        field["description"] = column.description
    return field


def title_of(label: str, meaning: str) -> str:
    """Return the label of a cell with its meaning, if it has one."""
    return f"{label} · {meaning}" if meaning else label


def refuse(message: str) -> NoReturn:
    """Raise DomainError with a message."""
    raise DomainError(message)


def refuse_absent(subject: str, name: str, names: Sequence[str]) -> NoReturn:
    """Refuse the name of a column that is not there, with a similar one or all names.

    Args:
        subject: What lacks the column, such as "The domain".
        name: The column.
        names: The columns that are there.

    Raises:
        DomainError: Always.
    """
    similar = find_similar(name, names)
    if similar:
        refuse(f"{subject} has no column '{name}'; did you mean '{similar}'?")
    refuse(f"{subject} has no column '{name}'; it has {', '.join(names)}.")


def refuse_long(subject: str, texts: Iterable[str], limit: int) -> None:
    """Refuse a text that is too long, or that no file could hold.

    Args:
        subject: What the texts are, in words; the message begins with it.
        texts: The texts to check.
        limit: The most characters of each.

    Raises:
        DomainError: A text has more characters, or cannot be written as UTF-8.
    """
    for text in texts:
        if len(text) > limit:
            refuse(f"{subject} has {len(text):,} characters; the limit is {limit:,}.")
        try:
            text.encode()
        except UnicodeEncodeError:
            refuse(f"{subject} holds half a character (a lone surrogate).")


def first_repeat(names: Iterable[str]) -> str | None:
    """Return the first name that occurs for the second time; None if there is none."""
    earlier_names: set[str] = set()
    for name in names:
        if name in earlier_names:
            return name
        earlier_names.add(name)
    return None
