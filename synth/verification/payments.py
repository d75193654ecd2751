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
    count_small_pairs,
    moment_queries,
    moment_sensitivity,
    name_sums,
    ranged_forms,
    small_pairs,
)
from synth.plans import Plan
from synth.privacy import GRID, Guarantee, Sensitivity, covers
from synth.verification.files import refuse


def check_spends(certificate: MarginalsCertificate, plan: Plan) -> tuple[Spend, ...]:
    """Check that the payments sum to the claim, exactly; return them.

    Args:
        certificate: The certificate of the release alone, without payments before and after
            it.
        plan: The plan of the release.

    Raises:
        RefutedError: They do not, or some noise does not match its share.
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
    """Check that the costs add up to the spend, and that the claim covers the spend.

    In pure differential privacy both are the same epsilon, and there is no delta. In zCDP or
    Gaussian DP the spend is a rho, which the claimed epsilon and delta must imply.

    Args:
        certificate: The certificate, with the claim and the spend.
        costs: The cost of each payment; at least one.
    """
    spent = certificate.mechanism.spent
    epsilon = certificate.guarantee.epsilon
    delta = certificate.guarantee.delta
    # A sum needs a guarantee to begin with, as 0 is none.
    if sum(costs[1:], costs[0]) != spent:
        refuse("The spends do not add up to the certificate's total.")
    if spent.rho is None and (spent != Guarantee.pure(epsilon) or delta):
        refuse("The spend does not match the certificate's epsilon.")
    if spent.rho is not None and not (
        delta and covers(Guarantee.approximate(epsilon, delta), spent)
    ):
        refuse("The spend exceeds the certificate's epsilon and delta.")


def read_spend(payment: Payment, domain: Domain) -> Spend:
    """Return a payment of a certificate as the spend that it records.

    Args:
        payment: The payment as the certificate has it: the cost, the noise, and what was
            measured.
        domain: The declared columns.

    Raises:
        RefutedError: It names other columns, or something that no strategy measures.
    """
    columns = payment.columns
    # A private choice adds no noise.
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
    # What was measured, in Synth's words, so that a forged description differs from it.
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
    """Return a recorded sum of numbers with column numbers instead of column names.

    Args:
        moment: The sum in the certificate.
        names: The names of all columns, in order.
    """
    return MomentSum(
        columns=tuple(map(names.index, moment.columns)),
        by=tuple(map(names.index, moment.by)),
        ranged=moment.ranged,
        given=tuple(map(names.index, moment.given)),
    )


def check_moments(spends: Sequence[Spend], plan: Plan, measured: Sequence[Clique]) -> None:
    """Check that the plan asks for these sums of numbers, and that they are paid.

    Args:
        spends: All payments; those without sums are skipped.
        plan: The plan of the release.
        measured: The columns of each measured histogram, by their numbers.

    Raises:
        RefutedError: There are other sums, or other noise than the payment buys.
    """
    paid = [spend for spend in spends if spend.moments]
    # Whether a number is counted from the middle of its range or of its bin (``ranged``) was
    # chosen at the release, and the plan does not say it. So it is compared separately.
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
    """Return whether the noise of a payment costs exactly what was paid.

    The choice of the pair of columns that fits worst has no noise and counts as paid. Noise
    of another dimension, or noise that cannot be priced, is not paid.

    Args:
        spend: The payment.
        plan: The plan, which says how far neighbouring tables differ.
    """
    noise = spend.mechanism
    if not spend.columns and spend.what == WORST:
        return noise is None
    if noise is None:
        return False
    # Mechanisms without a norm have no such entry. Releases use no other norm.
    from synth.noise import Norm

    norm = noise.describe().get("norm", Norm.MAX)
    if not noise.fits(len(spend.values)) or norm != Norm.MAX:
        return False
    # The cost says in which kind of guarantee the price is, if the noise offers several.
    try:
        return noise.price(_sensitivity_of(spend, plan), spend.cost) == spend.cost
    except ArgumentError:
        return False


def _sensitivity_of(spend: Spend, plan: Plan) -> Sensitivity:
    """Return how far two neighbouring tables differ in what a payment measured.

    This is in rows for a histogram, and in the fixed units of sums and distances otherwise.

    Raises:
        ArgumentError: The spend is about no pair at all.
    """
    if spend.moments:
        return moment_sensitivity(spend.moments, plan.unit, plan.neighbors)
    norm = plan.unit.sensitivity(plan.neighbors)
    if spend.columns:
        # No single count differs by more than all counts together, so ``norm`` bounds both.
        return Sensitivity(norm, plan.unit.square(plan.neighbors), norm)
    # A distance between two histograms of a pair moves as far as the histogram itself. It is
    # counted in 64ths of a row.
    distance = GRID * norm
    if spend.what == AS_IT_STANDS:
        # One number, the sum of the distances of all pairs.
        distance *= _public_pairs(plan)
        return Sensitivity(distance, distance**2, distance)
    # One number for each pair. All may move by this distance, so L1 and squared L2 are sums
    # over the pairs.
    pairs = _pairs(plan)
    return Sensitivity(distance * pairs, distance**2 * pairs, distance)


def _public_pairs(plan: Plan) -> int:
    """Return the number of pairs that are small enough to measure and in the public table.

    A pair is in the table if both columns are. Without a public table there are none.
    """
    names = plan.domain.names
    public_columns = plan.public.columns if plan.public else ()
    numbers = {names.index(name) for name in public_columns if name in names}
    pairs = small_pairs(plan.domain.shape, plan.most_cells)
    return sum(numbers >= set(pair) for pair in pairs)  # >=: both columns are in the set


def _distances(spend: Spend, plan: Plan) -> int:
    """Return how many noisy values a payment lists in addition to a histogram's counts.

    A histogram has one, the rows that rules leave out, where the number of all rows is
    public. Distances from independence have one for each pair of columns. Distances from a
    public table have one for each pair, or one for all of them.

    Raises:
        RefutedError: Distances from a public table were paid, and the plan names none.
    """
    if spend.columns:
        return int(plan.unit.shares_rows(plan.neighbors))
    if spend.what in GUESS_DISTANCES and not spend.columns:
        if plan.public is None:
            refuse(f"The certificate lists {spend.what}, and '{PLAN}' names no public table.")
        return 1 if spend.what == AS_IT_STANDS else _pairs(plan)
    return _pairs(plan) if spend.what == DISTANCES else 0


def _pairs(plan: Plan) -> int:
    """Return the number of pairs of columns that are small enough to measure."""
    return count_small_pairs(plan.domain.shape, plan.most_cells)
