"""The declared columns of a session's draft: the choices of the steps Data and Domain.

The declaration is a list of Table Schema fields: import, editor and export share one form.
`synth.domain.table_schema` writes every error message.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

from pages.ui.shell.declaration import (
    ANNOTATIONS,
    Field,
    derive_columns,
    find_gap,
    read_column,
)
from pages.ui.shell.release import Source
from synth.domain import (
    DECLARED,
    ID_KEY,
    NO_DECISIONS,
    NOT_CHOSEN,
    Column,
    Decisions,
    Derived,
    Domain,
    FrozenMap,
    Identifier,
    read_identifier,
    thaw,
)
from synth.errors import DomainError

# A field, and its column or fault.
Parsed = tuple[Field, Column | DomainError]


@dataclass(frozen=True, eq=False, kw_only=True)
class DeclaredColumns:
    """The columns that a steward declares, and the table they are of.

    Attributes:
        source: The confidential table. PRIVATE.
        fields: One Table Schema field per declared column.
        derived: Fields of derived columns and of IDs, each with its ``place``.
        missing_values: Spellings of a missing value.
        origin: Where the declaration comes from.
        drafts: Paid drafts, as `synth.door.preparations` writes them.
        looked: Whether the steward looked at exact numbers of rows that fit.
        vouched: Whether the steward vouches that values from the rows are public.
        notes: Sentences on gaps of an imported declaration.
        left_out: Columns that take no part.
        decisions: Why the declaration leaves columns out, and what it lets columns lose.
        withheld: Left-out columns that public files do not name.
        person: The column that identifies persons; empty if each row is one.
        parsed: Fields with their columns, so that unchanged ones are not parsed again.
    """

    source: Source | None = None
    fields: tuple[Field, ...] = ()
    derived: tuple[Field, ...] = ()
    missing_values: tuple[str, ...] = ("",)
    origin: str = DECLARED
    drafts: tuple[Mapping[str, Any], ...] = ()
    looked: bool = False
    vouched: bool = False
    notes: tuple[str, ...] = ()
    left_out: frozenset[str] = frozenset()
    decisions: Decisions = NO_DECISIONS
    withheld: frozenset[str] = frozenset()
    person: str = ""
    parsed: Mapping[str, Parsed] = field(default_factory=FrozenMap, repr=False, compare=False)

    @cached_property
    def columns(self) -> dict[str, Column | DomainError]:
        """Return the column of every field, or its fault, by name."""
        return {name: column for name, (_, column) in self._parsed_fields.items()}

    @cached_property
    def _parsed_fields(self) -> Mapping[str, Parsed]:
        """The field of each column with its column or fault, by name.

        Fields that are the same objects as in the draft before are not read again.
        """
        parsed_fields = {}
        for new in self.fields:
            parsed = self.parsed.get(new["name"])  # the field before, and its column
            if parsed is None or parsed[0] is not new:
                parsed = (new, read_column(new))
            parsed_fields[new["name"]] = parsed
        return parsed_fields

    @cached_property
    def chosen_names(self) -> tuple[str, ...]:
        """Return the names of the columns that take part in the synthetic table.

        They are declared without errors, are in the table, and were not left out.
        """
        declared_names = (
            n for n, column in self.columns.items() if isinstance(column, Column)
        )
        excluded_names = set(self.left_out)
        if self.source:
            excluded_names.update(self.absent())
        return tuple(name for name in declared_names if name not in excluded_names)

    @cached_property
    def domain(self) -> Domain | None:
        """Return the declared columns that take part in the release; None without any.

        It includes derived columns and columns of IDs.
        """
        columns = self.chosen_columns
        if not columns:
            return None
        derived, _faults = self.derived_columns
        return self._declare(columns, derived, self.identifiers)

    @property
    def chosen_columns(self) -> tuple[Column, ...]:
        """Return the columns that take part in the synthetic table, in order."""
        columns = (self.columns[name] for name in self.chosen_names)
        return tuple(column for column in columns if isinstance(column, Column))

    @cached_property
    def derived_columns(self) -> tuple[tuple[Derived, ...], dict[str, str]]:
        """Return the derived columns, and the faults of wrong ones as sentences by name."""
        return derive_columns(self.chosen_columns, self.derived)

    @cached_property
    def identifiers(self) -> tuple[Identifier, ...]:
        """Return the columns of IDs, which are drawn from a pattern and never read.

        One is left out while a declared column of the same name takes part.
        """
        fields = (new for new in self.derived if ID_KEY in new)
        # ``place`` counts from 0; the reader counts positions from 1.
        identifiers = (read_identifier(new, int(new["place"]) + 1) for new in fields)
        return tuple(
            identifier
            for identifier in identifiers
            if identifier.name not in self.chosen_names
        )

    def _declare(
        self,
        columns: Iterable[Column],
        derived: Iterable[Derived] = (),
        identifiers: Iterable[Identifier] = (),
    ) -> Domain:
        """Return the domain of some columns, with the origin of the declaration.

        It records what was paid for the declaration.

        Args:
            columns: Columns that are read from the table.
            derived: Columns that follow from them by rules.
            identifiers: Columns of IDs.
        """
        return Domain(
            tuple(columns),
            self.missing_values,
            origin=self.origin,
            drafts=self.drafts,
            looked=self.looked,
            vouched=self.vouched,
            derived=derived,
            identifiers=identifiers,
            decisions=self.public_decisions,
        )

    @property
    def public_decisions(self) -> Decisions:
        """Return what public files say of left-out columns, and of agreed losses.

        They name a column of the table only if the declaration describes it or names it as
        left out, and if the user does not withhold its name.
        """
        reasons = {
            new["name"]: NOT_CHOSEN
            for new in self.fields
            if "type" in new and new["name"] not in self.chosen_names
        }
        left_out = {
            name: why
            for name, why in (reasons | dict(self.decisions.left_out)).items()
            if name not in self.withheld and name != self.person
        }
        return Decisions(left_out=left_out, agreed=self.decisions.agreed)

    @property
    def declared_domain(self) -> Domain:
        """Return all declared columns, including left-out ones."""
        return self._declare([c for c in self.columns.values() if isinstance(c, Column)])

    @cached_property
    def askable(self) -> Domain:
        """Return all declared columns of the table, also left-out ones, for questions."""
        absent = set(self.absent())
        return self._declare(
            column
            for name, column in self.columns.items()
            if isinstance(column, Column) and name not in absent
        )

    def field_of(self, name: str) -> Field:
        """Return the field of a column."""
        return next(f for f in self.fields if f["name"] == name)

    def change(self, **choices: Any) -> Self:
        """Replace some choices; unchanged columns are not parsed again."""
        return replace(self, parsed=self._parsed_fields, **choices)

    def with_field(self, name: str, new: Field) -> Self:
        """Replace the field of a column."""
        return self.with_fields({name: new})

    def with_fields(self, new: Mapping[str, Field]) -> Self:
        """Replace fields by name; what the user agreed to of the old ones is forgotten."""
        agreed = {
            name: fate for name, fate in self.decisions.agreed.items() if name not in new
        }
        return self.change(
            fields=tuple(new.get(f["name"], f) for f in self.fields),
            decisions=replace(self.decisions, agreed=agreed),
        )

    def undeclared_names(self) -> list[str]:
        """Return the columns that are not declared, or not in full.

        A code book may say a kind without bounds, or label some values of a list.
        """
        return [
            f["name"]
            for f in self.fields
            if "type" not in f or find_gap(f) or f.get("synth:open_list")
        ]

    def annotated_fields(self) -> dict[str, dict[str, Any]]:
        """Return the fields with labels or codes for missing values by name, as JSON."""
        keys = {*ANNOTATIONS, "synth:open_list"}
        return {f["name"]: thaw(f) for f in self.fields if keys & f.keys()}

    def absent(self) -> list[str]:
        """Return the declared columns that the table lacks."""
        header = self.source.table.header if self.source else ()
        return [f["name"] for f in self.fields if f["name"] not in header]
