"""Table Schema files: read, written, read again equal; every guard with its message."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from synth.bundle.dictionary import dictionary
from synth.domain import (
    Categorical,
    Domain,
    Outside,
    building,
    load_schema,
    read_schema,
    write_schema,
)
from synth.errors import DomainError, LimitError
from synth.estimate import read_rules
from synth.plans import Method, Plan
from synth.rows import decode
from tests.tables import MIXED, SHARED

NATIVE = sorted(SHARED.glob("*/domain*.schema.json"))


def schema_of_age(**properties: Any) -> dict[str, Any]:
    """A schema of the one column "age", 0 to 99 in ten bins, changed by ``properties``."""
    base = {
        "name": "age",
        "type": "integer",
        "constraints": {"minimum": 0, "maximum": 99, "required": True},
        "synth:bins": 10,
    }
    return {"fields": [base | properties]}


def schema_of_a_day(period: Any, **properties: Any) -> dict[str, Any]:
    """A schema of one column of dates in 2024, in bins by ``period``."""
    ends = {"minimum": "2024-01-01", "maximum": "2024-12-31"}
    return {
        "fields": [
            {"name": "d", "type": "date", "constraints": ends, "synth:period": period}
            | properties
        ]
    }


def test_round_trip_of_every_kind() -> None:
    """A domain with every kind of column survives being written as JSON and read.

    `MIXED` has one column of each kind; dates with a time and numbers with edges are added.
    """
    ends, form = ("2024-01-01 00:00:00", "2024-01-31 23:59:59"), "%d.%m.%Y %H:%M:%S"
    described = Domain(
        MIXED.columns,
        MIXED.missing_values,
        at=building.Date(*ends, bins=31, time=True, format=form),
        edge=building.Number("-1", "1e3", edges=("-1", "0.1", "1e3"), decimals=2),
    )
    written = json.dumps(write_schema(described))
    assert read_schema(written.encode()) == described


@pytest.mark.skipif(not NATIVE, reason="the shared tables are not here")
@pytest.mark.parametrize("path", NATIVE, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_the_ten_public_declarations_load_with_their_size(path: Path) -> None:
    """Each of the ten published declarations loads with the number of cells that it notes
    down.
    """
    domain = read_schema(path)
    assert domain.size == json.loads(path.read_text())["synth:universe_cells"]
    assert read_schema(write_schema(domain)) == domain
    assert len(NATIVE) == 10


def test_required_false_gives_a_missing_cell_and_its_marker() -> None:
    """A column that need not be filled has a cell for missing values, after its ten bins.

    The first missing value of the schema is the one that is written.
    """
    constraints = {"minimum": 0, "maximum": 9, "required": False}
    domain = read_schema(
        schema_of_age(constraints=constraints) | {"missingValues": ["NA", ""]}
    )
    assert domain["age"].missing_code == 10
    assert domain.missing_marker == "NA"


def test_numbers_in_an_enum_are_texts_and_bounds_are_exact() -> None:
    """Numbers in an enum are categories by their text, and 0.1 in JSON is exactly 1/10."""
    domain = read_schema(schema_of_age(type="integer", constraints={"enum": [1, 2]}))
    assert isinstance(domain["age"], Categorical)
    assert domain["age"].labels == ("1", "2")
    content = (
        b'{"fields":[{"name":"x","type":"number","constraints":{"minimum":0.1,"maximum":1}}]}'
    )
    assert str(read_schema(content)["x"].bounds[0]) == "1/10"  # type: ignore[attr-defined]


@pytest.mark.parametrize("word", ["cell", "own cell"])
def test_cell_and_own_cell_mean_the_same_rule(word: str) -> None:
    assert read_schema(schema_of_age(**{"synth:outside": word}))["age"].rule is Outside.CELL


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff\xfe", "not UTF-8 text"),
        (b'{"fields": [\n}', "not valid JSON at line 2"),
        (b'{"fields": [], "fields": []}', "The domain file says 'fields' twice; leave one"),
        (
            b'{"fields": [{"minimum": Infinity}]}',
            "The domain file holds Infinity, which is no",
        ),
        (b"[1, 2]", "no Table Schema, which is a JSON object with a list under 'fields'"),
        (b'{"fields": 3}', "no Table Schema"),
        (b'{"fields": []}', "declares no columns"),
        (b'{"fields": [3]}', "Field 1 must be a JSON object"),
        (b'{"fields": [{"type": "integer"}]}', "Field 1 has no name"),
        ({"fields": [{"name": "a", "type": "string"}]}, "text without a list of categories"),
        (
            {"fields": [{"name": "a", "type": "geopoint"}]},
            "has the type 'geopoint'; expected",
        ),
        (schema_of_age(type="number", constraints={"minimum": 0}), "declares no maximum"),
        (schema_of_age(constraints={"enum": []}), "lists no categories"),
        (schema_of_age(constraints={"enum": "ab"}), "'enum' must be a list"),
        (schema_of_age(constraints={"enum": [None]}), "must hold texts or numbers"),
        (schema_of_age(constraints=[1]), "'constraints' must be a JSON object"),
        (schema_of_age(constraints={"required": "yes"}), "'required' must be true or false"),
        (
            schema_of_age(constraints={"minimum": [0], "maximum": 1}),
            "must be numbers or dates",
        ),
        (schema_of_age(**{"synth:bins": 2.5}), "'synth:bins' must be a whole number"),
        (schema_of_age(**{"synth:edges": [0, 99]}), "both 'synth:bins' and 'synth:edges'"),
        (schema_of_age(**{"synth:edges": 3, "synth:bins": None}), "must be a list of values"),
        (
            schema_of_age(**{"synth:outside": "ignore"}),
            "'synth:outside' is 'ignore'; expected one of",
        ),
        (schema_of_age(**{"synth:spikes": 3}), "'synth:spikes' must be a list"),
        (
            schema_of_age(**{"synth:spikes": [None]}),
            "must hold texts or numbers, or objects with a 'value'",
        ),
        (
            schema_of_age(**{"synth:spikes": [{"label": "many"}]}),
            "'synth:spikes' must hold texts or numb",
        ),
        (
            schema_of_a_day("fortnight"),
            "is 'fortnight'; expected one of day, week, month, quarter",
        ),
        (schema_of_a_day(3), "'synth:period' is '3'; expected one of"),
        (schema_of_a_day("day", **{"synth:bins": 3}), "both 'synth:bins' and 'synth:period'"),
        (
            schema_of_age(**{"synth:period": "day", "synth:bins": None}),
            "'synth:period', which is for dates",
        ),
        (schema_of_age(**{"synth:bin": 3}), "unknown key 'synth:bin'"),
        (
            schema_of_age(contraints={}),
            "Column 'age': unknown key 'contraints'; expected 'constraints'",
        ),
        (
            schema_of_age(constraints={"maximun": 3}),
            "unknown key 'maximun'; expected 'maximum'",
        ),
        (
            schema_of_age() | {"missingvalues": []},
            "The schema: unknown key 'missingvalues'; expected 'mis",
        ),
        (
            schema_of_age(type=["integer"]),
            "has the type not a text; expected string with an enum",
        ),
        (schema_of_age(type="string", categories=3), "'categories' must be a list"),
        (
            schema_of_age(type="string", categories=[None]),
            "'categories' must hold texts or numbers",
        ),
        (
            schema_of_age(type="string", categories=["a"], categoriesOrdered="yes"),
            "'categoriesOrdered' must be true or false",
        ),
        (
            schema_of_age() | {"missingValues": "NA"},
            "'missingValues' must be a list of texts",
        ),
        (schema_of_age(type="date", format="any"), "must be one example such as"),
        (
            schema_of_age(type="number", **{"synth:decimals": "2"}),
            "'synth:decimals' must be a whole",
        ),
    ],
)
def test_wrong_files_are_refused_in_one_sentence(content: Any, message: str) -> None:
    """A file that declares no domain is refused, with the key and what is expected."""
    with pytest.raises(DomainError, match=message):
        read_schema(content)


# A column of three codes in an order; the first one has a label.
CODED = {
    "name": "edu",
    "type": "string",
    "categories": [{"value": 1, "label": "none"}, {"value": "2", "label": ""}, "3"],
    "categoriesOrdered": True,
    "constraints": {"required": True},
}


def test_labels_and_order_of_codes_reload_equal_and_reach_screens_and_dictionary() -> None:
    """Labels and the order of codes survive a schema, and reach the screens and the
    dictionary.

    Cells are named by the code alone. `CODED` has the codes 1 (label "none"), 2 with an empty
    label, and 3.
    """
    column = read_schema({"fields": [CODED]})["edu"]
    assert column.cells == ("1", "2", "3")
    assert column.titles == ("1 · none", "2", "3")
    assert column.ordered

    again = read_schema(write_schema(Domain((column,))))["edu"]
    assert (again, again.meanings) == (column, {"1": "none"})
    assert "in this order: 1 = none | 2 | 3" in dictionary(Domain((column,)))


def test_an_enum_decides_and_categories_only_name_its_codes() -> None:
    """Where a field has both, the enum gives the codes and their order, the categories the
    labels.

    Of the codes 1, 2 and 3 of `CODED`, the enum keeps 3 and 1.
    """
    field = CODED | {"constraints": {"enum": ["3", "1"]}}
    column = read_schema({"fields": [field]})["edu"]
    assert column.cells == ("3", "1", "(missing)")
    assert column.meanings == {"1": "none"}


def test_files_hold_codes_and_labels_change_no_request() -> None:
    """Synthetic rows hold the codes, and labels do not change what is asked of the private
    data.
    """
    column = read_schema({"fields": [CODED]})["edu"]
    codes = np.array([0, 2], dtype=np.int32)
    assert decode(Domain((column,)), [codes]).table["edu"].to_pylist() == ["1", "3"]

    plain = replace(column, meanings={}, description="")
    assert (
        Plan(domain=Domain((column,)), epsilon=Fraction(1), method=Method.DENSE).request
        == Plan(domain=Domain((plain,)), epsilon=Fraction(1), method=Method.DENSE).request
    )


def test_what_no_release_looks_at_is_listed() -> None:
    """Keys of a schema that Synth does not use are listed, not refused.

    A primary key and "rdfType" are passed over without a word.
    """
    schema = {
        "fields": [
            CODED
            | {
                "constraints": {"unique": True},
                "rdfType": "x",
                "decimalChar": ",",
                "unit": "kg",
            }
        ],
        "primaryKey": "edu",
        "foreignKeys": [],
    }
    assert load_schema(schema)[1] == [
        "Column 'edu': 'decimalChar', 'unit', 'unique' is not used.",
        "The key 'foreignKeys' is not used.",
    ]


def test_a_missing_or_huge_file_is_refused(tmp_path: Path) -> None:
    """A file that is not there, or has a byte more than 8 MB, is refused."""
    with pytest.raises(DomainError, match=r"domain file '.*nowhere.json' cannot be read"):
        read_schema(tmp_path / "nowhere.json")
    with pytest.raises(LimitError, match="larger than 8 MB"):
        read_schema(b" " * (8 * 2**20 + 1))


def test_ordered_categories_can_be_put_in_an_order_rule() -> None:
    """A rule may say that one ordered column is never above another.

    Of three rows, only the one with code 2 before and 0 after breaks it. Columns with other
    categories, or without an order, cannot be in such a rule.
    """
    first, second = (CODED | {"name": name} for name in ("before", "after"))
    domain = read_schema({"fields": [first, second]})
    rules = read_rules({"order": [["before", "after"]]}, domain)
    codes = np.array([[0, 2], [1, 1], [2, 0]])
    assert rules.find_broken(codes).tolist() == [False, False, True]

    of_other_categories = second | {"categories": ["x", "y"]}
    with pytest.raises(DomainError, match="do not list the same categories"):
        read_rules(
            {"order": [["before", "after"]]},
            read_schema({"fields": [first, of_other_categories]}),
        )

    without_order = second | {"categoriesOrdered": False}
    with pytest.raises(DomainError, match=r"'after' .categorical. has no order"):
        read_rules(
            {"order": [["before", "after"]]}, read_schema({"fields": [first, without_order]})
        )
