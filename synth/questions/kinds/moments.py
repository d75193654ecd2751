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
    """Return the covariances of columns, shape (..., columns, columns); NaN without rows.

    ``products`` are sums over rows of the products of any two of 1 and the columns, shape
    (..., 1 + columns, 1 + columns). Entry (0, 0) is the number of rows.
    """
    rows = products[..., 0, 0]
    n = np.where(rows > 0, rows, np.nan)[..., None, None]
    means = products[..., 0, 1:] / n[..., 0]
    return np.asarray(products[..., 1:, 1:] / n - means[..., :, None] * means[..., None, :])


def _variance(products: Floats) -> Floats:
    return np.maximum(0.0, _central(products)[..., 0])


def _covariance(products: Floats) -> Floats:
    return np.asarray(_central(products)[..., 0, 1:])


def _correlation(products: Floats) -> Floats:
    """Return the correlation of two columns, shape (..., 1); NaN if a variance is not
    positive.

    ``products`` are sums over rows of the products of any two of 1 and the columns, which may
    be noisy; shape (..., 3, 3).
    """
    covariances = _central(products)
    product = covariances[..., 0, 0] * covariances[..., 1, 1]
    # Both variances must be positive; the product of two negative ones is too.
    positive = np.where((product > 0) & (covariances[..., 0, 0] > 0), product, np.nan)
    return np.clip(covariances[..., 0, 1] / np.sqrt(positive), -1, 1)[..., None]


def _spreads(products: Floats, halves: Floats) -> tuple[Floats, Floats]:
    """Return each column's standard deviation, and a bound of how far bins change it.

    Rows are taken at the middles of their bins. Their true offsets from the middles are at
    most the half widths, and subtracting the mean offset makes them no longer. Both results
    have the shape (..., columns).

    Args:
        products: Sums over rows of the products of any two of 1 and the columns, shape (...,
            1 + columns, 1 + columns).
        halves: Such sums of products of the half widths of the rows' bins.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        variances = np.diagonal(_central(products), axis1=-2, axis2=-1)
        # The mean square of the half widths; entry 0 is the number of rows.
        off = np.diagonal(halves, axis1=-2, axis2=-1)[..., 1:] / products[..., 0, :1]
    return np.sqrt(np.maximum(0.0, variances)), np.sqrt(np.maximum(0.0, off))


def _variance_of_bins(products: Floats, halves: Floats) -> tuple[Floats, Floats]:
    norm, off = _spreads(products, halves)
    return np.maximum(0.0, norm - off) ** 2, (norm + off) ** 2


def _covariance_of_bins(products: Floats, halves: Floats) -> tuple[Floats, Floats]:
    """Return the least and the greatest covariance of two columns known by bins, shape (...,
    1).

    By Cauchy and Schwarz it bounds <x + d, y + e> = <x, y> + <x, e> + <d, y> + <d, e>, with
    the columns x and y at the middles of bins, and d and e the offsets of rows from these.

    Args:
        products: Sums over rows of the products of any two of 1 and the columns, at the
            middles.
        halves: Such sums of products of the half widths of the rows' bins.
    """
    norm, off = _spreads(products, halves)
    # Reversed, the offsets of each column are multiplied by the norm of the other one.
    far = (norm * off[..., ::-1]).sum(axis=-1) + off.prod(axis=-1)
    middle = _covariance(products)
    return middle - far[..., None], middle + far[..., None]


def _correlation_of_bins(products: Floats, halves: Floats) -> tuple[Floats, Floats]:
    """Return the least and the greatest correlation of two columns known by bins, shape (...,
    1).

    A correlation is the cosine of the angle of two columns. Offsets of length d turn a column
    x by at most asin(d / |x|). NaN if they may be as long as the column.

    Args:
        products: Sums over rows of the products of any two of 1 and the columns, at the
            middles of their bins.
        halves: Such sums of products of the half widths of the rows' bins.
    """
    norm, off = _spreads(products, halves)
    turned = np.arcsin(np.where(off < norm, off / np.where(norm > 0, norm, 1.0), np.nan))
    angle = np.arccos(_correlation(products))
    far = turned.sum(axis=-1)[..., None]
    return np.cos(np.minimum(np.pi, angle + far)), np.cos(np.maximum(0.0, angle - far))


def central_off(products: Floats, off: Floats) -> Floats:
    """Return the largest errors of covariances, shape (..., columns, columns).

    They follow to all orders from the errors of the products, which may take any signs.

    Args:
        products: Sums over rows of the products of any two of 1 and the columns, shape (...,
            1 + columns, 1 + columns). The number of rows, entry (0, 0), is exact.
        off: The largest error of each product, same shape.
    """
    n = products[..., :1, :1]
    means = np.abs(products[..., 0, 1:]) / n[..., 0]
    moved = off[..., 0, 1:] / n[..., 0]
    # An error of a mean is multiplied by the other mean, or by the other's error.
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
    """Return the least and the greatest correlation for products with bounded errors.

    The least is the least covariance over the product of deviations that makes it least: the
    greatest product if that covariance is above 0, else the least product. The greatest
    correlation follows likewise. NaN if a variance may be 0; each shape is (..., 1).

    Args:
        products: Sums over rows of the products of any two of 1 and both columns.
        off: The largest error of each product, same shape.
    """
    covariances = _central(products)
    far = central_off(products, off)
    value = covariances[..., 0, 1]
    move = far[..., 0, 1]
    variances = np.diagonal(covariances, axis1=-2, axis2=-1)
    moves = np.diagonal(far, axis1=-2, axis2=-1)
    least = variances - moves
    greatest = variances + moves
    # From ends of both variances to ends of the product of deviations.
    least, greatest = (
        np.where(least > 0, end, np.nan).prod(axis=-1) ** 0.5 for end in (least, greatest)
    )
    # An end is divided by the least product if that moves it outwards, else by the greatest.
    ends = [
        np.where(sign * end > 0, end / least, end / greatest)
        for sign, end in ((-1, value - move), (1, value + move))
    ]
    low, high = (np.clip(end, -1, 1)[..., None] for end in ends)
    return low, high


def _directions(columns: tuple[str, ...]) -> tuple[str, ...]:
    """Return the labels of principal components' numbers: of each component in turn."""
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
