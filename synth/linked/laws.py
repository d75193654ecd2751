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
        rows: All rows.
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
        """Return those of the root table."""
        return cls(
            rows=roots,
            roots=roots,
            band_rows=np.array([0.0, roots]),
            band_roots=np.array([0.0, roots]),
        )

    @classmethod
    def below(
        cls, package: LinkedPackage, table: int, parents: Floats, *, above: "BelievedRows"
    ) -> "BelievedRows":
        """Return those of a table, by the parents with each number of its rows.

        Args:
            table: Number of the table.
            parents: Roots by the number of rows, shape (numbers,).
            above: The rows of the parent's table.
        """
        declared = package.tables[table]
        counted_rows = np.minimum(np.arange(declared.numbers), declared.most)
        band_count = len(declared.tops) + 1
        times = above.rows / max(above.roots, 1.0)
        roots = np.zeros(band_count)
        rows = np.zeros(band_count)
        np.add.at(roots, declared.bands, parents * (counted_rows > 0))
        np.add.at(rows, declared.bands, parents * counted_rows * times)
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
    marginal: LinkedMarginal,
    numbers: BelievedRows,
    *,
    noise: float,
    distance: float,
) -> LinkedMarginal:
    """Return the histogram expected to be nearest to the laws of rows and of roots.

    It may count each row once, each root once, or rows by the band of their number. Noise is
    ``loud`` rows in all; the two laws that are wanted are a ``distance`` apart, so a
    histogram of one of them has the noise alone there, and noise and distance elsewhere.

    Args:
        marginal: The histogram, by roots.
        noise: The noise on a cell if one root adds at most 1.
        distance: Distance of the laws if only one is counted, as in `LAWS_APART`.
    """
    if package.tables[marginal.table].parent is None or marginal.others:
        return marginal
    parent, number = package.number(marginal.table)
    if (parent, number + 1) in marginal.columns:
        return marginal
    piece_limit = marginal.shares(package)
    roots = max(numbers.roots, 1.0)
    rows = max(numbers.rows, 1.0)
    loud = math.prod(marginal.shape(package)) * noise / 2
    distance *= float(np.abs(numbers.band_roots / roots - numbers.band_rows / rows).sum()) / 2
    by_root = loud / roots
    by_row = loud * piece_limit / rows
    errors = {
        marginal: by_root + math.hypot(by_root, distance),
        replace(marginal, law=CountLaw.ROWS): by_row + math.hypot(by_row, distance),
    }
    if piece_limit > 1:
        rows_per_root = numbers.band_rows[1:] / np.maximum(numbers.band_roots[1:], 1.0)
        with_band = replace(marginal, columns=((parent, number + 1), *marginal.columns))
        errors[with_band] = loud * (
            _norm(rows_per_root) / rows + _norm(rows_per_root**0) / roots
        )
    if parent == 0 and piece_limit > 1:
        tops = piece_limit / np.array(package.tables[marginal.table].times[1:])
        by_bands = loud * (
            _norm(tops) / rows + _norm(tops / np.maximum(rows_per_root, 1.0)) / roots
        )
        errors[replace(with_band, law=CountLaw.BANDS)] = by_bands
    return min(errors, key=errors.__getitem__)


def _norm(values: Floats) -> float:
    return float(np.linalg.norm(values))
