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
    ANNOTATIONS,
    Field,
    annotations,
    derive_columns,
    find_gap,
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
    NO_DECISIONS,
    NOT_CHOSEN,
    Column,
    Decisions,
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
from synth.door import Preparation
from synth.drafting import DraftColumn, Drafted, Proposal, Review
from synth.errors import DomainError, SynthError
from synth.estimate import (
    AUTO_SUMS,
    MEANS,
    PAIRS,
    RECIPES,
    Favour,
    PublicTable,
    Repair,
    digest_of,
)
from synth.plans import KnownTable, Method, Plan
from synth.privacy import Neighbors, Unit, parse_epsilon, parse_rational, plain

# A field, and its column or fault.
Parsed = tuple[Field, Column | DomainError]

AS_IN_PLAN = (
    "neighbors",
    "repair",
    "repair_seen",
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
        source: The confidential table. PRIVATE.
        fields: One Table Schema field per declared column.
        derived: Fields of derived columns and of IDs, each with its ``place``.
        missing_values: Spellings of a missing value.
        origin: Where the declaration comes from.
        drafts: Paid drafts, as `synth.door.preparations` writes them.
        looked: Whether the steward looked at exact numbers of rows that fit.
        vouched: Whether the steward vouches that values from the rows are public.
        checks: Paid checks of the declaration.
        fit_shares: The digest of the declaration of a look, and its result. PRIVATE.
        notes: Sentences on gaps of an imported declaration.
        left_out: Columns that take no part.
        decisions: Why the declaration leaves columns out, and what it lets columns lose.
        withheld: Left-out columns that public files do not name.
        accepted: Columns that the steward keeps in spite of a remark.
        look: Results of a look at the rows, by column. PRIVATE.
        look_remarks: Results of a look that concern several columns. PRIVATE.
        proposals: Relations that all rows obey, by a look, and that wait. PRIVATE.
        bars: Rows of each column as a few bars, by a look. PRIVATE.
        drafted_fits: The digest of the declaration that a look drafted, and exact numbers of
            rows that fit it. PRIVATE.
        open_column: The column whose card is shown.
        about_rows: The number of rows that the steward typed; 0 for none.
        epsilon: As typed.
        neighbors: The two tables that the guarantee compares.
        repair: The repair of negative counts.
        repair_seen: Whether it was chosen after a comparison with the real rows.
        compared: Whether synthetic rows were compared with those of this table.
        method: The method by its name.
        delta: As typed; empty for pure epsilon.
        groups: The groups of columns for the method of this name.
        rules: Impossible combinations, as `synth.estimate.models.rules` reads them.
        public: A public table that serves as a first guess.
        person: The column that identifies persons; empty if each row is one.
        max_rows: The number of rows of one person that count.
        max_model_mb: The most memory of a model, in MB.
        favour: The aim of fitting rows to pairs: counts or correlations.
        predict: The column that people will predict.
        moments: Sums to measure besides counts.
        rows: The number of synthetic rows; 0 for that of the table.
        budget: The total budget of a dataset that has none yet.
        releases: The paid ones, oldest first.
        asking: The choices of the step Ask.
        answers: The paid ones, oldest first.
        parsed: Fields with their columns, so that unchanged ones are not parsed again.
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
    decisions: Decisions = NO_DECISIONS
    withheld: frozenset[str] = frozenset()
    accepted: frozenset[str] = frozenset()
    look: Mapping[str, DraftColumn] = field(default_factory=FrozenMap, repr=False)
    look_remarks: tuple[str, ...] = field(default=(), repr=False)
    proposals: tuple[Proposal, ...] = field(default=(), repr=False)
    bars: Mapping[str, tuple[int, ...]] = field(default_factory=FrozenMap, repr=False)
    drafted_fits: Any = field(default=None, repr=False)
    open_column: str = ""
    about_rows: int = 0
    epsilon: str = "1"
    neighbors: Neighbors = Neighbors.REPLACE_ONE
    repair: str = Repair.AUTO
    repair_seen: bool = False
    compared: bool = False
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
    parsed: Mapping[str, Parsed] = field(default_factory=FrozenMap, repr=False, compare=False)
    project: str = ""
    expected: KnownTable | None = None

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

    @property
    def unit(self) -> Unit:
        """Return what one person contributes: one row, or the rows with one ID."""
        return Unit(self.person, self.max_rows)

    @property
    def is_counted(self) -> bool:
        """Return whether the number of rows is public, and was counted.

        It is public if the two compared tables have the same number of rows.
        """
        is_public = self.unit.shares_rows(self.neighbors)
        return self.source is not None and bool(self.source.rows) and is_public

    @property
    def table_rows(self) -> int:
        """Rows of the table: counted if that is public, otherwise as typed; 0 if unknown."""
        return self.source.rows if self.source and self.is_counted else self.about_rows

    @property
    def to_review(self) -> tuple[str, ...]:
        """Return columns with values from the rows that nobody has vouched to be public.

        They are all columns that take part if it is not known which were taken from the rows.
        """
        if self.origin != LOOKED_UP or self.vouched:
            return ()
        taken_names = tuple(name for name in self.chosen_names if name in self.look)
        return taken_names or self.chosen_names

    @property
    def guesses(self) -> bool:
        """Return whether a public table serves as the first guess of the chosen method.

        It must have exactly the columns of the domain.
        """
        if self.public is None or not RECIPES[self.method].takes_guess:
            return False
        domain = self.domain
        # They may differ if the declaration has changed since the table was read.
        return domain is not None and self.public.domain.columns == domain.columns

    @property
    def predictable(self) -> tuple[str, ...]:
        """Return columns whose relations the method can favour; empty if it cannot."""
        # ``settles``: the method fits rows to pairs of columns, of which it can favour some.
        measured = RECIPES[self.method].settles and not self.guesses
        return self.chosen_names if measured else ()

    @property
    def moment_terms(self) -> tuple[str, ...]:
        """Return measurable terms other than counts, as texts of the plan.

        They are names for all sums, means and products; each numeric column; and each product
        ``a*b`` of two columns of which at least one is numeric. Empty without numeric
        columns.
        """
        domain = self.domain
        if domain is None:
            return ()
        # Columns with a bin that is wider than one value.
        numeric_names = {
            name for i, name in enumerate(domain.names) if has_offsets(domain, i)
        }
        pairs = [
            f"{a}*{b}" for a, b in combinations(domain.names, 2) if {a, b} & numeric_names
        ]
        if not numeric_names:
            return ()
        single_terms = [name for name in domain.names if name in numeric_names]
        return (AUTO_SUMS, MEANS, PAIRS, *single_terms, *pairs)

    @property
    def release(self) -> Release | None:
        """Return the latest release of the current table."""
        return next((r for r in reversed(self.releases) if r.source is self.source), None)

    @property
    def earlier_release(self) -> Release | None:
        """Return the latest release of the table by the current plan; None without one.

        SynthError if the plan is not complete.
        """
        plan = self.plan()
        of_this_table = (r for r in reversed(self.releases) if r.source is self.source)
        return next((r for r in of_this_table if r.follows(plan)), None)

    @cached_property
    def askable(self) -> Domain:
        """Return all declared columns of the table, also left-out ones, for questions."""
        absent = set(self.absent())
        return self._declare(
            column
            for name, column in self.columns.items()
            if isinstance(column, Column) and name not in absent
        )

    @property
    def waiting(self) -> Release | None:
        """Return a release from a bundle whose table was not chosen yet."""
        return next((r for r in reversed(self.releases) if r.source is None), None)

    def differs_in_epsilon_only(self, other_draft: "Draft") -> bool:
        """Return whether all choices but epsilon are the same."""
        names = (f.name for f in fields(self) if f.compare and f.name != "epsilon")
        return all(getattr(self, name) == getattr(other_draft, name) for name in names)

    def follows_plan(self, release: Release) -> bool:
        """Return whether a release was made by the current plan.

        An incomplete plan has no release.
        """
        try:
            return release.follows(self.plan())
        except SynthError:
            return False

    def plan(self) -> Plan:
        """Return the plan of a release by these choices.

        Choices that the chosen method does not use are left at their defaults.

        Raises:
            SynthError: No column is declared, or choices do not fit together.
        """
        if self.source is None or self.domain is None:
            raise DomainError("Declare at least one column first.")
        recipe = RECIPES[self.method]
        typed_delta = self.delta if recipe.by_model else ""
        plan = Plan(
            domain=self.domain,
            epsilon=parse_epsilon(self.epsilon),
            neighbors=self.neighbors,
            repair=self.repair,
            repair_seen=self.repair_seen,
            method=self.method,
            delta=parse_rational(typed_delta or "0", name="delta"),
            groups=self.groups if recipe.takes_groups else (),
            rules=self.rules,
            public=self.public.source if self.public and self.guesses else None,
            unit=self.unit,
            max_model_mb=min(self.max_model_mb, limits.memory_mb()),
            favour=self.favour if recipe.settles else Favour.ERRORS,
            predict=self.predict if self.predict in self.predictable else "",
            moments=tuple(term for term in self.moments if term in self.moment_terms),
            rows=self.rows or None,
            dataset=self.source.dataset,
            reading=self.source.table.reading,
        )
        plan.check_size()  # raises for too many cells, or for noise that is too large
        return plan

    def field_of(self, name: str) -> Field:
        """Return the field of a column."""
        return next(f for f in self.fields if f["name"] == name)

    def change(self, **choices: Any) -> "Draft":
        """Replace some choices; unchanged columns are not parsed again."""
        return replace(self, parsed=self._parsed_fields, **choices)

    def with_field(self, name: str, new: Field) -> "Draft":
        """Replace the field of a column."""
        return self.with_fields({name: new})

    def with_fields(self, new: Mapping[str, Field]) -> "Draft":
        """Replace fields by name; what the user agreed to of the old ones is forgotten."""
        agreed = {
            name: fate for name, fate in self.decisions.agreed.items() if name not in new
        }
        return self.change(
            fields=tuple(new.get(f["name"], f) for f in self.fields),
            decisions=replace(self.decisions, agreed=agreed),
        )

    @cached_property
    def remarks(self) -> dict[str, str]:
        """Return for each column that will hardly work well the reason why, by name.

        A reason continues a sentence such as "This column ...".
        """
        remarks = {}
        for new in self.fields:
            name = new["name"]
            column = self.columns[name]
            remark = find_misfit(
                name,
                column if isinstance(column, Column) else None,
                rows=self.table_rows,
                text=is_text(new),
            )
            if remark:
                remarks[name] = remark
        return remarks

    def with_declaration(self, document: Mapping[str, Any] | bytes) -> "Draft":
        """Return the draft with an imported declaration.

        Columns come in the order of the table, columns that the table lacks at the end.

        Args:
            document: A Table Schema, or the bytes of a file that can be read as one.

        Raises:
            SynthError: The declaration is invalid, or has no column of the table.
        """
        imported = read_declaration(document)
        header = dict.fromkeys(self.source.table.header if self.source else ())
        if header and not set(header) & set(imported.fields):
            raise DomainError("None of the columns of this declaration is in the table.")
        absent_fields = [new for name, new in imported.fields.items() if name not in header]
        fields = [imported.fields.get(name, {"name": name}) for name in header if name]
        left_out_names = [name for name in imported.decisions.left_out if name in header]
        named_columns = [*imported.fields, *left_out_names]
        id_columns = frozenset(str(new["name"]) for new in imported.derived if ID_KEY in new)
        return replace(
            self,
            fields=tuple([*fields, *absent_fields]),
            derived=imported.derived,
            missing_values=imported.missing_values,
            origin=imported.origin,
            drafts=imported.drafts,
            looked=self.looked or imported.looked,  # nobody forgets exact numbers
            vouched=imported.vouched,
            notes=(*imported.notes, *_strangers(header, named_columns, id_columns)),
            left_out=frozenset(str(new["name"]) for new in imported.derived)
            | {*left_out_names},
            decisions=imported.decisions,
            withheld=frozenset(),
            look=FrozenMap(),  # results of a look concern the replaced declaration
            look_remarks=(),
            proposals=(),
            bars=FrozenMap(),
            open_column="",
        )

    def with_look(
        self,
        columns: Iterable[DraftColumn],
        missing_values: tuple[str, ...] = (),
        remarks: tuple[str, ...] = (),
        *,
        proposals: tuple[Proposal, ...] = (),
    ) -> "Draft":
        """Return the draft with columns declared from the private rows.

        If any was declared or left out by its rows, the origin says so, and the user's word
        that values are public does not hold any more.

        Args:
            columns: The results of the look.
            missing_values: Spellings of a missing value; empty to keep the present ones.
            remarks: Sentences that concern several columns.
            proposals: Relations that all rows obey.
        """
        filled_columns = tuple(columns)
        reasons = {
            column.name: column.public_reason for column in filled_columns if column.left_out
        }
        # A field with a type was declared from the rows; they may also leave a column out.
        is_taken = any(column.left_out or "type" in column.field for column in filled_columns)
        filled = self.with_fields({column.name: column.field for column in filled_columns})
        left_out_reasons = {**filled.decisions.left_out, **reasons}
        return replace(
            filled,
            decisions=replace(filled.decisions, left_out=left_out_reasons),
            origin=LOOKED_UP if is_taken else self.origin,
            vouched=self.vouched and not is_taken,
            notes=(),
            look=FrozenMap(
                {**self.look, **{column.name: column for column in filled_columns}}
            ),
            look_remarks=remarks,
            proposals=proposals,
            left_out=self.left_out
            | {column.name for column in filled_columns if column.left_out},
            missing_values=missing_values or self.missing_values,
        )

    def list_reviews(self, review: Review) -> list[DraftColumn]:
        """Return results of a look that wait for a decision of this kind.

        A result waits as long as the user has not changed the column's field, and has not let
        a left-out column take part.
        """
        fields = {f["name"]: f for f in self.fields}
        return [
            column
            for name, column in self.look.items()
            if column.review is review
            and fields.get(name) == column.field
            and (name in self.left_out or not column.left_out)
        ]

    def decide(self, name: str, *, takes_part: bool) -> "Draft":
        """Record whether a column takes part, which a look at the rows left open."""
        column = self.look[name]
        # Also if it was left out before: to take it in is to agree to what it loses.
        agrees = takes_part and (column.is_undecided or column.loss.is_large)
        decided = column.agree() if agrees else replace(column, review=None)
        left_out = self.left_out - {name} if takes_part else self.left_out | {name}
        agreed = {n: fate for n, fate in self.decisions.agreed.items() if n != name}
        if agrees:
            agreed[name] = column.loss.fate
        reasons = {n: why for n, why in self.decisions.left_out.items() if n != name}
        if not takes_part:
            reasons[name] = NOT_CHOSEN
        return self.change(
            look=FrozenMap({**self.look, name: decided}),
            left_out=left_out,
            decisions=Decisions(left_out=reasons, agreed=agreed),
        )

    def with_part(self, name: str, takes_part: bool) -> "Draft":
        """Return the draft with a column that takes part, or with one that is left out.

        If a look at the rows found it, this is the user's decision about it.
        """
        looked = self.look.get(name)
        if looked is not None and looked.field == self.field_of(name):
            return self.decide(name, takes_part=takes_part)
        left_out = self.left_out - {name} if takes_part else self.left_out | {name}
        reasons = {n: why for n, why in self.decisions.left_out.items() if n != name}
        return self.change(
            left_out=left_out, decisions=replace(self.decisions, left_out=reasons)
        )

    @property
    def seen_fits(self) -> Any:
        """Exact numbers of rows that fit the domain; None if none were seen. PRIVATE.

        They do not count for a description that has changed since.
        """
        if self.domain is None:
            return None
        digest = digest_of(self.domain)
        # The digest of the declaration that was counted, and its numbers.
        counted = (self.fit_shares, self.drafted_fits)
        return next((fits[1] for fits in counted if fits and fits[0] == digest), None)

    @property
    def losing_names(self) -> tuple[str, ...]:
        """Return the columns that stay out until the user agrees to their losses."""
        questions = self.list_reviews(Review.QUESTIONS)
        return tuple(column.name for column in questions if column.is_undecided)

    def agree_to_losses(self) -> "Draft":
        """Return the draft with all these columns, as the user agrees to their losses."""
        agreed = self
        for name in self.losing_names:
            agreed = agreed.decide(name, takes_part=True)
        return agreed

    def with_guaranteed(self, drafted: Drafted) -> "Draft":
        """Return the draft with the columns of a paid, differentially private draft.

        Columns that it could not describe stay open, with notes why. The payment is recorded
        once.
        """
        filled = self.with_fields(
            {
                column.name: annotations(self.field_of(column.name)) | dict(column.field)
                for column in drafted.settled
            }
        )
        missing = dict.fromkeys((*self.missing_values, *drafted.missing))  # each once
        notes = [
            f"Column '{name}' stays open: {reason}." for name, reason in drafted.open.items()
        ]
        cost = drafted.preparation.to_json()
        return replace(
            filled,
            missing_values=tuple(missing),
            origin=DRAFTED if self.origin == DECLARED else self.origin,
            drafts=self.drafts if cost in map(thaw, self.drafts) else (*self.drafts, cost),
            notes=tuple(notes),
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

    def with_plan(self, plan: Mapping[str, Any]) -> "Draft":
        """Return the draft with the declaration and choices of a plan, a JSON object.

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
            # These choices have the same name and form in a plan and in a draft.
            **{name: getattr(content, name) for name in AS_IN_PLAN},
        )

    def absent(self) -> list[str]:
        """Return the declared columns that the table lacks."""
        header = self.source.table.header if self.source else ()
        return [f["name"] for f in self.fields if f["name"] not in header]

    def with_source(self, source: Source) -> "Draft":
        """Return the draft with a changed record of its table.

        The table's releases and answers get it too. They refer to their table by identity, so
        they must refer to the new record.
        """
        releases = [
            replace(release, source=source) if release.source is self.source else release
            for release in self.releases
        ]
        answers = [
            replace(answered, source=source) if answered.source is self.source else answered
            for answered in self.answers
        ]
        return replace(self, source=source, releases=tuple(releases), answers=tuple(answers))

    def with_release(self, opened: Release) -> "Draft":
        """Return the draft with a release from a bundle, and with the bundle's plan.

        The current table is put aside if it lacks a column of the release.
        """
        source = None if self.source is None or _lacks(self.source, opened) else self.source
        drafted = replace(self, source=source).with_plan(opened.plan.to_json())
        return replace(drafted, releases=(*self.releases, replace(opened, source=source)))


def _strangers(
    header: Iterable[str], declaration: Iterable[str], id_columns: Collection[str]
) -> list[str]:
    """Return sentences on columns that only the table or only the declaration has.

    Args:
        header: The columns of the table; empty without a table.
        declaration: The columns of the declaration.
        id_columns: Columns of drawn IDs, which need no declaration.
    """
    table_names = dict.fromkeys(header)
    declared_names = dict.fromkeys(declaration)
    undeclared = [
        name
        for name in table_names
        if name and name not in declared_names and name not in id_columns
    ]
    absent = []
    if table_names:
        absent = [name for name in declared_names if name not in table_names]
    notes = []
    if undeclared:
        notes.append(f"In the table and not in the declaration: {', '.join(undeclared)}.")
    if absent:
        notes.append(f"In the declaration and not in the table: {', '.join(absent)}.")
    return notes


def start(source: Source, before: Draft) -> Draft:
    """Return the draft for a newly chosen table.

    The declaration is kept if the table is the one before, perhaps read in another way, or
    the table of the reopened project. A release from a bundle is taken over by a table with
    all its columns.

    Args:
        source: The new table.
        before: The draft so far.
    """
    old = before.source
    waiting = before.waiting  # a release from a bundle, without its table
    if waiting is not None and not source.simulated and not _lacks(source, waiting):
        others = tuple(r for r in before.releases if r is not waiting)
        return replace(before, source=source, releases=others).with_release(waiting)
    if old is not None and not old.simulated and _is_same_table(source, old):
        return _read_anew(source, before)
    if _is_expected(source, before.expected):
        return replace(before, source=source, expected=None)
    # Another table: only the epsilon, the neighbours and what was paid for are kept.
    names = dict.fromkeys(name for name in source.table.header if name)
    return Draft(
        source=source,
        fields=tuple({"name": name} for name in names),
        epsilon=before.epsilon,
        neighbors=before.neighbors,
        releases=before.releases,
        answers=before.answers,
    )


def _is_same_table(source: Source, old: Source) -> bool:
    """Return whether a table is the one before: its file read anew, or the same bytes."""
    is_same_content = bool(source.mark) and source.mark == old.mark
    return source.table.path == old.table.path or is_same_content


def _read_anew(source: Source, before: Draft) -> Draft:
    """Return the draft for the same table, read in the same way or in another.

    Columns that it still has keep their descriptions. Its releases stay with it if it is
    read in the same way.
    """
    assert before.source is not None
    if before.source.table.asked == source.table.asked:
        return before.with_source(source)
    names = dict.fromkeys(name for name in source.table.header if name)
    if tuple(names) == tuple(field["name"] for field in before.fields):
        return replace(before, source=source)
    known_fields = {field["name"]: field for field in before.fields}
    return before.change(
        source=source,
        fields=tuple(known_fields.get(name, {"name": name}) for name in names),
        left_out=before.left_out & names.keys(),
        person=before.person if before.person in names else "",
        open_column="",
    )


def _is_expected(source: Source, table: KnownTable | None) -> bool:
    """Return whether a table has the header of the one that the reopened project had.

    ``table`` is the project's table; None without such a project. Simulated tables and real
    ones never match.
    """
    return (
        table is not None
        and table.simulated == source.simulated
        and table.header == tuple(source.table.header)
    )


def _lacks(source: Source, release: Release) -> bool:
    """Return whether a table lacks a column of a release, or its column of persons."""
    person = {release.plan.unit.person} - {""}
    return not {*release.plan.domain.names, *person} <= set(source.table.header)


def why_locked(draft: Draft, step: str) -> str | None:
    """Return the sentence why a step cannot be used yet; None if it can.

    ``step`` is the page's name, such as ``domain`` or ``release``.
    """
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
