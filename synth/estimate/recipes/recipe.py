"""The interface of a method: its words, its forecast, and rows from its measurements. PUBLIC.

A method stands in its own file of this folder, and at its beginning what it does from top to
bottom. Its measurements are a function in `synth.private.methods.measurements`. Every run
reads the words of all methods, so what only forecasts or draws rows is imported by the
function that does so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from synth.estimate.models.junction import Clique, small_pairs
from synth.estimate.noisy.counts import NoisyMarginal
from synth.util import Floats

if TYPE_CHECKING:
    from synth.estimate.models.choosing import Fitted, Order
    from synth.estimate.models.evidence import Evidence, NoisyMarginals
    from synth.estimate.recipes.usual_table import LikelyErrors, UsualTable
    from synth.estimate.repair.marginal import Estimate

# Noisy histograms to join: pairs, groups, or the whole.
NoisyParts = Mapping[Clique, NoisyMarginal]


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """A method. This base class joins columns and pairs by a junction tree.

    Attributes:
        name: What people type.
        title: What every page, file and command calls it.
        effect: What it does, in a few words.
        spread: The method whose forecast error it has, if another.
        is_offered: Whether it needs no further input, so that forecasts show it.
        needs_all: Whether it enumerates all cells, and refuses too many.
        by_model: Whether, by name, histograms of a few columns share the budget.
        by_pairs: Whether it first measures distances of pairs, and needs one that fits the
            memory.
        settles: Whether it settles rows on pairs, so that they can favour something.
        is_joint: Whether columns are sums of wider histograms.
        is_whole: Whether one histogram has all columns, after their number of rows.
        takes_groups: Whether it measures the steward's groups.
        takes_guess: Whether it may use a public table.
        widest: Most columns of other histograms.
        fallback: The method if no pair exceeds noise.
    """

    name: str
    title: str
    effect: str
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

    def name_with(self, _size: int | None) -> str:
        """Return its title for a table of so many cells; None if they are not known."""
        return self.title

    @property
    def leads_to(self) -> Sequence[str]:
        """Methods that a release may follow in the end."""
        return (self.name, self.fallback) if self.by_pairs else (self.name,)

    @property
    def chooses(self) -> bool:
        """Whether a release always follows another method."""
        return self.name not in self.leads_to

    @property
    def has_relations(self) -> bool:
        """Whether rows keep relations between columns."""
        return self.by_pairs or self.is_joint

    def expect(self, table: UsualTable) -> LikelyErrors:
        """Forecast the mean errors of columns and pairs, in total variation.

        Pairs share the budget so that the sum of all errors is least.

        Args:
            table: A usual table, with power-law columns and assumed associations.
        """
        return table.split()

    def expect_pairs(self, table: UsualTable) -> int:
        """Forecast how many pairs of columns are measured together.

        Args:
            table: A usual table, with power-law columns and assumed associations.
        """
        return table.worthy_pairs

    def seconds(self, shape: Sequence[int], rows: int) -> float:
        """Forecast the seconds on two cores, from reading to writing.

        Args:
            shape: Number of cells of every column.
            rows: Number of rows.
        """
        # One second to start, and three million values (rows times columns) in a second.
        return 1 + rows * len(shape) / 3e6

    def marginals(
        self, shape: tuple[int, ...], most_cells: int, _groups: Sequence[Clique]
    ) -> Sequence[Clique]:
        """Return the column numbers of all histograms of several columns that it may measure.

        Args:
            shape: Number of cells of every column.
            most_cells: Most cells of all these histograms together.
        """
        return small_pairs(shape, most_cells)

    def pick_joined(self, measured: NoisyMarginals) -> NoisyParts:
        """Return the measurements to join: pairs."""
        return {clique: marginal for clique, marginal in measured if len(clique) == 2}

    def estimates(
        self, evidence: Evidence, noisy: NoisyParts, _generator: np.random.Generator
    ) -> dict[Clique, Estimate]:
        """Return the histograms to join, each after repair, by its columns.

        Args:
            evidence: Everything measured; its columns must have been repaired before.
            noisy: The noisy histograms by their columns.
        """
        return {
            pair: evidence.repair(counts, pair, evidence.guess(pair))
            for pair, counts in noisy.items()
        }

    def draw(
        self,
        evidence: Evidence,
        noisy: NoisyParts,
        order: Order,
        *,
        generator: np.random.Generator,
    ) -> Fitted:
        """Return rows drawn from the junction tree of columns and repaired pairs.

        Args:
            evidence: Everything measured; its columns are repaired.
            noisy: The noisy pairs to join.
            order: How many rows, and where they are placed.
            generator: Source of randomness.
        """
        from synth.estimate.models.choosing import Fitted
        from synth.estimate.models.estimate import Measurement, fit
        from synth.estimate.models.large_rows import place_rows

        evidence.repair_columns()
        estimates = self.estimates(evidence, noisy, generator)
        # All count as equally exact, after repair.
        marginals = [
            Measurement((column,), counts, 1.0)
            for column, counts in enumerate(evidence.columns)
        ]
        for clique, estimate in estimates.items():
            marginals.append(Measurement(clique, estimate.values, 1.0))
        model = fit(evidence.shape, marginals, evidence.total, iterations=100)
        table = place_rows(evidence, order.rows, generator, place=order.place)
        table.fill(range(len(evidence.shape)), model.draw)
        return Fitted(
            strategy=self.name, drawn=table, estimates=estimates, total=evidence.total
        )

    def exact_columns(
        self, evidence: Evidence, noisy: NoisyParts, _estimates: Mapping[Clique, Estimate]
    ) -> dict[int, Floats]:
        """Return expected rows of the columns that rows must match exactly.

        Columns that nearly follow from one another are left out: their noisy counts
        contradict each other, and would break the relation.

        Args:
            evidence: Everything measured, with repaired columns.
            noisy: The noisy pairs.

        Returns:
            Expected rows by cell, shape (cells,), by column number.
        """
        from synth.estimate.models.followers import followers

        leaders: dict[int, int] = {}
        if self.settles and evidence.distances:
            leaders = followers(evidence, noisy)
        tied_columns = {*leaders, *leaders.values()}
        return {
            number: column
            for number, column in enumerate(evidence.columns)
            if number not in tied_columns
        }

    def finish(
        self,
        evidence: Evidence,
        noisy: NoisyParts,
        order: Order,
        *,
        generator: np.random.Generator,
    ) -> Fitted:
        """Turn measurements into rows, at no cost; the same generator gives the same rows.

        Args:
            evidence: Everything measured.
            noisy: The noisy histograms to join.
            order: How many rows, what they favour, and where they are placed.
            generator: Source of randomness.
        """
        from synth.estimate.models.exact_columns import match_columns

        fitted = self.draw(evidence, noisy, order, generator=generator)
        columns = self.exact_columns(evidence, noisy, fitted.estimates)
        match_columns(fitted.drawn, columns, generator)
        return fitted
