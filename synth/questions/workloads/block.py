"""Questions that are answered together. PUBLIC."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise

from synth.privacy import Unit
from synth.questions.wording.question import Question
from synth.questions.workloads.workload import Readout, Workload


@dataclass(frozen=True, eq=False)
class Block:
    """Questions that one noisy vector answers.

    Attributes:
        readings: The readout of each answer.
        tallies: Numbers of the tallies that they need, each once.
    """

    workload: Workload
    readings: tuple[Readout, ...]
    tallies: tuple[int, ...]

    @property
    def question(self) -> Question:
        """Its first question; the only one in a block of ranks, of products, or of a
        choice.
        """
        return self.workload.questions[self.readings[0].question]

    @property
    def unit(self) -> Unit:
        """The protected unit: one row of each person if a mean is over persons."""
        unit = self.workload.unit
        return Unit(unit.person, 1) if self.question.over == "persons" else unit

    @property
    def weight(self) -> Fraction:
        """Its share of the budget, relative to other blocks."""
        questions = self.workload.questions
        return sum(
            (questions[reading.question].weight for reading in self.readings), Fraction(0)
        )

    @cached_property
    def slices(self) -> dict[int, slice]:
        """The places of each tally's totals among all totals of the block."""
        ends = list(
            accumulate((self.workload.tallies[n].size for n in self.tallies), initial=0)
        )
        pairs = zip(self.tallies, pairwise(ends), strict=True)
        return {number: slice(*ends) for number, ends in pairs}

    @property
    def sums(self) -> bool:
        """Whether it adds numbers, and not only rows."""
        return any(
            self.workload.tallies[number].summed is not None for number in self.tallies
        )

    @property
    def multiplies(self) -> bool:
        """Whether it adds products of numbers."""
        return any(self.workload.tallies[number].times is not None for number in self.tallies)

    @property
    def has_pairs(self) -> bool:
        """Whether an answer is the ratio of two of its totals."""
        return any(
            reading.divided and None not in reading.denominators for reading in self.readings
        )

    @property
    def size(self) -> int:
        """Number of totals."""
        return sum(self.workload.tallies[number].size for number in self.tallies)


def block_of(workload: Workload, readings: Sequence[Readout]) -> Block:
    """Return the block of some readouts, with the tallies that they need."""
    needed = [
        number
        for reading in readings
        for number in (*reading.numerators, *reading.denominators)
        if number is not None
    ]
    return Block(workload, tuple(readings), tuple(dict.fromkeys(needed)))


def asks_rows_alone(block: Block) -> bool:
    """Return whether it asks only for the number of rows, and that is public."""
    shared = block.unit.shares_rows(block.workload.neighbors)
    return shared and not any(block.workload.tallies[number].axes for number in block.tallies)
