"""The law of places in a cell: its chances exactly, and rows that follow it through every
face.
"""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats

import synth
from synth.domain import Binned, Domain, Frame, Offsets, building
from synth.estimate import MomentSum
from synth.noise import DiscreteLaplace
from synth.rows import value_laws
from synth.rows.cell_places import draw_places, even_variance, find_place_laws
from tests.analysis.moments import released

# The chance that a test fails although the law holds.
ALPHA = 1e-6
# A scale of noise so small that released sums and counts are nearly exact.
QUIET = Fraction(1, 50)
WIDTHS = range(2, 21)
ROWS = 200_000
SHARES = np.array([0.0, 1e-6, 0.02, 0.1, 0.3, 0.5, 0.75, 0.98, 1.0])


def chances_of_places(law: np.ndarray, last: int) -> np.ndarray:
    """The chance of each place, by formulas of their own and without a drawing."""
    alpha, beta, is_rounded = law
    if not is_rounded:
        return np.asarray(stats.betabinom.pmf(np.arange(last + 1), last, alpha, beta))
    mean = alpha / (alpha + beta)
    if min(alpha, beta) < 1e-9 or last == 0:
        return np.eye(last + 1)[round(mean * last)]
    # How far the chance times ``last`` is above a place, on average.
    place = np.arange(-1, last + 2)
    shares = np.clip(place / last, 0, 1)
    below = (
        special.betainc(alpha, beta, shares),
        mean * special.betainc(alpha + 1, beta, shares),
    )
    above = last * (mean - below[1]) - place * (1 - below[0])
    return np.asarray(np.diff(above, 2))


def find_law(share: float, last: int, variance: float | None = None) -> np.ndarray:
    """The law of one cell: the parameters alpha and beta, and 1 if places are rounded."""
    variances = None if variance is None else np.array([variance])
    return np.asarray(find_place_laws(np.array([share]), np.array([last]), variances)[0])


def count_drawn_places(law: np.ndarray, last: int, rows: int = ROWS) -> np.ndarray:
    """How often each place comes in so many drawings by a law."""
    rng = np.random.default_rng()
    places = draw_places(np.tile(law, (rows, 1)), np.full(rows, last), rng)
    return np.bincount(places, minlength=last + 1)


@pytest.mark.parametrize("width", [*WIDTHS, 30, 31, 366])
def test_places_without_a_lean_are_exactly_as_likely_as_each_other(width: int) -> None:
    """If the mean place is in the middle of a cell, all its places are equally likely.

    So each of ``width`` places has the chance 1 / width, and the variance is that of a
    uniform whole number: (width² - 1) / 12.
    """
    last = width - 1  # places are numbered from 0
    likely = chances_of_places(find_law(0.5, last), last)
    assert likely * width == pytest.approx(np.ones(width), abs=1e-9)

    (variance,) = even_variance(np.array([0.5]), np.array([last]))
    assert variance == pytest.approx((width**2 - 1) / 12)


@pytest.mark.parametrize("width", [1, *WIDTHS, 366])
def test_the_mean_place_is_the_measured_one(width: int) -> None:
    """The mean place of a cell is exactly the measured one, whatever mean and variance are.

    ``share`` is the mean over the last place. The wanted variance is unknown (None), possible
    or impossible. The chances come from formulas, so only rounding errors are allowed.
    """
    places = np.arange(width)
    for share in SHARES:
        usual = float(even_variance(np.array([share]), np.array([width - 1]))[0])
        for variance in (None, 0.0, usual / 8, usual / 2, usual, 1.3 * usual, 1e12):
            law = find_law(float(share), width - 1, variance)
            likely = chances_of_places(law, width - 1)
            assert likely.sum() == pytest.approx(1, abs=1e-9)
            assert likely @ places == pytest.approx(share * (width - 1), abs=1e-9 * width)


@pytest.mark.parametrize(
    ("share", "last", "variance", "is_rounded"),
    [
        (0.2, 4, 1.0, False),
        (0.5, 9, 6.0, False),
        (0.5, 19, 60.0, False),
        (0.3, 365, 500.0, False),
        (0.7, 365, 20_000.0, False),
        (0.5, 40, 2.0, True),
        (0.3, 200, 16.0, True),
        (0.7, 60, 5.0, True),
    ],
)
def test_the_variance_is_the_measured_one(
    share: float, last: int, variance: float, is_rounded: bool
) -> None:
    """The variance of the places in a cell is the measured one, where it is possible.

    Places from 0 to ``last`` are drawn by trials, which have it exactly. Places that lie
    close together are rounded at random instead; what that adds is known within 1%.
    """
    law, places = find_law(share, last, variance), np.arange(last + 1)
    assert law[2] == is_rounded
    likely = chances_of_places(law, last)
    spread = likely @ places**2 - (likely @ places) ** 2
    assert spread == pytest.approx(variance, rel=0.01 if is_rounded else 1e-6)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("share", [0.5, 0.3])
def test_places_are_drawn_by_their_law(width: int, share: float) -> None:
    """Places are drawn as often as the formulas of their law say.

    A chi-squared test of 200,000 drawings, with a false alarm of one in a million.
    """
    law = find_law(share, width - 1)
    expected = ROWS * chances_of_places(law, width - 1)
    assert stats.chisquare(count_drawn_places(law, width - 1), expected).pvalue > ALPHA


@pytest.mark.parametrize("width", WIDTHS)
def test_ends_drawn_a_tenth_too_rarely_are_seen(width: int) -> None:
    """A chi-square test of 600,000 drawings finds a law whose ends come 10 % too rarely.

    With 2 places both are ends, and the same factor on both would be no change. So there the
    second is too likely by a tenth.
    """
    skewed = np.ones(width)
    skewed[0] = 0.9
    skewed[-1] = 0.9 if width > 2 else 1.1
    counts = np.random.default_rng().multinomial(3 * ROWS, skewed / skewed.sum())
    assert stats.chisquare(counts, np.full(width, 3 * ROWS / width)).pvalue < ALPHA


def test_rounded_places_are_drawn_by_their_law() -> None:
    """Places that are rounded at random are drawn as often as the formulas of their law say.

    A variance of 2 among 41 places is too small for trials, so they are rounded. Places with
    fewer than 20 expected drawings are taken together, as a chi-squared test needs.
    """
    law = find_law(0.31, 40, 2.0)
    assert law[2] == 1
    expected, counts = ROWS * chances_of_places(law, 40), count_drawn_places(law, 40)
    is_often = expected > 20
    pooled_counts = [*counts[is_often], counts[~is_often].sum()]
    pooled_expected = [*expected[is_often], expected[~is_often].sum()]
    assert stats.chisquare(pooled_counts, pooled_expected).pvalue > ALPHA


@pytest.mark.parametrize("last", [0, 1, 10**6, 10**12, 2**62])
@pytest.mark.parametrize("variance", [None, 0.0, 1e30])
def test_no_place_is_outside_its_cell(last: int, variance: float | None) -> None:
    """A drawn place lies within its cell, however many values the cell has.

    ``last`` is the number of the last place, up to 2**62. If the mean is an end of the cell,
    every place is that end.
    """
    for share in SHARES:
        law = find_law(float(share), last, variance)
        places = draw_places(
            np.tile(law, (500, 1)), np.full(500, last), np.random.default_rng()
        )
        assert places.min() >= 0
        assert places.max() <= last
        if share in (0.0, 1.0):  # the mean is an end of the cell
            assert set(places.tolist()) == {round(share * last)}


def make_even_table(width: int) -> pd.DataFrame:
    """Each whole number of a range as often as the others."""
    top = 6 * width
    return pd.DataFrame({"age": np.arange(top * (90_000 // top)) % top})


def check_even(values: np.ndarray, width: int) -> None:
    """Assert that all places of bins of this width are equally frequent."""
    assert stats.chisquare(np.bincount(values % width, minlength=width)).pvalue > ALPHA


@pytest.mark.parametrize("width", WIDTHS)
def test_rows_of_a_release_are_even_within_bins(width: int) -> None:
    """Values that are even within bins are even within bins in a release, too.

    The release measures means at epsilon 8, and each bin has ``width`` whole numbers.
    """
    domain = synth.Domain(age=synth.Integer(0, 6 * width - 1, bins=6))
    released = synth.release(make_even_table(width), domain, epsilon=8, moments="means")
    assert released.result.record.moments
    check_even(released.table["age"].to_numpy(), width)


def test_rows_of_a_release_follow_a_mean_that_leans_to_an_end() -> None:
    """Values crowded at the lower end of their bins have nearly this mean in a release.

    Half of all rows are at the first of five places, so the mean place is 1.1. Without
    measured means values are even within a bin, which gives a mean place near 2.
    """
    rows = 90_000
    real_places = np.repeat(
        np.arange(5), [rows // 2, rows // 5, rows // 10, rows // 10, rows // 10]
    )
    frame = pd.DataFrame({"age": 5 * (np.arange(rows) % 6) + real_places})
    domain = synth.Domain(age=synth.Integer(0, 29, bins=6))

    with_means = synth.release(frame, domain, epsilon=8, moments="means").table["age"] % 5
    assert with_means.mean() == pytest.approx(real_places.mean(), abs=0.04)

    without_means = synth.release(frame, domain, epsilon=8, moments="none").table["age"] % 5
    assert without_means.mean() > 1.9


def test_days_of_a_release_are_even_within_weeks() -> None:
    """Days that are even within weeks are even in a release, too: each weekday as often.

    The table has 200 rows of each of 364 days, which are 52 weeks from a Monday.
    """
    first = pd.Timestamp("2024-01-01")
    days = first + pd.to_timedelta(np.arange(364 * 200) % 364, "D")
    domain = synth.Domain(day=synth.Date("2024-01-01", "2024-12-29", period="week"))
    released = synth.release(pd.DataFrame({"day": days}), domain, epsilon=8, moments="means")
    assert released.result.record.moments
    check_even((released.table["day"] - first).dt.days.to_numpy(), 7)


@pytest.mark.parametrize("bins", ["6", "weeks"])
def test_tables_of_replicates_are_even_within_bins(bins: str, tmp_path: Path) -> None:
    """Each replicate of a saved release is even within bins, for whole numbers and days.

    The real values are even in bins of five whole numbers, or in weeks of seven days.
    """
    domain = synth.Domain(age=synth.Integer(0, 29, bins=6))
    frame, width = make_even_table(5), 5
    if bins == "weeks":
        first, width = pd.Timestamp("2024-01-01"), 7
        frame = pd.DataFrame({"age": first + pd.to_timedelta(np.arange(30_030) % 42, "D")})
        domain = synth.Domain(age=synth.Date("2024-01-01", "2024-02-11", period="week"))
    released = synth.release(frame, domain, epsilon=8, moments="means")
    for table in synth.replicates(released.save(tmp_path / "r.zip"), tables=3):
        values = table["age"] if bins == "6" else (table["age"] - first).dt.days
        check_even(values.to_numpy(), width)


def test_rows_of_linked_tables_are_even_within_bins() -> None:
    """Values of linked tables, of persons and of their visits, are even within bins.

    The real ages are even in bins of five years, and the days of visits in weeks.
    """
    key = {"name": "id", "type": "integer"}
    ends = {"constraints": {"minimum": 0, "maximum": 29, "required": True}, "synth:bins": 6}
    age = {"name": "age", "type": "integer", **ends}
    days = {"minimum": "2024-01-01", "maximum": "2024-02-11", "required": True}
    day = {"name": "day", "type": "date", "constraints": days, "synth:period": "week"}
    reference = {"fields": "id", "reference": {"resource": "people", "fields": "id"}}
    link = {"fields": [key, day], "foreignKeys": [reference]}
    package: dict[str, Any] = {
        "resources": [
            {
                "name": "people",
                "path": "people.csv",
                "schema": {"primaryKey": "id", "fields": [key, age]},
            },
            {"name": "visits", "path": "visits.csv", "synth:maxRows": 1, "schema": link},
        ]
    }
    first, rows = pd.Timestamp("2024-01-01"), np.arange(21_000)
    people = pd.DataFrame({"id": rows, "age": rows % 30})
    visits = pd.DataFrame({"id": rows, "day": first + pd.to_timedelta(rows % 42, "D")})

    released = synth.release_linked({"people": people, "visits": visits}, package, epsilon=8)

    check_even(released.tables["people"]["age"].to_numpy(), 5)
    days = (pd.to_datetime(released.tables["visits"]["day"]) - first).dt.days
    check_even(days.to_numpy(), 7)


MIXED = Domain(
    age=building.Integer(0, 99, edges=(0, 5, 7, 8, 40, 99), spikes=[41, 999]),
    day=building.Date("2024-01-10", "2024-04-20", period="month"),
    whole=building.Number(0, 20, bins=4, decimals=0, spikes=[5, 7]),
    part=building.Number("0.1", 1, bins=4, decimals=2, missing=True),
)
# Sums of offsets of each column: one for each of its cells, or one of all rows.
OWN_SUMS = [MomentSum(columns=(i,), by=(i,)) for i in range(4)]
ALL_SUMS = [MomentSum(columns=(i,)) for i in range(4)]


def make_leaning_rows(rows: int = 4_000) -> dict[str, np.ndarray]:
    """Numbers nearer to the lower ends of their bins than to the upper ones."""
    rng = np.random.default_rng(8)
    rows_by_name = {}
    for column in MIXED.columns:
        assert isinstance(column, Binned)
        bins = [code for code, piece in enumerate(column.pieces) if not piece.spike]
        codes = rng.choice(bins, rows)
        first, last = np.asarray(column.spans)[codes].T
        units = first + np.floor(rng.beta(1, 2.5, rows) * (last - first + 1))
        rows_by_name[column.name] = units * column.step.numerator / column.step.denominator
    return rows_by_name


def expected_offsets(column: int, laws: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The mean offset of each declared cell by its law, exactly, and of uniform values."""
    binned = MIXED.columns[column]
    assert isinstance(binned, Binned)
    offsets, means, even_means = Offsets.build(MIXED, column, Frame.OWN), [], []
    for cell, (first, last) in enumerate(binned.spans):
        values = np.arange(first, last + 1) * float(binned.step)
        offsets_of_values = (values - offsets.middles[cell]) / (
            offsets.halves[cell] or np.inf
        )
        means.append(float(chances_of_places(laws[cell], last - first) @ offsets_of_values))
        even_means.append(float(offsets_of_values.mean()))
    return np.array(means), np.array(even_means)


def test_the_mean_of_each_cell_is_the_measured_one() -> None:
    """The law of values has the measured mean offset in each cell, if sums are by cell.

    A cell's mean is its noisy sum over its noisy count, in units of half the cell's width.
    There is hardly any noise. The real values lean to the lower ends, so some mean differs
    from an even one by more than 0.2.
    """
    rows = make_leaning_rows()
    record = released(MIXED, rows, OWN_SUMS, scale=QUIET, steps=QUIET)
    laws = value_laws(record)
    for column in range(4):
        (moment,) = [
            candidate for candidate in record.moments if candidate.what == OWN_SUMS[column]
        ]
        interval = record.interval(column)
        assert interval is not None
        size = np.maximum(interval.middle * record.total, 1.0)
        halves = Offsets.build(MIXED, column, Frame.OWN).halves
        measured = np.where(halves > 0, moment.values / size / moment.what.steps, 0.0)

        means, even_means = expected_offsets(column, laws[column,])
        assert means == pytest.approx(measured[: len(means)], abs=3e-3)
        assert np.abs(means - even_means).max() > 0.2


def test_the_mean_over_all_cells_is_the_measured_one() -> None:
    """The laws of values together have the measured sum of offsets of all rows.

    Each cell adds its rows times its mean offset. There is hardly any noise. Both sums are
    compared as shares of the widest cell's half width for every row.
    """
    rows = make_leaning_rows()
    record = released(MIXED, rows, ALL_SUMS, scale=QUIET, steps=QUIET)
    laws = value_laws(record)
    for column in range(4):
        (moment,) = [
            candidate for candidate in record.moments if candidate.what == ALL_SUMS[column]
        ]
        interval = record.interval(column)
        assert interval is not None
        halves = Offsets.build(MIXED, column, Frame.OWN).halves
        # Bins come first; the cells behind them, such as signs, have no offset.
        means, _ = expected_offsets(column, laws[column,])
        sum_of_offsets = (interval.middle * record.total * halves)[: len(means)] @ means
        measured = float(moment.values[0]) * float(moment.what.unit(MIXED))
        widest = halves.max() * record.total
        assert sum_of_offsets / widest == pytest.approx(measured / widest, abs=3e-3)


@pytest.mark.parametrize("sums", [OWN_SUMS, ALL_SUMS], ids=["by bins", "of all rows"])
def test_what_noise_hides_leaves_values_exactly_even(sums: list[Any]) -> None:
    """Sums that noise drowns, of a scale of 10**9, leave all values of a cell equally likely.

    That includes real numbers, whose last value is below the end of their bin. Cells of more
    than 400 values are passed over.
    """
    record = released(MIXED, make_leaning_rows(), sums, scale=QUIET, steps=QUIET)
    hidden = tuple(
        replace(spend, mechanism=DiscreteLaplace(10**9)) for spend in record.spends
    )
    laws = value_laws(replace(record, spends=hidden))
    for column in range(4):
        declared = MIXED.columns[column]
        assert isinstance(declared, Binned)
        for cell, (first, last) in enumerate(declared.spans):
            if last - first < 400:
                likely = chances_of_places(laws[column,][cell], last - first)
                assert likely * len(likely) == pytest.approx(np.ones(len(likely)), abs=1e-4)
