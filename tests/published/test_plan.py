"""The schemas of plans: what Synth writes is right by them, and what they refuse, the reader
refuses, too.
"""

from fractions import Fraction
from typing import Any

import pytest

from synth.bundle.published import plan as plans
from synth.domain import read_package
from synth.estimate import Favour, read_rules
from synth.plans import LinkedPlan, Plan
from synth.plans.options import IN_PLAN
from synth.privacy import Neighbors, RowReading, Unit
from tests.linked.households import DOCUMENT
from tests.published.changes import GONE, change, faults, is_read
from tests.published.documents import FIELDS, HASH, plan_document

PUBLIC = {
    "digest": HASH,
    "vouched_by": "The Office",
    "columns": ["sex"],
    "rows": 7000,
    "epsilon": "1",
    "delta": "1/1000000000",
    "relation": "add-remove",
}
RULES = {
    "impossible": [{"sex": ["1"], "smoker": ["yes"]}],
    "fixed": [{"given": "sex", "then": "smoker", "values": {"1": ["yes"]}}],
    "order": [["overtime", "hours"]],
    "taken": {"order": [["overtime", "hours"]]},
}
PLAN = {
    **plan_document(
        rows=500,
        unit=Unit("person", 3),
        neighbors=Neighbors.ADD_REMOVE,
        repair_seen=True,
        reading=RowReading.TYPED,
        moments=("hours",),
    ),
    "public": PUBLIC,
}
OVERTIME = {**FIELDS[2], "name": "overtime"}
RULED = {
    **plan_document(method="tree"),
    "domain": {"fields": [*FIELDS[:3], OVERTIME]},
    "rules": RULES,
}
LINKED = LinkedPlan(
    package=read_package(DOCUMENT), epsilon=Fraction(1, 2), delta=Fraction(1, 10**9)
).to_json()


def test_every_written_plan_has_the_form() -> None:
    """Plans with defaults, with all seldom options, with rules, and of linked tables."""
    documents = [
        PLAN,
        plan_document(),
        plan_document(favour=Favour.ASSOCIATIONS, predict="sex"),
        plan_document(method="groups", delta="1e-9", groups=[["sex", "smoker"]]),
        RULED,
    ]
    for document in documents:
        assert faults("plan", document) == []
        assert is_read(Plan.from_json, document)
    assert faults("plan.linked", LINKED) == []


def test_the_schema_has_the_options_of_plans() -> None:
    """All of them and no others, in their order; those that a plan may lack are not
    required.
    """
    schema: Any = plans.plan_schema()
    assert set(schema["properties"]) == {option.name for option in IN_PLAN}
    assert schema["required"] == [o.name for o in IN_PLAN if not o.seldom]
    assert set(plans.SELDOM) == {option.name for option in IN_PLAN if option.seldom}
    for option in IN_PLAN:
        if option.words is not None:
            assert schema["properties"][option.name]["enum"] == [*map(str, option.words)]


REFUSED: list[tuple[str, Any]] = [
    ("domain", GONE),
    ("domain", "domain.json"),
    ("domain/fields", []),
    ("domain/fields/2/synth:bins", "5"),
    ("epsilon", GONE),
    ("epsilon", "one"),
    ("epsilon", True),
    ("epsilon", None),
    ("epsilon", "1/0"),
    ("neighbors", "both"),
    ("neighbors", GONE),
    ("method", "guess"),
    ("method", None),
    ("repair", "auto-matic"),
    ("repair_seen", "yes"),
    ("rows", 0),
    ("rows", 1.5),
    ("rows", "500"),
    ("rows", GONE),
    ("dataset", 5),
    ("delta", "1e"),
    ("delta", GONE),
    ("groups", "sex"),
    ("groups", [["sex", 1]]),
    ("max_model_mb", -1),
    ("person", None),
    ("person", ""),
    ("max_rows", 0),
    ("public", "census.csv"),
    ("public/digest", "abc"),
    ("public/vouched_by", " "),
    ("public/vouched_by", None),
    ("public/columns", "sex"),
    ("public/columns", []),
    ("public/rows", 0),
    ("public/rows", "7000"),
    ("public/delta", GONE),
    ("public/later", 1),
    ("favour", "speed"),
    ("predict", ["sex"]),
    ("moments", "means"),
    ("moments/0", 5),
    ("reading", "words"),
    ("later", 1),
]


@pytest.mark.parametrize(("place", "value"), REFUSED)
def test_a_change_is_refused_by_the_schema_and_by_the_reader(place: str, value: Any) -> None:
    changed = change(PLAN, place, value)
    assert faults("plan", changed) != []
    assert not is_read(Plan.from_json, changed)


WIDER: list[tuple[str, Any]] = [
    # Limits, and choices that exclude each other.
    ("epsilon", "1000"),
    ("epsilon", "-1"),
    ("method", "dense"),
    ("predict", "wealth"),
]


@pytest.mark.parametrize(("place", "value"), WIDER)
def test_the_reader_refuses_what_no_schema_can_state(place: str, value: Any) -> None:
    changed = change(PLAN, place, value)
    assert faults("plan", changed) == []
    assert not is_read(Plan.from_json, changed)


WRONG_RULES: list[tuple[str, Any]] = [
    ("rules", "rules.json"),
    ("rules/later", []),
    ("rules/impossible", {}),
    ("rules/impossible/0", {}),
    ("rules/impossible/0/sex", "1"),
    ("rules/impossible/0/sex", []),
    ("rules/fixed/0/given", GONE),
    ("rules/fixed/0/values", "yes"),
    ("rules/order/0", ["hours"]),
    ("rules/taken", []),
    ("rules/taken/later", []),
]


@pytest.mark.parametrize(("place", "value"), WRONG_RULES)
def test_wrong_rules_are_refused_by_the_schema(place: str, value: Any) -> None:
    """A plan whose rules have a wrong part is refused by the schema, and by the reader."""

    def reader(content: dict[str, Any]) -> object:
        """Read a plan and its rules, which `Plan.from_json` leaves for later."""
        plan = Plan.from_json(content)
        return read_rules(plan.rules, plan.domain)

    assert is_read(reader, RULED)
    changed = change(RULED, place, value)
    assert faults("plan", changed) != []
    assert not is_read(reader, changed)


REFUSED_OF_LINKED: list[tuple[str, Any]] = [
    ("package", GONE),
    ("package", []),
    ("package/resources", GONE),
    ("package/resources/0/name", ""),
    ("package/resources/1/synth:maxRows", 0),
    ("package/resources/1/schema/fields/2/synth:later", 0),
    ("epsilon", GONE),
    ("epsilon", "much"),
    ("epsilon", []),
    ("delta", GONE),
    ("delta", None),
    ("neighbors", "some"),
    ("neighbors", GONE),
    ("dataset", None),
    ("dataset", GONE),
    ("readings", []),
    ("readings", GONE),
    ("readings/homes", "words"),
    ("readings/homes", None),
    ("later", 1),
]


@pytest.mark.parametrize(("place", "value"), REFUSED_OF_LINKED)
def test_a_change_of_a_linked_plan_is_refused_by_both(place: str, value: Any) -> None:
    changed = change(LINKED, place, value)
    assert faults("plan.linked", changed) != []
    assert not is_read(LinkedPlan.from_json, changed)


@pytest.mark.parametrize(
    ("place", "value"), [("readings/homes", GONE), ("readings/a", "typed")]
)
def test_a_linked_plan_has_a_rule_for_each_table_and_no_other(place: str, value: Any) -> None:
    """Which tables there are, a schema cannot compare."""
    changed = change(LINKED, place, value)
    assert faults("plan.linked", changed) == []
    assert not is_read(LinkedPlan.from_json, changed)
