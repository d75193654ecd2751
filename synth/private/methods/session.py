"""One release in progress. PRIVATE.

Strategies use a `Session`. It holds private rows, which it passes to the door only, and the
public measurements, `Evidence`.

Payments for sums of numbers.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction

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
    MomentSum,
    NoisyMarginal,
    PublicGuess,
    RowStore,
    Rules,
    Spend,
    believed_total,
    choose_ranges,
    moment_noise,
    moment_queries,
    moment_share,
    name_sums,
    place_here,
    split_again,
    split_for_moments,
)
from synth.noise import Mechanism
from synth.privacy import Guarantee, distance_sensitivity
from synth.private import queries
from synth.private.counting import AddedMoments, Rows
from synth.private.queries import Guess
from synth.util import Floats

Progress = Callable[[str], None]
# Sums that are measured together, with their cost.
PricedSums = tuple[tuple[MomentSum, ...], Fraction]


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
    """

    rows: int | None = None
    claim: Guarantee | None = None
    rules: Rules | None = None
    progress: Progress | None = None
    public: PublicGuess | None = None
    place: RowStore = place_here
    moments: AddedMoments | None = None


class Session:
    """The working state of a strategy.

    Args:
        terms: The sums of numbers that are measured, if the task has some.

    Attributes:
        account: In epsilon or rho.
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
        task = task or ModelTask()
        self._moments = task.moments
        self._terms = terms
        self._kept = moment_share(terms, rows.domain)
        self.evidence = Evidence(
            rows.domain, rules=task.rules, most_cells=most_cells, public=task.public
        )
        self._rows, self._door = rows, door
        self._columns: dict[Clique, tuple[Query, NoisyMarginal, Spend]] = {}
        self._returns_to_rho = False
        self.progress = task.progress or (lambda _: None)
        self.spend_as(pure=not door.guarantee.delta)
        self.rows_are_public = rows.unit.shares_rows(door.neighbors)
        self.evidence.total = float(rows.rows) if self.rows_are_public else 0.0

    def account_as(self, *, pure: bool) -> Account:
        """Return the account of the claim, as a pure epsilon or as a rho."""
        door = self._door
        return Account.open(door.guarantee, door.neighbors, self._rows.unit, pure=pure)

    def spend_as(self, *, pure: bool) -> None:
        """Charge what is measured from now on as a pure epsilon, or as a rho."""
        self.account = self.account_as(pure=pure)

    @contextmanager
    def in_epsilon(self) -> Iterator[None]:
        """Charge pure epsilon inside the block, if the claim allows it, and go back behind
        it.
        """
        was_pure = self.account.pure
        self.spend_as(pure=self.may_be_pure)
        self._returns_to_rho = self.account.pure and not was_pure
        yield
        self.spend_as(pure=was_pure)
        self._returns_to_rho = False

    @property
    def may_be_pure(self) -> bool:
        """Whether the budget is an epsilon, and no rho was spent of it."""
        spent = self._door.spent
        return self._door.guarantee.epsilon is not None and (
            spent is None or spent.rho is None
        )

    @property
    def may_be_rho(self) -> bool:
        """Whether there is a delta, or the budget is a rho."""
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
        """Epsilon or rho that is not spent yet and not reserved for sums of numbers."""
        spent = self._door.spent
        used = self.account.count_spent(spent) if spent else 0
        return self.account.total * (1 - self._kept) - used

    def measure(self, clique: Clique, cost: Fraction) -> NoisyMarginal:
        """Pay for a histogram; a column's noise is reduced if it was measured in epsilon
        before.

        It is measured afresh where anything is paid as a rho, now or soon: then less noise
        would cost as much as the whole of it (docs/proofs/noise-reduction.md)."""
        evidence = self.evidence
        # `recall` needs columns as they were when distances from a guess were measured.
        recalled = any(spend.what == APART for spend in evidence.spends)
        in_epsilon = self.account.pure and self.may_be_pure and not self._returns_to_rho
        again = in_epsilon and clique in self._columns and not recalled
        if again:
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
        told = () if noisy.left_out is None else (noisy.left_out,)
        spend = Spend(
            what=" and ".join(names),
            cost=noisy.guarantee,
            mechanism=noisy.mechanism,
            columns=names,
            values=told,
        )
        if len(clique) == 1 and noisy.mechanism.laplace_scale is not None:
            self._columns[clique] = query, noisy, spend
        self._note_spend(spend, ", with less noise" * again)
        return noisy

    def _measure(self, query: Query, noise: Mechanism, cost: Fraction) -> Measured:
        return self._door.measure(query, noise, self.account.claim(cost))

    def _note_spend(self, spend: Spend, how: str = "") -> None:
        self.evidence.spends.append(spend)
        self.progress(f"Measured {spend.what}{how}")

    def measure_total(self, budget: Fraction) -> None:
        smallest = min(range(len(self.evidence.shape)), key=self.evidence.shape.__getitem__)
        self.evidence.total = float(max(0, self.measure((smallest,), budget).values.sum()))

    def measure_columns(self, budget: Fraction) -> None:
        """Pay for every column, by size, and repair them to one total."""
        for column, cost in enumerate(self.account.by_size(budget, self.evidence.shape)):
            self.measure((column,), cost)
        self.evidence.total = believed_total(self.evidence.shape, self.evidence.measured)
        self.evidence.repair_columns()

    def measure_pairs(
        self, pairs: Sequence[Clique], budget: Fraction, predicted: int | None = None
    ) -> dict[Clique, NoisyMarginal]:
        """Pay for the pairs that are worth it, and before them for columns once more.

        ``predicted`` is the column that analysts will predict.
        """
        columns, costs = split_again(
            self.account, budget, self.evidence, open_pairs=set(pairs), predicted=predicted
        )
        if costs and columns:
            self.measure_columns(columns)
        return {pair: self.measure(pair, cost) for pair, cost in costs.items()}

    def measure_moments(self) -> None:
        """Measure the sums of numbers with what is left for them."""
        self._kept = Fraction(0)
        if self._moments is None:
            return
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
        """Return whether distances from this share of the cost say too little to choose
        by.
        """
        move = distance_sensitivity(self.account.unit, self.account.neighbors)
        cost = self.account.total * share
        if self.account.pure:
            return move * len(self.evidence.pairs) / cost > limits.LOUD_DISTANCES
        return move**2 * len(self.evidence.pairs) / (2 * cost) > limits.LOUD_DISTANCES**2

    def measure_distances(self, budget: Fraction, what: str = DISTANCES) -> None:
        """Measure the distances of all pairs from what is guessed, and give them to the
        evidence.
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

        ``guesses`` are expected rows by cell of each pair, in its shape.
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
        """Pay to choose the pair with the worst guess, after subtracting an allowance.

        Args:
            guesses: Expected rows by cell of each pair, in its shape.
            allowed: For each pair the L1 distance, in rows, that does not count.
        """
        private = [self._private(pair, guess) for pair, guess in guesses.items()]
        rows = [round(distance) for distance in allowed]
        query = queries.worst_guess(private, rows, self._door.neighbors)
        chosen = self._door.choose(query, self.account.claim(cost))
        self._note_spend(Spend(what=WORST, cost=chosen.guarantee, mechanism=None))
        return list(guesses)[chosen.index]

    def _private(self, clique: Clique, expected: Floats) -> Guess:
        return Guess(self._rows.count(clique), expected.reshape(-1))


def pay_for_moments(
    door: Door,
    account: Account,
    added: AddedMoments,
    *,
    priced: Sequence[PricedSums],
) -> list[Spend]:
    """Pay for sums of numbers, those that are measured together at once.

    Args:
        priced: Sums that are measured together, with their cost; from `price_moments`.
    """
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
    sums: Sequence[tuple[MomentSum, ...]],
    *,
    budget: Fraction,
    measured: Iterable[tuple[tuple[int, ...], float]],
) -> list[PricedSums]:
    """Split a budget over sums of numbers, and choose from where they are counted.

    Args:
        sums: Which sums are measured, and together with which.
        budget: Epsilon or rho, all of which is spent.
        measured: The columns of every noisy histogram, and the variance of a cell.
    """
    costs = split_for_moments(account, budget, sums)
    chosen_sums = choose_ranges(
        account, domain, list(zip(sums, costs, strict=True)), measured=measured
    )
    return list(zip(chosen_sums, costs, strict=True))
