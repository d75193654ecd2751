"""Entries of the ledger: spends on a dataset, their sums, and its rests budget.

>>> from synth.privacy.budget import parse_budget
>>> half = Guarantee.pure(Fraction(1, 2))
>>> spend = Entry(
...     number=1,
...     time="2026-01-01",
...     dataset="survey",
...     guarantee=half,
...     neighbors=Neighbors.ADD_REMOVE,
...     purpose="histogram",
...     hash="",
... )
>>> balance = Balance(
...     dataset="survey", budget=parse_budget("3", Neighbors.ADD_REMOVE), spends=(spend,)
... )
>>> balance.left, balance.spends[0].protects
(Fraction(5, 2), 'one row')
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Self, cast

from synth import limits
from synth.door.ledger import chain
from synth.door.ledger.budgets import BudgetEntry
from synth.door.ledger.chain import Event
from synth.errors import LedgerError
from synth.privacy import (
    Budget,
    Guarantee,
    Neighbors,
    brief,
    from_terms,
    plain,
    scientific,
    sum_up,
)
from synth.util import Document

if TYPE_CHECKING:
    from synth.door.ledger.reservations import Reservation

# Number of the algorithm: which queries a plan asks, in which order, with which noise, and
# which rows follow from the answers. Raise it whenever any of these changes:
# `tests/ledger/test_algorithm.py` and `tests/golden` detect it. Ledgers of versions before
# 1.0.0 hold lower numbers.
ALGORITHM = 17
MOVED = (
    "The budget was changed after the first spend. A rho or a delta provably limits a series "
    "of spends only if it was fixed before the first."
)


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One spend.

    Attributes:
        number: The number of the event that records it.
        time: When it was recorded, in UTC and ISO 8601.
        dataset: The steward's name for the people in the table.
        guarantee: The spend.
        neighbors: The relation of the guarantee.
        purpose: The purchase, in words.
        hash: The hash of the event, which a certificate quotes.
        person: The column that identifies the person; empty if each row is a person.
        by: Who made the request; empty if unknown.
        approved_by: The second person who approved it; empty if none was needed.
        project: The project whose reserved budget pays; empty for none.
    """

    number: int
    time: str
    dataset: str
    guarantee: Guarantee
    neighbors: Neighbors
    purpose: str
    hash: str
    person: str = ""
    by: str = ""
    approved_by: str = ""
    project: str = ""

    @classmethod
    def from_event(cls, event: Event) -> Self:
        """Return the spend that an event of the kind "spend" records."""
        content = event.content
        return cls(
            number=event.number,
            time=event.time,
            dataset=event.dataset,
            guarantee=from_terms(cast("dict[str, str]", content["guarantee"])),
            neighbors=Neighbors(cast("str", content["neighbors"])),
            purpose=cast("str", content["purpose"]),
            hash=event.hash,
            person=cast("str", content.get("person", "")),
            by=cast("str", content.get("by", "")),
            approved_by=cast("str", content.get("approved_by", "")),
            project=cast("str", content.get("project", "")),
        )

    def is_about(self, guarantee: Guarantee, neighbors: Neighbors, person: str) -> bool:
        """Return whether the spend bought this guarantee, for this relation and unit."""
        return (self.guarantee, self.neighbors, self.person) == (guarantee, neighbors, person)

    @property
    def protects(self) -> str:
        """The protected unit, in words."""
        return _unit(self.person)


@dataclass(frozen=True, kw_only=True)
class AskedSpend:
    """A spend that somebody asks for.

    Attributes:
        dataset: The dataset's name.
        guarantee: The spend.
        neighbors: Which tables count as neighbours for this guarantee.
        person: The column that identifies the person; empty if each row is a person.
        table: The table's `fingerprint`.
        request: Together with the table, determines the release.
        content: What its line in the ledger says.
        dossier: A second person's view of it; None if it was not prepared.
    """

    dataset: str
    guarantee: Guarantee
    neighbors: Neighbors
    person: str
    table: str
    request: str
    content: Document
    dossier: Document | None

    @property
    def vouching(self) -> Document:
        """The field that says that it vouches for values from the rows; empty if not."""
        vouches = self.dossier is not None and self.dossier.get("vouches") is True
        return {"vouches": True} if vouches else {}

    @property
    def subject(self) -> Document:
        """Exactly what a second person approves: the line, the request and the vouching."""
        content = {name: value for name, value in self.content.items() if name != "by"}
        return {**content, **self.vouching, "request": chain.digest(self.request)}

    def is_paid_by(self, spend: Entry) -> bool:
        """Return whether a spend of this request has its guarantee and neighbours, too."""
        return spend.is_about(self.guarantee, self.neighbors, self.person)


@dataclass(frozen=True)
class Subtotal:
    """Spends of a dataset that may be added, as they share the unit and the relation.

    Attributes:
        protects: The protected unit, in words.
        neighbors: The relation of all these spends.
        guarantees: What each spend cost, oldest first.
    """

    protects: str
    neighbors: Neighbors
    guarantees: tuple[Guarantee, ...]

    def total(self, budget: Budget | None) -> Guarantee | None:
        """Return the sum of the spends; None if it has no common unit.

        That is so for an (epsilon, delta) together with a rho. If the budget is a rho and no
        delta was spent, the sum is a rho too: each pure epsilon counts epsilon^2 / 2.
        ``budget`` is None for a dataset without one.
        """
        total = sum_up(self.guarantees)
        if budget is None or budget.unit == "epsilon" or total is None or total.delta:
            return total
        return Guarantee.zcdp(budget.sum_spends(self.guarantees))


@dataclass(frozen=True, kw_only=True)
class Balance:
    """A dataset's budget and its spends.

    Attributes:
        dataset: The standard spelling of the dataset's name.
        budget: The budget in force, if any.
        spends: All spends, oldest first.
        fixed: Whether the budget was set before the first spend and never changed.
        budgets: All budgets that the dataset ever had, oldest first.
        reservations: Parts of the budget that projects have reserved.
        project: The project that is going to spend; empty for none.
    """

    dataset: str
    budget: Budget | None
    spends: tuple[Entry, ...]
    fixed: bool = True
    budgets: tuple[BudgetEntry, ...] = ()
    reservations: "tuple[Reservation, ...]" = ()
    project: str = ""

    @property
    def changes(self) -> tuple[BudgetEntry, ...]:
        """The budgets that replaced an earlier one, oldest first."""
        return self.budgets[1:]

    def rest_of(self, reservation: "Reservation") -> tuple[Fraction, Fraction]:
        """Return what a project has left of its reservation: of the amount and the delta."""
        from synth.door.ledger.reservations import rest_of  # which most budgets do not need

        assert self.budget is not None
        spends = [
            entry.guarantee for entry in self.spends if entry.project == reservation.project
        ]
        spent_delta = sum((spend.delta for spend in spends), Fraction(0))
        return rest_of(reservation, self.budget.sum_spends(spends), spent_delta)

    def describe_reservation(self, reservation: "Reservation") -> str:
        """Return a reservation in words: the project, the amount, and what is left of it."""
        left, _ = self.rest_of(reservation)
        return (
            f"Reserved for the project '{reservation.project}': {plain(reservation.amount)}, "
            f"with {plain(left)} left"
        )

    @property
    def held_back(self) -> tuple[Fraction, Fraction]:
        """What other projects have reserved and not spent: of the amount and of the delta."""
        rests = [
            self.rest_of(reservation)
            for reservation in self.reservations
            if reservation.project != self.project
        ]
        amounts = (amount for amount, _ in rests)
        deltas = (delta for _, delta in rests)
        return sum(amounts, Fraction(0)), sum(deltas, Fraction(0))

    @property
    def spent(self) -> Fraction:
        """The sum of the spends, in the budget's unit.

        Spends that protect rows and spends that protect persons are never added. Ledgers of
        earlier versions may hold both; then this is the larger of the two sums."""
        if self.budget is None:
            return Fraction(0)
        sums = (self.budget.sum_spends(subtotal.guarantees) for subtotal in self.subtotals)
        return max(sums, default=Fraction(0))

    @property
    def left(self) -> Fraction:
        """The rest of the budget, in its unit; 0 without a budget."""
        return self.budget.amount - self.spent if self.budget else Fraction(0)

    def left_after(self, cost: Guarantee, *, gaussian: bool = True) -> Fraction | None:
        """Return what a spend would leave of the budget, in its unit; negative if too much.

        Args:
            cost: The cost of the spend.
            gaussian: Whether a cost with a delta holds by Gaussian DP, as a release's does.

        Returns:
            None without a budget, or if an epsilon would have to pay for a rho.
        """
        if self.budget is None or (self.budget.unit == "epsilon" and cost.rho is not None):
            return None
        charged = self.budget.charge(cost, gaussian=gaussian)
        return self.left - self.budget.sum_spends([charged])

    def allows(self, cost: Guarantee) -> bool:
        """Return whether what is left of the budget pays for a release.

        Without a budget, every cost is allowed. A rho is not if the budget is an epsilon.
        """
        if self.budget is None:
            return True
        held_back, held_back_delta = self.held_back
        rest = self.left_after(cost)
        if rest is None or rest < held_back:
            return False
        charged = self.budget.charge(cost, gaussian=True)
        if not charged.delta:
            return True
        spends = [entry.guarantee for entry in self.spends]
        return self.budget.delta_left([*spends, charged]) >= held_back_delta

    @property
    def spent_words(self) -> str:
        """The sum of the spends, with its delta if the budget counts one."""
        return self._with_delta(brief(self.spent, most=limits.NUMBER_SHOWN), self.spent_delta)

    @property
    def left_words(self) -> str:
        """The rest of the budget in words, with the rest of its delta if some is spent.

        The rest is rounded down, so that nobody plans to spend more than there is.
        """
        amount = brief(self.left, up=False, most=limits.NUMBER_SHOWN)
        if self.budget is None or not self.spent_delta:
            return amount
        return self._with_delta(amount, self.left_delta)

    @property
    def spent_delta(self) -> Fraction:
        """The largest sum of deltas among the groups of spends that may be added."""
        sums = (
            sum(cost.delta for cost in subtotal.guarantees) for subtotal in self.subtotals
        )
        return Fraction(max(sums, default=0))

    @property
    def left_delta(self) -> Fraction:
        """The rest of the delta that the budget allows; 0 without a budget."""
        allowed = self.budget.guarantee.delta if self.budget else Fraction(0)
        return allowed - self.spent_delta if allowed else Fraction(0)

    @staticmethod
    def _with_delta(amount: str, delta: Fraction) -> str:
        return f"{amount} and delta {scientific(delta)}" if delta else amount

    @property
    def subtotals(self) -> tuple[Subtotal, ...]:
        """The spends in groups, by what they protect and by their relation of neighbours.

        Only the spends of one group may be added.
        """
        groups: dict[tuple[str, Neighbors], list[Guarantee]] = {}
        for entry in self.spends:
            groups.setdefault((entry.protects, entry.neighbors), []).append(entry.guarantee)
        return tuple(
            Subtotal(protects, neighbors, tuple(costs))
            for (protects, neighbors), costs in groups.items()
        )

    @property
    def stated_delta(self) -> Fraction:
        """The delta at which a rho is stated as an epsilon: the budget's, or the default.

        A budget in rho names it; a budget in epsilon may have a delta of its own.
        """
        stated = self.budget and (self.budget.delta or self.budget.guarantee.delta)
        return stated or limits.STATED_DELTA

    @property
    def was_moved(self) -> bool:
        """Whether the budget was changed although the proof needs a fixed one.

        It needs one for a rho and for a delta, as spends may depend on earlier answers. A
        pure epsilon adds up even so. A budget counts as fixed if it was set before the first
        spend and never changed.
        """
        budget = self.budget
        if budget is None or self.fixed:
            return False
        return budget.unit == "rho" or budget.guarantee.delta > 0

    def check_paid(self, cost: Guarantee) -> None:
        """Refuse a spend that the budget can't pay after the earlier ones.

        Without a budget, every cost is accepted.

        Raises:
            LedgerError: Names what is left of the epsilon or rho, or else of the delta.
        """
        budget = self.budget
        spends = [entry.guarantee for entry in self.spends]
        if budget is None:
            return
        if budget.admits([*spends, cost]):
            self._check_held_back([*spends, cost])
            return
        cost_words = brief(budget.sum_spends([cost]))
        rest_words = brief(max(self.left, Fraction(0)), up=False)
        # If the epsilon or rho would be enough, it is the delta that is lacking.
        if budget.remaining_after([*spends, cost]) >= 0:
            cost_words = f"a delta of {scientific(cost.delta)}"
            rest_words = scientific(max(budget.delta_left(spends), Fraction(0)))
        raise LedgerError(
            f"This release costs {cost_words}, but of the budget of '{self.dataset}' "
            f"({budget}) only {rest_words} is left."
        )

    def check_reservations(self) -> None:
        """Refuse reservations that the rest of the budget does not cover.

        Raises:
            LedgerError: Names the rest.
        """
        amount, delta = self.held_back
        if amount > self.left or (delta and delta > self.left_delta):
            raise LedgerError(
                f"Of the budget of '{self.dataset}' only {self.left_words} is left, less "
                "than what all projects would have reserved."
            )

    def _check_held_back(self, spends: Sequence[Guarantee]) -> None:
        """Refuse spends that leave less than what other projects have reserved.

        Raises:
            LedgerError: Names the reserved amount.
        """
        assert self.budget is not None
        amount, delta = self.held_back
        if not amount and not delta:
            return
        has_amount = self.budget.remaining_after(spends) >= amount
        if has_amount and (not delta or self.budget.delta_left(spends) >= delta):
            return
        reserved = brief(amount) if not has_amount else f"a delta of {scientific(delta)}"
        raise LedgerError(
            f"Of the budget of '{self.dataset}', {reserved} is reserved for other projects, "
            "and the rest does not pay for this release; name the project by --project, or "
            "spend less."
        )

    def check(self, person: str) -> None:
        """Refuse a spend that protects another unit than an earlier one: they can't be added.

        Args:
            person: The column that identifies the person; empty if the unit is a row.

        Raises:
            LedgerError: Names both units.
        """
        before = next((entry for entry in self.spends if entry.person != person), None)
        if before is not None:
            raise LedgerError(
                f"Earlier spends on '{self.dataset}' protect {before.protects}, but this "
                f"release protects {_unit(person)}; they cannot be added up. Declare the "
                "same privacy unit, or give this release a dataset name of its own."
            )


def _unit(person: str) -> str:
    return f"one person by the column '{person}'" if person else "one row"
