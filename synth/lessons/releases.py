"""Pictures of many answers: compositions, choices, histograms and means of the notes. PUBLIC.

Nothing here reads a table. `pages/ui/learn/lessons.py` has the words.

>>> picture = composition(0.1, 1e-6, 100)
>>> picture.alt
'Total epsilon of up to 100 releases of epsilon 0.1 each. At 100: basic 10.00, advanced 6.31, \
zCDP 5.22; the least counts.'
"""  # noqa: E501

import math
from fractions import Fraction

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from synth.lessons.drawing import bar_picture, in_decades, line_picture
from synth.noise import DiscreteLaplace, bits
from synth.privacy import compose
from synth.util import Floats, Picture

_POINTS = 121


def composition(epsilon: float, delta: float, max_releases: int) -> Picture:
    """Return a picture of the total epsilon of k releases, by three theorems.

    Args:
        epsilon: The epsilon of each release.
        delta: The delta that advanced composition and zCDP may spend.
        max_releases: Largest number of releases.
    """
    releases = np.unique(np.linspace(1, max_releases, 60).round().astype(int))
    totals = [compose(epsilon, int(count), delta=delta) for count in releases]
    lines = {
        "basic": np.array([total.basic for total in totals]),
        "advanced": np.array([total.advanced for total in totals]),
        "zCDP": np.array([total.zcdp for total in totals]),
    }
    at = ", ".join(f"{name} {values[-1]:.2f}" for name, values in lines.items())
    alt = (
        f"Total epsilon of up to {max_releases} releases of epsilon {epsilon:g} each. At "
        f"{max_releases}: {at}; the least counts."
    )
    return line_picture(releases, lines, alt, x="releases", y="total epsilon")


def selections(epsilon: float, rows: int) -> Picture:
    """Return a picture of how likely two mechanisms choose each of eight candidates.

    Args:
        epsilon: The epsilon of the choice.
        rows: Number of rows; a candidate's score is a fixed share of them.
    """
    shares = (0.25, 0.23, 0.18, 0.14, 0.09, 0.06, 0.03, 0.02)
    scores = np.round(np.array(shares) * rows)
    # Weights of the exponential mechanism; permute and flip tosses coins with these chances.
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
        f"Chance of each of eight candidates to be chosen. The best, with {scores[0]:.0f} "
        f"rows: exponential mechanism {best['exponential']:.1%}, permute and flip "
        f"{best['permute and flip']:.1%}. Expected score {expected[0]:.1f} and "
        f"{expected[1]:.1f}."
    )
    picture = bar_picture(table, alt, y="chance to be chosen")
    picture.figure.update_yaxes(tickformat=".0%")
    return picture


def _permute_and_flip(heads: Floats) -> Floats:
    """Return the probability of each candidate under permute and flip, shape (candidates,).

    Candidates toss a coin in random order, and the first head wins (McKenna, Sheldon 2020).
    P(i) is heads_i times the integral over t from 0 to 1 of prod_j (1 - t heads_j), j not i.

    Args:
        heads: The chance of a head of each candidate's coin, shape (candidates,).
    """
    t = np.linspace(0, 1, 2_001)
    misses = 1 - t[:, None] * heads
    others = [np.delete(misses, i, axis=1).prod(axis=1) for i in range(heads.size)]
    law: Floats = heads * np.trapezoid(others, t)
    return law / float(law.sum())


def corner_bins(bins: int, rows: int, epsilon: float) -> Picture:
    """Return the picture of exercise 5.2: rows of N(0, 1) in four outer bins of [-1, 1].

    These are the first two and the last two bins. The law of the exact count is binomial;
    that of the noisy one is its convolution with the noise of four counts, Laplace of scale
    2 / epsilon each.

    Args:
        bins: Number of equal bins of [-1, 1].
        rows: Number of rows.
        epsilon: The epsilon of the histogram.
    """
    # The chance of a row in these bins: each side has two, of width 2 / bins.
    share = math.erf(1 / math.sqrt(2)) - math.erf((1 - 4 / bins) / math.sqrt(2))
    # Laplace noise of scale 2 / epsilon has a variance of 8 / epsilon^2.
    spread = math.sqrt(rows * share * (1 - share) + 4 * 8 / epsilon**2)
    # So far from the mean that what is beyond cannot be seen.
    reach = math.ceil(7 * spread + 30 / epsilon)
    count = np.arange(
        max(0, math.floor(rows * share) - reach), math.ceil(rows * share) + reach
    )
    exact = _binomial(rows, share, count)
    z = np.arange(-reach, reach + 1)
    noise_of_one = np.exp(-np.abs(z) * epsilon / 2)
    noise_of_one = noise_of_one / noise_of_one.sum()
    # The law of the sum of four noises, by the fourth power of the Fourier transform.
    size = 8 * reach + 1
    noise_of_four = np.fft.irfft(np.fft.rfft(noise_of_one, size) ** 4, size)
    noisy = np.maximum(np.convolve(exact, noise_of_four), 0)
    # The counts of its entries: the least exact count, less the most noise of four.
    support = np.arange(noisy.size) + count[0] - 4 * reach
    # Counts that are not exceeded in 97.5 of 100 cases, exact and noisy.
    tops = [
        int(count[np.searchsorted(np.cumsum(exact), 0.975)]),
        int(support[np.searchsorted(np.cumsum(noisy), 0.975)]),
    ]
    near = np.abs(support - rows * share) <= 4.5 * spread
    lines = {
        "exact": np.interp(support[near], count, exact, left=0, right=0),
        "with noise": noisy[near],
    }
    alt = (
        f"Rows in the first two and last two of {bins} bins, of {rows:,}: {rows * share:.4g} "
        f"expected, at most {tops[0]} in 97.5 of 100 cases, at most {tops[1]} with noise. "
        f"The noise of four bins has a standard deviation of {math.sqrt(32) / epsilon:.3g}."
    )
    return line_picture(support[near], lines, alt, x="rows in the four bins", y="chance")


def _binomial(n: int, p: float, k: NDArray[np.int64]) -> Floats:
    """Return the probabilities of k successes in n trials of probability p, shape of k.

    They are 0 for more successes than trials.
    """
    # Logs of the factorials of 0 to n.
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
    inside = np.minimum(k, n)
    # The log of the binomial coefficient, and then the chance itself.
    chance = logs[n] - logs[inside] - logs[n - inside]
    chance = np.exp(chance + inside * math.log(p) + (n - inside) * math.log1p(-p))
    return np.where(k <= n, chance, 0.0)


def universes(epsilon: float, rows: int) -> Picture:
    """Return a picture of the rows of a synthetic table after clamping, as cells grow.

    Args:
        epsilon: The epsilon of the histogram.
        rows: Number of real rows, at most one in a cell.
    """
    cells = np.geomspace(10, 1e9, _POINTS)
    empty = np.maximum(cells - rows, 0)
    # An empty cell has noise above 0 in half of all cases, of the mean absolute size.
    invented = empty * DiscreteLaplace(Fraction(2) / Fraction(str(epsilon))).mean_absolute / 2
    lines = {
        "unclamped, on average": np.full(cells.size, float(rows)),
        "clamped": rows + invented,
    }
    # The cells at which as many rows are invented as there are real ones.
    even = float(np.interp(2 * rows, rows + invented, cells))
    alt = (
        f"Rows of the table against cells of the universe, {rows:,} real rows, at most one "
        f"in a cell. Clamping invents {invented[-1] / empty[-1]:.3g} rows for each empty "
        f"cell: from {even:,.0f} cells on, more than half of the rows are invented."
    )
    return in_decades(
        line_picture(cells, lines, alt, x="cells (log scale)", y="rows (log scale)")
    )


def theorem(epsilon: float, queries: int) -> Picture:
    """Return the picture of theorem 5.1: the largest error of k queries, on fresh noise.

    Each query sums a random half of the noisy cells; clamped noise has a mean above 0, which
    adds up.

    Args:
        epsilon: The epsilon of the histogram.
        queries: Number of queries, k.
    """
    sizes = [64, 128, 256, 512, 1_024, 2_048]
    runs = 12
    scale = Fraction(2) / Fraction(str(epsilon))
    # A random bit for each cell and query: whether the query counts the cell.
    coins = np.frombuffer(bits.bits(sizes[-1] * queries // 8), np.uint8)
    members = np.unpackbits(coins).reshape(sizes[-1], queries).astype(np.float32)
    noise = DiscreteLaplace(scale).draw(runs * sizes[-1]).reshape(runs, -1).astype(np.float32)

    def largest(values: NDArray[np.float32]) -> Floats:
        """Return the largest error of all queries by number of cells, a mean over the runs.

        ``values`` are errors of cells, shape (runs, most cells); fewer cells are the first.
        """
        sums = [values[:, :cells] @ members[:cells] for cells in sizes]
        return np.array([np.abs(answers).max(axis=1).mean() for answers in sums], float)

    unclamped = largest(noise)
    clamped = largest(np.maximum(noise, 0))
    # A rule for the scale b of the noise: sums of X / 2 cells have a standard deviation of
    # b sqrt(X), and the largest of k is farther by about sqrt(ln k).
    rule = 1.08 * float(scale) * np.sqrt(np.array(sizes) * math.log(queries))
    lines = {
        "as they come": unclamped,
        "negative counts clamped": clamped,
        "rule: 1.08 b √(X ln k)": rule,
    }
    alt = (
        f"Largest error of {queries} counting queries against the cells of the universe. At "
        f"2,048 cells: {unclamped[-1]:,.0f} rows from the noisy counts as they come, "
        f"{clamped[-1]:,.0f} from clamped ones."
    )
    x = "cells, X (log scale)"
    picture = line_picture(sizes, lines, alt, x=x, y="largest error in rows (log scale)")
    picture.figure.update_xaxes(
        type="log", tickvals=sizes, range=[math.log10(60), math.log10(2_200)]
    )
    picture.figure.update_yaxes(type="log", exponentformat="power", dtick=1)
    return picture


def means(bound: float, rho: float) -> Picture:
    """Return the picture of exercises 4.3 and 4.6: errors of a noisy mean of points.

    Noise is either on the mean, or on every point.

    Args:
        bound: Points are from -bound to bound.
        rho: The rho of zCDP, which pays for Gaussian noise.
    """
    rows = np.geomspace(10, 10_000, _POINTS)
    # For a number that one person moves by twice the bound. In 95 of 100 cases the noise is
    # within 1.96 of it.
    sigma = 2 * bound / math.sqrt(2 * rho)
    lines = {
        "noise on the mean": 1.96 * sigma / rows,
        "noise on every point": 1.96 * sigma / np.sqrt(rows),
    }
    at = 1.96 * sigma / 1_000
    alt = (
        f"Error of the mean in 95 of 100 cases against the number of rows. At 1,000 rows: "
        f"{at:.3g} with noise on the mean, {at * math.sqrt(1_000):.3g} with noise on every "
        "point."
    )
    return in_decades(
        line_picture(rows, lines, alt, x="rows (log scale)", y="error (log scale)")
    )


def lost_definiteness(rho: float) -> Picture:
    """Return the picture of exercise 4.8: how often a noisy X'X is not positive definite.

    X has a column of ones and one of uniform numbers from -1 to 1. Half of rho pays for the
    sum of these, and half for their sum of squares: variances of 4 / rho and 1 / rho.

    Args:
        rho: The rho of zCDP.
    """
    runs = 1_000
    sizes = [5, 10, 15, 20, 30, 40, 60, 80, 100]
    random = np.random.default_rng()
    x = random.uniform(-1, 1, (runs, sizes[-1]))
    noise = random.normal(0, np.sqrt([[4 / rho], [1 / rho]]), (2, runs))
    # The share of runs with a negative determinant, by number of rows: the matrix is
    # [[n, sum], [sum, sum of squares]].
    indefinite = []
    for rows in sizes:
        noisy_sums = x[:, :rows].sum(axis=1) + noise[0]
        noisy_squares = (x[:, :rows] ** 2).sum(axis=1) + noise[1]
        indefinite.append(np.mean(rows * noisy_squares < noisy_sums**2))
    alt = (
        f"Share of noisy matrices with a negative eigenvalue against the number of rows: "
        f"{indefinite[1]:.0%} at 10 rows, {indefinite[4]:.0%} at 30, {indefinite[-1]:.0%} at "
        "100."
    )
    lines = {"negative eigenvalue": np.array(indefinite)}
    picture = line_picture(sizes, lines, alt, x="rows", y="share of matrices")
    picture.figure.update_yaxes(tickformat=".0%", rangemode="tozero")
    picture.figure.update_layout(showlegend=False)
    return picture
