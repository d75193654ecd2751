"""Noisy totals of questions, and the law of their noise. PUBLIC."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from synth.noise import Mechanism, NoiseLaw, law_of, reach, sum_law
from synth.questions.way.way import Portion
from synth.questions.workloads.grains import summable
from synth.util import Floats, Ints


@dataclass(frozen=True, eq=False)
class Totals:
    """Noisy totals of a portion, by tally.

    ``values``: noisy steps, shape (totals,); zeros in a forecast.
    """

    portion: Portion
    values: Floats

    @classmethod
    def read(cls, portion: Portion, noisy: Ints) -> "Totals":
        """Return the noisy totals of a portion: a block of questions with its way to be
        answered.

        ``noisy`` holds what was measured: the totals, the numbers of a strategy from which
        totals are estimated, or the cells of a histogram that are summed.
        """
        cells = portion.way.cells
        strategy = portion.way.strategy
        if strategy is not None:
            return cls(portion, strategy.estimates(noisy))
        if cells is None:
            return cls(portion, noisy.astype(np.float64))
        sums = [float(noisy[members].sum()) for members in cells.members]
        return cls(portion, np.array(sums))

    def slice_of(self, number: int) -> slice:
        """Return the places of a tally's totals among all totals."""
        return self.portion.block.slices[number]

    def of_tally(self, number: int) -> Floats:
        """Return the noisy totals of a tally, in its steps."""
        return self.values[self.slice_of(number)]

    def laws(self, number: int) -> list[NoiseLaw]:
        """Return the law of the noise of each total of a tally (a sum over the rows, by
        group).

        Under a histogram, a total of m cells has the law of the sum of m noises.
        """
        way = self.portion.way
        assert way.mechanism is not None
        if way.cells is None:
            places = self.slice_of(number)
            return [law_of(way.mechanism)] * (places.stop - places.start)
        # A total without cells is exactly 0; it is treated like one of a single cell.
        cell_counts = [
            max(1, len(cells)) for cells in way.cells.members[self.slice_of(number)]
        ]
        laws_by_cells = {
            m: sum_law(way.mechanism.cell_noise.number_law, m) for m in set(cell_counts)
        }
        return [laws_by_cells[m] for m in cell_counts]

    def halves(self, number: int, level: float) -> Floats:
        """Return half widths of the intervals of a tally's totals, in its steps; shape
        (totals,).

        A step is the unit to which values are rounded, or one row.

        Args:
            number: The number of the tally (a sum over the rows, by group).
            level: The probability with which each interval holds the true total.
        """
        strategy = self.portion.way.strategy
        if strategy is None:
            return _ask_each(lambda law: reach(law, level), self.laws(number))
        # A strategy computes all totals of the block at once, so they are stored by level.
        halves_by_level = self._halves
        if level not in halves_by_level:
            halves_by_level[level] = strategy.halves(
                noise_of_portion(self.portion).cell_noise, level
            )
        return halves_by_level[level][self.slice_of(number)]

    @cached_property
    def _halves(self) -> dict[float, Floats]:
        return {}

    def sizes(self, number: int) -> Floats:
        """Return expected sizes of the errors of a tally's totals, in its steps; shape
        (totals,).

        A tally is a sum over the rows, by group.
        """
        if self.portion.way.strategy is None:
            return _ask_each(lambda law: law.expected_size, self.laws(number))
        return self._sizes[self.slice_of(number)]

    @cached_property
    def _sizes(self) -> Floats:
        """Expected sizes of the errors of all totals that a strategy estimates, in rows."""
        strategy = self.portion.way.strategy
        assert strategy is not None
        return strategy.sizes(noise_of_portion(self.portion).cell_noise)

    def grid(self, number: int) -> float:
        """Return the size of a step of a tally in units of the answer."""
        grain = self.portion.way.grains[self._grain(number)]
        return 1 / grain.weight if grain.steps is None else grain.steps.grid

    def middle(self, number: int) -> float:
        """Return the value of step 0 of a sum."""
        steps = self.portion.way.grains[self._grain(number)].steps
        return 0.0 if steps is None else steps.middle

    def _grain(self, number: int) -> int:
        """Return the index of a tally's grain in the way's list of grains.

        A grain says how a sum becomes whole numbers. A histogram and a strategy have a single
        one for all tallies.
        """
        way = self.portion.way
        has_one_grain = way.cells is not None or way.strategy is not None
        return 0 if has_one_grain else self.portion.block.tallies.index(number)


def _ask_each(ask: Callable[[NoiseLaw], float], laws: Sequence[NoiseLaw]) -> Floats:
    """Return the number that ``ask`` gives for each law, shape (laws,).

    The same law object is asked only once, as tables have very many cells.
    """
    distinct = {id(law): law for law in laws}
    numbers = {identity: ask(law) for identity, law in distinct.items()}
    return np.array([numbers[id(law)] for law in laws], dtype=float)


@dataclass(frozen=True, eq=False)
class NoisyPortion:
    """The noisy numbers of a portion, with its totals, computed once."""

    portion: Portion
    values: Ints

    @cached_property
    def totals(self) -> Totals:
        """The totals that follow from the noisy numbers."""
        return Totals.read(self.portion, self.values)


def noise_of_portion(portion: Portion) -> Mechanism:
    """Return the noise of a portion that has some."""
    assert portion.way.mechanism is not None
    return portion.way.mechanism


def range_of_ratio(portion: Portion, number: int) -> tuple[float, float]:
    """Return the least and the greatest possible mean of a summed column; 0 and 1 for a
    share.

    Args:
        portion: A block of questions with its way.
        number: The number of the tally (a sum over the rows, by group) that is the numerator.
    """
    column = portion.block.workload.summed_column(number)
    return (0.0, 1.0) if column is None else (summable(column).low, summable(column).high)
