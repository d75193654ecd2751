"""Layer 7 on the whole private path: counting, persons, rules, session, account, door and
ledger.

Each mutant is one mistake in one function, given to the layer of `tests.audit.path` that must
see it by a law, by neighbours, or by a plain reader of the declaration; none by what the
product gave before."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from unittest.mock import patch

import pytest

from synth.estimate.recipes import choice
from synth.plans import Method
from synth.privacy import ROW, Neighbors, Unit
from tests.audit import path, tally
from tests.audit.path.moments import moving_sums, paying_sums, reading_sums
from tests.audit.path.sums import combining_sums
from tests.audit.path.tables import PERSON
from tests.audit.path_mutants import (
    beginnings,
    counting,
    inquiries,
    ledger,
    marks,
    moments,
    prices,
    products,
    questions,
    release,
)
from tests.audit.path_mutants.told import Mutant, seen_by
from tests.conftest import Report

pytestmark = [pytest.mark.mutant, pytest.mark.slow]

REPLACE, ADD = Neighbors.REPLACE_ONE, Neighbors.ADD_REMOVE
replay = partial(partial, path.replaying)


def large_delta() -> str:
    with patch.object(choice, "DELTA_MAX", Fraction(1)):
        return path.replaying(Method.INDEPENDENT, ADD, delta=Fraction(1, 7))


MUTANTS = [
    *seen_by("6 neighbours", partial(path.counting, PERSON), counting.OF_PERSONS),
    *seen_by("6 neighbours", partial(path.counting, ROW), counting.OF_ROWS),
    *seen_by("6 plain reader", path.reading, counting.OF_READING),
    *seen_by("5 record and replay", replay(Method.TREE, ADD), release.OF_TOTALS),
    *seen_by("5 record and replay", replay(Method.TREE, REPLACE), release.OF_MODELS),
    *seen_by("5 record and replay", replay(Method.ADAPTIVE, ADD), release.OF_ADAPTIVE),
    *seen_by("5 record and replay", large_delta, release.OF_DELTAS),
    *seen_by("5 record and replay", replay(Method.DENSE, REPLACE), release.OF_COUNTS),
    *seen_by("5 record and replay", replay(Method.DENSE, ADD), release.OF_REFUSALS),
    *seen_by(
        "5 record and replay", replay(Method.DENSE, REPLACE, PERSON), release.OF_PERSONS
    ),
    *seen_by("9 ledger", path.ordering, release.OF_SPENDS),
    *seen_by("7 queries and door", path.asking, questions.OF_QUERIES),
    *seen_by("7 queries and door", path.guarding, questions.OF_DOORS),
    *seen_by("7 going on", path.resuming, questions.OF_KEPT),
    *seen_by("7 queries and door", path.choosing, questions.OF_CHOICES),
    *seen_by("7 reduced noise", path.coupling, questions.OF_COUPLINGS),
    *seen_by("7 reduced noise", path.pricing, questions.OF_REDUCED_PRICES),
    *seen_by("7 going on", path.filling_gaps, questions.OF_GAPS),
    *seen_by("10 moves of totals", path.moving, inquiries.OF_TOTALS),
    *seen_by("10 inquiries of neighbours", path.inquiring, inquiries.OF_ANSWERS),
    *seen_by("10 ledger of inquiries", path.recording, inquiries.OF_RECORDS),
    *seen_by("10 moves of products", path.multiplying, products.OF_PRODUCTS),
    *seen_by("6 neighbours", partial(moving_sums, Unit("who", 2)), moments.OF_MOVES),
    *seen_by("6 combined sums", combining_sums, moments.OF_COMBINATIONS),
    *seen_by("6 plain reader", reading_sums, moments.OF_SUMS),
    *seen_by("5 record and replay", paying_sums, moments.OF_PRICES),
    *seen_by("8 divergences", path.accounting_holds, ledger.OF_ACCOUNTS),
    *seen_by("9 ledger", path.spending, ledger.OF_LEDGERS),
    *seen_by("9 ledger", path.repeating, ledger.OF_REPEATS),
    *seen_by("1 bits of its own", path.freshness, release.OF_NOISE),
    *seen_by("9 recalled before a release", path.recalling, beginnings.OF_BEGINNINGS),
    *seen_by("11 told apart", path.marking, marks.OF_MARKS),
    *seen_by("11 told apart", path.requesting, marks.OF_REQUESTS),
    *seen_by("11 told apart", path.placing, marks.OF_PLACES),
    *seen_by("12 charged and met", path.covering, prices.OF_COVERS),
    *seen_by("12 charged and met", path.meeting, prices.OF_CLAIMS),
    *seen_by("12 charged and met", path.checking, prices.OF_CHECKS),
]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_slip_in_the_private_path_is_caught(mutant: Mutant, report: Report) -> None:
    """Each deliberate mistake in the private path is noticed by its layer of the audit."""
    mutant.catch(report)


@pytest.mark.parametrize("sees", dict.fromkeys(mutant.sees for mutant in MUTANTS))
def test_the_right_path_is_not_caught(sees: Callable[[], object]) -> None:
    """The layers that notice the mutants find no fault in the code as it is.

    A layer returns the first fault as text, and an empty text if there is none.
    """
    assert sees() == ""
    tally.add("layers of the private path", held=1)
