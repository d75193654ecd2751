"""The schema of declarations: what Synth writes is right by it, and what it refuses, the
reader refuses, too.
"""

from dataclasses import replace
from typing import Any

import pytest

from synth.bundle.published import fields
from synth.bundle.published.declaration import declaration_schema
from synth.domain import (
    COLUMN_KINDS,
    DECLARED,
    DRAFTED,
    ID_KEY,
    KEY,
    LOOKED_UP,
    Decisions,
    documents,
    read_schema,
    write_schema,
)
from synth.domain import fields as domain_fields
from synth.lessons.survey import survey_domain
from tests.bundle.shapes import DOMAINS
from tests.published.changes import GONE, change, faults, is_read
from tests.published.documents import DECLARATION, HASH

HOURS = "fields/2"
DAY = "fields/4"


def test_every_written_declaration_has_the_form() -> None:
    """Declarations of all kinds of columns, of the survey, and of seven odd domains."""
    domain = read_schema(DECLARATION)
    taken = replace(
        survey_domain(),
        origin=LOOKED_UP,
        vouched=True,
        decisions=Decisions(left_out={"id": "is a key"}),
    )
    assert faults("declaration", DECLARATION) == []
    for written in (domain, survey_domain(), taken, *DOMAINS.values()):
        assert faults("declaration", write_schema(written)) == []


def test_the_schema_names_the_keys_of_the_reader() -> None:
    """The reader knows no key of our own that the schema lacks, and the other way round; of
    Table Schema's keys, the schema names those that the reader uses.
    """
    properties = {*fields.FIELD["properties"]}  # type: ignore[misc]
    ours = {*domain_fields.OURS}.union(*(kind.keys for kind in COLUMN_KINDS.values()))
    assert {name for name in properties if name.startswith("synth:")} == ours
    assert {KEY, ID_KEY} <= ours
    assert properties - ours <= domain_fields.STANDARD - domain_fields.UNUSED
    definitions: Any = declaration_schema()["$defs"]
    table = {*definitions["declaration"]["properties"]}
    assert {name for name in table if name.startswith("synth:")} == {
        name for name in documents.KEYS if name.startswith("synth:")
    }
    assert table <= documents.KEYS


def test_the_schema_names_the_words_of_the_reader() -> None:
    """Types of columns, constraints and rules for values outside are those of the reader."""
    ours: Any = fields._OURS
    assert set(ours["synth:outside"]["enum"]) == set(domain_fields.OUTSIDE_WORDS)
    constraints: Any = fields._CONSTRAINTS
    assert set(constraints["properties"]) == domain_fields.USED_CONSTRAINTS
    # A year is read as an integer, so no kind of column writes this type.
    types = {type_ for kind in COLUMN_KINDS.values() for type_ in kind.types.values()}
    assert types == {*fields._BINNED, "boolean", "string"} - {"year"}


REFUSED: list[tuple[str, Any]] = [
    ("fields", GONE),
    ("fields", {}),
    ("fields", []),
    ("fields/0", "sex"),
    ("fields/0/name", GONE),
    ("fields/0/name", 5),
    ("fields/0/name", "  "),
    ("fields/0/type", "text"),
    ("fields/0/type", ["string"]),
    ("fields/0/categories", "1, 2"),
    ("fields/0/categories/0/value", None),
    ("fields/0/categories/0/label", 5),
    ("fields/0/categoriesOrdered", "yes"),
    ("fields/0/synth:open_list", 1),
    ("fields/0/synth:outside", "elsewhere"),
    ("fields/0/missingValues", "9"),
    ("fields/0/missingValues/1/value", 9),
    ("fields/0/constraints", []),
    ("fields/0/constraints/enum", []),
    ("fields/0/constraints/enum/0", None),
    ("fields/0/constraints/required", "no"),
    ("fields/0/synth:later", True),
    ("fields/0/synth:signs", ["<5"]),
    ("fields/1/synth:signs", ["<5"]),
    ("fields/1/trueValues", "yes"),
    ("fields/1/trueValues", []),
    (f"{HOURS}/constraints", GONE),
    (f"{HOURS}/constraints/minimum", GONE),
    (f"{HOURS}/constraints/maximum", True),
    (f"{HOURS}/synth:bins", 0),
    (f"{HOURS}/synth:bins", "5"),
    (f"{HOURS}/synth:edges", [0, 50, 99]),
    (f"{HOURS}/synth:period", "day"),
    (f"{HOURS}/synth:spikes", 40),
    (f"{HOURS}/synth:spikes/1/value", [999]),
    (f"{HOURS}/synth:labels/0", None),
    ("fields/3/synth:edges", "0, 99"),
    ("fields/3/synth:edges/1", False),
    ("fields/3/synth:decimals", 16),
    ("fields/3/synth:decimals", 2.5),
    (f"{DAY}/format", "any"),
    (f"{DAY}/format", 7),
    (f"{DAY}/synth:period", "decade"),
    (f"{DAY}/synth:bins", 5),
    (f"{DAY}/synth:pivot", "1990"),
    (f"{DAY}/synth:also", "%d"),
    ("fields/5/synth:zone", 2),
    ("fields/8/synth:derived", "bins(pay, 12.5)"),
    ("fields/8/synth:derived/formula", " "),
    ("fields/8/synth:derived/later", 1),
    ("fields/8/synth:derived/missing", "yes"),
    ("fields/8/synth:derived/lookup", "sex"),
    ("fields/8/synth:later", True),
    ("fields/8/synth:identifier", "uuid"),
    ("fields/9/synth:derived/table", GONE),
    ("fields/9/synth:derived/table", {}),
    ("fields/9/synth:derived/table/1", 1),
    ("fields/9/synth:derived/default", 1),
    ("fields/10/synth:identifier", "P-1"),
    ("fields/10/synth:identifier", "P ###!"),
    ("fields/10/synth:identifier", 6),
    ("fields/10/synth:later", True),
    ("fields/11/synth:identifier/pattern", GONE),
    ("fields/11/synth:identifier/most", 0),
    ("fields/11/synth:identifier/later", 0),
    ("missingValues", ""),
    ("missingValues/0", 9),
    ("synth:origin", "from memory"),
    ("synth:draft", {}),
    ("synth:draft", []),
    ("synth:draft", GONE),
    ("synth:draft/0", "draft"),
    ("synth:looked", "yes"),
    ("synth:taken_is_public", 1),
    ("synth:left_out", ["address"]),
    ("synth:left_out/address", None),
    ("synth:agreed/sex", 1),
]


@pytest.mark.parametrize(("place", "value"), REFUSED)
def test_a_change_is_refused_by_the_schema_and_by_the_reader(place: str, value: Any) -> None:
    changed = change(DECLARATION, place, value)
    assert faults("declaration", changed) != []
    assert not is_read(read_schema, changed)


NARROWER: list[tuple[str, Any]] = [
    # Texts for people, of which the reader takes anything as a text.
    ("fields/0/description", 5),
    ("missingValues/1/label", 5),
    ("$schema", 5),
    ("synth:note", ["a"]),
    # The type of a derived column follows from its rule, and is not read.
    ("fields/9/type", 5),
    # Null is read as absent; Synth never writes it.
    ("fields/2/synth:bins", None),
    ("fields/2/synth:outside", None),
    # A release reads the drafts, and then refuses what the schema refuses.
    ("synth:draft/0/kind", "check"),
    ("synth:draft/0/guarantee", {"rho": "1"}),
    ("synth:draft/0/entry", HASH[1:]),
]


@pytest.mark.parametrize(("place", "value"), NARROWER)
def test_the_schema_is_narrower_than_the_reader(place: str, value: Any) -> None:
    """What Synth never writes and reads all the same."""
    changed = change(DECLARATION, place, value)
    assert faults("declaration", changed) != []
    assert is_read(read_schema, changed)


WIDER: list[tuple[str, Any]] = [
    # No schema can compare two values, or compute with them.
    ("fields/3/name", "hours"),
    ("fields/2/constraints/maximum", -1),
    ("fields/2/synth:signs/0", "5"),
    ("fields/4/constraints/minimum", "spring"),
    ("fields/5/synth:zone", "Atlantis/Main"),
    ("fields/8/synth:derived/formula", "bins(wealth, 5)"),
    ("fields/11/synth:identifier/most", 10**20),
    # The reader refuses keys that look like misspelled ones.
    ("fields/0/catgories", ["1"]),
    ("missingValue", [""]),
]


@pytest.mark.parametrize(("place", "value"), WIDER)
def test_the_reader_refuses_what_no_schema_can_state(place: str, value: Any) -> None:
    changed = change(DECLARATION, place, value)
    assert faults("declaration", changed) == []
    assert not is_read(read_schema, changed)


@pytest.mark.parametrize("place", ["fields/0/rdfType", "fields/0/source", "synth:source"])
def test_keys_of_other_programs_are_allowed(place: str) -> None:
    """Keys that Table Schema has, that others add, and unknown ones of the whole declaration,
    which the reader names as not used.
    """
    changed = change(DECLARATION, place, "a survey")
    assert faults("declaration", changed) == []
    assert is_read(read_schema, changed)


def test_origins_are_those_of_the_reader() -> None:
    definitions: Any = declaration_schema()["$defs"]
    origins = definitions["declaration"]["properties"]["synth:origin"]["enum"]
    assert origins == [DECLARED, DRAFTED, LOOKED_UP]
