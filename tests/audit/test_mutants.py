"""Layer 7: broken variants of the core; the audit is only as good as what it catches.

Each mutant is a variant of the product with one well-known mistake, and each is given to the
layer that must see it. ``pytest -m mutant`` prints which layer caught which.
"""

import ast
from collections.abc import Callable
from decimal import localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import synth
from synth.noise import DiscreteLaplace, exp_minus
from synth.noise.laws import GUARD, Enclosure, TwoSided, geometric
from synth.noise.sampler import OPEN, Sampler, Thresholds
from synth.privacy import parse_epsilon
from tests.audit.layers import (
    SLACK,
    epsilon_bound,
    gaussian_p_value,
    has_scale,
    largest_loss,
    masses,
    words_agree,
)
from tests.audit.mutate import catch
from tests.audit.test_exact_loss import decimal, exponential_masses, selection_loss
from tests.conftest import Report

pytestmark = pytest.mark.mutant

ONE, OTHER = [3, 0, 1], [2, 1, 1]
SIZE = 200_000
LAW = TwoSided(Fraction(1, 20))
Layer = tuple[str, Callable[[], bool]]


def laplace(scale: float, shape: Any) -> np.ndarray:
    """The right noise, for mutants that go wrong elsewhere."""
    return DiscreteLaplace(Fraction(scale)).release(np.zeros(shape, np.int64))


def leaks(release: Callable[[np.ndarray], np.ndarray], *, add_remove: bool = False) -> bool:
    """Layer 4 at a promise of epsilon = 1."""
    neighbour = [2, 0, 1] if add_remove else OTHER
    return epsilon_bound(release, ONE, neighbour, runs=100_000) > 1


def scale_halved() -> bool:
    return leaks(lambda x: x + laplace(1, x.shape))


def epsilon_ten_percent_high() -> bool:
    return not has_scale(DiscreteLaplace(Fraction(200, 11)).draw(SIZE), 20)


def epsilon_a_quarter_high() -> bool:
    return leaks(lambda x: x + laplace(1.6, x.shape))


def no_noise_on_empty_cells() -> bool:
    return leaks(lambda x: np.where(x > 0, x + laplace(2, x.shape), 0))


def one_sided() -> bool:
    return leaks(lambda x: x + np.abs(laplace(2, x.shape)))


def truncated() -> bool:
    return leaks(lambda x: x + np.clip(laplace(2, x.shape), -6, 6))


def fixed_seed() -> bool:
    noise = laplace(2, 3)
    return leaks(lambda x: x + noise)


def exact_n_leaked() -> bool:
    def release(x: np.ndarray) -> np.ndarray:
        return np.column_stack([x + laplace(1, x.shape), x.sum(axis=1)])

    return leaks(release, add_remove=True)


def clamped_to_the_exact_n() -> bool:
    def release(x: np.ndarray) -> np.ndarray:
        noisy = x + laplace(1, x.shape)
        return np.column_stack([noisy[:, :2], x.sum(axis=1) - noisy[:, :2].sum(axis=1)])

    return leaks(release, add_remove=True)


def domain_from_the_data() -> bool:
    return leaks(lambda x: np.where(x > 0, x + laplace(2, x.shape), -(10**6)))


def sensitivity_one_under_replace_one() -> bool:
    noise = DiscreteLaplace.for_epsilon(Fraction(1), sensitivity=1)
    return leaks(noise.release)


def budget_spent_twice() -> bool:
    def release(x: np.ndarray) -> np.ndarray:
        return np.concatenate([x + laplace(1, x.shape), x + laplace(1, x.shape)], axis=1)

    return leaks(release, add_remove=True)


def same_noise_in_every_cell() -> bool:
    return leaks(lambda x: x + laplace(2, (len(x), 1)))


def two_dropped_in_the_exponential_mechanism() -> bool:
    with localcontext(prec=110):
        loss = selection_loss(exponential_masses, Fraction(1), Fraction(1), factor=1)
        return loss > 1 + SLACK


def monotone_claimed_where_rows_are_replaced() -> bool:
    with localcontext(prec=110):
        law = [
            exponential_masses(s, Fraction(1))
            for s in ((Fraction(1), Fraction(-1)), (Fraction(0), Fraction(0)))
        ]
        return max(abs((a / b).ln()) for a, b in zip(*law, strict=True)) > 1 + SLACK


def exponential_radius() -> bool:
    radius = np.random.default_rng().exponential(50, SIZE)
    return bool(stats.kstest(radius / 50, stats.gamma(3).cdf).pvalue < 1e-6)


def rounded_to_sixteen_bits() -> bool:
    """Thresholds rounded to the table's words: the support ends, the loss is infinite."""
    exact = LAW.thresholds(16)
    rounded = Thresholds(exact.first, exact.low, exact.low, False, False)
    grown = {z: (a << 304, b << 304) for z, (a, b) in _raw_masses(rounded).items() if a > 0}
    with localcontext(prec=110):
        return largest_loss(grown, 1) > decimal(LAW.rate) + SLACK


def _raw_masses(thresholds: Thresholds) -> dict[int, tuple[int, int]]:
    low = thresholds.low
    return {thresholds.first + i: (low[i] - low[i - 1],) * 2 for i in range(1, len(low))}


def q_off_in_the_hundredth_bit() -> bool:
    """A rate whose error no sample would show."""

    class Off(TwoSided):
        def thresholds(self, nbits: int) -> Thresholds:
            return TwoSided(self.rate * (1 + Fraction(1, 2**100))).thresholds(nbits)

    with localcontext(prec=110):
        loss = largest_loss(masses(Off(LAW.rate).thresholds(320)), 1)
        return loss > decimal(LAW.rate) + SLACK


def one_table_word_wrong() -> bool:
    table = Sampler(LAW).table.copy()
    table[np.flatnonzero(table != OPEN)[20_000]] += 1
    return not words_agree(table, LAW)


def open_words_guessed() -> bool:
    """No second look at ambiguous words: each gets its neighbour's answer."""
    table = Sampler(LAW).table.copy()
    table[table == OPEN] = np.roll(table, 1)[table == OPEN]
    return not words_agree(table, LAW)


def taylor_series_cut_short() -> bool:
    """exp(-rate) to 40 bits in the sampler's law."""

    class Short(TwoSided):
        def thresholds(self, nbits: int) -> Thresholds:
            low = exp_minus(self.rate, 40)[0] << (nbits + GUARD - 40)
            unit = 1 << (nbits + GUARD)
            first = unit * unit // (unit + low)
            terms = geometric(Enclosure(first, first), Enclosure(low, low), nbits + GUARD)[1:]
            ends = [(1 << nbits) - (term.low >> GUARD) for term in terms]
            return Thresholds(0, ends, ends, True, True)

    with localcontext(prec=110):
        loss = largest_loss(masses(Short(LAW.rate).thresholds(320)), 1)
        return abs(loss - decimal(LAW.rate)) > SLACK


def float_noise() -> bool:
    """Rounded float Laplace passes every sample; the ban on its source catches it."""
    source = (
        "import numpy as np\nnoise = np.round(np.random.default_rng().laplace(0, 2, 9))\n"
    )
    names = {
        ast.unparse(node)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Attribute)
    }
    return any(name.startswith("np.random") for name in names)


def float_noise_on_floats() -> bool:
    """T1: x + float noise has low bits that only one of two neighbours can give."""
    noise = np.random.default_rng(0).laplace(0, 1, 20_000)
    before = 0.0 + noise
    after = 1.0 + np.random.default_rng(1).laplace(0, 1, 20_000)
    on_grid = [float(np.mean(y * 2.0**53 % 1 == 0)) for y in (before, after)]
    return abs(on_grid[0] - on_grid[1]) > 0.05


def sigma_taken_for_its_square() -> bool:
    sample = DiscreteLaplace(Fraction(20)).draw(SIZE)
    return not has_scale(sample, 400, gaussian_p_value)


def epsilon_read_from_a_binary_float() -> bool:
    return Fraction(0.1) != parse_epsilon("0.1")


def answered_mean(values: np.ndarray) -> float:
    """The mean of numbers declared to be in [0, 1], with next to no noise."""
    frame, domain = pd.DataFrame({"x": values}), synth.Domain(x=synth.Number(0, 1, bins=2))
    return float(synth.ask(frame, domain, "mean x", epsilon=100).table["value"][0])


def raw_rows_used_instead_of_the_clipped() -> bool:
    """T8: one row moves the mean of rows as they came by more than that of declared
    numbers.
    """
    rows = np.array([0.5, 900.0] * 50)
    return abs(answered_mean(rows) - 0.75) < 0.05 < abs(rows.mean() - 0.75)


def sums_that_wrap_around() -> bool:
    """T3: 8-bit sums of 200 ones; one more row moves the wrapped sum by 255."""
    ones = np.ones(200, np.int8)
    wrapped = ones.sum(dtype=np.int8) / ones.size
    return abs(answered_mean(ones.astype(float)) - 1) < 0.05 < abs(wrapped - 1)


MUTANTS: list[tuple[str, Callable[[], bool]]] = [
    ("4 end to end", scale_halved),
    ("3 three-sided", epsilon_ten_percent_high),
    ("4 end to end", epsilon_a_quarter_high),
    ("4 end to end", no_noise_on_empty_cells),
    ("4 end to end", one_sided),
    ("4 end to end", truncated),
    ("4 end to end", fixed_seed),
    ("4 end to end", exact_n_leaked),
    ("4 end to end", clamped_to_the_exact_n),
    ("4 end to end", domain_from_the_data),
    ("4 end to end", sensitivity_one_under_replace_one),
    ("4 end to end", budget_spent_twice),
    ("4 end to end", same_noise_in_every_cell),
    ("1 exact loss", two_dropped_in_the_exponential_mechanism),
    ("1 exact loss", monotone_claimed_where_rows_are_replaced),
    ("1 exact loss", rounded_to_sixteen_bits),
    ("1 exact loss", q_off_in_the_hundredth_bit),
    ("1 exact loss", taylor_series_cut_short),
    ("3 three-sided", exponential_radius),
    ("3 three-sided", sigma_taken_for_its_square),
    ("2 table words", one_table_word_wrong),
    ("2 table words", open_words_guessed),
    ("house: static ban", float_noise),
    ("T1 low bits", float_noise_on_floats),
    ("T3 sensitivity", sums_that_wrap_around),
    ("T8 sensitivity", raw_rows_used_instead_of_the_clipped),
    ("T17 exact epsilon", epsilon_read_from_a_binary_float),
]


@pytest.mark.parametrize(("layer", "mutant"), MUTANTS, ids=[m.__name__ for _, m in MUTANTS])
def test_a_mutant_is_caught(layer: str, mutant: Callable[[], bool], report: Report) -> None:
    catch(mutant.__name__.replace("_", " "), layer, mutant, report)


def test_the_right_release_is_not_caught() -> None:
    """The layers that notice the mutants raise no alarm on the right noise."""
    assert not leaks(lambda x: x + laplace(2, x.shape))
    assert has_scale(DiscreteLaplace(Fraction(20)).draw(SIZE), 20)
    assert words_agree(Sampler(LAW).table, LAW)
