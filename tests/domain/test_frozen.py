"""Frozen means frozen: what was handed in cannot be changed later, and equal is hashed
alike.
"""

import json
from collections.abc import Mapping
from dataclasses import FrozenInstanceError, fields
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from synth.domain import (
    Boolean,
    Categorical,
    Column,
    Date,
    Domain,
    FrozenMap,
    Integer,
    Number,
    freeze,
    thaw,
)
from synth.estimate import Choice, read_rules
from synth.plans import Method, Plan
from synth.privacy import Unit

RULES = {"order": [["low", "high"]], "impossible": [{"sex": ["1"], "yes": ["true"]}]}


def make_columns() -> tuple[Column, ...]:
    """One column of each kind, made of fresh lists and dictionaries."""
    return (
        Categorical(name="sex", categories=["1", "2"], meanings={"1": "male"}),  # type: ignore[arg-type]
        Boolean(name="yes", true_values=["true"], false_values=["false"]),  # type: ignore[arg-type]
        Integer(name="low", minimum=0, maximum=9, edges=[0, 5, 9], spikes=[7]),  # type: ignore[arg-type]
        Integer(name="high", minimum=0, maximum=9, bins=3),
        Number(name="wage", minimum=0, maximum=1, edges=["0", "0.5", "1"]),  # type: ignore[arg-type]
        Date(name="day", minimum="2024-01-01", maximum="2024-01-31", bins=3),
    )


def make_domain() -> Domain:
    """A domain of these columns, made of lists."""
    return Domain(list(make_columns()), ["", "?"])  # type: ignore[arg-type]


def make_plan() -> Plan:
    """A plan of this domain with groups and rules, made of lists and dictionaries."""
    groups: Any = [["sex", "yes"], ["low", "high"]]
    return Plan(
        domain=make_domain(),
        epsilon=Fraction(1),
        method=Method.GROUPS,
        groups=groups,
        rules=json.loads(json.dumps(RULES)),
    )


@pytest.mark.parametrize(
    "make", [make_domain, make_plan, lambda: read_rules(RULES, make_domain()), Unit]
)
def test_equal_values_have_equal_hashes(make: Any) -> None:
    """Two objects made alike of lists and dictionaries are equal and have the same hash."""
    value, equal_value = make(), make()
    assert value is not equal_value
    assert value == equal_value
    assert hash(value) == hash(equal_value)


@pytest.mark.parametrize("column", make_columns(), ids=lambda column: column.kind)
def test_columns_are_hashed_and_cannot_be_assigned_to(column: Column) -> None:
    """A column has a hash, and none of its attributes can be set."""
    (twin,) = (c for c in make_columns() if c.name == column.name)
    assert hash(column) == hash(twin)
    for field in fields(column):
        with pytest.raises(FrozenInstanceError):
            setattr(column, field.name, None)


def test_lists_handed_in_and_changed_afterwards_change_nothing() -> None:
    """A domain or column does not change when the lists it was made of do."""
    columns, missing = list(make_columns()), ["", "?"]
    domain = Domain(columns, missing)  # type: ignore[arg-type]

    columns.clear()
    missing.append("!")
    assert domain == make_domain()

    codes, labels = ["1", "2"], {"1": "male"}
    sex = Categorical(name="sex", categories=codes, meanings=labels)  # type: ignore[arg-type]
    codes.append("3")
    labels["2"] = "female"
    assert (sex.cells, sex.meanings) == (("1", "2"), {"1": "male"})


def test_rules_and_groups_handed_in_and_changed_afterwards_change_nothing() -> None:
    """A plan, a choice of method and its rules do not change when their lists do."""
    rules: Any = json.loads(json.dumps(RULES))
    groups = [["sex", "yes"]]
    plan = Plan(
        domain=make_domain(),
        epsilon=Fraction(1),
        method=Method.GROUPS,
        groups=groups,
        rules=rules,
    )  # type: ignore[arg-type]
    choice = Choice(method=Method.GROUPS, groups=groups, rules=rules)  # type: ignore[arg-type]
    read_as_rules = read_rules(rules, make_domain())
    before = json.dumps(plan.to_json()), hash(plan), hash(choice), hash(read_as_rules)

    rules["order"][0].reverse()
    rules["impossible"].clear()
    groups[0].append("low")

    assert (
        json.dumps(plan.to_json()),
        hash(plan),
        hash(choice),
        hash(read_as_rules),
    ) == before
    assert thaw(read_as_rules.content) == RULES


def test_what_a_plan_gives_away_can_be_changed_without_changing_it() -> None:
    """The JSON document of a plan may be changed by its reader; the plan stays as it is."""
    mine = make_plan()
    content = mine.to_json()
    content["rules"]["order"].append(["a", "b"])
    content["groups"][0].clear()
    assert mine == make_plan()
    assert mine.to_json()["rules"] == RULES
    assert Plan.from_json(mine.to_json()) == mine


def test_masks_of_rules_cannot_be_written_to() -> None:
    """The arrays in which rules keep the allowed cells cannot be written to or replaced."""
    rules = read_rules(RULES, make_domain())
    for mask in rules.allowed.values():
        with pytest.raises(ValueError, match="read-only"):
            mask[...] = True
    with pytest.raises(TypeError):
        rules.allowed[0,] = np.ones(2)  # type: ignore[index]


def test_frozen_maps_are_mappings_without_a_way_in() -> None:
    """A frozen dictionary is a mapping that cannot be changed, with a hash that ignores the
    order.

    Its lists become tuples and its sets frozen sets; `thaw` gives lists and dictionaries
    back.
    """
    value = freeze({"a": [1, {"b": [2]}], "c": {3}})
    assert value == {"a": (1, {"b": (2,)}), "c": frozenset({3})}
    assert isinstance(value, Mapping)
    assert not hasattr(value, "update")
    with pytest.raises(TypeError):
        value["a"] = 1
    assert hash(FrozenMap({"x": 1, "y": 2})) == hash(FrozenMap({"y": 2, "x": 1}))
    assert thaw(freeze(RULES)) == RULES
