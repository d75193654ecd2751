"""The payments of a release: their sum, and that each pays for its noise. PUBLIC."""

import math
from collections.abc import Sequence
from dataclasses import replace

from synth.bundle import (
    PLAN,
    ChoiceNoise,
    MarginalsCertificate,
    MomentRecord,
    Payment,
    beyond_of,
    claim_of,
)
from synth.domain import Domain
from synth.errors import ArgumentError
from synth.estimate import (
    AS_IT_STANDS,
    DISTANCES,
    GUESS_DISTANCES,
    WORST,
    Clique,
    MomentSum,
    Spend,
    moment_queries,
    moment_sensitivity,
    name_sums,
    ranged_forms,
    small_pairs,
)
from synth.noise import Norm
from synth.plans import Plan
from synth.privacy import GRID, Guarantee, Sensitivity, covers
from synth.verification.files import refuse


def check_spends(certificate: MarginalsCertificate, plan: Plan) -> tuple[Spend, ...]:
    """Check that the payments sum to the claim, exactly; return them.

    Raises:
        ReleaseError: They do not, or some noise does not match its share.
    """
    claim = certificate.guarantee
    claim_again = claim_of(
        claim.epsilon,
        plan.neighbors,
        claim.delta,
        unit=str(plan.unit),
        beyond=beyond_of(certificate),
    )
    if claim != claim_again:
        refuse("The certificate's statement does not follow from its epsilon and neighbours.")
    spends = tuple(
        read_spend(payment, plan.domain) for payment in certificate.mechanism.marginals
    )
    _check_sum(certificate, [spend.cost for spend in spends])
    for spend in spends:
        if not is_paid(spend, plan):
            refuse(f"The noise on {spend.what} does not match its share of the budget.")
        if not spend.moments and len(spend.values) != _distances(spend, plan):
            refuse(
                "The certificate does not list one noisy distance for each pair of columns, "
                "or the rows that rules leave out of a histogram."
            )
    return spends


def _check_sum(certificate: MarginalsCertificate, costs: list[Guarantee]) -> None:
    """Check that the costs add up to the spend, and that the claim covers the spend."""
    spent = certificate.mechanism.spent
    epsilon = certificate.guarantee.epsilon
    delta = certificate.guarantee.delta
    if sum(costs[1:], costs[0]) != spent:
        refuse("The spends do not add up to the certificate's total.")
    if spent.rho is None and (spent != Guarantee.pure(epsilon) or delta):
        refuse("The spend does not match the certificate's epsilon.")
    if spent.rho is not None and not (
        delta and covers(Guarantee.approximate(epsilon, delta), spent)
    ):
        refuse("The spend exceeds the certificate's epsilon and delta.")


def read_spend(payment: Payment, domain: Domain) -> Spend:
    """Return the spend of a payment, if the domain has its columns.

    Raises:
        RefutedError: It names other columns, or something that no strategy measures.
    """
    columns = payment.columns
    mechanism = None if isinstance(payment.noise, ChoiceNoise) else payment.noise
    summed = {
        name
        for moment in payment.moments
        for name in (*moment.columns, *moment.by, *moment.given)
    }
    if any(name not in domain.names for name in (*columns, *summed)):
        refuse("A spend names a column that the domain does not have.")
    if columns != tuple(name for name in domain.names if name in columns):
        refuse("A spend does not name its columns in the order of the domain.")
    moments = tuple(_read_moment(moment, domain.names) for moment in payment.moments)
    measured = " and ".join(columns) if columns else payment.what
    if moments:
        measured = name_sums(moments, domain.names)
    elif not columns and measured not in (DISTANCES, WORST, *GUESS_DISTANCES):
        refuse("The certificate lists a spend on something that no strategy measures.")
    return Spend(
        what=measured,
        cost=payment.cost,
        mechanism=mechanism,
        columns=columns,
        values=payment.values,
        moments=moments,
    )


def _read_moment(moment: MomentRecord, names: Sequence[str]) -> MomentSum:
    """Return a recorded sum with the numbers of its columns instead of their names."""
    return MomentSum(
        columns=tuple(map(names.index, moment.columns)),
        by=tuple(map(names.index, moment.by)),
        ranged=moment.ranged,
        given=tuple(map(names.index, moment.given)),
    )


def check_moments(spends: Sequence[Spend], plan: Plan, measured: Sequence[Clique]) -> None:
    """Check that the plan asks for these sums of numbers, and that they are paid.

    Args:
        measured: The columns of each measured histogram, by their numbers.
    """
    paid = [spend for spend in spends if spend.moments]
    sums = [
        tuple(replace(moment, ranged=False) for moment in spend.moments) for spend in paid
    ]
    has_known_forms = all(
        moment in ranged_forms(replace(moment, ranged=False))
        for spend in paid
        for moment in spend.moments
    )
    expected = moment_queries(plan.moments, plan.domain, measured)
    if sums != expected or not has_known_forms:
        refuse(f"The sums of numbers do not match '{PLAN}'.")
    for spend in paid:
        cells = sum(math.prod(moment.shape(plan.domain)) for moment in spend.moments)
        if spend.columns or len(spend.values) != cells:
            refuse("The certificate does not list one noisy sum for each cell.")
        if not is_paid(spend, plan):
            refuse(f"The noise on {spend.what} does not match its share of the budget.")


def is_paid(spend: Spend, plan: Plan) -> bool:
    """Return whether the noise costs the payment; a choice has no noise.

    It does not with too little noise for the proof of Gaussian DP, or noise that can't be
    drawn."""
    noise = spend.mechanism
    if not spend.columns and spend.what == WORST:
        return noise is None
    if noise is None:
        return False
    if (
        not noise.fits(len(spend.values))
        or noise.describe().get("norm", Norm.MAX) != Norm.MAX
    ):
        return False
    try:
        return noise.price(_sensitivity_of(spend, plan), spend.cost) == spend.cost
    except ArgumentError:
        return False


def _sensitivity_of(spend: Spend, plan: Plan) -> Sensitivity:
    """Return how far neighbours move what a spend measures.

    Raises:
        ArgumentError: The spend is about no pair at all.
    """
    if spend.moments:
        return moment_sensitivity(spend.moments, plan.unit, plan.neighbors)
    norm = plan.unit.sensitivity(plan.neighbors)
    if spend.columns:
        return Sensitivity(norm, plan.unit.square(plan.neighbors), norm)
    # Each distance of a pair is measured in steps of the grid.
    distance = GRID * norm
    if spend.what == AS_IT_STANDS:
        distance *= _public_pairs(plan)
        return Sensitivity(distance, distance**2, distance)
    pairs = _pairs(plan)
    return Sensitivity(distance * pairs, distance**2 * pairs, distance)


def _public_pairs(plan: Plan) -> int:
    """Return the number of pairs of columns that the public table has."""
    names = plan.domain.names
    public_columns = plan.public.columns if plan.public else ()
    numbers = {names.index(name) for name in public_columns if name in names}
    pairs = small_pairs(plan.domain.shape, plan.most_cells)
    return sum(numbers >= set(pair) for pair in pairs)


def _distances(spend: Spend, plan: Plan) -> int:
    """Return how many noisy values a spend must list: distances, or rows left out."""
    if spend.columns:
        return int(plan.unit.shares_rows(plan.neighbors))
    if spend.what in GUESS_DISTANCES and not spend.columns:
        if plan.public is None:
            refuse(f"The certificate lists {spend.what}, and '{PLAN}' names no public table.")
        return 1 if spend.what == AS_IT_STANDS else _pairs(plan)
    return _pairs(plan) if spend.what == DISTANCES else 0


def _pairs(plan: Plan) -> int:
    """Return the number of pairs of columns that are small enough to measure."""
    return len(small_pairs(plan.domain.shape, plan.most_cells))
