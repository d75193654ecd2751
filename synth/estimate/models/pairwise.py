"""All pairs at once: latent classes, every pair repaired around them, rows settled on them.

Estimates combine noisy counts, the consequence of other pairs by latent classes, and
independence. That is about right for most pairs, with an error known from the measured
distances."""

from collections.abc import Mapping
from functools import partial
from itertools import pairwise

import numpy as np

from synth.estimate.models.associating import FULL, asked_again
from synth.estimate.models.evidence import Evidence
from synth.estimate.models.followers import followers
from synth.estimate.models.junction import Clique
from synth.estimate.models.large_rows import (
    Draw,
    PartedRows,
    RowStore,
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
from synth.estimate.models.names import Favour
from synth.estimate.models.refine_parts import weights
from synth.estimate.noisy.counts import NoisyMarginal
from synth.estimate.repair.marginal import Estimate
from synth.util import Codes, Floats, SmallCodes, normal

# Most unmeasured pairs that rows are settled on too.
SETTLED = 150


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
        """Repair the columns, fit latent classes, and estimate every pair."""
        self.evidence = evidence
        self.noisy = noisy
        evidence.repair_columns()
        self.followed = followers(evidence, noisy) if evidence.distances else {}
        self.leaders = [a for a in range(len(evidence.shape)) if a not in self.followed]
        place = {a: i for i, a in enumerate([*self.leaders, *self.followed])}
        self.later = {pair: max(pair, key=place.__getitem__) for pair in evidence.pairs}
        self.estimates: dict[Clique, Estimate] = {}
        self.classes = self._classes(generator)
        for pair in sorted(
            evidence.pairs, key=lambda p: (place[self.later[p]], self._follows(p))
        ):
            self.estimates[pair] = self._estimate(pair)
        self.estimates = {pair: self.estimates[pair] for pair in evidence.pairs}

    def _follows(self, pair: Clique) -> bool:
        late = self.later[pair]
        return late in self.followed and self.followed[late] not in pair

    def _classes(self, generator: np.random.Generator) -> Fits | None:
        """Fit latent classes to the leading columns, with several numbers of classes.

        None if these columns have too many cells, or if no pair of them was measured.
        """
        evidence = self.evidence
        place = {column: number for number, column in enumerate(self.leaders)}
        pairs = [pair for pair in evidence.pairs if set(pair) <= place.keys()]
        shape = [evidence.shape[a] for a in self.leaders]
        if sum(shape) > MAX_COLUMN_CELLS or not self.noisy.keys() & set(pairs):
            return None
        views = {tuple(place[column] for column in pair): self._view(pair) for pair in pairs}
        columns = [(evidence.columns[a], evidence.variances[a]) for a in self.leaders]
        counts = numbers_of_classes(sum(shape))
        ordered = [evidence.ordered[a] for a in self.leaders]
        fits = (
            fit_classes(columns, views, count=k, generator=generator, ordered=ordered)
            for k in counts
        )
        return Fits(tuple(fits))

    def _view(self, pair: Clique) -> Estimate:
        """Return what is known of a pair's counts, with variances, to fit classes to.

        As measured; or independence, with the error that the pair's distance shows.
        """
        guess = self.evidence.guess(pair)
        if pair in self.noisy:
            noisy = self.noisy[pair]
            values = noisy.values.reshape(guess.shape).astype(np.float64)
            return Estimate(values, noisy.mechanism.variance + guess)
        usual = float(np.mean([noisy.mechanism.variance for noisy in self.noisy.values()]))
        off = self.evidence.distances[pair] / max(self.evidence.total, 1.0)
        return Estimate(guess, usual + guess + (off * guess) ** 2)

    def _estimate(self, pair: Clique) -> Estimate:
        """Return a pair's counts with variances: repaired if measured, else the guess."""
        guess = self._guess(pair)
        if pair in self.noisy:
            noisy = self.noisy[pair]
            near = self.evidence.repair(noisy, pair, guess)
            guessed = self.evidence.is_guessed(pair)
            return near if guessed else self.evidence.associate(noisy, pair, near)
        off = self.evidence.distances[pair] / max(self.evidence.total, 1.0)
        return Estimate(self.evidence.rules.clear(pair, guess), (off * guess) ** 2)

    def _guess(self, pair: Clique) -> Floats:
        """Return the expected counts of a pair before its noisy counts are used.

        A column that follows another is linked to the partner through that leader.
        """
        a, b = pair
        late = self.later[pair]
        if self._follows(pair):
            partner = b if late == a else a
            leader = self.followed[late]
            table = self._shares(late, leader).T @ self._table_of(leader, partner)
            return np.asarray(table if late == a else table.T)
        return self.evidence.guess(pair) if late in self.followed else self._guess_pair(pair)

    def _table_of(self, a: int, b: int) -> Floats:
        values = self.estimates[min(a, b), max(a, b)].values
        return values if a < b else values.T

    def _shares(self, column: int, leader: int) -> Floats:
        """Return the shares of a column's cells within each cell of its leader."""
        table = self._table_of(leader, column)
        column_shares = normal(self.evidence.columns[column])
        sums = table.sum(axis=1, keepdims=True)
        shares = np.tile(column_shares, (len(table), 1))
        return np.asarray(np.divide(table, sums, out=shares, where=sums > 0))

    def _guess_pair(self, pair: Clique) -> Floats:
        """Return the expected counts of a pair.

        By the public table, or by the classes if these are closer to noisy counts.
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
            favour: With `Favour.ASSOCIATIONS`, rows are settled once more: pairs whose rows
                came out too weakly associated get stronger targets.
            place: Where many rows are held.
        """
        table = place_rows(self.evidence, rows, generator, place=place)
        scale = table.rows / max(self.evidence.total, 1.0)
        targets = self._targets(scale, favour)
        table.fill(self.leaders, self._way_to_draw())
        if self.followed:
            table.settle(
                {c: t for c, t in targets.items() if not set(c) & self.followed.keys()}
            )
        for column, leader in self.followed.items():
            shares = self._shares(column, leader)
            table.follow(column, leader, partial(_follow, shares=shares))
        table.settle(targets)
        if favour is Favour.ASSOCIATIONS:
            for pair, counts in table.count(self.noisy).items():
                goal, weight = targets[pair]
                product = self.evidence.margins(pair).product * scale
                targets[pair] = (asked_again(counts, goal, product), weight)
            table.settle(targets)
        return table

    def _way_to_draw(self) -> Draw:
        """Return the function that draws rows: from the public table, else from the
        classes.
        """
        public = self.evidence.public
        columns = self.evidence.columns
        if self.classes is None and public is not None and self.evidence.is_linked:
            return lambda rows, generator: public.draw(columns, rows, generator)
        classes = self.classes or self._fit_columns()
        return lambda rows, generator: classes.deal(rows, generator).T

    def _fit_columns(self) -> Fits:
        tables = [normal(self.evidence.columns[a])[:, None] for a in self.leaders]
        return Fits((Classes(np.ones(1), tables, self.evidence.total),))

    def _targets(
        self, scale: float, favour: Favour = Favour.ERRORS
    ) -> dict[Clique, tuple[Floats, Floats]]:
        """Return the counts that rows should have, by column and pair, and the weight of
        each.

        ``scale`` turns estimated rows into the number of rows to draw.
        """
        favoured = favour is Favour.ASSOCIATIONS
        targets: dict[Clique, tuple[Floats, Floats]] = {}
        for a, column in enumerate(self.evidence.columns):
            scaled = Estimate(column * scale, np.zeros_like(column))
            targets[a,] = (scaled.values, weights(scaled))
        silent = favoured or len(self.evidence.pairs) - len(self.noisy) > SETTLED
        for pair, estimate in self.estimates.items():
            if pair in self.noisy and favoured:
                estimate = self.evidence.associate(
                    self.noisy[pair], pair, estimate, strength=FULL
                )
            if pair in self.noisy or not silent:
                scaled = Estimate(estimate.values * scale, estimate.variance * scale**2)
                targets[pair] = (scaled.values, weights(scaled))
        for pair, (_, weight) in targets.items():
            mask = self.evidence.rules.mask(pair)
            if mask is not None:
                weight[~mask] = 1.0  # as a cell that surely holds no row
        return targets


def _misfit(guess: Floats, noisy: NoisyMarginal) -> float:
    # The mean squared distance of noisy counts from the guess, over its expectation.
    gaps = noisy.values.reshape(guess.shape) - guess
    return float((gaps**2 / (noisy.mechanism.variance + guess)).mean())


def _follow(leader: SmallCodes, generator: np.random.Generator, shares: Floats) -> Codes:
    """Return the codes of a column that follows a leader, by these shares.

    As evenly as possible among rows of one leader's code. Shares are of shape (leader's
    cells, cells).
    """
    order = np.argsort(leader + generator.random(len(leader)))
    starts = np.searchsorted(leader[order], np.arange(len(shares) + 1))
    dealt = np.empty(len(leader), dtype=np.int32)
    for cell, (start, end) in enumerate(pairwise(starts)):
        places = (np.arange(end - start) + generator.random()) / max(1, end - start)
        codes = np.searchsorted(np.cumsum(shares[cell]), places, side="right")
        dealt[order[start:end]] = np.minimum(codes, shares.shape[1] - 1)
    return dealt
