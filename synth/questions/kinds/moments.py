"""Variances, covariances, correlations and principal directions. PUBLIC."""

import numpy as np

from synth import limits
from synth.questions.kinds.kind import QuestionKind
from synth.util import Floats


def _central(products: Floats) -> Floats:
    """Covariances, shape (..., columns, columns); NaN where there are no rows."""
    rows = products[..., 0, 0]
    n = np.where(rows > 0, rows, np.nan)[..., None, None]
    means = products[..., 0, 1:] / n[..., 0]
    return np.asarray(products[..., 1:, 1:] / n - means[..., :, None] * means[..., None, :])


def _variance(products: Floats) -> Floats:
    return np.maximum(0.0, _central(products)[..., 0])


def _covariance(products: Floats) -> Floats:
    return np.asarray(_central(products)[..., 0, 1:])


def _correlation(products: Floats) -> Floats:
    """Pearson's; none where the noise leaves a variance of 0."""
    spread = _central(products)
    product = spread[..., 0, 0] * spread[..., 1, 1]
    positive = np.where((product > 0) & (spread[..., 0, 0] > 0), product, np.nan)
    return np.clip(spread[..., 0, 1] / np.sqrt(positive), -1, 1)[..., None]


def _directions(columns: tuple[str, ...]) -> tuple[str, ...]:
    """What each number is, in order."""
    parts = ("variance", *columns, "angle at most, in degrees")
    return tuple(f"{i}: {part}" for i in range(1, len(columns) + 1) for part in parts)


VARIANCE = QuestionKind(
    name="variance",
    columns=(1, 1),
    takes=("by",),
    adds="products",
    divides=True,
    of_products=_variance,
    unit="{}, squared",
    error_unit="squared units",
)
"""The variance of a column, or one in each group."""
COVARIANCE = QuestionKind(
    name="covariance",
    columns=(2, 2),
    takes=("by",),
    adds="products",
    divides=True,
    squares_from=0,
    of_products=_covariance,
    error_unit="products of both units",
)
"""The covariance of two columns, or one in each group."""
CORRELATION = QuestionKind(
    name="correlation",
    columns=(2, 2),
    adds="nothing",
    is_ordinal=True,
    of_products=_correlation,
    ends=(-1.0, 1.0),
    not_asked=(
        "A correlation is not asked of the table itself; its covariance and both variances are."
    ),
    unit="correlation",
)
"""Pearson's correlation of two columns; asked of a release alone."""
COMPONENTS = QuestionKind(
    name="components",
    columns=(2, limits.QUESTION_MOMENTS),
    adds="products",
    divides=True,
    reads="directions",
    labels=_directions,
    noun="principal component",
    error_unit="squared half ranges",
)
"""The principal directions of several columns."""
