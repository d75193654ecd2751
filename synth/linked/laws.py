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
        """Return the believed rows of the root table, each of which is a root.

        Band 0, of roots without a row, is empty; all are in band 1.
        """
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
        """Return the believed rows of a table, by how many rows its parents have.

        Args:
            package: The declared tables.
            table: Number of the table.
            parents: Parents with each number of rows, counted in roots, shape (numbers,).
            above: The believed rows of the parent's table.
        """
        declared = package.tables[table]
        # The rows that count for each number of rows: those above the limit are left out.
        counted_rows = np.minimum(np.arange(declared.numbers), declared.most)
        # `tops` are the most rows of each band; one band more is for no row.
        band_count = len(declared.tops) + 1
        parents_per_root = above.rows / max(above.roots, 1.0)
        roots = np.zeros(band_count)
        rows = np.zeros(band_count)
        # `bands` holds the band of each number of rows; parents without a row count no root.
        np.add.at(roots, declared.bands, parents * (counted_rows > 0))
        np.add.at(rows, declared.bands, parents * counted_rows * parents_per_root)
        return cls(
            rows=float(rows.sum()), roots=float(roots.sum()), band_rows=rows, band_roots=roots
        )


def size_noise(account: Account, cost: float, reach: int) -> float:
    """Return a cell's approximate noise at a cost, if one root adds at most ``reach``.

    It is the mean absolute noise. The cost is in epsilon or rho, as the account's budget.
    """
    # The account says it for a reach of 1, and the noise is in proportion to the reach.
    return reach * float(account.size_of_noise(np.array([cost]))[0])


def draw_noise(account: Account, cost: Fraction, reach: int) -> Mechanism:
    """Return the noise on a histogram that costs exactly this.

    Args:
        account: The budget and what it protects.
        cost: The cost in epsilon or rho, as the account's budget.
        reach: One root adds whole numbers to the cells, of at most this sum.

    Raises:
        ArgumentError: It is louder than Synth draws.
    """
    if account.pure:
        sensitivity = reach * account.neighbors.sensitivity
        return DiscreteLaplace.for_epsilon(cost, sensitivity=sensitivity)
    # The squared L2 sensitivity: reach^2, and twice as much if a root is replaced by another,
    # as roots add no negative numbers (docs/proofs/linked-counts.md).
    return account.gaussian(cost, reach**2 * account.neighbors.sensitivity)


def choose_law(
    package: LinkedPackage,
    marginal: LinkedMarginal,
    numbers: BelievedRows,
    *,
    noise: float,
    distance: float,
) -> LinkedMarginal:
    """Return the histogram with the least average error: of rows, of roots, or of bands.

    Two distributions are wanted of a column: that of rows, and that of roots. A root is a row
    of the root table, and all rows below it share its weight of 1. A histogram may count each
    row once, each root once, or rows by the band of their number, from which both follow. One
    that counts rows or roots alone gives one distribution with the noise alone, and the other
    with noise and the distance of the two.

    Args:
        package: The declared tables.
        marginal: The histogram, by roots.
        numbers: The believed rows of its table.
        noise: The noise on a cell if one root adds at most 1.
        distance: Usual distance of the two distributions in one band, as in `LAWS_APART`.
    """
    # In the root table all laws are one, and pairs of two rows are counted by roots only.
    if package.tables[marginal.table].parent is None or marginal.others:
        return marginal
    parent, number = package.number(marginal.table)
    band = (parent, number + 1)
    if band in marginal.columns:  # it is by bands already
        return marginal
    # The most rows of one root, into which its weight may be cut.
    piece_limit = marginal.shares(package)
    roots = max(numbers.roots, 1.0)
    rows = max(numbers.rows, 1.0)
    # Errors are total variations: half of the sum over all cells, as a part of the rows.
    # `loud` is the sum's half; divided by roots or rows it is the error of a distribution.
    loud = math.prod(marginal.shape(package)) * noise / 2
    # Roots with many rows count more by rows, which sets the two distributions apart.
    distance *= float(np.abs(numbers.band_roots / roots - numbers.band_rows / rows).sum()) / 2
    by_root = loud / roots
    # A root adds up to `piece_limit` rows, and the noise grows with them.
    by_row = loud * piece_limit / rows
    # The error of the distribution that is counted, and of the other one.
    errors = {
        marginal: by_root + math.hypot(by_root, distance),
        replace(marginal, law=CountLaw.ROWS): by_row + math.hypot(by_row, distance),
    }
    if piece_limit > 1:
        # Band 0, of parents without a row, counts nothing. The noise of the other bands adds
        # up by its squares, after each is scaled to rows or to roots.
        rows_per_root = numbers.band_rows[1:] / np.maximum(numbers.band_roots[1:], 1.0)
        # For roots no band is scaled, which is a factor of 1 for each.
        unscaled = np.ones(len(rows_per_root))
        with_band = replace(marginal, columns=(band, *marginal.columns))
        errors[with_band] = loud * (_norm(rows_per_root) / rows + _norm(unscaled) / roots)
    # Further down, the band of a parent does not say how many rows the whole root has.
    if parent == 0 and piece_limit > 1:
        # A row counts `times` in its band: several times if that is of few rows, which makes
        # its noise smaller.
        noise_per_row = piece_limit / np.array(package.tables[marginal.table].times[1:])
        noise_per_root = noise_per_row / np.maximum(rows_per_root, 1.0)
        by_bands = loud * (_norm(noise_per_row) / rows + _norm(noise_per_root) / roots)
        errors[replace(with_band, law=CountLaw.BANDS)] = by_bands
    return min(errors, key=errors.__getitem__)


def _norm(values: Floats) -> float:
    return float(np.linalg.norm(values))
