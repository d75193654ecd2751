"""ID columns: unique in a synthetic table, drawn from a pattern, without cells. PUBLIC.

No real key is ever read. A synthetic ID may equal a real one by chance, which reveals
nothing.

>>> from synth import Domain
>>> domain = Domain(patient=Identifier(pattern="P######"), sex=["f", "m"])
>>> domain.shape, domain.written, domain.identifiers[0].available
((2,), ('patient', 'sex'), 1000000)
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property

from synth import limits
from synth.domain.column import Column, refuse, refuse_long
from synth.domain.listed import Categorical
from synth.domain.numbers import Integer
from synth.util import Json, check_fields

ID_KEY = "synth:identifier"
PATTERN_HELP = (
    "`#` is a digit and `@` a capital letter, as in P######. Or type uuid, or number for 1, "
    "2, 3 and so on. Choose a pattern that no real key has."
)
NUMBERED = "number"
UUID = "uuid"
MAX_PATTERN_SIGNS = 100
_ANY = {"#": "0123456789", "@": "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
_UUID_SIGNS = {"x": "0123456789abcdef", "y": "89ab"}
_CLASSES = {
    _ANY["#"]: "[0-9]",
    _ANY["@"]: "[A-Z]",
    "0123456789abcdef": "[0-9a-f]",
    "89ab": "[89ab]",
}
_UUID_SLOTS = tuple(
    _UUID_SIGNS.get(sign, sign) for sign in "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx"
)
_WORDING = re.compile(r"[A-Za-z0-9#@][A-Za-z0-9#@_./: -]*(?<! )")


@dataclass(frozen=True)
class Identifier:
    """A column of IDs; `Domain` sets its name and its place among all columns, from 0.

    Attributes:
        pattern: ``#`` stands for a digit, ``@`` for a capital letter, all else for itself; or
            "uuid" (random, version 4), or "number" for 1, 2, 3 and so on.
        most: Most rows with an ID, if less than the pattern has; rows beyond stay empty.
        description: The column's content in words.
        name: The column's name.
        place: Its position among all columns, from 0.

    Raises:
        DomainError: The pattern is none, or has fewer values than ``most``.

    >>> key = Identifier(pattern="A-@##", most=2000, name="key")
    >>> key.capacity, key.available, key.rule, key.column.dtype
    (2600, 2000, 'the pattern A-@##, for at most 2,000 rows', 'str')
    >>> Identifier(pattern="uuid").available > 10**36, Identifier(pattern="number").slots
    (True, ())
    >>> key.write_field()["synth:identifier"], key.in_words[:40]
    ({'pattern': 'A-@##', 'most': 2000}, "Column 'key' holds unique IDs, drawn as ")
    """

    pattern: str
    _: KW_ONLY
    most: int | None = None
    description: str = field(default="", compare=False)
    name: str = ""
    place: int = 0

    def __post_init__(self) -> None:
        """Raise DomainError if the pattern or the declared number of rows is wrong."""
        check_fields(self)
        where = f"Column '{self.name}'" if self.name else "An ID column"
        refuse_long(f"{where}: the description", [self.description], limits.LABEL_LENGTH)
        if len(self.pattern) > MAX_PATTERN_SIGNS:
            refuse(
                f"{where}: the pattern has {len(self.pattern):,} signs; the limit is "
                f"{MAX_PATTERN_SIGNS}."
            )
        if not _WORDING.fullmatch(self.pattern):
            refuse(
                f"{where}: a pattern is made of # for a digit, @ for a capital letter, "
                "letters, digits and _ . / : - between them, such as P######; or it is uuid "
                "or number."
            )
        if self.capacity == 1:
            refuse(
                f"{where}: the pattern has no # and no @, so that all IDs would be the same."
            )
        if self.most is not None and not isinstance(self.most, int):
            refuse(f"{where}: the number of rows at most must be a whole number.")
        if self.most is not None and not 1 <= self.most <= self.capacity:
            refuse(
                f"{where}: the pattern has {self.capacity:,} values, and {self.most:,} rows "
                "are declared as the most; make the pattern longer."
            )

    @cached_property
    def slots(self) -> tuple[str, ...]:
        """The possible characters at each place of an ID, as one text for each place.

        Empty for running numbers. A letter of the pattern that stands for itself is a text of
        one character.
        """
        if self.pattern == NUMBERED:
            return ()
        if self.pattern == UUID:
            return _UUID_SLOTS
        return tuple(_ANY.get(sign, sign) for sign in self.pattern)

    @property
    def capacity(self) -> int:
        """Number of different IDs of the pattern."""
        return math.prod(map(len, self.slots)) if self.slots else limits.ROWS_MAX

    @property
    def available(self) -> int:
        """Most rows that get an ID."""
        return self.most or self.capacity

    @property
    def rule(self) -> str:
        """The rule of the IDs in words."""
        names = {NUMBERED: "running numbers from 1", UUID: "random UUIDs"}
        rule = names.get(self.pattern, f"the pattern {self.pattern}")
        return f"{rule}, for at most {self.most:,} rows" if self.most else rule

    @property
    def in_words(self) -> str:
        """A description of the column in sentences."""
        words = (
            f"Column '{self.name}' holds unique IDs, drawn as {self.rule}. No real key was "
            "read; an ID that equals one reveals nothing about it."
        )
        if self.available < limits.ROWS_MAX:
            words += f" Rows beyond {self.available:,} have no ID."
        return words

    @property
    def column(self) -> Column:
        """The column that describes the possible IDs for exports and screens.

        An ID column has no cells, so this one lists no categories. Values may be missing if a
        table may have more rows than there are IDs.
        """
        # `ROWS_MAX` is the most rows that any table can have.
        may_lack = self.available < limits.ROWS_MAX
        if self.pattern == NUMBERED:
            return _NumberColumn(
                name=self.name,
                description=self.description,
                missing=may_lack,
                minimum="1",
                maximum=str(self.available),
                rule_in_words=self.rule,
            )
        return _TextColumn(
            name=self.name,
            description=self.description,
            missing=may_lack,
            categories=(),
            slots=self.slots,
            rule_in_words=self.rule,
        )

    def write_field(self) -> dict[str, Json]:
        """Return the Table Schema field that declares the column.

        `read_identifier` restores an equal column.
        """
        rule: Json = self.pattern
        if self.most:
            rule = {"pattern": self.pattern, "most": self.most}
        field: dict[str, Json] = {"name": self.name}
        field["type"] = "integer" if self.pattern == NUMBERED else "string"
        if self.description:
            field["description"] = self.description
        return {**field, ID_KEY: rule}


def refuse_short(identifiers: Iterable[Identifier], rows: int) -> None:
    """Refuse columns of IDs whose pattern has fewer values than there are rows to write.

    Args:
        identifiers: The columns of IDs.
        rows: The number of rows, which is public.

    Raises:
        DomainError: It names both numbers.
    """
    for identifier in identifiers:
        if identifier.available < rows:
            change = f"make the pattern {identifier.pattern} longer"
            if identifier.most:
                change = "raise its most"
            refuse(
                f"Column '{identifier.name}' has IDs for {identifier.available:,} rows, and "
                f"{rows:,} are to be written; {change}."
            )


def spells(identifier: Identifier, text: str) -> bool:
    """Return whether a text may be one of a column's IDs."""
    if not identifier.slots:  # running numbers from 1
        return text.isdecimal() and text[:1] != "0"
    return len(text) == len(identifier.slots) and all(
        sign in possible_signs
        for sign, possible_signs in zip(text, identifier.slots, strict=True)
    )


def read_identifier(declared: Json, position: int) -> Identifier:
    """Return the column of IDs that a Table Schema field declares.

    Args:
        declared: The field, a JSON object with the key ``synth:identifier``.
        position: The position of the field among all fields, from 1.

    Raises:
        DomainError: The field has no name, or the pattern is wrong.
    """
    assert isinstance(declared, Mapping)
    name = declared.get("name")
    rule = declared[ID_KEY]
    if not isinstance(name, str) or not name.strip():
        refuse(f"Field {position} has no name.")
    refuse_long(f"The name of column {position}", [name.strip()], limits.NAME_LENGTH)
    entries = rule if isinstance(rule, Mapping) else {"pattern": rule}
    pattern = entries.get("pattern")
    max_rows = entries.get("most")
    if (
        not isinstance(pattern, str)
        or not set(entries) <= {"pattern", "most"}
        or not (max_rows is None or type(max_rows) is int)
    ):
        refuse(
            f"Column '{name.strip()}': '{ID_KEY}' must be a pattern, or an object with a "
            "'pattern' and a whole number of rows as 'most'."
        )
    return Identifier(
        pattern=pattern,
        most=max_rows,
        description=str(declared.get("description", "")),
        name=name.strip(),
        place=position - 1,
    )


@dataclass(frozen=True, kw_only=True)
class _TextColumn(Categorical):
    kind = "identifier"

    slots: tuple[str, ...]
    rule_in_words: str

    def _validate(self) -> None:
        """See nothing wrong: the pattern was read."""

    @property
    def in_words(self) -> str:
        return self.rule_in_words

    @property
    def dtype(self) -> str:
        return "str"

    def write_field(self) -> dict[str, Json]:
        """Return the Table Schema entries of unique texts that match a regular expression.

        `self.slots` holds the possible characters at each place of an ID.
        """
        # Of the signs that stand for themselves, only the point means more in an expression.
        classes = {**_CLASSES, ".": "[.]"}
        regex = "".join(classes.get(signs, signs) for signs in self.slots)
        return {"type": "string", "constraints": {"unique": True, "pattern": regex}}


@dataclass(frozen=True, kw_only=True)
class _NumberColumn(Integer):
    kind = "identifier"

    rule_in_words: str

    @property
    def in_words(self) -> str:
        return self.rule_in_words

    def write_field(self) -> dict[str, Json]:
        """Return the Table Schema entries of unique whole numbers between the bounds."""
        field = super().write_field()
        constraints = field["constraints"]
        assert isinstance(constraints, Mapping)
        return {**field, "constraints": {**constraints, "unique": True}}
