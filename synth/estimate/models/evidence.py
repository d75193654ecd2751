"""Everything that came through the door in one release, and conclusions. PUBLIC.

Estimates, error bars and reconstructions get an `Evidence` and can reach no row.
"""

import math
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from synth import limits
from synth.domain import Domain
from synth.estimate.models.associating import USUAL, Margins, Strength, all_places, strengthen
from synth.estimate.models.junction import Clique, count_small_pairs, small_pairs
from synth.estimate.models.rules import Rules
from synth.estimate.names import Repair
from synth.estimate.noisy.counts import NoisyMarginal
from synth.estimate.noisy.record import Spend
from synth.estimate.repair.column import repair_column
from synth.estimate.repair.marginal import Estimate, denoise, rake, shrink
from synth.noise import Mechanism
from synth.privacy import GRID
from synth.util import Floats, normal

if TYPE_CHECKING:
    from synth.estimate.models.public_guess import PublicGuess

NoisyMarginals = Sequence[tuple[Clique, NoisyMarginal]]


def average(measured: NoisyMarginals, clique: Clique) -> tuple[Floats, float]:
    """Return the mean of all noisy counts of a marginal, and its variance.

    Each measurement is weighted by its inverse variance.

    Args:
        measured: All noisy histograms, with their columns.
        clique: Columns of the marginal, which was measured at least once.

    Returns:
        The mean counts, shape (cells,); and the noise variance of each.
    """
    marginals = [noisy for columns, noisy in measured if columns == clique]
    weights = np.array([1 / noisy.mechanism.variance for noisy in marginals])
    values = np.average([noisy.values for noisy in marginals], axis=0, weights=weights)
    return values, float(1 / weights.sum())


def column_sums(
    shape: Sequence[int], measured: NoisyMarginals, column: int
) -> tuple[Floats, float]:
    """Return the mean of all noisy counts of a column, and its variance.

    Each measurement is weighted by its inverse variance. Sums of wider marginals count too,
    with the noise of all their cells.

    Args:
        shape: Number of cells of every column.
        measured: All noisy histograms, with their columns.
        column: The column's number; some histogram must have it.

    Returns:
        The mean counts, shape (cells,); and the noise variance of each.
    """
    sums = []
    variances = []
    for clique, noisy in measured:
        if column in clique:
            table = noisy.values.reshape([shape[place] for place in clique])
            other_axes = tuple(axis for axis, place in enumerate(clique) if place != column)
            sums.append(table.sum(axis=other_axes))
            variances.append(noisy.mechanism.variance * table.size / shape[column])
    weights = 1 / np.array(variances)
    return np.average(sums, axis=0, weights=weights), float(1 / weights.sum())


def believed_total(shape: Sequence[int], measured: NoisyMarginals) -> float:
    """Return the table's number of rows: public, or else estimated from noisy histograms.

    The estimate is the mean of the histograms' sums, weighted by inverse variance, rounded
    and at least 0. If every column was measured alone, only those histograms count.

    Args:
        shape: Number of cells of every column.
        measured: All noisy histograms, with their columns; at least one.
    """
    if measured[0][1].rows is not None:  # it is the same in all histograms
        return float(measured[0][1].rows)
    measured_cliques = dict.fromkeys(clique for clique, _ in measured)
    single_columns: list[Clique] = [(column,) for column in range(len(shape))]
    cliques = list(measured_cliques)
    # Wider histograms sum more noise, and are not needed if there are all columns.
    if measured_cliques.keys() >= set(single_columns):
        cliques = single_columns
    averages = [average(measured, clique) for clique in cliques]
    # A histogram's sum has the noise of all its cells.
    weights = [1 / (values.size * variance) for values, variance in averages]
    sums = [float(values.sum()) for values, _ in averages]
    return max(0.0, float(round(np.average(sums, weights=weights))))


def diversity_of(column: Floats) -> float:
    """Return the probability that two random rows differ in a column, by its cells' rows.

    >>> diversity_of(np.array([3.0, 1.0, 0.0]))
    0.375
    """
    return float(1 - np.square(normal(column)).sum())


class Evidence:
    """Everything that came through the door, and conclusions.

    Args:
        most_cells: Most cells of all pairs; beyond, the largest are dropped.

    Attributes:
        places: Positions of the cells of every column.
        ordered: Number of ordered cells of every column, which come first.
        measured, spends: All noisy counts and payments, in order.
        columns: Repaired counts of every column, shape (cells,), all with the sum ``total``.
        variances: Variance of a noisy count of every column.
        total: Rows of the table, or their best public estimate.
        distances: L1 distance of each pair from its guess, if measured.
        distance_noise: Standard deviation of the noise on each.
        public: Source of guesses other than independence.
        is_linked: Whether pairs are guessed from it; otherwise it only helps columns.
    """

    def __init__(
        self,
        domain: Domain,
        *,
        rules: Rules | None = None,
        most_cells: int = limits.MODEL_CELLS,
        public: "PublicGuess | None" = None,
        histogram_repair: str = Repair.AUTO,
    ) -> None:
        """Begin with a domain, before anything is measured.

        Args:
            domain: The declared columns.
            rules: Rules that every row obeys; by default none.
            most_cells: Most cells of all pairs together; the largest pairs are left out.
            public: A public table that guesses columns and pairs, if any.
            histogram_repair: The name of the repair of a histogram of all columns.
        """
        self.public = public
        self.histogram_repair = histogram_repair
        self.is_linked = public is not None
        self.rules = rules or Rules(domain=domain)
        self.names = domain.names
        self.shape = domain.shape
        self.places = all_places(domain)
        # Cells with an extent have values in order, and come first.
        self.ordered = [
            len(column.extent[0]) if column.extent else 0 for column in domain.columns
        ]
        self.most_cells = most_cells
        self.measured: list[tuple[Clique, NoisyMarginal]] = []
        self.spends: list[Spend] = []
        self.columns: list[Floats] = []
        self.variances: list[float] = []
        self.total = 0.0
        self.distances: dict[Clique, float] = {}
        self.distance_noise = 0.0
        # Noisy distances from independence with their noise, to estimate them again.
        self._apart: tuple[Floats, Mechanism] | None = None

    @cached_property
    def pairs(self) -> list[Clique]:
        """Pairs of columns that may be measured; made when they are first asked for."""
        return list(small_pairs(self.shape, self.most_cells))

    @cached_property
    def pair_count(self) -> int:
        """The number of pairs that may be measured, which needs no list of them."""
        return count_small_pairs(self.shape, self.most_cells)

    def is_guessed(self, pair: Clique) -> bool:
        """Return whether the public table guesses this pair."""
        return self.is_linked and self.public is not None and self.public.speaks_of(pair)

    def find_links(self) -> bool:
        """Set and return whether the public table guesses any pair, in ``is_linked``."""
        self.is_linked = self.public is not None and any(
            map(self.public.speaks_of, self.pairs)
        )
        return self.is_linked

    def drop_guess(self) -> None:
        """Forget the public table."""
        self.public = None
        self.is_linked = False

    def guess(self, clique: Clique) -> Floats:
        """Return expected rows by cell of some columns, before these are measured together.

        They follow from the public table if it guesses this pair; otherwise the columns count
        as independent.
        """
        if self.public is not None and len(clique) == 2 and self.is_guessed(clique):
            return self.public.pair(clique, self.columns, self.total)
        return self.product(clique)

    def product(self, clique: Clique) -> Floats:
        """Return expected rows by cell if the columns were independent.

        The result has an axis for each column of the clique.
        """
        table = np.array(self.total)
        for column in clique:
            table = np.multiply.outer(table, self.columns[column] / max(self.total, 1.0))
        return table

    def repair_columns(self) -> None:
        """Repair every column from all its measurements, so that it sums to ``total``.

        It sets ``columns`` and ``variances``, and repeats the estimate of distances.
        """
        noisy_columns = [
            column_sums(self.shape, self.measured, column)
            for column in range(len(self.shape))
        ]
        self.variances = [variance for _, variance in noisy_columns]
        self.columns = [repair_column(*sums, self.total) for sums in noisy_columns]
        if self.public is not None:
            # Between the public table's columns and the noisy counts.
            self.columns = self.public.columns(noisy_columns, self.total, self.columns)
        self._repair_distances()

    def take_distances(self, noisy: Sequence[int], mechanism: Mechanism) -> None:
        """Set the distances of all pairs from their guesses, from noisy ones.

        Distances from independence depend on the columns' diversity, so each repair of
        columns estimates them again.

        Args:
            noisy: Noisy L1 distances in the order of ``pairs``, in steps of 1 / `GRID` rows.
            mechanism: The noise on each.
        """
        values = np.array(noisy, dtype=np.float64)
        self.distance_noise = math.sqrt(mechanism.variance) / GRID
        if not self.is_linked:
            self._apart = values, mechanism
            self._repair_distances()
        else:
            # Distances from a public table depend on no column, and are estimated once:
            # posterior means, as if all were about equally far.
            distances = shrink(values, mechanism) / GRID
            self.distances = dict(zip(self.pairs, distances.tolist(), strict=True))

    def _repair_distances(self) -> None:
        """Estimate the distances from independence again, shrunk towards usual ones.

        A pair's usual distance is in proportion to the diversity of its less diverse column,
        which bounds it. Without noisy distances from independence nothing changes.
        """
        if self._apart is not None:
            diverse = [diversity_of(column) for column in self.columns]
            usual = np.array([min(diverse[a], diverse[b]) for a, b in self.pairs])
            # Posterior means under the noise, from steps of 1 / `GRID` to rows.
            distances = shrink(*self._apart, usual) / GRID
            self.distances = dict(zip(self.pairs, distances.tolist(), strict=True))

    def repair(self, noisy: NoisyMarginal, pair: Clique, guess: Floats) -> Estimate:
        """Return a measured pair's expected rows, with the repaired columns' sums.

        Args:
            noisy: The noisy counts of the pair.
            pair: Numbers of its columns.
            guess: Expected rows before they are used, shape (cells of a, cells of b).

        Returns:
            Expected rows that obey the rules, and their variance before they were scaled to
            the sums; both in the guess's shape.
        """
        values = noisy.values.astype(np.float64).reshape(guess.shape)
        # `Rules.clear` empties impossible cells; `rake` scales to the columns' sums.
        rough = denoise(
            values, self.rules.clear(pair, guess), noisy.mechanism, total=self.total
        )
        a, b = pair
        likely = self.rules.clear(pair, rough.values)
        return Estimate(rake(likely, self.columns[a], self.columns[b]), rough.variance)

    def margins(self, pair: Clique) -> Margins:
        """Return the repaired counts and the positions of the cells of a pair's columns."""
        a, b = pair
        return Margins(
            left=self.columns[a],
            right=self.columns[b],
            left_places=self.places[a],
            right_places=self.places[b],
        )

    def associate(
        self,
        noisy: NoisyMarginal,
        pair: Clique,
        near: Estimate,
        *,
        strength: Strength = USUAL,
    ) -> Estimate:
        """Return a pair's estimate, closer to the associations of its noisy counts.

        Args:
            noisy: The pair's noisy counts.
            pair: Numbers of its columns.
            near: The estimate, with the repaired columns' sums.
            strength: How far it moves.

        Returns:
            The moved estimate, with the same variance.
        """
        noisy_counts = noisy.values.astype(np.float64).reshape(near.values.shape)
        strong = strengthen(
            noisy_counts,
            noisy.mechanism.variance,
            near.values,
            margins=self.margins(pair),
            strength=strength,
        )
        return Estimate(strong, near.variance)
