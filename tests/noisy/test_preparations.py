"""Preparations: read strictly, and added up."""

from fractions import Fraction
from typing import Any

import pytest

from synth.check import Document
from synth.errors import ArgumentError
from synth.noisy.preparations import Preparation, together
from synth.privacy.guarantee import ROW, Guarantee, Neighbors, Unit

PERSON = Unit("pid", 3)
DRAFT = Preparation(
    "draft",
    Guarantee.approximate(1, Fraction(1, 10**9)),
    Neighbors.ADD_REMOVE,
    PERSON,
    "ab" * 32,
    {"columns": [{"name": "age", "minimum": 0}]},
)
CHECK = Preparation(
    "check", Guarantee.pure(Fraction(1, 10)), Neighbors.ADD_REMOVE, ROW, "cd" * 32, {"noisy": -3}
)


@pytest.mark.parametrize("one", [DRAFT, CHECK])
def test_what_is_written_is_read_and_cannot_be_changed(one: Preparation) -> None:
    again = Preparation.from_json(one.to_json())
    assert again == one
    assert hash(again) == hash(one)
    with pytest.raises(TypeError):
        again.said["noisy"] = 1


def test_costs_add_up_delta_included() -> None:
    assert together([DRAFT, CHECK]) == Guarantee(Fraction(11, 10), Fraction(1, 10**9))
    assert together([]) is None


@pytest.mark.parametrize(
    "changed",
    [
        {"kind": "glance"},
        {"guarantee": {"rho": "1/2"}},
        {"guarantee": {"epsilon": "2/4"}},
        {"guarantee": {"epsilon": "1/0"}},
        {"guarantee": "1"},
        {"entry": ""},
        {"entry": "AB" * 32},
        {"neighbors": "none"},
        {"person": "", "max_rows": 3},
        {"said": [1]},
        {"more": 1},
    ],
)
def test_another_form_is_refused(changed: Any) -> None:
    content: Document = DRAFT.to_json() | changed
    with pytest.raises(ArgumentError, match=r"^This is no preparation of Synth, or one of another"):
        Preparation.from_json(content)
    with pytest.raises(ArgumentError, match="no preparation"):
        Preparation.from_json({k: v for k, v in DRAFT.to_json().items() if k != "said"})
