"""How strongly columns are associated. PRIVATE if the table is.

>>> association(np.array([[30.0, 0.0], [0.0, 70.0]]) / 100, rows=100)
1.0
>>> association(np.outer([0.3, 0.7], [0.5, 0.5]), rows=100)
0.0
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from synth.domain import Domain
from synth.private.comparison.numeric_columns import column_axes
from synth.private.comparison.tables import Compared, table_of
from synth.util import Codes, Floats, Names, normal, tables

WEAK = 0.05
"""Weaker real associations are chance in the table itself, and do not count in the slopes."""

# A smaller phi squared is the rounding of doubles, and means no association.
LEAST_PHI2 = 1e-12


@dataclass(frozen=True, kw_only=True)
class Association:
    """How strongly one pair of columns is associated, in real and in synthetic rows.

    Attributes:
        real, synthetic: Cramer's V, from 0 to 1.
        real_correlation, synthetic_correlation: Pearson's correlation of numbers or dates;
            None for other pairs, or if a column does not vary.
    """

    real: float
    synthetic: float
    real_correlation: float | None = None
    synthetic_correlation: float | None = None


@dataclass(frozen=True, repr=False)
class Slopes:
    """Synthetic associations as a part of the real ones. PRIVATE.

    Both are slopes through 0 over all compared pairs, and None if no real association is at
    least `WEAK`.

    Attributes:
        association: The slope of Cramer's V.
        correlation: The slope of Pearson's correlation of numbers and dates.
    """

    association: float | None
    correlation: float | None

    def __repr__(self) -> str:
        """Return the strength in words, and that it is private."""
        words = self.sentence or "no strong association"
        return f"Slopes(PRIVATE - do not share: {words})"

    @property
    def sentence(self) -> str:
        """Say how strong synthetic associations are, in per cent of the real ones.

        It is empty if no real association is strong.
        """
        slopes_by_noun = {"associations": self.association, "correlations": self.correlation}
        phrases = [
            f"{noun} at {slope:.0%}"
            for noun, slope in slopes_by_noun.items()
            if slope is not None
        ]
        if not phrases:
            return ""
        words = ", ".join(phrases).replace("%", " %").replace(" at ", " come out at ", 1)
        return f"{words[:1].upper()}{words[1:]} of the truth."


def slopes(associations: Iterable[Association]) -> Slopes:
    """Return the slopes of synthetic on real associations over some pairs of columns.

    >>> slopes(
    ...     [
    ...         Association(real=0.4, synthetic=0.3),
    ...         Association(real=0.2, synthetic=0.15),
    ...         Association(real=0.01, synthetic=0.2),
    ...     ]
    ... ).sentence
    'Associations come out at 75 % of the truth.'
    """
    cramers = []
    correlations = []
    for pair in associations:
        cramers.append((pair.real, pair.synthetic))
        if pair.real_correlation is not None and pair.synthetic_correlation is not None:
            correlations.append((pair.real_correlation, pair.synthetic_correlation))
    return Slopes(_slope(cramers), _slope(correlations))


def _slope(pairs: list[tuple[float, float]]) -> float | None:
    """Return the least-squares slope through 0 of synthetic on real associations.

    Args:
        pairs: The real and the synthetic association of each pair of columns.

    Only pairs whose real association is at least `WEAK` count; None if there are none.
    """
    strong = [pair for pair in pairs if abs(pair[0]) >= WEAK]
    if not strong:
        return None
    real, synthetic = np.array(strong).T
    return float(real @ synthetic / (real @ real))


def measure_associations(compared: Compared) -> dict[Names, Association]:
    """Return the associations of all compared pairs, those with the largest change first."""
    return associations_of(compared.domain, compared.real, compared.synthetic)


def associations_of(
    domain: Domain, real: Sequence[Codes], synthetic: Sequence[Codes]
) -> dict[Names, Association]:
    """Return the associations of two tables, those with the largest change first.

    The result maps the names of each compared pair of columns to its association.

    Args:
        domain: The columns.
        real, synthetic: Codes of the rows, one array of shape (rows,) a column.
    """
    if len(domain.columns) < 2:
        return {}
    associations = {}
    for place in tables(len(domain.columns), 2):
        names = tuple(domain.names[i] for i in place)
        sides = [[rows[i] for i in place] for rows in (real, synthetic)]
        associations[names] = _pair(domain.project(names), sides)
    return dict(
        sorted(associations.items(), key=lambda item: -abs(item[1].real - item[1].synthetic))
    )


def _pair(domain: Domain, sides: Sequence[Sequence[Codes]]) -> Association:
    """Return the association of two columns, in real and in synthetic rows.

    Args:
        domain: The two columns.
        sides: The codes of both columns, each of shape (rows,): first the real rows, then
            the synthetic ones.
    """
    shares = [normal(table_of(rows, domain, (0, 1))) for rows in sides]
    real, synthetic = (
        association(table, len(rows[0])) for table, rows in zip(shares, sides, strict=True)
    )
    axes = column_axes(domain)  # of columns in bins: numbers and dates
    if len(axes) < len(domain.names):  # only such columns have a correlation
        return Association(real=real, synthetic=synthetic)
    # A bin counts as its middle, of the first and last value that it may hold.
    first_middles, second_middles = (axis.spans.mean(axis=1) for axis in axes.values())
    real_correlation, synthetic_correlation = (
        correlation(table, first_middles, second_middles) for table in shares
    )
    return Association(
        real=real,
        synthetic=synthetic,
        real_correlation=real_correlation,
        synthetic_correlation=synthetic_correlation,
    )


def association(table: Floats, rows: int) -> float:
    """Return Cramer's V of two-way shares, shape (r, c), corrected for bias.

    With phi2 = chi2 / n, the part due to chance, (r-1)(c-1)/(n-1), is subtracted, and r and
    c become r - (r-1)^2/(n-1) and c - (c-1)^2/(n-1) (Bergsma 2013, "A bias-correction for
    Cramer's V and Tschuprow's T").

    Args:
        table: The share of rows in each pair of cells; all add up to 1.
        rows: The number n of rows.
    """
    # Empty lines and columns add nothing to chi2, and are not counted in r and c.
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    r, c = table.shape
    if rows < 2 or min(r, c) < 2:
        return 0.0
    # Shares of independent columns. Chi2 / n is the sum of squared differences from these,
    # each divided by the expected share.
    expected = np.outer(table.sum(axis=1), table.sum(axis=0))
    phi2 = float(((table - expected) ** 2 / expected).sum())
    phi2 = max(0.0, phi2 - (r - 1) * (c - 1) / (rows - 1))
    corrected_r = r - (r - 1) ** 2 / (rows - 1)
    corrected_c = c - (c - 1) ** 2 / (rows - 1)
    max_phi2 = min(corrected_r, corrected_c) - 1
    if max_phi2 <= 0 or phi2 < LEAST_PHI2:
        return 0.0
    # Rounded, so that 1 is not missed by the last digits of doubles.
    return min(1.0, round(float(np.sqrt(phi2 / max_phi2)), 12))


def correlation(table: Floats, rows: Floats, columns: Floats) -> float | None:
    """Return Pearson's correlation of the middles of bins; None if one does not vary.

    Args:
        table: Shares of two columns' cells, shape (at least r, at least c), bins first; other
            cells (missing values) are left out.
        rows, columns: Middles of the bins, shapes (r,) and (c,), each in its column's unit.
    """
    inside = table[: len(rows), : len(columns)]
    total = float(inside.sum())
    if total <= 0:  # no row has a number in both columns
        return None
    # The correlation is the mean product of the deviations from the means, divided by the
    # root of the product of the variances.
    row_shares = inside.sum(axis=1) / total
    column_shares = inside.sum(axis=0) / total
    row_deviations = rows - row_shares @ rows
    column_deviations = columns - column_shares @ columns
    row_variance = row_shares @ row_deviations**2
    column_variance = column_shares @ column_deviations**2
    scale = float(np.sqrt(row_variance * column_variance))
    if scale <= 0:
        return None
    return float(row_deviations @ inside @ column_deviations) / total / scale
