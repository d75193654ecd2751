"""What was spent on a dataset, by entries of the ledger, and what is left of its budget.

>>> from synth.privacy.budget import parse_budget
>>> half = Guarantee.pure(Fraction(1, 2))
>>> spend = Entry(1, "2026-01-01", "survey", half, Neighbors.ADD_REMOVE, "histogram", "")
>>> balance = Balance("survey", parse_budget("3", Neighbors.ADD_REMOVE), (spend,))
>>> balance.left, balance.spends[0].protects
(Fraction(5, 2), 'one row')
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Self, cast

from synth import limits
from synth.door.ledger.chain import Event
from synth.errors import LedgerError
from synth.privacy import Budget, Guarantee, Neighbors, brief, from_terms, scientific, sum_up

ALGORITHM = 8
"""The number of what decides which queries a plan asks, in which order, with which noise, and which
rows come of the answers. Raise it with any change of that: `tests/ledger/test_algorithm.py` and
`tests/golden` see one. Lower numbers stand in ledgers of versions before 1.0.0."""
MOVED = (
    "The budget was changed after the first spend; a rho or a delta is proved to bound spends "
    "chosen one after another where it was fixed before them."
)


@dataclass(frozen=True)
class Entry:
    """One spend. ``time`` is UTC in ISO 8601; the rest is the request.

    ``person`` is the column that says whose row it is, empty where each row is a person; ``by``
    is who made the request, where that is known.
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

    @classmethod
    def from_event(cls, event: Event) -> Self:
        """Read an event of the ledger."""
        content = event.content
        return cls(
            event.number,
            event.time,
            event.dataset,
            from_terms(cast("dict[str, str]", content["guarantee"])),
            Neighbors(cast("str", content["neighbors"])),
            cast("str", content["purpose"]),
            event.hash,
            cast("str", content.get("person", "")),
            cast("str", content.get("by", "")),
        )

    @property
    def protects(self) -> str:
        """Whose data this spend is about, in words."""
        return _unit(self.person)


@dataclass(frozen=True)
class Subtotal:
    """The spends of a dataset that may be added up: about one unit, and one relation.

    Attributes:
        protects: Whose data they are about, in words.
        neighbors: The relation.
        guarantees: What each cost, oldest first.
    """

    protects: str
    neighbors: Neighbors
    guarantees: tuple[Guarantee, ...]

    def total(self, budget: Budget | None) -> Guarantee | None:
        """Their sum, in the unit of the budget where there is one; None where there is no sum."""
        total = sum_up(self.guarantees)
        if budget is None or budget.unit == "epsilon" or total is None or total.delta:
            return total
        return Guarantee.zcdp(budget.sum_spends(self.guarantees))


@dataclass(frozen=True)
class Balance:
    """A dataset's budget and its spends.

    ``fixed`` says whether the budget was set before the first spend and stayed as it was.
    """

    dataset: str
    budget: Budget | None
    spends: tuple[Entry, ...]
    fixed: bool = True

    @property
    def spent(self) -> Fraction:
        """The sum of the spends, in the budget's unit.

        What protects rows and what protects persons is never added up. Ledgers of earlier
        versions may hold both; then it is the larger of the two sums.
        """
        if self.budget is None:
            return Fraction(0)
        sums = (self.budget.sum_spends(one.guarantees) for one in self.subtotals)
        return max(sums, default=Fraction(0))

    @property
    def left(self) -> Fraction:
        """What is not yet spent."""
        return self.budget.amount - self.spent if self.budget else Fraction(0)

    @property
    def subtotals(self) -> tuple[Subtotal, ...]:
        """The spends by whom they protect and by the relation, in the order of the first ones."""
        groups: dict[tuple[str, Neighbors], list[Guarantee]] = {}
        for entry in self.spends:
            groups.setdefault((entry.protects, entry.neighbors), []).append(entry.guarantee)
        return tuple(Subtotal(*key, tuple(costs)) for key, costs in groups.items())

    @property
    def stated_delta(self) -> Fraction:
        """The delta at which a rho is told as an epsilon: the budget's, or the usual one."""
        stated = self.budget and (self.budget.delta or self.budget.guarantee.delta)
        return stated or limits.STATED_DELTA

    @property
    def was_moved(self) -> bool:
        """Whether the budget was changed although the proof behind it asks for a fixed one."""
        budget = self.budget
        if budget is None or self.fixed:
            return False
        return budget.unit == "rho" or budget.guarantee.delta > 0

    def check_paid(self, budget: Budget, cost: Guarantee) -> None:
        """Refuse a spend that a budget does not pay beside those before, in any of its units.

        Raises:
            LedgerError: Naming what is left of the epsilon or rho, or else of the delta.
        """
        spends = [entry.guarantee for entry in self.spends]
        if budget.admits([*spends, cost]):
            return
        asked = brief(budget.sum_spends([cost]))
        left = brief(max(self.left, Fraction(0)), up=False)
        if budget.remaining_after([*spends, cost]) >= 0:
            asked = f"a delta of {scientific(cost.delta)}"
            left = scientific(max(budget.delta_left(spends), Fraction(0)))
        raise LedgerError(
            f"This release costs {asked}, but of the budget of '{self.dataset}' ({budget}) only "
            f"{left} is left."
        )

    def check(self, person: str) -> None:
        """Refuse a spend that protects another unit than those before.

        Raises:
            LedgerError: What rows and persons are promised cannot be added up.
        """
        before = next((entry for entry in self.spends if entry.person != person), None)
        if before is not None:
            raise LedgerError(
                f"Earlier spends on '{self.dataset}' protect {before.protects}, but this release "
                f"protects {_unit(person)}; they cannot be added up. Declare the same privacy "
                "unit, or give this release a dataset name of its own."
            )


def _unit(person: str) -> str:
    return f"one person by the column '{person}'" if person else "one row"
