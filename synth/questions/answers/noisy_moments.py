"""The noisy matrix of sums of a question, and the law of its noise. PUBLIC.

Columns are centred in their spans and scaled to the weight of a sum: all entries have the
same noise, and sizes of at most 1 a row."""

from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist

import numpy as np

from synth.domain import Steps
from synth.noise import Mechanism, NoiseLaw, law_of, reach
from synth.questions.answers.totals import Totals, noise_of_portion
from synth.questions.kinds.entries import entries_of
from synth.questions.moments.sensitivity import scales_of
from synth.questions.moments.spans import Span, spans_of
from synth.questions.wording.question import Question
from synth.questions.workloads.workload import Readout
from synth.util import Floats, Mask


@dataclass(frozen=True, eq=False, kw_only=True)
class NoisySums:
    """The noisy sums of one question.

    Attributes:
        matrix: Noisy X'X of each group, shape (groups, 1 + columns, 1 + columns); NaN in
            squares that were not measured.
        rows_are_public: Whether its first entry is the public number of rows.
        weight: Weight of a step of a sum.
        noise: Noise on an entry, in steps.
    """

    question: Question
    matrix: Floats
    rows_are_public: bool
    weight: int
    steps: tuple[Steps, ...]
    spans: tuple[Span, ...]
    noise: Mechanism

    @classmethod
    def read(cls, totals: Totals, reading: Readout, rows: int | None) -> "NoisySums":
        """Return the noisy matrix X'X of a question from its noisy totals, in measured units.

        In these, a value is its steps from the middle of its range over the weight. So its
        size is at most 1.

        Args:
            totals: The noisy sums of the question, in grid steps.
            reading: Which of these sums belong to the question.
            rows: The public number of rows; None if it is private.
        """
        portion = totals.portion
        question = portion.block.workload.questions[reading.question]
        weight, steps = scales_of(portion.block, portion.way.grains)
        size = len(question.columns) + 1
        # The tally of the rows; None if their number is public.
        (below,) = reading.denominators
        groups = len(totals.of_tally(reading.numerators[0]))
        matrix = np.full((groups, size, size), np.nan)
        matrix[:, 0, 0] = (rows or 0) if below is None else totals.of_tally(below) / weight**2
        # Divided by the square of the weight, a row adds at most 1 to each entry.
        entries = entries_of(question.kind, size - 1)
        for number, (i, j) in zip(reading.numerators, entries, strict=True):
            matrix[:, i, j] = matrix[:, j, i] = totals.of_tally(number) / weight**2
        spans = spans_of(portion.block)
        return cls(
            question=question,
            matrix=matrix,
            rows_are_public=below is None,
            weight=weight,
            steps=steps,
            spans=spans,
            noise=noise_of_portion(portion),
        )

    @property
    def counts(self) -> Floats:
        """Rows of each group, noisy if they are private."""
        return self.matrix[:, 0, 0]

    @cached_property
    def noisy(self) -> Mask:
        """Which entries of the matrix were measured with noise.

        Shape (1 + columns, 1 + columns). Entry (0, 0) is the number of rows, which may be
        public. The same entries are measured in all groups, so the first one tells.
        """
        is_measured = np.logical_not(np.isnan(self.matrix[0]))
        is_measured[0, 0] = not self.rows_are_public
        return np.asarray(is_measured)

    @property
    def units(self) -> Floats:
        """The width, in units of each column, of the unit in which it is measured, shape
        (columns,).
        """
        return np.array([steps.grid * self.weight for steps in self.steps])

    @property
    def middles(self) -> Floats:
        """The value of each column from which it is measured, shape (columns,)."""
        return np.array([steps.middle for steps in self.steps])

    @property
    def rounding(self) -> Floats:
        """The most by which a value of each column is rounded to the grid, shape (columns,).

        In measured units, in which a step is 1 / weight; 0 for columns that are not rounded.
        """
        is_rounded = [
            span.is_rounded(steps) for span, steps in zip(self.spans, self.steps, strict=True)
        ]
        return np.array(is_rounded, dtype=float) / (2 * self.weight)

    @property
    def law(self) -> NoiseLaw:
        """The law of the noise on each sum."""
        return law_of(self.noise)

    @property
    def deviation(self) -> float:
        """Standard deviation of the noise of a sum, with 1 for half a range."""
        return self.law.deviation / self.weight**2

    @property
    def size(self) -> float:
        """Mean size of the noise of a sum, with 1 for half a range."""
        return self.noise.mean_absolute / self.weight**2

    def reach(self, level: float) -> float:
        """Return a bound of the noise of one entry at this level."""
        return reach(self.law, min(level, 1 - 1e-7)) / self.weight**2

    def spread(self, level: float) -> float:
        """Return a bound of a weighted sum of noises, in its standard deviations.

        ``level`` is the probability with which it holds.
        """
        # Among weighted sums of independent Laplace numbers of one variance, a single number
        # has the longest reach at the levels of intervals; the normal law is the limit of
        # many.
        return max(self.reach(level) / self.deviation, NormalDist().inv_cdf((1 + level) / 2))

    def remarks(self) -> tuple[str, ...]:
        """Return a remark that names the columns whose values were rounded; none if no column
        was.
        """
        pairs = zip(self.question.columns, self.spans, self.steps, strict=True)
        names = [name for name, span, steps in pairs if span.is_rounded(steps)]
        if not names:
            return ()
        some_names = ", ".join(f"'{name}'" for name in names[:3]) + (
            ", …" if len(names) > 3 else ""
        )
        # The coarsest grid, which has the fewest steps from a middle to an end.
        half_steps = min(steps.most for steps in self.steps)
        return (
            f"values of {some_names} count as rounded to 1/{2 * half_steps:,} of their range",
        )
