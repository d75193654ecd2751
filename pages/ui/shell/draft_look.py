"""What looks at the rows and paid drafts found for a session's draft, and what the steward
decided on it: the rest of the step Domain.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from pages.ui.shell.declaration import annotations, read_declaration
from pages.ui.shell.draft_columns import DeclaredColumns
from synth.domain import (
    DECLARED,
    DRAFTED,
    ID_KEY,
    LOOKED_UP,
    NOT_CHOSEN,
    Decisions,
    FrozenMap,
    thaw,
)
from synth.door import Preparation
from synth.drafting import DraftColumn, Drafted, Proposal, Review
from synth.errors import DomainError
from synth.estimate import digest_of


@dataclass(frozen=True, eq=False, kw_only=True)
class LookedAt(DeclaredColumns):
    """Declared columns with what a look at the rows, or a paid draft, found.

    Attributes:
        checks: Paid checks of the declaration.
        fit_shares: The digest of the declaration of a look, and its result. PRIVATE.
        accepted: Columns that the steward keeps in spite of a remark.
        look: Results of a look at the rows, by column. PRIVATE.
        look_remarks: Results of a look that concern several columns. PRIVATE.
        proposals: Relations that all rows obey, by a look, and that wait. PRIVATE.
        bars: Rows of each column as a few bars, by a look. PRIVATE.
        drafted_fits: The digest of the declaration that a look drafted, and exact numbers of
            rows that fit it. PRIVATE.
        open_column: The column whose card is shown.
    """

    checks: tuple[Preparation, ...] = ()
    fit_shares: Any = field(default=None, repr=False)
    accepted: frozenset[str] = frozenset()
    look: Mapping[str, DraftColumn] = field(default_factory=FrozenMap, repr=False)
    look_remarks: tuple[str, ...] = field(default=(), repr=False)
    proposals: tuple[Proposal, ...] = field(default=(), repr=False)
    bars: Mapping[str, tuple[int, ...]] = field(default_factory=FrozenMap, repr=False)
    drafted_fits: Any = field(default=None, repr=False)
    open_column: str = ""

    @property
    def to_review(self) -> tuple[str, ...]:
        """Return columns with values from the rows that nobody has vouched to be public.

        They are all columns that take part if it is not known which were taken from the rows.
        """
        if self.origin != LOOKED_UP or self.vouched:
            return ()
        taken_names = tuple(name for name in self.chosen_names if name in self.look)
        return taken_names or self.chosen_names

    def with_declaration(self, document: Mapping[str, Any] | bytes) -> Self:
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
    ) -> Self:
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

    def find_reading(self, name: str) -> tuple[str, ...]:
        """Return options of the file's format that read a column's texts as numbers.

        There are none if the column is described or left out, or if another column holds
        numbers with a decimal point, which would not be read any more.
        """
        looked = self.look.get(name)
        if looked is None or looked.field != self.field_of(name) or name in self.left_out:
            return ()
        changes_decimal = any(option.startswith("decimal=") for option in looked.reading)
        has_points = any(new.get("type") == "number" for new in self.fields)
        return () if changes_decimal and has_points else looked.reading

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

    def decide(self, name: str, *, takes_part: bool) -> Self:
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

    def with_part(self, name: str, takes_part: bool) -> Self:
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

    def leave_out(self, names: Iterable[str], reason: str) -> Self:
        """Return the draft without some columns, which public files name with the reason.

        Args:
            names: The columns.
            reason: Why, as the end of a sentence about a column.
        """
        changed = self
        for name in names:
            changed = changed.with_part(name, takes_part=False)
        reasons = {**changed.decisions.left_out, **dict.fromkeys(names, reason)}
        return changed.change(decisions=replace(changed.decisions, left_out=reasons))

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

    def agree_to_losses(self) -> Self:
        """Return the draft with all these columns, as the user agrees to their losses."""
        agreed = self
        for name in self.losing_names:
            agreed = agreed.decide(name, takes_part=True)
        return agreed

    def with_guaranteed(self, drafted: Drafted) -> Self:
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
