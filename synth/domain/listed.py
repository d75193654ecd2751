"""Kinds of columns that list their values: categories, and yes or no.

>>> sex = Categorical(
...     name="sex", categories=("1", "2"), meanings={"1": "male", "2": "female"}
... )
>>> sex.cells, sex.titles
(('1', '2'), ('1 · male', '2 · female'))
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Self

from synth import limits
from synth.domain.column import (
    MISSING_LABEL,
    OTHER_LABEL,
    Column,
    Outside,
    first_repeat,
    refuse,
    refuse_long,
)
from synth.domain.field_values import (
    Arguments,
    Field,
    boolean,
    constraints,
    label_codes,
    read_codes,
    read_texts,
)
from synth.domain.reading import FormulaValues, Listed
from synth.util import Json

# Types whose fields may list their values.
LISTED_TYPES = ("string", "integer", "number", "any", "year")


class _Listing(Column):
    def position(self, text: str) -> Fraction:
        return Fraction(self.reading.read(text))

    def write_position(self, position: Fraction) -> str:
        return self.labels[int(position)]


@dataclass(frozen=True, kw_only=True)
class Categorical(_Listing):
    """A column with a list of categories, stored as declared.

    Attributes:
        categories: The possible texts.
        ordered: Whether they go from the least to the greatest.
        is_open: Whether there may be other values, as a code book only labels these.
    """

    kind: ClassVar[str] = "categorical"
    rules: ClassVar[tuple[Outside, ...]] = (Outside.CELL, Outside.MISSING, Outside.DROP)
    types: ClassVar[Mapping[str, str]] = {"categorical": "string"}
    asks: ClassVar[Mapping[str, str]] = {"categories": "1, male\n2, female"}

    keys: ClassVar[frozenset[str]] = frozenset({"synth:open_list"})

    categories: tuple[str, ...]
    ordered: bool = False
    is_open: bool = field(default=False, compare=False)

    def _validate(self) -> None:
        """Raise DomainError if the list of categories cannot be used.

        It may be empty, too long, with a repeated or padded text, or with a text that is the
        label of the cell for missing values or for values outside.
        """
        if not self.categories:
            refuse(f"Column '{self.name}' lists no categories.")
        if len(self.categories) > limits.CATEGORIES:
            refuse(
                f"Column '{self.name}' lists {len(self.categories):,} categories; "
                f"the limit is {limits.CATEGORIES:,}."
            )
        refuse_long(f"Column '{self.name}': a category", self.categories, limits.VALUE_LENGTH)
        if any(text != text.strip() or not text for text in self.categories):
            refuse(
                f"Column '{self.name}' lists a category that is empty or padded with blanks."
            )
        repeated = first_repeat(self.categories)
        if repeated is not None:
            refuse(f"Column '{self.name}' lists the category '{repeated}' twice.")
        if self.rule == Outside.CELL and OTHER_LABEL in self.categories:
            refuse(
                f"Column '{self.name}' lists '{OTHER_LABEL}', the name of its outside cell."
            )
        if self.missing and MISSING_LABEL in self.categories:
            refuse(
                f"Column '{self.name}' lists '{MISSING_LABEL}', the name of its missing cell."
            )

    @property
    def labels(self) -> tuple[str, ...]:
        """The categories, in code order."""
        return self.categories

    @cached_property
    def reading(self) -> Listed:
        """How a cell's text is read."""
        return Listed(tuple((category,) for category in self.categories))

    @property
    def values(self) -> float:
        """Number of categories."""
        return len(self.categories)

    @property
    def list_size(self) -> int:
        """Number of categories."""
        return len(self.categories)

    @property
    def declared_texts(self) -> tuple[str, ...]:
        """The categories."""
        return self.categories

    @property
    def lacks_values(self) -> bool:
        """Whether there may be values that the list lacks, which is to decide."""
        return self.is_open

    @property
    def extent(self) -> tuple[Sequence[float], Sequence[float]] | None:
        """Least and greatest value of each category; None if categories are not ordered.

        The only value of a category is its place in the list.
        """
        places = range(len(self.categories))
        return (places, places) if self.ordered else None

    def no_order_with(self, column: Column) -> str:
        """Return why its values can't be compared with another column's; empty if they can.

        The answer continues a sentence about the two columns.
        """
        if isinstance(column, Categorical) and column.categories != self.categories:
            return "do not list the same categories"
        return super().no_order_with(column)

    def respell(self, spell: Callable[[str], str]) -> Self:
        """Return the column with its name and categories respelled, without labels of codes.

        `spell` returns the new spelling of a text.
        """
        texts = tuple(map(spell, self.categories))
        return replace(self, name=spell(self.name), categories=texts, meanings={})

    @property
    def in_words(self) -> str:
        """Its categories with their meanings, for the data dictionary."""
        categories = []
        for category in self.categories:
            meaning = self.meanings.get(category)
            categories.append(f"{category} = {meaning}" if meaning else category)
        words = " | ".join(categories)
        return f"in this order: {words}" if self.ordered else words

    @property
    def dtype(self) -> str:
        """The type of its column in a DataFrame."""
        return "category"

    @classmethod
    def declared_by(cls, field: Field) -> bool:
        """Return whether a field lists its values."""
        is_listed = "enum" in constraints(field) or "categories" in field
        return is_listed and field.get("type", "string") in LISTED_TYPES

    @classmethod
    def read_field(cls, name: str, field: Field) -> Arguments:
        """Return the categories, their order and labels that a Table Schema field declares.

        They are returned as arguments of this class by name. DomainError is raised if they
        are of a wrong form.
        """
        codes, meanings = read_codes(name, field.get("categories", []), "categories")
        # If the field has both lists, "enum" says which values there are.
        if "enum" in constraints(field):
            codes = read_texts(name, constraints(field), "enum")
        _, labels = read_codes(name, field.get("synth:labels", []), "synth:labels")
        meanings = {**labels, **meanings}
        return {
            "categories": codes,
            "ordered": boolean(name, field, "categoriesOrdered"),
            "is_open": boolean(name, field, "synth:open_list"),
            "meanings": {code: meanings[code] for code in codes if code in meanings},
        }

    def write_field(self) -> dict[str, Json]:
        """Return the categories, their order and labels as entries of the field."""
        field: dict[str, Json] = {"type": "string"}
        if self.meanings:
            field["categories"] = label_codes(self.categories, self.meanings)
        if self.ordered:
            field["categoriesOrdered"] = True
        if self.is_open:
            field["synth:open_list"] = True
        return {**field, "constraints": {"enum": list(self.categories)}}


@dataclass(frozen=True, kw_only=True)
class Boolean(_Listing):
    """A column of yes or no.

    Attributes:
        true_values: Spellings of yes; synthetic rows use the first.
        false_values: Spellings of no; synthetic rows use the first.
    """

    kind: ClassVar[str] = "boolean"
    rules: ClassVar[tuple[Outside, ...]] = Categorical.rules
    types: ClassVar[Mapping[str, str]] = {"boolean": "boolean"}
    asks: ClassVar[Mapping[str, str]] = {"spellings": ""}

    true_values: tuple[str, ...] = ("true", "True", "TRUE", "1")
    false_values: tuple[str, ...] = ("false", "False", "FALSE", "0")

    def _validate(self) -> None:
        """Raise DomainError if spellings are none, too many, too long or repeated."""
        if not self.true_values or not self.false_values:
            refuse(
                f"Column '{self.name}' needs at least one spelling for true and for false."
            )
        spellings = self.true_values + self.false_values
        if len(spellings) > limits.MARKERS:
            refuse(f"Column '{self.name}' lists over {limits.MARKERS:,} spellings.")
        refuse_long(f"Column '{self.name}': a spelling", spellings, limits.VALUE_LENGTH)
        repeated = first_repeat(spellings)
        if repeated is not None:
            refuse(f"Column '{self.name}' lists the spelling '{repeated}' twice.")

    @property
    def labels(self) -> tuple[str, ...]:
        """The first spellings of no and of yes."""
        return (self.false_values[0], self.true_values[0])

    @property
    def reading(self) -> Listed:
        """How a cell's text is read.

        A typed file and a frame have cells that are true or false, whatever a declaration
        calls them. They arrive as ``true`` or ``True``, and are read as such.
        """
        declared = {*self.declared_texts}
        typed_false = tuple(text for text in ("false", "False") if text not in declared)
        typed_true = tuple(text for text in ("true", "True") if text not in declared)
        return Listed((self.false_values + typed_false, self.true_values + typed_true))

    @property
    def formula_values(self) -> FormulaValues:
        """Its possible values in a formula."""
        return FormulaValues(kind="truth", texts=self.labels)

    @property
    def values(self) -> float:
        """Number of different possible values."""
        return 2

    @property
    def declared_texts(self) -> tuple[str, ...]:
        """All spellings."""
        return (*self.true_values, *self.false_values)

    def respell(self, spell: Callable[[str], str]) -> Self:
        """Return the column with its name and values respelled, without labels of codes.

        `spell` returns the new spelling of a text.
        """
        return replace(
            self,
            name=spell(self.name),
            true_values=tuple(map(spell, self.true_values)),
            false_values=tuple(map(spell, self.false_values)),
            meanings={},
        )

    @property
    def in_words(self) -> str:
        """Its values, for the data dictionary."""
        return " | ".join(self.labels)

    @property
    def dtype(self) -> str:
        """The type of its column in a DataFrame."""
        return "boolean" if self.missing else "bool"

    @classmethod
    def read_field(cls, name: str, field: Field) -> Arguments:
        """Return the spellings of yes and no that a Table Schema field declares.

        They are returned as arguments of this class by name. Those that the field lacks are
        left out, so that the default counts.
        """
        arguments_by_key = {"trueValues": "true_values", "falseValues": "false_values"}
        return {
            argument: read_texts(name, field, key)
            for key, argument in arguments_by_key.items()
            if key in field
        }

    def write_field(self) -> dict[str, Json]:
        """Return the spellings of yes and no as entries of a Table Schema field."""
        return {
            "type": "boolean",
            "trueValues": list(self.true_values),
            "falseValues": list(self.false_values),
            "constraints": {},
        }
