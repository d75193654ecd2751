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


def columns() -> tuple[Column, ...]:
    """One column of each kind, made of fresh lists and dictionaries."""
    return (
        Categorical(name="sex", categories=["1", "2"], meanings={"1": "male"}),  # type: ignore[arg-type]
        Boolean(name="yes", true_values=["true"], false_values=["false"]),  # type: ignore[arg-type]
        Integer(name="low", minimum=0, maximum=9, edges=[0, 5, 9], spikes=[7]),  # type: ignore[arg-type]
        Integer(name="high", minimum=0, maximum=9, bins=3),
        Number(name="wage", minimum=0, maximum=1, edges=["0", "0.5", "1"]),  # type: ignore[arg-type]
        Date(name="day", minimum="2024-01-01", maximum="2024-01-31", bins=3),
    )


def domain() -> Domain:
    return Domain(list(columns()), ["", "?"])  # type: ignore[arg-type]


def plan() -> Plan:
    groups: Any = [["sex", "yes"], ["low", "high"]]
    return Plan(
        domain=domain(),
        epsilon=Fraction(1),
        method=Method.GROUPS,
        groups=groups,
        rules=json.loads(json.dumps(RULES)),
    )


@pytest.mark.parametrize("make", [domain, plan, lambda: read_rules(RULES, domain()), Unit])
def test_equal_values_have_equal_hashes(make: Any) -> None:
    one, other = make(), make()
    assert one is not other
    assert one == other
    assert hash(one) == hash(other)


@pytest.mark.parametrize("column", columns(), ids=lambda column: column.kind)
def test_columns_are_hashed_and_cannot_be_assigned_to(column: Column) -> None:
    (twin,) = (c for c in columns() if c.name == column.name)
    assert hash(column) == hash(twin)
    for one in fields(column):
        with pytest.raises(FrozenInstanceError):
            setattr(column, one.name, None)


def test_lists_handed_in_and_changed_afterwards_change_nothing() -> None:
    made, missing = list(columns()), ["", "?"]
    whole = Domain(made, missing)  # type: ignore[arg-type]
    made.clear()
    missing.append("!")
    assert whole == domain()
    codes, labels = ["1", "2"], {"1": "male"}
    sex = Categorical(name="sex", categories=codes, meanings=labels)  # type: ignore[arg-type]
    codes.append("3")
    labels["2"] = "female"
    assert (sex.cells, sex.meanings) == (("1", "2"), {"1": "male"})


def test_rules_and_groups_handed_in_and_changed_afterwards_change_nothing() -> None:
    rules: Any = json.loads(json.dumps(RULES))
    groups = [["sex", "yes"]]
    kept = Plan(
        domain=domain(), epsilon=Fraction(1), method=Method.GROUPS, groups=groups, rules=rules
    )  # type: ignore[arg-type]
    chosen = Choice(method=Method.GROUPS, groups=groups, rules=rules)  # type: ignore[arg-type]
    read = read_rules(rules, domain())
    before = json.dumps(kept.to_json()), hash(kept), hash(chosen), hash(read)
    rules["order"][0].reverse()
    rules["impossible"].clear()
    groups[0].append("low")
    assert (json.dumps(kept.to_json()), hash(kept), hash(chosen), hash(read)) == before
    assert thaw(read.content) == RULES


def test_what_a_plan_gives_away_can_be_changed_without_changing_it() -> None:
    mine = plan()
    content = mine.to_json()
    content["rules"]["order"].append(["a", "b"])
    content["groups"][0].clear()
    assert mine == plan()
    assert mine.to_json()["rules"] == RULES
    assert Plan.from_json(mine.to_json()) == mine


def test_masks_of_rules_cannot_be_written_to() -> None:
    rules = read_rules(RULES, domain())
    for mask in rules.allowed.values():
        with pytest.raises(ValueError, match="read-only"):
            mask[...] = True
    with pytest.raises(TypeError):
        rules.allowed[0,] = np.ones(2)  # type: ignore[index]


def test_frozen_maps_are_mappings_without_a_way_in() -> None:
    value = freeze({"a": [1, {"b": [2]}], "c": {3}})
    assert value == {"a": (1, {"b": (2,)}), "c": frozenset({3})}
    assert isinstance(value, Mapping)
    assert not hasattr(value, "update")
    with pytest.raises(TypeError):
        value["a"] = 1
    assert hash(FrozenMap({"x": 1, "y": 2})) == hash(FrozenMap({"y": 2, "x": 1}))
    assert thaw(freeze(RULES)) == RULES
