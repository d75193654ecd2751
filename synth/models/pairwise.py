"""All pairs at once: latent classes, every pair repaired around them, rows settled on them.

Three estimates of a pair meet here: its noisy counts, if it was measured; what follows from the
other pairs, through the latent classes; and independence, which is about right for most pairs,
and whose error is known from the measured distances.
"""

from collections.abc import Mapping

import numpy as np

from synth.arrays import Codes, Floats
from synth.models.evidence import Evidence
from synth.models.junction import Clique
from synth.models.latent_classes import CELLS, Classes, fit_classes
from synth.models.refine_rows import settle, weights
from synth.noisy.counts import NoisyMarginal
from synth.repair.marginal import Estimate

CLASSES = 10
UNMEASURED = 0.1
"""Weight of a pair that was not measured, while rows settle."""
FORBIDDEN = 10.0
"""Weight of an impossible cell, while rows settle."""
SETTLED = 150
"""Most unmeasured pairs that rows are settled on as well."""


class Together:
    """Estimates of all pairs.

    Args:
        evidence: What is known, columns and distances among it.
        noisy: The measured pairs.
        generator: Where the classes' starting point comes from.

    Attributes:
        estimates: Expected rows by cell of every pair, and how uncertain they are.
    """

    def __init__(
        self,
        evidence: Evidence,
        noisy: Mapping[Clique, NoisyMarginal],
        generator: np.random.Generator,
    ) -> None:
        self.evidence, self.noisy = evidence, noisy
        evidence.repair_columns()
        self.classes = self._classes(generator)
        self.estimates = {pair: self._estimate(pair) for pair in evidence.pairs}

    def _classes(self, generator: np.random.Generator) -> Classes | None:
        if sum(self.evidence.shape) > CELLS or not self.noisy:
            return None
        seen = {pair: self._seen(pair) for pair in self.evidence.pairs}
        evidence = self.evidence
        return fit_classes(evidence.columns, evidence.variances, seen, CLASSES, generator)

    def _seen(self, pair: Clique) -> Estimate:
        """A pair as it was measured; or independence, as far off as its distance says."""
        guess = self.evidence.guess(pair)
        if pair in self.noisy:
            noisy = self.noisy[pair]
            values = noisy.values.reshape(guess.shape).astype(np.float64)
            return Estimate(values, noisy.mechanism.variance + guess)
        usual = float(np.mean([noisy.mechanism.variance for noisy in self.noisy.values()]))
        off = self.evidence.distances[pair] / max(self.evidence.total, 1.0)
        return Estimate(guess, usual + guess + (off * guess) ** 2)

    def _estimate(self, pair: Clique) -> Estimate:
        guess = self._guessed(pair)
        if pair in self.noisy:
            return self.evidence.repaired(self.noisy[pair], pair, guess)
        off = self.evidence.distances[pair] / max(self.evidence.total, 1.0)
        return Estimate(self.evidence.rules.zeroed(pair, guess), (off * guess) ** 2)

    def _guessed(self, pair: Clique) -> Floats:
        """A pair by the public table, or by the classes where these are nearer to noisy counts."""
        known = self.evidence.is_guessed(pair)
        if self.classes is None or (known and pair not in self.noisy):
            return self.evidence.guess(pair)
        classes = self.classes.pair(*pair)
        if not known:
            return classes
        public, noisy = self.evidence.guess(pair), self.noisy[pair]
        return min(classes, public, key=lambda guess: _misfit(guess, noisy))

    def rows(self, rows: int | None, generator: np.random.Generator) -> Codes:
        """Draw rows from the classes and settle them on columns and pairs.

        Args:
            rows: Number of rows; None for as many as the table has.
            generator: Source of the drawing.

        Returns:
            Codes of shape (rows, columns).
        """
        evidence = self.evidence
        count = int(evidence.total) if rows is None else rows
        targets = self._targets(count / max(evidence.total, 1.0))
        return settle(self._drawn(count, generator), evidence.shape, targets, generator)

    def _drawn(self, count: int, generator: np.random.Generator) -> Codes:
        public = self.evidence.public
        if public is not None and (self.classes is None or not public.mostly_aside(self.noisy)):
            return public.draw(self.evidence.columns, count, generator)
        if self.classes is not None:
            return self.classes.draw(count, generator)
        total = max(self.evidence.total, 1.0)
        tables = [column[:, None] / total for column in self.evidence.columns]
        return Classes(np.ones(1), tables, self.evidence.total, 0.0).draw(count, generator)

    def _targets(self, scale: float) -> dict[Clique, tuple[Floats, Floats]]:
        """Wanted counts and their weights, for ``scale`` times the table's rows."""
        targets: dict[Clique, tuple[Floats, Floats]] = {}
        for a, column in enumerate(self.evidence.columns):
            wanted = Estimate(column * scale, np.zeros_like(column))
            targets[a,] = (wanted.values, weights(wanted))
        silent = len(self.evidence.pairs) - len(self.noisy) > SETTLED
        for pair, known in self.estimates.items():
            if pair in self.noisy:
                wanted = Estimate(known.values * scale, known.variance * scale**2)
                targets[pair] = (wanted.values, weights(wanted))
            elif not silent:
                wanted = Estimate(known.values * scale, np.zeros_like(known.values))
                targets[pair] = (wanted.values, weights(wanted, UNMEASURED))
        for pair, (_, weight) in targets.items():
            mask = self.evidence.rules.mask(pair)
            if mask is not None:
                weight[~mask] = FORBIDDEN
        return targets


def _misfit(guess: Floats, noisy: NoisyMarginal) -> float:
    """Mean squared distance of noisy counts from a guess, in units of what is to be expected."""
    gaps = noisy.values.reshape(guess.shape) - guess
    return float((gaps**2 / (noisy.mechanism.variance + guess)).mean())
