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
        """Return them from noisy numbers: totals, or cells to be summed."""
        cells = portion.way.cells
        strategy = portion.way.strategy
        if strategy is not None:
            return cls(portion, strategy.estimates(noisy))
        if cells is None:
            return cls(portion, noisy.astype(np.float64))
        return cls(portion, np.array([float(noisy[one].sum()) for one in cells.members]))

    def slice_of(self, number: int) -> slice:
        """Return the places of a tally's totals among all totals."""
        return self.portion.block.slices[number]

    def of_tally(self, number: int) -> Floats:
        """Return the noisy totals of a tally, in its steps."""
        return self.values[self.slice_of(number)]

    def laws(self, number: int) -> list[NoiseLaw]:
        """Return the law of the noise of each total of a tally."""
        way = self.portion.way
        assert way.mechanism is not None
        if way.cells is None:
            at = self.slice_of(number)
            return [law_of(way.mechanism)] * (at.stop - at.start)
        cell_counts = [
            max(1, len(cells)) for cells in way.cells.members[self.slice_of(number)]
        ]
        laws_by_cells = {
            m: sum_law(way.mechanism.cell_noise.number_law, m) for m in set(cell_counts)
        }
        return [laws_by_cells[m] for m in cell_counts]

    def halves(self, number: int, level: float) -> Floats:
        """Return half widths of the intervals of a tally, in its steps."""
        strategy = self.portion.way.strategy
        if strategy is None:
            return _ask_each(lambda law: reach(law, level), self.laws(number))
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
        """Return expected sizes of the errors of a tally, in its steps."""
        if self.portion.way.strategy is None:
            return _ask_each(lambda law: law.expected_size, self.laws(number))
        return self._sizes[self.slice_of(number)]

    @cached_property
    def _sizes(self) -> Floats:
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
        way = self.portion.way
        has_one_grain = way.cells is not None or way.strategy is not None
        return 0 if has_one_grain else self.portion.block.tallies.index(number)


def _ask_each(of: Callable[[NoiseLaw], float], laws: Sequence[NoiseLaw]) -> Floats:
    # Once for equal laws, as tables have very many.
    numbers_by_law = {name: of(law) for name, law in {id(law): law for law in laws}.items()}
    return np.array([numbers_by_law[id(law)] for law in laws], dtype=float)


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
    """Return the least and the greatest mean of a tally, or of a share."""
    column = portion.block.workload.summed_column(number)
    return (0.0, 1.0) if column is None else (summable(column).low, summable(column).high)
