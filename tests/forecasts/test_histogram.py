"""The forecast: its closed forms against brute force, its laws, and reality."""

import json
import math
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from statistics import median
from time import process_time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synth.bundle import at_most, in_words, posterior
from synth.cli.main import main
from synth.errors import ArgumentError
from synth.estimate import bayes_bias
from synth.estimate.repair.cell_effects import Pooling, effect, sample_change
from synth.estimate.repair.empirical_bayes import fit_prior
from synth.forecasts import cells_for, epsilon_for, forecast
from synth.forecasts.histogram import EPSILONS
from synth.noise import DiscreteLaplace, LaplaceLaw
from synth.privacy import ROW, Neighbors, brief, plain, scientific
from tests.bench.bench_forecast import folds
from tests.tables import SHARED, universe

REPLACE, ADD = Neighbors.REPLACE_ONE, Neighbors.ADD_REMOVE


def forecast_pairs(
    epsilon: str, rows: int = 10_000, *sizes: int, neighbors: Neighbors = REPLACE
) -> float:
    """The expected mean error of pairs of a histogram, by default of 10 x 8 x 5 cells."""
    domain = universe(*(sizes or (10, 8, 5)))
    return forecast(
        domain, epsilon=Fraction(epsilon), rows=rows, neighbors=neighbors
    ).two_way.mean


@pytest.mark.parametrize("scale", [0.2, 1.0, 7.5])
@pytest.mark.parametrize("excess", [-9.25, -1.0, -0.3, 0.0, 0.4, 1.0, 12.75])
def test_closed_forms_agree_with_sums_over_the_law(scale: float, excess: float) -> None:
    """The mean of max(0, excess + noise), of its square, and the chance to be above 0 are
    exact.

    They are summed over noise of -600 to 600: e^(-600 / 7.5) is far below what is compared.
    """
    ratio = math.exp(-1 / scale)
    noise = np.arange(-600, 601)
    chances = (1 - ratio) / (1 + ratio) * ratio ** np.abs(noise)
    positive_parts = np.maximum(0, excess + noise)

    mean, square = LaplaceLaw(scale).positive_part(np.array([excess]))
    assert mean[0] == pytest.approx(chances @ positive_parts, rel=1e-9, abs=1e-12)
    assert square[0] == pytest.approx(chances @ positive_parts**2, rel=1e-9, abs=1e-12)

    chance_above = LaplaceLaw(scale).chance_above(np.array([excess]))[0]
    assert chance_above == pytest.approx(chances @ (excess + noise > 0), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(("mean", "threshold", "scale"), [(0.3, 2.6, 2.0), (9.0, 4.25, 2.0)])
def test_the_effect_on_a_cell_is_that_of_simulated_repairs(
    mean: float, threshold: float, scale: float
) -> None:
    """The forecast bias and variance of a repaired cell are those of 400,000 simulated cells.

    Counts are Poisson. Repair takes the threshold from the noisy count, clamps it at 0, and
    rounds it at random. The mean may be off by six standard errors.
    """
    draws = 400_000
    rng = np.random.default_rng(1)
    counts = rng.poisson(mean, draws)
    noise = DiscreteLaplace(Fraction(scale)).draw(draws)
    weights = np.maximum(0, counts + noise - threshold)
    change = np.floor(weights + rng.random(draws)) - counts

    expected = effect(threshold, scale).at(np.array([math.log(mean)]))
    error = 6 * change.std() / math.sqrt(draws)
    assert expected.bias[0] == pytest.approx(change.mean(), abs=error + 2e-3)
    # The simulated variance has a standard deviation of .7 %.
    assert expected.variance[0] == pytest.approx(change.var(), rel=0.05)


def test_what_chance_does_to_a_cell_is_that_of_simulated_samples() -> None:
    """The expected change of a cell in a fresh sample is that of 400,000 simulated samples.

    The count is Poisson, and the new count is Poisson around it.
    """
    rng = np.random.default_rng(3)
    for mean in (0.02, 1.0, 7.0, 300.0):
        counts = rng.poisson(mean, 400_000)
        changes = np.abs(rng.poisson(counts) - counts)
        (change,) = sample_change(np.array([math.log(mean)]))
        assert change == pytest.approx(changes.mean(), rel=0.05)


def test_more_epsilon_more_rows_and_fewer_cells_are_better() -> None:
    """The expected error of pairs falls with each; as a share of rows it is at most 1."""
    by_epsilon = [forecast_pairs(epsilon) for epsilon in ("0.1", "0.3", "1", "3", "10")]
    assert by_epsilon == sorted(by_epsilon, reverse=True)

    by_rows = [forecast_pairs("1", rows) for rows in (1_000, 10_000, 100_000)]
    assert by_rows == sorted(by_rows, reverse=True)

    assert forecast_pairs("1", 10_000, 5, 5) < forecast_pairs("1", 10_000, 10, 10)

    # An added row moves one count, a replaced one two: half the epsilon does.
    assert forecast_pairs("1", neighbors=ADD) == pytest.approx(forecast_pairs("2"), rel=1e-6)
    assert forecast_pairs("0.01", 50) <= 1, "an error is a share of rows"


def test_the_rows_that_clamping_invents() -> None:
    """The forecast tells how many rows clamping at 0 invents in cells that are empty.

    With noise of scale 2 it is a / (1 - a^2) rows a cell, a = e^(-1/2). Of 10,000 cells with
    10 rows, 9,990 or more are empty. Rescaling to the number of rows then makes a large cell
    smaller; without repair there is no bias.
    """
    forecast_of_cells = forecast(
        universe(100, 100), epsilon=Fraction(1), rows=10, neighbors=REPLACE
    )

    a = math.exp(-1 / 2)
    assert 9_990 * a / (1 - a**2) <= forecast_of_cells.invented <= 10_000 * a / (1 - a**2)

    assert forecast_of_cells.cell_error == pytest.approx(
        DiscreteLaplace(Fraction(2)).mean_absolute
    )
    assert forecast_of_cells.biases["rescale"] < 0 == forecast_of_cells.biases["none"]


@pytest.mark.parametrize(("epsilon", "tolerance"), [("0.2", 19), ("0.5", 11), ("2", 2.7)])
def test_the_bias_of_the_bayes_repair_is_that_of_simulated_tables(
    epsilon: str, tolerance: float
) -> None:
    """The forecast bias of a cell of a hundredth of the rows is near that of 30 simulated
    tables.

    Tables are drawn from the assumed law, with 20 such cells among the 4,000. The biases are
    63, 13 and -3.5 rows; the forecast is 5.6, 5.6 and .9 rows off, with standard deviations
    of 2.1, .8 and .26 from one simulation to the next. The tolerances leave room for these.
    """
    rng, cells, scale = np.random.default_rng(7), 4_000, 2 / float(epsilon)
    means = np.exp(rng.normal(0, 2, cells))
    means *= 40_000 / means.sum()
    rows, changes = round(means.sum()), []

    for _ in range(30):
        counts = rng.poisson(means)
        counts[:20] = rows // 100
        values = counts + DiscreteLaplace(Fraction(scale)).draw(cells)
        prior = fit_prior(values, scale=scale, cells=cells, total=float(counts.sum()))
        estimates = prior.estimate(values)
        changes.append(
            (estimates * (counts.sum() / estimates.sum()))[:20].mean() - rows // 100
        )

    means[:20] = rows / 100
    expected = bayes_bias(
        np.log(means), np.ones(cells), scale, rows=means.sum(), count=rows // 100
    )

    assert expected == pytest.approx(np.mean(changes), abs=tolerance)


def test_small_groups_are_lost_under_much_noise_and_kept_under_little() -> None:
    """The forecast share of groups of five rows that vanish falls as epsilon grows.

    It is above 10 % at epsilon 0.1, and below 1 % at epsilon 10.
    """
    domain = universe(30, 30, 10)
    lost = [
        forecast(domain, epsilon=Fraction(e), rows=5_000, neighbors=REPLACE).lost
        for e in ("0.1", "1", "10")
    ]
    assert lost == sorted(lost, reverse=True)
    assert lost[0] > 0.1
    assert lost[-1] < 0.01


def test_a_universe_listed_from_a_threshold_up_is_not_pooled() -> None:
    """Two million cells have the pooled repair, and slightly more do not, so that errors are
    larger.

    Beyond that limit only cells whose noisy count exceeds a threshold are listed.
    """
    small, large = (
        forecast(universe(*sizes), epsilon=Fraction(1), rows=10**5, neighbors=REPLACE)
        for sizes in ((1000, 2000), (1000, 2001))
    )

    assert "pooled" in small.biases
    assert "pooled" not in large.biases
    assert small.one_way.mean < large.one_way.mean


@pytest.mark.parametrize(("scale", "spread"), [(0.5, 0.3), (4.0, 1.0), (40.0, 2.0)])
def test_the_effect_of_pooling_is_that_of_simulated_cells(
    scale: float, spread: float
) -> None:
    """The forecast variance of the pooled repair is within 30 % of that of simulated cells.

    Cells are drawn from the assumed law, around guesses of 3 and 30 rows. `spread` is the
    variance of the logarithm of count over guess. Only cells that are pooled are compared.
    """
    rng, draws = np.random.default_rng(5), 200_000
    logs = np.log(np.array([3.0, 30.0]))
    pooling = Pooling.build(logs, np.ones(2), scale, spread=spread)
    remaining, _, rounding = pooling.at(logs)
    for log, variance in zip(logs, remaining + rounding, strict=True):
        ratio = np.exp(rng.normal(-spread / 2, math.sqrt(spread), draws))
        counts = rng.poisson(math.exp(log) * ratio)
        values = counts + DiscreteLaplace(Fraction(scale)).draw(draws)

        index = pooling.law.laws.places(np.array([log]))[0]
        groups = pooling.law.levels.groups(values)
        is_pooled = groups < pooling.law.levels.plain
        estimates = np.floor(
            pooling.law.estimates[index, groups[is_pooled]] + rng.random(is_pooled.sum())
        )

        simulated_variance = ((estimates - counts[is_pooled]) ** 2).mean()
        assert variance == pytest.approx(simulated_variance, rel=0.3)


def test_backwards_the_epsilon_and_the_coarsening_reach_the_wanted_error() -> None:
    """The epsilon for a wanted error is enough, and the next smaller step of the scale is
    not.

    With that smaller epsilon, columns joined to as many cells as `cells_for` says are enough.
    None is returned for errors that are out of reach.
    """
    sizes, wanted_error = (20, 10, 8), 0.05
    domain = universe(*sizes)
    epsilon = epsilon_for(domain, error=wanted_error, rows=20_000, neighbors=REPLACE)
    below = EPSILONS[EPSILONS.index(epsilon) - 1]
    assert forecast_pairs(str(epsilon), 20_000, *sizes) <= wanted_error
    assert forecast_pairs(str(below), 20_000, *sizes) > wanted_error

    scale = float(ROW.sensitivity(REPLACE) / below)
    cells = cells_for(domain, error=wanted_error, rows=20_000, scale=scale)
    coarse_sizes = [min(size, cells) for size in sizes]
    assert forecast_pairs(str(below), 20_000, *coarse_sizes) <= wanted_error

    assert epsilon_for(domain, error=1e-30, rows=2, neighbors=REPLACE) is None
    assert cells_for(domain, error=1e-9, rows=2, scale=scale) is None


def test_bad_wishes_are_refused() -> None:
    """An error above 1, and a table without rows, are refused."""
    with pytest.raises(ArgumentError, match="error must be between 0 and 1, but it is 2"):
        epsilon_for(universe(2), error=2, rows=5, neighbors=REPLACE)
    with pytest.raises(ArgumentError, match="rows must be a whole number of at least 1"):
        forecast(universe(2), epsilon=Fraction(1), rows=0, neighbors=REPLACE)


def test_a_column_of_one_cell_and_a_huge_universe() -> None:
    """A column of one cell has no error, and 100^30 cells have one between a half and 1."""
    assert forecast_pairs("1", 100, 1) == pytest.approx(0, abs=1e-6)
    huge = forecast(universe(*[100] * 30), epsilon=Fraction(1), rows=10**6, neighbors=REPLACE)
    assert 0.5 < huge.two_way.mean <= 1


def test_a_forecast_takes_at_most_a_tenth_of_a_second() -> None:
    """A forecast of ten columns takes at most a tenth of a second of processor time.

    The first one, which fills tables for all others, does not count.
    """
    domain = universe(20, 2, 7, 9, 3, 3, 13, 11, 7, 2)
    forecast(domain, epsilon=Fraction(1), rows=7_634, neighbors=REPLACE)

    seconds = []
    for rows in range(7_634, 7_639):  # a new number of rows each time, as forecasts are kept
        start = process_time()
        forecast(domain, epsilon=Fraction(2), rows=rows, neighbors=REPLACE)
        seconds.append(process_time() - start)
    # The quickest counts, as any of them may collect the garbage of other tests.
    assert min(seconds) < 0.1


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.is_dir(), reason="needs the shared tables")
def test_the_forecast_is_within_a_quarter_of_what_releases_show(
    still: Callable[[], None],
) -> None:
    """Half of all forecasts are off by a factor of at most 1.25, on tables that were
    released.

    `folds` releases each shared table at several epsilons, and gives forecast over measured
    error as a factor of at least 1. The median is 1.14, with a deviation of .03 between runs.
    `still()` makes all noise the same every time.
    """
    still()

    ratios = folds(releases=1, seed=1)
    assert len(ratios) >= 8
    assert median(ratios) <= 1.25


@pytest.mark.parametrize(
    ("prior", "largest_posterior"), [(0.1, 0.232), (0.5, 0.731), (0.9, 0.961)]
)
def test_what_a_prior_can_become(prior: float, largest_posterior: float) -> None:
    """At epsilon 1 a release may raise a suspicion of chance p to p e / (p e + 1 - p) at
    most.

    For 10 % that is .1 e / (.1 e + .9) = .232.
    """
    assert posterior(prior, Fraction(1)) == pytest.approx(largest_posterior, abs=5e-4)


def test_epsilon_in_plain_words_at_both_ends() -> None:
    """The words about a small epsilon round its factor up, and those about a large one say
    100 %.

    The factor of odds is e^epsilon, and e^(2 epsilon) under add-remove.
    """
    words = in_words(Fraction(1, 100), REPLACE)
    assert "factor of at most 1.02" in words, "1.01005 is not at most 1.01"
    assert "factor of at most 1.03" in in_words(Fraction(1, 100), ADD), "two steps"
    assert "100.00 %" in in_words(Fraction(100), ADD)


@given(st.fractions(min_value=Fraction(1, 10_000), max_value=100))
def test_words_never_say_less_than_an_epsilon_allows(epsilon: Fraction) -> None:
    """The numbers in the words about epsilon are at least the exact ones, and by little more.

    They are the factor of odds, e^epsilon, and what priors of 10 % and 50 % can become, in
    percent. The exact values are computed in decimals.
    """
    words = " ".join(in_words(epsilon, REPLACE).split())
    factor, tenth = re.findall(r"at most ([\d,]+\.\d+(?:e\+\d+)?)", words)
    half = at_most(posterior(0.5, epsilon)).removesuffix(" %")

    exact = Decimal(epsilon.numerator) / Decimal(epsilon.denominator)
    factor_of_odds = exact.exp()
    assert Decimal(factor.replace(",", "")) >= factor_of_odds

    for percent, prior in ((tenth, Decimal("0.1")), (half, Decimal("0.5"))):
        odds = prior / (1 - prior) * factor_of_odds
        assert Decimal(percent) >= 100 * odds / (1 + odds)
        assert Decimal(percent) <= 100 * odds / (1 + odds) + Decimal("0.1001")


def test_no_spend_is_shown_as_less() -> None:
    """Spent numbers are written exactly, or rounded up and marked as rounded.

    What is left is rounded down instead. The sum of 1/2 to 1/59 has no short decimal form.
    """
    longer = Fraction("1.00000000001")
    assert (brief(longer), plain(longer)) == ("1.00000000001", "1.00000000001")

    sum_of_fractions = sum((Fraction(1, n) for n in range(2, 60)), Fraction(0))
    assert brief(sum_of_fractions) == "about 3.66321 (rounded up)"
    assert brief(sum_of_fractions, up=False) == "about 3.66320 (rounded down)"

    assert plain(Fraction("1234567890123456789012345678.000000000001")) == (
        "1234567890123456789012345678.000000000001"
    )
    assert plain(Fraction("-0.25")) == "-0.25"
    assert scientific(Fraction("1.0000001e-9")) == "1.0000001e-9"
    assert at_most(0.23196931) == "23.2 %"


@given(st.fractions(min_value=0, max_value=10**6))
def test_a_rounded_number_is_marked_and_on_the_safe_side(number: Fraction) -> None:
    """A number is written exactly, or marked as rounded up or down, and then on that side.

    It is off by at most 1 in 10^5. `most` is the most characters of an exact one.
    """
    for up in (True, False):
        words = brief(number, up=up, most=8)
        if words == plain(number):
            assert Fraction(words) == number
            continue

        word, value, *direction = words.split()
        assert (word, direction) == ("about", ["(rounded", "up)" if up else "down)"])
        assert Fraction(value) >= number if up else Fraction(value) <= number
        assert abs(Fraction(value) - number) <= number / 10**5


def test_the_command_line_answers_backwards(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`synth forecast --error` says which epsilon is enough for a wanted error of pairs.

    With -v it also says how many rows clamping would invent.
    """
    domain = tmp_path / "d.json"
    field = {
        "name": "age",
        "type": "integer",
        "synth:bins": 50,
        "constraints": {"minimum": 0, "maximum": 99},
    }
    yes_or_no = {"name": "b", "type": "boolean"}
    domain.write_text(json.dumps({"fields": [field, yes_or_no]}))

    options = ["forecast", "--domain", str(domain), "--epsilon", "0.05", "--rows", "1000"]
    assert main([*options, "--error", "0.02", "-v"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("For an error of pairs of 0.02, epsilon ") for line in lines)
    assert any("Clamping would invent about" in line for line in lines)
