"""Variances, covariances, correlations and principal directions. PUBLIC.

Products are sums over rows of the products of any two of 1 and the columns, shape (...,
1 + columns, 1 + columns): at 0, 0 the number of rows, beside it the sums of the columns.
``halves`` are such sums of products of the half widths of the rows' bins, ``off`` the largest
errors of the products, entry by entry; both have the shape of the products.
"""

import numpy as np

from synth import limits
from synth.questions.kinds.families import ProductKind
from synth.util import Floats


def _central(products: Floats) -> Floats:
    """Return the covariances of columns, shape (..., columns, columns); NaN without rows."""
    rows = products[..., 0, 0]
    n = np.where(rows > 0, rows, np.nan)[..., None, None]
    means = products[..., 0, 1:] / n[..., 0]
    return np.asarray(products[..., 1:, 1:] / n - means[..., :, None] * means[..., None, :])


def _variance(products: Floats) -> Floats:
    return np.maximum(0.0, _central(products)[..., 0])


def _covariance(products: Floats) -> Floats:
    return np.asarray(_central(products)[..., 0, 1:])


def _correlation(products: Floats) -> Floats:
    """Return the correlation of two columns, shape (..., 1).

    NaN if noise leaves a variance of 0.
    """
    spread = _central(products)
    product = spread[..., 0, 0] * spread[..., 1, 1]
    positive = np.where((product > 0) & (spread[..., 0, 0] > 0), product, np.nan)
    return np.clip(spread[..., 0, 1] / np.sqrt(positive), -1, 1)[..., None]


def _spreads(products: Floats, halves: Floats) -> tuple[Floats, Floats]:
    """Return the norms of columns' deviations from their means, and how far bins change them.

    The offsets of rows from the middles of their bins are at most the half widths, and
    subtracting their mean makes them no longer. Both have the shape (..., columns), and are
    divided by the root of the number of rows.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        variances = np.diagonal(_central(products), axis1=-2, axis2=-1)
        off = np.diagonal(halves, axis1=-2, axis2=-1)[..., 1:] / products[..., 0, :1]
    return np.sqrt(np.maximum(0.0, variances)), np.sqrt(np.maximum(0.0, off))


def _variance_of_bins(products: Floats, halves: Floats) -> tuple[Floats, Floats]:
    norm, off = _spreads(products, halves)
    return np.maximum(0.0, norm - off) ** 2, (norm + off) ** 2


def _covariance_of_bins(products: Floats, halves: Floats) -> tuple[Floats, Floats]:
    """Return the ends of a covariance over all places of rows in their bins.

    Cauchy and Schwarz bound <x + d, y + e> = <x, y> + <x, e> + <d, y> + <d, e>, with the
    columns x and y at the middles, and the offsets d and e.
    """
    norm, off = _spreads(products, halves)
    far = (norm * off[..., ::-1]).sum(axis=-1) + off.prod(axis=-1)
    middle = _covariance(products)
    return middle - far[..., None], middle + far[..., None]


def _correlation_of_bins(products: Floats, halves: Floats) -> tuple[Floats, Floats]:
    """Return the ends of a correlation over all places of rows in their bins.

    It is the cosine of the angle of two columns: offsets of length d turn a column x by at
    most asin(d / |x|).
    """
    norm, off = _spreads(products, halves)
    turned = np.arcsin(np.where(off < norm, off / np.where(norm > 0, norm, 1.0), np.nan))
    angle = np.arccos(_correlation(products))
    far = turned.sum(axis=-1)[..., None]
    return np.cos(np.minimum(np.pi, angle + far)), np.cos(np.maximum(0.0, angle - far))


def central_off(products: Floats, off: Floats) -> Floats:
    """Return the largest error of covariances if products of columns have these errors."""
    n = products[..., :1, :1]
    means = np.abs(products[..., 0, 1:]) / n[..., 0]
    moved = off[..., 0, 1:] / n[..., 0]
    crossed = means[..., :, None] * moved[..., None, :]
    squared = moved[..., :, None] * moved[..., None, :]
    return np.asarray(off[..., 1:, 1:] / n + crossed + np.swapaxes(crossed, -1, -2) + squared)


def _variance_within(products: Floats, off: Floats) -> tuple[Floats, Floats]:
    value = _central(products)[..., 0]
    far = central_off(products, off)[..., 0]
    return np.maximum(0.0, value - far), np.maximum(0.0, value + far)


def _covariance_within(products: Floats, off: Floats) -> tuple[Floats, Floats]:
    value = _covariance(products)
    far = central_off(products, off)[..., 0, 1:]
    return value - far, value + far


def _correlation_within(products: Floats, off: Floats) -> tuple[Floats, Floats]:
    """Return the ends of a correlation whose products have errors of up to ``off``.

    The least is the least covariance over the deviations that make it least: the greatest
    ones if it is above 0, else the least ones. The greatest likewise.
    """
    spread = _central(products)
    far = central_off(products, off)
    value = spread[..., 0, 1]
    move = far[..., 0, 1]
    variances = np.diagonal(spread, axis1=-2, axis2=-1)
    moves = np.diagonal(far, axis1=-2, axis2=-1)
    least, greatest = (variances + sign * moves for sign in (-1, 1))
    least, greatest = (
        np.where(least > 0, end, np.nan).prod(axis=-1) ** 0.5 for end in (least, greatest)
    )
    ends = [
        np.where(sign * end > 0, end / least, end / greatest)
        for sign, end in ((-1, value - move), (1, value + move))
    ]
    low, high = (np.clip(end, -1, 1)[..., None] for end in ends)
    return low, high


def _directions(columns: tuple[str, ...]) -> tuple[str, ...]:
    parts = ("variance", *columns, "angle at most, in degrees")
    return tuple(f"{i}: {part}" for i in range(1, len(columns) + 1) for part in parts)


VARIANCE = ProductKind(
    name="variance",
    example="age by sex",
    columns=(1, 1),
    takes=("by",),
    of_products=_variance,
    of_bins=_variance_of_bins,
    within=_variance_within,
    unit="{}, squared",
    error_unit="squared units",
)
COVARIANCE = ProductKind(
    name="covariance",
    example="age, income",
    columns=(2, 2),
    takes=("by",),
    squares_from=0,
    of_products=_covariance,
    of_bins=_covariance_of_bins,
    within=_covariance_within,
    error_unit="products of both units",
)
CORRELATION = ProductKind(
    name="correlation",
    example="age, income",
    columns=(2, 2),
    is_ordinal=True,
    of_products=_correlation,
    of_bins=_correlation_of_bins,
    within=_correlation_within,
    ends=(-1.0, 1.0),
    not_asked=(
        "A correlation is not asked of the table itself; its covariance and both variances "
        "are."
    ),
    unit="correlation",
)
COMPONENTS = ProductKind(
    name="components",
    example="age, income",
    columns=(2, limits.QUESTION_MOMENTS),
    reads="directions",
    labels=_directions,
    noun="principal component",
    error_unit="squared half ranges",
)
