"""The range of each column among the rows of the question, and its grid. PUBLIC.

A column is centred in the part of its declared range that the condition leaves, and counted
in as many steps to either side."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from synth.domain import Steps, steps_of
from synth.questions.wording.spelling import refuse_question
from synth.questions.workloads.block import Block
from synth.questions.workloads.grains import summable
from synth.questions.workloads.tallies import Tally
from synth.util import Ints, Mask

# Most whole numbers that are tried one by one.
MAX_ENUMERATED = 2**17


@dataclass(frozen=True, kw_only=True)
class Span:
    """Possible values of a column.

    Attributes:
        axis: The number of the column in the universe.
        low, high: The ends of the range.
        unit: The distance of neighbouring values, such as 1 for whole numbers; None for real
            numbers.
    """

    axis: int
    low: float
    high: float
    unit: float | None

    @property
    def middle(self) -> float:
        """The middle of the range."""
        return self.low + (self.high - self.low) / 2

    def steps(self, half_steps: int) -> Steps:
        """Return a grid with step 0 in the middle of the range.

        It has at most ``half_steps`` steps to each end. If whole units fit, each of them is
        cut into an even number of steps, so that neither units nor their middle are rounded.
        """
        half = (self.high - self.low) / 2
        units = None if self.unit is None else round((self.high - self.low) / self.unit)
        if self.unit is None or units is None or units > half_steps:
            return Steps(
                column=self.axis, middle=self.middle, grid=half / half_steps, most=half_steps
            )
        # The range has `units` units and twice as many half units, each of `fine` steps.
        fine = half_steps // units
        return Steps(
            column=self.axis,
            middle=self.middle,
            grid=self.unit / (2 * fine),
            most=fine * units,
        )

    def is_rounded(self, steps: Steps) -> bool:
        """Return whether a grid rounds values of this column: real numbers, or too many
        units.
        """
        # Steps of half a unit or finer, but for float errors, round nothing.
        return self.unit is None or steps.grid > self.unit / 2 * (1 + 1e-9)

    def list_steps(self, steps: Steps) -> Ints:
        """Return the steps that values of this column can have, ascending.

        Values are rounded to steps before they are summed. If values are real numbers, or too
        many to be listed, each step between both ends of the range counts as possible.
        """
        width = self.high - self.low
        if self.unit is None or width > MAX_ENUMERATED * self.unit:
            low_step, high_step = steps_of(np.array([self.low, self.high]), steps)
            return np.arange(low_step, high_step + 1)
        units = round(width / self.unit)
        values = self.low + self.unit * np.arange(units + 1.0)
        return np.unique(steps_of(values, steps))


def spans_of(block: Block) -> tuple[Span, ...]:
    """Return the range of each column of a block's one question, in the question's order.

    Raises:
        QuestionError: The condition leaves a column one value.
    """
    question = block.question
    tally = block.workload.tallies[block.tallies[0]]
    return tuple(_span(block, tally, name) for name in question.columns)


def _span(block: Block, tally: Tally, name: str) -> Span:
    """Return the range of a column's values among the rows that a tally counts.

    Args:
        block: The one question, with the columns that it uses.
        tally: A sum over the rows that meet the question's condition.
        name: The name of the column.

    Raises:
        QuestionError: The condition leaves the column one value.
    """
    axis = block.workload.universe.names.index(name)
    column = block.workload.columns[axis]
    # The intervals that the condition leaves, ascending.
    counted = np.flatnonzero(_atoms(tally, axis)[: column.intervals])
    low = float(column.ends[0][counted[0]])
    high = float(column.ends[1][counted[-1]])
    if low == high:
        refuse_question(
            f"The condition leaves column '{name}' one value, and it has to vary."
        )
    return Span(axis=axis, low=low, high=high, unit=summable(column).unit)


def _atoms(tally: Tally, axis: int) -> Mask:
    """Return which atoms of a column a tally counts, for some values of the others, shape
    (atoms,).

    An atom is a piece of a column that no question cuts; a tally is a sum over the rows.
    """
    own_dimension = tally.axes.index(axis)
    others = tuple(i for i in range(len(tally.axes)) if i != own_dimension)
    # A place of -1 means that rows there are not counted.
    is_possible = np.asarray((tally.place >= 0).any(axis=others))
    return np.asarray(is_possible[tally.classes[own_dimension]])


def is_box(block: Block, spans: Sequence[Span]) -> bool:
    """Return whether counted rows may hold all combinations of values in these ranges.

    That is so if the condition leaves no gap in a column's range, and if it does not join
    these columns with each other.

    Args:
        block: The one question, with its sums.
        spans: The range of each column of the question.
    """
    tally = block.workload.tallies[block.tallies[0]]
    is_counted = tally.place >= 0
    free = [tally.axes.index(span.axis) for span in spans]
    for span, at in zip(spans, free, strict=True):
        column = block.workload.columns[span.axis]
        atoms = np.flatnonzero(_atoms(tally, span.axis)[: column.intervals])
        if len(atoms) != atoms[-1] - atoms[0] + 1:
            return False
        is_counted = np.take(is_counted, np.unique(tally.classes[at][atoms]), axis=at)
    # Combinations of the question's columns by combinations of all others. For each of the
    # latter, all of the former must be counted, or none.
    combinations = int(np.prod([is_counted.shape[at] for at in free]))
    table = np.moveaxis(is_counted, free, range(len(free))).reshape(combinations, -1)
    return bool((table.all(axis=0) | ~table.any(axis=0)).all())


def groups_of(tally: Tally) -> int:
    """Return the number of groups of a tally."""
    return len(np.unique(tally.place[tally.place >= 0]))
