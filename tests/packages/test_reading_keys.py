"""How many synthetic keys a table may need, by the most rows of all tables above it."""

from copy import deepcopy
from typing import Any

import pytest

from synth.domain import LinkedPackage, read_package
from synth.errors import DomainError
from tests.linked.households import DOCUMENT


def events_of_persons(persons: int, events: int) -> LinkedPackage:
    """At most so many persons of a home, and events of one; their keys have one digit."""
    document: dict[str, Any] = deepcopy(DOCUMENT)
    tables = {resource["name"]: resource for resource in document["resources"]}
    tables["persons"]["synth:maxRows"] = persons
    tables["events"]["synth:maxRows"] = events
    schema = tables["events"]["schema"]
    schema["fields"].append({"name": "e", "type": "string", "synth:identifier": "#"})
    schema["primaryKey"] = ["h", "e"]
    return read_package(document)


def test_keys_are_as_many_as_a_root_may_have_rows_below_rows() -> None:
    """A pattern of one digit has 10 keys: enough for 3 x 3 events, not for 3 x 4."""
    assert events_of_persons(3, 3).tables[3].patterns[0].pattern == "#"
    with pytest.raises(DomainError, match="'e' of 'events' may need 12 keys, and its"):
        events_of_persons(3, 4)
