"""Sheets of any shape: roles guessed from the header, or said by the steward."""

from typing import Any

import pytest

from synth.domain import Domain, finish
from synth.domain.codebooks.sheets import from_sheet, guess_roles, sheet_of
from synth.errors import DomainError

SHAPES = {
    "long": "variable,value,label\nsex,1,male\nsex,2,female\nage,0-99,\n",
    "names once": "Variable;Code;Meaning\nsex;1;male\n;2;female\nage;0-99;\n",
    "packed": "field|type|values|range\nsex|nominal|1=male; "
    "2=female|\nage|integer||0 to 99\n",
    "wide": 'Column\tType\tMin\tMax\tCodes\nsex\tfactor\t\t\t"1: male\n2: female"\n'
    "age\tint\t0\t99\n",
    "german": "Merkmal;Typ;Von;Bis;Ausprägungen\nsex;nominal;;;1 = male, 2 = female\n"
    "age;int;0;99\n",
    "template": (
        "name,type,minimum,maximum,value,label,missing,format,description\n"
        "sex,,,,1,male,,,\n,,,,2,female,,,\nage,integer,0,99,,,,,How old\n"
    ),
}


def read_domain_of(text: str, roles: dict[str, int] | None = None) -> Domain:
    return finish(from_sheet(sheet_of(text), roles)[0])


@pytest.mark.parametrize("shape", SHAPES)
def test_one_code_book_in_many_shapes(shape: str) -> None:
    domain = read_domain_of(SHAPES[shape])
    assert domain["sex"].titles == ("1 · male", "2 · female")
    age: Any = domain["age"]
    assert (age.minimum, age.maximum, age.size) == ("0", "99", 20)


def test_roles_that_the_header_does_not_tell_are_said() -> None:
    text = "x,y,z\nsex,1,male\nsex,2,female\n"
    sheet = sheet_of(text)
    assert (sheet.roles, sheet.is_sure, sheet.header[0]) == ({}, False, "column 1")
    roles = {"name": 0, "value": 1, "label": 2}
    document, _ = from_sheet(sheet, roles)
    assert [field["name"] for field in document["fields"]] == [
        "x",
        "sex",
    ]  # no row is a header
    with pytest.raises(
        DomainError, match="Say which column of the code book holds the names"
    ):
        from_sheet(sheet, {"value": 1})


@pytest.mark.parametrize(
    "text",
    [
        "Data dictionary of the survey\nVariable,Description\nage,Age in years\nsex,Sex at "
        "birth\n",
        "Clinic\n\nVersion 2\nVariable;Description\nage;Age in years\nsex;Sex at birth\n",
        "age,Age in years\nsex,Sex at birth\n",
    ],
)
def test_a_code_book_of_prose_gives_names_and_descriptions_and_no_category(text: str) -> None:
    sheet = sheet_of(text)
    assert sheet.is_plain
    document, notes = from_sheet(sheet)
    assert document["fields"] == [
        {"name": "age", "description": "Age in years"},
        {"name": "sex", "description": "Sex at birth"},
    ]
    assert notes[0] == "Column 'age' needs a kind; the code book does not say it."


def test_a_title_above_the_header_changes_nothing() -> None:
    for text in SHAPES.values():
        assert sheet_of(f"All about our table\n{text}") == sheet_of(text)


def test_bands_are_categories_and_a_single_range_is_bounds() -> None:
    bands = "name,value\nage,0-17\nage,18-64\nage,65+\nheight,100-210\nheight,-9\n"
    fields = from_sheet(sheet_of(bands))[0]["fields"]
    assert fields[0]["constraints"]["enum"] == ["0-17", "18-64", "65+"]
    assert (fields[1]["constraints"]["minimum"], fields[1]["synth:spikes"]) == ("100", ["-9"])


def test_a_title_has_one_role_and_a_role_one_title() -> None:
    assert guess_roles(["Name", "Variable", "VALUE_LABELS", "min.", "Max", "?"]) == {
        "name": 0,
        "values": 2,
        "minimum": 3,
        "maximum": 4,
    }
    assert guess_roles(["variable", "label", "type"]) == {
        "name": 0,
        "description": 1,
        "type": 2,
    }
    assert guess_roles(["variable", "code", "description"])["label"] == 2


def test_missing_codes_count_as_missing_where_nobody_else_has_them() -> None:
    text = (
        "name,type,min,max,missing,values\n"
        "age,integer,0,99,-8;99,\nyears,integer,0,120,-8,\nsex,,,,NA,1=m;2=f\n"
    )
    document, notes = from_sheet(sheet_of(text))
    assert document["missingValues"] == ["", "-8", "NA"]
    age = document["fields"][0]
    assert age["synth:spikes"] == [{"value": "99", "label": "missing"}]
    assert "99 means a missing value, and a value in another column" in notes[0]
    assert [f["constraints"]["required"] for f in document["fields"]] == [False, False, False]
    assert notes[-1] == "-8, NA counts as missing in every column."


def test_cells_that_look_like_formulas_are_texts() -> None:
    document, _ = from_sheet(sheet_of("name,value,label\n'=1+1,=cmd|'x',@SUM(A1)\n"))
    (field,) = document["fields"]
    assert field["name"] == "=1+1"  # as the template guards it
    assert field["categories"] == [{"value": "=cmd|'x'", "label": "@SUM(A1)"}]
