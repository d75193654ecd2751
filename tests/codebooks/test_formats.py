"""Other tools' declarations: real files load, convert and reload equal; what is lost is
said.
"""

import json
from pathlib import Path
from typing import Any

import pytest

import synth
from synth.cli.main import main
from synth.domain import (
    LOOKED_UP,
    Integer,
    load_schema,
    read_codebooks,
    read_schema,
    to_other,
    write_schema,
)
from synth.domain.codebooks.formats import from_other, recognize
from synth.domain.codebooks.sheets import UNTITLED, read_codebook
from synth.errors import DomainError
from tests.tables import MIXED, ROWS, SHARED, write

shared = pytest.mark.skipif(not SHARED.is_dir(), reason="the shared tables are not here")

COLUMNS = {
    "sex": {"sdtype": "categorical"},
    "age": {"sdtype": "numerical", "computer_representation": "Int64"},
    "pay": {"sdtype": "numerical", "computer_representation": "Float"},
    "born": {"sdtype": "datetime", "datetime_format": "%d.%m.%Y"},
    "smoker": {"sdtype": "boolean"},
}
SDV_V1: dict[str, Any] = {"METADATA_SPEC_VERSION": "SINGLE_TABLE_V1", "columns": COLUMNS}
SDV_V2: dict[str, Any] = {
    "METADATA_SPEC_VERSION": "V1",
    "tables": {
        "people": {"primary_key": "id", "columns": {**COLUMNS, "id": {"sdtype": "id"}}}
    },
    "relationships": [],
}


def run(*arguments: object) -> int:
    """The exit status of the command line with these words."""
    return main([str(argument) for argument in arguments])


@shared
def test_a_nist_dictionary_becomes_a_domain_without_typing() -> None:
    """NIST's data dictionary declares a domain by itself, and is written back.

    A column without listed values is left out. "N" means missing. The code 501 of POVPIP is
    above its bounds and has a cell of its own. Only bins are lost on the way back from a
    domain.
    """
    path = SHARED / "sdnist_ma/data_dictionary.json"
    document, notes = load_schema(path)
    domain = read_schema(path)
    assert len(domain.columns) == 23
    assert "Column 'INDP' is left out: its values are not listed." in notes
    assert "Column 'POVPIP': the code 501 gets a cell of its own." in notes

    assert domain["SEX"].cells == ("1", "2")
    assert domain["SEX"].titles == ("1 · Male", "2 · Female")
    assert domain["AGEP"] == Integer(name="AGEP", minimum="0", maximum="99")
    assert domain["PINCP"].missing
    assert "N" in (domain["PINCP"].missing_values or ())
    assert domain.missing_values == ("",)
    assert domain["POVPIP"].maximum == "500"  # type: ignore[attr-defined]
    assert domain["POVPIP"].titles[-2:] == (
        "501 · income above 5 x poverty line",
        "(missing)",
    )
    assert domain["PUMA"].labels[0] == "25-00503"
    assert read_schema(write_schema(domain)) == domain

    back, lost = to_other(document, "nist")
    assert read_schema(back) == domain
    assert back["SEX"]["values"] == {"1": "Male", "2": "Female"}
    assert back["POVPIP"]["values"]["501"] == "income above 5 x poverty line"
    assert lost == []
    native = write_schema(domain)
    assert to_other(native, "nist")[1] == [
        "Lost: bins of 'AGEP', 'NOC', 'NPF', 'DENSITY', 'PINCP' and 3 more."
    ]


@shared
@pytest.mark.parametrize("name", ["adult/adult_coded-domain.json", "pums/pums-domain.json"])
def test_a_pgm_domain_reloads_equal(name: str, tmp_path: Path) -> None:
    """A domain of private-pgm, sizes by column name, survives the conversion both ways."""
    domain = read_schema(SHARED / name)
    original = json.loads((SHARED / name).read_text())
    assert dict(zip(domain.names, domain.shape, strict=True)) == original
    assert read_schema(write_schema(domain)) == domain

    assert run("domain", "convert", SHARED / name, "--out", tmp_path / "native.json") == 0
    assert read_schema(tmp_path / "native.json") == domain

    back = ("--to", "pgm", "--out", tmp_path / "pgm.json")
    assert run("domain", "convert", tmp_path / "native.json", *back) == 0
    assert json.loads((tmp_path / "pgm.json").read_text()) == original


@shared
def test_every_table_schema_reloads_equal() -> None:
    """Each of the ten published declarations is read, written, and read again as the same
    domain.
    """
    paths = sorted(SHARED.glob("*/domain*.schema.json"))
    assert len(paths) == 10
    for path in paths:
        domain = read_schema(path)
        assert read_schema(write_schema(domain)) == domain


@pytest.mark.parametrize("document", [SDV_V1, SDV_V2], ids=["V1", "V2"])
def test_sdv_metadata_is_a_draft_that_converts_and_reloads_equal(
    document: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """SDV metadata of either version give a draft of kinds, and come back from it unchanged.

    They say neither categories nor bounds, so that they are no domain yet, and notes say what
    is needed. An ID column is left out. The command line prints the draft, and the notes
    apart.
    """
    draft, notes = from_other(document)
    kinds = {field["name"]: field["type"] for field in draft["fields"]}
    assert kinds == {
        "sex": "string",
        "age": "integer",
        "pay": "number",
        "born": "date",
        "smoker": "boolean",
    }
    assert "Column 'sex' needs categories; SDV metadata does not say them." in notes

    back, _ = to_other(draft, "sdv")
    assert back["columns"] == COLUMNS
    assert from_other(back)[0] == draft
    with pytest.raises(
        DomainError, match="Column 'sex' is text without a list of categories"
    ):
        read_schema(document)

    path = tmp_path / "sdv.json"
    path.write_text(json.dumps(document))
    assert run("domain", "convert", path) == 0
    output = capsys.readouterr()
    assert json.loads(output.out) == draft
    assert "Note: Column 'age' needs bounds" in output.err


def test_a_code_book_of_two_columns(tmp_path: Path) -> None:
    """A CSV of columns and their categories is a domain, and is written back as it was."""
    path = tmp_path / "codes.csv"
    path.write_text("column,category\nsex,F\nsex,M\nregion,01\nregion,02\n")
    domain = read_schema(path)
    assert domain == synth.Domain(sex=["F", "M"], region=["01", "02"])
    assert (
        run("domain", "convert", path, "--to", "codebook", "--out", tmp_path / "again.csv")
        == 0
    )
    assert (tmp_path / "again.csv").read_text() == path.read_text()


def test_a_code_book_with_labels(tmp_path: Path) -> None:
    """A third column of a code book labels the codes, which survive two conversions.

    One is to a code book again, the other to a Table Schema. An empty label is none.
    """
    path = tmp_path / "codes.csv"
    path.write_text('Variable,Code,Label\nsex,1,male\nsex,2,"female, or so"\nregion,01,\n')
    domain = read_schema(path)
    assert domain["sex"].titles == ("1 · male", "2 · female, or so")
    assert domain["region"].titles == ("01",)
    assert (
        run("domain", "convert", path, "--to", "codebook", "--out", tmp_path / "again.csv")
        == 0
    )
    assert read_schema(tmp_path / "again.csv")["sex"].titles == domain["sex"].titles
    assert run("domain", "convert", path, "--out", tmp_path / "native.json") == 0
    assert read_schema(tmp_path / "native.json")["sex"].titles == domain["sex"].titles


def test_what_another_format_cannot_say_is_listed() -> None:
    """A conversion lists what the other format cannot say, one sentence for each loss.

    ``expected`` holds the beginning of each sentence. NIST has no dates, and the plain code
    book has only lists, so that such columns are left out.
    """
    education = {
        "name": "edu",
        "type": "string",
        "categories": [{"value": "1", "label": "none"}],
    }
    fields = [
        education
        | {"categoriesOrdered": True, "constraints": {"enum": ["1"], "required": True}},
        {
            "name": "at",
            "type": "date",
            "format": "%d.%m.%Y",
            "synth:period": "week",
            "constraints": {"minimum": "2024-01-01", "maximum": "2024-12-31"},
        },
        {
            "name": "pay",
            "type": "number",
            "synth:decimals": 2,
            "synth:spikes": ["0"],
            "constraints": {"minimum": 1, "maximum": 9},
            "synth:outside": "cell",
        },
    ]
    document = write_schema(read_schema({"fields": fields}))

    expected = {
        "nist": [
            "bins",
            "decimals",
            "the missing cell",
            "the order",
            "the rule",
            "Column 'at'",
        ],
        "sdv": [
            "bins",
            "bounds",
            "categories",
            "decimals",
            "labels",
            "spikes",
            "the missing cell",
            "the order",
            "the rule",
        ],
        "codebook": ["the order", "Column 'at'", "Column 'pay'"],
        "pgm": [
            "bins",
            "bounds",
            "categories",
            "decimals",
            "formats of dates",
            "labels",
            "spikes",
            "the missing cell",
            "the order",
            "the rule",
        ],
    }

    for kind, words in expected.items():
        # private-pgm takes the number of cells of each column from here.
        fields_with_cells = [f | {"synth:cells": 3} for f in document["fields"]]
        notes = to_other({**document, "fields": fields_with_cells}, kind)[1]
        assert len(notes) == len(words), (kind, notes)
        for note, word in zip(notes, words, strict=True):
            assert note.removeprefix("Lost: ").startswith(word), (kind, note)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (
            {"a": 1.5},
            "This is no Table Schema, which is a JSON object with a list under 'fields'",
        ),
        ({}, "This is no Table Schema"),
        ([1], "This is no Table Schema"),
        ({"tables": {"a": {}, "b": {}}}, "expected exactly one under 'tables'"),
        ({"columns": [1]}, "SDV metadata: expected an object under 'columns'"),
        ({"age": 0}, "Column 'age' has 0 codes; expected at least 1"),
        ({"age": {"values": 3}}, "NIST data dictionary: expected an object of texts under"),
        (
            {"age": {"values": {"1": []}}},
            "expected an object of texts under 'values' of 'age'",
        ),
        (
            {"a": {"values": {"min": "x", "max": 3}}},
            "expected numbers as 'min' and 'max' of 'a'",
        ),
        (
            {"a": {"values": {"min": None, "max": 3}, "description": 1}, "b": 3},
            "no Table Schema",
        ),
        (
            {"properties": {"age": {"type": "integer"}}},
            "looks like a JSON Schema; expected a list",
        ),
        ({"resources": []}, "The file describes no resource"),
        ({"tableSchema": {}}, "no list of objects under 'columns'"),
        ({"age": True, "sex": 2}, "This is no Table Schema"),
        ({"tables": [1]}, "The file describes no table"),
        ({"tables": {"a": 3}}, "SDV metadata: expected an object under 'columns'"),
        (
            {"tables": {"a": {"columns": 3}}},
            "SDV metadata: expected an object under 'columns'",
        ),
    ],
)
def test_what_is_no_declaration_says_what_was_expected(document: Any, message: str) -> None:
    """A JSON document of no known format is refused with what was expected in which place."""
    with pytest.raises(DomainError, match=message):
        from_other(document) if isinstance(document, dict) else recognize(document)


def test_a_broken_code_book_names_the_row() -> None:
    """A code book with an incomplete or repeated row is refused with the row or the value."""
    for text, message in [
        ("sex,F\nsex\n", "expected both in row 2"),
        ("sex,F\n,M\n", "expected both in row 2"),
        ("a,b,c,d\n", "two columns, a name and a category, and perhaps a third"),
        ("sex,F\nsex,F\n", "Row 2 of the code book lists a value that an earlier row lists"),
    ]:
        with pytest.raises(DomainError, match=message):
            read_codebook(text)


@pytest.mark.parametrize(
    "rows",
    [
        "Anna Smith,77,f\nBob Jones,77,m\nAnna Smith,41,f\n",  # two persons, in turn
        "Anna Smith,Berlin,teacher\nBob Jones,Rome,nurse\n",  # a name in each row
        "Anna Smith,77\nAnna Smith,77\n",
        "Anna Smith,Berlin,teacher,7\nBob Jones,Rome,nurse,3\n",
    ],
)
def test_a_table_without_titles_shows_no_cell_as_a_code_book(rows: str) -> None:
    """The confidential table may be given by mistake: no sentence holds one of its cells."""
    with pytest.raises(DomainError) as refusal:
        read_codebooks([("t.csv", rows.encode())])
    cells = {cell for row in rows.split() for cell in row.split(",")}
    assert not [cell for cell in cells if len(cell) > 1 and cell in str(refusal.value)]


def test_a_code_book_without_titles_says_how_it_is_read() -> None:
    (field,) = read_codebook("sex,F,female\nsex,M,male\n")[0]["fields"]
    assert field["name"] == "sex"
    assert read_codebook("sex,F\nsex,M\n")[1] == [UNTITLED]


@pytest.mark.parametrize(
    "column",
    [3, {"sdtype": 3}, {"sdtype": ["id"]}, {"sdtype": "id"}, {}, {"sdtype": "email"}],
)
def test_an_sdv_column_that_is_no_category_is_left_out_and_listed(column: Any) -> None:
    """A column of SDV metadata that is no category, number, date or truth is left out, with a
    note.

    Odd entries of a known kind, such as a number as the format of dates, do no harm.
    """
    document, notes = from_other({"columns": {"x": column, "age": {"sdtype": "numerical"}}})
    assert [field["name"] for field in document["fields"]] == ["age"]
    assert notes[0].startswith("Column 'x' (")

    odd = {"x": {"sdtype": "datetime", "datetime_format": 3, "computer_representation": []}}
    assert from_other({"columns": odd})[0]["fields"][0]["type"] == "date"


def test_check_says_what_is_declared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command `domain check` says how many cells a declaration has, and what to do about
    it.

    Four columns of 1,000 cells make 10^12 cells, so that it advises to coarsen. A column
    called person_id with 5,000 values is taken for a key.
    """
    path = tmp_path / "domain.json"
    path.write_text(json.dumps(write_schema(MIXED)))
    assert run("domain", "check", path) == 0
    assert capsys.readouterr().out.startswith(
        f"{MIXED.size:,} cells in 5 columns, declared.\n"
    )

    path.write_text(json.dumps({f"x{i}": 1000 for i in range(4)}))
    assert run("domain", "check", path, "--json") == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["cells"] == 10**12
    assert summary["advice"].startswith("Coarsen or leave out 'x0' (1,000 cells)")

    path.write_text(json.dumps({"sex": 2, "person_id": 5000}))
    assert run("domain", "check", path) == 0
    remark = "Column 'person_id' sounds like a key or contact: leave it out.\n"
    assert remark in capsys.readouterr().out


def test_a_draft_from_headers_holds_names_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A draft without a look at the data has the names of the columns, and no value of a row.

    Two columns of one name are told apart by numbers, with a note on the error output.
    """
    path = write(tmp_path / "t.csv", ["sex", "sex", "pay"], [["F", "M", "4711"]])
    assert run("domain", "draft", path) == 0
    output = capsys.readouterr()
    assert json.loads(output.out) == {
        "fields": [{"name": n} for n in ("sex_1", "sex_2", "pay")]
    }
    assert "Note: Column 1 is one of 2 called 'sex'" in output.err
    assert "4711" not in output.out + output.err


def test_looking_at_the_data_stamps_domain_plan_and_certificate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A draft by a look at the rows says so in the domain, in its parts and in the
    certificate.

    Of 66 rows, F and M are listed; X is in 6 rows, fewer than the 10 that a listed value
    needs, and the steward agrees to that. The numbers 0 to 29 get bounds rounded outward.
    Notes that all differ are left out as identifiers. An origin in other words is refused.
    """
    rows = [
        [*row[:2], str(i % 30), f"{i / 7:.3f}", f"note {i}"] for i, row in enumerate(ROWS * 6)
    ]
    path = write(tmp_path / "t.csv", ["sex", "age", "number", "share", "note"], rows)
    schema = tmp_path / "domain.json"

    assert run("domain", "draft", path, "--look", "--agree", "all", "--out", schema) == 0
    warned = capsys.readouterr().err
    assert f"Note: The domain is {LOOKED_UP}." in warned
    assert "Left out as identifiers: 'note' holds keys or names: nearly every row" in warned

    document = json.loads(schema.read_text())
    kinds = {f["name"]: (f["type"], f["constraints"]) for f in document["fields"]}
    assert kinds["sex"] == ("string", {"required": False, "enum": ["F", "M"]})
    assert document["missingValues"] == ["", "NA", "nan"]
    assert kinds["number"] == ("integer", {"required": True, "minimum": "0", "maximum": "30"})
    assert kinds["share"][0] == "number"
    assert "note" not in kinds
    assert list(document["synth:left_out"]) == ["note"]
    assert read_schema(schema).project(["sex"]).origin == LOOKED_UP

    out = tmp_path / "out"
    budget = ("--epsilon", "1", "--columns", "sex,number", "--out", out)
    assert run("release", path, "--domain", schema, *budget) == 0
    certificate = json.loads((out / "certificate.json").read_text())
    assert certificate["domain_origin"] == LOOKED_UP
    assert read_schema(out / "domain.json").origin == LOOKED_UP

    with pytest.raises(DomainError, match="'synth:origin' must be"):
        read_schema({**document, "synth:origin": "trust me"})
