"""Right documents of all kinds. No test is in here."""

from fractions import Fraction
from typing import Any

from synth.domain import read_schema
from synth.plans import Plan

HASH = "a" * 64
CHECK: dict[str, Any] = {
    "kind": "check",
    "guarantee": {"epsilon": "1/10"},
    "neighbors": "add-remove",
    "person": "id",
    "max_rows": 2,
    "entry": HASH,
    "said": {"noisy": 12, "rows": {"sex": [1, 2]}},
}
DRAFT: dict[str, Any] = {
    **CHECK,
    "kind": "draft",
    "guarantee": {"epsilon": "1/2", "delta": "1/1000000000"},
}
FIELDS: list[dict[str, Any]] = [
    {
        "name": "sex",
        "type": "string",
        "title": "used by other programs",
        "description": "as registered",
        "categories": [{"value": "1", "label": "male"}, "2"],
        "categoriesOrdered": True,
        "synth:open_list": True,
        "synth:labels": [{"value": "1", "label": "man"}],
        "synth:outside": "missing",
        "missingValues": ["", {"value": "9", "label": "refused"}],
        "constraints": {"enum": ["1", "2"], "required": False},
    },
    {"name": "smoker", "type": "boolean", "trueValues": ["yes", 1], "falseValues": ["no"]},
    {
        "name": "hours",
        "type": "integer",
        "synth:bins": 5,
        "synth:outside": "cell",
        "synth:spikes": [40, {"value": 999, "label": "unknown"}],
        "synth:signs": ["n.d.", {"value": ">99", "label": "above range"}],
        "synth:labels": [{"value": 0, "label": "none"}],
        "constraints": {"minimum": 0, "maximum": "99", "required": True},
    },
    {
        "name": "pay",
        "type": "number",
        "synth:edges": ["0", "12.5", 99],
        "synth:decimals": 2,
        "synth:outside": "nearest",
        "constraints": {"minimum": 0, "maximum": 99, "unique": False},
    },
    {
        "name": "day",
        "type": "date",
        "format": "%d.%m.%y",
        "synth:period": "week",
        "synth:pivot": 1990,
        "synth:also": ["%Y-%m-%d"],
        "constraints": {"minimum": "2024-01-01", "maximum": "2024-12-31"},
    },
    {
        "name": "at",
        "type": "datetime",
        "format": "%Y-%m-%d %H:%M%z",
        "synth:zone": "Europe/Berlin",
        "synth:bins": 4,
        "constraints": {"minimum": "2024-01-01 00:00", "maximum": "2024-12-31 00:00"},
    },
    {
        "name": "opens",
        "type": "time",
        "format": "%H:%M",
        "synth:bins": 4,
        "constraints": {"minimum": "08:00", "maximum": "20:00"},
    },
    {
        "name": "lasts",
        "type": "duration",
        "synth:bins": 4,
        "constraints": {"minimum": "PT0S", "maximum": "PT2H"},
    },
    {"name": "pay_group", "synth:derived": {"formula": "bins(pay, 12.5)", "missing": True}},
    {
        "name": "sex_name",
        "type": "string",
        "description": "in words",
        "synth:derived": {
            "lookup": "sex",
            "table": {"1": "man", "2": "woman"},
            "default": "other",
            "missing": True,
            "taken": False,
        },
    },
    {"name": "id", "synth:identifier": "P-######"},
    {"name": "number", "synth:identifier": {"pattern": "number", "most": 2000}},
]
DECLARATION: dict[str, Any] = {
    "$schema": "https://datapackage.org/profiles/2.0/tableschema.json",
    "fields": FIELDS,
    "missingValues": ["", {"value": "NA", "label": "not asked"}],
    "synth:origin": "drafted from the private data under differential privacy",
    "synth:draft": [DRAFT],
    "synth:looked": True,
    "synth:taken_is_public": False,
    "synth:left_out": {"address": "names a person"},
    "synth:agreed": {"sex": "rare ones are joined"},
    "synth:note": "invented",
    "synth:universe_cells": 1,
}


def plan_document(**choices: Any) -> dict[str, Any]:
    """The plan of a release of all these columns, with further choices."""
    plan = Plan(domain=read_schema(DECLARATION), epsilon=Fraction(1, 3), **choices)
    return plan.to_json()
