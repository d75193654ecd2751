"""Rows, roots or bands: what is counted of a histogram, by public numbers alone. PUBLIC."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from synth.domain import LinkedPackage
from synth.estimate.models.allocation import Account
from synth.estimate.relational.marginals import CountLaw, LinkedMarginal
from synth.noise import DiscreteLaplace, Mechanism
from synth.util import Floats

LAWS_APART = 0.1
"""How far the laws of rows and of roots are apart in a column, in total variation, as a rule."""
LINKS_APART = 0.01
"""How far apart they are in what two columns have in common, once the columns are known."""


@dataclass(frozen=True, eq=False)
class BelievedRows:
    """How many rows a table is believed to have.

    Attributes:
        rows: Its rows.
        roots: The roots that have one; where rows share units, the units that they have in all.
        band_rows: Rows by band of the number of rows of their parent, shape (bands + 1,).
        band_roots: The same of roots.
    """

    rows: float
    roots: float
    band_rows: Floats
    band_roots: Floats

    @classmethod
    def of_root(cls, roots: float) -> "BelievedRows":
        """Those of the root table."""
        return cls(roots, roots, np.array([0.0, roots]), np.array([0.0, roots]))

    @classmethod
    def below(
        cls, package: LinkedPackage, table: int, parents: Floats, above: "BelievedRows"
    ) -> "BelievedRows":
        """Those of a table, by the parents that have each number of its rows.

        Args:
            package: The tables.
            table: Number of the table.
            parents: Roots by the number of rows, shape (numbers,).
            above: How many rows the parent's table has.
        """
        one = package.tables[table]
        each = np.minimum(np.arange(one.numbers), one.most)
        most = len(one.tops) + 1
        times = above.rows / max(above.roots, 1.0)
        roots, rows = np.zeros(most), np.zeros(most)
        np.add.at(roots, one.bands, parents * (each > 0))
        np.add.at(rows, one.bands, parents * each * times)
        return cls(float(rows.sum()), float(roots.sum()), rows, roots)


def size_noise(account: Account, cost: float, reach: int) -> float:
    """About the expected size of the noise on a cell where one root adds at most so much."""
    return reach * float(account.size_of_noise(np.array([cost]))[0])


def draw_noise(account: Account, cost: Fraction, reach: int) -> Mechanism:
    """The noise that costs exactly this, where one root adds whole numbers of this sum at most.

    Raises:
        ArgumentError: It is louder than what is drawn.
    """
    if account.pure:
        sensitivity = reach * account.neighbors.sensitivity
        return DiscreteLaplace.for_epsilon(cost, sensitivity=sensitivity)
    return account.gaussian(cost, reach**2 * account.neighbors.sensitivity)


def choose_law(
    package: LinkedPackage, one: LinkedMarginal, numbers: BelievedRows, noise: float, apart: float
) -> CountLaw:
    """The law whose histogram is expected to be nearest to that of rows and that of roots.

    Args:
        package: The tables.
        one: The histogram, by roots.
        numbers: How many rows the table has.
        noise: The noise on a cell where one root adds at most 1.
        apart: How far the laws are apart where only one of them is counted.
    """
    if package.tables[one.table].parent is None or one.others:
        return CountLaw.ROOTS
    cells = math.prod(one.shape(package))
    most, roots, rows = one.shares(package), max(numbers.roots, 1.0), max(numbers.rows, 1.0)
    by_root = cells * noise / (2 * roots)
    by_row = cells * noise * most / (2 * rows)
    errors = {
        CountLaw.ROOTS: by_root + math.hypot(by_root, apart),
        CountLaw.ROWS: by_row + math.hypot(by_row, apart),
    }
    if package.tables[one.table].parent == 0 and most > 1:
        tops = np.array(package.tables[one.table].tops, dtype=np.float64)
        loud = cells * noise * most / (most // tops)
        weights = numbers.band_roots[1:] / np.maximum(numbers.band_rows[1:], 1.0)
        errors[CountLaw.BANDS] = float(
            loud.sum() / (2 * rows) + (loud * weights).sum() / (2 * roots)
        )
    return min(errors, key=errors.__getitem__)
