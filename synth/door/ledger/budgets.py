"""Budgets as the ledger records them: the first one, and changes with their reasons. PUBLIC.

>>> from synth.privacy.budget import parse_budget
>>> budget = parse_budget("3", Neighbors.REPLACE_ONE)
>>> read_budget(write_budget(budget)) == budget, check_reason("  a second  wave ")
(True, 'a second wave')
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Self, cast

from synth import limits
from synth.door.ledger.chain import Event
from synth.errors import LedgerError
from synth.privacy import Budget, Neighbors, from_terms, terms
from synth.util import Document


@dataclass(frozen=True, kw_only=True)
class BudgetEntry:
    """A budget that somebody set.

    Attributes:
        number: The number of the event that set it.
        time: When it was set, in UTC and ISO 8601.
        budget: The budget.
        reason: Why it was changed; empty for the first budget of a dataset, and for
            changes by earlier versions, which asked for none.
        by: Who set it; empty if unknown.
    """

    number: int
    time: str
    budget: Budget
    reason: str = ""
    by: str = ""

    @classmethod
    def from_event(cls, event: Event) -> Self:
        """Return the budget that an event of the ledger set."""
        return cls(
            number=event.number,
            time=event.time,
            budget=read_budget(event.content),
            reason=cast("str", event.content.get("reason", "")),
            by=cast("str", event.content.get("by", "")),
        )


def write_budget(budget: Budget) -> Document:
    """Return a budget as the JSON content of a ledger event, each number exact."""
    delta = None if budget.delta is None else str(budget.delta)
    return {
        "budget": terms(budget.guarantee),
        "neighbors": budget.neighbors.value,
        "delta": delta,
    }


def read_budget(content: Document) -> Budget:
    """Return the budget in the content of a ledger event, as `write_budget` wrote it."""
    delta = cast("str | None", content["delta"])
    return Budget(
        from_terms(cast("dict[str, str]", content["budget"])),
        Neighbors(cast("str", content["neighbors"])),
        None if delta is None else Fraction(delta),
    )


def check_reason(text: str) -> str:
    """Return the reason for a change with blanks trimmed and squeezed.

    Raises:
        LedgerError: It is empty, too long, or contains characters that cannot be printed.
    """
    reason = " ".join(text.split())
    if not reason or len(reason) > limits.REASON or not reason.isprintable():
        raise LedgerError(
            "A change of the budget needs a reason of 1 to "
            f"{limits.REASON} printable characters; the ledger records it."
        )
    return reason


def refuse_other_budget(
    dataset: str, recorded_budget: Budget | None, requested_budget: Budget
) -> None:
    """Refuse a budget that differs from the recorded one, by a `LedgerError`.

    Args:
        dataset: The dataset's name, for the error.
        recorded_budget: The budget in the ledger; None if earlier versions recorded several
            that cannot be compared.
        requested_budget: The budget that somebody asks for now.
    """
    recorded = str(recorded_budget or "set in several ways that cannot be compared")
    raise LedgerError(
        f"The budget of '{dataset}' is {recorded}, and not {requested_budget}: leave the "
        "budget out, or change it first, with a reason, by `synth ledger budget`, "
        "`Ledger.change_budget` or the page Ledger."
    )
