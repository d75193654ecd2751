"""What is said of the pairs of columns that a release measured, and of those that it did
not.
"""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from synth.bundle import loses_relations
from synth.domain import Categorical, Domain
from synth.plans import Method, Plan
from synth.spending import synthesize
from tests.tables import write

ROWS = 3_000
# With 4 categories, one in 20 releases of columns without relations finds a pair; with 5 one
# in 60; with 6 one in 600.
LETTERS = "abcdefghijklmnopqrst"
DOMAIN = Domain(tuple(Categorical(name=name, categories=tuple(LETTERS)) for name in "uvwxyz"))


@pytest.mark.parametrize(
    ("method", "strength", "sentence"),
    [
        (
            Method.ONE_SHOT,
            0.0,
            "Relations kept: 0 of 15 pairs of columns. No pair stood out from",
        ),
        (Method.ONE_SHOT, 0.9, "Relations measured: "),
        (
            Method.INDEPENDENT,
            0.9,
            "Relations kept: 0 of 15 pairs of columns. Each column is drawn",
        ),
    ],
)
def test_lost_relations_are_said_with_their_reason(
    tmp_path: Path, method: Method, strength: float, sentence: str
) -> None:
    """A release that keeps no relation of columns says so, with the reason.

    Five columns repeat the first one with probability `strength`. With 0 the method one-shot
    finds no pair above its noise. The method independent measures no pair, however strong
    they are.
    """
    rng = np.random.default_rng(5)
    first = rng.integers(0, len(LETTERS), ROWS)
    follows = rng.random((5, ROWS)) < strength
    following_columns = np.where(follows, first, rng.integers(0, len(LETTERS), (5, ROWS)))
    rows = [[LETTERS[i] for i in row] for row in np.vstack([first, following_columns]).T]

    table = write(tmp_path / "t.csv", [*"uvwxyz"], rows)
    released = synthesize(Plan(domain=DOMAIN, epsilon=Fraction(1), method=method), table)

    assert sentence in released.certificate.rows_fit
    assert loses_relations(released.record) == ("Relations kept: 0" in sentence)
