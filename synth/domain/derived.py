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
from typing import TYPE_CHECKING, Any, cast

from synth import limits
from synth.domain.column import Column, first_repeat, refuse, refuse_long
from synth.domain.frozen import FrozenMap, freeze_fields, thaw
from synth.domain.listed import Boolean, Categorical
from synth.domain.numbers import Integer, Number
from synth.domain.reading import FormulaValues
from synth.errors import DomainError
from synth.foreign import read_file
from synth.util import Json, check_fields, read_json

if TYPE_CHECKING:
    from synth.domain.formulas import Formula

KEY = "synth:derived"
_RULE_KEYS = {"formula", "lookup", "table", "default", "missing", "taken"}
_TYPES = {"text": "string", "truth": "boolean"}


@dataclass(frozen=True)
class Derived:
    """A column that follows from others; `Domain` sets its name, place and possible values.

    Attributes:
        formula: The rule (`synth.domain.formulas`); empty for a lookup table.
        lookup: The column to look up; empty for a formula.
        table: The value for each looked-up value. In code it may be the path of a CSV file of
            two columns or of a JSON object.
        default: The value for entries that the table lacks.
        missing: Whether the value may be missing: the formula divides by zero, or the table
            lacks an entry. Without it, Synth refuses a declaration in which that may happen.
        description: The column's content in words.
        taken: Whether a look at the rows proposed the rule.
        name: The column's name.
        place: Its position among all columns, from 0.
        expected: Its possible values.

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
    taken: bool = field(default=False, compare=False)
    name: str = ""
    place: int = 0
    expected: FormulaValues = field(default=FormulaValues(kind="text"), compare=False)

    def __post_init__(self) -> None:
        """Read the lookup table if it is a path, and check the rule.

        Raises:
            DomainError: There is no rule or two, or a text or the lookup table is too long.
        """
        if isinstance(self.table, str | Path):
            table = read_lookup(Path(self.table).name, _load_table(self.table))
            object.__setattr__(self, "table", table)
        check_fields(self)
        freeze_fields(self)
        has_formula = bool(self.formula.strip())
        has_lookup = bool(self.lookup)
        if has_formula == has_lookup:  # both, or neither
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
        """Names of the columns that it follows from."""
        return (self.lookup,) if self.lookup else self.tree.names

    @property
    def rule(self) -> str:
        """The rule in words: the formula on one line, or the column that is looked up."""
        if self.formula:
            return " ".join(self.formula.split())
        rule = f"'{self.lookup}' looked up in a table of {len(self.table):,} values"
        return rule if self.default is None else f"{rule}, all else '{self.default}'"

    @property
    def column(self) -> Column:
        """The column that a declaration of its possible values would give.

        A derived column has no cells of its own; this one describes it for exports and
        screens. Texts become categories, truths a boolean, numbers a range.
        """
        values = self.expected
        shared: dict[str, Any] = {"name": self.name, "description": self.description}
        if values.kind == "text":
            return Categorical(categories=values.texts, missing=True, **shared)
        if values.kind == "truth":
            return Boolean(missing=True, **shared)
        # Bounds of real numbers must differ, even if the formula gives a constant.
        shared |= {
            "minimum": _text(values.low),
            "maximum": _text(max(values.high, values.low + 1)),
        }
        return (Integer if values.whole else Number)(missing=True, **shared)

    def write_field(self) -> dict[str, Json]:
        """Return the Table Schema field that declares the column.

        `read_derived` restores an equal column. The type is that of the possible values.
        """
        rule: dict[str, Json] = {"formula": self.formula}
        if self.lookup:
            rule = {"lookup": self.lookup, "table": cast("Json", thaw(self.table))}
        if self.default is not None:
            rule["default"] = self.default
        if self.missing:
            rule["missing"] = True
        if self.taken:
            rule["taken"] = True
        number_type = "integer" if self.expected.whole else "number"
        field: dict[str, Json] = {"name": self.name}
        field["type"] = _TYPES.get(self.expected.kind, number_type)
        if self.description:
            field["description"] = self.description
        return {**field, KEY: rule}


def _text(number: float) -> str:
    return str(int(number)) if float(number).is_integer() else repr(float(number))


def read_derived(declared: Json, position: int) -> Derived:
    """Return the derived column that a Table Schema field declares.

    Args:
        declared: The field, a JSON object with the key ``synth:derived``.
        position: The position of the field among all fields, from 1.

    Raises:
        DomainError: The field has no name, or the rule is wrong.
    """
    assert isinstance(declared, Mapping)
    name = declared.get("name")
    rule = declared[KEY]
    if not isinstance(name, str) or not name.strip():
        refuse(f"Field {position} has no name.")
    where = f"Column '{name.strip()}'"
    if not isinstance(rule, Mapping) or not set(rule) <= _RULE_KEYS:
        refuse(
            f"{where}: '{KEY}' must be an object with a 'formula', or a 'lookup' and a "
            "'table'."
        )
    table = rule.get("table", {})
    truths = [rule.get("missing", False), rule.get("taken", False)]
    default = rule.get("default")
    # Checked together; without a default, an empty text stands in.
    texts = [rule.get("formula", ""), rule.get("lookup", ""), default or ""]
    if not all(isinstance(text, str) for text in texts):
        refuse(f"{where}: the parts of '{KEY}' must be texts, and 'missing' true or false.")
    if not all(isinstance(truth, bool) for truth in truths):
        refuse(f"{where}: 'missing' and 'taken' in '{KEY}' must be true or false.")
    is_missing, is_taken = truths
    if not isinstance(table, Mapping) or not all(
        isinstance(value, str) for value in table.values()
    ):
        refuse(f"{where}: the lookup table must be an object of texts.")
    return Derived(
        formula=cast("str", texts[0]),
        lookup=cast("str", texts[1]),
        table=cast("Mapping[str, str]", table),
        default=cast("str | None", default),
        missing=cast("bool", is_missing),
        taken=cast("bool", is_taken),
        description=str(declared.get("description", "")),
        name=name.strip(),
        place=position - 1,
    )


def read_lookup(name: str, content: bytes) -> dict[str, str]:
    """Read a lookup table: a JSON object of texts, or CSV of two columns with a header.

    Args:
        name: The file's name, for messages.
        content: The bytes of the file.

    Returns:
        The value for each text that may be looked up.

    Raises:
        DomainError: It is neither, or has two entries for one value.
    """
    try:
        text = content.decode("utf-8-sig")
        if text.lstrip().startswith("{"):
            table: dict[str, str] = read_json(
                text, f"The lookup table '{name}'", kind=DomainError
            )
        else:
            table = _pairs(name, list(csv.reader(text.splitlines(), strict=True)))
    except (ValueError, csv.Error):
        refuse(f"The lookup table '{name}' is no CSV file of two columns and no JSON object.")
    if not table or not all(isinstance(value, str) for value in table.values()):
        refuse(
            f"The lookup table '{name}' must have a text for each value, and at least one."
        )
    return table


def _pairs(name: str, rows: list[list[str]]) -> dict[str, str]:
    """Return a lookup table as a mapping of its first column to its second.

    DomainError is raised if a row has not two cells, or if a first cell occurs twice.

    Args:
        name: The file's name, for messages.
        rows: The rows of the CSV file, the header first.
    """
    pairs = [[cell.strip() for cell in row] for row in rows[1:] if any(row)]
    # The header is line 1; 0 stands for no wrong line.
    wrong_line = next((line for line, row in enumerate(pairs, 2) if len(row) != 2), 0)
    if wrong_line:
        refuse(f"The lookup table '{name}' has not two columns in line {wrong_line:,}.")
    if first_repeat(row[0] for row in pairs) is not None:
        refuse(f"The lookup table '{name}' lists a value twice.")
    return dict(cast("list[tuple[str, str]]", pairs))


def _load_table(path: str | Path) -> bytes:
    """Return the bytes of a lookup table; DomainError if unreadable or too large."""
    try:
        content = read_file(path, limits.SCHEMA_MB * 2**20)
    except OSError:
        refuse(f"The lookup table '{Path(path).name}' cannot be read.")
    if len(content) > limits.SCHEMA_MB * 2**20:
        refuse(f"The lookup table '{Path(path).name}' is larger than {limits.SCHEMA_MB} MB.")
    return content


@lru_cache(maxsize=256)
def _parse_formula(formula: str) -> Formula:
    from synth.domain.formulas import parse_formula

    return parse_formula(formula)


def check_derived(
    columns: Sequence[Column], derived: Iterable[Derived]
) -> tuple[Derived, ...]:
    """Return derived columns with their possible values, each after its sources.

    Args:
        columns: The columns with cells.
        derived: The columns that follow from them, or from each other, in any order.

    Raises:
        DomainError: One follows from an unknown column or from itself, gives no value, or may
            fail without ``missing``.
    """
    columns_by_name = {column.name: column for column in columns}
    waiting = list(derived)
    names = columns_by_name.keys() | {rule.name for rule in waiting}
    for rule in waiting:
        for source in rule.sources:
            if source not in names:
                refuse(
                    f"Column '{rule.name}' follows from '{source}', which does not take part."
                )
    values_by_name: dict[str, FormulaValues] = {}
    settled: list[Derived] = []
    # In each round those are settled whose sources all have their values.
    while waiting:
        waiting_names = {rule.name for rule in waiting}
        ready = [rule for rule in waiting if waiting_names.isdisjoint(rule.sources)]
        if not ready:
            # The message names no more than `MAX_KEYS` of them.
            name_list = " and ".join(f"'{rule.name}'" for rule in waiting[: limits.MAX_KEYS])
            refuse(f"Columns follow from themselves in a circle: {name_list}.")
        for rule in ready:
            for name in rule.sources:
                if name not in values_by_name:
                    values_by_name[name] = columns_by_name[name].formula_values
            values_by_name[rule.name] = _values(rule, values_by_name)
            settled_rule = replace(rule, expected=values_by_name[rule.name])
            # This refuses what no column may hold, before anything is spent.
            _ = settled_rule.column
            settled.append(settled_rule)
            waiting.remove(rule)
    return tuple(settled)


def _values(rule: Derived, values_by_name: Mapping[str, FormulaValues]) -> FormulaValues:
    """Return the possible values of a derived column, from those of its sources by name.

    Raises:
        DomainError: The formula makes no sense, gives a date, or may divide by zero though
            the column is not declared as missing then.
    """
    if rule.lookup:
        return _looked_up(rule, values_by_name[rule.lookup])
    from synth.domain.formula_values import may_give

    try:
        values = may_give(rule.tree, values_by_name)
    except DomainError as error:
        refuse(f"Column '{rule.name}': {error}")
    if values.kind == "date":
        refuse(
            f"Column '{rule.name}': the formula gives a date; take its year, month or day."
        )
    if values.may_fail and not rule.missing:
        refuse(
            f"Column '{rule.name}': the formula may divide by zero; narrow the column it "
            "divides by, or declare that the value is missing then."
        )
    return values


def _looked_up(rule: Derived, source: FormulaValues) -> FormulaValues:
    """Return the possible texts of a lookup, by the possible values of its source column.

    Raises:
        DomainError: These are no texts and no whole numbers, are too many, or the table lacks
            one of them and the column has no default and may not be missing.
    """
    if source.kind == "date" or (source.kind == "number" and not source.whole):
        refuse(
            f"Column '{rule.name}' looks up '{rule.lookup}', which is no list and no whole "
            "number."
        )
    # A list or a truth has texts; whole numbers are written out.
    inputs = source.texts
    if source.kind == "number":
        if source.high - source.low > limits.CATEGORIES:
            refuse(f"Column '{rule.name}' looks up more than {limits.CATEGORIES:,} numbers.")
        inputs = tuple(map(str, range(int(source.low), int(source.high) + 1)))
    gaps = [text for text in inputs if text not in rule.table]
    if gaps and rule.default is None and not rule.missing:
        refuse(
            f"Column '{rule.name}': the lookup table lacks {len(gaps):,} of the values that "
            f"'{rule.lookup}' may hold; add them, a default, or declare them missing."
        )
    values = [rule.table[text] for text in inputs if text in rule.table]
    if rule.default is not None:
        values.append(rule.default)
    return FormulaValues(kind="text", texts=tuple(dict.fromkeys(values)))
