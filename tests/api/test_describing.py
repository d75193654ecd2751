"""`synth.release` without a domain: the columns are drafted first, in one call.

The epsilon is so large that noise decides nothing: a column of two values is described, and
one of texts that all differ cannot be.
"""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import synth
from synth.domain import DRAFTED, LOOKED_UP
from synth.privacy import Guarantee

FRAME = pd.DataFrame(
    {"sex": ["f", "m"] * 1_000, "note": [f"note {n} of words" for n in range(2_000)]}
)
DELTA = Fraction(1, 10**9)
BUDGET = "epsilon=100,delta=1e-5"
TOO_SMALL = "epsilon=20,delta=1e-5"


def test_a_delta_pays_for_a_draft(tmp_path: Path) -> None:
    """Half of epsilon and the whole delta pay for the draft, and the sum is exact.

    A warning names the cost and the column that is left out. The same call again is free.
    """
    book = synth.Ledger(tmp_path / "l.db")
    arguments: dict[str, Any] = {"ledger": book, "dataset": "people", "budget": BUDGET}
    with pytest.warns(UserWarning, match=r"together cost epsilon 60 and delta 1e-09\. Left"):
        made = synth.release(FRAME, epsilon="60", delta="1e-9", **arguments)
    with pytest.warns(UserWarning, match=r"A private draft described 1 of 2 columns"):
        again = synth.release(FRAME, epsilon="60", delta="1e-9", **arguments)

    assert [entry.guarantee for entry in book.entries()] == [
        Guarantee.approximate(30, DELTA),
        Guarantee.pure(30),
    ]
    assert made.domain.names == ("sex",)
    assert [*made.left_out] == ["note"]
    guarantee = made.certificate.guarantee
    assert (guarantee.epsilon, guarantee.delta) == (60, DELTA)
    assert "epsilon 60 and delta 1e-09" in repr(made)
    assert made.certificate.domain_origin == DRAFTED
    assert (made.repeated, again.repeated) == (False, True)
    assert made.table.equals(again.table)
    checked = synth.verify(made.save(tmp_path / "r.zip"), book)
    assert checked.verdict == "confirmed"


def test_a_look_is_free_and_said() -> None:
    """With look=True all of epsilon makes the rows, and the certificate names the look."""
    with pytest.warns(UserWarning, match=r"^The domain was drafted from the rows, which"):
        made = synth.release(FRAME, epsilon=60, look=True, ledger=False)
    assert made.certificate.guarantee.epsilon == 60
    assert made.certificate.domain_origin == LOOKED_UP
    assert [*made.left_out] == ["note"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({}, r"^Nothing describes the columns: give a domain.*delta=.*look=True"),
        ({"look": True, "domain": {"sex": ["f"]}}, r"^look=True drafts the domain"),
        ({"delta": "1e-9", "predict": "sex"}, r"^predict= needs a description"),
        ({"delta": "1e-9", "method": "tree"}, r"^method= needs a description"),
        ({"delta": "1e-9", "public": FRAME}, r"^public= needs a description"),
        ({"delta": "1e-9", "rows": 0}, r"rows must be a whole number"),
        ({"delta": "1e-9", "columns": ["age"]}, r"no column 'age'"),
        ({"delta": "1e-9", "person": "pid"}, r"no column 'pid'"),
        ({"delta": "1e-9", "epsilon": "1/100"}, r"^The table has too few rows"),
        ({"delta": "1e-9", "epsilon": 30, "budget": TOO_SMALL}, r"^This release costs 30"),
    ],
)
def test_a_wrong_call_spends_nothing(
    tmp_path: Path, arguments: dict[str, Any], sentence: str
) -> None:
    """A call that nothing describes, or that is wrong, is refused before any spend."""
    book = synth.Ledger(tmp_path / "l.db")
    with pytest.raises(synth.SynthError, match=sentence):
        synth.release(
            FRAME,
            **{
                "epsilon": 1,
                "ledger": book,
                "dataset": "people",
                "budget": BUDGET,
                **arguments,
            },
        )
    assert book.entries() == []
