"""One release in progress, and payments for sums of numbers. PRIVATE.

Strategies use a `Session`. It holds private rows, which it passes to the door only, and the
public measurements, `Evidence`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from synth import limits
from synth.domain import Domain
from synth.door import Door, Measured, Query
from synth.errors import ReleaseError
from synth.estimate import (
    APART,
    AS_IT_STANDS,
    DISTANCES,
    WORST,
    Account,
    Clique,
    Evidence,
    NoisyMarginal,
    Repair,
    RowStore,
    Rules,
    Spend,
    believed_total,
    place_here,
    split_again,
)
from synth.noise import Mechanism
from synth.privacy import Guarantee, distance_sensitivity
from synth.private import queries
from synth.private.counting import Rows
from synth.private.queries import Guess
from synth.util import Floats

if TYPE_CHECKING:
    from synth.estimate import MomentSum, PublicGuess
    from synth.private.counting import AddedMoments

Progress = Callable[[str], None]
# Sums that are measured together, with their cost.
PricedSums = tuple[tuple["MomentSum", ...], Fraction]


@dataclass(frozen=True, kw_only=True)
class ModelTask:
    """What a release by a model has in addition to its choice.

    Attributes:
        rows: Number of synthetic rows; None for the public or estimated number.
        claim: The door's guarantee as a claim, if it is a rho.
        rules: The result of `Choice.check_model`, computed by default.
        progress: Called with each measurement in words, right after it was paid.
        public: The public table as a guess, if there is one.
        place: Where many rows are held.
        moments: Sums of numbers, to be measured after the counts.
        repair: The repair of a histogram of all columns.
    """

    rows: int | None = None
    claim: Guarantee | None = None
    rules: Rules | None = None
    progress: Progress | None = None
    public: "PublicGuess | None" = None
    place: RowStore = place_here
    moments: "AddedMoments | None" = None
    repair: str = Repair.AUTO


class Session:
    """The working state of a strategy.

    Args:
        rows: The used rows of the table, which can be counted by their columns. PRIVATE.
        door: Measures with noise, and keeps account of what is spent.
        task: What the release has in addition to its choice.
        most_cells: Most cells of a histogram.
        terms: The sums of numbers that are measured, if the task has some.

    Attributes:
        account: Turns costs, in epsilon or rho, into noise.
        evidence: The public measurements so far, and what follows from them.
        progress: Called with each measurement in words, right after it was paid.
        rows_are_public: Whether neighbours share the number of rows.
    """

    def __init__(
        self,
        rows: Rows,
        door: Door,
        *,
        task: ModelTask | None = None,
        most_cells: int = limits.MODEL_CELLS,
        terms: Sequence[str] = (),
    ) -> None:
        """Begin without measurements; a public number of rows is known at once."""
        task = task or ModelTask()
        self._moments = task.moments
        self._terms = terms
        # The share of the budget that is reserved for sums of numbers.
        self._kept = _share_of_sums(terms, rows.domain)
        self.evidence = Evidence(
            rows.domain,
            rules=task.rules,
            most_cells=most_cells,
            public=task.public,
            histogram_repair=task.repair,
        )
        self._rows, self._door = rows, door
        # Single columns whose noise may be reduced: their query, histogram and record.
        self._columns: dict[Clique, tuple[Query, NoisyMarginal, Spend]] = {}
        # Whether epsilon is charged for a while only: see `in_epsilon`.
        self._returns_to_rho = False
        self.progress = task.progress or (lambda _: None)
        # With a delta, an epsilon is spent as a rho until a strategy decides otherwise.
        self.spend_as(pure=not door.guarantee.delta)
        self.rows_are_public = rows.unit.shares_rows(door.neighbors)
        self.evidence.total = float(rows.rows) if self.rows_are_public else 0.0

    def account_as(self, *, pure: bool) -> Account:
        """Return the account of the door's guarantee, spent as a pure epsilon or as a rho.

        A guarantee in rho is always spent as rho.
        """
        door = self._door
        return Account.open(door.guarantee, door.neighbors, self._rows.unit, pure=pure)

    def spend_as(self, *, pure: bool) -> None:
        """Charge what is measured from now on as a pure epsilon, or as a rho."""
        self.account = self.account_as(pure=pure)

    @contextmanager
    def in_epsilon(self) -> Iterator[None]:
        """Charge pure epsilon in a ``with`` block if the budget allows it; then go back.

        What is measured there costs little as rho too, so both ways to spend the rest stay
        open. Within the block `measure` reduces no noise if a rho is charged again after it.
        """
        was_pure = self.account.pure
        self.spend_as(pure=self.may_be_pure)
        self._returns_to_rho = self.account.pure and not was_pure
        yield
        self.spend_as(pure=was_pure)
        self._returns_to_rho = False

    @property
    def may_be_pure(self) -> bool:
        """Whether what is left may be spent in pure epsilon.

        It may if the budget is an epsilon, and nothing was spent as a rho yet.
        """
        spent = self._door.spent
        return self._door.guarantee.epsilon is not None and (
            spent is None or spent.rho is None
        )

    @property
    def may_be_rho(self) -> bool:
        """Whether the budget may be spent as a rho: it has a delta, or is a rho itself."""
        guarantee = self._door.guarantee
        return bool(guarantee.delta) or guarantee.rho is not None

    @property
    def spent(self) -> Guarantee:
        """The whole spend; ReleaseError if nothing was spent."""
        if self._door.spent is None:
            raise ReleaseError("Nothing was measured.")
        return self._door.spent

    @property
    def left(self) -> Fraction:
        """What is neither spent nor reserved for sums of numbers, in epsilon or rho.

        It is in the unit of the present account.
        """
        spent = self._door.spent
        used = self.account.count_spent(spent) if spent else 0
        return self.account.total * (1 - self._kept) - used

    def measure(self, clique: Clique, cost: Fraction) -> NoisyMarginal:
        """Pay for the noisy histogram of some columns, and return it.

        The noise of a column that was measured in epsilon before is reduced. It is measured
        afresh where anything is paid as a rho, now or soon: then less noise would cost as
        much as the whole of it (docs/proofs/noise-reduction.md).

        Args:
            clique: The numbers of the columns, ascending.
            cost: What is paid, in the account's epsilon or rho.
        """
        evidence = self.evidence
        # Readers of the record repeat the decisions by `recall`. It needs the histograms of
        # columns that came before the distances from a guess, so none may be replaced then.
        recalled = any(spend.what == APART for spend in evidence.spends)
        in_epsilon = self.account.pure and self.may_be_pure and not self._returns_to_rho
        again = in_epsilon and clique in self._columns and not recalled
        if again:
            # The reduced histogram replaces the one before, with the price of both.
            query, before, spend = self._columns[clique]
            noise = self.account.laplace(self.account.count_spent(before.guarantee) + cost)
            noisy = NoisyMarginal.read(before.domain, self._door.reduce_noise(query, noise))
            evidence.measured.remove((clique, before))
            evidence.spends.remove(spend)
        else:
            counts = self._rows.count(clique)
            query = queries.marginal(counts, self._door.neighbors)
            measured = self._measure(query, self.account.noise(cost), cost)
            noisy = NoisyMarginal.read(counts.domain, measured)
        evidence.measured.append((clique, noisy))
        names = noisy.domain.names
        # Of a public number of rows, the noisy number of those that a rule leaves out.
        left_out = () if noisy.left_out is None else (noisy.left_out,)
        spend = Spend(
            what=" and ".join(names),
            cost=noisy.guarantee,
            mechanism=noisy.mechanism,
            columns=names,
            values=left_out,
        )
        # Only Laplace noise can be reduced later, and only that of single columns is.
        if len(clique) == 1 and noisy.mechanism.laplace_scale is not None:
            self._columns[clique] = query, noisy, spend
        self._note_spend(spend, ", with less noise" if again else "")
        return noisy

    def _measure(self, query: Query, noise: Mechanism, cost: Fraction) -> Measured:
        return self._door.measure(query, noise, self.account.claim(cost))

    def _note_spend(self, spend: Spend, how: str = "") -> None:
        self.evidence.spends.append(spend)
        self.progress(f"Measured {spend.what}{how}")

    def measure_total(self, budget: Fraction) -> None:
        """Measure the number of rows, as the sum over the column of the fewest cells.

        The noise of a sum grows with the number of its cells. The sum is at least 0.
        """
        smallest = min(range(len(self.evidence.shape)), key=self.evidence.shape.__getitem__)
        self.evidence.total = float(max(0, self.measure((smallest,), budget).values.sum()))

    def measure_columns(self, budget: Fraction) -> None:
        """Pay for the histogram of every column, and repair them to one number of rows.

        Args:
            budget: Epsilon or rho, which is split by the number of cells.
        """
        for column, cost in enumerate(self.account.by_size(budget, self.evidence.shape)):
            self.measure((column,), cost)
        # The number of rows as all histograms say it, or the public one.
        self.evidence.total = believed_total(self.evidence.shape, self.evidence.measured)
        self.evidence.repair_columns()

    def measure_pairs(
        self, pairs: Sequence[Clique], budget: Fraction, predicted: int | None = None
    ) -> dict[Clique, NoisyMarginal]:
        """Pay for the pairs that are worth it, and before them for columns once more.

        Args:
            pairs: The pairs of columns that may be measured, by number.
            budget: Epsilon or rho for all of it.
            predicted: The number of the column that analysts will predict; None for none.

        Returns the noisy histogram of each measured pair.
        """
        columns, costs = split_again(
            self.account, budget, self.evidence, open_pairs=set(pairs), predicted=predicted
        )
        # If no pair is worth its cost, the whole budget is left to the caller.
        if costs and columns:
            self.measure_columns(columns)
        return {pair: self.measure(pair, cost) for pair, cost in costs.items()}

    def measure_moments(self) -> None:
        """Measure the sums of numbers with the rest of the budget, which is theirs.

        If no sum can be measured, the rest goes to the columns.
        """
        self._kept = Fraction(0)  # so that what was reserved is left, too
        if self._moments is None:
            return
        from synth.estimate import moment_queries

        # The terms may ask for the pairs of columns that were measured together.
        cliques = [clique for clique, _ in self.evidence.measured]
        sums = moment_queries(self._terms, self._moments.domain, cliques)
        if not sums:
            self.spend_rest()
            return
        variances = [
            (clique, noisy.mechanism.variance) for clique, noisy in self.evidence.measured
        ]
        priced = price_moments(
            self.account, self._moments.domain, sums, budget=self.left, measured=variances
        )
        paid = pay_for_moments(self._door, self.account, self._moments, priced=priced)
        for spend in paid:
            self._note_spend(spend)

    def spend_rest(self) -> None:
        """Measure the columns again with what is left."""
        if self.left:
            self.measure_columns(self.left)

    def too_loud_to_choose(self, share: Fraction) -> bool:
        """Return whether distances of all pairs would be too noisy to choose pairs by.

        Args:
            share: The share of the budget that they would get.
        """
        # The noise in units of 1 / GRID rows against a limit. One person moves each of the
        # distances by ``move``. Under epsilon the scale of Laplace noise is compared, and
        # under rho the variance of Gaussian noise.
        move = distance_sensitivity(self.account.unit, self.account.neighbors)
        cost = self.account.total * share
        if self.account.pure:
            return move * self.evidence.pair_count / cost > limits.LOUD_DISTANCES
        return move**2 * self.evidence.pair_count / (2 * cost) > limits.LOUD_DISTANCES**2

    def measure_distances(self, budget: Fraction, what: str = DISTANCES) -> None:
        """Measure the distance of each pair's counts from its guess, for the evidence.

        The guess is that of the public table, or independence of the columns.

        Args:
            budget: Epsilon or rho for all distances.
            what: What the record calls them.
        """
        pairs = self.evidence.pairs
        guesses = [self._private(pair, self.evidence.guess(pair)) for pair in pairs]
        query = queries.distances(guesses, self._door.neighbors)
        measured = self._measure(
            query, self.account.distance_noise(budget, len(pairs)), budget
        )
        mechanism, noisy = measured.mechanism, tuple(measured.values.tolist())
        self.evidence.take_distances(noisy, mechanism)
        self._note_spend(
            Spend(what=what, cost=measured.guarantee, mechanism=mechanism, values=noisy)
        )

    def measure_misfit(self, guesses: Mapping[Clique, Floats], budget: Fraction) -> None:
        """Pay for the noisy sum of the pairs' L1 distances from the public table.

        The sum becomes the last spend of the evidence, in units of 1 / GRID rows.

        Args:
            guesses: Expected rows by cell of each pair, in its shape.
            budget: Epsilon or rho for it.
        """
        private = [self._private(pair, guess) for pair, guess in guesses.items()]
        query = queries.summed_distance(private, self._rows.unit, self._door.neighbors)
        measured = self._measure(
            query, self.account.summed_noise(budget, len(private)), budget
        )
        values = (int(measured.values[0]),)
        self._note_spend(
            Spend(
                what=AS_IT_STANDS,
                cost=measured.guarantee,
                mechanism=measured.mechanism,
                values=values,
            )
        )

    def measure_worst(
        self, guesses: Mapping[Clique, Floats], allowed: Sequence[float], cost: Fraction
    ) -> Clique:
        """Pay to choose the pair with the worst guess, and return its columns.

        Args:
            guesses: Expected rows by cell of each pair, in its shape.
            allowed: For each pair the L1 distance, in rows, that does not count.
            cost: Epsilon or rho for the choice.
        """
        private = [self._private(pair, guess) for pair, guess in guesses.items()]
        rows = [round(distance) for distance in allowed]  # the query takes whole rows
        query = queries.worst_guess(private, rows, self._door.neighbors)
        chosen = self._door.choose(query, self.account.claim(cost))
        self._note_spend(Spend(what=WORST, cost=chosen.guarantee, mechanism=None))
        return list(guesses)[chosen.index]

    def _private(self, clique: Clique, expected: Floats) -> Guess:
        return Guess(self._rows.count(clique), expected.reshape(-1))


def _share_of_sums(terms: Sequence[str], domain: Domain) -> Fraction:
    """Return the share of the budget that is reserved for sums of numbers.

    Args:
        terms: The sums to measure; none without such sums.
        domain: The declared columns.
    """
    if not terms:
        return Fraction(0)
    from synth.estimate import moment_share

    return moment_share(terms, domain)


def pay_for_moments(
    door: Door,
    account: Account,
    added: "AddedMoments",
    *,
    priced: Sequence[PricedSums],
) -> list[Spend]:
    """Pay for sums of numbers, and return what was spent, with the noisy sums.

    Args:
        door: Measures with noise.
        account: Turns costs, in epsilon or rho, into noise.
        added: The exact sums. PRIVATE.
        priced: Sums that are measured together as one query, with their cost; from
            `price_moments`.
    """
    from synth.estimate import moment_noise, name_sums

    spends = []
    for moments, cost in priced:
        query = queries.moment_sums(added, moments, door.neighbors)
        noise = moment_noise(account, cost, moments, values=query.size)
        measured = door.measure(query, noise, account.claim(cost))
        spends.append(
            Spend(
                what=name_sums(moments, added.domain.names),
                cost=measured.guarantee,
                mechanism=measured.mechanism,
                values=tuple(measured.values.tolist()),
                moments=moments,
            )
        )
    return spends


def price_moments(
    account: Account,
    domain: Domain,
    sums: Sequence[tuple["MomentSum", ...]],
    *,
    budget: Fraction,
    measured: Iterable[tuple[tuple[int, ...], float]],
) -> list[PricedSums]:
    """Split a budget over sums of numbers, and choose from where numbers are counted.

    A number counts from the middle of its bin, or from the middle of the column's range.

    Args:
        account: Turns costs, in epsilon or rho, into noise.
        domain: The declared columns.
        sums: Which sums are measured, and together with which.
        budget: Epsilon or rho, all of which is spent.
        measured: The columns of every noisy histogram, and the variance of a cell.
    """
    from synth.estimate import choose_ranges, split_for_moments

    costs = split_for_moments(account, budget, sums)
    chosen_sums = choose_ranges(
        account, domain, list(zip(sums, costs, strict=True)), measured=measured
    )
    return list(zip(chosen_sums, costs, strict=True))
