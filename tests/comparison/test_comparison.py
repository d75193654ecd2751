"""Real against synthetic in detail: known numbers, independent implementations, exact
laws.
"""

from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.optimize
import scipy.stats

from synth import limits
from synth.domain import Categorical, Date, Domain, Integer, Number
from synth.errors import TableError
from synth.estimate import BIAS_COUNTS, MarginalsRecord, NoisyCounts, Repair, side_by_side
from synth.noise import DiscreteLaplace
from synth.plans import Method, Plan
from synth.privacy import Guarantee, Neighbors, Unit
from synth.private.comparison import (
    Compared,
    all_parts,
    compare_tables,
    figures,
    groups,
    lost_groups,
    measure_associations,
    measure_coverage,
    number_parts,
    read_real,
    real_errors,
    targets,
    train,
    values_in_bins,
)
from synth.private.comparison.associations import association, correlation
from synth.private.comparison.classifier import RIDGE, Classifier
from synth.private.comparison.numeric_columns import Axis, gap
from synth.private.table import PrivateTable, open_table
from synth.spending import synthesize
from synth.verification import open_bundle
from tests.tables import write

AGE = Integer(name="age", minimum=0, maximum=99, bins=5)
PAY = Number(name="pay", minimum="0", maximum="100", bins=4, decimals=1)
DAY = Date(name="day", minimum="2024-01-01", maximum="2024-12-31", bins=4, missing=True)
SEX = Categorical(name="sex", categories=("F", "M"))
DOMAIN = Domain((AGE, PAY, DAY, SEX))
RULES = {"impossible": [{"sex": ["M"], "age": [AGE.labels[0]]}]}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> PrivateTable:
    """800 rows: ages, pay that follows age, days of which a seventh is missing, and sex."""
    rng = np.random.default_rng(1)
    ages = rng.integers(0, 100, 800)
    rows = [
        [
            str(a),
            f"{a / 2 + 40:.1f}",
            f"2024-{1 + a % 12:02d}-11" if a % 7 else "",
            "FM"[a > 60],
        ]
        for a in ages.tolist()
    ]
    path = write(tmp_path_factory.mktemp("compared") / "table.csv", list(DOMAIN.names), rows)
    return open_table(path)


def compare_release(table: PrivateTable, **choices: object) -> Compared:
    """The table beside a release of it, by default a histogram at epsilon 2."""
    return compare_tables(
        table,
        synthesize(
            Plan(domain=DOMAIN, epsilon=Fraction(2), **{"method": Method.DENSE, **choices}),
            table,
        ),
    )


@pytest.fixture(scope="module")
def comparison(table: PrivateTable) -> Compared:
    """The table beside a release by a histogram."""
    return compare_release(table)


@pytest.fixture(scope="module")
def modelled(table: PrivateTable) -> Compared:
    """The table beside a release by a model of columns and pairs."""
    return compare_release(table, method=Method.ONE_SHOT)


def test_parts_obey_the_triangle_inequality(comparison: Compared, modelled: Compared) -> None:
    """The error of a table is at most that of the noise and that of the drawing together.

    The two fixtures compare 800 rows of four columns with a histogram and with a model.
    """
    for compared_release in (comparison, modelled):
        parts = all_parts(compared_release)
        assert len(parts) == 4 + 6, "four columns and their six pairs"
        errors_of_release = compared_release.errors
        errors = errors_of_release.one_way.by_table | errors_of_release.two_way.by_table
        for names, part in parts.items():
            assert part.total == pytest.approx(errors[names])
            assert part.total <= part.noise + part.drawing + 1e-9


MODELS = {
    "independent": {},
    "tree": {"epsilon": Fraction(20)},
    "one-shot": {"delta": Fraction(1, 10**9), "epsilon": Fraction(20)},
    "one-shot, nothing but noise": {"epsilon": Fraction(1, 2), "method": Method.ONE_SHOT},
    "adaptive": {"neighbors": Neighbors.ADD_REMOVE, "epsilon": Fraction(20)},
    "groups": {"groups": (("sex", "age"), ("day",)), "neighbors": Neighbors.ADD_REMOVE},
    "all columns in one": {
        "method": Method.AUTO,
        "rules": RULES,
        "neighbors": Neighbors.ADD_REMOVE,
        "epsilon": Fraction(20),
    },
    "persons": {"method": Method.TREE, "unit": Unit("pay", 2), "epsilon": Fraction(20)},
    "rules": {"method": Method.ONE_SHOT, "rules": RULES, "epsilon": Fraction(20)},
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", MODELS)
def test_an_opened_model_has_the_same_bars_and_the_same_parts(
    table: PrivateTable, tmp_path: Path, kind: str
) -> None:
    """A release opened from its bundle is compared exactly as before it was written.

    What a model holds of its pairs follows from the public numbers in the bundle. MODELS
    names choices of a plan; only in one of them is the whole table measured.
    """
    choices = {"epsilon": Fraction(2), "method": kind, **MODELS[kind]}
    plan = Plan(**{"domain": DOMAIN, **choices, "method": Method(choices["method"])})
    result = synthesize(plan, table)
    assert (result.record.strategy == Method.HISTOGRAM) == (kind == "all columns in one")

    opened = open_bundle(result.write_archive(tmp_path / "b.zip")).result
    before = compare_tables(table, result)
    after = compare_tables(table, opened)

    assert opened.pair_bars == result.pair_bars
    assert measure_coverage(after) == measure_coverage(before)
    if kind == "all columns in one":
        assert measure_coverage(before).bars == sum(DOMAIN.shape)
        assert len(result.pair_bars) == 6

    parts = all_parts(before), all_parts(after)
    assert parts[0].keys() == parts[1].keys()
    assert sum(part.noise is not None for part in parts[1].values()) >= 4
    for names, part in parts[0].items():
        same = parts[1][names]
        assert (part.noise is None) == (same.noise is None)
        assert same.total == part.total
        if part.noise is not None:
            assert same.noise == pytest.approx(part.noise, abs=1e-9)
            assert same.drawing == pytest.approx(part.drawing, abs=1e-9)


def test_drawing_from_a_histogram_moves_less_than_a_row_a_cell(comparison: Compared) -> None:
    """Drawing rows from a histogram moves at most half a row for each of its cells.

    A column adds up what the roundings of its cells, each below one row, leave over. So the
    distance times the 800 rows is at most half the number of cells of the whole table.
    """
    for part in all_parts(comparison).values():
        assert part.drawing * len(comparison.real[0]) <= comparison.domain.size / 2


def test_a_model_of_columns_alone_takes_pairs_for_products(table: PrivateTable) -> None:
    """A model that measures columns alone has as share of a pair the product of
    both shares.
    """
    independent = compare_release(table, method=Method.INDEPENDENT)
    names = (DOMAIN.names[0], DOMAIN.names[3])
    pair, (first_margin, second_margin) = (
        independent.noisy(names),
        (independent.noisy((name,)) for name in names),
    )

    np.testing.assert_allclose(pair, np.outer(first_margin, second_margin))


def test_a_model_says_nothing_of_what_it_does_not_hold() -> None:
    record = SimpleNamespace(believed={(0,): np.ones(5)}, strategy=Method.TREE)
    assert MarginalsRecord.expected(record, (0, 1)) is None  # type: ignore[arg-type]
    assert MarginalsRecord.expected(record, (0,)) is not None  # type: ignore[arg-type]


def test_values_of_the_confidential_rows_are_read_with_their_codes(
    table: PrivateTable,
) -> None:
    """The steward's comparison reads the numbers and dates of the rows, with the bins they
    are in.

    Ages have bins of 20 years, and pay is age / 2 + 40. Missing days are left out. The values
    do not show in a repr.
    """
    columns = values_in_bins(read_real(table, DOMAIN), DOMAIN)
    assert set(columns) == {"age", "pay", "day"}
    assert (columns["age"].codes == columns["age"].values // 20).all()
    assert columns["pay"].values.min() >= 40

    lines = table.path.read_text().splitlines()[1:]
    assert len(columns["day"].values) == sum(line.split(",")[2] != "" for line in lines)
    assert repr(columns["age"]) == "ColumnValues(private)"


def test_binning_error_is_the_gap_inside_the_bins() -> None:
    """The gap of a column to its bins is the largest difference of cumulative shares.

    All ten values are 0, at the start of the first bin of 20 years, where values spread
    evenly reach 1/20. If each age occurs once, there is no gap.
    """
    axis = Axis(AGE)
    exact = axis.exactly(np.zeros(10))
    spread = axis.spread([1, 0, 0, 0, 0])
    assert gap(exact, spread) == pytest.approx(1 - 1 / 20)
    assert (spread.mean, exact.mean) == (9.5, 0)

    every = axis.exactly(np.arange(100.0))
    assert gap(every, axis.spread([1] * 5)) == pytest.approx(0, abs=1e-12)
    assert every.quartiles == (24, 49, 74)


def test_gaps_agree_with_scipy() -> None:
    """The gap of two columns is the Kolmogorov-Smirnov statistic."""
    rng = np.random.default_rng(2)
    first_values = rng.integers(0, 100, 300)
    second_values = rng.integers(20, 90, 200)
    axis = Axis(AGE)
    axis_gap = gap(
        axis.exactly(first_values.astype(float)), axis.exactly(second_values.astype(float))
    )

    assert axis_gap == pytest.approx(
        scipy.stats.ks_2samp(first_values, second_values).statistic
    )


def test_spikes_have_their_own_place() -> None:
    """Counts at the spikes 40 and 999 lie exactly there: the mean of both is (40 + 999) / 2.

    The five cells are 0 to 39, 40, 41 to 49, 50 to 99, and 999.
    """
    hours = Integer(name="hours", minimum=0, maximum=99, bins=2, spikes=(40, 999))
    axis = Axis(hours)
    spread = axis.spread([0, 1, 0, 0, 1])
    assert gap(spread, axis.exactly(np.array([40.0, 999.0]))) == pytest.approx(0, abs=1e-12)
    assert spread.mean == (40 + 999) / 2


def test_every_step_of_a_number_is_told(comparison: Compared, table: PrivateTable) -> None:
    """The error of a numeric column is split into binning, noise and drawing, in this order.

    The total is at most their sum. Pay has the larger error of binning, since its values
    start at 40, amid a bin.
    """
    parts = number_parts(comparison, values_in_bins(read_real(table, DOMAIN), DOMAIN))
    assert [stage.name for stage in parts["age"].stages] == [
        "real",
        "in bins",
        "after the noise",
        "drawn",
    ]

    for part in parts.values():
        steps = (part.binning, part.noise, part.drawing)
        assert part.total <= sum(steps) + 1e-9
        assert all(0 <= step <= 1 for step in steps)
    assert parts["pay"].binning > parts["age"].binning


def test_rows_that_a_person_has_too_many_are_a_step_of_their_own(tmp_path: Path) -> None:
    """Leaving out the rows that a person has too many is a step of the error of its own.

    30 persons have one row at age 10, and 10 persons have three rows at age 90. Half of the
    60 rows are at 90. With one row of each person 10 of 40 are, which is a quarter: so
    leaving out rows moves 1/2 - 1/4 of them. Over the two columns age and sex (1/4 and 0) and
    their pair (1/4) the mean is 1/6, or 16.7 %.
    """
    whose = [*range(30), *(30 + i // 3 for i in range(30))]
    rows = [[f"p{who}", "10" if who < 30 else "90", "F"] for who in whose]
    domain = Domain((AGE, SEX))
    unit = Unit("who", 1)
    for method in (Method.HISTOGRAM, Method.INDEPENDENT):
        table = open_table(write(tmp_path / "t.csv", ["who", "age", "sex"], rows))
        plan = Plan(
            domain=domain,
            epsilon=Fraction(40),
            neighbors=Neighbors.ADD_REMOVE,
            unit=unit,
            method=method,
        )

        comparison = compare_tables(table, synthesize(plan, table))
        split = all_parts(comparison)
        assert split["age",].left_out == split["age", "sex"].left_out == 1 / 4
        assert split["age",].noise < 1 / 8
        assert split["sex",].left_out == 0

        number = number_parts(comparison, values_in_bins(read_real(table, domain), domain))[
            "age"
        ]
        assert number.left_out == pytest.approx(1 / 4)
        assert [stage.name for stage in number.stages][2] == "of the rows used"

        picture = figures.parts(split)
        assert list(picture.table.columns[1:]) == ["left out", "noise", "drawing", "in all"]
        assert "On average 16.7 % by rows left out, " in picture.alt


def test_no_rows_are_left_out_where_each_is_a_person(
    comparison: Compared, table: PrivateTable
) -> None:
    """Where each row is a person, no rows are left out, and the figure has no such column."""
    assert not any(part.left_out for part in all_parts(comparison).values())
    assert not any(
        part.left_out
        for part in number_parts(
            comparison, values_in_bins(read_real(table, DOMAIN), DOMAIN)
        ).values()
    )

    assert "left out" not in figures.parts(all_parts(comparison)).table.columns


def test_association_agrees_with_scipy_where_there_are_many_rows() -> None:
    """With 10^9 rows the correction for chance is nothing, so what is left is Cramer's V as
    scipy computes it.

    Independent columns, and a column of one cell, have no association.
    """
    counts = np.array([[3000, 1000], [2000, 4000], [500, 900]])
    measured = association(counts / counts.sum(), rows=10**9)
    assert measured == pytest.approx(scipy.stats.contingency.association(counts), abs=1e-6)

    uncorrelated = association(np.outer([0.2, 0.8], [0.5, 0.1, 0.4]), rows=100)
    assert (uncorrelated, association(np.ones((1, 3)) / 3, rows=9)) == (0, 0)


def test_correlation_is_pearsons_of_the_middles() -> None:
    """The correlation of two columns is that of the middles of their bins.

    Rows with a missing value, the last row of the table, do not count. A table without rows
    has none.
    """
    rng = np.random.default_rng(3)
    a = rng.integers(0, 4, 500)
    b = np.minimum(3, a + rng.integers(0, 2, 500))
    table = np.zeros((5, 4))
    np.add.at(table, (a, b), 1 / 520)
    table[4] = 0.01  # missing values say nothing

    middles = np.arange(4.0)
    expected = np.corrcoef(a, b)[0, 1]
    assert correlation(table, middles, middles) == pytest.approx(expected)

    assert correlation(np.zeros((2, 2)), middles[:2], middles[:2]) is None


def test_associations_of_numbers_have_a_correlation(comparison: Compared) -> None:
    """Pairs of numbers have a correlation, other pairs an association only, the most changed
    first.

    Pay follows age in the 800 rows.
    """
    associations = measure_associations(comparison)
    strong = associations["age", "pay"]
    assert strong.real > 0.8
    assert strong.real_correlation > 0.9

    assert associations["age", "sex"].real_correlation is None

    changes = [abs(pair.real - pair.synthetic) for pair in associations.values()]
    assert changes == sorted(changes, reverse=True)


def test_groups_are_compared_within(comparison: Compared) -> None:
    """The error of men is the mean, over the other columns, of the distance of the shares
    among men.
    """
    groups_by_label = {group.label: group for group in groups(comparison, "sex")}
    assert sum(group.real for group in groups_by_label.values()) == 800

    men = comparison.real[3] == 1
    is_group = comparison.synthetic[3] == 1
    tables = []
    for i in range(3):
        p, q = (
            np.bincount(codes[i][chosen], minlength=DOMAIN.shape[i]) / chosen.sum()
            for codes, chosen in ((comparison.real, men), (comparison.synthetic, is_group))
        )
        tables.append(np.abs(p - q).sum() / 2)

    assert groups_by_label["M"].error == pytest.approx(np.mean(tables))


def test_lost_groups_count_the_cells_of_all_pairs(comparison: Compared) -> None:
    """Groups that may be lost are the cells of all pairs that have rows.

    Four columns have six pairs, and each pair counts all of the 800 rows.
    """
    pairs = lost_groups(comparison)
    cells = sum(int((comparison.pair(*names)[0] > 0).sum()) for names in comparison.pairs)
    assert sum(pair.groups for pair in pairs) == cells
    assert sum(pair.rows[0] for pair in pairs) == 6 * 800
    assert all(pair.lost <= pair.groups for pair in pairs)


def noisy_counts(scale: Fraction) -> tuple[np.ndarray, NoisyCounts]:
    """Counts of 10,000 cells, many of them small, and a record of them with noise."""
    rng = np.random.default_rng(4)
    domain = Domain((Integer(name="a", minimum=1, maximum=20_000, bins=10_000),))
    counts = rng.poisson(rng.gamma(0.2, 30, 10_000))
    values = DiscreteLaplace(scale).release(counts)
    guarantee = Guarantee.pure(2 / scale)
    total = int(counts.sum())
    return counts, NoisyCounts(
        domain=domain,
        values=values,
        scale=scale,
        neighbors=Neighbors.REPLACE_ONE,
        guarantee=guarantee,
        rows=total,
        listed=None,
        threshold=None,
        noisy_rows=None,
    )


def test_repairs_are_foretold_from_noisy_counts_alone() -> None:
    """The bias and the error that are foretold for each repair are what it did to 10,000
    cells.

    Biases of cells with the first two counts of BIAS_COUNTS are within 5.5 standard errors,
    and the total variation is within 20 %.
    """
    counts, noisy = noisy_counts(Fraction(2))
    for forecast_repair in side_by_side(noisy):
        rows = np.zeros(len(counts))
        rows[forecast_repair.distribution.cells] = forecast_repair.distribution.weights

        for count, bias in zip(BIAS_COUNTS[:2], forecast_repair.bias, strict=False):
            changes = (rows - counts)[counts == count]
            spread = max(float(changes.std()), 1e-9) / np.sqrt(len(changes))
            assert abs(changes.mean() - bias) < 5.5 * spread + 1e-6, forecast_repair.name

        clamped = np.maximum(rows, 0)
        error = np.abs(clamped / clamped.sum() - counts / counts.sum()).sum() / 2
        assert forecast_repair.error == pytest.approx(error, rel=0.2), forecast_repair.name


@pytest.mark.slow
def test_biases_are_closed_forms_where_there_are_some() -> None:
    """Clamping adds q / (1 - q^2) rows to an empty cell, and no repair at all adds nothing.

    The noise has scale 2, so that q is e^(-1/2).
    """
    repairs = {
        forecast_repair.name: forecast_repair
        for forecast_repair in side_by_side(noisy_counts(Fraction(2))[1])
    }

    q = np.exp(-1 / 2)
    assert repairs[Repair.CLAMP].bias[0] == pytest.approx(q / (1 - q**2), rel=1e-9)
    assert repairs[Repair.NONE].bias == pytest.approx((0,) * 5, abs=1e-6)
    assert Repair.AUTO not in repairs


def test_real_errors_of_repairs_are_before_drawing(comparison: Compared) -> None:
    """The error of the repair that was used is the mean, over pairs, of the noise's part of
    it.
    """
    repairs = side_by_side(comparison.result.record.histogram)
    errors = real_errors(comparison, repairs)
    assert set(errors) == {repair.name for repair in repairs}

    used = errors[comparison.result.record.repair]
    noise = [part.noise for names, part in all_parts(comparison).items() if len(names) == 2]
    assert used.two_way == pytest.approx(np.mean(noise))


def test_the_classifier_minimises_its_loss() -> None:
    """The classifier reaches the least loss that SciPy finds, and learns what is simple.

    In 90 % of 400 rows the target says whether a is 2, in the others it is b. So a perfect
    classifier is right in 95 %, and .88 is six standard deviations less.
    """
    rng = np.random.default_rng(5)
    a = rng.integers(0, 3, 400)
    b = rng.integers(0, 2, 400)
    target = np.where(rng.random(400) < 0.9, (a == 2).astype(int), b)
    rows = np.column_stack((a, b, target))
    classifier = Classifier.fit(rows, (3, 2, 2), [0, 1], target=2)

    # Indicators of the values of a and b, and a constant.
    x = np.column_stack((np.eye(3)[a], np.eye(2)[b], np.ones(400)))

    def loss(flat: np.ndarray) -> float:
        weights = flat.reshape(6, 2)
        scores = x @ weights
        logs = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        return -logs[np.arange(400), target].sum() + RIDGE * (weights**2).sum() / 2

    best = scipy.optimize.minimize(loss, np.zeros(12)).fun
    assert loss(classifier.weights.ravel()) == pytest.approx(best, rel=1e-3)
    assert (classifier.predict(rows) == target).mean() > 0.88


def test_training_on_synthetic_rows_is_scored_beside_real_ones(comparison: Compared) -> None:
    """A classifier trained on synthetic rows is scored on half of the real ones.

    Beside it are one trained on real rows, and one that always names the most frequent value.
    The latter is right in one of two classes, which is .5 balanced.
    """
    scores = train(comparison, "sex")
    assert (scores.tested, scores.left_out) == (400, ())
    assert scores.real.plain > 0.9
    assert scores.majority.plain < scores.synthetic.plain <= 1
    assert scores.majority.balanced == 0.5


def test_what_cannot_be_trained_on_says_so(
    comparison: Compared, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Training leaves out columns beyond its limits, and needs enough rows.

    A table of one column has nothing to predict it from. With 8 cells allowed, pay (4 cells)
    alone is used to predict sex. With at least 401 rows of either half, 800 are too few.
    """
    assert targets(DOMAIN) == ["age", "pay", "day", "sex"]
    assert targets(DOMAIN.project(["sex"])) == []

    monkeypatch.setattr(limits, "TRAINED_CELLS", 8)
    assert train(comparison, "sex").left_out == ("age", "day")

    monkeypatch.setattr(limits, "TRAINED_ROWS_MIN", 401)
    with pytest.raises(TableError, match="Training needs at least 802 rows of either table"):
        train(comparison, "sex")


def test_nothing_private_shows_in_a_text(comparison: Compared) -> None:
    assert repr(comparison) == "Compared(private)"
