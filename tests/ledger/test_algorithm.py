"""What decides which queries a plan asks has a number, and does not change without it.

Whoever changes a share of the budget, an order or a rule of choice sees the first test fail:
then `ALGORITHM` must be one more, so that no release goes on in another way than it was
begun."""

import hashlib
import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from synth import noise
from synth.domain import Domain
from synth.domain.building import Categorical, Integer
from synth.door import ALGORITHM
from synth.estimate import APART, AS_IT_STANDS, PublicGuess
from synth.estimate.models import exact_columns
from synth.noise import DiscreteGaussian, DiscreteLaplace, KNorm
from synth.plans import Method, Plan
from synth.privacy import Guarantee, Neighbors, terms
from synth.private.methods.session import ModelTask, Session
from synth.private.methods.strategies import Order, follow
from tests.audit.twins import cut_short, table_of
from tests.models.doors import open_door

SHAPE = (3, 4, 2, 5)
GUARANTEES = (Guarantee.pure(2), Guarantee.approximate(2, Fraction(1, 10**6)))
ASKED = (17, "95c143fe5f6dc798d43c465d0d9fedd4")
"""The number of the algorithm, and the digest of all that it asks below."""


_ROW = np.arange(900, dtype=np.int32)
GUESSED = [
    {0: _ROW % 3, 1: _ROW % 3, 2: _ROW // 5 % 2, 3: _ROW // 7 % 5},
    {0: _ROW % 3, 1: (_ROW + _ROW // 3 % 2) % 4, 2: _ROW // 5 % 2},
]
"""Public tables: one like the table, and one that is linked otherwise and lacks a column."""
FOLLOWED = (
    *(Method.AUTO, Method.INDEPENDENT, Method.TREE, Method.ADAPTIVE, Method.ONE_SHOT),
    *(Method.GROUPS, Method.HISTOGRAM),
)
"""The methods that a model follows, in the order of the digest."""


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Noise is 0, the best is chosen, and nothing is made of what was measured."""
    for mechanism in (DiscreteLaplace, DiscreteGaussian, KNorm):
        monkeypatch.setattr(
            mechanism, "release", lambda _, values: np.array(values, np.int64)
        )
    monkeypatch.setattr(
        DiscreteLaplace, "reduce_noise", lambda _, values, *__: np.array(values)
    )
    for name in ("permute_and_flip", "draw_exponential"):
        monkeypatch.setattr(noise, name, lambda scores, **_: int(np.argmax(scores)))
    cut_short(monkeypatch)
    monkeypatch.setattr(exact_columns, "match_columns", lambda *_: None)


def list_spends(
    strategy: Method,
    neighbors: Neighbors,
    guarantee: Guarantee,
    rows: int,
    public: PublicGuess | None = None,
) -> Any:
    """What is paid for, with which noise, on a fixed table."""
    row = np.arange(rows)
    table = table_of(np.column_stack([row % 3, row % 3, row // 5 % 2, row // 7 % 5]), SHAPE)
    session = Session(table, open_door(guarantee, neighbors), task=ModelTask(public=public))
    groups = ((0, 1), (2, 3)) if strategy == Method.GROUPS else ()
    follow(
        session, Order(strategy=strategy, rows=None, groups=groups), np.random.default_rng(0)
    )
    return [
        (spend.what, terms(spend.cost), repr(spend.mechanism))
        for spend in session.evidence.spends
    ]


@pytest.mark.usefixtures("silent")
def test_what_is_asked_changes_only_with_the_number_of_the_algorithm() -> None:
    """Whoever changes what a method asks of a table must also raise `ALGORITHM`.

    A stored release is found again by that number, so that it never goes on in another way
    than it was begun. The digest is of what all methods pay for on a fixed table without
    noise. `ASKED` holds the number and the digest that belong together.
    """
    spends_found = [
        list_spends(strategy, neighbors, guarantee, rows)
        for strategy in FOLLOWED
        for neighbors in Neighbors
        for guarantee in GUARANTEES
        for rows in (30, 3_000)
    ]

    assert max(map(len, spends_found)) > 10, "pairs are measured, and chosen"

    with_public_guess = [
        list_spends(
            Method.ONE_SHOT, neighbors, guarantee, rows, PublicGuess(SHAPE, guessed, 900)
        )
        for neighbors in Neighbors
        for guarantee in (*GUARANTEES, Guarantee.pure(Fraction(1, 20)))
        for rows in (30, 3_000)
        for guessed in GUESSED
    ]

    spends_found += with_public_guess
    kinds_told = {kind for spends in with_public_guess for kind, *_ in spends}
    assert kinds_told >= {AS_IT_STANDS, APART}, (
        "guesses are asked about, all at once and each"
    )

    digest = hashlib.sha256(json.dumps(spends_found).encode()).hexdigest()[:32]
    assert (ALGORITHM, digest) == ASKED, "raise ALGORITHM, and put the new digest beside it"


PLANS = (
    Plan(
        domain=Domain(sex=Categorical(["F", "M"], missing=True), age=Integer(0, 99, bins=5)),
        epsilon=Fraction(1, 3),
        neighbors=neighbors,
        method=method,
    )
    for method in (Method.DENSE, Method.ADAPTIVE)
    for neighbors in Neighbors
)


def test_a_plan_finds_the_releases_that_were_made_of_it_before() -> None:
    """The texts by which the ledger finds earlier releases of a plan do not change.

    If they did, the same release would be charged again after an upgrade, in silence. The
    digest is of the texts of four plans.
    """
    words = json.dumps([plan.request for plan in PLANS])
    assert (
        hashlib.sha256(words.encode()).hexdigest()[:32] == "0810ddce29c9e66d7b71d0dc6167acb7"
    )
