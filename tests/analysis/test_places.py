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
from tests.analysis.releases import model

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
    """Without noise the figures are found but for rounding; bins alone leave far more
    open.
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
    """A regression on x and z needs the sums of y by z, which are measured besides."""
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
    """Sums of one number contain rows that the pair does not: these are somewhere in their
    bins.
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
    """Sums of x over the rows that have y, and of y over those that have x, leave no row of
    the pair out: intervals are narrow, and nothing has to be bounded.
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
        model(),
        domain=DOMAIN,
        measured=tuple(single_columns),
        spends=record.spends,
        rows=N,
        total=N,
    )


def test_a_product_answers_where_the_pair_was_not_measured() -> None:
    """Sums of x, of y and of x*y give a correlation; without one of them there is none."""
    record = released(DOMAIN, ROWS, [*OWN, *RANGES], scale=QUIET, steps=QUIET)
    by_model = measure_single_columns(record)
    (conclusion,) = conclusions(["correlation x, y"], by_model)
    truth = TRUTHS["correlation x, y"][0]
    assert conclusion.low[0] <= truth <= conclusion.high[0]
    assert conclusion.high[0] - conclusion.low[0] < 0.01
    fewer = replace(by_model, spends=(record.spends[0], *record.spends[2:]))
    with pytest.raises(
        SynthError, match=r"says nothing of x and y together|not measured together"
    ):
        conclusions(["correlation x, y"], fewer)


@pytest.mark.parametrize("ratio", [False, True])
def test_differences_and_ratios_of_means_and_totals_are_narrow_and_right(ratio: bool) -> None:
    """Offsets were added up by z, so that the figures of each group are found but for
    rounding.
    """
    record = released(DOMAIN, ROWS, OWN, scale=QUIET, steps=QUIET)
    for kind, total_or_mean in (("mean", np.mean), ("total", np.sum)):
        first, second = total_or_mean(X[FIRST]), total_or_mean(X[~FIRST])
        truth = first / second if ratio else first - second
        contrast = contrast_groups(
            f"{kind} x where z = a", f"{kind} x where z = b", record, ratio=ratio
        )
        size = 1 if ratio else abs(total_or_mean(X))
        assert contrast.low[0] <= truth <= contrast.high[0]
        assert contrast.high[0] - contrast.low[0] < 2e-3 * size + 1e-3


@pytest.mark.parametrize(
    ("question", "sums"),
    [
        ("mean x where z = a", OWN[:1]),
        ("mean x where x > 41", OWN),
        ("correlation x, y", [*OWN, *SQUARES]),
    ],
)
def test_what_was_not_measured_is_bounded(question: str, sums: Sequence[MomentSum]) -> None:
    (conclusion,), (plain,) = (
        conclusions([question], released(DOMAIN, ROWS, measured, scale=QUIET, steps=QUIET))
        for measured in (sums, [])
    )
    assert conclusion.counts == plain.counts
    assert (conclusion.high - conclusion.low)[0] == pytest.approx(
        (plain.high - plain.low)[0], rel=0.05
    )


def test_people_may_be_anywhere_in_their_bins() -> None:
    """The interval about people adds the sampling error of a mean, of values up to 10 from
    where their rows are.
    """
    record = released(DOMAIN, ROWS, OWN, scale=QUIET, steps=QUIET)
    rows, people = (conclusions(["mean x"], record, about=about)[0] for about in About)
    spread = 1.96 * (X.std() + 10) / N**0.5
    assert people.low[0] < rows.low[0] < rows.high[0] < people.high[0]
    assert people.high[0] - people.low[0] < 2.2 * spread


def test_bins_of_few_decimals_reach_to_the_next_bin() -> None:
    """The values of a bin end a step before it does; offsets are counted from its own
    middle.
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
    for text, truth in truths.items():
        first, _, second = text.partition(" less ")
        conclusion = (
            contrast_groups(first, second, record)
            if second
            else conclusions([text], record)[0]
        )
        assert conclusion.low[0] <= truth <= conclusion.high[0], text
        assert conclusion.high[0] - conclusion.low[0] < 0.01 * (1 + abs(truth)), text


def test_a_group_is_told_where_its_numbers_were_added_up_and_not_its_cells() -> None:
    """Columns alone are measured; distances by the list say the rest."""
    sums = [MomentSum(columns=(0,), by=(2,), ranged=True)]
    record = measure_single_columns(released(DOMAIN, ROWS, sums, scale=QUIET, steps=QUIET))
    for question, truth in (
        ("mean x where z = a", X[FIRST].mean()),
        ("mean x by z", X[FIRST].mean()),
        ("mean x where z = a less mean x where z = b", X[FIRST].mean() - X[~FIRST].mean()),
    ):
        first, _, second = question.partition(" less ")
        conclusion = (
            contrast_groups(first, second, record)
            if second
            else conclusions([question], record)[0]
        )
        assert conclusion.low[0] <= truth <= conclusion.high[0], question
        assert conclusion.high[0] - conclusion.low[0] < 0.2, question
    with pytest.raises(SynthError, match="not measured together"):
        conclusions(["mean y where z = a"], record)


def test_a_refusal_names_the_sums_that_would_answer_and_their_price() -> None:
    plain = measure_single_columns(released(DOMAIN, ROWS, [], scale=QUIET))
    message = r"together.*--moments x\*y measures it, for 50 % of its epsilon"
    with pytest.raises(SynthError, match=message):
        conclusions(["correlation x, y"], plain)


SINGLE = [MomentSum(columns=(0,)), MomentSum(columns=(1,))]


@pytest.mark.slow
@pytest.mark.parametrize("sums", [[*OWN, *RANGES], [*SINGLE, *RANGES]])
@pytest.mark.parametrize(
    "question", ["mean x", "total y", "correlation x, y", "regression y on x"]
)
def test_intervals_with_noise_hold_the_truth(question: str, sums: list[MomentSum]) -> None:
    """Of 200 releases 95 % hold it; with chance one in a million fewer than 171 do."""
    hits = 0
    steps = Fraction(20 * OFFSET_STEPS)
    joint = sums[0] == SINGLE[0]
    for _ in range(200):
        record = released(DOMAIN, ROWS, sums, scale=Fraction(8), steps=steps, joint=joint)
        (conclusion,) = conclusions([question], record)
        assert (PLACES if conclusion.simulated else OFFSETS) in conclusion.remarks
        hits += int(conclusion.low[-1] <= TRUTHS[question][-1] <= conclusion.high[-1])
    assert hits >= 171
