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
        (20_000, "2/5", ADD, Unit(), 0),
        (20_000, "399/1000", ADD, Unit(), 20),
        (100_000, "10", ADD, Unit(), 0),
        (100_002, "10", ADD, Unit(), 20),
    ],
)
def test_a_noisy_number_of_rows_is_paid_for_where_its_sum_would_be_too_loud(
    cells: int, epsilon: str, neighbors: Neighbors, unit: Unit, share: int
) -> None:
    """It is where rows are private, cells are 6,400 or more and noise on their sum is large.

    Then a twentieth of epsilon goes to the number of rows, and the cells have the rest.
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
    by_histogram = replace(plan, method=Method.HISTOGRAM)
    assert (by_histogram.total_epsilon, by_histogram.scale) == (
        plan.total_epsilon,
        plan.scale,
    )


def test_paying_for_a_number_of_rows_does_not_change_the_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A ledger that was written before such numbers were paid for knows the same request."""
    plan = Plan(
        domain=universe(6_400), epsilon=Fraction(1, 10), neighbors=ADD, method=Method.DENSE
    )
    request = plan.request
    monkeypatch.setattr(limits, "LOUD_CELLS", limits.SUMMED_CELLS + 1)
    assert plan.total_epsilon == 0
    assert plan.request == request


def test_a_sparse_table_is_not_empty(tmp_path: Path) -> None:
    """Noise of scale 100 on the number: beyond 1,500 once in three million releases."""
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
    assert path.replaying(Method.DENSE, neighbors, unit) == ""


@pytest.mark.usefixtures("loud")
def test_a_number_that_is_not_paid_for_is_refused(
    table: PrivateTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mutant gives the cells all of epsilon, and the rows their share as well."""
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
    """The mutant takes the number of rows from before its noise."""
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
