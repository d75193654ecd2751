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
        """Its first question.

        It is the only one if the block is of quantiles, of sums of products, or of a choice.
        A block is a set of questions that one noisy vector answers.
        """
        return self.workload.questions[self.readings[0].question]

    @property
    def unit(self) -> Unit:
        """The protected unit: one row of each person if a mean is over persons.

        A block is a set of questions that one noisy vector answers.
        """
        unit = self.workload.unit
        return Unit(unit.person, 1) if self.question.over == "persons" else unit

    @property
    def weight(self) -> Fraction:
        """Its share of the budget, relative to other blocks: the sum of its questions'
        weights.

        A block is a set of questions that one noisy vector answers.
        """
        questions = self.workload.questions
        return sum(
            (questions[reading.question].weight for reading in self.readings), Fraction(0)
        )

    @cached_property
    def slices(self) -> dict[int, slice]:
        """Where the totals of each tally are among all totals of the block.

        The keys are numbers of tallies (sums over the rows, by group) in the workload. The
        values are slices of the block's vector of totals. A block is a set of questions that
        one noisy vector answers.
        """
        sizes = (self.workload.tallies[number].size for number in self.tallies)
        ends = list(accumulate(sizes, initial=0))
        pairs = zip(self.tallies, pairwise(ends), strict=True)
        return {number: slice(*ends) for number, ends in pairs}

    @property
    def sums(self) -> bool:
        """Whether it adds numbers of columns, and does not only count rows.

        A block is a set of questions that one noisy vector answers.
        """
        return any(
            self.workload.tallies[number].summed is not None for number in self.tallies
        )

    @property
    def multiplies(self) -> bool:
        """Whether it adds products of numbers."""
        return any(self.workload.tallies[number].times is not None for number in self.tallies)

    @property
    def has_pairs(self) -> bool:
        """Whether an answer divides one noisy total by another, such as a sum by a private
        count.

        A block is a set of questions that one noisy vector answers.
        """
        return any(
            reading.divided and None not in reading.denominators for reading in self.readings
        )

    @property
    def size(self) -> int:
        """Number of totals."""
        return sum(self.workload.tallies[number].size for number in self.tallies)


def block_of(workload: Workload, readings: Sequence[Readout]) -> Block:
    """Return the block of some readouts: the questions that one noisy vector answers
    together.

    Its tallies (sums over the rows) are those from which the answers are computed, each once.
    A denominator of None means the public number of rows, and needs no tally.

    Args:
        workload: All questions as sums over the rows.
        readings: The readouts of some of them, one a question.
    """
    needed = [
        number
        for reading in readings
        for number in (*reading.numerators, *reading.denominators)
        if number is not None
    ]
    return Block(workload, tuple(readings), tuple(dict.fromkeys(needed)))


def asks_rows_alone(block: Block) -> bool:
    """Return whether a block asks only for the number of rows, and that number is public.

    A block is a set of questions that one noisy vector answers.
    """
    shared = block.unit.shares_rows(block.workload.neighbors)
    # A tally without axes depends on no column, so it counts all rows.
    return shared and not any(block.workload.tallies[number].axes for number in block.tallies)
