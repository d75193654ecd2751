"""Yes or no to a claimed figure: its exact loss on all counts, and how often it is wrong."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from synth.domain import Categorical, Domain
from synth.door import Door, Ledger, Query
from synth.privacy import Guarantee, Neighbors
from synth.private.queries import asked_rows, check_scores
from synth.private.table import open_any
from synth.questions import Border, Inquiry, parse
from tests.conftest import Report
from tests.noise.test_exponential import exponential_law, permute_and_flip_law

pytestmark = pytest.mark.audit
RUNS = 2_000
ROWS = 200
COSTS = (Guarantee.pure(Fraction(1, 10)), Guarantee.zcdp(Fraction(1, 500)))
LAWS = (permute_and_flip_law, exponential_law)
FIGURE = "close to 0.5 within 0.1: share where sex = F"
DOMAIN = Domain((Categorical(name="sex", categories=("F", "M")),))


def inquiry_at(cost: Guarantee) -> Inquiry:
    return Inquiry.read([FIGURE], DOMAIN, cost)


def scores_of(inquiry: Inquiry, count: int) -> Query:
    """The query of a table of `ROWS` rows, of which so many are F."""
    frame = pd.DataFrame({"sex": ["F"] * count + ["M"] * (ROWS - count)})
    rows = asked_rows(inquiry, open_any(frame, ("sex",)), "duckdb")
    (portion,) = inquiry.arrangement.portions
    return check_scores(rows, portion.block, portion.way)


@pytest.mark.parametrize("number", [0, 1])
def test_an_answer_loses_no_more_than_epsilon(number: int, report: Report) -> None:
    """The odds of yes and of no between all neighbouring counts differ by at most epsilon,
    and nearly reach it. Under zCDP the range of losses is sqrt(8 rho), and a loss at most
    that.
    """
    cost, law = COSTS[number], LAWS[number]
    epsilon = float(cost.epsilon or 0) or math.sqrt(8 * float(cost.rho or 0))
    (portion,) = inquiry_at(cost).arrangement.portions
    assert portion.way.joint is not None
    rate = epsilon / (2 * portion.way.joint.sensitivity.l_infinity)
    claimed = parse(FIGURE).claimed
    assert claimed is not None
    border = Border.of(claimed, ROWS)
    scores = [border.score(count) for count in range(ROWS + 1)]
    laws = [np.log(law([score, -score], rate)) for score in scores]
    losses = [np.abs(one - other).max() for one, other in pairwise(laws)]
    assert max(losses) <= epsilon * (1 + 1e-9)
    assert max(losses) > 0.9 * epsilon
    report(f"largest loss of a check at epsilon {epsilon:.3f}: {max(losses):.4f}")


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize(("count", "right"), [(100, 0), (140, 1), (60, 1), (120, None)])
def test_an_answer_is_as_often_wrong_as_it_says(
    number: int, count: int, right: int | None
) -> None:
    """2,000 answers each: at the claimed share of 0.5, at twice the tolerance on both sides,
    and on the border, where both answers are equally likely. A false alarm has a probability
    of one in a million.
    """
    cost = COSTS[number]
    inquiry = inquiry_at(cost)
    query = scores_of(inquiry, count)
    said = probability_of_wrong(inquiry)
    door = Door(
        ledger=Ledger(),
        dataset="survey",
        neighbors=Neighbors.REPLACE_ONE,
        guarantee=multiply(cost, RUNS),
        purpose="checks",
    )
    answers = [door.choose(query, cost).index for _ in range(RUNS)]
    expected = 0.5 if right is None else said
    wrong = sum(answer != (right or 0) for answer in answers)
    assert stats.binomtest(wrong, RUNS, expected).pvalue > 1e-6


def probability_of_wrong(inquiry: Inquiry) -> float:
    """What the forecast of a question says, for the number of rows of the tables here."""
    (forecast,) = inquiry.forecast(ROWS)
    return forecast.expected_error


def multiply(cost: Guarantee, times: int) -> Guarantee:
    if cost.rho is not None:
        return Guarantee.zcdp(cost.rho * times)
    assert cost.epsilon is not None
    return Guarantee.pure(cost.epsilon * times)


def test_the_probability_is_that_of_the_law() -> None:
    """At epsilon 1/10, 20 rows from the border: exp(-2) / 2. At rho 1/500, the exponential
    mechanism has an epsilon of sqrt(8 / 500).
    """
    assert probability_of_wrong(inquiry_at(COSTS[0])) == pytest.approx(math.exp(-2) / 2)
    p = math.exp(-20 * math.sqrt(8 / 500))
    assert probability_of_wrong(inquiry_at(COSTS[1])) == pytest.approx(p / (1 + p))
