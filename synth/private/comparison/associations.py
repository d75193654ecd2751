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


@dataclass(frozen=True, kw_only=True)
class Association:
    """One pair, real and synthetic: Cramer's V (0 to 1), and for numbers the correlation."""

    real: float
    synthetic: float
    real_correlation: float | None = None
    synthetic_correlation: float | None = None


@dataclass(frozen=True)
class Slopes:
    """Synthetic associations as a part of the real ones. PRIVATE.

    Slopes through 0 over all compared pairs, of Cramer's V and (for numbers and dates) of
    Pearson's correlation. None if no real one is at least `WEAK`."""

    association: float | None
    correlation: float | None

    @property
    def sentence(self) -> str:
        named = {"associations": self.association, "correlations": self.correlation}
        said = [f"{name} at {part:.0%}" for name, part in named.items() if part is not None]
        words = ", ".join(said).replace("%", " %").replace(" at ", " come out at ", 1)
        return f"{words[:1].upper()}{words[1:]} of the truth." if said else ""


def slopes(found: Iterable[Association]) -> Slopes:
    """Return the slopes of some pairs.

    >>> slopes(
    ...     [
    ...         Association(real=0.4, synthetic=0.3),
    ...         Association(real=0.2, synthetic=0.15),
    ...         Association(real=0.01, synthetic=0.2),
    ...     ]
    ... ).sentence
    'Associations come out at 75 % of the truth.'
    """
    pairs = [*found]
    numbers = [(p.real_correlation, p.synthetic_correlation) for p in pairs]
    known = [(a, b) for a, b in numbers if a is not None and b is not None]
    return Slopes(_slope([(p.real, p.synthetic) for p in pairs]), _slope(known))


def _slope(pairs: list[tuple[float, float]]) -> float | None:
    told = np.array([pair for pair in pairs if abs(pair[0]) >= WEAK]).reshape(-1, 2)
    return float(told[:, 0] @ told[:, 1] / (told[:, 0] @ told[:, 0])) if len(told) else None


def measure_associations(seen: Compared) -> dict[Names, Association]:
    """Return the associations of all compared pairs, those with the largest change first."""
    return associations_of(seen.domain, seen.real, seen.synthetic)


def associations_of(
    domain: Domain, real: Sequence[Codes], synthetic: Sequence[Codes]
) -> dict[Names, Association]:
    """Return the associations of two tables by their codes, one array of shape (rows,) a
    column.
    """
    found = {}
    for place in tables(len(domain.columns), 2) if len(domain.columns) > 1 else []:
        names = tuple(domain.names[i] for i in place)
        sides = [[rows[i] for i in place] for rows in (real, synthetic)]
        found[names] = _pair(domain.project(names), sides)
    return dict(
        sorted(found.items(), key=lambda item: -abs(item[1].real - item[1].synthetic))
    )


def _pair(domain: Domain, sides: Sequence[Sequence[Codes]]) -> Association:
    shares = [normal(table_of(rows, domain, (0, 1))) for rows in sides]
    real, synthetic = (
        association(table, len(rows[0])) for table, rows in zip(shares, sides, strict=True)
    )
    found = column_axes(domain)
    if len(found) < len(domain.names):
        return Association(real=real, synthetic=synthetic)
    a, b = (axis.spans.mean(axis=1) for axis in found.values())
    real_correlation, synthetic_correlation = (correlation(table, a, b) for table in shares)
    return Association(
        real=real,
        synthetic=synthetic,
        real_correlation=real_correlation,
        synthetic_correlation=synthetic_correlation,
    )


def association(table: Floats, rows: int) -> float:
    """Return Cramer's V of two-way shares, shape (r, c), corrected for bias (Bergsma
    2013).
    """
    # With phi2 = chi2 / n, the part due to chance, (r-1)(c-1)/(n-1), is subtracted, and r and
    # c become r - (r-1)^2/(n-1) and c - (c-1)^2/(n-1).
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    r, c = table.shape
    if rows < 2 or min(r, c) < 2:
        return 0.0
    expected = np.outer(table.sum(axis=1), table.sum(axis=0))
    phi2 = float(((table - expected) ** 2 / expected).sum())
    phi2 = max(0.0, phi2 - (r - 1) * (c - 1) / (rows - 1))
    least = min(r - (r - 1) ** 2 / (rows - 1), c - (c - 1) ** 2 / (rows - 1)) - 1
    return (
        0.0
        if least <= 0 or phi2 < 1e-12
        else min(1.0, round(float(np.sqrt(phi2 / least)), 12))
    )


def correlation(table: Floats, rows: Floats, columns: Floats) -> float | None:
    """Return Pearson's correlation of the middles of bins; None if one does not vary.

    Args:
        table: Shares of two columns' cells, shape (at least r, at least c), bins first; other
        cells
            (missing values) are left out.
        rows, columns: Middles of the bins, shapes (r,) and (c,), each in its column's unit.
    """
    inside = table[: len(rows), : len(columns)]
    total = float(inside.sum())
    if total <= 0:
        return None
    p, q = inside.sum(axis=1) / total, inside.sum(axis=0) / total
    a, b = rows - p @ rows, columns - q @ columns
    spread = float(np.sqrt((p @ a**2) * (q @ b**2)))
    return float(a @ inside @ b) / total / spread if spread > 0 else None
