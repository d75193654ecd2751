"""Shares as a picture: dots in their intervals, hostile texts as texts."""

from synth.collecting import shares_picture
from synth.collecting.design import ClosedQuestion
from synth.collecting.shares import debias_share
from tests.collecting.forms import make_design


def test_shares_stay_within_their_intervals() -> None:
    """Shares beyond 0 and 1 are drawn at these ends, within their intervals, and told in
    words.

    Two and 98 of 100 randomised answers are debiased to shares below 0 and above 1.
    """
    weights = make_design(1, sizes=(2,)).weights[0]
    shares = [
        debias_share("yes", 2, 100, weights=weights),
        debias_share("<b>no", 98, 100, weights=weights),
    ]

    picture = shares_picture(ClosedQuestion("So?", ("yes", "<b>no")), shares)
    table = picture.table

    assert ((table["from"] <= table["answer"]) & (table["answer"] <= table["to"])).all()
    assert table["answer"].tolist() == [0, 1]
    assert "'So?' in share of people" in picture.alt
