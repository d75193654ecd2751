"""Pictures of single answers: shapes of noise, their losses, and their errors. PUBLIC.

Nothing here reads a table. `pages/ui/learn/lessons.py` has the words.

>>> k_norms(50, 2).alt
'Squared error against the number of dimensions. At 2: l1: a Laplace each 16, l2 12, l-infinity 8.'
"""  # noqa: E501

import math
from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction

import numpy as np
import pandas as pd

from synth.lessons.drawing import bar_picture, in_decades, line_picture
from synth.noise import DiscreteGaussian
from synth.privacy import analytic_sigma, gaussian_delta
from synth.util import QUIET, Picture

_POINTS = 121
# Grid steps in a standard deviation.
_STEPS = 64


class Least(StrEnum):
    """The error of all coordinates together that the noise minimises."""

    LARGEST = "largest error"
    """The same noise everywhere: a sphere."""
    VARIANCE = "total variance"
    ABSOLUTE = "total absolute error"


def noise_densities(epsilon: float, delta: float) -> Picture:
    """Return a picture of Laplace and Gaussian noise for a count that one person moves by 1.

    Args:
        epsilon: The epsilon of both.
        delta: The delta of the Gaussian noise.
    """
    scale = 1 / epsilon
    sigma = analytic_sigma(epsilon, delta)
    # An odd number of points, one of which is the peak at 0.
    x = np.linspace(-4 * sigma, 4 * sigma, 2 * _POINTS - 1)
    lines = {
        "Laplace": np.exp(-np.abs(x) / scale) / (2 * scale),
        "Gaussian": np.exp(-((x / sigma) ** 2) / 2) / (sigma * math.sqrt(2 * math.pi)),
    }
    alt = (
        f"Density of the noise. Laplace: a sharp peak, standard deviation "
        f"{math.sqrt(2) * scale:.3g}; Gaussian: a bell, standard deviation {sigma:.3g}."
    )
    return line_picture(x, lines, alt, x="noise", y="density")


def privacy_loss(epsilon: float, delta: float) -> Picture:
    """Return a picture of the exact delta of Laplace and Gaussian noise at every epsilon e.

    For Laplace noise it is 1 - exp((e - epsilon) / 2) below its epsilon, then 0.

    Args:
        epsilon: The epsilon of both.
        delta: The delta of the Gaussian noise at that epsilon.
    """
    sigma = analytic_sigma(epsilon, delta)
    # Up to two and a half times the epsilon.
    e = np.linspace(0.01, 2.5, _POINTS // 2) * epsilon
    laplace = -np.expm1((e - epsilon) / 2)
    lines = {
        # A logarithmic axis has no 0.
        "Laplace": np.where(laplace > 0, laplace, np.nan),
        "Gaussian": np.array([gaussian_delta(float(x), sigma) for x in e]),
    }
    alt = (
        f"Delta that remains at each epsilon. Laplace reaches zero at {epsilon:g}; the "
        f"Gaussian is {delta:g} there and keeps falling, but never reaches zero."
    )
    picture = line_picture(e, lines, alt, x="epsilon", y="delta (log scale)")
    # Four powers of ten below delta, to just above 1.
    picture.figure.update_yaxes(
        type="log", range=[math.log10(delta) - 4, 0.1], exponentformat="power"
    )
    picture.figure.add_vline(x=epsilon, line={"color": QUIET, "dash": "dot"})
    return picture


def radii(dimension: int) -> Picture:
    """Return a picture of the length of l2 noise: right, and as a usual mistake has it.

    Noise with a density in proportion to exp(-lambda length) has an Erlang length, whose
    shape is the dimension. The mistake draws an exponential one. Lengths are in units of
    1 / lambda.
    """
    # Up to five standard deviations above the mean, without 0, which has no logarithm.
    r = np.linspace(0, dimension + 5 * math.sqrt(dimension) + 2, 3 * _POINTS)[1:]
    log_gamma = (dimension - 1) * np.log(r) - r - math.lgamma(dimension)
    lines = {"right: Erlang": np.exp(log_gamma), "wrong: exponential": np.exp(-r)}
    # The largest distance of both distribution functions, which sum up the densities.
    gap = float(
        np.max(np.abs(np.cumsum(lines["right: Erlang"] - np.exp(-r))) * (r[1] - r[0]))
    )
    alt = (
        f"Density of the length of noise in {dimension} dimensions. The right one has its "
        f"mean at {dimension}, the wrong one at 1; their distributions differ by up to "
        f"{gap:.2f}."
    )
    return line_picture(r, lines, alt, x="length of the noise, times lambda", y="density")


def ball_ratios(dimension: int, epsilon: float) -> Picture:
    """Return a picture of how much likelier an answer near the truth is than by a neighbour.

    That is P(answer within t of the truth) / P(the same for a neighbour), by t. One line is
    for noise of the right length, another one for that of a usual mistake (`radii`).

    Args:
        dimension: Number of dimensions of the answer.
        epsilon: The epsilon that the noise is meant to have.
    """
    t = np.geomspace(0.05, 0.9, 15)
    lines = {
        "right: Erlang": np.array(
            [ball_ratio(x, dimension, epsilon, shape=dimension) for x in t]
        ),
        "wrong: exponential": np.array(
            [ball_ratio(x, dimension, epsilon, shape=1) for x in t]
        ),
        "allowed: e^epsilon": np.full(t.size, math.exp(epsilon)),
    }
    alt = (
        f"How much likelier a ball around the answer is on one table than on its neighbour, "
        f"{dimension} dimensions. At a radius of 0.1: right "
        f"{ball_ratio(0.1, dimension, epsilon, shape=dimension):.3g}, wrong "
        f"{ball_ratio(0.1, dimension, epsilon, shape=1):.3g}, allowed "
        f"{math.exp(epsilon):.3g}."
    )
    x = "radius of the ball, in sensitivities (log scale)"
    picture = in_decades(line_picture(t, lines, alt, x=x, y="ratio (log scale)"))
    picture.figure.update_xaxes(tickvals=[0.05, 0.1, 0.2, 0.5, 0.9])
    return picture


def ball_ratio(t: float, dimension: int, epsilon: float, *, shape: int) -> float:
    """Return P(answer within t of the truth) / P(answer within t, from a neighbour).

    By quadrature over the length of the noise, for a neighbour at distance 1. The length is
    Gamma(shape) with rate epsilon, the direction uniform; ``share`` is the part of the
    directions that hit the ball around the truth from a distance of ``far``.

    Args:
        t: Radius of the ball, in sensitivities, below 1.
        dimension: Number of dimensions of the answer.
        epsilon: Rate of the length of the noise.
        shape: Shape of its Gamma law: the dimension if it is right, 1 for the mistake.
    """
    # Lengths of noise that end in the ball, from the truth and from the neighbour.
    near = np.linspace(0, t, 400)
    far = np.linspace(1 - t, 1 + t, 400)
    # The cosine of the widest angle, to the line between both points, at which noise of this
    # length still hits the ball (law of cosines).
    cosine = np.clip((far**2 + 1 - t * t) / (2 * far), -1, 1)
    angles = np.linspace(0, math.pi, 4_000)
    # The part of the sphere of directions within an angle grows by sin^(d - 2).
    cap = np.cumsum(np.sin(angles) ** (dimension - 2))
    share = np.interp(np.arccos(cosine), angles, cap / cap[-1])
    # Gamma densities up to the same factor, which the ratio cancels.
    density_far = (epsilon * far) ** (shape - 1) * np.exp(-epsilon * far)
    density_near = (epsilon * near) ** (shape - 1) * np.exp(-epsilon * near)
    return float(np.trapezoid(density_near, near) / np.trapezoid(density_far * share, far))


def k_norms(dimensions: int, chosen: int) -> Picture:
    """Return a picture of the error of a noisy mean of n points of [0, 1]^d, for three norms.

    That is the expected squared error of K-norm noise, times (n epsilon)^2, by the number of
    dimensions d.

    Args:
        dimensions: Largest number of dimensions.
        chosen: Number of dimensions that is marked and told in the alternative text.
    """
    dimension = np.arange(1, dimensions + 1, dtype=np.float64)
    # The squared sensitivity of n times the mean in each norm, d^2, d or 1, times the
    # expected squared length of noise for sensitivity 1: 2 d, d (d + 1), or
    # d (d + 1) (d + 2) / 3.
    lines = {
        "l1: a Laplace each": 2 * dimension**3,
        "l2": dimension**2 * (dimension + 1),
        "l-infinity": dimension * (dimension + 1) * (dimension + 2) / 3,
    }
    at = ", ".join(f"{name} {values[chosen - 1]:,.0f}" for name, values in lines.items())
    picture = line_picture(
        dimension,
        lines,
        f"Squared error against the number of dimensions. At {chosen}: {at}.",
        x="dimensions",
        y="squared error × (n epsilon)²  (log scale)",
    )
    picture.figure.update_yaxes(type="log", exponentformat="power", dtick=1)
    picture.figure.add_vline(x=chosen, line={"color": QUIET, "dash": "dot"})
    return picture


def responses(epsilon: float, alpha: float, max_questions: int) -> Picture:
    """Return a picture of the rows needed for k yes-or-no questions, by two mechanisms.

    With 95 % probability all shares are then within alpha.

    Args:
        epsilon: The epsilon of all answers of one person together.
        alpha: Largest error of a share.
        max_questions: Largest number of questions.
    """
    questions = np.unique(np.geomspace(1, max_questions, 60).round().astype(int))
    lines = {
        "Laplace, a trusted collector": np.array(
            [
                laplace_rows_needed(int(q), alpha=alpha, epsilon=epsilon, beta=0.05)
                for q in questions
            ],
            float,
        ),
        "randomised response": np.array(
            [rows_needed(int(q), alpha=alpha, epsilon=epsilon, beta=0.05) for q in questions],
            float,
        ),
    }
    at = ", ".join(f"{name} {values[-1]:,.0f}" for name, values in lines.items())
    alt = f"Rows needed against the number of questions. For {max_questions}: {at}."
    y = "rows needed (log scale)"
    return in_decades(line_picture(questions, lines, alt, x="questions (log scale)", y=y))


def rows_needed(queries: int, *, alpha: float, epsilon: float, beta: float) -> int:
    """Return how many rows randomised response needs.

    So many bring all k debiased frequencies within alpha of the truth, by Hoeffding's
    inequality and a union bound: ln(2k / beta) / (2 alpha^2 (2p - 1)^2). An answer is true
    with probability p, where 2p - 1 = tanh(epsilon / (2k)).

    Args:
        queries: Number of questions, k.
        alpha: Largest error of a frequency.
        epsilon: The epsilon of all answers of one person together.
        beta: Probability of a larger error of some frequency.
    """
    gain = math.tanh(epsilon / queries / 2)
    return math.ceil(math.log(2 * queries / beta) / (2 * (alpha * gain) ** 2))


def laplace_rows_needed(queries: int, *, alpha: float, epsilon: float, beta: float) -> int:
    """Return how many rows a trusted collector needs: k ln(k / beta) / (alpha epsilon).

    Laplace noise then leaves all k shares within alpha, except with probability beta; other
    arguments are those of `rows_needed`.
    """
    return math.ceil(queries * math.log(queries / beta) / (alpha * epsilon))


def allocation(ranges: Sequence[float], least: Least) -> list[float]:
    """Return the standard deviation s_j of the noise on each coordinate of a sum.

    The unit is the sigma for sensitivity 1. The sum of (range_j / s_j)^2 is 1 (Pagh, Lebeda
    2022). The variance is least with s_j^2 = range_j sum(ranges), the absolute error with s_j
    in proportion to range_j^(2/3).

    Args:
        ranges: How far one person moves each coordinate.
        least: The error that is minimised.

    >>> [round(s, 2) for s in allocation([10, 1, 1, 1], Least.VARIANCE)]
    [11.4, 3.61, 3.61, 3.61]
    """
    if least is Least.LARGEST:
        largest = math.hypot(*ranges)
        return [largest for _ in ranges]
    if least is Least.VARIANCE:
        return [math.sqrt(width * sum(ranges)) for width in ranges]
    shares = [width ** (2 / 3) for width in ranges]
    return [share * math.sqrt(sum(shares)) for share in shares]


def ellipses(width: int, others: int) -> Picture:
    """Return a picture of the squared error of a noisy sum, by allocation of the noise.

    It is computed by formula, and seen on simulated rows.

    Args:
        width: Range of the first coordinate.
        others: Number of further coordinates, of range 1.
    """
    rows = 200
    runs = 400
    ranges = np.ones(others + 1)
    ranges[0] = width
    spread = ranges / 6  # values are normal, clipped at three standard deviations: 6 in all
    normal = np.random.default_rng().normal(0, spread, (rows, others + 1))
    data = np.clip(normal, -3 * spread, 3 * spread)
    noise = DiscreteGaussian(Fraction(_STEPS**2))
    formula = []
    simulated = []
    for least in Least:
        sizes = np.array(allocation(ranges.tolist(), least))
        # Sums are exact in whole steps, `_STEPS` to a standard deviation of the noise.
        exact = np.rint(data * _STEPS / sizes).sum(axis=0)
        noisy_steps = exact + noise.draw(runs * sizes.size).reshape(runs, -1)
        noisy = noisy_steps * sizes / _STEPS
        formula.append(float((sizes**2).sum()))
        simulated.append(float(((noisy - data.sum(axis=0)) ** 2).sum(axis=1).mean()))
    names = ["sphere", "least variance", "least absolute error"]
    table = pd.DataFrame({"noise": names, "formula": formula, "seen": simulated})
    alt = (
        f"Squared error of the sum of simulated normal rows whose first of {others + 1} "
        f"columns is {width} times as wide: sphere {formula[0]:,.0f}, ellipse of least "
        f"variance {formula[1]:,.0f}, a factor of {formula[0] / formula[1]:.2f}."
    )
    return bar_picture(table, alt, y="total squared error, sigma = 1")
