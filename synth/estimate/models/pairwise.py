"""All pairs at once: latent classes, every pair repaired around them, rows settled on them.

Estimates combine noisy counts, the consequence of other pairs by latent classes, and
independence. That is about right for most pairs, with an error known from the measured
distances."""

from collections.abc import Mapping
from functools import cached_property, partial
from itertools import pairwise

import numpy as np

from synth.estimate.models.associating import FULL, aim_further
from synth.estimate.models.evidence import Evidence
from synth.estimate.models.followers import followers
from synth.estimate.models.junction import Clique
from synth.estimate.models.large_rows import (
    Draw,
    PartedRows,
    RowStore,
    Target,
    place_here,
    place_rows,
)
from synth.estimate.models.latent_classes import (
    MAX_COLUMN_CELLS,
    Classes,
    Fits,
    fit_classes,
    numbers_of_classes,
)
from synth.estimate.models.refine_parts import weights
from synth.estimate.names import Favour
from synth.estimate.noisy.counts import NoisyMarginal
from synth.estimate.repair.marginal import Estimate
from synth.util import Codes, Floats, SmallCodes, normal

# Most unmeasured pairs that rows are settled on too.
MAX_SETTLED_PAIRS = 150


class Together:
    """Estimates of all pairs.

    Attributes:
        estimates: Expected rows by cell of every pair, and their uncertainty.
    """

    def __init__(
        self,
        evidence: Evidence,
        noisy: Mapping[Clique, NoisyMarginal],
        generator: np.random.Generator,
    ) -> None:
        """Repair the columns, fit latent classes, and estimate every pair.

        Args:
            evidence: Everything measured; its columns are repaired.
            noisy: Noisy counts of the pairs that were measured.
            generator: Source of randomness for the fits.
        """
        self.evidence = evidence
        self.noisy = noisy
        evidence.repair_columns()
        # The leader of each column that nearly follows from another one, and all others.
        # Distances of pairs show that; without them, no column is known to follow.
        self.followed = followers(evidence, noisy) if evidence.distances else {}
        self.leaders = [a for a in range(len(evidence.shape)) if a not in self.followed]
        ordered_columns = [*self.leaders, *self.followed]
        place = {column: number for number, column in enumerate(ordered_columns)}
        # Which column of each pair comes later in that order.
        self.later = {pair: max(pair, key=place.__getitem__) for pair in evidence.pairs}
        self.estimates: dict[Clique, Estimate] = {}
        self.classes = self._classes(generator)
        # A follower's pairs need those of its leader, which are estimated first.
        leaders_first = sorted(
            evidence.pairs, key=lambda pair: (place[self.later[pair]], self._follows(pair))
        )
        for pair in leaders_first:
            self.estimates[pair] = self._estimate(pair)
        # The pairs are put into the usual order again.
        self.estimates = {pair: self.estimates[pair] for pair in evidence.pairs}

    def _follows(self, pair: Clique) -> bool:
        """Return whether a pair's later column follows from a leader outside the pair."""
        later_column = self.later[pair]
        return later_column in self.followed and self.followed[later_column] not in pair

    def _classes(self, generator: np.random.Generator) -> Fits | None:
        """Return latent classes fitted to the columns that follow from no other one.

        There are several fits, each with its number of classes. The result is None if these
        columns have too many cells, or if no pair of them was measured.
        """
        evidence = self.evidence
        # The leaders are the columns that follow from no other one.
        place_of_leader = {column: place for place, column in enumerate(self.leaders)}
        pairs = [pair for pair in evidence.pairs if set(pair) <= place_of_leader.keys()]
        all_cells = sum(evidence.shape[column] for column in self.leaders)
        was_measured = bool(self.noisy.keys() & set(pairs))
        if all_cells > MAX_COLUMN_CELLS or not was_measured:
            return None
        # The counts to which classes are fitted, by the columns' places among the leaders.
        views = {
            tuple(place_of_leader[column] for column in pair): self._view(pair)
            for pair in pairs
        }
        columns = [(evidence.columns[a], evidence.variances[a]) for a in self.leaders]
        ordered = [evidence.ordered[a] for a in self.leaders]
        fits = [
            fit_classes(columns, views, count=count, generator=generator, ordered=ordered)
            for count in numbers_of_classes(all_cells)
        ]
        return Fits(tuple(fits))

    def _view(self, pair: Clique) -> Estimate:
        """Return a pair's counts with variances, as latent classes are fitted to them.

        A measured pair has its noisy counts. Others have their guess, with the error that
        their distance from it shows. Counts vary by chance too, as much as is expected.
        """
        guess = self.evidence.guess(pair)
        if pair in self.noisy:
            noisy = self.noisy[pair]
            values = noisy.values.reshape(guess.shape).astype(np.float64)
            return Estimate(values, noisy.mechanism.variance + guess)
        # Cells are off by the same part of their rows as the whole pair, by its L1 distance.
        relative_error = self.evidence.distances[pair] / max(self.evidence.total, 1.0)
        return Estimate(guess, self._mean_variance + guess + (relative_error * guess) ** 2)

    @cached_property
    def _mean_variance(self) -> float:
        """The mean noise of measured pairs: no other pair is taken to be known better."""
        return float(np.mean([noisy.mechanism.variance for noisy in self.noisy.values()]))

    def _estimate(self, pair: Clique) -> Estimate:
        """Return a pair's expected rows with variances: repaired if measured, or guessed."""
        guess = self._guess(pair)
        if pair in self.noisy:
            noisy = self.noisy[pair]
            repaired = self.evidence.repair(noisy, pair, guess)
            # Repair draws noisy counts to the guess. Only around a public table's guess are
            # associations left as they are then.
            if self.evidence.is_guessed(pair):
                return repaired
            return self.evidence.associate(noisy, pair, repaired)
        # Cells are off by the same part of their rows as the whole pair, by its L1 distance.
        relative_error = self.evidence.distances[pair] / max(self.evidence.total, 1.0)
        return Estimate(self.evidence.rules.clear(pair, guess), (relative_error * guess) ** 2)

    def _guess(self, pair: Clique) -> Floats:
        """Return the expected rows of a pair before its noisy counts are used.

        A column that nearly follows from a leader is linked to its partner through that
        leader. The joint rows of leader and partner are divided by the follower's shares
        within each of the leader's cells.
        """
        a, b = pair
        later_column = self.later[pair]
        if self._follows(pair):
            partner = b if later_column == a else a
            leader = self.followed[later_column]
            # Shape (cells of the follower, cells of the partner).
            table = self._shares(later_column, leader).T @ self._table_of(leader, partner)
            return np.asarray(table if later_column == a else table.T)
        # A follower with its leader: classes have no followers.
        if later_column in self.followed:
            return self.evidence.guess(pair)
        return self._guess_pair(pair)

    def _table_of(self, a: int, b: int) -> Floats:
        """Return a pair's estimated rows, shape (cells of a, cells of b), in that order."""
        values = self.estimates[min(a, b), max(a, b)].values
        return values if a < b else values.T

    def _shares(self, column: int, leader: int) -> Floats:
        """Return the shares of a column's cells within each cell of its leader.

        Shape (cells of the leader, cells of the column), each line of sum 1. A cell of the
        leader without rows has the shares of the whole column.
        """
        table = self._table_of(leader, column)
        column_shares = normal(self.evidence.columns[column])
        sums = table.sum(axis=1, keepdims=True)
        shares = np.tile(column_shares, (len(table), 1))
        return np.asarray(np.divide(table, sums, out=shares, where=sums > 0))

    def _guess_pair(self, pair: Clique) -> Floats:
        """Return the expected rows of a pair of which no column follows from a leader.

        They follow from the public table or from the latent classes. If both guess a measured
        pair, the one closer to its noisy counts is used.
        """
        is_guessed = self.evidence.is_guessed(pair)
        if self.classes is None or (is_guessed and pair not in self.noisy):
            return self.evidence.guess(pair)
        classes = self.classes.pair(*[self.leaders.index(column) for column in pair])
        if not is_guessed:
            return classes
        public = self.evidence.guess(pair)
        noisy = self.noisy[pair]
        return min(classes, public, key=lambda guess: _misfit(guess, noisy))

    def rows(
        self,
        rows: int | None,
        generator: np.random.Generator,
        *,
        favour: Favour = Favour.ERRORS,
        place: RowStore = place_here,
    ) -> PartedRows:
        """Draw rows from the classes and settle them on columns and pairs.

        Leaders are drawn from the classes and settled; then each column that nearly follows a
        leader is drawn from its shares within the leader's cells, and all are settled.

        Args:
            rows: Number of rows; None for as many as the table has.
            generator: Source of randomness.
            favour: With `Favour.ASSOCIATIONS`, rows are settled once more: pairs whose rows
                came out too weakly associated get stronger targets.
            place: Where many rows are held.
        """
        table = place_rows(self.evidence, rows, generator, place=place)
        scale = table.rows / max(self.evidence.total, 1.0)
        targets = self._targets(scale, favour)
        table.fill(self.leaders, self._way_to_draw())
        if self.followed:
            # Followers are not drawn yet, so targets with them are left out.
            drawn_targets = {
                clique: target
                for clique, target in targets.items()
                if not set(clique) & self.followed.keys()
            }
            table.settle(drawn_targets)
        for column, leader in self.followed.items():
            shares = self._shares(column, leader)
            table.follow(column, leader, partial(_follow, shares=shares))
        table.settle(targets)
        if favour is Favour.ASSOCIATIONS:
            for pair, counts in table.count(self.noisy).items():
                # Expected rows if the pair's columns were independent.
                product = self.evidence.margins(pair).product * scale
                further = aim_further(counts, targets[pair].counts, product)
                targets[pair] = targets[pair]._replace(counts=further)
            table.settle(targets)
        return table

    def _way_to_draw(self) -> Draw:
        """Return the function that draws the rows of columns without a leader.

        It draws from the public table if that guesses pairs and there are no classes;
        otherwise from the classes. Its codes have shape (rows, columns).
        """
        public = self.evidence.public
        columns = self.evidence.columns
        if self.classes is None and public is not None and self.evidence.is_linked:
            return lambda rows, generator: public.draw(columns, rows, generator)
        classes = self.classes or self._fit_columns()
        return lambda rows, generator: classes.deal(rows, generator).T

    def _fit_columns(self) -> Fits:
        """Return a mixture of one class, in which columns are independent."""
        tables = [normal(self.evidence.columns[a])[:, None] for a in self.leaders]
        return Fits((Classes(np.ones(1), tables, self.evidence.total),))

    def _targets(self, scale: float, favour: Favour = Favour.ERRORS) -> dict[Clique, Target]:
        """Return the counts that rows should have, and their weights, by column and pair.

        Pairs that were not measured are left out if they are many, or if associations are
        favoured.

        Args:
            scale: Number of rows to draw, over the estimated rows of the table.
            favour: With `Favour.ASSOCIATIONS`, measured pairs are as strongly associated as
                their noisy counts say.
        """
        favoured = favour is Favour.ASSOCIATIONS
        targets: dict[Clique, Target] = {}
        for a, column in enumerate(self.evidence.columns):
            scaled = Estimate(column * scale, np.zeros_like(column))  # as if exact
            targets[a,] = Target(scaled.values, weights(scaled))
        leaves_unmeasured = (
            favoured or len(self.evidence.pairs) - len(self.noisy) > MAX_SETTLED_PAIRS
        )
        for pair, estimate in self.estimates.items():
            if pair in self.noisy and favoured:
                estimate = self.evidence.associate(
                    self.noisy[pair], pair, estimate, strength=FULL
                )
            if pair in self.noisy or not leaves_unmeasured:
                scaled = Estimate(estimate.values * scale, estimate.variance * scale**2)
                targets[pair] = Target(scaled.values, weights(scaled))
        for clique, target in targets.items():
            # The possible cells by the rules; None if no rule limits these columns.
            mask = self.evidence.rules.mask(clique)
            if mask is not None:
                target.weights[~mask] = 1.0  # as a cell that surely holds no row
        return targets


def _misfit(guess: Floats, noisy: NoisyMarginal) -> float:
    """Return the mean squared distance of a pair's noisy counts from a guess.

    Each cell's is divided by its expectation: the noise's variance and that by chance.

    Args:
        guess: Expected rows, shape (cells of a, cells of b).
        noisy: The pair's noisy counts.
    """
    gaps = noisy.values.reshape(guess.shape) - guess
    return float((gaps**2 / (noisy.mechanism.variance + guess)).mean())


def _follow(leader: SmallCodes, generator: np.random.Generator, shares: Floats) -> Codes:
    """Return the codes of a column that follows from a leader, shape (rows,).

    Among rows of one leader's code, each value appears as often as its share says, up to a
    row.

    Args:
        leader: Codes of the leader, shape (rows,).
        generator: Source of randomness.
        shares: Shares of the column's cells, shape (cells of the leader, cells).
    """
    # Rows by the leader's code, and at random among those of one code.
    order = np.argsort(leader + generator.random(len(leader)))
    starts = np.searchsorted(leader[order], np.arange(len(shares) + 1))
    dealt = np.empty(len(leader), dtype=np.int32)
    for cell, (start, end) in enumerate(pairwise(starts)):
        # Even steps from 0 to 1, shifted at random, each fall into a value's share.
        places = (np.arange(end - start) + generator.random()) / max(1, end - start)
        codes = np.searchsorted(np.cumsum(shares[cell]), places, side="right")
        # Rounded shares may sum to less than 1, and a step fall beyond the last value.
        dealt[order[start:end]] = np.minimum(codes, shares.shape[1] - 1)
    return dealt
