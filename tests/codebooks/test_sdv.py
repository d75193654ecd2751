"""SDV metadata of both versions, there and back: what each can say, and what it cannot."""

import json
from typing import Any

import pytest

import synth
from synth.domain.codebooks.formats import from_other, to_other
from synth.domain.codebooks.sdv import DETECTED
from synth.domain.domain import Domain
from synth.domain.table_schema import read_schema, write_schema

DOMAIN = Domain(
    age=synth.Integer(18, 97, bins=16, missing=True, spikes=[999]),
    pay=synth.Number(0, "1.5", bins=3, decimals=2),
    sex=["f", "m"],
    school=synth.Categorical(["none", "some", "all"], ordered=True, missing=True),
    smoker=bool,
    born=synth.Date("1930-01-01", "2007-12-31", bins=4),
)
SAID = {
    "kind": (True, True),
    "format of dates": (True, True),
    "bounds": (False, True),
    "categories": (False, True),
    "order of categories": (False, True),
    "decimals": (False, True),
    "missing cell": (False, True),
    "bins": (False, False),
    "spikes": (False, False),
}
"""What version 1 and version 2 can say."""


def said(field: dict[str, Any]) -> dict[str, object]:
    """What a field says, by the names of `SAID`."""
    held = field.get("constraints", {})
    return {
        "kind": field["type"],
        "format of dates": (field.get("format", "").replace("default", "%Y-%m-%d")),
        "bounds": [str(held.get("minimum")), str(held.get("maximum"))],
        "categories": held.get("enum"),
        "order of categories": field.get("categoriesOrdered"),
        "decimals": field.get("synth:decimals"),
        "missing cell": held.get("required"),
        "bins": field.get("synth:bins"),
        "spikes": field.get("synth:spikes"),
    }


def there_and_back(version: int) -> tuple[list[dict[str, Any]], list[str]]:
    document = write_schema(DOMAIN)
    written, lost = to_other(document, ("sdv", "sdv2")[version])
    return from_other(json.loads(json.dumps(written)))[0]["fields"], lost


@pytest.mark.parametrize("what", SAID)
def test_what_each_version_can_say(what: str) -> None:
    fields = [dict(field) for field in write_schema(DOMAIN)["fields"]]  # type: ignore[union-attr, arg-type]
    for version in (0, 1):
        back, _ = there_and_back(version)
        kept = all(said(a)[what] == said(b)[what] for a, b in zip(fields, back, strict=True))
        assert kept == SAID[what][version], (what, version)


def test_what_is_lost_is_listed() -> None:
    assert [note.partition(" of ")[0] for note in there_and_back(1)[1]] == [
        "Lost: bins", "Lost: spellings", "Lost: spikes",
    ]  # fmt: skip
    assert len(there_and_back(0)[1]) == 8


def test_what_the_newest_sdv_writes_is_read_whole() -> None:
    columns = {
        "age": {"sdtype": "numerical", "decimal_places": 0, "range_min": 18, "range_max": 97,
                "range_is_nullable": False},
        "pay": {"sdtype": "numerical", "range_min": 0.5, "range_max": 9.25,
                "range_is_nullable": True},
        "sex": {"sdtype": "categorical", "range_values": ["f", "m"], "range_is_nullable": False},
        "grade": {"sdtype": "ordinal", "range_values": [1, 2, 3], "range_is_nullable": False},
        "born": {"sdtype": "datetime", "datetime_format": "%d/%m/%Y", "range_min": "01/02/1930",
                 "range_max": "31/12/2007", "range_is_nullable": False},
        "pid": {"sdtype": "id", "regex_format": "[0-9]{5}"},
    }  # fmt: skip
    table = {"columns": columns, "primary_key": "pid"}
    document = {"tables": {"people": table}, "relationships": [], "METADATA_SPEC_VERSION": "V2"}
    notes = from_other(document)[1]
    assert notes == ["Column 'pid' (id) is left out: it is no category.", DETECTED]
    domain = Domain.from_sdv(json.dumps(document).encode())
    assert domain.names == ("age", "pay", "sex", "grade", "born")
    assert domain["grade"].in_words == "in this order: 1 | 2 | 3"
    assert (domain["age"].missing, domain["pay"].missing) == (False, True)
    assert domain["born"].write_field()["format"] == "%d/%m/%Y"
    assert read_schema(write_schema(domain)) == domain
