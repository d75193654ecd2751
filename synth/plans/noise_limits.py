"""Noise that is larger than Synth draws, refused before a spend by public numbers. PUBLIC.

>>> from fractions import Fraction
>>> from synth.lessons.survey import survey_domain
>>> from synth.plans import Plan
>>> refuse_loud_noise(Plan(domain=survey_domain(), epsilon=Fraction(1, 10_000)))
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol

from synth import limits
from synth.domain import Domain
from synth.errors import NoiseError
from synth.estimate import SELECTION, Account, Clique
from synth.noise import DiscreteLaplace, Mechanism
from synth.privacy import Guarantee, Neighbors, Unit, name_cost

if TYPE_CHECKING:
    from synth.estimate import PublicSource

# A model's columns never get a smaller part of its budget together, nor a pair of columns the
# square of it.
LEAST_PART = Fraction(1, 1_000)
# The sums of numbers get at least this part of their share: some are counted from their
# range, and which, the noise decides.
SUMS_PART = Fraction(1, 4)
# The least part of a budget for the distance of all pairs from a public table.
MISFIT_PART = Fraction(1, 200)

# The part of a budget of which the number of rows is believed, and its largest noise.
TOTAL_PART = Fraction(1, 10)
MOST_TOTAL_NOISE = limits.ROWS_MAX / 10


class Planned(Protocol):
    """The part of a plan that decides how loud its noise is; see `synth.plans.plan.Plan`."""

    @property
    def domain(self) -> Domain:
        """The declared columns."""

    @property
    def epsilon(self) -> Fraction:
        """The budget."""

    @property
    def delta(self) -> Fraction:
        """The delta; 0 for pure epsilon."""

    @property
    def neighbors(self) -> Neighbors:
        """The relation of the guarantee."""

    @property
    def unit(self) -> Unit:
        """The protected unit."""

    @property
    def rows(self) -> int | None:
        """The number of synthetic rows, if it was given."""

    @property
    def public(self) -> "PublicSource | None":
        """The public table, if any."""

    @property
    def moments(self) -> tuple[str, ...]:
        """The terms of the sums of numbers."""

    @property
    def by_model(self) -> bool:
        """Whether marginals are measured, and not the histogram."""

    @property
    def scale(self) -> Fraction:
        """The scale of the noise on a cell of the histogram."""

    @property
    def total_epsilon(self) -> Fraction:
        """The epsilon for the number of rows."""

    def guarantee(self, epsilon: Fraction) -> Guarantee:
        """Return the charge to the ledger."""

    def cliques(self, domain: Domain) -> tuple[Clique, ...]:
        """Return the groups."""

    def marginals(self, domain: Domain) -> tuple[Clique, ...]:
        """Return all marginals that may be measured."""


def refuse_loud_noise(plan: Planned) -> None:
    """Refuse a plan whose noise may be larger than Synth draws, by public numbers alone.

    Each kind of noise that the plan may need is made here, without drawing any. That fails if
    it is too large.

    Raises:
        NoiseError: Some noise would be too large; the message has the epsilon, the
            measurement, and how to avoid it.
    """
    # With a delta, noisy counts may decide whether it is needed, so both cases are checked.
    spent_as_pure = (True, False) if plan.delta else (True,)
    accounts = [_open_account(plan, pure=pure) for pure in spent_as_pure]
    fewer = " or keep fewer rows of a person" if plan.unit.person else ""
    with _in_words(plan, "counts", fewer):
        if not plan.by_model:
            _try_counts(plan)
        else:
            for account in accounts:
                _try_marginals(plan, account)
    # Otherwise the number of synthetic rows is given, or the public one of the table.
    if plan.rows is None and not plan.unit.shares_rows(plan.neighbors):
        for account in accounts:
            _check_total(plan, account)
    if plan.public is not None:
        with _in_words(
            plan, "distances from the public table", " or leave the public table out"
        ):
            for account in accounts:
                _try_distances(plan, account)
    if plan.moments:
        from synth.estimate import MEANS

        measured = "means" if plan.moments == (MEANS,) else "sums of numbers"
        with _in_words(plan, measured, " or --moments none"):
            for account in accounts:
                _try_moments(plan, account)


def _open_account(plan: Planned, *, pure: bool) -> Account:
    """Return the account that turns the plan's budget into noise, Laplace noise if pure."""
    return Account.open(plan.guarantee(plan.epsilon), plan.neighbors, plan.unit, pure=pure)


@contextmanager
def _in_words(plan: Planned, measured: str, advice: str) -> Iterator[None]:
    """Turn errors about noise in a block of code into one sentence about the plan.

    Args:
        plan: The plan, whose budget the sentence names.
        measured: What the noise would be added to, in words.
        advice: What else helps than a larger epsilon, as the sentence's end; it may be empty.

    Raises:
        NoiseError: The block raised one.
    """
    try:
        yield
    except NoiseError:
        budget = name_cost(plan.guarantee(plan.epsilon))
        message = (
            f"At {budget} the noise of the {measured} would be larger than Synth draws (a "
            f"scale of up to {int(limits.MAX_SCALE):,}); take a larger epsilon{advice}."
        )
    else:
        return
    raise NoiseError(message)


def _try_counts(plan: Planned) -> None:
    """Check that Synth can draw the noise of a histogram and of the number of rows.

    The mechanisms are only built: building one fails if its scale is too large.

    Raises:
        NoiseError: The noise is larger than Synth draws.
    """
    DiscreteLaplace(plan.scale)
    if plan.total_epsilon:
        DiscreteLaplace(plan.unit.max_rows / plan.total_epsilon)


def _try_marginals(plan: Planned, account: Account) -> None:
    """Check that Synth can draw the widest noise on marginals that the plan may need.

    Columns and groups share at least `LEAST_PART` of the account, and a pair of columns gets
    at least the square of it.

    Raises:
        NoiseError: The noise is larger than Synth draws.
    """
    shape = plan.domain.shape
    group_sizes = [
        math.prod(shape[column] for column in clique) for clique in plan.cliques(plan.domain)
    ]
    # `by_size` splits a budget over marginals of these numbers of cells. The smallest part
    # needs the widest noise.
    sizes = [*shape, *group_sizes]
    account.noise(min(account.by_size(account.total * LEAST_PART, sizes)))
    account.noise(account.total * LEAST_PART**2)


def _check_total(plan: Planned, account: Account) -> None:
    """Refuse a noisy number of rows that could be off by too many.

    There are as many synthetic rows as the noisy number says. It is the sum of the noisy
    counts of some cells, or is measured by itself.

    Raises:
        NoiseError: The standard deviation of its noise is above `MOST_TOTAL_NOISE`.
    """
    mechanism: Mechanism
    if plan.by_model:  # the number of rows is the sum over the column of the fewest cells
        mechanism = account.noise(account.total * TOTAL_PART)
        cells = min(plan.domain.shape)
    elif plan.total_epsilon:
        mechanism = DiscreteLaplace(plan.unit.max_rows / plan.total_epsilon)
        cells = 1
    else:
        mechanism = DiscreteLaplace(plan.scale)
        cells = plan.domain.size
    noise = math.sqrt(cells * mechanism.variance)
    if noise > MOST_TOTAL_NOISE:
        raise NoiseError(
            f"At {name_cost(plan.guarantee(plan.epsilon))} the noise would add about "
            f"{int(noise):,} rows or take them away, and there are as many synthetic rows; "
            "take a larger epsilon, or say how many rows to make (--rows)."
        )


def _try_distances(plan: Planned, account: Account) -> None:
    """Check that Synth can draw the noise on distances from a public table.

    Each pair of columns has a distance. All of them are measured together, for the part
    `SELECTION` of the budget, and their sum for at least `MISFIT_PART` of it. The mechanisms
    are only built: building one fails if its scale is too large.

    Raises:
        NoiseError: The noise is larger than Synth draws.
    """
    pairs = math.comb(len(plan.domain.columns), 2)
    if pairs:
        account.distance_noise(account.total * SELECTION, pairs)
        account.summed_noise(account.total * MISFIT_PART, pairs)


def _try_moments(plan: Planned, account: Account) -> None:
    """Check that Synth can draw the noise on the sums of numbers that the plan may need.

    Which sums are needed depends on the marginals that will be measured, and these are not
    known yet. So the noise is made for the most marginals and for none, between which all
    cases lie.

    Raises:
        NoiseError: The noise is larger than Synth draws.
    """
    from synth.estimate import (
        PAIRS,
        moment_noise,
        moment_queries,
        moment_share,
        split_for_moments,
    )

    largest_marginals: list[Clique] = []
    if not plan.by_model:
        largest_marginals = [tuple(range(len(plan.domain.columns)))]
    elif PAIRS in plan.moments:
        largest_marginals = list(plan.marginals(plan.domain))
    # The sums get at least `SUMS_PART` of their share: some are counted from their range, and
    # which, the noise decides.
    share = account.total * moment_share(plan.moments, plan.domain) * SUMS_PART
    for measured in (largest_marginals, []):
        queries = moment_queries(plan.moments, plan.domain, measured)
        costs = split_for_moments(account, share, queries) if queries else []
        for query, cost in zip(queries, costs, strict=True):
            values = sum(math.prod(moment.shape(plan.domain)) for moment in query)
            moment_noise(account, cost, query, values=values)
