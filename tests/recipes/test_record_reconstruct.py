"""What a model held of its pairs is had again from the public record of its release."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from synth.estimate import WORST, Choice, MarginalsRecord, Method, read_rules, rebuild
from synth.privacy import Neighbors
from synth.private.counting.counts import CodedRows
from synth.private.methods import session
from tests.audit.twins import domain_of
from tests.models.doors import open_door, release_model

SHAPE = (3, 4, 2, 9, 3)
RULES = {"impossible": [{"c0": ["v1"], "c2": ["v0"]}]}
FIRST_QUICK = [
    Neighbors.REPLACE_ONE,
    pytest.param(Neighbors.ADD_REMOVE, marks=pytest.mark.slow),
]


def linked_rows() -> CodedRows:
    """Return 900 rows of five columns, of which the second goes with the first."""
    generator = np.random.default_rng(8)
    codes = [generator.integers(0, size, 900).astype(np.int32) for size in SHAPE]
    codes[1] = (codes[0] + generator.integers(0, 2, 900)).astype(np.int32)
    return CodedRows(domain=domain_of(SHAPE), codes=codes, rows=900)


def release_rows(choice: Choice, neighbors: Neighbors) -> tuple[MarginalsRecord, int]:
    """Return the public record of a release of `linked_rows` at epsilon 4, and the seed of
    its fit.
    """
    door = open_door(choice.guarantee(Fraction(4)), neighbors)
    record, _, seed = release_model(choice, linked_rows(), door, wanted=None)
    return record, seed


KINDS: list[dict[str, Any]] = [{}, {"delta": Fraction(1, 10**9)}, {"rules": RULES}]
"""Of the strategy that takes seconds, the first is quick and the others are slow."""


def list_cases() -> Iterator[Any]:
    """Every strategy with all options, of which the slow ones are marked."""
    for strategy, options in product((m for m in Method if m != Method.DENSE), KINDS):
        slow = strategy == Method.ADAPTIVE and bool(options)
        marks = [pytest.mark.slow] if slow else []
        yield pytest.param(strategy, options, marks=marks, id=f"{strategy}-{options}")


@pytest.mark.parametrize("neighbors", FIRST_QUICK)
@pytest.mark.parametrize(("strategy", "options"), list(list_cases()))
def test_marginals_are_rebuilt_from_the_record(
    strategy: Method, options: dict[str, Any], neighbors: Neighbors
) -> None:
    """The marginals that a model believed are rebuilt from the public record of its release.

    They agree to 1e-9 for every strategy, with and without a delta or rules.
    """
    groups = (("c0", "c1", "c2"), ("c3", "c4")) if strategy == Method.GROUPS else ()
    choice = Choice(method=strategy, groups=groups, **options)
    record, seed = release_rows(choice, neighbors)

    rules = read_rules(RULES, record.domain) if "rules" in options else None
    assert_believed(record, rebuild(record, choice, seed=seed, rules=rules))


@pytest.mark.slow
def test_rounds_leave_the_last_fit_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rebuilt marginals do not depend on how often the adaptive strategy fitted its model
    before, as each fit starts at the seed.

    The strategy measures some pairs at once, and then one pair in each round, after a fit.
    Here it measures none at once, so that all 10 pairs of 5 columns are chosen in rounds.
    """

    def measure_no_pairs(_account: Any, budget: Fraction, *_: Any, **__: Any) -> Any:
        """Return the whole budget for columns, and no pairs to measure at once."""
        return budget, {}

    monkeypatch.setattr(session, "split_again", measure_no_pairs)

    choice = Choice(method=Method.ADAPTIVE)
    record, seed = release_rows(choice, Neighbors.ADD_REMOVE)
    assert [spend.what for spend in record.spends].count(WORST) == 10
    assert_believed(record, rebuild(record, choice, seed=seed))


def assert_believed(record: MarginalsRecord, again: Any) -> None:
    """See that marginals are those that a release believed."""
    assert again.keys() == record.believed.keys()
    for clique, table in record.believed.items():
        np.testing.assert_allclose(again[clique], table, rtol=0, atol=1e-9)
