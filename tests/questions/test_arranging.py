"""Which questions are answered together, and what each block is charged."""

from fractions import Fraction

import pytest

from synth.door.parts import covers
from synth.errors import QuestionError
from synth.privacy import Guarantee, Neighbors
from synth.questions import WayName, check_question, parse
from synth.questions.arranging import arrange
from synth.questions.workloads.workload import Workload
from tests.questions.survey import SURVEY

DELTA = Guarantee(epsilon=Fraction(1), delta=Fraction(1, 10**6))


def workload(*texts: str, neighbors: Neighbors = Neighbors.REPLACE_ONE) -> Workload:
    return Workload.build(
        [check_question(parse(t), SURVEY) for t in texts], SURVEY, neighbors
    )


def test_counts_that_cannot_both_move_are_answered_together() -> None:
    found = arrange(
        workload("count where age > 40", "count where age <= 40", "mean hours"),
        Guarantee.pure(1),
    )
    assert [len(portion.block.readings) for portion in found.portions] == [2, 1]
    costs = [portion.way.cost for portion in found.portions]
    assert costs == [Guarantee.pure(Fraction(2, 3)), Guarantee.pure(Fraction(1, 3))]


def test_weights_share_out_the_budget() -> None:
    found = arrange(
        workload("mean hours weight 3", "count where age > 40"), Guarantee.pure(1)
    )
    assert [p.way.cost for p in found.portions] == [
        Guarantee.pure(Fraction(3, 4)),
        Guarantee.pure(Fraction(1, 4)),
    ]


@pytest.mark.parametrize("claim", [Guarantee.pure(1), Guarantee.zcdp(Fraction(1, 8)), DELTA])
@pytest.mark.parametrize("neighbors", Neighbors)
def test_all_blocks_are_within_what_is_charged(
    claim: Guarantee, neighbors: Neighbors
) -> None:
    texts = (
        "count where age > 40",
        "mean hours by sex",
        "table sex by grade",
        "top 1 sex",
        "count",
    )
    for many in range(1, len(texts) + 1):
        found = arrange(workload(*texts[:many], neighbors=neighbors), claim)
        spent = None
        for portion in found.portions:
            if portion.way.cost is not None:
                spent = portion.way.cost if spent is None else spent + portion.way.cost
        assert covers(found.spending, spent)
        assert covers(claim, found.spending)


def test_nothing_is_spent_on_what_is_public() -> None:
    found = arrange(workload("count"), Guarantee.pure(1))
    assert (found.spending, found.is_paid) == (None, False)
    both = arrange(workload("count", "mean hours"), Guarantee.pure(1))
    assert both.is_paid


def test_pure_noise_spends_no_delta() -> None:
    found = arrange(workload("mean hours"), DELTA, WayName.LAPLACE)
    assert found.spending == Guarantee.pure(1)
    gaussian = arrange(workload("mean hours"), DELTA, WayName.GAUSSIAN)
    assert gaussian.spending == DELTA


def test_a_way_that_does_not_answer_is_refused() -> None:
    with pytest.raises(QuestionError) as caught:
        arrange(workload("mean hours"), Guarantee.pure(1), WayName.HISTOGRAM)
    assert str(caught.value) == (
        "The way 'histogram' does not answer these questions; leave it to be chosen."
    )


def test_the_way_that_is_wanted_is_taken() -> None:
    found = arrange(workload("table sex by grade"), Guarantee.pure(1), WayName.CUBE)
    assert [portion.way.name for portion in found.portions] == [WayName.CUBE]
    assert WayName.CUBE not in {way.name for way in found.portions[0].others}
