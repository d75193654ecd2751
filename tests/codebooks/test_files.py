"""Code books of every kind, by their content; bad ones in one sentence."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from synth import limits
from synth.cli.main import main
from synth.domain import LOOKED_UP, finish, load_schema, read_codebooks
from synth.domain.codebooks.variables import Converted
from synth.errors import DomainError, LimitError, SynthError

# Code books of each kind that the tests below read.
FRICTIONLESS: dict[str, Any] = {
    "name": "p",
    "resources": [
        {
            "name": "people",
            "path": "people.csv",
            "schema": {
                "fields": [
                    {
                        "name": "age",
                        "type": "integer",
                        "constraints": {"minimum": 0, "maximum": 99},
                    }
                ]
            },
        },
        {"name": "visits", "schema": {"fields": [{"name": "day", "type": "date"}]}},
    ],
}
CSVW: dict[str, Any] = {
    "@context": "http://www.w3.org/ns/csvw",
    "url": "people.csv",
    "tableSchema": {
        "columns": [
            {
                "name": "sex",
                "titles": ["Sex"],
                "datatype": {"base": "string", "format": "^(F|M)$"},
            },
            {
                "titles": {"en": "Age"},
                "null": ["-9"],
                "required": True,
                "datatype": {"base": "integer", "minimum": "0", "maximum": 99},
            },
            {
                "titles": "Born",
                "datatype": {
                    "base": "date",
                    "format": "dd.MM.yyyy",
                    "minimum": "01.01.1900",
                    "maximum": "31.12.2024",
                },
            },
            {"titles": "Note"},
            {"name": "about", "virtual": True},
        ]
    },
}
REDCAP = (
    "field_name,form_name,field_type,field_label,select_choices_or_calculations,"
    "text_validation_type_or_show_slider_number,text_validation_min,text_validation_max,"
    "identifier,required_field\n"
    'sex,a,radio,Sex,"1, Male | 2, Female",,,,,y\n'
    'race,a,checkbox,Race,"1, White | -8, Other",,,,,\n'
    "smokes,a,yesno,Smokes?,,,,,,y\n"
    "age,a,text,Age,,integer,0,120,,\n"
    "born,a,text,Born,,date_dmy,1900-01-01,2024-12-31,,\n"
    "mrn,a,text,Record number,,,,,y,\n"
    "remarks,a,notes,Remarks,,,,,,\n"
    "pain,a,slider,Pain,,,,,,\n"
)
DDI2 = """<?xml version="1.0"?><codeBook xmlns="ddi:codebook:2_5"><dataDscr>
<var name="SEX"><labl>Sex</labl><catgry><catValu>1</catValu><labl>male</labl>
<catStat type="freq">4711</catStat></catgry><catgry><catValu>2</catValu><labl>female</labl></catgry>
<catgry missing="Y"><catValu>9</catValu><labl>refused</labl></catgry></var>
<var name="AGE" intrvl="contin"><valrng><range min="0" max="99"/></valrng>
<invalrng><item VALUE="-8"/></invalrng><sumStat type="max">87</sumStat>
<varFormat type="numeric"/></var>
<var name="INC" intrvl="contin"><sumStat type="min">13</sumStat><varFormat type="numeric"/></var>
</dataDscr></codeBook>"""  # noqa: E501
DDI3 = """<i:DDIInstance xmlns:i="i" xmlns:l="l" xmlns:r="r">
<l:CategoryScheme><l:Category><r:ID>c1</r:ID><r:Label><r:Content>male</r:Content></r:Label>
</l:Category><l:Category><r:ID>c2</r:ID></l:Category></l:CategoryScheme>
<l:CodeList><r:ID>k</r:ID>
<l:Code><r:CategoryReference><r:ID>c1</r:ID></r:CategoryReference><r:Value>1</r:Value></l:Code>
<l:Code><r:CategoryReference><r:ID>c2</r:ID></r:CategoryReference><r:Value>2</r:Value></l:Code>
</l:CodeList>
<l:Variable><l:VariableName><r:String>SEX</r:String></l:VariableName>
<l:VariableRepresentation><r:CodeRepresentation><r:CodeListReference><r:ID>k</r:ID>
</r:CodeListReference></r:CodeRepresentation></l:VariableRepresentation></l:Variable>
<l:Variable><l:VariableName><r:String>AGE</r:String></l:VariableName>
<l:VariableRepresentation><r:NumericRepresentation><r:NumberRange><r:Low>0</r:Low>
<r:High>99</r:High></r:NumberRange><r:NumericTypeCode>Integer</r:NumericTypeCode>
</r:NumericRepresentation></l:VariableRepresentation></l:Variable></i:DDIInstance>"""


def read_codebook_file(content: bytes, name: str = "", part: str = "") -> Converted:
    """The Table Schema of a code book in memory, and notes on what it lacks."""
    return read_codebooks([(name, content)], part)


def read_codebook_path(path: Path, roles: dict[str, int] | None = None) -> Converted:
    """The Table Schema of a code book on the disk, and notes on what it lacks."""
    return read_codebooks([(path.name, path)], roles=roles)


def read_fields(
    content: str | bytes, name: str = "", **options: Any
) -> dict[str, dict[str, Any]]:
    """The fields of the Table Schema of a code book, by name."""
    raw = content.encode() if isinstance(content, str) else content
    document, _ = read_codebook_file(raw, name, **options)
    return {field["name"]: field for field in document["fields"]}


def test_a_data_package_of_two_resources_asks_which(tmp_path: Path) -> None:
    """Of a data package with two tables, one has to be named; a package of one is read as it
    is.

    "age" has 20 bins by default and a cell for missing values. A schema in another file is
    refused.
    """
    path = tmp_path / "datapackage.json"
    path.write_text(json.dumps(FRICTIONLESS))
    with pytest.raises(
        DomainError, match=r"2 tables: 'people', 'visits'; say which resource is"
    ):
        load_schema(path)

    assert finish(load_schema(path, part="people")[0])["age"].size == 20 + 1
    assert main(["domain", "convert", str(path), "--part", "people"]) == 0

    package_of_one = {"resources": FRICTIONLESS["resources"][:1]}
    assert finish(load_schema(package_of_one)[0]).names == ("age",)
    with pytest.raises(DomainError, match="holds no schema with a list under 'fields'"):
        load_schema({"resources": [{"name": "a", "schema": "schema.json"}]})


def test_metadata_for_csv_on_the_web() -> None:
    """Metadata for CSV on the Web gives names, kinds, bounds, formats and missing values.

    A column is called by its title, if it has one. A pattern such as ^(F|M)$ is a list of
    categories. A virtual column is none of the table, and a column without a kind is noted.
    "Age" is required, but has a code for missing values.
    """
    fields = read_fields(json.dumps(CSVW))
    assert list(fields) == ["Sex", "Age", "Born", "Note"]
    assert fields["Sex"]["constraints"] == {"enum": ["F", "M"], "required": False}
    assert fields["Age"]["constraints"] == {
        "minimum": "0",
        "maximum": "99",
        "required": False,
    }
    assert fields["Born"]["format"] == "%d.%m.%Y"

    document, notes = read_codebook_file(json.dumps(CSVW).encode())
    assert document["missingValues"] == [""]
    missing_codes = [field.get("missingValues") for field in document["fields"]]
    assert ["", "-9"] in missing_codes
    assert "Column 'Note' needs a kind; the code book does not say it." in notes
    assert finish({**document, "fields": document["fields"][:3]})["Born"].size == 20 + 1


def test_a_redcap_dictionary_declares_its_fields() -> None:
    """A REDCap dictionary declares its fields; identifiers and free texts are left out.

    Each box of a checkbox field is a column of its own, named as REDCap exports it: code -8
    of "race" is race____8. A slider goes to 100 by default.
    """
    fields = read_fields(REDCAP)
    assert list(fields) == ["sex", "race___1", "race____8", "smokes", "age", "born", "pain"]
    assert fields["sex"]["categories"][1] == {"value": "2", "label": "Female"}
    assert fields["sex"]["constraints"]["required"] is True
    assert fields["race____8"]["description"] == "Other"
    assert fields["age"]["type"] == "integer"
    assert fields["born"]["type"] == "date"
    assert fields["pain"]["constraints"]["maximum"] == "100"

    notes = read_codebook_file(REDCAP.encode())[1]
    assert "Column 'mrn' is left out: REDCap marks it as an identifier." in notes
    finish(read_codebook_file(REDCAP.encode())[0])  # it declares a domain in full


def test_ddi_codebook_without_its_statistics() -> None:
    """DDI Codebook gives codes, bounds and missing values; statistics of the rows are not
    read.

    A frequency (4711) or an observed minimum would show rows. 9 is missing for SEX and
    possible for AGE, so that each column has its own codes for missing values.
    """
    document, _ = read_codebook_file(DDI2.encode())
    fields = {field["name"]: field for field in document["fields"]}
    assert document["missingValues"] == [""]
    assert fields["SEX"]["missingValues"][1]["value"] == "9"
    # 9 keeps a cell of its own, as its label says why a value is missing.
    assert fields["SEX"]["constraints"] == {"enum": ["1", "2", "9"], "required": False}
    assert fields["SEX"]["description"] == "Sex"
    assert fields["AGE"]["constraints"] == {
        "minimum": "0",
        "maximum": "99",
        "required": False,
    }
    assert fields["INC"] == {
        "name": "INC",
        "type": "number",
    }  # its minimum was counted from rows
    assert "4711" not in json.dumps(document)


def test_ddi_lifecycle_declares_labels_kinds_and_bounds() -> None:
    """DDI Lifecycle gives labels, kinds and bounds, through references between its elements.

    Code 1 refers to a category with the label "male", code 2 to one without a label.
    """
    fields = read_fields(DDI3)
    assert fields["SEX"]["categories"] == [{"value": "1", "label": "male"}, "2"]
    assert fields["AGE"]["type"] == "integer"
    assert fields["AGE"]["constraints"]["maximum"] == "99"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            '<!DOCTYPE x [<!ENTITY a "b">]><codeBook/>',
            "declares entities, which are not read",
        ),
        (
            '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><x>&a;</x>',
            "declares entities",
        ),
        ("<codeBook>\n<dataDscr>", "not valid XML at line 2"),
        ("<codeBook/>", "describes no variables"),
        ("<a>" * 300 + "</a>" * 300, "nested too deeply"),
        ('<codeBook><var name="a"/><var name="a"/></codeBook>', "lists the column 'a' twice"),
        ("<codeBook><var/></codeBook>", "Column 1 of the code book has no name"),
        (
            "a,b,c,d\n1,2,3,4\n",
            r"Say which column of the code book is what: it has columns 1 to 4, whose",
        ),
        ("name,type\n,integer\n", "Row 2 of the code book names no column"),
        (
            "name,value\nsex,1\nsex,1\n",
            "Row 3 of the code book lists a value that an earlier",
        ),
        (
            "name,min,max,type\nage,low,high,integer\n",
            "'age': the minimum of the code book is no",
        ),
        ("name;" * 300 + "\nx", "has 300 columns; the limit is 200|301 columns"),
        (b"PK\x03\x04 no workbook", "cannot be read as a workbook; it is damaged"),
        (b"column,value\nsex,m\xe4nnlich\n", "not UTF-8 text"),
    ],
)
def test_bad_code_books_are_one_sentence(content: str | bytes, message: str) -> None:
    """A code book that cannot be read is refused in one sentence on what is wrong and where.

    The reading of XML is closed to entities, which could unfold or show other files.
    """
    raw = content.encode() if isinstance(content, str) else content
    with pytest.raises(SynthError, match=message) as caught:
        read_codebook_file(raw, "book.xlsx" if raw.startswith(b"PK") else "")
    assert "\n" not in str(caught.value)


def test_a_huge_code_book_is_refused() -> None:
    """A code book larger than 8 MB, or with more than 1,000 codes for missing values, is
    refused.
    """
    with pytest.raises(LimitError, match="larger than 8 MB"):
        read_codebook_file(b"name,value\n" + b"x" * limits.SCHEMA_MB * 2**20)

    markers = ";".join(str(i) for i in range(limits.MARKERS + 1))
    with pytest.raises(
        LimitError, match=r"1,001 codes for missing values of a column; the limit is 999"
    ):
        read_codebook_file(f"name,type,missing\na,integer,{markers}\n".encode())


def test_two_code_books_together_and_two_that_disagree() -> None:
    """Two code books complete each other; where they disagree, both are named and refused.

    The first says the kinds, the other one the values. A declaration that was drafted from
    the rows cannot be combined with others.
    """
    kinds = b"name,type\nsex,\nage,integer\n"
    values = b"name,value,label\nsex,1,male\nsex,2,female\n"
    other_values = b"name,value\nsex,1\nsex,2\nsex,9\n"
    document, notes = read_codebooks([("one.csv", kinds), ("two.csv", values)])
    assert [f["name"] for f in document["fields"]] == ["sex", "age"]
    assert document["fields"][0]["constraints"]["enum"] == ["1", "2"]
    assert notes == ["Column 'age' needs bounds; the code book does not say them."]

    sentence = (
        r"disagree on column 'sex': 'two.csv' says 2 values \(1, 2\), and 'three.csv' says 3"
    )
    with pytest.raises(DomainError, match=sentence):
        read_codebooks([("two.csv", values), ("three.csv", other_values)])

    drafted = b'{"fields": [{"name": "sex"}], "synth:origin": "taken from the rows"}'
    with pytest.raises(
        DomainError, match=r"'d.json' was drafted from a table; it is taken alone"
    ):
        read_codebooks([("d.json", drafted), ("two.csv", values)])


def test_a_workbook_is_a_sheet() -> None:
    """An Excel workbook is read as a sheet: its columns need known titles, or roles."""
    book = SHEETS / "sheets.xlsx"
    if not book.exists():
        pytest.skip("the shared tables are not here")
    with pytest.raises(DomainError, match=r"what: it has 'id', 'name'"):
        read_codebook_path(book)
    assert list(read_codebook_path(book, {"name": 1})[0]["fields"][0]) == ["name"]


SHEETS = Path(__file__).parents[2].parent / "shared" / "data" / "nasty"


def test_labels_of_a_statistics_file(tmp_path: Path) -> None:
    """SPSS and Stata files give labels, descriptions and missing values, from disk or memory.

    Ages from -9 to -8 are missing. The files say no bounds of age, so that a note asks for
    them.
    """
    pyreadstat = pytest.importorskip("pyreadstat")
    frame = pd.DataFrame({"sex": [1.0, 2.0], "age": [41.0, -8.0], "town": ["A", "B"]})
    options: dict[str, Any] = {
        "column_labels": ["Sex", "Age in years", "Town"],
        "variable_value_labels": {"sex": {1: "male", 2: "female"}, "age": {-8: "refused"}},
    }
    path = tmp_path / "t.sav"
    pyreadstat.write_sav(
        frame,
        path,
        missing_ranges={"age": [{"lo": -9, "hi": -8}]},
        variable_measure={"sex": "nominal", "age": "scale", "town": "nominal"},
        **options,
    )

    document, notes = read_codebook_path(path)
    assert document["synth:origin"] == LOOKED_UP
    sex, age, town = document["fields"]
    assert sex["categories"] == [
        {"value": "1", "label": "male"},
        {"value": "2", "label": "female"},
    ]
    assert (sex["synth:open_list"], sex["synth:outside"]) == (True, "cell")
    assert (age["description"], age["type"]) == ("Age in years", "number")
    assert age["missingValues"] == ["", {"value": "-8", "label": "refused"}, "-9"]
    assert town["type"] == "string"
    assert any(note.startswith("Column 'age' needs bounds") for note in notes)
    assert read_codebook_file(path.read_bytes(), "t.sav")[0] == document

    stata = tmp_path / "t.dta"
    pyreadstat.write_dta(frame, stata, **options)
    assert read_codebook_path(stata)[0]["fields"][0]["categories"] == sex["categories"]

    (tmp_path / "bad.sav").write_bytes(b"$FL2 no file")
    with pytest.raises(
        DomainError, match=r"'bad.sav' cannot be read as an SPSS or Stata file"
    ):
        read_codebook_path(tmp_path / "bad.sav")


def read_or_refuse(content: bytes) -> None:
    """Read a code book, or get one sentence of refusal; any other error fails the test."""
    sentences = ""
    try:
        document, notes = read_codebook_file(content)
        sentences = " ".join(notes)
        assert "fields" in document
    except SynthError as error:
        sentences = str(error)
    assert "\n" not in sentences


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                "fields name type resources schema path tableSchema columns tables titles "
                "datatype base format minimum null required values description sdtype "
                "enum".split()
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@pytest.mark.slow
@given(JSON)
@example({"resources": [{"schema": {"fields": 3}}]})
@example({"tables": [{"tableSchema": {"columns": [{"titles": []}]}}]})
@example({"fields": {}})
def test_any_json_is_read_or_refused(document: Any) -> None:
    """Any JSON, even one made of the words of code books, is read or refused in one
    sentence.
    """
    read_or_refuse(json.dumps(document).encode())


CELL = st.sampled_from(
    [
        "name",
        "value",
        "label",
        "type",
        "min",
        "max",
        "values",
        "missing",
        "integer",
        "date",
        "",
        "1",
        "-8",
        "1=a;2=b",
        "0-99",
        "=cmd",
        "a",
        "b",
        "ordinal",
        "field_name",
        "field_type",
        "select_choices_or_calculations",
        "radio",
        "checkbox",
        "1, x | 2, y",
        '"',
        "9e9",
        "nan",
    ]
)


@given(st.lists(st.lists(CELL, max_size=5), max_size=6), st.sampled_from(",;\t|"))
def test_any_sheet_is_read_or_refused(rows: list[list[str]], mark: str) -> None:
    """Any sheet, even one made of the words of code books, is read or refused in one
    sentence.
    """
    read_or_refuse("\n".join(mark.join(row) for row in rows).encode())


@given(st.text(max_size=60), st.binary(max_size=60))
def test_any_text_and_bytes_are_read_or_refused(text: str, content: bytes) -> None:
    """Any text and any bytes, also as if they were XML, are read or refused in one
    sentence.
    """
    for raw in (
        text.encode(errors="replace"),
        content,
        b"<" + content,
        b"<a>" + content + b"</a>",
    ):
        read_or_refuse(raw)


TAG = st.sampled_from(
    "codeBook var labl catgry catValu valrng range invalrng item varFormat Variable "
    "VariableName CodeList Code Value ID NumericRepresentation NumberRange Low High "
    "CodeListReference".split()
)
ATTRIBUTES = st.dictionaries(
    st.sampled_from("name min max VALUE type missing intrvl id".split()),
    st.sampled_from(["", "a", "1", "-8", "Y", "contin", "numeric", "nan", "1e999"]),
    max_size=3,
)


def write_element(tag: str, attributes_by_key: dict[str, str], parts: list[str]) -> str:
    """An XML element with attributes and with other elements or texts in it."""
    attributes = "".join(f" {key}='{value}'" for key, value in attributes_by_key.items())
    return f"<{tag}{attributes}>{''.join(parts)}</{tag}>"


XML = st.recursive(
    st.sampled_from(["", "1", "a"]),
    lambda inner: st.builds(write_element, TAG, ATTRIBUTES, st.lists(inner, max_size=3)),
    max_leaves=15,
)


@given(XML)
def test_any_xml_is_read_or_refused(text: str) -> None:
    """Any XML of the elements of DDI is read or refused in one sentence."""
    read_or_refuse(f"<codeBook>{text}</codeBook>".encode())


def test_labels_of_a_data_file_yield_to_a_list(tmp_path: Path) -> None:
    """An SPSS file labels two values; a sheet lists three, so that these are all.

    The labels of the file stay, and the description is marked as taken from the data.
    """
    pyreadstat = pytest.importorskip("pyreadstat")
    frame = pd.DataFrame({"sex": [1.0, 2.0, 3.0], "town": [1.0, 2.0, 1.0]})
    labels = {"sex": {1: "male", 2: "female"}, "town": {1: "A", 2: "B"}}
    pyreadstat.write_sav(frame, tmp_path / "t.sav", variable_value_labels=labels)
    sheet = b"name,value\nsex,1\nsex,2\nsex,3\n"
    books = [("t.sav", (tmp_path / "t.sav").read_bytes()), ("values.csv", sheet)]
    for ordered_books in (books, books[::-1]):
        document, notes = read_codebooks(ordered_books)
        domain = finish(document)
        assert domain.origin == LOOKED_UP
        assert domain["sex"].labels == ("1", "2", "3")
        assert domain["sex"].meanings == {"1": "male", "2": "female"}
        assert [note.partition("'")[2][:4] for note in notes] == ["town"]
