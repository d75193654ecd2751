"""The choices of a release in a session's draft: the step Plan."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Self

from pages.ui.shell.declaration import is_text
from pages.ui.shell.draft_look import LookedAt
from pages.ui.shell.words import type_delta
from synth import limits
from synth.domain import Column, find_misfit, has_offsets, write_schema
from synth.errors import DomainError
from synth.estimate import AUTO_SUMS, MEANS, PAIRS, RECIPES, Favour, PublicTable, Repair
from synth.plans import Method, Plan
from synth.privacy import Neighbors, Unit, parse_epsilon, parse_rational, plain

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
class Planned(LookedAt):
    """Declared columns with the choices of a release.

    Attributes:
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
        max_rows: The number of rows of one person that count.
        max_model_mb: The most memory of a model, in MB.
        favour: The aim of fitting rows to pairs: counts or correlations.
        predict: The column that people will predict.
        moments: Sums to measure besides counts.
        rows: The number of synthetic rows; 0 for that of the table.
        budget: The total budget of a dataset that has none yet.
    """

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
    max_rows: int = 1
    max_model_mb: int = Plan.max_model_mb
    favour: Favour = Favour.ERRORS
    predict: str = ""
    moments: tuple[str, ...] = (AUTO_SUMS,)
    rows: int = 0
    budget: str = "3"

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

    def differs_in_epsilon_only(self, other_draft: Self) -> bool:
        """Return whether all choices but epsilon are the same."""
        names = (f.name for f in fields(self) if f.compare and f.name != "epsilon")
        return all(getattr(self, name) == getattr(other_draft, name) for name in names)

    def plan(self) -> Plan:
        """Return the plan of a release by these choices.

        Choices that the chosen method does not use are left at their defaults.

        Raises:
            SynthError: No column is declared, or choices do not fit together.
        """
        return self._complete_plan

    @cached_property
    def _complete_plan(self) -> Plan:
        """The plan of a release by these choices; a page asks for it many times."""
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

    def with_plan(self, plan: Mapping[str, Any]) -> Self:
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
