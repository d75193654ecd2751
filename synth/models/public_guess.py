"""A public table of the same columns as the guess that noisy counts correct. PUBLIC.

Last year's table, a census extract, an earlier synthetic release: its shares stand where
independence would be the guess. A little independence is mixed in, so that nothing is impossible.
Noisy columns correct the guess as far as their distance from it outweighs their noise.

Source: Liu, Vietri, Steinke, Ullman and Wu (2021), *Leveraging public data for practical private
query release*; James and Stein (1961).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from synth.arrays import Codes, Floats, sum_by_cell
from synth.models.junction import Clique
from synth.repair.marginal import rake
from synth.repair.simplex import project_to_simplex


@dataclass(frozen=True, eq=False)
class PublicGuess:
    """Public rows, coded by the declared domain, and what they say of a table. PUBLIC.

    Attributes:
        shape: Cells of every declared column.
        codes: One array of codes for each column that the public table has, by its number.
        rows: Public rows.
        aside: Pairs that the public table gets wrong, and about which it is not asked.
    """

    shape: tuple[int, ...]
    codes: dict[int, Codes]
    rows: int
    aside: set[Clique] = field(default_factory=set)

    def speaks_of(self, clique: Clique) -> bool:
        """Whether it is the guess of these columns."""
        return self.codes.keys() >= set(clique) and clique not in self.aside

    def counts(self, clique: Clique) -> Floats:
        """Public rows by cell of the columns, in their shape."""
        sizes = tuple(self.shape[column] for column in clique)
        return sum_by_cell([self.codes[column] for column in clique], sizes)

    def shares(self, clique: Clique) -> Floats:
        """Public shares by cell with a little independence, of weight sqrt(rows) / 2; sum 1."""
        weight = math.sqrt(self.rows) / 2
        table: Floats = np.array(weight)
        for column in clique:
            size = self.shape[column]
            alone = (self.counts((column,)) + 0.5) / (self.rows + size / 2)
            table = np.multiply.outer(table, alone)
        return np.asarray((self.counts(clique) + table) / (self.rows + weight))

    def pair(self, clique: Clique, columns: Sequence[Floats], total: float) -> Floats:
        """Expected rows by cell of a pair: its public shares, raked to the repaired columns."""
        a, b = clique
        return rake(self.shares(clique) * max(total, 1.0), columns[a], columns[b])

    def column(self, number: int, noisy: Floats, variance: float, total: float) -> Floats:
        """A column between its guess and its noisy counts, shape (cells,), with the given sum.

        Args:
            number: Of the column.
            noisy: Noisy counts, shape (cells,).
            variance: Variance of the noise on each.
            total: Rows they stand for.
        """
        guess = self.shares((number,)) * total
        apart = max(0.0, float(((noisy - guess) ** 2).mean()) - variance)
        return project_to_simplex(guess + apart / (apart + variance) * (noisy - guess), total)

    def draw(self, columns: Sequence[Floats], count: int, generator: np.random.Generator) -> Codes:
        """Public rows, each as often as the others, to start from; shape (count, columns).

        Columns that the public table lacks are drawn by themselves.

        Args:
            columns: Repaired counts of every column.
            count: Rows wanted.
            generator: Source of the drawing.
        """
        order = generator.permutation(self.rows)
        places = np.resize(order, count)
        drawn = np.empty((count, len(self.shape)), dtype=np.int32)
        for number, column in enumerate(columns):
            if number in self.codes:
                drawn[:, number] = self.codes[number][places]
            else:
                shares = column / max(float(column.sum()), 1e-300)
                drawn[:, number] = generator.choice(len(column), size=count, p=shares)
        return drawn
