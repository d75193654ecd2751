"""The steward's choices: a `Plan`. PUBLIC. A release depends on its plan and the rows only.

>>> from synth.domain import Categorical
>>> plan = Plan(
...     domain=Domain((Categorical(name="sex", categories=("F", "M")),)), epsilon=Fraction(1)
... )
>>> Plan.from_json(plan.to_json()) == plan
True
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Self

from synth import limits
from synth.domain import (
    LOOKED_UP,
    Domain,
    check_dense,
    refuse_short,
    set_field,
    write_schema,
)
from synth.errors import NO_PLAN, ArgumentError, LimitError, suggest_similar
from synth.estimate import (
    AUTO_SUMS,
    RECIPES,
    Account,
    Choice,
    Favour,
    Method,
    histogram_suffices,
)
from synth.noise import DiscreteLaplace
from synth.plans.codecs import read_all
from synth.plans.options import ALONE, IN_PLAN
from synth.privacy import (
    ROW,
    Guarantee,
    Neighbors,
    RowReading,
    Unit,
    parse_epsilon,
    parse_rational,
    plain,
    scientific,
)
from synth.util import Document, check_whole, in_range

if TYPE_CHECKING:
    from synth.estimate import PublicSource, Rules

REPAIR_SEEN = (
    "The repair of negative counts was chosen after synthetic rows had been compared with "
    "the real ones. No guarantee covers what this choice tells about them."
)


@dataclass(frozen=True, kw_only=True)
class Plan(Choice):
    """The steward's choices: the model, the table, the budget.

    Attributes:
        domain: The declared columns.
        epsilon: The budget, an exact rational.
        neighbors: The relation of the guarantee.
        repair_seen: Whether the repair was chosen after synthetic rows had been compared
            with the real ones.
        rows: Number of synthetic rows; None for the table's public or noisy total.
        dataset: The steward's name for the people in the table, for the ledger.
        unit: What is protected: a row, or all rows of a person.
        public: The public table used as a guess, for ``auto`` and ``one-shot``.
        reading: What counts as a row of the table.
        method: The name of the method that makes rows of noisy counts.
        delta: 0 for pure epsilon; above 0, (epsilon, delta) by Gaussian DP.
        groups: Names of the columns of each group, for ``groups``.
        rules: Public rules that are true of every row, as `synth.estimate` reads them.
        max_model_mb: Most memory for a model's tables, in MB.
        favour: What the rows are nearest to: counts or associations.
        predict: The column that analysts will predict, for some methods.
        moments: Terms of the sums of numbers that are measured too.

    Raises:
        ArgumentError: A value is impossible, or two of them exclude each other.
    """

    domain: Domain
    epsilon: Fraction
    neighbors: Neighbors = Neighbors.REPLACE_ONE
    repair_seen: bool = False
    rows: int | None = None
    dataset: str = "table"
    unit: Unit = ROW
    public: PublicSource | None = None
    reading: RowReading = RowReading.LINES

    def __post_init__(self) -> None:
        """Make the numbers exact, choose the sums of numbers, and refuse impossible values.

        Raises:
            ArgumentError: A value is impossible, or two of them exclude each other.
        """
        set_field(self, "epsilon", parse_epsilon(self.epsilon))
        set_field(self, "delta", parse_rational(self.delta, name="delta"))
        super().__post_init__()
        if self.taken_relations and self.domain.origin != LOOKED_UP:
            set_field(self, "domain", replace(self.domain, origin=LOOKED_UP))
        # Methods differ: those with `by_model` measure marginals, those with `takes_guess`
        # may use a public table, and those with `settles` settle rows on pairs of columns.
        if self.moments == (AUTO_SUMS,):
            set_field(self, "moments", self._choose_sums())
        if not self.by_model and (self.rules or self.groups):
            raise ArgumentError(
                "Rules and groups are for models of marginals; choose another method."
            )
        if self.public and not RECIPES[self.method].takes_guess:
            raise ArgumentError(
                "Only the methods auto and one-shot use a public table; choose one of them."
            )
        if self.favour is not Favour.ERRORS and not RECIPES[self.method].settles:
            raise ArgumentError(
                "Only the methods auto, one-shot and adaptive can favour associations; "
                "choose one of them."
            )
        if self.predict:
            self._check_predicted()
        if self.delta and not RECIPES[self.method].by_model:
            raise ArgumentError(
                "A histogram is pure: it needs no delta. Leave it out, or choose a model."
            )
        if self.moments:
            from synth.estimate import moment_queries

            moment_queries(self.moments, self.domain)  # refuses terms that name no columns
        if self.rows is not None:
            check_whole(1, rows=self.rows)
            in_range(1, limits.ROWS_MAX, rows=self.rows)

    def _choose_sums(self) -> tuple[str, ...]:
        """Return the terms of the sums of numbers that the automatic method measures.

        Other methods measure none.
        """
        if not RECIPES[self.method].chooses:
            return ()
        from synth.estimate import choose_terms

        charged = self.guarantee(self.epsilon)
        # With a delta, the budget is spent as the rho that it contains.
        account = Account.open(charged, self.neighbors, self.unit, pure=not self.delta)
        return choose_terms(account, self.domain)

    def _check_predicted(self) -> None:
        """Refuse a column to predict that the method or the domain does not allow.

        Raises:
            ArgumentError: The method or a public table excludes it, or it is not declared.
        """
        if not RECIPES[self.method].settles:
            raise ArgumentError(
                "Only the methods auto, one-shot and adaptive use a column to predict; "
                "choose one of them."
            )
        if self.public:
            raise ArgumentError(
                "A public table and a column to predict exclude each other. Leave one of "
                "them out."
            )
        if self.predict not in self.domain.names:
            hint = suggest_similar(self.predict, self.domain.names)
            message = f"The column to predict, '{self.predict}', is not declared{hint}"
            if self.predict in (column.name for column in self.domain.derived):
                message = (
                    f"The column to predict, '{self.predict}', is derived: Synth never "
                    "measures its pairs. Name one of its sources."
                )
            raise ArgumentError(message)

    @property
    def request(self) -> str:
        """Text of everything that determines a table's noisy counts, as JSON.

        A ledger finds a release by it, so it must stay the same for the same plan in later
        versions. Options that only matter after the counting are left out.
        """
        chosen_later = {"repair", "repair_seen", "rows", "dataset", "favour", "reading"}
        if not self.by_model:
            chosen_later.add("predict")
        options = self.to_json().items()
        content = {name: value for name, value in options if name not in chosen_later}
        content["domain"] = write_schema(self.domain.without_words())
        if self.public:
            content["public"] = self.public.digest
        # Not `total_epsilon`: its rule `is_loud` came later, and this text must not change.
        rows_epsilon = self._for_rows(self.domain.size > limits.SUMMED_CELLS)
        scale = self._scale_beside(rows_epsilon)
        derived = {"scale": str(scale), "by_model": self.by_model}
        return json.dumps({**content, **derived}, sort_keys=True)

    @property
    def declarations(self) -> dict[str, tuple[Domain, str]]:
        """The declaration of the one table, by the name `ALONE`.

        It is a pair: the declared columns, and the column that identifies a person, which is
        empty if each row is a person.
        """
        return {ALONE: (self.domain, self.unit.person)}

    def learn(self, readings: Mapping[str, RowReading], looked: Collection[str]) -> Self:
        """Return the plan with all facts about the table that are known before counting.

        Args:
            readings: What counts as a row of the table, by the name `ALONE`.
            looked: `ALONE` if somebody looked at exact numbers of its rows; otherwise
                nothing.
        """
        domain = replace(self.domain, looked=True) if looked else self.domain
        return replace(self, domain=domain, reading=readings[ALONE])

    @property
    def total_epsilon(self) -> Fraction:
        """Epsilon for the number of rows: 0 if it is public or follows from the counts."""
        # The sum of all noisy counts has a variance of about 2 size scale^2. The number of
        # rows gets an epsilon of its own where that sum has too many terms or is too noisy.
        size = self.domain.size
        scale = self.unit.sensitivity(self.neighbors) / self.epsilon
        is_loud = size >= limits.LOUD_CELLS and 2 * size * scale**2 > limits.LOUD_SUM**2
        return self._for_rows(size > limits.SUMMED_CELLS or is_loud)

    def _for_rows(self, is_needed: bool) -> Fraction:
        """Return the epsilon for the number of rows, 0 if it is public or not needed.

        ``is_needed`` says whether the sum of all noisy counts is too noisy to take its place.
        """
        is_private = not self.unit.shares_rows(self.neighbors)
        if is_private and is_needed:
            return self.epsilon * limits.TOTAL_SHARE
        return Fraction(0)

    @property
    def moments_epsilon(self) -> Fraction:
        """Epsilon for sums of numbers, in addition to a histogram."""
        if not self.moments:
            return Fraction(0)
        from synth.estimate import moment_share

        return self.epsilon * moment_share(self.moments, self.domain)

    @property
    def scale(self) -> Fraction:
        """The scale of the noise on every cell of a histogram."""
        return self._scale_beside(self.total_epsilon)

    def _scale_beside(self, rows_epsilon: Fraction) -> Fraction:
        """Return the scale of the Laplace noise on every cell of a histogram.

        The histogram gets the epsilon that is left beside ``rows_epsilon``, for the number of
        rows, and the epsilon for sums of numbers.
        """
        epsilon = self.epsilon - rows_epsilon - self.moments_epsilon
        return self.unit.sensitivity(self.neighbors) / epsilon

    @property
    def cell_noise(self) -> DiscreteLaplace | None:
        """Every cell's noise; None for marginals."""
        return None if self.by_model else DiscreteLaplace(self.scale)

    @property
    def by_model(self) -> bool:
        """Whether marginals are measured, and not the histogram.

        Without the number of rows, ``auto`` answers False only if the histogram is right for
        every number. The model may still choose the marginal of all columns."""
        if self.public is not None:
            return True
        if RECIPES[self.method].chooses:
            noise = DiscreteLaplace(self.scale)
            return bool(self.rules) or not histogram_suffices(self.domain.shape, noise)
        return RECIPES[self.method].by_model

    @property
    def taken_relations(self) -> tuple[str, ...]:
        """The rules and derived columns that a look at the rows proposed, in words."""
        derived = [
            f"'{rule.name}' follows from "
            + " and ".join(f"'{source}'" for source in rule.sources)
            for rule in self.domain.derived
            if rule.taken
        ]
        if not self.rules:
            return tuple(derived)
        from synth.estimate import describe_taken

        return (*describe_taken(self.rules), *derived)

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the guarantee does not cover, in words.

        They are about a public table that is used as a guess, about a repair that was chosen
        in sight of real rows, and about relations that were taken from them.
        """
        caveats: list[str] = []
        if self.public is not None:
            by_person = bool(self.unit.person)
            caveats.append(
                self.public.caveat(
                    self.epsilon, self.delta, self.neighbors, by_person=by_person
                )
            )
        if self.taken_relations:
            caveat = (
                "The guarantee does not cover these relations, which hold in all "
                "confidential rows and were taken from them: "
                f"{'; '.join(self.taken_relations)}."
            )
            if self.domain.vouched:
                caveat += " The steward vouches that they are public."
            caveats.append(caveat)
        if self.repair_seen:
            caveats.append(REPAIR_SEEN)
        return tuple(caveats)

    def caveats_of(self, spent: Guarantee) -> tuple[str, ...]:
        """Return the plan's caveats, and one for a delta that was allowed and not needed.

        The latter is there if noisy counts decided that the delta is not needed. The files
        then state epsilon alone, but the procedure might have needed the delta.

        Args:
            spent: The whole spend, a rho or mu^2 if the delta was needed.
        """
        by_public_numbers = self.public is None and self.unit.shares_rows(self.neighbors)
        # Without a public table and with a public number of rows, no noisy count decides.
        if not self.delta or spent.rho is not None or by_public_numbers:
            return self.caveats
        unused_delta = (
            f"A delta of {scientific(self.delta)} was allowed but not used, as the noisy "
            "counts decided. The stated guarantee covers these files. The procedure before "
            f"that decision has ({plain(self.epsilon)}, "
            f"{scientific(self.delta)})-differential privacy."
        )
        return (*self.caveats, unused_delta)

    def check_size(self) -> Rules | None:
        """Refuse an impossible plan before anything is read; return a model's rules.

        Raises:
            LimitError: Names the number of cells, the memory and the column to coarsen.
            NoiseError: The budget needs larger noise than Synth draws.
            DomainError: A group or a rule does not fit the domain.
        """
        from synth.plans.noise_limits import refuse_loud_noise

        rules = self._check_cells()
        refuse_loud_noise(self)
        return rules

    def _check_cells(self) -> Rules | None:
        """Refuse more cells, or a larger model, than the method can take.

        Returns:
            The rules of the model, which are read for this; None for a histogram.

        Raises:
            LimitError: There are too many cells, or the model needs too much memory.
            DomainError: A group, a rule or a pattern of IDs does not fit.
        """
        if self.rows is not None:
            refuse_short(self.domain.identifiers, self.rows)
        if self.by_model:
            if self.max_model_mb > limits.memory_mb():
                raise LimitError(
                    f"The model may take {self.max_model_mb:,} MB, but the limit is "
                    f"{limits.memory_mb():,} MB (SYNTH_MEMORY_MB)."
                )
            return self.check_model(self.domain)
        # Where every cell is counted, there must not be too many.
        if RECIPES[self.method].chooses:
            check_dense(self.domain)
        elif RECIPES[self.method].needs_all:
            _check_dense_or_advise(self.domain)
        from synth.estimate import REPAIRS

        if REPAIRS[self.repair].needs_all:
            _check_listed(self.domain, self.repair)
        return None

    def check_public_rows(self, rows: int) -> None:
        """Refuse too large a delta, or too few IDs, for a public number of rows.

        ``rows`` is the number of rows of the table. If it is private, nothing is refused, as
        that would disclose something about it; rows beyond the last ID then have none.

        Raises:
            ArgumentError: Delta is 1 / rows or more.
            DomainError: A pattern has fewer values than there will be synthetic rows.
        """
        if self.unit.shares_rows(self.neighbors):
            self.check_rows(rows)
            if self.rows is None:
                refuse_short(self.domain.identifiers, rows)

    def to_json(self) -> Document:
        """Return the plan as JSON, which `from_json` reads.

        The options are in the order of `IN_PLAN`. Defaults of options that are seldom used
        are left out.
        """
        # The unit is written as its two numbers, which are options of their own.
        values = {**vars(self), "person": self.unit.person, "max_rows": self.unit.max_rows}
        content = {}
        for option in IN_PLAN:
            value = values[option.name]
            if option.seldom and value in (option.default, ()):
                continue
            content[option.name] = option.codec.encode(value)
        return content

    @classmethod
    def from_json(cls, content: Document) -> Plan:
        """Return the plan that `to_json` wrote.

        Raises:
            SynthError: The content is no plan, or an impossible one.
        """
        try:
            codecs = {
                option.name: option.codec
                for option in IN_PLAN
                if not option.seldom or option.name in content
            }
            values = read_all(codecs, content)
            unit = Unit(values.pop("person"), values.pop("max_rows"))
            return cls(unit=unit, **values)
        except ArgumentError:  # a ValueError that says more than the sentence below
            raise
        except (KeyError, TypeError, ValueError, AttributeError):
            raise ArgumentError(NO_PLAN) from None


def _check_listed(domain: Domain, repair: str) -> None:
    """Refuse a repair that needs all noisy counts if only the large ones are listed.

    Raises:
        LimitError: The domain has more cells than are listed, whatever their counts.
    """
    if domain.size > limits.LISTED_CELLS:
        raise LimitError(
            f"The {repair} repair needs all noisy counts; of more than "
            f"{limits.LISTED_CELLS:,} "
            "cells only the large ones are listed. Choose the automatic repair, or coarsen "
            "a column."
        )


def _check_dense_or_advise(domain: Domain) -> None:
    """Refuse a domain with too many cells for a histogram, and name another method.

    Raises:
        LimitError: It has too many cells.
    """
    try:
        check_dense(domain)
    except LimitError as error:
        raise LimitError(
            f"{error} Or choose the method auto: it joins histograms of a few columns each."
        ) from None


__all__ = ("Method", "Plan")
