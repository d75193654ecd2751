"""Parts of a budget that are reserved for projects: others cannot spend them. PUBLIC.

>>> reserved = Reservation(number=2, time="2026-01-01", project="atlas", amount=Fraction(1))
>>> rest_of(reserved, Fraction(1, 4), Fraction(0))
(Fraction(3, 4), Fraction(0, 1))
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Self, cast

from synth.door.ledger.chain import Event
from synth.door.ledger.names import standard
from synth.errors import ArgumentError, LedgerError
from synth.privacy import Budget, parse_budget, parse_rational
from synth.util import Document


@dataclass(frozen=True, kw_only=True)
class Reservation:
    """A part of a dataset's budget that only one project may spend.

    Attributes:
        number: The number of the event that reserved it.
        time: When it was reserved, in UTC and ISO 8601.
        project: The project's name.
        amount: The epsilon or rho, in the unit of the budget; 0 if nothing is reserved.
        delta: The delta, of a budget that counts one.
        by: Who reserved it; empty if unknown.
        approved_by: The second person who approved it; empty if none was needed.
    """

    number: int
    time: str
    project: str
    amount: Fraction
    delta: Fraction = Fraction(0)
    by: str = ""
    approved_by: str = ""

    @classmethod
    def from_event(cls, event: Event) -> Self:
        """Return the reservation that an event of the kind "reservation" records."""
        content = event.content
        return cls(
            number=event.number,
            time=event.time,
            project=cast("str", content["project"]),
            amount=Fraction(cast("str", content["amount"])),
            delta=Fraction(cast("str", content.get("delta", "0"))),
            by=cast("str", content.get("by", "")),
            approved_by=cast("str", content.get("approved_by", "")),
        )

    def to_json(self) -> Document:
        """Return the content of the event that reserves it."""
        content: Document = {"project": self.project, "amount": str(self.amount)}
        if self.delta:
            content["delta"] = str(self.delta)
        return content


def check_project(name: str) -> str:
    """Return the name of a project in its standard spelling.

    Raises:
        LedgerError: It is empty, too long, or has characters that cannot be printed.
    """
    spelled = standard(name)
    if not spelled or len(spelled) > 100 or not spelled.isprintable():
        raise LedgerError("The name of a project needs 1 to 100 printable characters.")
    return spelled


def read_reserved(text: str, budget: Budget) -> tuple[Fraction, Fraction]:
    """Return the amount and the delta that a text reserves of a budget.

    Args:
        text: A number in the unit of the budget, ``0`` for nothing, or
            ``epsilon=1,delta=1e-7``.
        budget: The budget of the dataset.

    Raises:
        ArgumentError: The text is no such amount, or has another unit than the budget.
    """
    if "=" not in text:
        amount = parse_rational(text, name="The amount")
        if amount < 0:
            raise ArgumentError("The amount to reserve must be 0 or more.")
        return amount, Fraction(0)
    named = parse_budget(text, budget.neighbors)
    if named.unit != budget.unit:
        raise ArgumentError(
            f"The budget is in {budget.unit}, so reserve a part of it in this."
        )
    return named.amount, named.guarantee.delta


def rest_of(
    reservation: Reservation, spent: Fraction, spent_delta: Fraction
) -> tuple[Fraction, Fraction]:
    """Return what a project has left of its reservation: of the amount, and of the delta.

    Args:
        reservation: The reserved part.
        spent: The spends of the project, in the unit of the budget.
        spent_delta: Its deltas together.
    """
    nothing = Fraction(0)
    return (
        max(nothing, reservation.amount - spent),
        max(nothing, reservation.delta - spent_delta),
    )
