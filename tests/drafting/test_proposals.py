"""Proposals of a look: taken in by name, and never two that exclude each other."""

import pytest

from synth.domain import LOOKED_UP, finish
from synth.drafting import Proposal, choose_proposals, take_proposals
from synth.errors import ArgumentError

ORDER = Proposal(
    name="a <= total",
    sentence="'a' is at most 'total'",
    columns=("a", "total"),
    rule={"order": [["a", "total"]]},
)
SUM = Proposal(
    name="total from a and b",
    sentence="'total' is a + b",
    columns=("a", "b", "total"),
    derivation={"formula": "a + b"},
)
COPY = Proposal(
    name="total from c", sentence="", columns=("c", "total"), derivation={"formula": "c"}
)
OTHER = Proposal(name="b <= c", sentence="", columns=("b", "c"), rule={"order": [["b", "c"]]})
ALL = [SUM, COPY, ORDER, OTHER]
FIELDS = [
    {"name": name, "type": "integer", "constraints": {"minimum": "0", "maximum": "9"}}
    for name in ("a", "total", "b", "c")
]


def test_of_proposals_in_conflict_the_first_is_taken() -> None:
    """A derived column has no cells, so no rule is about it; and it follows in one way."""
    assert choose_proposals(ALL, ["all"], every="all") == [SUM, OTHER]
    assert choose_proposals(ALL, [OTHER.name, SUM.name]) == [SUM, OTHER]
    for other in (COPY, ORDER):
        with pytest.raises(ArgumentError, match="cannot be taken in together"):
            choose_proposals(ALL, [SUM.name, other.name])


def test_an_unknown_name_is_one_sentence() -> None:
    """Taking in a proposal that does not exist is refused, and the message lists those that
    do.
    """
    with pytest.raises(ArgumentError, match="does not propose 'x'; it proposes 'total from"):
        choose_proposals(ALL, ["x"])
    with pytest.raises(ArgumentError, match="it proposes nothing"):
        choose_proposals([], ["x"])


def test_what_is_taken_is_marked_in_declaration_and_rules() -> None:
    """The derived column keeps its place and is marked; taken rules stand apart."""
    rules = {"order": [["a", "b"]], "taken": {"order": [["a", "c"]]}}
    taken = take_proposals([SUM, OTHER], {"fields": FIELDS}, rules)
    assert taken.rules == {
        "order": [["a", "b"]],
        "taken": {"order": [["a", "c"], ["b", "c"]]},
    }
    assert rules["taken"] == {"order": [["a", "c"]]}, "the given rules do not change"
    domain = finish(taken.document)
    assert domain.origin == LOOKED_UP
    assert domain.written == ("a", "total", "b", "c")
    assert domain.derived[0].taken


def test_nothing_taken_changes_nothing() -> None:
    taken = take_proposals([], {"fields": FIELDS}, None)
    assert taken == ({"fields": FIELDS}, {})
