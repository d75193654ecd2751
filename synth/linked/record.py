"""Measurements of linked tables, and their model. PUBLIC."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from synth.domain import LinkedPackage
from synth.errors import ReleaseError
from synth.estimate import Account
from synth.linked.laws import draw_noise
from synth.linked.marginals import LinkedMarginal
from synth.linked.model import LinkedModel
from synth.linked.strategy import measure_linked
from synth.linked.table_measures import LinkedRequest
from synth.noise import Mechanism
from synth.privacy import Guarantee
from synth.util import Ints, one_thread


@dataclass(frozen=True, eq=False, kw_only=True)
class LinkedSpend:
    """One payment.

    Attributes:
        marginals: The histogram; or several, whose distances from guesses were measured.
        values: The noisy numbers, shape (numbers,).
        mechanism: The noise on each.
        cost: The price.
        is_distance: Whether distances were measured.
    """

    marginals: tuple[LinkedMarginal, ...]
    values: Ints
    mechanism: Mechanism
    cost: Guarantee
    is_distance: bool = False

    def what(self, package: LinkedPackage) -> str:
        """Name what was measured, in words."""
        if self.is_distance:
            return f"how far {len(self.marginals)} histograms are from independence"
        return self.marginals[0].in_words(package)

    def answers(self, request: LinkedRequest, account: Account) -> bool:
        """Return whether this payment is for a request, with the same noise and cost.

        A request with guesses asks for the distances from them.
        """
        return (
            self.marginals == request.marginals
            and self.is_distance == bool(request.guesses)
            and self.mechanism == request.noise
            and self.cost == account.claim(request.cost)
        )


@one_thread
def add_noise_to(
    package: LinkedPackage, account: Account, answer: Callable[[LinkedRequest], Ints]
) -> tuple[LinkedModel, list[LinkedSpend]]:
    """Measure all tables, and return the fitted model with all payments in order.

    Args:
        package: The declared tables.
        account: The budget and what it protects.
        answer: Returns the noisy numbers for a request.
    """
    # A generator that yields requests, is sent the answers, and returns the model.
    asking = measure_linked(package, account)
    spends: list[LinkedSpend] = []
    try:
        request = next(asking)
        while True:
            values = answer(request)
            # The cost as a guarantee: a request has it as a number in the account's unit.
            cost = account.claim(request.cost)
            spend = LinkedSpend(
                marginals=request.marginals,
                values=values,
                mechanism=request.noise,
                cost=cost,
                is_distance=bool(request.guesses),
            )
            spends.append(spend)
            request = asking.send(values)
    except StopIteration as end:
        model: LinkedModel = end.value
        return model, spends


@one_thread
def replay(
    package: LinkedPackage, account: Account, spends: Sequence[LinkedSpend]
) -> LinkedModel:
    """Return the model that follows from recorded measurements.

    What is asked next depends on the answers before, so all is asked again, and answered by
    the record.

    Raises:
        ReleaseError: The record has other measurements than are asked, or more of them.
    """
    remaining = list(spends)

    def answer(request: LinkedRequest) -> Ints:
        """Return the recorded numbers of a request, which must be the next of the record."""
        if not remaining or not remaining[0].answers(request, account):
            raise ReleaseError("Another histogram follows from the noisy counts before.")
        return remaining.pop(0).values

    model, _ = add_noise_to(package, account, answer)
    if remaining:
        raise ReleaseError("More histograms were measured than follow from the noisy counts.")
    return model


def noise_is_paid(package: LinkedPackage, account: Account, spend: LinkedSpend) -> bool:
    """Return whether a payment's cost buys exactly its noise, on its number of values."""
    cost = account.count_spent(spend.cost)
    # It must be written in the account's own unit, an epsilon or a rho.
    if spend.cost != account.claim(cost):
        return False
    count = len(spend.marginals)
    # Distances are one number for each histogram; else each cell of one histogram is one.
    if spend.is_distance:
        return len(spend.values) == count and spend.mechanism == account.distance_noise(
            cost, count
        )
    marginal = spend.marginals[0]
    cell_count = int(np.prod(marginal.shape(package)))
    has_right_size = count == 1 and len(spend.values) == cell_count
    return has_right_size and spend.mechanism == draw_noise(
        account, cost, marginal.reach(package)
    )
