"""Sums of offsets and of products: intervals hold wherever rows are in bins, and are
narrow.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from synth.analysis import About, conclusions, contrast_groups
from synth.analysis.conclusion import NOISE_SOURCE
from synth.analysis.curved import PLACES, PLACES_BOUNDED, PLACES_SHARED
from synth.analysis.linear import OFFSETS
from synth.domain import OFFSET_STEPS, Domain, building
from synth.errors import SynthError
from synth.estimate import HistogramRecord, MarginalsRecord, MomentSum, NoisyMarginal
from synth.noise import DiscreteLaplace
from synth.privacy import Guarantee
from tests.analysis.moments import released
from tests.analysis.releases import marginals_release

NUMBER = building.Number(0, 100, bins=5)
DOMAIN = Domain(x=NUMBER, y=NUMBER, z=building.Categorical("ab"))
OWN = [
    MomentSum(columns=(0,), by=(0,)),
    MomentSum(columns=(1,), by=(1,)),
    MomentSum(columns=(0,), by=(2,)),
]
SQUARES = [MomentSum(columns=(0, 0), by=(0,)), MomentSum(columns=(1, 1), by=(1,))]
RANGES = [MomentSum(columns=(0, 1)), MomentSum(columns=(0, 0)), MomentSum(columns=(1, 1))]
SPANS = [MomentSum(columns=(0,), ranged=True), MomentSum(columns=(1,), ranged=True)]
CROSSED = [MomentSum(columns=(0,), by=(0, 1)), MomentSum(columns=(1,), by=(0, 1))]
QUIET = Fraction(1, 50)
N = 9_000


def simulate_rows(correlation: float = 0.75) -> dict[str, np.ndarray]:
    """Two numbers and a list that hang together; rows are at the ends of their bins."""
    rng = np.random.default_rng(7)
    far = 400 * correlation
    x, y, z = rng.multivariate_normal(
        [50, 50, 0], [[400, far, 5], [far, 400, 9], [5, 9, 1]], N
    ).T
    x, y = np.clip(x, 0, 99.9), np.clip(y, 0, 99.9)
    inward = [
        np.floor(column / 20) * 20 + 19.9 * (other_column > 50)
        for column, other_column in ((x, y), (y, x))
    ]
    return {"x": inward[0], "y": inward[1], "z": (z > 0).astype(int)}


ROWS = simulate_rows()
X, Y, FIRST = ROWS["x"], ROWS["y"], ROWS["z"] == 0
LINE = np.linalg.lstsq(np.stack([np.ones(N), X], axis=1), Y, rcond=None)[0]
BOTH = np.linalg.lstsq(np.stack([np.ones(N), X, ~FIRST], axis=1), Y, rcond=None)[0]
TRUTHS = {
    "mean x": [X.mean()],
    "total y": [Y.sum()],
    "mean x where z = a": [X[FIRST].mean()],
    "mean x by z": [X[FIRST].mean(), X[~FIRST].mean()],
    "mean x where x >= 40": [X[X >= 40].mean()],
    "variance x": [X.var()],
    "covariance x, y": [np.cov(X, Y, bias=True)[0, 1]],
    "correlation x, y": [np.corrcoef(X, Y)[0, 1]],
    "regression y on x": LINE,
}
"""Figures of the rows themselves."""


@pytest.mark.parametrize("public", [True, False])
@pytest.mark.parametrize("question", TRUTHS)
def test_what_was_measured_makes_intervals_narrow_and_right(
    question: str, public: bool
) -> None:
    """Noisy sums of offsets within bins make intervals narrower than 2 % of those of bins
    alone, and they still hold the truth.

    The rows are 9,000 numbers x and y in five bins of 20, with z a or b. The noise, of scale
    1 / 50, is next to none, so that only rounding is left. `public` says whether the number
    of rows is public.
    """
    sums = [*OWN, *SQUARES, *RANGES]
    record = released(DOMAIN, ROWS, sums, scale=QUIET, steps=QUIET, public=public)
    without_sums = released(DOMAIN, ROWS, [], scale=QUIET, public=public)
    (narrow,) = conclusions([question], record)
    (wide,) = conclusions([question], without_sums)

    assert (narrow.low <= TRUTHS[question]).all()
    assert (TRUTHS[question] <= narrow.high).all()
    assert ((narrow.high - narrow.low) < 0.02 * (wide.high - wide.low)).all()
    assert narrow.counts == (NOISE_SOURCE,)
    assert (PLACES if narrow.simulated else OFFSETS) in narrow.remarks


def test_a_level_and_a_number_are_multiplied_by_sums_of_each_level() -> None:
    """Sums of y by z make the interval of a regression on x and z narrow, and it holds the
    truth.

    The other sums are of x and y by bin, of their squares and of their product. `BOTH` is the
    least squares of the rows, by NumPy.
    """
    record = released(
        DOMAIN,
        ROWS,
        [*OWN, *RANGES, MomentSum(columns=(1,), by=(2,))],
        scale=QUIET,
        steps=QUIET,
    )
    (conclusion,) = conclusions(["regression y on x, z"], record)
    assert PLACES in conclusion.remarks
    assert ((conclusion.low <= BOTH) & (BOTH <= conclusion.high)).all()
    assert ((conclusion.high - conclusion.low)[1:] < 0.1).all()


def test_crossed_sums_leave_the_products_of_offsets_to_a_bound() -> None:
    """Without a noisy sum of x*y a covariance is bounded by the widths of the bins; with one
    it is nearly exact.

    `CROSSED` has the offsets of x and of y by the bins of both.
    """
    record = released(DOMAIN, ROWS, [*OWN, *SQUARES, *CROSSED], scale=QUIET, steps=QUIET)
    (bounded,) = conclusions(["covariance x, y"], record)
    assert PLACES_BOUNDED in bounded.remarks
    truth = TRUTHS["covariance x, y"][0]
    assert bounded.low[0] <= truth <= bounded.high[0]
    # Products of offsets are from -10 * 10 to 10 * 10, as bins are 20 wide.
    assert bounded.high[0] - bounded.low[0] == pytest.approx(2 * 10 * 10, rel=0.01)

    with_products = [*OWN, *SQUARES, *CROSSED, MomentSum(columns=(0, 1), by=(0, 1))]
    (exact,) = conclusions(
        ["covariance x, y"], released(DOMAIN, ROWS, with_products, scale=QUIET, steps=QUIET)
    )
    assert exact.low[0] <= truth <= exact.high[0]
    assert exact.high[0] - exact.low[0] < 1


def test_squares_of_offsets_are_bounded_where_offsets_were_measured() -> None:
    """With sums of offsets but none of their squares, a variance is bounded by the bins'
    width.
    """
    (conclusion,) = conclusions(
        ["variance x"], released(DOMAIN, ROWS, OWN, scale=QUIET, steps=QUIET)
    )
    assert PLACES_BOUNDED in conclusion.remarks
    assert conclusion.low[0] <= X.var() <= conclusion.high[0]
    # Squares of offsets are from 0 to 10 * 10, as bins are 20 wide.
    assert conclusion.high[0] - conclusion.low[0] == pytest.approx(10 * 10, rel=0.01)


LACKING = {
    **ROWS,
    **{
        name: np.where(np.random.default_rng(seed).random(N) < 0.1, np.nan, ROWS[name])
        for seed, name in enumerate("xy")
    },
}
"""Rows of which some lack one number, or both."""
MISSING = building.Number(0, 100, bins=5, missing=True)
LACKS = Domain(x=MISSING, y=MISSING, z=building.Categorical("ab"))
THERE = ~np.isnan(LACKING["x"] + LACKING["y"])
LACKED = {
    "covariance x, y": [np.cov(X[THERE], Y[THERE], bias=True)[0, 1]],
    "correlation x, y": [np.corrcoef(X[THERE], Y[THERE])[0, 1]],
    "regression y on x": np.polyfit(X[THERE], Y[THERE], 1)[::-1],
}


@pytest.mark.parametrize("question", LACKED)
@pytest.mark.parametrize("sums", [[*OWN, *SQUARES, *RANGES], [*SPANS, *RANGES]])
def test_rows_that_lack_one_of_two_numbers_are_bounded(
    question: str, sums: list[MomentSum]
) -> None:
    """Sums of one number may contain rows without the other; these count as being anywhere in
    their bins, and the interval still holds the truth.

    A tenth of the rows lack x, a tenth lack y. The interval is below 0.4 of the width that
    bins alone give, but not as narrow as without missing numbers.
    """
    with_sums = released(LACKS, LACKING, sums, scale=QUIET, steps=QUIET)
    without_sums = released(LACKS, LACKING, [], scale=QUIET, steps=QUIET)
    (narrow,) = conclusions([question], with_sums)
    (wide,) = conclusions([question], without_sums)

    assert (narrow.low <= LACKED[question]).all()
    assert (LACKED[question] <= narrow.high).all()
    assert ((narrow.high - narrow.low) < 0.4 * (wide.high - wide.low)).all()
    assert PLACES_SHARED in narrow.remarks


@pytest.mark.parametrize("question", LACKED)
def test_sums_of_rows_that_have_both_numbers_bound_nothing(question: str) -> None:
    """Sums over the rows that have both numbers make intervals narrow, and nothing is
    bounded.

    They are sums of x and x*x over the rows that have y, and of y and y*y over those that
    have x. `given` names the other number that a row must have.
    """
    truth = np.array(LACKED[question])
    sums = [
        MomentSum(columns=columns, given=required)
        for column, partner in ((0, 1), (1, 0))
        for columns, required in (
            ((column,), ()),
            ((column,), (partner,)),
            ((column, column), (partner,)),
        )
    ]
    record = released(
        LACKS, LACKING, [*sums, MomentSum(columns=(0, 1))], scale=QUIET, steps=QUIET
    )
    (conclusion,) = conclusions([question], record)

    assert (conclusion.low <= truth).all()
    assert (truth <= conclusion.high).all()
    assert ((conclusion.high - conclusion.low) < 0.02 * np.abs(truth)).all()
    assert PLACES in conclusion.remarks
    assert PLACES_SHARED not in conclusion.remarks
    (mean,) = conclusions(["mean x"], record)
    assert mean.low[0] <= np.nanmean(LACKING["x"]) <= mean.high[0]


def measure_single_columns(record: HistogramRecord) -> MarginalsRecord:
    """The release if each column had been measured by itself, with the same sums."""
    counts = record.noisy.values.reshape(DOMAIN.shape)
    noise = DiscreteLaplace(QUIET)
    single_columns = [
        (
            (i,),
            NoisyMarginal(
                domain=DOMAIN.project([name]),
                values=counts.sum(axis=tuple({0, 1, 2} - {i})),
                mechanism=noise,
                guarantee=Guarantee.pure(1),
                rows=N,
            ),
        )
        for i, name in enumerate(DOMAIN.names)
    ]
    return replace(
        marginals_release(),
        domain=DOMAIN,
        measured=tuple(single_columns),
        spends=record.spends,
        rows=N,
        total=N,
    )


def test_a_product_answers_where_the_pair_was_not_measured() -> None:
    """Noisy sums of x, of y and of x*y give a correlation of columns that were measured
    apart; without one of the sums it is refused.
    """
    record = released(DOMAIN, ROWS, [*OWN, *RANGES], scale=QUIET, steps=QUIET)
    by_model = measure_single_columns(record)
    (conclusion,) = conclusions(["correlation x, y"], by_model)
    truth = TRUTHS["correlation x, y"][0]
    assert conclusion.low[0] <= truth <= conclusion.high[0]
    assert conclusion.high[0] - conclusion.low[0] < 0.01

    fewer = replace(by_model, spends=(record.spends[0], *record.spends[2:]))  # no sum of y
    with pytest.raises(
        SynthError, match=r"says nothing of x and y together|not measured together"
    ):
        conclusions(["correlation x, y"], fewer)


@pytest.mark.parametrize("ratio", [False, True])
def test_differences_and_ratios_of_means_and_totals_are_narrow_and_right(ratio: bool) -> None:
    """The difference and the ratio of two groups hold the truth and are narrow, as offsets
    were added up by the groups.

    The noise is next to none. What is left open is rounding, of less than a thousandth or
    two.
    """
    record = released(DOMAIN, ROWS, OWN, scale=QUIET, steps=QUIET)
    for kind, total_or_mean in (("mean", np.mean), ("total", np.sum)):
        of_a, of_b = total_or_mean(X[FIRST]), total_or_mean(X[~FIRST])
        truth = of_a / of_b if ratio else of_a - of_b
        contrast = contrast_groups(
            f"{kind} x where z = a", f"{kind} x where z = b", record, ratio=ratio
        )
        size = 1 if ratio else abs(total_or_mean(X))
        assert contrast.low[0] <= truth <= contrast.high[0]
        assert contrast.high[0] - contrast.low[0] < 2e-3 * size + 1e-3


@pytest.mark.parametrize(
    ("question", "sums"),
    [
        ("mean x where z = a", OWN[:1]),  # x was added up by its own bins, not by z
        ("mean x where x > 41", OWN),  # the condition cuts the bin from 40 to 60
        ("correlation x, y", [*OWN, *SQUARES]),  # x*y was not added up
    ],
)
def test_what_was_not_measured_is_bounded(question: str, sums: Sequence[MomentSum]) -> None:
    """Noisy sums that do not fit a question leave its interval as wide as without any."""
    (conclusion,), (without_sums,) = (
        conclusions([question], released(DOMAIN, ROWS, measured, scale=QUIET, steps=QUIET))
        for measured in (sums, [])
    )
    assert conclusion.counts == without_sums.counts
    assert (conclusion.high - conclusion.low)[0] == pytest.approx(
        (without_sums.high - without_sums.low)[0], rel=0.05
    )


def test_people_may_be_anywhere_in_their_bins() -> None:
    """An interval about people adds the sampling error of a mean whose values may be anywhere
    in their bins.

    Values are up to 10 from the middle of their bin, so that their deviation is at most 10
    more than that of the rows. The width is twice the 95 % reach; 2.2 leaves a tenth.
    """
    record = released(DOMAIN, ROWS, OWN, scale=QUIET, steps=QUIET)
    rows, people = (conclusions(["mean x"], record, about=about)[0] for about in About)
    spread = 1.96 * (X.std() + 10) / N**0.5
    assert people.low[0] < rows.low[0] < rows.high[0] < people.high[0]
    assert people.high[0] - people.low[0] < 2.2 * spread


def test_bins_of_few_decimals_reach_to_the_next_bin() -> None:
    """Numbers of one decimal give narrow intervals that hold the truth, as other numbers do.

    The values of a bin then end one step, 0.1, before the next bin, and offsets are counted
    from the middle of the values that can occur.
    """
    number = building.Number(0, 100, bins=5, decimals=1)
    domain = Domain(x=number, y=number, z=building.Categorical("ab"))
    rows = {"x": np.floor(X * 10) / 10, "y": np.floor(Y * 10) / 10, "z": ROWS["z"]}
    x, y = rows["x"], rows["y"]
    truths = {
        "mean x": x.mean(),
        "variance x": x.var(),
        "correlation x, y": np.corrcoef(x, y)[0, 1],
        "mean x where z = a less mean x where z = b": x[FIRST].mean() - x[~FIRST].mean(),
    }
    record = released(domain, rows, [*OWN, *RANGES], scale=QUIET, steps=QUIET)
    for question, truth in truths.items():
        first_group, _, second_group = question.partition(" less ")
        conclusion = (
            contrast_groups(first_group, second_group, record)
            if second_group
            else conclusions([question], record)[0]
        )
        assert conclusion.low[0] <= truth <= conclusion.high[0], question
        assert conclusion.high[0] - conclusion.low[0] < 0.01 * (1 + abs(truth)), question


def test_a_group_is_told_where_its_numbers_were_added_up_and_not_its_cells() -> None:
    """A sum of x by z answers the mean of each group, though x and z were not measured
    together.

    The release has the counts of each column by itself. There is no sum of y by z, so that
    the mean of y in a group is refused.
    """
    sums = [MomentSum(columns=(0,), by=(2,), ranged=True)]
    record = measure_single_columns(released(DOMAIN, ROWS, sums, scale=QUIET, steps=QUIET))
    for question, truth in (
        ("mean x where z = a", X[FIRST].mean()),
        ("mean x by z", X[FIRST].mean()),
        ("mean x where z = a less mean x where z = b", X[FIRST].mean() - X[~FIRST].mean()),
    ):
        first_group, _, second_group = question.partition(" less ")
        conclusion = (
            contrast_groups(first_group, second_group, record)
            if second_group
            else conclusions([question], record)[0]
        )
        assert conclusion.low[0] <= truth <= conclusion.high[0], question
        assert conclusion.high[0] - conclusion.low[0] < 0.2, question
    with pytest.raises(SynthError, match="not measured together"):
        conclusions(["mean y where z = a"], record)


def test_a_refusal_names_the_sums_that_would_answer_and_their_price() -> None:
    """A refused correlation names the option that would measure it, and what share of the
    epsilon that takes.
    """
    without_sums = measure_single_columns(released(DOMAIN, ROWS, [], scale=QUIET))
    message = r"together.*--moments x\*y measures it, for 50 % of its epsilon"
    with pytest.raises(SynthError, match=message):
        conclusions(["correlation x, y"], without_sums)


SINGLE = [MomentSum(columns=(0,)), MomentSum(columns=(1,))]


@pytest.mark.slow
@pytest.mark.parametrize("sums", [[*OWN, *RANGES], [*SINGLE, *RANGES]])
@pytest.mark.parametrize(
    "question", ["mean x", "total y", "correlation x, y", "regression y on x"]
)
def test_intervals_with_noise_hold_the_truth(question: str, sums: list[MomentSum]) -> None:
    """At least 95 % of 200 releases with noise hold the truth.

    If 95 % do, fewer than 171 of 200 happen once in a million runs. `SINGLE` are sums whose
    noise is drawn for all at once (`joint`), the others have noise each.
    """
    hits = 0
    # Noise as large as the offsets of 20 rows at an end of their bins.
    steps = Fraction(20 * OFFSET_STEPS)
    joint = sums[0] == SINGLE[0]
    for _ in range(200):
        record = released(DOMAIN, ROWS, sums, scale=Fraction(8), steps=steps, joint=joint)
        (conclusion,) = conclusions([question], record)
        assert (PLACES if conclusion.simulated else OFFSETS) in conclusion.remarks
        hits += int(conclusion.low[-1] <= TRUTHS[question][-1] <= conclusion.high[-1])
    assert hits >= 171
