"""What a method is: its words, its forecast, and rows of what it measured. PUBLIC.

What it measures is the other half, a function in `synth.private.methods`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from synth.estimate.models.choosing import Fitted, Order
from synth.estimate.models.estimate import Measurement, fit
from synth.estimate.models.evidence import Evidence, NoisyMarginals, small_pairs
from synth.estimate.models.exact_columns import match_columns
from synth.estimate.models.followers import followers
from synth.estimate.models.junction import Clique
from synth.estimate.models.large_rows import draw_large
from synth.estimate.noisy.counts import NoisyMarginal
from synth.estimate.recipes.usual_table import LikelyErrors, UsualTable
from synth.estimate.repair.marginal import Estimate
from synth.util import Floats

NoisyParts = Mapping[Clique, NoisyMarginal]
"""The noisy histograms that a method joins: pairs, groups, or the whole; columns are known."""


@dataclass(frozen=True)
class Recipe:
    """A method. What stands here measures columns and pairs, and joins them by a junction tree.

    Attributes:
        name: What people type.
        label: The method in a line, as people choose it.
        short: The same in a word or two.
        spread: The method whose releases say how far its forecasts are off; None for its own.
        is_offered: Whether forecasts show it beside others: it needs nothing more to be chosen.
        needs_all: Whether all cells are enumerated, and too many of them refused.
        by_model: Whether histograms of a few columns share the budget where it is asked for.
        by_pairs: Whether it measures distances of pairs first, and needs one that fits the memory.
        settles: Whether its rows are settled on pairs, which is where something can be favoured.
        is_joint: Whether a column is what a histogram of several says.
        is_whole: Whether it measures all columns in one histogram, after what sizes it up.
        takes_groups: Whether it measures the steward's groups of columns.
        takes_guess: Whether a public table may be asked for.
        widest: Most columns of a histogram, groups and the whole apart.
        fallback: What is followed where no pair can be told from noise.
    """

    name: str
    label: str
    short: str
    spread: str | None = None
    is_offered: bool = True
    needs_all: bool = False

    by_model: ClassVar[bool] = True
    by_pairs: ClassVar[bool] = True
    settles: ClassVar[bool] = False
    is_joint: ClassVar[bool] = False
    is_whole: ClassVar[bool] = False
    takes_groups: ClassVar[bool] = False
    takes_guess: ClassVar[bool] = False
    widest: ClassVar[int] = 2
    fallback: ClassVar[str] = "independent"

    @property
    def leads_to(self) -> Sequence[str]:
        """What a release may follow in the end."""
        return (self.name, self.fallback) if self.by_pairs else (self.name,)

    @property
    def chooses(self) -> bool:
        """Whether it only chooses another method."""
        return self.name not in self.leads_to

    @property
    def has_relations(self) -> bool:
        """Whether its rows say how columns go together."""
        return self.by_pairs or self.is_joint

    def expect(self, table: UsualTable) -> LikelyErrors:
        """Forecast the errors of columns and pairs."""
        return table.split()

    def seconds(self, shape: Sequence[int], rows: int) -> float:
        """Forecast how long it takes on two cores, from reading to writing."""
        return 1 + rows * len(shape) / 3e6

    def marginals(
        self, shape: tuple[int, ...], most_cells: int, _groups: Sequence[Clique]
    ) -> Sequence[Clique]:
        """List the histograms of several columns that it may ask for.

        Args:
            shape: Cells of every column.
            most_cells: Of all tables that are measured together.
            _groups: The steward's groups of columns.
        """
        return small_pairs(shape, most_cells)

    def pick_joined(self, measured: NoisyMarginals) -> NoisyParts:
        """Pick the histograms that are joined from all that was measured, in order."""
        return {clique: one for clique, one in measured if len(clique) == 2}

    def estimates(
        self, evidence: Evidence, noisy: NoisyParts, _generator: np.random.Generator
    ) -> dict[Clique, Estimate]:
        """Repair the histograms that are joined.

        Args:
            evidence: What is known, repaired columns among it.
            noisy: The noisy histograms.
            _generator: Where a model starts.
        """
        return {p: evidence.repair(counts, p, evidence.guess(p)) for p, counts in noisy.items()}

    def draw(
        self, evidence: Evidence, noisy: NoisyParts, order: Order, generator: np.random.Generator
    ) -> Fitted:
        """Draw rows of what was measured: of the junction tree of columns and repaired pairs."""
        evidence.repair_columns()
        estimates = self.estimates(evidence, noisy, generator)
        marginals = [Measurement((a,), c, 1.0) for a, c in enumerate(evidence.columns)]
        marginals += [Measurement(clique, e.values, 1.0) for clique, e in estimates.items()]
        model = fit(evidence.shape, marginals, evidence.total, iterations=100)
        drawn = draw_large(evidence, order.rows, model.draw, generator, order.place)
        return Fitted(self.name, drawn, estimates, evidence.total)

    def exact_columns(
        self, evidence: Evidence, noisy: NoisyParts, _estimates: Mapping[Clique, Estimate]
    ) -> dict[int, Floats]:
        """Find the columns that rows have to the row: expected rows by cell, by number.

        Columns that follow from one another are left as they were settled: their noisy counts do
        not agree, and rows that had them would not hold together.

        Args:
            evidence: What is known, repaired columns among it.
            noisy: The noisy histograms that were joined.
            _estimates: The same, repaired, in the order in which they were measured.
        """
        tied = followers(evidence, noisy) if self.settles and evidence.distances else {}
        left = {*tied, *tied.values()}
        return {a: column for a, column in enumerate(evidence.columns) if a not in left}

    def finish(
        self, evidence: Evidence, noisy: NoisyParts, order: Order, generator: np.random.Generator
    ) -> Fitted:
        """Turn what was measured into rows; nothing is spent, and it can be done again.

        Args:
            evidence: What is known.
            noisy: The noisy histograms that are joined.
            order: How many rows, and what they favour.
            generator: Source of the drawing.
        """
        fitted = self.draw(evidence, noisy, order, generator)
        columns = self.exact_columns(evidence, noisy, fitted.estimates)
        match_columns(fitted.drawn, columns, generator)
        return fitted
