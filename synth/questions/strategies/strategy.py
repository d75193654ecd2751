"""What a strategy can do, whichever it is. PUBLIC."""

from collections.abc import Sequence
from typing import Protocol

from synth.noise import CellNoise
from synth.questions.strategies.moves import Moves
from synth.questions.tallies import Tally
from synth.util import Document, Floats, Ints


class CountStrategy(Protocol):
    """What is measured in place of the counts of a block, and how these are read off it.

    ``tallies`` are what is counted of the rows; all else follows from these counts.
    """

    @property
    def tallies(self) -> tuple[Tally, ...]:
        """Rows by cell, of each part."""

    @property
    def size(self) -> int:
        """How many numbers are measured."""

    @property
    def moves(self) -> Moves:
        """How far a row moves them; of all norms the least bounds, where ``exact``."""

    @property
    def exact(self) -> bool:
        """Whether two rows are that far apart."""

    def describe(self, names: Sequence[str]) -> list[Document]:
        """All that it follows from beside the questions, in columns of these names, as JSON."""

    def measure(self, counts: Sequence[Ints]) -> Ints:
        """What noise is added to, shape (size,), from the counts of each tally."""

    def estimates(self, noisy: Ints) -> Floats:
        """The counts of the block in rows, shape (totals,)."""

    def variances(self) -> Floats:
        """Their variances, shape (totals,), as multiples of that of the noise."""

    def halves(self, noise: CellNoise, level: float) -> Floats:
        """Half the widths of their intervals, shape (totals,)."""

    def sizes(self, noise: CellNoise) -> Floats:
        """The expected sizes of their errors, shape (totals,)."""
