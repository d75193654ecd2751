"""Layer 7 on the whole private path: counting, persons, rules, session, account, door and ledger.

Each mutant is one mistake in one function, given to the layer of `tests.audit.path` that must
see it by a law, by neighbours, or by a plain reader of the declaration; none by what the product
gave before.
"""

from collections.abc import Callable

import pytest

from tests.audit import tally
from tests.audit.path_mutants.counting import OF_COUNTING, OF_READING
from tests.audit.path_mutants.inquiries import OF_INQUIRIES
from tests.audit.path_mutants.ledger import OF_ACCOUNTS, OF_LEDGERS
from tests.audit.path_mutants.marks import OF_MARKS, OF_PLACES, OF_REQUESTS
from tests.audit.path_mutants.prices import OF_CHECKS, OF_CLAIMS, OF_COVERS
from tests.audit.path_mutants.products import OF_PRODUCTS
from tests.audit.path_mutants.questions import OF_QUESTIONS
from tests.audit.path_mutants.release import OF_NOISE, OF_SESSIONS
from tests.audit.path_mutants.told import Mutant
from tests.conftest import Report

pytestmark = [pytest.mark.mutant, pytest.mark.slow]

MUTANTS = [
    *OF_COUNTING,
    *OF_READING,
    *OF_SESSIONS,
    *OF_QUESTIONS,
    *OF_INQUIRIES,
    *OF_PRODUCTS,
    *OF_ACCOUNTS,
    *OF_LEDGERS,
    *OF_NOISE,
    *OF_MARKS,
    *OF_REQUESTS,
    *OF_PLACES,
    *OF_COVERS,
    *OF_CLAIMS,
    *OF_CHECKS,
]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_slip_in_the_private_path_is_caught(mutant: Mutant, report: Report) -> None:
    mutant.catch(report)


@pytest.mark.parametrize("sees", dict.fromkeys(mutant.sees for mutant in MUTANTS))
def test_the_right_path_is_not_caught(sees: Callable[[], object]) -> None:
    assert sees() == ""
    tally.add("layers of the private path", held=1)
