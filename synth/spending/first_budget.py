"""The first budget of a dataset: the one that its first spend sets."""

from collections.abc import Sequence

from synth.door import Ledger
from synth.errors import LedgerError
from synth.privacy import DEFAULT_BUDGET, Guarantee, Neighbors, parse_budget

NEW_BUDGET = (
    "The budget of '{}' is now epsilon 3 and delta one in a million, for all spends on these "
    "people together; it can be changed, with a reason."
)


def needs_budget(ledger: Ledger, dataset: str) -> bool:
    """Return whether a spend on a dataset must set its first budget.

    A ledger that only answers again what was paid for before takes no budget.
    """
    return not (ledger.balance(dataset).budgets or ledger.has_repeats_only)


def set_first_budget(
    ledger: Ledger,
    dataset: str,
    costs: Sequence[Guarantee],
    *,
    neighbors: Neighbors,
    option: str,
) -> str:
    """Set the budget of a dataset at its first spend; return a remark, empty if it has one.

    Args:
        ledger: The ledger that records the spend.
        dataset: The dataset's name.
        costs: The amounts that the call is about to spend.
        neighbors: The relation of the spends.
        option: How a budget is named where the steward works, such as ``--budget``.

    Raises:
        LedgerError: The spend is above the default budget, or cannot be counted by it.
    """
    if not needs_budget(ledger, dataset):
        return ""
    budget = parse_budget(DEFAULT_BUDGET, neighbors)
    if any(cost.rho is not None for cost in costs):
        raise LedgerError(
            f"'{dataset}' has no budget yet, and the usual one counts epsilon: name one that "
            f"counts rho, such as rho=1/2,delta=1e-9, by {option}."
        )
    if not budget.admits(costs):
        raise LedgerError(
            f"'{dataset}' has no budget yet, and this costs more than the usual one of "
            f"epsilon 3: name the most that all spends on these people may cost, by {option}."
        )
    ledger.set_default_budget(dataset, budget)
    return NEW_BUDGET.format(dataset)
