"""How strongly columns are associated. PRIVATE where the table is.

>>> association(np.array([[30.0, 0.0], [0.0, 70.0]]) / 100, rows=100)
1.0
>>> association(np.outer([0.3, 0.7], [0.5, 0.5]), rows=100)
0.0
"""

from dataclasses import dataclass

import numpy as np

from synth.arrays import Floats
from synth.comparison.numeric_columns import axes
from synth.comparison.tables import Compared
from synth.metrics import Names


@dataclass(frozen=True)
class Association:
    """One pair, real and synthetic: Cramer's V (0 to 1), and of numbers the correlation."""

    real: float
    synthetic: float
    real_correlation: float | None = None
    synthetic_correlation: float | None = None


def associations(seen: Compared) -> dict[Names, Association]:
    """The associations of all pairs that were compared, those that changed most first."""
    found = {names: _pair(seen, names) for names in seen.pairs}
    ranked = sorted(found.items(), key=lambda item: -abs(item[1].real - item[1].synthetic))
    return dict(ranked)


def _pair(seen: Compared, names: tuple[str, str]) -> Association:
    real, synthetic = seen.pair(*names)
    strengths = association(real, len(seen.real[0])), association(synthetic, len(seen.synthetic[0]))
    found = axes(seen.domain.project(names))
    if len(found) < len(names):
        return Association(*strengths)
    a, b = (found[name].spans.mean(axis=1) for name in names)
    return Association(*strengths, correlation(real, a, b), correlation(synthetic, a, b))


def association(table: Floats, rows: int) -> float:
    """Cramer's V of two-way shares, corrected for bias (Bergsma 2013).

    With phi2 = chi2 / n, the part that chance explains, (r-1)(c-1)/(n-1), is taken off, and r and
    c become r - (r-1)^2/(n-1) and c - (c-1)^2/(n-1).

    Args:
        table: Shares, shape (r, c).
        rows: Rows they were counted from.
    """
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    r, c = table.shape
    if rows < 2 or min(r, c) < 2:
        return 0.0
    expected = np.outer(table.sum(axis=1), table.sum(axis=0))
    phi2 = float(((table - expected) ** 2 / expected).sum())
    phi2 = max(0.0, phi2 - (r - 1) * (c - 1) / (rows - 1))
    least = min(r - (r - 1) ** 2 / (rows - 1), c - (c - 1) ** 2 / (rows - 1)) - 1
    return 0.0 if least <= 0 or phi2 < 1e-12 else min(1.0, round(float(np.sqrt(phi2 / least)), 12))


def correlation(table: Floats, rows: Floats, columns: Floats) -> float | None:
    """Pearson's correlation of the middles of bins; None where one does not vary.

    Args:
        table: Shares of the cells of two columns, shape (at least r, at least c): bins come
            first, and what follows them (missing values) is left out.
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
