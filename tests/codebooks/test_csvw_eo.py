"""CSVW-EO declarations: out, in, and what is lost on the way, in sentences."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

import synth
from synth.domain import Domain, finish, load_schema, to_other, write_schema
from synth.domain.codebooks.csvw_eo import DATATYPES
from tests.bundle.shapes import DOMAINS

# Columns of which CSVW-EO can say all but the bins and the rule for values outside.
KEPT = Domain(
    age=synth.Integer(-3, 97, missing=True, description="In years."),
    pay=synth.Number(0, "0.1"),
    sex=["1", "2"],
    born=synth.Date("1930-01-01", "2007-12-31"),
    open=synth.Categorical(["a", "b"], outside="cell", missing=True),
    missing_values=("", "NA"),
)
# A file as another program writes it, with entries for which Synth has no place.
THEIRS: dict[str, Any] = {
    "@context": ["http://www.w3.org/ns/csvw", "/opt/csvw-eo-context.jsonld"],
    "@type": "Table",
    "privacyUnit": "penguin_id",
    "maxContributions": 3,
    "maxLength": 1000,
    "publicLength": 344,
    "tableSchema": {
        "columns": [
            {
                "name": "species",
                "datatype": "string",
                "required": True,
                "exhaustiveKeys": True,
                "keyValues": ["Adelie", "Gentoo"],
                "invariantPublicKeys": True,
            },
            {"name": "island", "datatype": "string", "keyValues": ["Biscoe"]},
            {
                "name": "mass",
                "datatype": "positiveInteger",
                "required": False,
                "minimum": 176.0,
                "maximum": 231.0,
                "nullableProportion": 0.4,
            },
            {
                "name": "sex",
                "datatype": "boolean",
                "required": True,
                "minimum": False,
                "maximum": True,
                "keyValues": [False, True],
                "exhaustiveKeys": True,
            },
            {
                "name": "penguin_id",
                "datatype": "positiveInteger",
                "privacyId": True,
                "minimum": 1,
                "maximum": 341,
            },
        ]
    },
}


def list_what_csvw_eo_says(domain: Domain) -> list[tuple[str, bool, Any, str]]:
    """What CSVW-EO can say of each column: name, required, bounds and categories, cell for
    others.
    """
    columns = []
    for field in write_schema(domain)["fields"]:  # type: ignore[union-attr]
        assert isinstance(field, dict)
        constraints: Any = field["constraints"]
        limits = [str(constraints.get(end)) for end in ("minimum", "maximum")] + [
            constraints.get("enum")
        ]
        columns.append(
            (
                str(field["name"]),
                constraints["required"],
                limits,
                str(field.get("synth:outside")),
            )
        )
    return columns


def test_what_it_can_say_comes_back_as_it_was() -> None:
    """A domain written as CSVW-EO and read again is the same in all that CSVW-EO can say.

    What it cannot say is listed as lost: the bins, and the rule for values outside. The codes
    for missing values stand with each column that has them.
    """
    written, lost = to_other(write_schema(KEPT), "csvw-eo")
    document, notes = load_schema(json.dumps(written).encode())
    back = finish(document)
    assert list_what_csvw_eo_says(back) == list_what_csvw_eo_says(KEPT)
    assert back["age"].description == "In years."
    assert [column.missing_values for column in back.columns] == [
        ("", "NA") if column.missing else None for column in KEPT.columns
    ]
    assert notes == []
    assert [note.partition(" of '")[0] for note in lost] == [
        "Lost: bins",
        "Lost: the rule for values outside",
    ]


def test_another_programs_file_is_read_and_what_has_no_place_is_said() -> None:
    """Another program's CSVW-EO file is read, and a note says what has no place in a
    declaration.

    The column of persons is no column of the domain, but a note names the options to choose.
    A list of keys that is not complete gets a cell for other values. The notes are warnings
    in Python, at the line of the caller.
    """
    document, notes = load_schema(THEIRS)
    fields: Any = document["fields"]
    assert [(field["name"], field["type"]) for field in fields] == [
        ("species", "string"),
        ("island", "string"),
        ("mass", "integer"),
        ("sex", "boolean"),
    ]

    species, island, mass, _ = fields
    assert species["constraints"] == {"enum": ["Adelie", "Gentoo"], "required": True}
    assert island["synth:outside"] == "cell"
    assert mass["constraints"] == {"minimum": "176", "maximum": "231", "required": False}

    assert notes == [
        "The file protects persons by the column 'penguin_id': choose --person 'penguin_id' "
        "and --max-rows 3.",
        "The file says that the number of rows is public: choose replace-one.",
        "Not used: nullableProportion of 'mass'.",
        "Not used: invariantPublicKeys of 'species'.",
        "Not used: maxLength.",
    ]

    for source in (THEIRS, json.dumps(THEIRS).encode()):
        with pytest.warns(UserWarning, match="penguin_id|public|Not used") as warnings:
            # 2 species; an island, missing, other; 20 bins and missing; no and yes.
            assert synth.Domain.from_schema(source).shape == (2, 3, 21, 2)
        assert [str(warning.message) for warning in warnings] == notes
        assert {warning.filename for warning in warnings} == {__file__}


def test_dates_and_long_numbers_are_exact() -> None:
    """Bounds keep their exact value in CSVW-EO: dates in ISO 8601, long decimals as texts.

    1e3 is a JSON number, which holds it exactly; 0.1234... with twenty digits fits no such
    number.
    """
    dates = Domain(
        d=synth.Date("01.02.2020", "31.12.2020", format="%d.%m.%Y"),
        x=synth.Number("0.12345678901234567890", "1e3"),
    )
    columns = to_other(write_schema(dates), "csvw-eo")[0]["tableSchema"]["columns"]
    assert [(column["minimum"], column["maximum"]) for column in columns] == [
        ("2020-02-01", "2020-12-31"),
        ("0.12345678901234567890", 1000.0),
    ]


@pytest.mark.slow
def test_their_package_takes_twenty_declarations(tmp_path: Path) -> None:
    """Twenty declarations can be written and read again, and the package of CSVW-EO takes
    them.

    The package is asked where `SYNTH_CSVW_EO` names a Python that has it. Two of three files
    name persons to protect.
    """
    paths, domains = [], [*DOMAINS.values(), KEPT]

    for number in range(20):
        document = write_schema(domains[number % len(domains)])
        unit = {"privacyUnit": "person id", "maxContributions": number} if number % 3 else {}
        written, _ = to_other({**document, **unit}, "csvw-eo")
        paths.append(tmp_path / f"{number}.json")
        paths[-1].write_text(json.dumps(written), encoding="utf-8")
        assert load_schema(paths[-1])[0]["fields"]

    assert set(DATATYPES.values()) <= {"integer", "decimal", "boolean", "date", "dateTime"}
    if python := os.environ.get("SYNTH_CSVW_EO"):
        script = Path(__file__).parent / "accepted_csvw_eo.py"
        done = subprocess.run(
            [python, script, *paths], check=False, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
        print(done.stdout)
