"""Rows, roots or bands: what a histogram counts, by public numbers alone. PUBLIC."""

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from synth.domain import LinkedPackage
from synth.estimate import Account
from synth.linked.marginals import CountLaw, LinkedMarginal
from synth.noise import DiscreteLaplace, Mechanism
from synth.util import Floats

# Usual distance of the laws of rows and of roots in a column. It is a part of their distance
# in the band of the number of rows, in total variation.
LAWS_APART = 0.2
# That distance in two columns' association, once the columns are known.
LINKS_APART = 0.03


@dataclass(frozen=True, eq=False, kw_only=True)
class BelievedRows:
    """How many rows a table is believed to have.

    Attributes:
        roots: The roots that have one; if rows share units, the sum of their units.
        band_rows: Rows by band of the number of rows of their parent, shape (bands + 1,).
        band_roots: The same of roots.
    """

    rows: float
    roots: float
    band_rows: Floats
    band_roots: Floats

    @classmethod
    def of_root(cls, roots: float) -> "BelievedRows":
        return cls(
            rows=roots,
            roots=roots,
            band_rows=np.array([0.0, roots]),
            band_roots=np.array([0.0, roots]),
        )

    @classmethod
    def below(
        cls, package: LinkedPackage, table: int, parents: Floats, above: "BelievedRows"
    ) -> "BelievedRows":
        """Return those of a table, by the parents with each number of its rows.

        Args:
            table: Number of the table.
            parents: Roots by the number of rows, shape (numbers,).
            above: The rows of the parent's table.
        """
        one = package.tables[table]
        each = np.minimum(np.arange(one.numbers), one.most)
        most = len(one.tops) + 1
        times = above.rows / max(above.roots, 1.0)
        roots, rows = np.zeros(most), np.zeros(most)
        np.add.at(roots, one.bands, parents * (each > 0))
        np.add.at(rows, one.bands, parents * each * times)
        return cls(
            rows=float(rows.sum()), roots=float(roots.sum()), band_rows=rows, band_roots=roots
        )


def size_noise(account: Account, cost: float, reach: int) -> float:
    """Return a cell's approximate noise, if one root adds at most ``reach``."""
    return reach * float(account.size_of_noise(np.array([cost]))[0])


def draw_noise(account: Account, cost: Fraction, reach: int) -> Mechanism:
    """Return the noise of exactly this cost, if one root adds whole numbers of sum ``reach``
    at most.

    Raises:
        ArgumentError: It is louder than Synth draws.
    """
    if account.pure:
        sensitivity = reach * account.neighbors.sensitivity
        return DiscreteLaplace.for_epsilon(cost, sensitivity=sensitivity)
    return account.gaussian(cost, reach**2 * account.neighbors.sensitivity)


def choose_law(
    package: LinkedPackage,
    one: LinkedMarginal,
    numbers: BelievedRows,
    *,
    noise: float,
    apart: float,
) -> LinkedMarginal:
    """Return the histogram expected to be nearest to the laws of rows and of roots.

    Args:
        one: The histogram, by roots.
        noise: The noise on a cell if one root adds at most 1.
        apart: Distance of the laws if only one is counted, as in `LAWS_APART`.
    """
    if package.tables[one.table].parent is None or one.others:
        return one
    parent, number = package.number(one.table)
    if (parent, number + 1) in one.columns:
        return one
    most, roots, rows = one.shares(package), max(numbers.roots, 1.0), max(numbers.rows, 1.0)
    loud = math.prod(one.shape(package)) * noise / 2
    apart *= float(np.abs(numbers.band_roots / roots - numbers.band_rows / rows).sum()) / 2
    by_root, by_row = loud / roots, loud * most / rows
    errors = {
        one: by_root + math.hypot(by_root, apart),
        replace(one, law=CountLaw.ROWS): by_row + math.hypot(by_row, apart),
    }
    if most > 1:
        each = numbers.band_rows[1:] / np.maximum(numbers.band_roots[1:], 1.0)
        with_band = replace(one, columns=((parent, number + 1), *one.columns))
        errors[with_band] = loud * (_norm(each) / rows + _norm(each**0) / roots)
    if parent == 0 and most > 1:
        tops = most / np.array(package.tables[one.table].times[1:])
        by_bands = loud * (_norm(tops) / rows + _norm(tops / np.maximum(each, 1.0)) / roots)
        errors[replace(with_band, law=CountLaw.BANDS)] = by_bands
    return min(errors, key=errors.__getitem__)


def _norm(values: Floats) -> float:
    return float(np.linalg.norm(values))
