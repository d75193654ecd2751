"""All pairs at once: latent classes, every pair repaired around them, rows settled on them.

Three estimates of a pair meet here. Its noisy counts, if it was measured. What the other pairs
say of it, through the latent classes. And independence, which is right for most pairs, and how
far off it is on the whole is known from the measured distances.
"""

from collections.abc import Mapping

import numpy as np

from synth.models.classes import CELLS, Classes, fit_classes
from synth.models.denoise import Estimate
from synth.models.inference import Array
from synth.models.junction import Clique
from synth.models.rows import Codes
from synth.models.session import Known
from synth.models.settle import settle, weights
from synth.noisy import NoisyMarginal

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
        session: What is known, columns and distances among it.
        noisy: The measured pairs.
        generator: Where the classes' starting point comes from.

    Attributes:
        estimates: Expected rows by cell of every pair, and how uncertain they are.
    """

    def __init__(
        self,
        session: Known,
        noisy: Mapping[Clique, NoisyMarginal],
        generator: np.random.Generator,
    ) -> None:
        self.session, self.noisy = session, noisy
        session.repair_columns()
        self.classes = self._classes(generator)
        self.estimates = {pair: self._estimate(pair) for pair in session.pairs}

    def _classes(self, generator: np.random.Generator) -> Classes | None:
        if sum(self.session.shape) > CELLS or not self.noisy:
            return None
        seen = {pair: self._seen(pair) for pair in self.session.pairs}
        session = self.session
        return fit_classes(session.columns, session.variances, seen, CLASSES, generator)

    def _seen(self, pair: Clique) -> Estimate:
        """A pair as it was measured; or independence, as far off as its distance says."""
        guess = self.session.guess(pair)
        if pair in self.noisy:
            noisy = self.noisy[pair]
            values = noisy.values.reshape(guess.shape).astype(np.float64)
            return Estimate(values, noisy.mechanism.variance + guess)
        usual = float(np.mean([noisy.mechanism.variance for noisy in self.noisy.values()]))
        off = self.session.distances[pair] / max(self.session.total, 1.0)
        return Estimate(guess, usual + guess + (off * guess) ** 2)

    def _estimate(self, pair: Clique) -> Estimate:
        guess = self.session.guess(pair) if self.classes is None else self.classes.pair(*pair)
        if pair in self.noisy:
            return self.session.repaired(self.noisy[pair], pair, guess)
        off = self.session.distances[pair] / max(self.session.total, 1.0)
        return Estimate(self.session.rules.zeroed(pair, guess), (off * guess) ** 2)

    def rows(self, rows: int | None, generator: np.random.Generator) -> Codes:
        """Draw rows from the classes and settle them on columns and pairs."""
        session = self.session
        count = int(session.total) if rows is None else rows
        targets = self._targets(count / max(session.total, 1.0))
        return settle(self._drawn(count, generator), session.shape, targets, generator)

    def _drawn(self, count: int, generator: np.random.Generator) -> Codes:
        if self.classes is not None:
            return self.classes.draw(count, generator)
        total = max(self.session.total, 1.0)
        tables = [column[:, None] / total for column in self.session.columns]
        return Classes(np.ones(1), tables, self.session.total, 0.0).draw(count, generator)

    def _targets(self, scale: float) -> dict[Clique, tuple[Array, Array]]:
        """Wanted counts and their weights, for ``scale`` times the table's rows."""
        targets: dict[Clique, tuple[Array, Array]] = {}
        for a, column in enumerate(self.session.columns):
            wanted = Estimate(column * scale, np.zeros_like(column))
            targets[a,] = (wanted.values, weights(wanted))
        silent = len(self.session.pairs) - len(self.noisy) > SETTLED
        for pair, known in self.estimates.items():
            if pair in self.noisy:
                wanted = Estimate(known.values * scale, known.variance * scale**2)
                targets[pair] = (wanted.values, weights(wanted))
            elif not silent:
                wanted = Estimate(known.values * scale, np.zeros_like(known.values))
                targets[pair] = (wanted.values, weights(wanted, UNMEASURED))
        for pair, (_, weight) in targets.items():
            mask = self.session.rules.mask(pair)
            if mask is not None:
                weight[~mask] = FORBIDDEN
        return targets
