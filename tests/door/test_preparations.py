"""Preparations: read strictly, and added up."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from synth.domain import DRAFTED, LOOKED_UP, Categorical, Domain, read_schema, write_schema
from synth.door import Preparation, drafts_of, sum_preparations
from synth.errors import ArgumentError, DomainError
from synth.privacy import ROW, Guarantee, Neighbors, Unit
from synth.util import Document

PERSON = Unit("pid", 3)
DRAFT = Preparation(
    kind="draft",
    guarantee=Guarantee.approximate(1, Fraction(1, 10**9)),
    neighbors=Neighbors.ADD_REMOVE,
    unit=PERSON,
    entry="ab" * 32,
    said={"columns": [{"name": "age", "minimum": 0}]},
)
CHECK = Preparation(
    kind="check",
    guarantee=Guarantee.pure(Fraction(1, 10)),
    neighbors=Neighbors.ADD_REMOVE,
    unit=ROW,
    entry="cd" * 32,
    said={"noisy": -3},
)


@pytest.mark.parametrize("preparation", [DRAFT, CHECK])
def test_what_is_written_is_read_and_cannot_be_changed(preparation: Preparation) -> None:
    """The record of a paid draft or check is the same after writing and reading,
    and frozen.
    """
    again = Preparation.from_json(preparation.to_json())
    assert again == preparation
    assert hash(again) == hash(preparation)

    with pytest.raises(TypeError):
        again.said["noisy"] = 1


def test_costs_add_up_delta_included() -> None:
    """A draft of epsilon 1 and a check of 1/10; the delta is the draft's."""
    assert sum_preparations([DRAFT, CHECK]) == Guarantee(
        epsilon=Fraction(11, 10), delta=Fraction(1, 10**9)
    )
    assert sum_preparations([]) is None


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
def test_a_preparation_of_another_form_is_refused(changed: Any) -> None:
    """A record of a paid draft with a changed field, or without one, is refused.

    Among the changes are fractions that are not in lowest terms, and digests in capital
    letters.
    """
    content: Document = DRAFT.to_json() | changed

    with pytest.raises(
        ArgumentError, match=r"^This is no preparation of Synth, or one of another"
    ):
        Preparation.from_json(content)

    with pytest.raises(ArgumentError, match="no preparation"):
        Preparation.from_json({k: v for k, v in DRAFT.to_json().items() if k != "said"})


SEX = Categorical(name="sex", categories=("F", "M"))
DRAFTED_DOMAIN = Domain(
    (SEX, Categorical(name="b", categories=("1",))),
    (),
    origin=DRAFTED,
    drafts=(DRAFT.to_json(),),
)


@pytest.mark.parametrize("origin", [DRAFTED, LOOKED_UP])
def test_a_declaration_carries_its_drafts(origin: str) -> None:
    """A declaration keeps the records of its paid drafts in its file and with fewer columns.

    A declaration without drafts has none.
    """
    domain = read_schema(write_schema(replace(DRAFTED_DOMAIN, origin=origin)))

    assert (domain.origin, drafts_of(domain)) == (origin, (DRAFT,))
    assert drafts_of(domain.project(["sex"]).without_words()) == (DRAFT,)
    assert drafts_of(Domain((SEX,))) == ()


@pytest.mark.parametrize(
    ("drafts", "sentence"),
    [
        ([], "lists no draft"),
        ({}, "must be a list"),
        ([1], "must be a list"),
        ([{}] * 101, "100"),
    ],
)
def test_a_drafted_declaration_without_its_drafts_is_refused(
    drafts: Any, sentence: str
) -> None:
    """A declaration that says it was drafted is refused without its drafts, or
    with over 100.
    """
    with pytest.raises(DomainError, match=sentence):
        read_schema({**write_schema(DRAFTED_DOMAIN), "synth:draft": drafts})


@pytest.mark.parametrize("draft", [CHECK.to_json(), {**DRAFT.to_json(), "guarantee": {}}])
def test_a_preparation_that_is_no_draft_is_refused(draft: Any) -> None:
    domain = read_schema({**write_schema(DRAFTED_DOMAIN), "synth:draft": [draft]})
    with pytest.raises(ArgumentError, match="no preparation"):
        drafts_of(domain)
