"""A number of rows that is paid for beside a histogram: its price, its neighbours, its
slips.
"""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from synth import limits
from synth.domain import Domain
from synth.door import Measured, Query, door
from synth.errors import ReleaseError
from synth.estimate import NoisyCounts
from synth.plans import Method, Plan
from synth.privacy import Neighbors, Unit
from synth.private.table import PrivateTable
from synth.spending import synthesize
from tests.audit import path
from tests.audit.path.tables import PERSON
from tests.audit.upgrades import DOMAIN
from tests.tables import universe, write

ADD, REPLACE = Neighbors.ADD_REMOVE, Neighbors.REPLACE_ONE


@pytest.fixture
def loud(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any sum is too loud."""
    monkeypatch.setattr(limits, "LOUD_CELLS", 1)
    monkeypatch.setattr(limits, "LOUD_SUM", 0)


@pytest.mark.parametrize(
    ("cells", "epsilon", "neighbors", "unit", "share"),
    [
        (6_400, "1/10", ADD, Unit(), 20),
        (6_398, "1/10", ADD, Unit(), 0),
        (6_400, "1/10", REPLACE, Unit(), 0),
        (6_400, "1/10", REPLACE, Unit("id", 2), 20),
        # Noise of scale 2.5 in 20,000 cells: the sum has a standard deviation of about 500.
        (20_000, "2/5", ADD, Unit(), 0),
        (20_000, "399/1000", ADD, Unit(), 20),
        (100_000, "10", ADD, Unit(), 0),
        (100_002, "10", ADD, Unit(), 20),
    ],
)
def test_a_noisy_number_of_rows_is_paid_for_where_its_sum_would_be_too_loud(
    cells: int, epsilon: str, neighbors: Neighbors, unit: Unit, share: int
) -> None:
    """A twentieth of epsilon goes to the number of rows if the sum of all noisy cells would
    be too noisy. That holds if rows are private and there are at least 6,400 cells. The noise
    on their sum must have a standard deviation above 500, or there are more than 100,000
    cells. `share` is 20 if the number is paid for, and 0 if not. The cells have the rest of
    epsilon.
    """
    total_epsilon = Fraction(epsilon)
    plan = Plan(
        domain=universe(2, cells // 2),
        epsilon=total_epsilon,
        neighbors=neighbors,
        unit=unit,
        method=Method.DENSE,
    )

    paid = total_epsilon / share if share else Fraction(0)
    assert plan.total_epsilon == paid
    assert plan.unit.sensitivity(neighbors) / plan.scale + paid == total_epsilon

    # The method that is called histogram shares epsilon in the same way.
    by_histogram = replace(plan, method=Method.HISTOGRAM)
    assert (by_histogram.total_epsilon, by_histogram.scale) == (
        plan.total_epsilon,
        plan.scale,
    )


def test_paying_for_a_number_of_rows_does_not_change_the_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The request of a release is the same whether its number of rows is paid for or not.

    So a ledger that is older than this payment still recognises the request. The limit makes
    the payment unnecessary.
    """
    plan = Plan(
        domain=universe(6_400), epsilon=Fraction(1, 10), neighbors=ADD, method=Method.DENSE
    )
    request = plan.request

    monkeypatch.setattr(limits, "LOUD_CELLS", limits.SUMMED_CELLS + 1)
    assert plan.total_epsilon == 0
    assert plan.request == request


def test_a_sparse_table_is_not_empty(tmp_path: Path) -> None:
    """2,000 rows in 7,200 cells are released as about 2,000 rows, for epsilon 1/5 in all.

    A twentieth of it pays for the number of rows, whose noise has scale 100. It is off by
    more than 1,500 once in three million releases.
    """
    rows = [[str(i % 90), str(i % 80)] for i in range(2_000)]
    table = write(tmp_path / "t.csv", ["c0", "c1"], rows)
    result = synthesize(
        Plan(
            domain=universe(90, 80),
            epsilon=Fraction(1, 5),
            neighbors=ADD,
            method=Method.DENSE,
        ),
        table,
    )

    assert abs(result.synthetic.rows - 2_000) < 1_500
    assert result.certificate.number_of_rows.endswith("measured with noise")
    assert result.certificate.guarantee.epsilon == Fraction(1, 5)


@pytest.mark.usefixtures("loud")
@pytest.mark.parametrize(
    ("neighbors", "unit"), [(ADD, Unit()), (ADD, PERSON), (REPLACE, PERSON)]
)
def test_neighbours_differ_by_what_was_paid(neighbors: Neighbors, unit: Unit) -> None:
    """With frozen noise, histograms that pay for their number of rows are the same for
    neighbours. The fixture `loud` makes each of them pay. `path.replaying` returns the first
    fault as text, and an empty text if there is none.
    """
    assert path.replaying(Method.DENSE, neighbors, unit) == ""


@pytest.mark.usefixtures("loud")
def test_a_number_that_is_not_paid_for_is_refused(
    table: PrivateTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The door refuses a release whose cells cost all of epsilon while the number of rows
    costs its share as well. The scale of the cells is changed here to that of the whole
    epsilon. The fixture `loud` makes the release pay for its number of rows.
    """
    all_of_epsilon = property(
        lambda plan: plan.unit.sensitivity(plan.neighbors) / plan.epsilon
    )

    monkeypatch.setattr(Plan, "scale", all_of_epsilon)
    with pytest.raises(ReleaseError, match="more than is left of epsilon = 2"):
        synthesize(
            Plan(domain=DOMAIN, epsilon=Fraction(2), neighbors=ADD, method=Method.DENSE),
            table,
        )


@pytest.mark.usefixtures("loud")
def test_an_exact_number_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The audit notices a release that states the exact number of rows instead of the noisy
    one. The exact number is taken from the query before its noise. Then `replaying` finds
    that neighbours differ beside the noise. The fixture `loud` makes the release pay for its
    number of rows.
    """
    exact: list[int] = []
    measure, read_counts = door.Door.measure, NoisyCounts.read

    def measured(passage: door.Door, query: Query, *noise: Any) -> Measured:
        exact.append(int(query.values().sum()))
        return measure(passage, query, *noise)

    def counts(domain: Domain, cells: Measured, total: Measured | None = None) -> NoisyCounts:
        return replace(read_counts(domain, cells, total), noisy_rows=exact[-1])

    monkeypatch.setattr(door.Door, "measure", measured)
    monkeypatch.setattr(NoisyCounts, "read", counts)
    assert path.replaying(Method.DENSE, ADD) == "what leaves differs beside the noise"
