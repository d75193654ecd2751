"""Kinds of columns that list their values: categories, and yes or no.

>>> sex = Categorical(
...     name="sex", categories=("1", "2"), meanings={"1": "male", "2": "female"}
... )
>>> sex.cells, sex.titles
(('1', '2'), ('1 · male', '2 · female'))
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
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

    ``ordered`` categories go from the least to the most.
    """

    kind: ClassVar[str] = "categorical"
    rules: ClassVar[tuple[Outside, ...]] = (Outside.CELL, Outside.MISSING, Outside.DROP)
    types: ClassVar[Mapping[str, str]] = {"categorical": "string"}
    asks: ClassVar[Mapping[str, str]] = {"categories": "1, male\n2, female"}

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
            refuse(
                f"Column '{self.name}' lists a category that is empty or padded with blanks."
            )
        twice = first_repeat(self.categories)
        if twice is not None:
            refuse(f"Column '{self.name}' lists the category '{twice}' twice.")
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
        return self.categories

    @cached_property
    def reading(self) -> Listed:
        return Listed(tuple((category,) for category in self.categories))

    @property
    def values(self) -> float:
        return len(self.categories)

    @property
    def list_size(self) -> int:
        return len(self.categories)

    @property
    def declared_texts(self) -> tuple[str, ...]:
        return self.categories

    @property
    def extent(self) -> tuple[Sequence[float], Sequence[float]] | None:
        places = range(len(self.categories))
        return (places, places) if self.ordered else None

    def no_order_with(self, other: Column) -> str:
        if isinstance(other, Categorical) and other.categories != self.categories:
            return "do not list the same categories"
        return super().no_order_with(other)

    def respell(self, spell: Callable[[str], str]) -> Self:
        """Labels are dropped."""
        texts = tuple(map(spell, self.categories))
        return replace(self, name=spell(self.name), categories=texts, meanings={})

    @property
    def in_words(self) -> str:
        shown = (f"{c} = {m}" if (m := self.meanings.get(c)) else c for c in self.categories)
        return ("in this order: " if self.ordered else "") + " | ".join(shown)

    @property
    def dtype(self) -> str:
        return "category"

    @classmethod
    def declared_by(cls, field: Field) -> bool:
        is_listed = "enum" in constraints(field) or "categories" in field
        return is_listed and field.get("type", "string") in LISTED_TYPES

    @classmethod
    def read_field(cls, name: str, field: Field) -> Arguments:
        codes, meanings = read_codes(name, field.get("categories", []), "categories")
        if "enum" in constraints(field):
            codes = read_texts(name, constraints(field), "enum")
        ordered = boolean(name, field, "categoriesOrdered")
        used = {code: meanings[code] for code in codes if code in meanings}
        return {"categories": codes, "ordered": ordered, "meanings": used}

    def write_field(self) -> dict[str, Json]:
        field: dict[str, Json] = {"type": "string"}
        if self.meanings:
            field["categories"] = label_codes(self.categories, self.meanings)
        if self.ordered:
            field["categoriesOrdered"] = True
        return {**field, "constraints": {"enum": list(self.categories)}}


@dataclass(frozen=True, kw_only=True)
class Boolean(_Listing):
    kind: ClassVar[str] = "boolean"
    rules: ClassVar[tuple[Outside, ...]] = Categorical.rules
    types: ClassVar[Mapping[str, str]] = {"boolean": "boolean"}
    asks: ClassVar[Mapping[str, str]] = {"spellings": ""}

    true_values: tuple[str, ...] = ("true", "True", "TRUE", "1")
    false_values: tuple[str, ...] = ("false", "False", "FALSE", "0")

    def _validate(self) -> None:
        if not self.true_values or not self.false_values:
            refuse(
                f"Column '{self.name}' needs at least one spelling for true and for false."
            )
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

    @property
    def reading(self) -> Listed:
        return Listed((self.false_values, self.true_values))

    @property
    def formula_values(self) -> FormulaValues:
        return FormulaValues(kind="truth", texts=self.labels)

    @property
    def values(self) -> float:
        return 2

    @property
    def declared_texts(self) -> tuple[str, ...]:
        return (*self.true_values, *self.false_values)

    def respell(self, spell: Callable[[str], str]) -> Self:
        yes, no = (
            tuple(map(spell, texts)) for texts in (self.true_values, self.false_values)
        )
        return replace(
            self, name=spell(self.name), true_values=yes, false_values=no, meanings={}
        )

    @property
    def in_words(self) -> str:
        return " | ".join(self.labels)

    @property
    def dtype(self) -> str:
        return "boolean" if self.missing else "bool"

    @classmethod
    def read_field(cls, name: str, field: Field) -> Arguments:
        keys = {"trueValues": "true_values", "falseValues": "false_values"}
        return {
            ours: read_texts(name, field, key) for key, ours in keys.items() if key in field
        }

    def write_field(self) -> dict[str, Json]:
        return {
            "type": "boolean",
            "trueValues": list(self.true_values),
            "falseValues": list(self.false_values),
            "constraints": {},
        }
