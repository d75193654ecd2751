"""Least-squares lines and logistic regressions. PUBLIC."""

import numpy as np

from synth import limits
from synth.questions.kinds.families import RegressionKind
from synth.questions.kinds.moments import central_off
from synth.util import Floats

# Least eigenvalue of a scaled design whose columns are independent.
_MIN_EIGENVALUE = 1e-9


def solve_symmetric(square: Floats, right: Floats) -> Floats:
    """Return the solution of linear equations with a symmetric matrix; NaN if it is singular.

    Args:
        square: The matrices, shape (..., numbers, numbers).
        right: The right sides, shape (..., numbers); the result has the same shape.
    """
    # Scaled to ones on the diagonal, so that the least eigenvalue does not depend on units.
    # The small number prevents a division by 0.
    scale = np.sqrt(np.maximum(np.diagonal(square, axis1=-2, axis2=-1), 1e-12))
    gram = square / (scale[..., :, None] * scale[..., None, :])
    is_finite = np.isfinite(gram).all(axis=(-2, -1))
    values, vectors = np.linalg.eigh(np.where(is_finite[..., None, None], gram, 0.0))
    has_solution = is_finite & (values[..., 0] > _MIN_EIGENVALUE)
    # Singular matrices are solved with eigenvalues 1, and their solutions discarded.
    eigenvalues = np.where(has_solution[..., None], values, 1.0)
    # With G = V diag(e) V', the solution is V (V' right / e), here on the scale of G.
    in_eigenvectors = np.einsum("...ij,...i->...j", vectors, right / scale) / eigenvalues
    solution = np.einsum("...ij,...j->...i", vectors, in_eigenvectors) / scale
    return np.where(has_solution[..., None], solution, np.nan)


def _line(products: Floats) -> Floats:
    """Return the intercept and the slopes of a least-squares line, shape (..., 1 +
    regressors).

    It solves the normal equations of the constant 1 and the regressors. NaN if the regressors
    depend on each other.

    Args:
        products: Sums over rows of the products of any two of 1, the outcome and the
            regressors.
    """
    design = [0, *range(2, products.shape[-1])]
    square = products[..., design, :][..., design]
    return solve_symmetric(square, products[..., design, 1])


def _line_of_bins(products: Floats, halves: Floats) -> tuple[Floats, Floats]:
    """Return the least and the greatest coefficients of a line for columns known by bins.

    Both have the shape (..., 1 + regressors). The line of the bins' middles is moved by the
    offsets of rows in their bins. Let X be the deviations of the regressors from their means,
    b the line, r the deviations of the outcome from it, and E and e the offsets. Then the
    line moves by (X+E)^-1 (e - E b) and ((X+E)'(X+E))^-1 E' r. In coordinates in which X'X is
    1, E is no longer than f, the root of the sum of |G_jk| H_jk over regressors. G is the
    inverse of X'X, and H the products of half widths. So no singular value of X + E is below
    1 - f.

    Args:
        products: Sums over rows of the products of any two of 1, the outcome and the
            regressors, at the middles of their bins.
        halves: Such sums of products of the half widths of the rows' bins.
    """
    line = _line(products)
    slopes = line[..., 1:]
    n = products[..., 0, 0]
    means = products[..., 0, 1:] / n[..., None]
    squared_means = means[..., :, None] * means[..., None, :]
    central = products[..., 1:, 1:] - n[..., None, None] * squared_means
    inverse = _inverse(central[..., 1:, 1:])  # G of the docstring
    half_products = np.maximum(halves, 0.0)  # H, with those of the outcome and of 1
    # f of the docstring; without a bound if it is 1 or more.
    f = np.sqrt((np.abs(inverse) * half_products[..., 2:, 2:]).sum(axis=(-2, -1)))
    f = np.where(f < 1, f, np.nan)
    # The squared lengths of the residuals r, and of e - E b. Both are the outcome less the
    # regressors times the slopes.
    factors = np.concatenate([np.ones((*slopes.shape[:-1], 1)), -slopes], axis=-1)
    sizes = np.abs(factors)
    squared_residuals = np.einsum("...i,...ij,...j->...", factors, central, factors)
    squared_offsets = np.einsum(
        "...i,...ij,...j->...", sizes, half_products[..., 1:, 1:], sizes
    )
    # The largest lengths of both moves of the docstring, in coordinates in which X'X is 1.
    second_move = f * np.sqrt(np.maximum(0.0, squared_residuals)) / (1 - f) ** 2
    first_move = np.sqrt(squared_offsets) / (1 - f)
    length = second_move + first_move
    # The root of the inverse's diagonal turns a length into the move of one slope.
    scale = np.sqrt(np.maximum(0.0, np.diagonal(inverse, axis1=-2, axis2=-1)))
    reach = scale * length[..., None]
    return _ends(line, reach, means, wide=half_products[..., 0, 1:] / n[..., None])


def _line_within(products: Floats, off: Floats) -> tuple[Floats, Floats]:
    """Return the least and the greatest coefficients of a line for products with bounded
    errors.

    Both have the shape (..., 1 + regressors). Let A be the covariances of the regressors, b
    those with the outcome, D and d their errors, and s the slopes. These move by (A + D)^-1
    (d - D s), which is at most (1 - |A^-1| |D|)^-1 |A^-1| (|d| + |D| |s|).

    Args:
        products: Sums over rows of the products of any two of 1, the outcome and the
            regressors.
        off: The largest error of each product, same shape.
    """
    line = _line(products)
    slopes = line[..., 1:]
    n = products[..., 0, 0]
    means = products[..., 0, 1:] / n[..., None]
    mean_errors = off[..., 0, 1:] / n[..., None]
    # |D| and |d| of the docstring.
    errors = central_off(products, off)
    regressor_errors = errors[..., 1:, 1:]
    outcome_errors = errors[..., 1:, 0]
    # |A^-1| of the docstring.
    squared_means = means[..., 1:, None] * means[..., None, 1:]
    covariances = products[..., 2:, 2:] / n[..., None, None] - squared_means
    inverse = np.abs(_inverse(covariances))
    # |A^-1| |D|: the bound holds if its spectral radius is below 1.
    feedback = inverse @ regressor_errors
    is_bounded = np.asarray(np.isfinite(feedback).all(axis=(-2, -1)))
    feedback = np.where(is_bounded[..., None, None], feedback, 0.0)
    spectral_radius = np.abs(np.linalg.eigvals(feedback)).max(axis=-1)
    is_bounded = np.asarray(is_bounded & (spectral_radius < 1))
    # |A^-1| (|d| + |D| |s|).
    moves = outcome_errors + (regressor_errors @ np.abs(slopes)[..., None])[..., 0]
    moves = np.where(is_bounded[..., None], (inverse @ moves[..., None])[..., 0], 0.0)
    # Where there is no bound, the identity stands, so that all can be solved at once.
    identity = np.eye(slopes.shape[-1])
    damped = np.where(is_bounded[..., None, None], identity - feedback, identity)
    solved = np.linalg.solve(damped, moves[..., None])[..., 0]
    reach = np.where(is_bounded[..., None], solved, np.nan)
    return _ends(line, reach, means, wide=mean_errors)


def _inverse(square: Floats) -> Floats:
    """Return the inverses of symmetric matrices, shape (..., numbers, numbers).

    NaN for a matrix that is singular.
    """
    ones = np.broadcast_to(np.eye(square.shape[-1]), square.shape)
    columns = [solve_symmetric(square, ones[..., k]) for k in range(square.shape[-1])]
    return np.stack(columns, axis=-1)


def _ends(line: Floats, far: Floats, means: Floats, *, wide: Floats) -> tuple[Floats, Floats]:
    """Return the least and the greatest intercept and slopes of a line that may move.

    The intercept is the outcome's mean less the slopes times the regressors' means. So it
    moves with the slopes and with the means.

    Args:
        line: The intercept and the slopes, shape (..., 1 + slopes).
        far: How far each slope may move, shape (..., slopes).
        means: Means of the outcome and the regressors, shape (..., 1 + slopes).
        wide: How far each mean may move, shape (..., 1 + slopes).
    """
    # The intercept moves by the mean of the outcome, by the slopes times the moves of the
    # other means, and by those means times the moves of the slopes.
    first = wide[..., 0] + ((np.abs(line[..., 1:]) + far) * wide[..., 1:]).sum(axis=-1)
    first = first + (np.abs(means[..., 1:]) * far).sum(axis=-1)
    reach = np.concatenate([first[..., None], far], axis=-1)
    return line - reach, line + reach


def _slopes(columns: tuple[str, ...]) -> tuple[str, ...]:
    return ("(intercept)", *columns[1:])


REGRESSION = RegressionKind(
    name="regression",
    example="income on age",
    columns=(2, limits.QUESTION_MOMENTS),
    takes=("on",),
    squares_from=2,
    reads="lines",
    of_products=_line,
    of_bins=_line_of_bins,
    within=_line_within,
    labels=_slopes,
)
LOGISTIC = RegressionKind(
    name="logistic",
    example="(smoker = yes) on sex, education",
    columns=(1, limits.QUESTION_MOMENTS),
    takes=("outcome", "on"),
    noun="logistic regression",
    not_asked="A logistic regression is not asked of the table itself.",
    unit="log odds",
)
