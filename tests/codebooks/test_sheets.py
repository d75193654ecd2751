"""Sheets of any shape: roles guessed from the header, or said by the steward."""

from typing import Any

import pytest

from synth.domain import Domain, finish
from synth.domain.codebooks.sheets import from_sheet, guess_roles, sheet_of
from synth.errors import DomainError

# The same code book in several layouts: sex is 1 male, 2 female, and age is 0 to 99.
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
    """The domain that a code book as text declares; ``roles`` place its columns."""
    return finish(from_sheet(sheet_of(text), roles)[0])


@pytest.mark.parametrize("shape", SHAPES)
def test_one_code_book_in_many_shapes(shape: str) -> None:
    """A code book in any of the usual layouts and languages declares the same domain.

    Each says that sex is 1 (male) or 2 (female) and age is 0 to 99, in 20 bins by default.
    """
    domain = read_domain_of(SHAPES[shape])
    assert domain["sex"].titles == ("1 · male", "2 · female")
    age: Any = domain["age"]
    assert (age.minimum, age.maximum, age.size) == ("0", "99", 20)


def test_roles_that_the_header_does_not_tell_are_said() -> None:
    """Columns without known titles get their roles from the steward, who has to say the
    names.

    Nothing shows that "x,y,z" is a header, so that it counts as a row.
    """
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
    """Two columns of names and sentences are descriptions, and not categories of a column.

    A title above the header, another separator, or no header at all make no difference.
    """
    sheet = sheet_of(text)
    assert sheet.is_plain
    document, notes = from_sheet(sheet)
    assert document["fields"] == [
        {"name": "age", "description": "Age in years"},
        {"name": "sex", "description": "Sex at birth"},
    ]
    assert notes[0] == "Column 'age' needs a kind; the code book does not say it."


def test_a_title_above_the_header_changes_nothing() -> None:
    """A line of a title above the header is passed over, in every layout."""
    for text in SHAPES.values():
        assert sheet_of(f"All about our table\n{text}") == sheet_of(text)


def test_bands_are_categories_and_a_single_range_is_bounds() -> None:
    """Several ranges of a column, as age bands, are categories; a single one is its bounds.

    A single code beside the bounds of height, -9, gets a cell of its own (a spike).
    """
    bands = "name,value\nage,0-17\nage,18-64\nage,65+\nheight,100-210\nheight,-9\n"
    fields = from_sheet(sheet_of(bands))[0]["fields"]
    assert fields[0]["constraints"]["enum"] == ["0-17", "18-64", "65+"]
    assert (fields[1]["constraints"]["minimum"], fields[1]["synth:spikes"]) == ("100", ["-9"])


def test_a_title_has_one_role_and_a_role_one_title() -> None:
    """Titles are known whatever their signs and capitals, and each role goes to one column.

    "Name" comes first, so that "Variable" has no role, as has "?". A text beside a type
    describes the column; beside a code it labels the code.
    """
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


def test_missing_codes_count_in_their_column_only() -> None:
    """99 is missing in age, and a number of years; NA means nothing but in sex."""
    text = (
        "name,type,min,max,missing,values\n"
        "age,integer,0,99,-8;99,\nyears,integer,0,120,-8,\nsex,,,,NA,1=m;2=f\n"
    )

    document, notes = from_sheet(sheet_of(text))
    assert document["missingValues"] == [""]
    assert [f["missingValues"] for f in document["fields"]] == [
        ["", "-8", "99"],
        ["", "-8"],
        ["", "NA"],
    ]
    assert [f["constraints"]["required"] for f in document["fields"]] == [False, False, False]
    assert notes == []


def test_cells_that_look_like_formulas_are_texts() -> None:
    """Cells that a spreadsheet would take for formulas are read as the texts that they are.

    An apostrophe before one is a guard, as the template writes it, and no part of the name.
    """
    document, _ = from_sheet(sheet_of("name,value,label\n'=1+1,=cmd|'x',@SUM(A1)\n"))
    (field,) = document["fields"]
    assert field["name"] == "=1+1"  # as the template guards it
    assert field["categories"] == [{"value": "=cmd|'x'", "label": "@SUM(A1)"}]
