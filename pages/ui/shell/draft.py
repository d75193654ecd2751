"""The steward's choices so far: one frozen draft without any screen.

The declaration is a list of Table Schema fields: import, editor and export share one form.
`synth.domain.table_schema` writes every error message.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import combinations
from typing import Any

from pages.ui.shell.ask_choices import Choices
from pages.ui.shell.declaration import (
    Field,
    derive_columns,
    is_text,
    read_column,
    read_declaration,
)
from pages.ui.shell.job import Answered
from pages.ui.shell.release import Release, Source
from pages.ui.shell.words import type_delta
from synth import limits
from synth.domain import (
    DECLARED,
    DRAFTED,
    ID_KEY,
    LOOKED_UP,
    Column,
    Derived,
    Domain,
    FrozenMap,
    Identifier,
    find_misfit,
    has_offsets,
    read_identifier,
    thaw,
    write_schema,
)
from synth.errors import DomainError, SynthError
from synth.estimate import (
    AUTO_SUMS,
    MEANS,
    PAIRS,
    RECIPES,
    DraftColumn,
    Drafted,
    Favour,
    Preparation,
    PublicTable,
    Repair,
    Review,
)
from synth.plans import KnownTable, Method, Plan
from synth.privacy import Neighbors, Unit, parse_epsilon, parse_rational, plain

# A field, and its column or fault.
Read = tuple[Field, Column | DomainError]

AS_IN_PLAN = (
    "neighbors",
    "repair",
    "method",
    "groups",
    "rules",
    "max_model_mb",
    "favour",
    "predict",
    "moments",
)


@dataclass(frozen=True, eq=False, kw_only=True)
class Draft:
    """All choices of one session.

    Attributes:
        fields: One Table Schema field per declared column.
        derived: Fields of derived columns and of IDs, each with its ``place``.
        drafts: Paid drafts, as `synth.estimate.noisy.preparations` writes them.
        looked: Whether the steward looked at exact numbers of rows that fit.
        vouched: Whether the steward vouches that values from the rows are public.
        fit_shares: The digest of the declaration of a look, and its result. PRIVATE.
        left_out, kept: Columns that take no part, and those kept in spite of a remark.
        look, look_remarks: Results of a look at the rows, by column and for all. PRIVATE.
        about_rows: The number of rows that the steward typed; 0 for none.
        epsilon, delta: As typed; no delta for pure epsilon.
        rules: Impossible combinations, as `synth.estimate.models.rules` reads them.
        person, max_rows: The column that identifies persons, and most used rows of one.
        favour: The aim of fitting rows to pairs: counts or correlations.
        rows: The number of synthetic rows; 0 for that of the table.
        budget: The total budget of a dataset that has none yet.
        releases, answers: The paid ones, oldest first.
        project: Its identifier; empty before a table is chosen.
        expected: The table that a reopened project waits for.
    """

    source: Source | None = None
    fields: tuple[Field, ...] = ()
    derived: tuple[Field, ...] = ()
    missing_values: tuple[str, ...] = ("",)
    origin: str = DECLARED
    drafts: tuple[Mapping[str, Any], ...] = ()
    looked: bool = False
    vouched: bool = False
    checks: tuple[Preparation, ...] = ()
    fit_shares: Any = field(default=None, repr=False)
    notes: tuple[str, ...] = ()
    left_out: frozenset[str] = frozenset()
    kept: frozenset[str] = frozenset()
    look: Mapping[str, DraftColumn] = field(default_factory=FrozenMap, repr=False)
    look_remarks: tuple[str, ...] = field(default=(), repr=False)
    open_column: str = ""
    about_rows: int = 0
    epsilon: str = "1"
    neighbors: Neighbors = Neighbors.REPLACE_ONE
    repair: str = Repair.AUTO
    method: str = Method.AUTO
    delta: str = ""
    groups: tuple[tuple[str, ...], ...] = ()
    rules: Any = None
    public: PublicTable | None = field(default=None, repr=False)
    person: str = ""
    max_rows: int = 1
    max_model_mb: int = Plan.max_model_mb
    favour: Favour = Favour.ERRORS
    predict: str = ""
    moments: tuple[str, ...] = (AUTO_SUMS,)
    rows: int = 0
    budget: str = "3"
    releases: tuple[Release, ...] = field(default=(), repr=False)
    asking: Choices = field(default_factory=Choices)
    answers: tuple[Answered, ...] = field(default=(), repr=False)
    known: Mapping[str, Read] = field(default_factory=FrozenMap, repr=False, compare=False)
    project: str = ""
    expected: KnownTable | None = None

    @cached_property
    def columns(self) -> dict[str, Column | DomainError]:
        return {name: column for name, (_, column) in self._read.items()}

    @cached_property
    def _read(self) -> Mapping[str, Read]:
        found = {}
        for new in self.fields:
            known = self.known.get(new["name"])
            found[new["name"]] = (
                known if known and known[0] is new else (new, read_column(new))
            )
        return found

    @cached_property
    def chosen_names(self) -> tuple[str, ...]:
        """Columns that are declared, in the table, and take part."""
        good = (n for n, column in self.columns.items() if isinstance(column, Column))
        out = self.left_out | (set(self.absent()) if self.source else set())
        return tuple(name for name in good if name not in out)

    @cached_property
    def domain(self) -> Domain | None:
        columns = [c for n in self.chosen_names if isinstance(c := self.columns[n], Column)]
        if not columns:
            return None
        return self._declare(columns, self.derived_columns[0], self.identifiers)

    @cached_property
    def derived_columns(self) -> tuple[tuple[Derived, ...], dict[str, str]]:
        columns = tuple(
            c for n in self.chosen_names if isinstance(c := self.columns[n], Column)
        )
        return derive_columns(columns, self.derived)

    @cached_property
    def identifiers(self) -> tuple[Identifier, ...]:
        fields = (new for new in self.derived if ID_KEY in new)
        found = (read_identifier(new, int(new["place"]) + 1) for new in fields)
        return tuple(one for one in found if one.name not in self.chosen_names)

    def _declare(
        self,
        columns: Iterable[Column],
        derived: Iterable[Derived] = (),
        identifiers: Iterable[Identifier] = (),
    ) -> Domain:
        return Domain(
            tuple(columns),
            self.missing_values,
            origin=self.origin,
            drafts=self.drafts,
            looked=self.looked,
            vouched=self.vouched,
            derived=derived,
            identifiers=identifiers,
        )

    @property
    def declared_domain(self) -> Domain:
        return self._declare([c for c in self.columns.values() if isinstance(c, Column)])

    @property
    def unit(self) -> Unit:
        return Unit(self.person, self.max_rows)

    @property
    def is_counted(self) -> bool:
        shared = self.unit.shares_rows(self.neighbors)
        return self.source is not None and bool(self.source.rows) and shared

    @property
    def table_rows(self) -> int:
        """Rows of the table: counted if that is public, otherwise as typed; 0 if unknown."""
        return self.source.rows if self.source and self.is_counted else self.about_rows

    @property
    def to_review(self) -> tuple[str, ...]:
        if self.origin != LOOKED_UP or self.vouched:
            return ()
        seen = tuple(name for name in self.chosen_names if name in self.look)
        return seen or self.chosen_names

    @property
    def guesses(self) -> bool:
        if self.public is None or not RECIPES[self.method].takes_guess:
            return False
        domain = self.domain
        return domain is not None and self.public.domain.columns == domain.columns

    @property
    def predictable(self) -> tuple[str, ...]:
        measured = RECIPES[self.method].settles and not self.guesses
        return self.chosen_names if measured else ()

    @property
    def moment_terms(self) -> tuple[str, ...]:
        domain = self.domain
        if domain is None:
            return ()
        wide = {name for i, name in enumerate(domain.names) if has_offsets(domain, i)}
        pairs = (f"{a}*{b}" for a, b in combinations(domain.names, 2) if {a, b} & wide)
        alone = (name for name in domain.names if name in wide)
        return (AUTO_SUMS, MEANS, PAIRS, *alone, *pairs) if wide else ()

    @property
    def release(self) -> Release | None:
        return next((r for r in reversed(self.releases) if r.source is self.source), None)

    @property
    def earlier_release(self) -> Release | None:
        plan = self.plan()
        mine = (r for r in reversed(self.releases) if r.source is self.source)
        return next((r for r in mine if r.follows(plan)), None)

    @cached_property
    def askable(self) -> Domain:
        absent = set(self.absent())
        there = {
            n: c for n, c in self.columns.items() if isinstance(c, Column) and n not in absent
        }
        return self._declare(there.values())

    @property
    def waiting(self) -> Release | None:
        return next((r for r in reversed(self.releases) if r.source is None), None)

    def differs_in_epsilon_only(self, other: "Draft") -> bool:
        names = (f.name for f in fields(self) if f.compare and f.name != "epsilon")
        return all(getattr(self, name) == getattr(other, name) for name in names)

    def follows_plan(self, release: Release) -> bool:
        try:
            return release.follows(self.plan())
        except SynthError:
            return False

    def plan(self) -> Plan:
        if self.source is None or self.domain is None:
            raise DomainError("Declare at least one column first.")
        plan = Plan(
            domain=self.domain,
            epsilon=parse_epsilon(self.epsilon),
            neighbors=self.neighbors,
            repair=self.repair,
            method=self.method,
            delta=parse_rational(
                self.delta or "0" if RECIPES[self.method].by_model else "0", name="delta"
            ),
            groups=self.groups if RECIPES[self.method].takes_groups else (),
            rules=self.rules,
            public=self.public.source if self.public and self.guesses else None,
            unit=self.unit,
            max_model_mb=min(self.max_model_mb, limits.memory_mb()),
            favour=self.favour if RECIPES[self.method].settles else Favour.ERRORS,
            predict=self.predict if self.predict in self.predictable else "",
            moments=tuple(term for term in self.moments if term in self.moment_terms),
            rows=self.rows or None,
            dataset=self.source.dataset,
            reading=self.source.table.reading,
        )
        plan.check_size()
        return plan

    def field_of(self, name: str) -> Field:
        return next(f for f in self.fields if f["name"] == name)

    def change(self, **choices: Any) -> "Draft":
        """Replace some choices; unchanged columns are not parsed again."""
        return replace(self, known=self._read, **choices)

    def with_field(self, name: str, new: Field) -> "Draft":
        return self.with_fields({name: new})

    def with_fields(self, new: Mapping[str, Field]) -> "Draft":
        return self.change(fields=tuple(new.get(f["name"], f) for f in self.fields))

    @cached_property
    def remarks(self) -> dict[str, str]:
        found = {
            f["name"]: find_misfit(
                f["name"],
                column if isinstance(column := self.columns[f["name"]], Column) else None,
                rows=self.table_rows,
                text=is_text(f),
            )
            for f in self.fields
        }
        return {name: remark for name, remark in found.items() if remark}

    def with_declaration(self, document: Mapping[str, Any] | bytes) -> "Draft":
        """Take over an imported Table Schema, in the order of the table.

        Raises:
            SynthError: The declaration is invalid, or has no column of the table.
        """
        imported = read_declaration(document)
        header = dict.fromkeys(self.source.table.header if self.source else ())
        if header and not set(header) & set(imported.fields):
            raise DomainError("None of the columns of this declaration is in the table.")
        rest = [new for name, new in imported.fields.items() if name not in header]
        fields = [imported.fields.get(name, {"name": name}) for name in header if name]
        drawn = frozenset(str(new["name"]) for new in imported.derived if ID_KEY in new)
        return replace(
            self,
            fields=tuple([*fields, *rest]),
            derived=imported.derived,
            missing_values=imported.missing_values,
            origin=imported.origin,
            drafts=imported.drafts,
            looked=self.looked or imported.looked,
            vouched=imported.vouched,
            notes=(*imported.notes, *_strangers(header, imported.fields, drawn)),
            left_out=drawn,
            look=FrozenMap(),
            look_remarks=(),
            open_column="",
        )

    def with_look(
        self,
        columns: Iterable[DraftColumn],
        missing_values: tuple[str, ...] = (),
        remarks: tuple[str, ...] = (),
    ) -> "Draft":
        """Fill in columns from the private rows, with the stamp that says so if any are."""
        found = tuple(columns)
        is_taken = any(one.left_out or "type" in one.field for one in found)
        return replace(
            self.with_fields({one.name: one.field for one in found}),
            origin=LOOKED_UP if is_taken else self.origin,
            vouched=self.vouched and not is_taken,
            notes=(),
            look=FrozenMap({**self.look, **{one.name: one for one in found}}),
            look_remarks=remarks,
            left_out=self.left_out | {one.name for one in found if one.left_out},
            missing_values=missing_values or self.missing_values,
        )

    def list_reviews(self, review: Review) -> list[DraftColumn]:
        fields = {f["name"]: f for f in self.fields}
        return [
            one
            for name, one in self.look.items()
            if one.review is review
            and fields.get(name) == one.field
            and (name in self.left_out or not one.left_out)
        ]

    def decide(self, name: str, *, takes_part: bool) -> "Draft":
        decided = replace(self.look[name], review=None)
        left_out = self.left_out - {name} if takes_part else self.left_out | {name}
        return self.change(look=FrozenMap({**self.look, name: decided}), left_out=left_out)

    def with_guaranteed(self, made: Drafted) -> "Draft":
        filled = self.with_fields({one.name: dict(one.field) for one in made.settled})
        missing = dict.fromkeys((*self.missing_values, *made.missing))
        opened = [f"Column '{name}' stays open: {said}." for name, said in made.open.items()]
        cost = made.preparation.to_json()
        return replace(
            filled,
            missing_values=tuple(missing),
            origin=DRAFTED if self.origin == DECLARED else self.origin,
            drafts=self.drafts if cost in map(thaw, self.drafts) else (*self.drafts, cost),
            notes=tuple(opened),
        )

    def undeclared_names(self) -> list[str]:
        return [f["name"] for f in self.fields if "type" not in f]

    def with_plan(self, plan: Mapping[str, Any]) -> "Draft":
        """Take over a plan's declaration and choices.

        Raises:
            SynthError: It is not a plan, or has no column of the table.
        """
        content = Plan.from_json(dict(plan))
        drafted = self.with_declaration(write_schema(content.domain))
        return replace(
            drafted,
            epsilon=plain(content.epsilon),
            delta=type_delta(content.delta) if content.delta else "",
            person=content.unit.person,
            max_rows=content.unit.max_rows,
            rows=content.rows or 0,
            **{name: getattr(content, name) for name in AS_IN_PLAN},
        )

    def absent(self) -> list[str]:
        header = self.source.table.header if self.source else ()
        return [f["name"] for f in self.fields if f["name"] not in header]

    def known_as(self, source: Source) -> "Draft":
        mine = (
            replace(r, source=source) if r.source is self.source else r for r in self.releases
        )
        told = (
            replace(a, source=source) if a.source is self.source else a for a in self.answers
        )
        return replace(self, source=source, releases=tuple(mine), answers=tuple(told))

    def with_release(self, opened: Release) -> "Draft":
        """A current table without one of the bundle's columns is removed."""
        source = None if self.source is None or _lacks(self.source, opened) else self.source
        drafted = replace(self, source=source).with_plan(opened.plan.to_json())
        return replace(drafted, releases=(*self.releases, replace(opened, source=source)))


def _strangers(
    header: Iterable[str], declaration: Iterable[str], drawn: Collection[str]
) -> list[str]:
    table, said = dict.fromkeys(header), dict.fromkeys(declaration)
    undeclared = [name for name in table if name and name not in said and name not in drawn]
    absent = [name for name in said if name not in table] if table else []
    notes = []
    if undeclared:
        notes.append(f"In the table and not in the declaration: {', '.join(undeclared)}.")
    if absent:
        notes.append(f"In the declaration and not in the table: {', '.join(absent)}.")
    return notes


def start(source: Source, before: Draft) -> Draft:
    """A table with the same header keeps the declaration. A release from a bundle waits for a
    table with all its columns."""
    old, waiting = before.source, before.waiting
    if waiting is not None and not source.simulated and not _lacks(source, waiting):
        others = tuple(r for r in before.releases if r is not waiting)
        return replace(before, source=source, releases=others).with_release(waiting)
    if old is not None and not old.simulated and old.table.header == source.table.header:
        return replace(before, source=source)
    if _is_expected(source, before.expected):
        return replace(before, source=source, expected=None)
    names = dict.fromkeys(name for name in source.table.header if name)
    return Draft(
        source=source,
        fields=tuple({"name": name} for name in names),
        epsilon=before.epsilon,
        neighbors=before.neighbors,
        releases=before.releases,
    )


def _is_expected(source: Source, table: KnownTable | None) -> bool:
    return (
        table is not None
        and table.simulated == source.simulated
        and table.header == tuple(source.table.header)
    )


def _lacks(source: Source, release: Release) -> bool:
    person = {release.plan.unit.person} - {""}
    return not {*release.plan.domain.names, *person} <= set(source.table.header)


def why_locked(draft: Draft, step: str) -> str | None:
    if step in ("data", "learn"):
        return None
    if step == "download" and draft.releases:
        return None
    if draft.source is None and draft.expected is not None:
        return (
            f"Choose the table of the project, '{draft.expected.title}', in the step Data "
            "first."
        )
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
