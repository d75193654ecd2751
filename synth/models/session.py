"""One release under way: the confidential rows, the door, and what has come out of it so far.

Strategies are written in terms of a `Session`. It alone holds private rows, and hands them to
the door only; all else it holds is public, and `Known`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, combinations

import numpy as np

from synth import limits, queries
from synth.counts import Rows
from synth.domain import Domain
from synth.errors import ReleaseError
from synth.models.budget import Account
from synth.models.denoise import Estimate, denoise, rake, shrink
from synth.models.inference import Array
from synth.models.junction import Clique, cells
from synth.models.rules import Rules, no_rules
from synth.models.smooth import repair_column
from synth.noise.base import Mechanism
from synth.noisy import NoisyMarginal
from synth.privacy import Guarantee, in_rho
from synth.queries import GRID, Guess
from synth.release import Door

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Spend:
    """One payment. PUBLIC.

    Attributes:
        what: What was measured, in words.
        cost: Its share of the budget, exact.
        mechanism: The noise; None for a choice.
        columns: Names of the columns whose histogram it was; none for anything else.
        values: What came out, where it was no histogram: the noisy distances of the pairs.
    """

    what: str
    cost: Guarantee
    mechanism: Mechanism | None
    columns: tuple[str, ...] = ()
    values: tuple[int, ...] = ()


def small_pairs(shape: Sequence[int], most_cells: int) -> list[Clique]:
    """All pairs of columns that have something to say, but for the largest if they are too many.

    >>> small_pairs((2, 1, 3, 50), 10)
    [(0, 2)]
    """
    several = [column for column, size in enumerate(shape) if size > 1]
    pairs: list[Clique] = sorted(combinations(several, 2), key=lambda p: cells(shape, p))
    sums = accumulate(cells(shape, pair) for pair in pairs)
    return sorted(pair for pair, total in zip(pairs, sums, strict=True) if total <= most_cells)


Measured = Sequence[tuple[Clique, NoisyMarginal]]

DISTANCES = "how far each pair of columns is from independence"
WORST = "which pair fits worst"


def average(measured: Measured, clique: Clique) -> tuple[Array, float]:
    """All noisy counts of a marginal in one, by inverse variance, and their variance."""
    found = [noisy for own, noisy in measured if own == clique]
    weights = np.array([1 / noisy.mechanism.variance for noisy in found])
    values = np.average([noisy.values for noisy in found], axis=0, weights=weights)
    return values, float(1 / weights.sum())


def column_sums(shape: Sequence[int], measured: Measured, column: int) -> tuple[Array, float]:
    """All that is known of a column's counts in one, by inverse variance, and their variance.

    The sums of a wider marginal count as well: their noise is that of all the cells they add.
    """
    sums, variances = [], []
    for clique, noisy in measured:
        if column in clique:
            table = noisy.values.reshape([shape[other] for other in clique])
            others = tuple(axis for axis, other in enumerate(clique) if other != column)
            sums.append(table.sum(axis=others))
            variances.append(noisy.mechanism.variance * table.size / shape[column])
    weights = 1 / np.array(variances)
    return np.average(sums, axis=0, weights=weights), float(1 / weights.sum())


def believed_total(shape: Sequence[int], measured: Measured) -> float:
    """Public rows; or the inverse-variance mean of the columns' sums, or of all sums there are."""
    if measured[0][1].rows is not None:
        return float(measured[0][1].rows)
    found = dict.fromkeys(clique for clique, _ in measured)
    alone = [(column,) for column in range(len(shape))]
    cliques = alone if found.keys() >= set(alone) else list(found)
    averages = [average(measured, clique) for clique in cliques]
    weights = [1 / (values.size * variance) for values, variance in averages]
    sums = [float(values.sum()) for values, _ in averages]
    return max(0.0, float(round(np.average(sums, weights=weights))))


class Known:
    """What came out of the door, and what follows from it. PUBLIC.

    Args:
        domain: The declared columns.
        rules: What cannot be.
        most_cells: Pairs are left aside, the largest first, until all together have no more.

    Attributes:
        names, shape: Name and cells of every column.
        most_cells: Of all tables that are measured together.
        pairs: The pairs of columns that may be measured.
        measured: Everything that came out as noisy counts, in order.
        columns: Repaired counts of every column, all with the sum ``total``.
        variances: Variance of a noisy count of every column.
        total: Rows of the table, or the best public guess of them.
        distances: L1 distance of each pair from independence, where it was measured.
    """

    def __init__(
        self, domain: Domain, *, rules: Rules | None = None, most_cells: int = limits.MODEL_CELLS
    ) -> None:
        self.rules = rules or no_rules(domain)
        self.names, self.shape = domain.names, domain.shape
        self.most_cells = most_cells
        self.pairs = small_pairs(self.shape, most_cells)
        self.measured: list[tuple[Clique, NoisyMarginal]] = []
        self.columns: list[Array] = []
        self.variances: list[float] = []
        self.total = 0.0
        self.distances: dict[Clique, float] = {}

    def guess(self, clique: Clique) -> Array:
        """Expected rows by the cells of some columns if they were independent."""
        table = np.array(self.total)
        for column in clique:
            table = np.multiply.outer(table, self.columns[column] / max(self.total, 1.0))
        return table

    def repair_columns(self) -> None:
        """Make the best of all that was measured of every column."""
        known = [column_sums(self.shape, self.measured, a) for a in range(len(self.shape))]
        self.variances = [variance for _, variance in known]
        self.columns = [repair_column(*sums, self.total) for sums in known]

    def take_distances(self, noisy: Sequence[int], mechanism: Mechanism) -> None:
        """Repair the noisy distances of all pairs."""
        found = shrink(np.array(noisy, dtype=np.float64), mechanism) / GRID
        self.distances = dict(zip(self.pairs, found.tolist(), strict=True))

    def repaired(self, noisy: NoisyMarginal, pair: Clique, guess: Array) -> Estimate:
        """A measured pair, repaired around a guess and with the columns' sums."""
        values = noisy.values.astype(np.float64).reshape(guess.shape)
        rough = denoise(values, self.rules.zeroed(pair, guess), noisy.mechanism, self.total)
        a, b = pair
        likely = self.rules.zeroed(pair, rough.values)
        return Estimate(rake(likely, self.columns[a], self.columns[b]), rough.variance)


class Session(Known):
    """What a strategy works with.

    Args:
        rows: The confidential rows.
        door: The way out.
        rules: What cannot be.
        most_cells: See `Known`.
        progress: Told in words what was measured, right after it was paid.

    Attributes:
        account: What is spent: epsilon, or rho.
        spends: Everything that was paid, in order.
        rows_are_public: Whether neighbours share the number of rows.
    """

    def __init__(
        self,
        rows: Rows,
        door: Door,
        *,
        rules: Rules | None = None,
        most_cells: int = limits.MODEL_CELLS,
        progress: Progress | None = None,
    ) -> None:
        super().__init__(rows.domain, rules=rules, most_cells=most_cells)
        self._rows, self._door = rows, door
        self.progress = progress or (lambda _: None)
        self.spend_as(pure=not door.guarantee.delta)
        self.spends: list[Spend] = []
        self.rows_are_public = rows.unit.shares_rows(door.neighbors)
        self.total = float(rows.rows) if self.rows_are_public else 0.0

    def account_as(self, *, pure: bool) -> Account:
        """The budget as epsilon or as rho."""
        door = self._door
        return Account.of(door.guarantee, door.neighbors, self._rows.unit, pure=pure)

    def spend_as(self, *, pure: bool) -> None:
        """Decide whether epsilon or rho is spent from now on."""
        self.account = self.account_as(pure=pure)

    @property
    def may_be_pure(self) -> bool:
        """Whether the budget may be spent as epsilon."""
        return self._door.guarantee.epsilon is not None

    @property
    def spent(self) -> Guarantee:
        """All that was spent.

        Raises:
            ReleaseError: Nothing was.
        """
        if self._door.spent is None:
            message = "Nothing was measured."
            raise ReleaseError(message)
        return self._door.spent

    @property
    def left(self) -> Fraction:
        """What has not been spent yet, epsilon or rho."""
        spent = self._door.spent
        if spent is None:
            return self.account.total
        if self.account.pure:
            assert spent.epsilon is not None
            return self.account.total - spent.epsilon
        return self.account.total - in_rho(spent)

    def measure(self, clique: Clique, cost: Fraction) -> NoisyMarginal:
        """Pay for one noisy marginal."""
        counts = self._rows.count(clique)
        query = queries.marginal(counts, self._door.neighbors)
        measured = self._door.measure(query, self.account.noise(cost))
        noisy = NoisyMarginal.of(counts.domain, measured)
        self.measured.append((clique, noisy))
        names = noisy.domain.names
        self._paid(Spend(" and ".join(names), noisy.guarantee, noisy.mechanism, names))
        return noisy

    def _paid(self, spend: Spend) -> None:
        self.spends.append(spend)
        self.progress(f"Measured {spend.what}")

    def measure_total(self, budget: Fraction) -> None:
        """Learn about how many rows there are, from the smallest column."""
        smallest = min(range(len(self.shape)), key=self.shape.__getitem__)
        noisy = self.measure((smallest,), budget)
        self.total = float(max(0, noisy.values.sum()))

    def measure_columns(self, budget: Fraction) -> None:
        """Pay for every column, by size, and repair them to one total."""
        costs = self.account.by_size(budget, self.shape)
        for column, cost in enumerate(costs):
            self.measure((column,), cost)
        self.total = believed_total(self.shape, self.measured)
        self.repair_columns()

    def too_loud_to_choose(self, share: Fraction) -> bool:
        """Whether noise on the distances, at this share of the budget, is beyond what is drawn."""
        each = queries.distance_sensitivity(self.account.unit, self.account.neighbors)
        whole = self.account.total * share
        if self.account.pure:
            return each * len(self.pairs) / whole > limits.SCALE_MAX / 100
        return each**2 * len(self.pairs) / (2 * whole) > (limits.SCALE_MAX / 100) ** 2

    def measure_distances(self, budget: Fraction) -> None:
        """Pay for how far each pair is from independence, all at once."""
        pairs = self.pairs
        guesses = [self._private(pair, self.guess(pair)) for pair in pairs]
        query = queries.distances(guesses, self._door.neighbors)
        measured = self._door.measure(query, self.account.distance_noise(budget, len(pairs)))
        mechanism, noisy = measured.mechanism, tuple(measured.values.tolist())
        self.take_distances(noisy, mechanism)
        self._paid(Spend(DISTANCES, measured.guarantee, mechanism, values=noisy))

    def measure_worst(
        self, guesses: Mapping[Clique, Array], allowed: Sequence[float], cost: Fraction
    ) -> Clique:
        """Pay to choose the pair whose guess is worst, after taking off what is allowed."""
        private = [self._private(pair, guess) for pair, guess in guesses.items()]
        rows = [round(distance) for distance in allowed]
        query = queries.worst_guess(private, rows, self._door.neighbors)
        chosen = self._door.choose(query, self.account.claim(cost))
        self._paid(Spend(WORST, chosen.guarantee, None))
        return list(guesses)[chosen.index]

    def _private(self, clique: Clique, expected: Array) -> Guess:
        return Guess(self._rows.count(clique), expected.reshape(-1))
