"""What the steward has chosen so far: one frozen draft, free of any screen.

The declaration is kept as fields of a Table Schema, so an import, the editor and an export are
the same thing, and every error is the sentence that `synth.schemas` finds for it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from pages.ui.words import typed
from synth import limits
from synth.budget import plain
from synth.domain import DECLARED, Column, Domain
from synth.errors import DomainError, SynthError
from synth.pipeline import Result
from synth.plan import HISTOGRAMS, Method, Plan
from synth.privacy import Neighbors, Unit, parse_epsilon, parse_rational
from synth.repair import Repair
from synth.schemas import read_schema, write_schema
from synth.table import PrivateTable

Field = Mapping[str, Any]

KINDS = {
    "categorical": "string",
    "boolean": "boolean",
    "integer": "integer",
    "number": "number",
    "date": "date",
    "date and time": "datetime",
}
"""Kinds as the editor names them, and their Table Schema types."""


@dataclass(frozen=True)
class Source:
    """The confidential table, by the steward's name for it.

    ``mark`` is its keyed digest in the ledger; empty where there is no ledger to know it.
    """

    title: str
    table: PrivateTable
    simulated: bool = False
    mark: str = ""


@dataclass(frozen=True, eq=False)
class Release:
    """A release that was paid for. Its result and files are public, its comparison is not.

    One that was opened from a bundle has no source until its table is chosen.
    """

    source: Source | None
    plan: Plan
    result: Result
    files: Mapping[str, Path]
    comparison: Any = None
    opened: bool = False

    @property
    def epsilon(self) -> str:
        """What was paid, as people write it."""
        return plain(self.plan.epsilon)

    @property
    def title(self) -> str:
        """How the release is listed."""
        opened = ", opened from a bundle" if self.opened else ""
        return f"{self.plan.dataset}, epsilon {self.epsilon}{opened}"

    def follows(self, plan: Plan) -> bool:
        """Whether it is of this plan; its table may have had another name elsewhere."""
        return replace(self.plan, dataset=plan.dataset) == plan


@dataclass(frozen=True, eq=False)
class Draft:
    """All choices of one session.

    Attributes:
        source: The confidential table.
        fields: Its declaration, one Table Schema field a column.
        missing_values: Spellings that stand for a missing value.
        origin: Where the declaration comes from.
        left_out: Declared columns that take no part.
        open_column: The column shown in the editor.
        about_rows: The steward's own figure for the number of rows; 0 where none was given.
        epsilon: As typed.
        neighbors: The relation of the guarantee.
        repair: How negative counts are repaired.
        method: How the table is modelled.
        delta: Text of delta; empty for pure epsilon.
        groups: Names of the columns of each group, for the method that takes groups.
        rules: What cannot be, as `synth.models.rules` reads it; None for no rules.
        person: The column that says whose row it is; empty where each row is a person.
        max_rows: Most rows of one person that are used.
        max_model_mb: Most memory for the tables of a model.
        rows: Synthetic rows wanted; 0 for as many as the table's.
        budget: The most that may ever be spent on a table that has no budget yet.
        releases: What was paid for, oldest first.
    """

    source: Source | None = None
    fields: tuple[Field, ...] = ()
    missing_values: tuple[str, ...] = ("",)
    origin: str = DECLARED
    left_out: frozenset[str] = frozenset()
    open_column: str = ""
    about_rows: int = 0
    epsilon: str = "1"
    neighbors: Neighbors = Neighbors.REPLACE_ONE
    repair: Repair = Repair.AUTO
    method: Method = Method.AUTO
    delta: str = ""
    groups: tuple[tuple[str, ...], ...] = ()
    rules: Any = None
    person: str = ""
    max_rows: int = 1
    max_model_mb: int = Plan.max_model_mb
    rows: int = 0
    budget: str = "3"
    releases: tuple[Release, ...] = field(default=(), repr=False)

    @cached_property
    def columns(self) -> dict[str, Column | DomainError]:
        """Every column by name: as declared, or what is wrong with its declaration."""
        return {f["name"]: declared(f) for f in self.fields}

    @cached_property
    def chosen(self) -> tuple[str, ...]:
        """Names of the columns that are declared and take part."""
        good = (n for n, column in self.columns.items() if isinstance(column, Column))
        return tuple(name for name in good if name not in self.left_out)

    @cached_property
    def domain(self) -> Domain | None:
        """The declared columns that take part; None while there are none."""
        columns = [c for n in self.chosen if isinstance(c := self.columns[n], Column)]
        return Domain(tuple(columns), self.missing_values, self.origin) if columns else None

    @property
    def declared(self) -> Domain:
        """All columns that are declared, taking part or not; there must be one."""
        columns = [c for c in self.columns.values() if isinstance(c, Column)]
        return Domain(tuple(columns), self.missing_values, self.origin)

    @property
    def release(self) -> Release | None:
        """The latest release of the table at hand."""
        return next((r for r in reversed(self.releases) if r.source is self.source), None)

    @property
    def repeated(self) -> Release | None:
        """The release of this very plan, if it was made already."""
        plan = self.plan()
        mine = (r for r in reversed(self.releases) if r.source is self.source)
        return next((r for r in mine if r.follows(plan)), None)

    @property
    def waiting(self) -> Release | None:
        """The release of a bundle that was opened, while its table is not chosen."""
        return next((r for r in reversed(self.releases) if r.source is None), None)

    def differs_in_epsilon_only(self, other: "Draft") -> bool:
        """Whether another draft has the same choices but for epsilon."""
        names = (f.name for f in fields(self) if f.name != "epsilon")
        return all(getattr(self, name) == getattr(other, name) for name in names)

    def follows_plan(self, release: Release) -> bool:
        """Whether a release is of the plan as it stands."""
        try:
            return release.follows(self.plan())
        except SynthError:
            return False

    def plan(self) -> Plan:
        """The plan as it stands.

        Raises:
            SynthError: Something is missing or wrong.
        """
        if self.source is None or self.domain is None:
            message = "Declare at least one column first."
            raise DomainError(message)
        plan = Plan(
            domain=self.domain,
            epsilon=parse_epsilon(self.epsilon),
            neighbors=self.neighbors,
            repair=self.repair,
            method=self.method,
            delta=parse_rational(
                "0" if self.method in HISTOGRAMS else self.delta or "0", name="delta"
            ),
            groups=self.groups if self.method is Method.GROUPS else (),
            rules=self.rules,
            unit=Unit(self.person, self.max_rows),
            max_model_mb=min(self.max_model_mb, limits.memory_mb()),
            rows=self.rows or None,
            dataset=self.source.title,
        )
        plan.check_size()
        return plan

    def field_of(self, name: str) -> Field:
        """The field of one column."""
        return next(f for f in self.fields if f["name"] == name)

    def with_field(self, name: str, new: Field) -> "Draft":
        """The draft with one column declared anew."""
        fields = tuple(new if f["name"] == name else f for f in self.fields)
        return replace(self, fields=fields)

    def with_declaration(self, document: Mapping[str, Any] | bytes) -> "Draft":
        """The draft with a Table Schema imported: columns of the table keep the table's order.

        Raises:
            SynthError: It is no valid declaration, or none of its columns is in the table.
        """
        domain = read_schema(document)
        imported = {f["name"]: f for f in write_schema(domain)["fields"]}
        header = self.source.table.header if self.source else ()
        if header and not set(header) & set(imported):
            message = "None of the columns of this declaration is in the table."
            raise DomainError(message)
        fields = [imported.pop(name, {"name": name}) for name in dict.fromkeys(header)]
        return replace(
            self,
            fields=tuple([*fields, *imported.values()]),
            missing_values=domain.missing_values,
            origin=domain.origin,
            left_out=frozenset(),
            open_column="",
        )

    def with_plan(self, plan: Mapping[str, Any]) -> "Draft":
        """The draft with a plan's declaration and choices.

        Raises:
            SynthError: It is no plan, or none of its columns is in the table.
        """
        content = Plan.from_json(dict(plan))
        drafted = self.with_declaration(write_schema(content.domain))
        return replace(
            drafted,
            epsilon=plain(content.epsilon),
            neighbors=content.neighbors,
            repair=content.repair,
            method=content.method,
            delta=typed(content.delta) if content.delta else "",
            groups=content.groups,
            rules=content.rules,
            person=content.unit.person,
            max_rows=content.unit.max_rows,
            max_model_mb=content.max_model_mb,
            rows=content.rows or 0,
        )

    def absent(self) -> list[str]:
        """Names of declared columns that the table does not have."""
        header = self.source.table.header if self.source else ()
        return [f["name"] for f in self.fields if f["name"] not in header]

    def known_as(self, source: Source) -> "Draft":
        """The draft with more known about the table at hand."""
        mine = (replace(r, source=source) if r.source is self.source else r for r in self.releases)
        return replace(self, source=source, releases=tuple(mine))

    def with_release(self, opened: Release) -> "Draft":
        """The draft with the release of a bundle, and its declaration and plan.

        A table at hand that lacks a column of it is put aside.
        """
        source = None if self.source is None or _lacks(self.source, opened) else self.source
        drafted = replace(self, source=source).with_plan(opened.plan.to_json())
        return replace(drafted, releases=(*self.releases, replace(opened, source=source)))


def start(source: Source, before: Draft) -> Draft:
    """A draft for a new table: the header gives the names, and nothing else is filled in.

    A table with the very same header keeps the declaration: it is a new export of the old one.
    A release opened from a bundle waits for a table that has all its columns.
    """
    kept = {"epsilon": before.epsilon, "neighbors": before.neighbors, "releases": before.releases}
    old, waiting = before.source, before.waiting
    if waiting is not None and not source.simulated and not _lacks(source, waiting):
        others = tuple(r for r in before.releases if r is not waiting)
        return replace(before, source=source, releases=others).with_release(waiting)
    if old is not None and not old.simulated and old.table.header == source.table.header:
        return replace(before, source=source)
    names = dict.fromkeys(name for name in source.table.header if name)
    return Draft(source=source, fields=tuple({"name": name} for name in names), **kept)


def _lacks(source: Source, release: Release) -> bool:
    """Whether the table has not all columns that the release is of."""
    person = {release.plan.unit.person} - {""}
    return not {*release.plan.domain.names, *person} <= set(source.table.header)


def declared(new: Field) -> Column | DomainError:
    """The column that a field declares, or what is wrong with it."""
    if "type" not in new:
        return DomainError(f"Column '{new['name']}' is not declared yet.")
    try:
        return read_schema({"fields": [new]}).columns[0]
    except DomainError as error:
        return error


def kind_of(new: Field) -> str | None:
    """The editor's name for the kind of a field; None while it has none."""
    if "type" not in new:
        return None
    if "enum" in new.get("constraints", {}):
        return "categorical"
    return next(kind for kind, name in KINDS.items() if name == new["type"])


def with_kind(new: Field, kind: str | None) -> Field:
    """The field with another kind; bounds survive between integer and number only."""
    base = {key: new[key] for key in ("name", "description") if key in new}
    if kind is None:
        return base
    old = new.get("constraints", {})
    constraints = {"required": old.get("required", False)}
    if {new.get("type"), KINDS[kind]} <= {"integer", "number"}:
        constraints |= {k: old[k] for k in ("minimum", "maximum") if k in old}
    if kind == "categorical":
        constraints["enum"] = []
    return {**base, "type": KINDS[kind], "constraints": constraints}


def with_key(new: Field, key: str, value: Any) -> Field:
    """The field with a property set, or removed where the value is empty."""
    rest = {k: v for k, v in new.items() if k != key}
    return rest if value in ("", None, [], ()) else {**rest, key: value}


def with_constraint(new: Field, key: str, value: Any) -> Field:
    """The field with a constraint set, or removed where the value is empty."""
    rest = {k: v for k, v in new.get("constraints", {}).items() if k != key}
    if value not in ("", None):
        rest[key] = value
    return {**new, "constraints": rest}


def listed(text: str) -> list[str]:
    """Items of a pasted list: one a line, or on one line between commas or semicolons.

    >>> listed("a\\n b, c\\n\\na")
    ['a', 'b, c', 'a']
    >>> listed("a; b; c")
    ['a', 'b', 'c']
    """
    lines = text.splitlines()
    if len(lines) == 1:
        lines = text.replace(";", ",").split(",")
    return [line.strip() for line in lines if line.strip()]


def why_locked(draft: Draft, step: str) -> str | None:
    """Why a step cannot be used yet, in one sentence; None where it can."""
    if step in ("data", "learn"):
        return None
    if step == "download" and draft.releases:
        return None
    if draft.source is None:
        return "Choose a table in the step Data first."
    if step == "domain":
        return None
    if draft.domain is None:
        return "Declare at least one column in the step Domain first."
    try:
        if step == "release":
            draft.plan()
    except SynthError as error:
        return str(error)
    if step in ("compare", "download") and draft.release is None:
        return "Make a release first; there is nothing to show yet."
    return None


def escaped(text: str) -> str:
    """A text as it is, where Markdown is expected: a column may be called ``*`` or ``:red[x]``.

    >>> escaped("a_b*")
    'a\\\\_b\\\\*'
    """
    return re.sub(r"([\\`*_{}\[\]()<>#+!|$~:-])", r"\\\1", text)


def counted(number: int, thing: str) -> str:
    """How many: 1 column, 2 columns."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def short(number: int) -> str:
    """A count for people: 24,192 or about 10^19."""
    return f"{number:,}" if number < 10**15 else f"about 10^{len(str(number)) - 1}"
