"""Declarations name the columns that they leave out, and what a person agreed to lose."""

from dataclasses import replace
from typing import Any

import pytest

from synth.domain import Decisions, Domain, finish, read_schema, select_fields, write_schema
from synth.errors import DomainError

DOCUMENT: dict[str, Any] = {
    "fields": [
        {"name": "sex", "type": "string", "constraints": {"enum": ["f", "m"]}},
        {"name": "town", "type": "string", "constraints": {"enum": ["a", "b"]}},
        {"name": "note"},
    ],
    "synth:left_out": {"id": "is a key"},
    "synth:agreed": {"town": "rare towns are joined"},
}


def test_a_declaration_keeps_its_decisions() -> None:
    """Decisions are read and written again; digests of what is counted do not depend on
    them.
    """
    domain = finish(select_fields(DOCUMENT, ["sex", "town"]))
    assert domain.decisions.left_out == {"note": "was not chosen", "id": "is a key"}
    assert domain.decisions.agreed == {"town": "rare towns are joined"}
    assert read_schema(write_schema(domain)).decisions == domain.decisions

    plain = Domain(domain.columns)
    assert domain == plain
    assert domain.without_words().decisions == Decisions()
    assert write_schema(domain.without_words()) == write_schema(plain)


def test_a_choice_of_columns_names_the_others_and_a_projection_does_not() -> None:
    """`choose` records the columns that it leaves out as decisions; `project` does not."""
    domain = finish(select_fields(DOCUMENT, ["sex", "town"]))
    chosen = domain.choose(["sex"]).decisions
    assert [*chosen.left_out] == ["town", "note", "id"]
    assert chosen.agreed == {}
    assert "town" not in domain.project(["sex"]).decisions.left_out


def test_a_column_that_takes_part_is_not_left_out() -> None:
    """A reason that a column stays out is forgotten once the declaration describes it."""
    domain = Domain(sex=["f", "m"], decisions=Decisions(left_out={"sex": "", "id": ""}))
    assert [*domain.decisions.left_out] == ["id"]
    assert replace(domain, columns=domain.columns).decisions == domain.decisions


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"synth:left_out": ["id"]}, "'synth:left_out' must give a reason for each column"),
        ({"synth:left_out": {"id": 1}}, "must give a text for the column 'id'"),
        ({"synth:agreed": "town"}, "'synth:agreed' must give a reason for each column"),
        ({"synth:left_out": {"i" * 2_000: "no"}}, "The name of a column"),
    ],
)
def test_decisions_of_a_wrong_form_are_refused(entry: dict[str, Any], message: str) -> None:
    with pytest.raises(DomainError, match=message):
        finish({**DOCUMENT, "fields": DOCUMENT["fields"][:1], **entry})


def test_a_column_called_decisions_is_given_in_a_mapping() -> None:
    """A column called decisions cannot be an argument by name, but may be in a mapping."""
    with pytest.raises(
        DomainError, match="A column called 'decisions' is given in a mapping"
    ):
        Domain(decisions=["yes", "no"])  # type: ignore[arg-type]
    assert Domain({"decisions": ["yes", "no"]}).names == ("decisions",)
