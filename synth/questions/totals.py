"""Noisy totals of questions, and the law of their noise. PUBLIC."""

from dataclasses import dataclass

import numpy as np

from synth.arrays import Floats, Ints
from synth.noise.knorm import KNorm
from synth.noise.mechanism import Mechanism
from synth.questions.arrangement import Portion
from synth.questions.grains import summable
from synth.questions.laws import NoiseLaw, law_of, sum_law
from synth.questions.ratio import PairNoise, independent, joint


@dataclass(frozen=True, eq=False)
class Totals:
    """Noisy totals of a portion, by tally.

    Attributes:
        portion: How they were measured.
        values: Noisy steps, shape (totals,); for a forecast zeros.
    """

    portion: Portion
    values: Floats

    @classmethod
    def of(cls, portion: Portion, noisy: Ints) -> "Totals":
        """From what the door let out: totals, or cells to be added up."""
        cells = portion.way.cells
        if cells is None:
            return cls(portion, noisy.astype(np.float64))
        return cls(portion, np.array([float(noisy[one].sum()) for one in cells.members]))

    def slice_of(self, number: int) -> slice:
        """Where the totals of a tally of the workload stand."""
        return self.portion.block.slices[number]

    def of_tally(self, number: int) -> Floats:
        """The noisy steps of a tally."""
        return self.values[self.slice_of(number)]

    def laws(self, number: int) -> list[NoiseLaw]:
        """The law of the noise on each of its totals."""
        way = self.portion.way
        assert way.mechanism is not None
        if way.cells is None:
            return [law_of(way.mechanism)] * (
                self.slice_of(number).stop - self.slice_of(number).start
            )
        many = [max(1, len(one)) for one in way.cells.members[self.slice_of(number)]]
        known = {m: sum_law(way.mechanism, m) for m in set(many)}
        return [known[m] for m in many]

    def grid(self, number: int) -> float:
        """Size of a step of a tally in units of the answer."""
        grain = self.portion.way.grains[self._grain(number)]
        return 1 / grain.weight if grain.steps is None else grain.steps.grid

    def middle(self, number: int) -> float:
        """Where step 0 of a sum is."""
        steps = self.portion.way.grains[self._grain(number)].steps
        return 0.0 if steps is None else steps.middle

    def _grain(self, number: int) -> int:
        one = self.portion.way.cells is not None
        return 0 if one else self.portion.block.tallies.index(number)


def pair_noise(portion: Portion, step: float, row: float) -> PairNoise:
    """The noise of a total, in steps of its unit, and of a count in steps of rows."""
    noise = noise_of_portion(portion)
    if isinstance(noise, KNorm):
        return joint(noise, step=step, count_step=row)
    return independent(noise, noise, step=step, count_step=row)


def noise_of_portion(portion: Portion) -> Mechanism:
    assert portion.way.mechanism is not None
    return portion.way.mechanism


def range_of_ratio(portion: Portion, number: int) -> tuple[float, float]:
    """What a mean or a share can be."""
    if portion.block.workload.tallies[number].summed is None:
        return 0.0, 1.0
    column = portion.block.workload.columns[summed_axis(portion, number)]
    return summable(column).low, summable(column).high


def summed_axis(portion: Portion, number: int) -> int:
    axis = portion.block.workload.tallies[number].summed
    assert axis is not None
    return axis
