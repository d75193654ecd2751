"""Which questions are answered together, and what each block is charged."""

from fractions import Fraction

import pytest

from synth.door.parts import covers
from synth.errors import QuestionError
from synth.estimate import WayName
from synth.privacy import Guarantee, Neighbors
from synth.questions import check_question, parse
from synth.questions.arranging import arrange
from synth.questions.workloads.workload import Workload
from tests.questions.survey import SURVEY

DELTA = Guarantee(epsilon=Fraction(1), delta=Fraction(1, 10**6))


def build_workload(*texts: str, neighbors: Neighbors = Neighbors.REPLACE_ONE) -> Workload:
    """The questions about the test survey as sums over the rows."""
    return Workload.build(
        [check_question(parse(text), SURVEY) for text in texts], SURVEY, neighbors
    )


def test_counts_that_cannot_both_move_are_answered_together() -> None:
    """Two complementary counts are one block, and the mean is a block of its own.

    Each of the three questions has a third of epsilon 1, so the block of two has 2/3.
    """
    arrangement = arrange(
        build_workload("count where age > 40", "count where age <= 40", "mean hours"),
        Guarantee.pure(1),
    )

    assert [len(portion.block.readings) for portion in arrangement.portions] == [2, 1]
    costs = [portion.way.cost for portion in arrangement.portions]
    assert costs == [Guarantee.pure(Fraction(2, 3)), Guarantee.pure(Fraction(1, 3))]


def test_weights_share_out_the_budget() -> None:
    """Each question has a part of epsilon in proportion to its weight, here 3 to 1."""
    arrangement = arrange(
        build_workload("mean hours weight 3", "count where age > 40"), Guarantee.pure(1)
    )
    assert [portion.way.cost for portion in arrangement.portions] == [
        Guarantee.pure(Fraction(3, 4)),
        Guarantee.pure(Fraction(1, 4)),
    ]


@pytest.mark.parametrize("claim", [Guarantee.pure(1), Guarantee.zcdp(Fraction(1, 8)), DELTA])
@pytest.mark.parametrize("neighbors", Neighbors)
def test_all_blocks_are_within_what_is_charged(
    claim: Guarantee, neighbors: Neighbors
) -> None:
    """The costs of all blocks together are within what is charged, and that within the claim.

    This is checked for the first one, two, ... five questions. Parts that cost nothing have
    no cost to be added.
    """
    texts = (
        "count where age > 40",
        "mean hours by sex",
        "table sex by grade",
        "top 1 sex",
        "count",
    )
    for number in range(1, len(texts) + 1):
        arrangement = arrange(build_workload(*texts[:number], neighbors=neighbors), claim)

        spent = None
        for portion in arrangement.portions:
            if portion.way.cost is not None:
                spent = portion.way.cost if spent is None else spent + portion.way.cost

        assert covers(arrangement.spending, spent)
        assert covers(claim, arrangement.spending)


def test_nothing_is_spent_on_what_is_public() -> None:
    """A public number is answered without any charge: the number of rows, under
    replace-one.
    """
    arrangement = arrange(build_workload("count"), Guarantee.pure(1))
    assert (arrangement.spending, arrangement.is_paid) == (None, False)

    with_mean = arrange(build_workload("count", "mean hours"), Guarantee.pure(1))
    assert with_mean.is_paid


def test_pure_noise_spends_no_delta() -> None:
    """Of a claim of epsilon 1 and delta 1e-6, Laplace noise spends the epsilon alone.

    Gaussian noise on the single number spends both.
    """
    arrangement = arrange(build_workload("mean hours"), DELTA, WayName.LAPLACE)
    assert arrangement.spending == Guarantee.pure(1)

    gaussian = arrange(build_workload("mean hours"), DELTA, WayName.GAUSSIAN)
    assert gaussian.spending == DELTA


def test_a_way_that_does_not_answer_is_refused() -> None:
    """A way that cannot answer the questions is refused in one sentence: means have no
    histogram.
    """
    with pytest.raises(QuestionError) as caught:
        arrange(build_workload("mean hours"), Guarantee.pure(1), WayName.HISTOGRAM)
    assert str(caught.value) == (
        "The way 'histogram' does not answer these questions; leave it to be chosen."
    )


def test_a_way_that_is_asked_for_is_taken() -> None:
    """The way that was asked for answers the questions, and is not listed among the other
    ways.
    """
    arrangement = arrange(
        build_workload("table sex by grade"), Guarantee.pure(1), WayName.CUBE
    )
    assert [portion.way.name for portion in arrangement.portions] == [WayName.CUBE]
    assert WayName.CUBE not in {way.name for way in arrangement.portions[0].others}
