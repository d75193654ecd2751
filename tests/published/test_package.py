"""The schema of linked tables: what Synth writes is right by it, and what it refuses, the
reader refuses, too.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from synth.domain import read_package
from tests.linked.households import DOCUMENT
from tests.published.changes import GONE, change, faults, is_read

SHARED = Path("/work/shared/data/linked")
FIELDS = "resources/1/schema/fields"
LINK = "resources/1/schema/foreignKeys/0"


def test_a_package_has_the_form_as_declared_and_as_written() -> None:
    package = read_package(DOCUMENT)
    assert faults("package", DOCUMENT) == []
    assert faults("package", package.to_json()) == []


def test_a_package_with_patterns_and_public_tables_has_the_form() -> None:
    """A pattern of keys, and a public table whose columns are joined."""
    key = {"name": "id", "type": "string", "synth:identifier": "uuid"}
    color = {"name": "color", "type": "string", "constraints": {"enum": ["red", "blue"]}}
    link = {"fields": "town", "reference": {"resource": "towns", "fields": "town"}}
    fields = [key, color, {"name": "town", "type": "string"}]
    area = {**color, "name": "area"}
    towns = {"primaryKey": "town", "fields": [{"name": "town", "type": "string"}, area]}
    document = {
        "resources": [
            {
                "name": "people",
                "path": "p.csv",
                "schema": {"primaryKey": "id", "fields": fields, "foreignKeys": [link]},
            },
            {"name": "towns", "path": "t.csv", "synth:public": True, "schema": towns},
        ]
    }
    assert faults("package", document) == []
    assert faults("package", read_package(document).to_json()) == []


@pytest.mark.parametrize("path", sorted(SHARED.glob("*/datapackage.json")), ids=str)
def test_packages_of_real_tables_have_the_form(path: Path) -> None:
    """Where tables are kept beside the project."""
    assert faults("package", json.loads(path.read_text(encoding="utf-8"))) == []


REFUSED: list[tuple[str, Any]] = [
    ("resources", GONE),
    ("resources", {}),
    ("resources", []),
    ("resources/0", "homes"),
    ("resources/0/name", GONE),
    ("resources/0/name", "my homes"),
    ("resources/0/path", GONE),
    ("resources/0/path", "/homes.csv"),
    ("resources/0/path", "../homes.csv"),
    ("resources/0/schema", GONE),
    ("resources/0/schema/fields", {}),
    ("resources/0/schema/primaryKey", 1),
    ("resources/0/schema/primaryKey", ["h", "h"]),
    ("resources/1/synth:maxRows", 0),
    ("resources/1/synth:maxRows", "2"),
    ("resources/1/synth:maxRows", 10**6),
    ("resources/1/synth:keep", "last"),
    ("resources/1/synth:keep", "first"),
    ("resources/1/synth:order", 1),
    (f"{FIELDS}/2/constraints/enum", 1),
    (f"{FIELDS}/2/synth:later", 1),
    (f"{FIELDS}/0/name", GONE),
    ("resources/1/schema/foreignKeys", {}),
    (f"{LINK}/fields", GONE),
    (f"{LINK}/reference", GONE),
    (f"{LINK}/reference/fields", GONE),
]


@pytest.mark.parametrize(("place", "value"), REFUSED)
def test_a_change_is_refused_by_the_schema_and_by_the_reader(place: str, value: Any) -> None:
    changed = change(DOCUMENT, place, value)
    assert faults("package", changed) != []
    assert not is_read(read_package, changed)


NARROWER: list[tuple[str, Any]] = [
    # A name of the package is a text, of which the reader takes anything as one.
    ("name", 5),
    # Keys have no values to declare, so that the reader looks at the name alone.
    (f"{FIELDS}/0/synth:bins", 5),
    (f"{FIELDS}/0/type", 5),
]


@pytest.mark.parametrize(("place", "value"), NARROWER)
def test_the_schema_is_narrower_than_the_reader(place: str, value: Any) -> None:
    changed = change(DOCUMENT, place, value)
    assert faults("package", changed) != []
    assert is_read(read_package, changed)


WIDER: list[tuple[str, Any]] = [
    # Which tables hang together, only the reader can say.
    ("resources/0/schema/primaryKey", GONE),
    ("resources/1/synth:maxRows", GONE),
    (f"{LINK}/reference/resource", "nowhere"),
    (f"{LINK}/fields/0", "nothing"),
]


@pytest.mark.parametrize(("place", "value"), WIDER)
def test_the_reader_refuses_what_no_schema_can_state(place: str, value: Any) -> None:
    changed = change(DOCUMENT, place, value)
    assert faults("package", changed) == []
    assert not is_read(read_package, changed)
