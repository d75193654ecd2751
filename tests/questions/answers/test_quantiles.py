"""What was chosen as answers: in order, intervals that hold, what is said of ranks."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from synth.estimate import WayName
from synth.noise import ChoiceLaw
from synth.privacy import ROW, Guarantee, Neighbors
from synth.private.queries.ranks import ValueCounts, rank_scores
from synth.questions import Aim, Inquiry, read_answers
from tests.noise.test_exponential import exponential_law, permute_and_flip_law
from tests.questions.quantiles.test_aims import DOMAIN


def read_chosen(text: str, *places: int, rows: int | None = 1_000) -> Any:
    """The answer for values or conditions that were chosen at these places; ages are their
    places.
    """
    way = None if text.startswith("best") else WayName.CHOICE
    inquiry = Inquiry.read([text], DOMAIN, Guarantee.pure(1), way=way)
    (answer,) = read_answers(inquiry.arrangement, [np.array(places)], rows)
    return answer


def test_values_ascend_and_intervals_hold_them() -> None:
    """Chosen quantiles are put in ascending order, and each interval holds its value.

    With intervals each quantile has three choices: its value, and the lower and the upper
    end. Ages are numbered from 0, so the places are the ages themselves.
    """
    answer = read_chosen("quantiles .1, .5, .9 of age", 60, 20, 90)
    assert (answer.labels, answer.value.tolist()) == (("0.1", "0.5", "0.9"), [20, 60, 90])
    assert np.isnan([answer.low, answer.high]).all()

    answer = read_chosen("quantiles .1, .9 of age with interval", 60, 50, 70, 20, 30, 40)
    assert answer.value.tolist() == [20, 60]
    # As drawn the intervals are 50 to 70 and 30 to 40. A lower end is cut to the value, and
    # to lower ends of later quantiles; an upper end is raised to those of earlier ones.
    assert answer.low.tolist() == [20, 30]
    assert answer.high.tolist() == [70, 70]


def test_what_is_known_of_ranks_is_said() -> None:
    """A remark says how far the rank of a chosen value may be off, in rows and in percent.

    14 of 1,000 rows are the reach of one choice of 100 values at epsilon 1. Two quantiles
    share the epsilon, and both are within 31 rows, which is more than the 20 there are.
    Percent are left out for rows under a condition, and where the number of rows is private
    (None).
    """
    (remark,) = read_chosen("median age", 40).remarks
    assert remark == (
        "median of age: with a probability of at least 95 %, its rank is within 14 rows (1.4 "
        "% of them) of the requested quantile"
    )

    (remark,) = read_chosen("quantiles .1, .9 of age", 1, 2, rows=20).remarks
    assert remark.endswith(
        "the ranks of all values are within 31 rows (100 % or more of them) of "
        "the requested quantile"
    )

    # The remaining sign is that of the probability of 95 %.
    assert "%" not in read_chosen("median age where sex = F", 40).remarks[0].replace(
        "95 %", ""
    )
    assert "of them" not in read_chosen("median age", 40, rows=None).remarks[0]


def test_a_condition_is_named() -> None:
    answer = read_chosen("best of [age < 30; sex = F] by count", 1)
    assert answer.chosen == ("sex = F",)
    assert answer.to_json()["value"] == ["sex = F"]


@pytest.mark.parametrize("pure", [True, False])
@pytest.mark.parametrize(
    "counts", [(30, 0, 0, 1, 29), (0, 0, 60, 0, 0), (12, 12, 12, 12, 12)]
)
def test_ends_of_intervals_are_beyond_the_true_value_in_at_most_one_of_forty(
    pure: bool, counts: tuple[int, ...]
) -> None:
    """Each end of an interval lies on the wrong side of the true value with a chance of at
    most 1/40.

    The chances follow from the exact law of a choice among 5 values: permute-and-flip (pure)
    or the exponential mechanism. `counts` are the rows of each value. The end is aimed at a
    rank that is `shift` rows off, the reach of the choice with a chance of 39/40.
    """
    places = np.flatnonzero(counts)
    rows = ValueCounts(places, np.array(counts)[places])
    rate = 0.3
    law = permute_and_flip_law if pure else exponential_law
    shift = ChoiceLaw(len(counts), rate, pure).reach(0.975)

    for quantile in (Fraction(1, 10), Fraction(1, 2), Fraction(3, 4)):
        true = int(np.searchsorted(np.cumsum(counts), float(quantile) * sum(counts)))
        for side in (-1, 1):
            aim = Aim(quantile, side * shift)
            query = rank_scores(
                rows, aim, len(counts), neighbors=Neighbors.REPLACE_ONE, unit=ROW
            )
            scores = [Fraction(int(s), quantile.denominator) for s in query.values()]
            scores_of_values = np.repeat(np.array(scores, object), query.sizes).tolist()

            chances = law(scores_of_values, rate)
            missed = chances[true + 1 :] if side < 0 else chances[:true]
            # 1e-12 is for float errors.
            assert missed.sum() <= 0.025 + 1e-12
