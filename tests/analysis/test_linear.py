"""Free answers: values by hand, intervals that hold the truth, refusals; no table is
opened.
"""

import math
from fractions import Fraction
from typing import Any
from unittest.mock import Mock, patch

import numpy as np
import pytest
from scipy import stats

from synth.analysis import (
    EVENLY,
    MODEL,
    ReleaseView,
    cell_intervals,
    free_answers,
    from_release,
)
from synth.analysis.sources import READ_OFF
from synth.domain import Categorical, Domain, Integer, Outside
from synth.errors import ReleaseError
from synth.estimate import (
    Bar,
    Distribution,
    HistogramRecord,
    NoisyCounts,
    NoisyMarginal,
    Repair,
    WayName,
)
from synth.noise import DiscreteGaussian, DiscreteLaplace, LaplaceLaw
from synth.privacy import ROW, Guarantee, Neighbors, Unit
from synth.questions import Answer, Inquiry, check_question, parse
from tests.audit.layers import ALPHA

SEX = Categorical(name="sex", categories=("F", "M"), outside=Outside.CELL)
DOMAIN = Domain((Integer(name="age", minimum=0, maximum=19, bins=4), SEX))
"""Ages 0 to 4, 5 to 9, 10 to 14 and 15 to 19, by female, male and other."""
COUNTS = np.array([[10, 20, 0], [30, 40, 1], [50, 60, 2], [70, 80, 3]])
COMPLETE = Domain((Integer(name="age", minimum=0, maximum=19, bins=4, missing=True), SEX))
"""With a cell for every text, so that no row is left out."""
RELEASES, RELEASES_WITH_ENDS = 2_000, 40
"""Draws of the noise, and for how many of them the ends of an interval are looked for too."""


def histogram(
    counts: np.ndarray = COUNTS,
    *,
    rows: int | None = None,
    scale: Fraction = Fraction(2),
    domain: Domain = DOMAIN,
    threshold: int | None = None,
) -> HistogramRecord:
    """A release of these counts as if their noise had been 0; intervals allow for its
    scale.

    By default the counts are `COUNTS`, and their number of rows is noisy, not public.
    """
    values = np.asarray(counts).reshape(-1)
    neighbors = Neighbors.ADD_REMOVE if rows is None else Neighbors.REPLACE_ONE
    listed_cells = None if threshold is None else np.arange(len(values))
    noisy = NoisyCounts(
        domain=domain,
        values=values,
        scale=scale,
        neighbors=neighbors,
        guarantee=Guarantee.pure(1),
        rows=rows,
        listed=listed_cells,
        threshold=threshold,
    )
    weights = np.maximum(values, 0).astype(float)
    distribution = Distribution(
        domain=domain,
        cells=np.arange(len(values)),
        weights=weights,
        total=int(weights.sum()),
        repair=Repair.CLAMP,
    )
    return HistogramRecord(noisy=noisy, distribution=distribution)


def answer_from(question: str, record: Any, unit: Unit = ROW) -> Answer:
    (answer,) = from_release(
        [check_question(parse(question), record.domain, unit)], ReleaseView(record=record)
    )
    assert answer.way is WayName.RELEASE
    return answer


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("count where age >= 10 and sex = F", 120),
        ("count where age < 10", 101),
        ("count where sex = '(other)'", 6),
        ("count where sex != M", 166),
        ("count where age >= 7.5 and sex = F", 132),  # 2 of the 5 years 5 to 9: 12 of 30
        ("table sex", [160, 200, 6]),
        ("top 2 sex with counts", [200, 160]),
        ("total age where sex = '(other)'", 7 + 2 * 12 + 3 * 17),
        ("share where sex = F", 160 / 366),
        ("mean age where sex = F", (20 + 210 + 600 + 1190) / 160),
    ],
)
def test_estimates_are_those_worked_out_by_hand(
    question: str, value: float | list[float]
) -> None:
    """Each kind of question gets the number that is worked out by hand from these counts.

    Ages 0-4, 5-9, 10-14 and 15-19, each for female, male and other: 10, 20, 0; 30, 40, 1; 50,
    60, 2; 70, 80, 3. In all there are 366 rows. Numbers are taken at the middle of their bin:
    2, 7, 12 or 17.
    """
    expected = value if isinstance(value, list) else [value]
    assert answer_from(question, histogram()).value.tolist() == pytest.approx(expected)


def test_the_reach_of_whole_cells_is_that_of_the_exact_law() -> None:
    """The interval of one cell is the narrowest with whole ends that the law of its noise
    allows.

    Discrete Laplace noise of scale 2 exceeds the half width in at most 5 % of draws, but in
    more than 5 % reaches it. The average error is the mean size of the noise, the sum of its
    tails.
    """
    answer = answer_from("count where age < 5 and sex = M", histogram())
    beyond = LaplaceLaw(2).two_sided_tail
    half = (answer.high - answer.low)[0] / 2
    assert beyond(int(half) + 1) <= Fraction(1, 20) < beyond(int(half))
    assert answer.remarks == (READ_OFF,)  # both columns are asked about
    assert answer.expected_error == pytest.approx(sum(map(beyond, range(1, 200))), rel=1e-6)


def test_a_cut_bin_is_assumed_to_be_even_and_its_interval_holds_both_extremes() -> None:
    """A condition that cuts a bin gets an even share of it, and the interval holds none
    and all.

    Of 80 men from 15 to 19 three fifths are 17 or older, give or take all of them. The noise,
    of scale 1 / 50, is next to none. If every share of the 80 were as likely, its middle
    would be off by 20 on average.
    """
    answer = answer_from(
        "count where age >= 17 and sex = M", histogram(scale=Fraction(1, 50))
    )
    assert (answer.value[0], answer.low[0], answer.high[0]) == (48, 0, 80)
    assert EVENLY in answer.remarks
    assert answer.expected_error == pytest.approx(20, abs=0.1)


def test_means_reach_to_the_ends_of_their_bins() -> None:
    """The interval of a mean reaches as far as rows could be from the middle of their
    bins.

    A bin holds five whole ages, which are at most 2 from their middle. Noise is next to
    none.
    """
    answer = answer_from("mean age by sex", histogram(1_000 * COUNTS, scale=Fraction(1, 50)))
    assert answer.labels == ("F", "M", "(other)")
    assert answer.value - answer.low == pytest.approx([2, 2, 2], abs=0.01)
    assert answer.high - answer.value == pytest.approx([2, 2, 2], abs=0.01)
    assert EVENLY in answer.remarks


def test_a_group_that_may_be_empty_has_no_answer() -> None:
    """The mean of a group of 6 rows is NaN, with a remark, as the noise could hide all of
    them.
    """
    answer = answer_from("mean age by sex", histogram())
    assert np.isnan(answer.value).tolist() == [False, False, True]
    assert answer.remarks[-1] == "no answer if the noise could hide all rows of a group"


def test_several_means_need_no_histogram_of_all_their_columns() -> None:
    """The question "means age" gets the same number and interval as "mean age"."""
    answer = answer_from("means age where sex = F", histogram())
    single = answer_from("mean age where sex = F", histogram())
    assert (answer.labels, answer.value.tolist()) == (("age",), single.value.tolist())
    assert (answer.low[0], answer.high[0]) == (single.low[0], single.high[0])


def test_the_number_of_rows_is_public_or_noisy() -> None:
    """A public number of rows is answered exactly; a noisy one is the sum of the counts,
    366.
    """
    public = answer_from("count", histogram(rows=370))
    assert (public.value[0], public.low[0], public.high[0]) == (370, 370, 370)
    assert public.expected_error == 0
    assert public.remarks == ("the number of rows is public",)
    noisy = answer_from("count", histogram())
    assert noisy.value[0] == 366
    assert noisy.expected_error > 0


def test_what_is_left_over_is_taken_from_a_public_number_of_rows() -> None:
    """Counts are corrected evenly so that they sum to the public number of rows.

    The 15 cells sum to 370, of 372 rows. Five of them are of other sexes and sum to 10; the
    other ten sum to 360.
    """
    counts = np.vstack([COUNTS, [[0, 0, 4]]])
    record = histogram(counts, rows=372, domain=COMPLETE)
    outside, inside = (
        answer_from(f"count where sex {sign} '(other)'", record) for sign in ("=", "!=")
    )
    # The two rows that are lacking are shared among the 15 cells: 10 + 2 * 5 / 15, and
    # 360 + 2 * 10 / 15.
    assert (outside.value[0], inside.value[0]) == pytest.approx((10 + 2 / 3, 361 + 1 / 3))
    assert inside.expected_error == pytest.approx(outside.expected_error)


def test_a_share_is_of_the_public_rows() -> None:
    """A share is taken of the public number of rows, 400, even if the counts sum to 366.

    The rows that are lacking may have no valid age, which a remark names.
    """
    answer = answer_from("share where sex = F", histogram(rows=400))
    assert answer.value[0] == 160 / 400
    assert answer.remarks == (
        READ_OFF,
        "assumed: the rules for age leave no row out of the release",
    )


def test_rows_that_a_rule_of_another_column_leaves_out_are_named() -> None:
    """An answer remarks that rows may be left out because of a column that it does not
    ask about.

    Sex is declared without a cell for other values, so that such rows are left out. A
    question that conditions on sex itself needs no such remark.
    """
    dropping = Domain((DOMAIN["age"], Categorical(name="sex", categories=("F", "M"))))
    answer = answer_from("count where age < 5", histogram(COUNTS[:, :2], domain=dropping))
    assert answer.remarks[-1] == "assumed: the rules for sex leave no row out of the release"
    used = answer_from(
        "count where age < 5 and sex = F", histogram(COUNTS[:, :2], domain=dropping)
    )
    assert used.remarks == (READ_OFF,)


def test_counts_that_are_missing_bound_no_sum() -> None:
    """A release that lists only counts from 5 up answers no sum: all numbers are NaN."""
    answer = answer_from("count where sex = F", histogram(threshold=5))
    assert np.isnan([*answer.value, *answer.low, *answer.high, answer.expected_error]).all()
    assert answer.remarks == (
        "no answer from this release: the release leaves out counts below 5, so it has no "
        "sum",
    )


def test_a_release_says_nothing_of_persons() -> None:
    """A question about persons, with up to three rows each, has no answer from counts of
    rows.
    """
    answer = answer_from("mean age over persons", histogram(), Unit("id", 3))
    assert np.isnan(answer.value).all()
    assert answer.remarks == (
        "no answer from this release: a release counts rows, not persons",
    )


def test_a_question_of_too_many_cells_has_no_answer() -> None:
    """A question about 1,200 by 1,200 cells has no answer, and a remark says why."""
    wide = Domain(tuple(Integer(name=n, minimum=0, maximum=1199, bins=1200) for n in "ab"))
    answer = answer_from("mean a by b", histogram(np.zeros(wide.size, np.int64), domain=wide))
    assert answer.remarks == ("no answer from this release: the question has too many cells",)


def test_an_inquiry_about_other_columns_is_refused() -> None:
    """Questions about other columns than those of the release are refused.

    The inquiry knows the age alone; the release has age and sex. With the same columns, 10 +
    20 + 0 rows are younger than 5.
    """
    inquiry = Inquiry.read(
        ["count where age < 5"], DOMAIN.project(["age"]), Guarantee.pure(1)
    )
    with pytest.raises(ReleaseError, match=r"^The release has other columns than the "):
        free_answers(inquiry, histogram())
    same = Inquiry.read(["count where age < 5"], DOMAIN, Guarantee.pure(1))
    assert [answer.value[0] for answer in free_answers(same, histogram())] == [30]


class Model:
    """A release by marginals: of age and sex, together or each by itself, and a model's."""

    neighbors = Neighbors.REPLACE_ONE
    histogram = None

    def __init__(self, *cliques: tuple[int, ...], bars: tuple[Bar, ...] = ()) -> None:
        self.domain = DOMAIN
        self.bars = bars
        self.rows = int(COUNTS.sum())
        self.total = float(self.rows)
        self.measured = tuple((clique, self._marginal(clique)) for clique in cliques)

    def _marginal(self, clique: tuple[int, ...]) -> NoisyMarginal:
        part = DOMAIN.project([DOMAIN.names[i] for i in clique])
        others = tuple(axis for axis in (0, 1) if axis not in clique)
        counts = COUNTS.sum(axis=others).reshape(-1)
        noise = DiscreteGaussian(Fraction(9) * len(clique))
        return NoisyMarginal(
            domain=part,
            values=counts,
            mechanism=noise,
            guarantee=Guarantee.zcdp(1),
            rows=self.rows,
        )

    def expected(self, place: tuple[int, ...]) -> np.ndarray:
        others = tuple(axis for axis in (0, 1) if axis not in place)
        return COUNTS.sum(axis=others) + 0.25


def test_a_measured_pair_answers_with_its_own_noise() -> None:
    """A cell of a measured pair has the noise of the pair, less what the single columns
    add.

    The variance is 9 for a column by itself, and 18 for a cell of the pair.
    """
    answer = answer_from("count where age < 5 and sex = M", Model((0,), (1,), (0, 1)))
    assert answer.value[0] == pytest.approx(20)
    # Of the variance 18, by degrees of freedom, 6 / 12 are the cell's own, 3 / 12 the ages',
    # 2 / 12 the sexes', and the rest the public total's. An age sums three cells, of variance
    # 54; with the 9 of the column by itself 1 / 7 of it remains. A sex sums four cells, of
    # variance 72; with 9 this leaves 1 / 9.
    deviation = (18 * (6 / 12 + 3 / 12 / 7 + 2 / 12 / 9)) ** 0.5
    assert (answer.low[0], answer.high[0]) == (20 - 6, 20 + 6)
    assert 6 <= 1.96 * deviation < 7
    assert answer.remarks == (READ_OFF,)


def test_all_histograms_of_its_columns_answer() -> None:
    """A count uses all measured histograms with its columns, so that its average error
    is lower.

    Age by itself errs by 6 at 95 %, two deviations of 3; with the pair beside it, by
    less.
    """
    answer = answer_from("count where age < 5", Model((0, 1), (0,)))
    assert answer.value[0] == pytest.approx(30)
    by_one = answer_from("count where age < 5", Model((0,)))
    assert (by_one.low[0], by_one.high[0]) == (24, 36)
    assert by_one.expected_error > answer.expected_error


def test_a_pair_of_the_model_is_marked_as_assumed() -> None:
    """A cell of a pair that only the model knows is answered with the model's error bar,
    and marked as assumed.

    The model has 20.25 in the cell. Its bar is 1 % of 366 rows, in all of 12 cells: a cell is
    off by 2/12 of that, at most by 1.65 times the bar.
    """
    bar = Bar(("age", "sex"), measured=False, expected=0.01)
    answer = answer_from("count where age < 5 and sex = M", Model((0,), (1,), bars=(bar,)))
    assert answer.value[0] == 20.25
    assert answer.remarks == (MODEL,)
    assert answer.high[0] == math.floor(20.25 + 1.65 * 0.01 * 366)
    assert answer.expected_error == pytest.approx(0.01 * 366 * 2 / 12)


def test_columns_of_which_nothing_is_known_together_have_no_answer() -> None:
    """Columns that were measured apart, without a model's error for the pair, have no
    answer.
    """
    answer = answer_from("table age by sex", Model((0,), (1,)))
    assert np.isnan(answer.value).all()
    assert answer.remarks == (
        "no answer from this release: the release says nothing of age and sex together",
    )


TRUE_COUNTS = np.array([[40, 30, 9], [0, 55, 8], [25, 60, 7], [70, 0, 11], [6, 5, 4]])
"""The last row has no age."""
LAST = 4
"""Every row has the last age of its bin: as far from evenly spread as can be."""


AGES, AGED, WOMEN = 5 * np.arange(4) + LAST, TRUE_COUNTS[:4], TRUE_COUNTS[:, 0]
TRUE_ANSWERS: dict[str, Any] = {
    "count where age < 10 and sex = F": [WOMEN[:2].sum()],
    "count where sex != M": [TRUE_COUNTS.sum() - TRUE_COUNTS[:, 1].sum()],
    "share where sex = F": [WOMEN.sum() / TRUE_COUNTS.sum()],
    "table age": TRUE_COUNTS.sum(axis=1),
    "count where age >= 9 and sex = F": [WOMEN[1:4].sum()],
    "count where age >= 12": [TRUE_COUNTS[2:4].sum()],
    "total age where sex = F": [AGES @ WOMEN[:4]],
    "mean age": [AGES @ AGED.sum(axis=1) / AGED.sum()],
    "mean age where sex = F": [AGES @ WOMEN[:4] / WOMEN[:4].sum()],
}
"""Answers to questions, by hand."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "rows", [None, int(TRUE_COUNTS.sum())], ids=["noisy rows", "public rows"]
)
@pytest.mark.parametrize("question", TRUE_ANSWERS)
def test_intervals_hold_the_truth(question: str, rows: int | None) -> None:
    """In 2,000 releases with noise, the interval of each number holds the truth in at
    least 95 %.

    The test fails if so few hits had a chance below ALPHA, were the rate 95 %. Every row has
    the last age of its bin, as far from evenly spread as can be. `_inside` tests the truth
    without a search for the ends of the interval.
    """
    scale = Fraction(3)
    draws = (
        DiscreteLaplace(scale)
        .draw(RELEASES * TRUE_COUNTS.size)
        .reshape(RELEASES, *TRUE_COUNTS.shape)
    )
    truth = np.array(TRUE_ANSWERS[question], float)
    hits = np.zeros(len(truth), np.int64)
    for number, noise in enumerate(draws):
        record = histogram(TRUE_COUNTS + noise, rows=rows, scale=scale, domain=COMPLETE)
        inside = _inside(truth, question, record)
        hits += inside

        if (
            number < RELEASES_WITH_ENDS
        ):  # for the first releases the whole interval is computed as well
            answer = answer_from(question, record)
            in_whole_interval = (answer.low <= truth + 1e-9) & (truth - 1e-9 <= answer.high)
            # The whole interval may be wider by what its search for the ends is rounded
            # outwards.
            assert (inside <= (in_whole_interval | np.isnan(answer.value))).all()

    worst = int(hits.min())
    assert stats.binomtest(worst, RELEASES, 0.95, "less").pvalue > ALPHA, worst / RELEASES


def _inside(truth: np.ndarray, question: str, record: HistogramRecord) -> np.ndarray:
    """Whether the truth is in the interval, or there is none.

    Of a ratio the truth alone is tried, and the ends are not looked for: it is out on the one
    side of the estimate or the other, or the interval goes to the end of the range."""

    def first_out(gap: Any, out: float, inside: float, **_: float) -> float:
        return inside if gap(float(truth[0])) > 0 else out

    with patch.object(cell_intervals, "first_out", first_out):
        answer = answer_from(question, record)
    is_inside = (answer.low <= truth + 1e-9) & (truth - 1e-9 <= answer.high)
    return np.asarray(is_inside | np.isnan(answer.value))


def test_no_table_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    """A free answer opens neither the table nor any file, as each way to open one fails
    here.
    """
    refuse = Mock(side_effect=AssertionError("a free answer opened a file"))
    monkeypatch.setattr("synth.private.table.private_table.open_table", refuse)
    monkeypatch.setattr("builtins.open", refuse)
    monkeypatch.setattr("pathlib.Path.open", refuse)
    assert answer_from("table age by sex", histogram()).value.sum() == COUNTS.sum()
    assert np.isnan(answer_from("table age by sex", Model((0,), (1,))).value).all()
