"""Columns that follow from others by a public rule: a formula, or a lookup table. PUBLIC.

They are not in the universe and cost nothing: every synthetic row computes their values
(`synth.rows.derive`). A missing input makes the value missing.

>>> from synth import Domain, Integer
>>> from synth.domain.derived import Derived
>>> domain = Domain(
...     age=Integer(18, 97, bins=16), age_group=Derived(formula="bins(age, 30, 65)")
... )
>>> domain.shape, domain.written, domain.derived[0].expected.texts
((16,), ('age', 'age_group'), ('under 30', '30 to 64', '65 and over'))
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from synth import limits
from synth.domain.column import Column, first_repeat, refuse, refuse_long
from synth.domain.formula_values import may_give
from synth.domain.formulas import Formula, parse_formula
from synth.domain.frozen import FrozenMap, freeze_fields, thaw
from synth.domain.listed import Boolean, Categorical
from synth.domain.numbers import Integer, Number
from synth.domain.reading import FormulaValues
from synth.errors import DomainError
from synth.foreign import read_file
from synth.util import Json, check_fields, read_json

KEY = "synth:derived"
_RULE_KEYS = {"formula", "lookup", "table", "default", "missing"}
_TYPES = {"text": "string", "truth": "boolean"}


@dataclass(frozen=True)
class Derived:
    """A column that follows from others; `Domain` sets its name, place and possible values.

    Attributes:
        formula: The rule (`synth.domain.formulas`); empty for a lookup table. lookup: The
        column to look up; empty for a formula. table: The value for each looked-up value. In
        code it may be the path of a CSV file of two
            columns or of a JSON object.
        default: The value for entries that the table lacks. missing: Whether the value may be
        missing: the formula divides by zero, or the table lacks
            an entry. Without it, Synth refuses a declaration in which that may happen.
        place: Its position among all columns, from 0.

    >>> import synth
    >>> age = synth.Integer(18, 97, bins=16)
    >>> synth.Domain(age=age, group=Derived(formula="bins(age, 30, 65)")).written
    ('age', 'group')
    >>> (group,) = synth.Domain(age=age, group=Derived(formula="bins(age, 30, 65)")).derived
    >>> group.rule, group.sources, group.tree.names, group.column.labels
    ('bins(age, 30, 65)', ('age',), ('age',), ('under 30', '30 to 64', '65 and over'))
    >>> group.write_field()["synth:derived"]
    {'formula': 'bins(age, 30, 65)'}
    """

    formula: str = ""
    _: KW_ONLY
    lookup: str = ""
    table: Mapping[str, str] = field(default_factory=FrozenMap)
    default: str | None = None
    missing: bool = False
    description: str = field(default="", compare=False)
    name: str = ""
    place: int = 0
    expected: FormulaValues = field(default=FormulaValues(kind="text"), compare=False)

    def __post_init__(self) -> None:
        if isinstance(self.table, str | Path):
            object.__setattr__(
                self, "table", read_lookup(Path(self.table).name, _bytes(self.table))
            )
        check_fields(self)
        freeze_fields(self)
        if bool(self.formula.strip()) == bool(self.lookup):
            refuse(
                f"{self._place} takes a formula, or the column of a lookup table: one of "
                "them."
            )
        if self.lookup and not self.table:
            refuse(f"{self._place} has an empty lookup table.")
        texts = [*self.table, *self.table.values(), self.default or ""]
        refuse_long(f"{self._place}: a value", texts, limits.VALUE_LENGTH)
        refuse_long(
            f"{self._place}: the description", [self.description], limits.LABEL_LENGTH
        )
        if len(self.table) > limits.CATEGORIES:
            refuse(
                f"{self._place} looks up {len(self.table):,} values; the limit is "
                f"{limits.CATEGORIES:,}."
            )

    @property
    def _place(self) -> str:
        return f"Column '{self.name}'" if self.name else "A derived column"

    @property
    def tree(self) -> Formula:
        """The parsed formula; DomainError if it is none."""
        try:
            return _parse_formula(self.formula)
        except DomainError as error:
            return refuse(f"{self._place}: {error}")

    @property
    def sources(self) -> tuple[str, ...]:
        return (self.lookup,) if self.lookup else self.tree.names

    @property
    def rule(self) -> str:
        if self.formula:
            return " ".join(self.formula.split())
        other = "" if self.default is None else f", all else '{self.default}'"
        return f"'{self.lookup}' looked up in a table of {len(self.table):,} values{other}"

    @property
    def column(self) -> Column:
        held = self.expected
        shared: dict[str, Any] = {"name": self.name, "description": self.description}
        if held.kind == "text":
            return Categorical(categories=held.texts, missing=True, **shared)
        if held.kind == "truth":
            return Boolean(missing=True, **shared)
        shared |= {"minimum": _text(held.low), "maximum": _text(max(held.high, held.low + 1))}
        return (Integer if held.whole else Number)(missing=True, **shared)

    def write_field(self) -> dict[str, Json]:
        kind = self.expected
        number = "integer" if kind.whole else "number"
        rule: dict[str, Json] = {"formula": self.formula}
        if self.lookup:
            rule = {"lookup": self.lookup, "table": cast("Json", thaw(self.table))}
        rule |= {} if self.default is None else {"default": self.default}
        rule |= {"missing": True} if self.missing else {}
        written: dict[str, Json] = {"name": self.name, "type": _TYPES.get(kind.kind, number)}
        return {
            **written,
            **({"description": self.description} if self.description else {}),
            KEY: rule,
        }


def _text(number: float) -> str:
    return str(int(number)) if float(number).is_integer() else repr(float(number))


def read_derived(declared: Json, position: int) -> Derived:
    """Read the derived column that a field declares; DomainError if the rule is wrong."""
    assert isinstance(declared, Mapping)
    name, rule = declared.get("name"), declared[KEY]
    if not isinstance(name, str) or not name.strip():
        refuse(f"Field {position} has no name.")
    where = f"Column '{name.strip()}'"
    if not isinstance(rule, Mapping) or not set(rule) <= _RULE_KEYS:
        refuse(
            f"{where}: '{KEY}' must be an object with a 'formula', or a 'lookup' and a "
            "'table'."
        )
    table, missing, default = (
        rule.get("table", {}),
        rule.get("missing", False),
        rule.get("default"),
    )
    texts = [rule.get("formula", ""), rule.get("lookup", ""), default or ""]
    if not all(isinstance(text, str) for text in texts) or not isinstance(missing, bool):
        refuse(f"{where}: the parts of '{KEY}' must be texts, and 'missing' true or false.")
    if not isinstance(table, Mapping) or not all(isinstance(v, str) for v in table.values()):
        refuse(f"{where}: the lookup table must be an object of texts.")
    return Derived(
        formula=cast("str", texts[0]),
        lookup=cast("str", texts[1]),
        table=cast("Mapping[str, str]", table),
        default=cast("str | None", default),
        missing=missing,
        description=str(declared.get("description", "")),
        name=name.strip(),
        place=position - 1,
    )


def read_lookup(name: str, content: bytes) -> dict[str, str]:
    """Read a lookup table: a JSON object of texts, or a CSV file of two columns with a
    header.

    Raises:
        DomainError: It is neither, or has two entries for one value.
    """
    try:
        text = content.decode("utf-8-sig")
        if text.lstrip().startswith("{"):
            found: dict[str, str] = read_json(
                text, f"The lookup table '{name}'", kind=DomainError
            )
        else:
            found = _pairs(name, list(csv.reader(text.splitlines(), strict=True)))
    except (ValueError, csv.Error):
        refuse(f"The lookup table '{name}' is no CSV file of two columns and no JSON object.")
    if not found or not all(isinstance(value, str) for value in found.values()):
        refuse(
            f"The lookup table '{name}' must have a text for each value, and at least one."
        )
    return found


def _pairs(name: str, rows: list[list[str]]) -> dict[str, str]:
    pairs = [[cell.strip() for cell in row] for row in rows[1:] if any(row)]
    line = next((n for n, row in enumerate(pairs, 2) if len(row) != 2), 0)
    if line:
        refuse(f"The lookup table '{name}' has not two columns in line {line:,}.")
    if first_repeat(row[0] for row in pairs) is not None:
        refuse(f"The lookup table '{name}' lists a value twice.")
    return dict(cast("list[tuple[str, str]]", pairs))


def _bytes(path: str | Path) -> bytes:
    try:
        content = read_file(path, limits.SCHEMA_MB * 2**20)
    except OSError:
        refuse(f"The lookup table '{Path(path).name}' cannot be read.")
    if len(content) > limits.SCHEMA_MB * 2**20:
        refuse(f"The lookup table '{Path(path).name}' is larger than {limits.SCHEMA_MB} MB.")
    return content


@lru_cache(maxsize=256)
def _parse_formula(formula: str) -> Formula:
    return parse_formula(formula)


def check_derived(
    columns: Sequence[Column], derived: Iterable[Derived]
) -> tuple[Derived, ...]:
    """Return derived columns with their possible values, each after those that it follows
    from.

    Raises:
        DomainError: One follows from an unknown column or from itself, gives no value, or may
        fail
            without ``missing``.
    """
    known = {column.name: column for column in columns}
    held: dict[str, FormulaValues] = {}
    waiting = list(derived)
    names = {one.name for one in waiting}
    found: list[Derived] = []
    for one in waiting:
        strange = next(
            (name for name in one.sources if name not in known.keys() | names), None
        )
        if strange is not None:
            refuse(f"Column '{one.name}' follows from '{strange}', which does not take part.")
    while waiting:
        ready = [d for d in waiting if not set(d.sources) & {w.name for w in waiting}]
        if not ready:
            listed = " and ".join(f"'{one.name}'" for one in waiting[: limits.MAX_KEYS])
            refuse(f"Columns follow from themselves in a circle: {listed}.")
        for one in ready:
            held |= {n: known[n].formula_values for n in one.sources if n not in held}
            held[one.name] = _values(one, held)
            found.append(replace(one, expected=held[one.name]))
            _ = found[-1].column  # which refuses what none may hold, before anything is spent
            waiting.remove(one)
    return tuple(found)


def _values(one: Derived, held: Mapping[str, FormulaValues]) -> FormulaValues:
    if one.lookup:
        return _looked_up(one, held[one.lookup])
    try:
        values = may_give(one.tree, held)
    except DomainError as error:
        refuse(f"Column '{one.name}': {error}")
    if values.kind == "date":
        refuse(f"Column '{one.name}': the formula gives a date; take its year, month or day.")
    if values.may_fail and not one.missing:
        refuse(
            f"Column '{one.name}': the formula may divide by zero; narrow the column it "
            "divides by, or declare that the value is missing then."
        )
    return values


def _looked_up(one: Derived, source: FormulaValues) -> FormulaValues:
    if source.kind == "date" or (source.kind == "number" and not source.whole):
        refuse(
            f"Column '{one.name}' looks up '{one.lookup}', which is no list and no whole "
            "number."
        )
    may = source.texts
    if source.kind == "number":
        if source.high - source.low > limits.CATEGORIES:
            refuse(f"Column '{one.name}' looks up more than {limits.CATEGORIES:,} numbers.")
        may = tuple(map(str, range(int(source.low), int(source.high) + 1)))
    gaps = [text for text in may if text not in one.table]
    if gaps and one.default is None and not one.missing:
        refuse(
            f"Column '{one.name}': the lookup table lacks {len(gaps):,} of the values that "
            f"'{one.lookup}' may hold; add them, a default, or declare them missing."
        )
    given = [one.table[text] for text in may if text in one.table]
    given += [one.default] if one.default is not None else []
    return FormulaValues(kind="text", texts=tuple(dict.fromkeys(given)))
