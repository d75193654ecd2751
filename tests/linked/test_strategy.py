"""What is measured of linked tables is what the model's rows then have."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from synth.domain import read_package
from synth.linked import LinkedCodes, LinkedMarginal, LinkedRequest, TableCodes, add_noise_to
from synth.plans import LinkedPlan
from synth.privacy import Neighbors
from synth.util import Ints

KEY = {"name": "id", "type": "integer"}
LINK = {"fields": "id", "reference": {"resource": "people", "fields": "id"}}


def _listed(name: str, cells: str) -> dict[str, object]:
    return {
        "name": name,
        "type": "string",
        "constraints": {"enum": [*cells], "required": True},
    }


PACKAGE = read_package(
    {
        "name": "p",
        "resources": [
            {
                "name": "people",
                "path": "p.csv",
                "schema": {"primaryKey": "id", "fields": [KEY, _listed("sex", "fm")]},
            },
            {
                "name": "events",
                "path": "e.csv",
                "synth:maxRows": 4,
                "schema": {
                    "fields": [KEY, _listed("same", "abcd"), _listed("other", "abcd")],
                    "foreignKeys": [LINK],
                },
            },
        ],
    }
)


def simulate_events() -> LinkedCodes:
    """Three thousand people whose events agree in one column, and never agree in the
    other.
    """
    generator = np.random.default_rng(1)
    numbers = generator.integers(0, 5, 3000)
    parent = np.repeat(np.arange(3000), numbers)
    turn = np.arange(len(parent)) - np.searchsorted(parent, parent)
    same = generator.integers(0, 4, 3000)[parent]
    different = (generator.integers(0, 4, 3000)[parent] + turn) % 4
    root = TableCodes((generator.integers(0, 2, 3000),), np.zeros(3000, np.int64))
    return LinkedCodes(package=PACKAGE, levels=(root, TableCodes((same, different), parent)))


def answer_exactly(rows: LinkedCodes) -> Callable[[LinkedRequest], Ints]:
    """Answers without noise: that pairs of columns have nothing in common, and the
    numbers.
    """

    def answer(request: LinkedRequest) -> Ints:
        if request.guesses:
            return np.zeros(len(request.marginals), np.int64)
        return rows.tally(request.marginals[0])

    return answer


def share_that_agrees(rows: LinkedCodes, column: int) -> float:
    """The share of pairs of events of one person that have the same value in a column."""
    counted = rows.tally(
        LinkedMarginal(
            table=1, columns=((1, column),), others=((1, column),), by_agreement=True
        )
    )
    return float(counted[1] / counted.sum())


@pytest.mark.parametrize("epsilon", [Fraction(1), Fraction(20)])
def test_two_rows_of_a_root_agree_as_often_as_was_measured(epsilon: Fraction) -> None:
    """Two synthetic events of one person have the same value in a column about as often as in
    the table, within .03.

    In the table the events of a person always agree in the first column and never in the
    second. The noise is 0; epsilon only decides what is measured. Agreement is measured in
    both columns.
    """
    plan = LinkedPlan(package=PACKAGE, epsilon=epsilon, neighbors=Neighbors.ADD_REMOVE)
    rows = simulate_events()
    account = plan.account(plan.guarantee)

    model, spends = add_noise_to(PACKAGE, account, answer_exactly(rows))

    assert sum(spend.marginals[0].by_agreement for spend in spends) == 2
    drawn_rows = model.draw(1)
    for column in (0, 1):
        assert share_that_agrees(drawn_rows, column) == pytest.approx(
            share_that_agrees(rows, column), abs=0.03
        )


def test_agreement_is_not_measured_where_noise_hides_it() -> None:
    """No agreement of pairs is measured if noise would hide it.

    An epsilon of 1/100 is too little for 3,000 people; above, one of 1 is enough.
    """
    plan = LinkedPlan(
        package=PACKAGE, epsilon=Fraction(1, 100), neighbors=Neighbors.ADD_REMOVE
    )
    account = plan.account(plan.guarantee)
    _, spends = add_noise_to(PACKAGE, account, answer_exactly(simulate_events()))
    assert not any(spend.marginals[0].by_agreement for spend in spends)
