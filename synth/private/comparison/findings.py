"""All that a comparison shows, computed when it is first asked for. PRIVATE."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import pandas as pd

from synth.domain import Binned
from synth.estimate import Repaired, side_by_side
from synth.private.comparison import figures
from synth.private.comparison.associations import (
    Association,
    Slopes,
    measure_associations,
    slopes,
)
from synth.private.comparison.by_value import ValueComparison, compare_values
from synth.private.comparison.classifier import Training, targets, train
from synth.private.comparison.column_figures import (
    describe_column,
    draw_columns,
    draw_values,
    tabulate_values,
)
from synth.private.comparison.derived_columns import DerivedComparison, compare_derived
from synth.private.comparison.error_sources import (
    NumberParts,
    Parts,
    all_parts,
    number_parts,
)
from synth.private.comparison.numeric_columns import column_axes, values_in_bins
from synth.private.comparison.public_guesses import BesidePublic
from synth.private.comparison.subgroups import Lost, groups, lost_groups
from synth.private.comparison.tables import (
    Compared,
    Coverage,
    RealError,
    covered_pairs,
    measure_coverage,
    real_errors,
)
from synth.private.comparison.verdict import Verdict, judge
from synth.util import Names, Picture, Private, SmallMultiples, pair_gap, two_way, worst_first


@dataclass(frozen=True, eq=False)
class Findings(Private):
    """A comparison with its numbers and pictures. PRIVATE.

    Attributes:
        compared: Both tables.
        trained: Tests of classifiers by the predicted column.
        by_public: Comparisons with a public table by its digest.
    """

    compared: Compared
    trained: dict[str, Training] = field(default_factory=dict)
    by_public: dict[str, BesidePublic] = field(default_factory=dict)

    @cached_property
    def values(self) -> ValueComparison:
        """The columns, compared by value. This reads the table again."""
        return compare_values(self.compared)

    @cached_property
    def associations(self) -> dict[Names, Association]:
        """Real and synthetic associations (Cramér's V) of pairs, by their names."""
        return measure_associations(self.compared)

    @cached_property
    def slopes(self) -> Slopes:
        """The strength of synthetic associations, as a part of the real one."""
        return slopes(self.associations.values())

    @cached_property
    def verdict(self) -> Verdict:
        """How good the release is, in words."""
        return judge(self.values, self.associations.values())

    @cached_property
    def parts(self) -> dict[Names, Parts]:
        """The parts of the error of each column and each pair, by its names.

        The parts are rows left out, noise with its repair or model, and drawing.
        """
        return all_parts(self.compared)

    @cached_property
    def numbers(self) -> dict[str, NumberParts]:
        """The effect of each step on every column of numbers or dates, by its name.

        The steps are binning, noise and drawing. This reads the table again.
        """
        return number_parts(
            self.compared, values_in_bins(self.compared.readings, self.compared.domain)
        )

    @cached_property
    def derived_columns(self) -> list[DerivedComparison]:
        """The errors of derived columns. This reads the table again."""
        return compare_derived(self.compared)

    @cached_property
    def repairs(self) -> tuple[list[Repaired], dict[str, RealError]]:
        """The noisy counts after each repair, and each repair's real error, by its name."""
        repaired = side_by_side(self.compared.result.record.histogram)
        return repaired, real_errors(self.compared, repaired)

    @cached_property
    def coverage(self) -> Coverage:
        """How many real shares of all columns lie within their intervals."""
        return measure_coverage(self.compared)

    @cached_property
    def pair_coverage(self) -> Coverage:
        """How many pairs of columns have an error within the bar that the model gave."""
        return covered_pairs(self.compared)

    @cached_property
    def lost_groups(self) -> list[Lost]:
        """Groups of real rows without a synthetic row, by class of size."""
        return lost_groups(self.compared)

    @property
    def has_pairs(self) -> bool:
        """Whether the table has more than one column."""
        return len(self.compared.domain.columns) > 1

    def find_columns(self, text: str) -> list[str]:
        """Return the columns whose name contains a text, the worst first; all for no text."""
        sought = text.strip().casefold()
        return [name for name in self.values.worst_first if sought in name.casefold()]

    def describe(self, name: str) -> str:
        """Return a column's name and its error in a few words."""
        notes = describe_column(self.compared, self.values, name)
        return f"{name} - {notes[0].lower()}"

    def draw_columns(self, names: Sequence[str]) -> SmallMultiples:
        """Draw columns side by side, real against synthetic."""
        return draw_columns(self.compared, self.values, names)

    def draw_column(self, name: str) -> Picture:
        """Draw one column's shares, with the intervals that the noisy counts give."""
        interval = self.compared.result.interval(name)
        return figures.column(name, self.compared.shares(name), interval)

    def draw_values(self, name: str) -> Picture | None:
        """Draw the values of a column within its bins; None if it has no bins or values."""
        column = self.compared.domain[name]
        curve = self.values.curves.get(name)
        if not isinstance(column, Binned) or curve is None or not len(curve.positions):
            return None
        return draw_values(column, curve, self.values.by_column[name].measure)

    @property
    def pairs_note(self) -> str:
        """A sentence on pairs that were not compared; empty if all were."""
        columns = len(self.compared.domain.columns)
        compared_pairs = len(self.compared.pairs)
        all_pairs = columns * (columns - 1) // 2
        if compared_pairs == all_pairs:
            return ""
        return (
            f"Of so many columns, {compared_pairs:,} of {all_pairs:,} pairs were compared, "
            "evenly spaced; the matrix is empty at the others."
        )

    def draw_pairs(self) -> Picture:
        """Draw the errors of all pairs of columns as a matrix."""
        return two_way(self.compared.domain.names, self.compared.matrix())

    def draw_worst_pairs(self) -> Picture:
        """Draw the errors of the worst pairs of columns next to chance alone."""
        errors = self.compared.errors
        by_title = {
            figures.title(names): error for names, error in errors.two_way.by_table.items()
        }
        floor = {
            figures.title(names): error for names, error in errors.floor[1].by_table.items()
        }
        return worst_first(by_title, floor=floor)

    def draw_changes(self) -> Picture:
        """Draw the change of each pair's association as a matrix."""
        change = {
            names: association.synthetic - association.real
            for names, association in self.associations.items()
        }
        names = self.compared.domain.names
        return figures.changes(names, self.compared.matrix(change), self.associations)

    def draw_gap(self, first: str, second: str) -> Picture:
        """Draw where a pair of columns has too many or too few synthetic rows."""
        domain = self.compared.domain
        cells = domain[first].titles, domain[second].titles
        return pair_gap((first, second), cells, self.compared.gap(first, second))

    def draw_bars(self) -> Picture:
        """Draw the errors of pairs next to the bars that the model gave."""
        bars = self.compared.result.pair_bars
        return figures.pair_bars(bars, self.compared.errors.two_way.by_table)

    def draw_parts(self) -> Picture:
        """Draw the parts of the error of columns and pairs."""
        return figures.parts(self.parts)

    def draw_number_parts(self) -> Picture:
        """Draw the parts of the error of numbers and dates, binning among them."""
        return figures.number_parts(self.numbers)

    def tabulate_stages(self, name: str) -> pd.DataFrame:
        """Return mean and quartiles of a column of numbers or dates at every stage."""
        axis = column_axes(self.compared.domain)[name]
        return figures.stages(axis, self.numbers[name])

    def tabulate_values(self) -> pd.DataFrame:
        """Return the numbers of all columns compared by value, the worst first."""
        return tabulate_values(self.compared, self.values)

    def tabulate_lost(self) -> pd.DataFrame:
        """Return how many groups of each size have no synthetic row."""
        return figures.tabulate_lost(self.lost_groups)

    @property
    def targets(self) -> list[str]:
        """The columns that a classifier can predict."""
        return targets(self.compared.domain)

    def train(self, name: str) -> None:
        """Train a classifier of a column, and keep its test."""
        self.trained[name] = train(self.compared, name)

    def draw_training(self, name: str) -> Picture:
        """Draw the test of the classifier of a column, which was trained before."""
        return figures.training(self.trained[name])

    def draw_groups(self, name: str) -> Picture:
        """Draw the errors within the groups of a column."""
        return figures.groups(name, groups(self.compared, name))

    def draw_repairs(self) -> Picture:
        """Draw the real error of every repair of the noisy counts."""
        return figures.repairs(*self.repairs)
