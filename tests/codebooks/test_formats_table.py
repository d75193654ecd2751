"""What each format can say, as a table: there and back, column by column."""

import json
from typing import Any

import pytest

import synth
from synth.domain import Domain, read_schema, to_other, write_schema
from synth.domain.codebooks.formats import from_other
from synth.domain.codebooks.lost import SAYABLE

DOMAIN = Domain(
    age=synth.Integer(18, 97, bins=16, missing=True, spikes=[999], description="In years."),
    pay=synth.Number(0, "1.5", bins=3, decimals=2, outside="cell"),
    sex=synth.Categorical({"1": "male", "2": "female"}, ordered=True),
    smoker=bool,
    born=synth.Date("1930-01-01", "2007-12-31", bins=4, format="%d.%m.%Y"),
)
PROPERTIES = (
    "name",
    "kind",
    "bounds",
    "categories",
    "order",
    "labels",
    "decimals",
    "date format",
    "missing cell",
    "bins",
    "spikes",
    "outside",
    "description",
)
TABLE = {
    # name, kind, bounds, categories, order, labels, decimals, format, missing, bins, spikes,
    # ...
    "table schema": (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
    "datapackage": (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
    "sdv2": (1, 1, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0),
    "sdv": (1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0),
    "nist": (0, 1, 1, 1, 0, 1, 0, 0, 0, 0, 1, 0, 1),
    "csvw": (1, 1, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1),
    "csvw-eo": (1, 1, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1),
}
"""Which of these each says of every column that it holds; plain CSV on the Web is read only.

NIST's dictionaries hold no dates: they do not say all names.
"""

CSVW = {
    "@context": "http://www.w3.org/ns/csvw",
    "tableSchema": {
        "null": "",
        "columns": [
            {
                "name": "age",
                "dc:description": "In years.",
                "datatype": {"base": "integer", "minimum": 18, "maximum": 97},
            },
            {
                "name": "pay",
                "required": True,
                "datatype": {"base": "decimal", "minimum": "0", "maximum": "1.5"},
            },
            {
                "name": "sex",
                "required": True,
                "datatype": {"base": "string", "format": "1|2"},
            },
            {"name": "smoker", "required": True, "datatype": "boolean"},
            {
                "name": "born",
                "required": True,
                "datatype": {
                    "base": "date",
                    "format": "dd.MM.yyyy",
                    "minimum": "1930-01-01",
                    "maximum": "2007-12-31",
                },
            },
        ],
    },
}


def describe_field(field: dict[str, Any]) -> dict[str, object]:
    """What a field says, by the words of the table; nothing of what it does not have."""
    constraints = field.get("constraints", {})
    labels = [item["label"] for item in field.get("categories", ()) if isinstance(item, dict)]
    bounds = [str(constraints[end]) for end in ("minimum", "maximum") if end in constraints]
    properties = {
        "name": field["name"],
        "kind": field["type"],
        "bounds": bounds,
        "categories": constraints.get("enum"),
        "order": field.get("categoriesOrdered"),
        "labels": labels,
        "decimals": field.get("synth:decimals"),
        "date format": field.get("format"),
        "missing cell": constraints.get("required"),
        "bins": field.get("synth:bins"),
        "spikes": [
            str(spike["value"] if isinstance(spike, dict) else spike)
            for spike in field.get("synth:spikes", ())
        ],
        "outside": field.get("synth:outside"),
        "description": field.get("description"),
    }
    return {
        property_name: property_value
        for property_name, property_value in properties.items()
        if property_value not in (None, [])
    }


def fields_after_a_journey(kind: str) -> list[dict[str, Any]]:
    """The fields of the declaration after a journey to a format and back."""
    document: dict[str, Any] = json.loads(json.dumps(write_schema(DOMAIN)))
    written: Any = document
    if kind == "csvw":
        written = CSVW
    elif kind == "datapackage":
        written = {"resources": [{"name": "people", "path": "p.csv", "schema": document}]}
    elif kind != "table schema":
        written = json.loads(json.dumps(to_other(document, kind)[0]))
    fields: list[dict[str, Any]] = from_other(written)[0]["fields"]
    return fields


def is_kept(
    property_name: str, pairs: list[tuple[dict[str, object], dict[str, object]]]
) -> bool:
    """Whether it is as it was in every column that is there and has it, and there is one."""
    values = [
        (described.get(property_name), described_after.get(property_name))
        for described, described_after in pairs
        if property_name in described and (described_after or property_name == "name")
    ]
    return bool(values) and all(before == after for before, after in values)


@pytest.mark.parametrize("kind", TABLE)
def test_what_each_format_can_say(kind: str) -> None:
    """Each format keeps exactly the properties of columns that the table claims for it.

    A declaration with all of them is written in the format and read again. A property counts
    as kept (1) if it is the same in each column that has it and came back.
    """
    fields: Any = write_schema(DOMAIN)["fields"]
    described_before = [describe_field(field) for field in fields]
    described_after = {
        field["name"]: describe_field(field) for field in fields_after_a_journey(kind)
    }
    pairs = [(before, described_after.get(before["name"], {})) for before in described_before]

    kept = {property_name: int(is_kept(property_name, pairs)) for property_name in PROPERTIES}
    assert kept == dict(zip(PROPERTIES, TABLE[kind], strict=True))


def test_what_is_said_again_makes_the_same_domain() -> None:
    """The domain of the table survives a schema, and the table has a row for every format.

    Sizes by column (pgm) and plain lists of codes (codebook) say too little for a row.
    """
    assert read_schema(write_schema(DOMAIN)) == DOMAIN
    assert set(TABLE) >= {kind for kind in SAYABLE if kind not in ("pgm", "codebook")}
