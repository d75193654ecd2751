"""What a strategy measured becomes, with the seed of its drawing, the rows that it drew."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from synth.door.door import Door
from synth.door.ledger.ledger import Ledger
from synth.estimate.models.choice import Choice
from synth.estimate.models.names import Favour, Method
from synth.estimate.models.reconstruct import rows_again
from synth.privacy.guarantee import Neighbors
from synth.private.counting.counts import CodedRows
from tests.audit.twins import domain_of
from tests.models.doors import release_model
from tests.models.test_reconstruct import RULES, SHAPE

KINDS: list[tuple[Method, dict[str, Any]]] = [
    (Method.AUTO, {}),
    (Method.INDEPENDENT, {}),
    (Method.TREE, {"rules": RULES}),
    (Method.ONE_SHOT, {"delta": Fraction(1, 10**9)}),
    (Method.ONE_SHOT, {"rules": RULES, "favour": Favour.ASSOCIATIONS}),
    (Method.GROUPS, {"groups": (("c0", "c1", "c2"), ("c3", "c4"))}),
    (Method.HISTOGRAM, {}),
]


@pytest.mark.parametrize(("strategy", "options"), KINDS)
def test_the_rows_of_a_release_are_drawn_again(strategy: Method, options: dict[str, Any]) -> None:
    generator = np.random.default_rng(8)
    codes = [generator.integers(0, size, 900).astype(np.int32) for size in SHAPE]
    codes[1] = (codes[0] + generator.integers(0, 2, 900)).astype(np.int32)
    rows, choice = CodedRows(domain_of(SHAPE), codes, 900), Choice(strategy, **options)
    door = Door(
        neighbors=Neighbors.ADD_REMOVE, guarantee=choice.guarantee(Fraction(4)), dataset="t",
        purpose="test", ledger=Ledger(),
    )  # fmt: skip
    record, drawn, seed = release_model(choice, rows, door, wanted=700)
    again = rows_again(choice, record, 700, np.random.default_rng(seed))
    assert again.shape == (700, len(SHAPE))
    np.testing.assert_array_equal(again.T, np.stack(drawn))
