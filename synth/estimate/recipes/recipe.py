"""The interface of a method: its words, its forecast, and rows from its measurements. PUBLIC.

The other half, a function in `synth.private.methods`, measures.
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
    """A method. This base class measures columns and pairs, and joins them by a junction tree.

    Attributes:
        name: What people type.
        label: The method in a line.
        short: The method in a word or two.
        spread: The method whose releases give the error of its forecasts; None for its own.
        is_offered: Whether forecasts show it: it needs no further input.
        needs_all: Whether all cells are enumerated, and too many of them refused.
        by_model: Whether, asked for by name, histograms of a few columns share the budget.
        by_pairs: Whether it first measures distances of pairs, and needs one that fits the memory.
        settles: Whether its rows are settled on pairs, so that they can favour something.
        is_joint: Whether columns are sums of histograms of several columns.
        is_whole: Whether it measures all columns in one histogram, after their number of rows.
        takes_groups: Whether it measures the steward's groups of columns.
        takes_guess: Whether it may use a public table.
        widest: Most columns of a histogram, besides groups and the whole.
        fallback: The method if no pair can be told from noise.
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
        """Methods that a release may follow in the end."""
        return (self.name, self.fallback) if self.by_pairs else (self.name,)

    @property
    def chooses(self) -> bool:
        """Whether it only chooses another method."""
        return self.name not in self.leads_to

    @property
    def has_relations(self) -> bool:
        """Whether its rows keep relations between columns."""
        return self.by_pairs or self.is_joint

    def expect(self, table: UsualTable) -> LikelyErrors:
        """Forecast the errors of columns and pairs."""
        return table.split()

    def seconds(self, shape: Sequence[int], rows: int) -> float:
        """Forecast the duration on two cores, from reading to writing."""
        return 1 + rows * len(shape) / 3e6

    def marginals(
        self, shape: tuple[int, ...], most_cells: int, _groups: Sequence[Clique]
    ) -> Sequence[Clique]:
        """Return the histograms of several columns that it may ask for.

        Args:
            shape: Cells of every column.
            most_cells: Most cells of all tables measured together.
            _groups: The steward's groups of columns.
        """
        return small_pairs(shape, most_cells)

    def pick_joined(self, measured: NoisyMarginals) -> NoisyParts:
        """Return the histograms to join, from all measurements, in order."""
        return {clique: one for clique, one in measured if len(clique) == 2}

    def estimates(
        self, evidence: Evidence, noisy: NoisyParts, _generator: np.random.Generator
    ) -> dict[Clique, Estimate]:
        """Repair the histograms to join.

        Args:
            evidence: Everything known, with repaired columns.
            noisy: The noisy histograms.
            _generator: Source of a model's starting point.
        """
        return {p: evidence.repair(counts, p, evidence.guess(p)) for p, counts in noisy.items()}

    def draw(
        self, evidence: Evidence, noisy: NoisyParts, order: Order, generator: np.random.Generator
    ) -> Fitted:
        """Draw rows from the junction tree of columns and repaired pairs."""
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
        """Return the columns that rows have to the row: expected rows by cell, by number.

        Columns that follow from one another stay as settled: their noisy counts contradict each
        other, and rows with these counts would break the relation.

        Args:
            evidence: Everything known, with repaired columns.
            noisy: The joined noisy histograms.
            _estimates: The same, repaired, in order of measurement.
        """
        tied = followers(evidence, noisy) if self.settles and evidence.distances else {}
        left = {*tied, *tied.values()}
        return {a: column for a, column in enumerate(evidence.columns) if a not in left}

    def finish(
        self, evidence: Evidence, noisy: NoisyParts, order: Order, generator: np.random.Generator
    ) -> Fitted:
        """Turn measurements into rows; nothing is spent, and it can be repeated.

        Args:
            evidence: Everything known.
            noisy: The noisy histograms to join.
            order: How many rows, and what they favour.
            generator: Source of randomness.
        """
        fitted = self.draw(evidence, noisy, order, generator)
        columns = self.exact_columns(evidence, noisy, fitted.estimates)
        match_columns(fitted.drawn, columns, generator)
        return fitted
