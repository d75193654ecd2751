"""Least-squares lines and logistic regressions. PUBLIC."""

import numpy as np

from synth import limits
from synth.questions.kinds.kind import QuestionKind
from synth.util import Floats

_LEAST = 1e-9
"""Of the eigenvalues of a scaled design, where its columns do not depend on one another."""


def solve_symmetric(square: Floats, right: Floats) -> Floats:
    """What a square and symmetric matrix makes the right; NaN where it is singular.

    Args:
        square: Shape (..., numbers, numbers).
        right: Shape (..., numbers).
    """
    scale = np.sqrt(np.maximum(np.diagonal(square, axis1=-2, axis2=-1), 1e-12))
    gram = square / (scale[..., :, None] * scale[..., None, :])
    finite = np.isfinite(gram).all(axis=(-2, -1))
    values, vectors = np.linalg.eigh(np.where(finite[..., None, None], gram, 0.0))
    good = finite & (values[..., 0] > _LEAST)
    safe = np.where(good[..., None], values, 1.0)
    turned = np.einsum("...ij,...i->...j", vectors, right / scale) / safe
    found = np.einsum("...ij,...j->...i", vectors, turned) / scale
    return np.where(good[..., None], found, np.nan)


def _line(products: Floats) -> Floats:
    """Intercept and slopes, of the first factor on the others."""
    kept = [0, *range(2, products.shape[-1])]
    square = products[..., kept, :][..., kept]
    return solve_symmetric(square, products[..., kept, 1])


def _slopes(columns: tuple[str, ...]) -> tuple[str, ...]:
    return ("(intercept)", *columns[1:])


REGRESSION = QuestionKind(
    name="regression",
    columns=(2, limits.QUESTION_MOMENTS),
    takes=("on",),
    adds="products",
    divides=True,
    squares_from=2,
    reads="lines",
    of_products=_line,
    labels=_slopes,
)
"""The least-squares line of the first column on the others."""
LOGISTIC = QuestionKind(
    name="logistic",
    columns=(1, limits.QUESTION_MOMENTS),
    takes=("outcome", "on"),
    adds="nothing",
    noun="logistic regression",
    not_asked="A logistic regression is not asked of the table itself.",
    unit="log odds",
)
"""The log odds of an outcome by other columns; asked of a release alone."""
