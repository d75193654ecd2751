"""A package of linked tables is read as it is meant, or refused in one sentence."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from synth import limits
from synth.domain import read_package
from synth.errors import DomainError
from tests.linked.households import DOCUMENT

Change = Callable[[list[dict[str, Any]]], None]


def change_document(change: Change) -> dict[str, Any]:
    """A copy of the package of households whose tables were changed."""
    document = deepcopy(DOCUMENT)
    change(document["resources"])
    return document


def test_a_package_is_read_parents_first_and_written_as_it_is_read() -> None:
    """Linked tables are read with parents before their children, and written as they are
    read.

    The package has homes, their persons and cars, and events of persons. Column `h` numbers
    homes, and `p` the persons of a home. Cars of a home are taken in the order of column `d`,
    and at most 4 count, so that bands of homes end at a quarter, half and all of it. A home
    also has the numbers of its persons and cars, and their bands.
    """
    package = read_package(DOCUMENT)
    homes, persons, cars, events = package.tables
    assert [table.name for table in package.tables] == ["homes", "persons", "cars", "events"]
    assert (homes.parent, persons.parent, cars.parent, events.parent) == (None, 0, 0, 1)

    assert persons.key_columns == ("h", "p")
    assert events.key_columns == ("h", "p")
    assert cars.first_by == ("d",)
    assert cars.tops == (1, 2, 4)

    assert package.names(0) == [
        "a",
        "number of persons",
        "band of the number of persons",
        "number of cars",
        "band of the number of cars",
    ]
    assert read_package(package.to_json()) == package


def test_a_panel_in_one_file_is_two_tables_of_one_path() -> None:
    """Two tables of a package may be in one file, as in a panel; here cars are in that of
    homes.
    """
    document = change_document(lambda tables: tables[3].update(path="homes.csv"))
    paths = {table.name: table.path for table in read_package(document).tables}
    assert paths["cars"] == paths["homes"] == "homes.csv"


def test_a_key_of_categories_does_not_repeat() -> None:
    """A car's key is its home and its category ``d``: within a home no ``d`` repeats.

    Cars are the document's last table, and the third of the package, which has parents first.
    """
    document = change_document(
        lambda tables: tables[3]["schema"].update(primaryKey=["h", "d"])
    )
    cars = read_package(document).tables[2]
    assert cars.unique == ("d",)
    assert read_package(read_package(document).to_json()).tables[2] == cars


def test_a_key_without_values_is_numbered() -> None:
    """A column of a key that lists no values is a key only: synthetic keys stand there."""

    def add_plates(tables: list[dict[str, Any]]) -> None:
        tables[3]["schema"]["fields"].append({"name": "plate", "type": "string"})
        tables[3]["schema"]["primaryKey"] = ["h", "plate"]

    assert read_package(change_document(add_plates)).tables[2].keys == (
        ("h", "integer"),
        ("plate", "string"),
    )


def _public(tables: list[dict[str, Any]]) -> None:
    """Add a public table of makes, to which cars link by their category "d"."""
    tables.append(
        {
            "name": "makes",
            "path": "makes.csv",
            "synth:public": True,
            "schema": {"primaryKey": "d", "fields": [{"name": "d", "type": "string"}]},
        }
    )
    link = {"fields": "d", "reference": {"resource": "makes", "fields": "d"}}
    tables[3]["schema"]["foreignKeys"].append(link)


def test_a_second_parent_may_be_public() -> None:
    """Cars may link to a public table of makes besides their home, here by their category
    ``d``.

    It is not one of the tables to release, and ``d`` stays a column of the cars.
    """
    package = read_package(change_document(_public))
    assert [table.name for table in package.tables] == ["homes", "persons", "cars", "events"]
    assert package.tables[2].domain.names == ("d",)


def _joined(tables: list[dict[str, Any]]) -> None:
    """Add a public table of makes and seats, and the make of each car as a mere link
    to it.
    """
    fields = [
        {"name": "make", "type": "string"},
        {"name": "seats", "type": "integer", "constraints": {"minimum": 1, "maximum": 9}},
    ]
    tables.append(
        {
            "name": "makes",
            "path": "makes.csv",
            "synth:public": True,
            "schema": {"primaryKey": "make", "fields": fields},
        }
    )
    tables[3]["schema"]["fields"].append({"name": "made by", "type": "string"})
    link = {"fields": "made by", "reference": {"resource": "makes", "fields": "make"}}
    tables[3]["schema"]["foreignKeys"].append(link)


def test_columns_of_a_public_table_stand_for_a_key_without_values() -> None:
    """Of a link to a public table, its columns are synthesised, and not the key.

    A car has a key of its make, which lists no values; the public table says the seats of
    each make. So cars get the column "seats", which is not their own.
    """
    package = read_package(change_document(_joined))
    cars = package.tables[2]
    assert cars.domain.names == ("d", "seats")
    assert cars.own.names == ("d",)
    assert cars.order == ("h", "d", "seats")
    assert package.paths["makes"] == "makes.csv"
    assert read_package(package.to_json()) == package


def _joined_by_another_column(tables: list[dict[str, Any]]) -> None:
    """Name the rows of the public table by another column than the link."""
    _joined(tables)
    tables[4]["schema"]["primaryKey"] = "seats"


def _joined_by_a_key(tables: list[dict[str, Any]]) -> None:
    """Make the link to the public table a part of the key of cars."""
    _joined(tables)
    tables[3]["schema"]["primaryKey"] = ["h", "made by"]


def _joined_column_twice(tables: list[dict[str, Any]]) -> None:
    """Call a column of the public table as one of cars."""
    _joined(tables)
    tables[4]["schema"]["fields"][1]["name"] = "d"


def _without_root_key(tables: list[dict[str, Any]]) -> None:
    """Link events to persons by a column that does not name the home."""
    link = {"fields": "p", "reference": {"resource": "persons", "fields": "p"}}
    tables[2]["schema"]["foreignKeys"] = [link]


def _two_parents(tables: list[dict[str, Any]]) -> None:
    """Link events to homes too."""
    link = {"fields": "h", "reference": {"resource": "homes", "fields": "h"}}
    tables[2]["schema"]["foreignKeys"].append(link)


def _circle(tables: list[dict[str, Any]]) -> None:
    """Link homes to persons, which link to homes."""
    link = {"fields": "h", "reference": {"resource": "persons", "fields": "h"}}
    tables[0]["schema"]["foreignKeys"] = [link]


def _public_below_protected(tables: list[dict[str, Any]]) -> None:
    """Link the public table to homes, which are protected."""
    _public(tables)
    tables[4]["schema"]["fields"].append({"name": "h", "type": "integer"})
    link = {"fields": "h", "reference": {"resource": "homes", "fields": "h"}}
    tables[4]["schema"]["foreignKeys"] = [link]


def _circle_below_a_root(tables: list[dict[str, Any]]) -> None:
    """Link persons to events, which link to persons."""
    link = {"fields": ["h", "p"], "reference": {"resource": "events", "fields": ["h", "p"]}}
    tables[1]["schema"]["foreignKeys"] = [link]


def _derived(tables: list[dict[str, Any]]) -> None:
    """Add a derived column to cars."""
    tables[3]["schema"]["fields"].append({"name": "e", "synth:derived": {"formula": "d"}})


def _key_in_bins(tables: list[dict[str, Any]]) -> None:
    """Make a column that is cut into bins a part of the key of cars."""
    age = {"minimum": 0, "maximum": 99}
    tables[3]["schema"]["fields"].append(
        {"name": "age", "type": "integer", "constraints": age, "synth:bins": 5}
    )
    tables[3]["schema"]["primaryKey"] = ["h", "age"]


def _many(tables: list[dict[str, Any]]) -> None:
    """Add tables beyond the limit."""
    tables += [{**tables[3], "name": f"t{number}"} for number in range(limits.LINKED_TABLES)]


def _schema(number: int, **entries: Any) -> Change:
    """A change of entries in the schema of a table, by its number in the document."""
    return lambda tables: tables[number]["schema"].update(entries)


def _link(number: int, **entries: Any) -> Change:
    """A change of entries in the first link of a table, by its number in the document."""
    return lambda tables: tables[number]["schema"]["foreignKeys"][0].update(entries)


def _key_pattern(table: int, field: int, pattern: object) -> Change:
    """A change that gives a key, by the numbers of table and field, a pattern of synthetic
    keys.
    """
    return lambda tables: tables[table]["schema"]["fields"][field].update(
        {"synth:identifier": pattern}
    )


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (_circle, "go in a circle"),
        (_two_parents, "'events' has two protected parents, 'persons' and 'homes'"),
        (_joined_by_another_column, "'cars' links to the public table 'makes' by 'made by'"),
        (_joined_by_a_key, "link by one column that is no key of 'cars'"),
        (_joined_column_twice, "'cars' and the public table 'makes' both declare 'd'"),
        (_without_root_key, "add the column 'h' to 'events'"),
        (
            _public_below_protected,
            "public table 'makes' links to the protected table 'homes'",
        ),
        (_circle_below_a_root, "go in a circle, and lead to no root table"),
        (_derived, "no derived columns or IDs yet: see 'cars'"),
        (_key_in_bins, "'age' of the primary key of 'cars' is cut into bins"),
        (_many, "tables; the limit is"),
        (_link(1, fields=None), "must name columns"),
        (_link(1, reference="homes"), "needs 'fields' and a 'reference'"),
        (_link(2, fields=["h", "h"]), "names a column twice"),
        (_schema(1, primaryKey=["h"]), "needs a column that names a row within its root"),
        (_schema(1, primaryKey=["h", "b"]), "links to 'persons' by 'p', which is not of its"),
        (lambda tables: tables[0]["schema"]["fields"].append({}), "Field 2 has no name"),
        (
            lambda tables: tables[0]["schema"]["fields"].append({"name": "h"}),
            "two of one name",
        ),
        (lambda tables: tables[1].update(path=""), "in the folder of the package"),
        (_link(1, reference={"resource": "flats", "fields": "h"}), "'flats', which is not"),
        (_link(1, fields="x"), "by the column 'x', which 'persons' does not declare"),
        (_link(1, fields=["h", "p"]), "names 2 columns here and 1 there"),
        (_schema(0, primaryKey=[]), "The root table 'homes' needs a primary key"),
        (_schema(0, primaryKey="z"), "names 'z', which is no field"),
        (_schema(1, primaryKey=["p"]), "needs the root's key, 'h'"),
        (
            lambda tables: tables[1].update({"synth:maxRows": 0}),
            "a whole number from 1 to 1,000",
        ),
        (
            lambda tables: tables[1].update({"synth:maxRows": 1001}),
            "a whole number from 1 to",
        ),
        (lambda tables: tables[1].pop("synth:maxRows"), "'persons' needs 'synth:maxRows'"),
        (lambda tables: tables[1].update(name="homes"), "The name 'homes' is taken"),
        (lambda tables: tables[1].update(name="plan"), "The name 'plan' is taken"),
        (lambda tables: tables[1].update(name="a b"), "letters, digits"),
        (lambda tables: tables[1].update(path="../x.csv"), "in the folder of the package"),
        (lambda tables: tables[3].pop("synth:order"), "say by which columns"),
        (lambda tables: tables[3].update({"synth:order": "q"}), "no column with values"),
        (
            lambda tables: tables[3].update({"synth:keep": "last"}),
            "must be one of random, first",
        ),
        (lambda tables: tables[3]["schema"].pop("fields"), "no 'schema'"),
        (lambda tables: tables[3]["schema"]["fields"].pop(), "has keys only"),
        (
            lambda tables: tables[0].update({"synth:public": True}),
            "circle|public|without a parent",
        ),
        (
            _key_pattern(0, 0, "H###"),
            "may need 1,000,000,000 keys, and its pattern has 1,000",
        ),
        (
            _key_pattern(1, 1, {"pattern": "@", "most": 1}),
            "may need 2 keys, and its pattern has 1",
        ),
        (_key_pattern(2, 0, "uuid"), "declare the pattern of its keys there"),
        (lambda tables: tables[3]["schema"].pop("foreignKeys"), "one table without a parent"),
        (
            lambda tables: tables[3]["schema"]["fields"][1].pop("constraints"),
            "Table 'cars': ",
        ),
    ],
)
def test_a_package_that_makes_no_sense_is_refused_in_one_sentence(
    change: Change, sentence: str
) -> None:
    """A package with wrong links, keys, names or limits is refused in one sentence that names
    them.

    ``change`` spoils one thing in the package of households; in its document, tables 0 to 3
    are homes, persons, events and cars.
    """
    with pytest.raises(DomainError, match=sentence) as refused:
        read_package(change_document(change))
    assert "\n" not in str(refused.value)


def test_a_document_that_is_no_package_is_refused() -> None:
    with pytest.raises(DomainError, match="This is no data package"):
        read_package({"fields": []})


def test_links_below_the_third_level_are_refused() -> None:
    """Links go down three levels at most: homes, persons, events; a table below events is
    refused.
    """

    def add_level(tables: list[dict[str, Any]]) -> None:
        events = tables[2]
        events["schema"]["fields"].insert(2, {"name": "e", "type": "integer"})
        events["schema"]["primaryKey"] = ["h", "p", "e"]
        link = {
            "fields": ["h", "e"],
            "reference": {"resource": "events", "fields": ["h", "e"]},
        }
        deep = deepcopy(events) | {"name": "deep"}
        deep["schema"] = {"fields": events["schema"]["fields"], "foreignKeys": [link]}
        tables.append(deep)

    with pytest.raises(DomainError, match="below level 3"):
        read_package(change_document(add_level))
