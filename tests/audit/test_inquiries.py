"""Layer 10 on the right path: questions on neighbours, their costs, their ledger.

That nothing but the noise tells neighbours apart is seen beside its mutants.
"""

import os

import pytest

from tests.audit import path
from tests.audit.path.inquiries import within
from tests.conftest import Report

pytestmark = pytest.mark.audit
WORKLOADS = int(os.environ.get("SYNTH_AUDIT_WORKLOADS", "300"))


def test_totals_move_as_declared_and_reach_what_is_said_to_be_exact() -> None:
    assert path.moving(number_of_workloads=20) == ""


def test_products_move_as_declared_and_reach_what_is_said_to_be_exact() -> None:
    assert path.multiplying(number_of_inquiries=30) == ""


@pytest.mark.slow
def test_products_of_five_hundred_questions_move_as_declared(report: Report) -> None:
    """Sums of products of 500 random questions move by no more than is declared.

    `path.multiplying` returns the first fault as text, and an empty text if there is none.
    """
    assert path.multiplying(1000, 500) == ""
    report("500 random questions of products: no move above what is declared, all reached")


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("start", [1000, 1250, 1500, 1750])
def test_totals_of_random_workloads_move_as_declared(start: int, report: Report) -> None:
    """Exact totals of random questions move by no more than is declared, for all neighbours
    tried. `path.moving` returns the first fault as text, and an empty text if there is none.
    The four parts make a thousand workloads in `make audit`.
    """
    assert path.moving(start, WORKLOADS // 4) == ""
    report(
        f"{WORKLOADS // 4} random workloads from seed {start}: no move above what is declared"
    )


def test_a_row_may_be_in_the_cells_of_one_universe_alone() -> None:
    """Totals move as declared although one of two rows is in the cells of one universe only.

    The other row is in both universes of fitted sums. Seed 1866 once found a fault here.
    """
    assert path.moving(1866, 1) == ""


def test_what_is_charged_pays_all_blocks() -> None:
    assert path.charging() == ""


def test_ways_lose_no_more_than_they_cost() -> None:
    assert path.losing() == ""
    assert callable(within)


def test_inquiries_are_paid_first_and_repeated_for_nothing() -> None:
    assert path.recording() == ""
