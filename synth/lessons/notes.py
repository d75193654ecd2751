"""The pictures of the Learn page: what the five source notes say, from formulas and fresh noise.

Nothing here reads a table; every number is public. See `pages/ui/learn/lessons.py` for the words.

>>> picture = composition(0.1, 1e-6, 100)
>>> picture.alt
'Total epsilon of up to 100 releases of epsilon 0.1 each. At 100: basic 10.00, advanced 6.31, \
zCDP 5.22; the least counts.'
"""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from synth.arrays import Floats
from synth.noise import bits
from synth.noise.elliptical import EllipticalGaussian, Least, allocation
from synth.noise.knorm import floats, normals
from synth.noise.laplace import DiscreteLaplace
from synth.noise.response import laplace_rows_needed, rows_needed
from synth.plots import LINES, QUIET, Picture, axes
from synth.privacy.accounting import analytic_sigma, compose, gaussian_delta

_POINTS = 121
_DASHES = ("solid", "dash", "dot")


def noise_densities(epsilon: float, delta: float) -> Picture:
    """Laplace and Gaussian noise for one count that one person moves by 1."""
    scale, sigma = 1 / epsilon, analytic_sigma(epsilon, delta)
    x = np.linspace(-4 * sigma, 4 * sigma, 2 * _POINTS - 1)
    lines = {
        "Laplace": np.exp(-np.abs(x) / scale) / (2 * scale),
        "Gaussian": np.exp(-((x / sigma) ** 2) / 2) / (sigma * math.sqrt(2 * math.pi)),
    }
    alt = (
        f"Density of the noise. Laplace: a sharp peak, standard deviation "
        f"{math.sqrt(2) * scale:.3g}; Gaussian: a bell, standard deviation {sigma:.3g}."
    )
    return _lines(x, lines, alt, x="noise", y="density")


def privacy_loss(epsilon: float, delta: float) -> Picture:
    """The exact delta at every epsilon of the same two mechanisms.

    Laplace: 1 - e^((e - epsilon)/2) below epsilon, nothing from there on.
    """
    sigma = analytic_sigma(epsilon, delta)
    e = np.linspace(0.01, 2.5, _POINTS // 2) * epsilon
    laplace = -np.expm1((e - epsilon) / 2)
    lines = {
        "Laplace": np.where(laplace > 0, laplace, np.nan),
        "Gaussian": np.array([gaussian_delta(float(x), sigma) for x in e]),
    }
    alt = (
        f"Delta that remains at each epsilon. Laplace reaches zero at {epsilon:g}; the Gaussian "
        f"is {delta:g} there and keeps falling, but never reaches zero."
    )
    picture = _lines(e, lines, alt, x="epsilon", y="delta (log scale)")
    picture.figure.update_yaxes(
        type="log", range=[math.log10(delta) - 4, 0.1], exponentformat="power"
    )
    picture.figure.add_vline(x=epsilon, line={"color": QUIET, "dash": "dot"})
    return picture


def radii(dimension: int) -> Picture:
    """Length of l2 noise in units of 1/lambda: Erlang, against the exponential of the slip."""
    r = np.linspace(0, dimension + 5 * math.sqrt(dimension) + 2, 3 * _POINTS)[1:]
    log_gamma = (dimension - 1) * np.log(r) - r - math.lgamma(dimension)
    lines = {"right: Erlang": np.exp(log_gamma), "wrong: exponential": np.exp(-r)}
    gap = float(np.max(np.abs(np.cumsum(lines["right: Erlang"] - np.exp(-r))) * (r[1] - r[0])))
    alt = (
        f"Density of the length of noise in {dimension} dimensions. The right one has its mean at "
        f"{dimension}, the wrong one at 1; their distributions differ by up to {gap:.2f}."
    )
    return _lines(r, lines, alt, x="length of the noise, times lambda", y="density")


def ball_ratios(dimension: int, epsilon: float) -> Picture:
    """P(answer within t of the truth) / P(the same for a neighbour), for both radii."""
    t = np.geomspace(0.05, 0.9, 15)
    lines = {
        "right: Erlang": np.array([_ball_ratio(x, dimension, epsilon, dimension) for x in t]),
        "wrong: exponential": np.array([_ball_ratio(x, dimension, epsilon, 1) for x in t]),
        "allowed: e^epsilon": np.full(t.size, math.exp(epsilon)),
    }
    alt = (
        f"How much likelier a ball around the answer is on one table than on its neighbour, "
        f"{dimension} dimensions. At a radius of 0.1: right "
        f"{_ball_ratio(0.1, dimension, epsilon, dimension):.3g}, wrong "
        f"{_ball_ratio(0.1, dimension, epsilon, 1):.3g}, allowed {math.exp(epsilon):.3g}."
    )
    x = "radius of the ball, in sensitivities (log scale)"
    picture = _decades(_lines(t, lines, alt, x=x, y="ratio (log scale)"))
    picture.figure.update_xaxes(tickvals=[0.05, 0.1, 0.2, 0.5, 0.9])
    return picture


def _ball_ratio(t: float, dimension: int, epsilon: float, shape: int) -> float:
    """By quadrature over the length: Gamma(shape) radius, uniform direction, neighbour at 1."""
    near = np.linspace(0, t, 400)
    far = np.linspace(1 - t, 1 + t, 400)
    cosine = np.clip((far**2 + 1 - t * t) / (2 * far), -1, 1)
    angles = np.linspace(0, math.pi, 4_000)
    cap = np.cumsum(np.sin(angles) ** (dimension - 2))
    share = np.interp(np.arccos(cosine), angles, cap / cap[-1])
    density = (epsilon * far) ** (shape - 1) * np.exp(-epsilon * far)
    own = (epsilon * near) ** (shape - 1) * np.exp(-epsilon * near)
    return float(np.trapezoid(own, near) / np.trapezoid(density * share, far))


def k_norms(most: int, chosen: int) -> Picture:
    """Expected squared error of the mean of [0, 1]^d, times (n epsilon)^2, for three norms."""
    d = np.arange(1, most + 1, dtype=np.float64)
    lines = {
        "l1: a Laplace each": 2 * d**3,
        "l2": d**2 * (d + 1),
        "l-infinity": d * (d + 1) * (d + 2) / 3,
    }
    at = ", ".join(f"{name} {values[chosen - 1]:,.0f}" for name, values in lines.items())
    picture = _lines(
        d,
        lines,
        f"Squared error against the number of dimensions. At {chosen}: {at}.",
        x="dimensions",
        y="squared error × (n epsilon)²  (log scale)",
    )
    picture.figure.update_yaxes(type="log", exponentformat="power", dtick=1)
    picture.figure.add_vline(x=chosen, line={"color": QUIET, "dash": "dot"})
    return picture


def responses(epsilon: float, alpha: float, most: int) -> Picture:
    """Rows needed for k yes-or-no questions to be within alpha with probability 95 %."""
    k = np.unique(np.geomspace(1, most, 60).round().astype(int))
    lines = {
        "Laplace, a trusted collector": np.array(
            [laplace_rows_needed(int(q), alpha=alpha, epsilon=epsilon, beta=0.05) for q in k], float
        ),
        "randomised response": np.array(
            [rows_needed(int(q), alpha=alpha, epsilon=epsilon, beta=0.05) for q in k], float
        ),
    }
    at = ", ".join(f"{name} {values[-1]:,.0f}" for name, values in lines.items())
    alt = f"Rows needed against the number of questions. For {most}: {at}."
    y = "rows needed (log scale)"
    return _decades(_lines(k, lines, alt, x="questions (log scale)", y=y))


def ellipses(width: int, others: int) -> Picture:
    """Squared error of a noisy sum by allocation, by formula and on simulated normal rows."""
    ranges = [width, *[1] * others]
    rows, runs, rho = 200, 400, Fraction(1, 2)
    spread = np.array(ranges) / 6
    data = np.clip(normals((rows, others + 1)) * spread, -3 * spread, 3 * spread)
    formula, seen = [], []
    for least in Least:
        noise = EllipticalGaussian.for_ranges(ranges, rho=rho, least=least)
        grids = np.array([float(grid) for grid in noise.grids])
        exact = np.rint(data / grids).sum(axis=0)
        noisy = (exact + noise.noise.draw(runs * grids.size).reshape(runs, -1)) * grids
        formula.append(sum(s * s for s in allocation(ranges, least)))
        seen.append(float(((noisy - data.sum(axis=0)) ** 2).sum(axis=1).mean()))
    names = ["sphere", "least variance", "least absolute error"]
    table = pd.DataFrame({"noise": names, "formula": formula, "seen": seen})
    alt = (
        f"Squared error of the sum of simulated normal rows whose first of {others + 1} columns is "
        f"{width} times as wide: sphere {formula[0]:,.0f}, ellipse of least variance "
        f"{formula[1]:,.0f}, a factor of {formula[0] / formula[1]:.2f}."
    )
    return _bars(table, alt, y="total squared error, sigma = 1")


def composition(epsilon: float, delta: float, most: int) -> Picture:
    """Total epsilon of k releases, by three theorems."""
    k = np.unique(np.linspace(1, most, 60).round().astype(int))
    totals = [compose(epsilon, int(count), delta=delta) for count in k]
    lines = {
        "basic": np.array([t.basic for t in totals]),
        "advanced": np.array([t.advanced for t in totals]),
        "zCDP": np.array([t.zcdp for t in totals]),
    }
    at = ", ".join(f"{name} {values[-1]:.2f}" for name, values in lines.items())
    alt = (
        f"Total epsilon of up to {most} releases of epsilon {epsilon:g} each. At {most}: {at}; "
        "the least counts."
    )
    return _lines(k, lines, alt, x="releases", y="total epsilon")


def selections(epsilon: float, rows: int) -> Picture:
    """Chances of eight candidates whose scores are shares of the rows, by two mechanisms."""
    shares = (0.25, 0.23, 0.18, 0.14, 0.09, 0.06, 0.03, 0.02)
    scores = np.round(np.array(shares) * rows)
    heads = np.exp(-epsilon / 2 * (scores.max() - scores))
    table = pd.DataFrame(
        {
            "candidate": [f"{chr(65 + i)}: {score:.0f}" for i, score in enumerate(scores)],
            "exponential": heads / heads.sum(),
            "permute and flip": _permute_and_flip(heads),
        }
    )
    best = table.iloc[0]
    expected = [float(table[name] @ scores) for name in table.columns[1:]]
    alt = (
        f"Chance of each of eight candidates to be chosen. The best, with {scores[0]:.0f} rows: "
        f"exponential mechanism {best['exponential']:.1%}, permute and flip "
        f"{best['permute and flip']:.1%}. Expected score {expected[0]:.1f} and {expected[1]:.1f}."
    )
    picture = _bars(table, alt, y="chance to be chosen")
    picture.figure.update_yaxes(tickformat=".0%")
    return picture


def _permute_and_flip(heads: Floats) -> Floats:
    """P(i) = heads_i times the integral over t of prod_j (1 - t heads_j), j not i."""
    t = np.linspace(0, 1, 2_001)
    misses = 1 - t[:, None] * heads
    others = [np.delete(misses, i, axis=1).prod(axis=1) for i in range(heads.size)]
    law: Floats = heads * np.trapezoid(others, t)
    return law / float(law.sum())


def corner_bins(bins: int, rows: int, epsilon: float) -> Picture:
    """Exercise 5.2: rows of N(0, 1) in the first two and last two bins of [-1, 1]."""
    share = math.erf(1 / math.sqrt(2)) - math.erf((1 - 4 / bins) / math.sqrt(2))
    spread = math.sqrt(rows * share * (1 - share) + 4 * 8 / epsilon**2)
    reach = math.ceil(7 * spread + 30 / epsilon)
    count = np.arange(max(0, math.floor(rows * share) - reach), math.ceil(rows * share) + reach)
    exact = _binomial(rows, share, count)
    z = np.arange(-reach, reach + 1)
    one = np.exp(-np.abs(z) * epsilon / 2)
    four = np.fft.irfft(np.fft.rfft(one / one.sum(), 8 * reach + 1) ** 4, 8 * reach + 1)
    noisy = np.maximum(np.convolve(exact, four), 0)
    support = np.arange(noisy.size) + count[0] - 4 * reach
    tops = [
        int(count[np.searchsorted(np.cumsum(exact), 0.975)]),
        int(support[np.searchsorted(np.cumsum(noisy), 0.975)]),
    ]
    shown = np.abs(support - rows * share) <= 4.5 * spread
    lines = {
        "exact": np.interp(support[shown], count, exact, left=0, right=0),
        "with noise": noisy[shown],
    }
    alt = (
        f"Rows in the first two and last two of {bins} bins, of {rows:,}: {rows * share:.4g} "
        f"expected, at most {tops[0]} in 97.5 of 100 cases, at most {tops[1]} with noise. "
        f"The noise of four bins has a standard deviation of {math.sqrt(32) / epsilon:.3g}."
    )
    return _lines(support[shown], lines, alt, x="rows in the four bins", y="chance")


def _binomial(n: int, p: float, k: NDArray[np.int64]) -> Floats:
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
    inside = np.minimum(k, n)
    chance = logs[n] - logs[inside] - logs[n - inside]
    chance = np.exp(chance + inside * math.log(p) + (n - inside) * math.log1p(-p))
    return np.where(k <= n, chance, 0.0)


def universes(epsilon: float, rows: int) -> Picture:
    """Rows of the synthetic table after clamping, as the universe grows."""
    cells = np.geomspace(10, 1e9, _POINTS)
    empty = np.maximum(cells - rows, 0)
    invented = empty * DiscreteLaplace(Fraction(2) / Fraction(str(epsilon))).mean_absolute / 2
    lines = {
        "unclamped, on average": np.full(cells.size, float(rows)),
        "clamped": rows + invented,
    }
    even = float(np.interp(2 * rows, rows + invented, cells))
    alt = (
        f"Rows of the table against cells of the universe, {rows:,} real rows, at most one in a "
        f"cell. Clamping invents {invented[-1] / empty[-1]:.3g} rows for each empty cell: from "
        f"{even:,.0f} cells on, more than half of the rows are invented."
    )
    return _decades(_lines(cells, lines, alt, x="cells (log scale)", y="rows (log scale)"))


def theorem(epsilon: float, queries: int) -> Picture:
    """Theorem 5.1: largest error of k half-universe queries, on fresh noise."""
    sizes, runs = [64, 128, 256, 512, 1_024, 2_048], 12
    scale = Fraction(2) / Fraction(str(epsilon))
    coins = np.frombuffer(bits.bits(sizes[-1] * queries // 8), np.uint8)
    members = np.unpackbits(coins).reshape(sizes[-1], queries).astype(np.float32)
    noise = DiscreteLaplace(scale).draw(runs * sizes[-1]).reshape(runs, -1).astype(np.float32)

    def largest(values: NDArray[np.float32]) -> Floats:
        sums = [values[:, :cells] @ members[:cells] for cells in sizes]
        return np.array([np.abs(answers).max(axis=1).mean() for answers in sums], float)

    unclamped, clamped = largest(noise), largest(np.maximum(noise, 0))
    rule = 1.08 * float(scale) * np.sqrt(np.array(sizes) * math.log(queries))
    lines = {
        "as they come": unclamped,
        "negative counts clamped": clamped,
        "rule: 1.08 b √(X ln k)": rule,
    }
    alt = (
        f"Largest error of {queries} counting queries against the cells of the universe. At 2,048 "
        f"cells: {unclamped[-1]:,.0f} rows from the noisy counts as they come, "
        f"{clamped[-1]:,.0f} from clamped ones."
    )
    x = "cells, X (log scale)"
    picture = _lines(sizes, lines, alt, x=x, y="largest error in rows (log scale)")
    picture.figure.update_xaxes(
        type="log", tickvals=sizes, range=[math.log10(60), math.log10(2_200)]
    )
    picture.figure.update_yaxes(type="log", exponentformat="power", dtick=1)
    return picture


def means(bound: float, rho: float) -> Picture:
    """Exercises 4.3 and 4.6: the mean of [-b, b] with noise on it, or on every point."""
    rows = np.geomspace(10, 10_000, _POINTS)
    one = 2 * bound / math.sqrt(2 * rho)
    lines = {
        "noise on the mean": 1.96 * one / rows,
        "noise on every point": 1.96 * one / np.sqrt(rows),
    }
    at = 1.96 * one / 1_000
    alt = (
        f"Error of the mean in 95 of 100 cases against the number of rows. At 1,000 rows: "
        f"{at:.3g} with noise on the mean, {at * math.sqrt(1_000):.3g} with noise on every point."
    )
    return _decades(_lines(rows, lines, alt, x="rows (log scale)", y="error (log scale)"))


def lost_definiteness(rho: float) -> Picture:
    """Exercise 4.8: how often a noisy X'X of uniform rows in [-1, 1] has a negative eigenvalue.

    rho/2 for the sum, rho/2 for the sum of squares: variances 4/rho and 1/rho.
    """
    runs, sizes = 1_000, [5, 10, 15, 20, 30, 40, 60, 80, 100]
    x = 2 * floats((runs, sizes[-1])) - 1
    noise = normals((2, runs)) * np.sqrt([[4 / rho], [1 / rho]])
    lost = [
        np.mean(
            n * ((x[:, :n] ** 2).sum(axis=1) + noise[1]) < (x[:, :n].sum(axis=1) + noise[0]) ** 2
        )
        for n in sizes
    ]
    alt = (
        f"Share of noisy matrices with a negative eigenvalue against the number of rows: "
        f"{lost[1]:.0%} at 10 rows, {lost[4]:.0%} at 30, {lost[-1]:.0%} at 100."
    )
    lines = {"negative eigenvalue": np.array(lost)}
    picture = _lines(sizes, lines, alt, x="rows", y="share of matrices")
    picture.figure.update_yaxes(tickformat=".0%", rangemode="tozero")
    picture.figure.update_layout(showlegend=False)
    return picture


def _lines(
    at: Sequence[float] | NDArray[np.number],
    lines: Mapping[str, Floats],
    alt: str,
    *,
    x: str,
    y: str,
) -> Picture:
    """Lines that color and dash both tell apart."""
    figure = go.Figure()
    for (name, values), line, dash in zip(lines.items(), LINES, _DASHES, strict=False):
        color = QUIET if name.startswith(("allowed", "rule")) else line
        figure.add_trace(
            go.Scatter(
                x=np.asarray(at),
                y=values,
                mode="lines",
                name=name,
                line={"color": color, "width": 2.5, "dash": dash},
                hovertemplate="%{x:,.4~g}<br>" + name + " %{y:,.4~g}<extra></extra>",
            )
        )
    axes(figure, x=x, y=y, height=320)
    return Picture(figure, alt, pd.DataFrame({x: np.asarray(at)} | dict(lines)))


def _decades(picture: Picture) -> Picture:
    """The picture with logarithmic axes, and a tick at every power of ten."""
    picture.figure.update_xaxes(type="log", exponentformat="power", dtick=1)
    picture.figure.update_yaxes(type="log", exponentformat="power", dtick=1)
    return picture


def _bars(table: pd.DataFrame, alt: str, *, y: str) -> Picture:
    """Groups of bars: the first column names the groups."""
    figure = go.Figure()
    names = table.columns
    for name, color in zip(names[1:], LINES, strict=False):
        figure.add_trace(
            go.Bar(
                x=table[names[0]],
                y=table[name],
                name=name,
                marker_color=color,
                hovertemplate="%{x}<br>" + name + " %{y:,.4~g}<extra></extra>",
            )
        )
    axes(figure, x=names[0], y=y, height=320)
    figure.update_xaxes(type="category")
    return Picture(figure, alt, table)
