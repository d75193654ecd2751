"""The interface of a strategy. PUBLIC."""

from collections.abc import Sequence
from typing import Protocol

from synth.noise import CellNoise
from synth.questions.strategies.moves import Moves
from synth.questions.tallies import Tally
from synth.util import Document, Floats, Ints


class CountStrategy(Protocol):
    """Measures other numbers in place of the counts of a block, and estimates the counts from them.

    ``tallies`` are counted of the rows; everything else follows from these counts.
    """

    @property
    def tallies(self) -> tuple[Tally, ...]:
        """Rows by cell, of each part."""

    @property
    def size(self) -> int:
        """Number of measured numbers."""

    @property
    def moves(self) -> Moves:
        """How far a row moves them; the least bounds of all norms if ``exact``."""

    @property
    def exact(self) -> bool:
        """Whether two rows have that distance."""

    def describe(self, names: Sequence[str]) -> list[Document]:
        """Return all its parameters without the questions, with these column names, as JSON."""

    def measure(self, counts: Sequence[Ints]) -> Ints:
        """Return the exact numbers, shape (size,), from the counts of each tally."""

    def estimates(self, noisy: Ints) -> Floats:
        """Return the counts of the block in rows, shape (totals,)."""

    def variances(self) -> Floats:
        """Return their variances, shape (totals,), as multiples of the noise's."""

    def halves(self, noise: CellNoise, level: float) -> Floats:
        """Return half widths of their intervals, shape (totals,)."""

    def sizes(self, noise: CellNoise) -> Floats:
        """Return the expected sizes of their errors, shape (totals,)."""
