"""A bundle of columns with labels and with missing codes of their own."""

import csv
import io
import json
from pathlib import Path

import pytest

import synth
from synth.bundle import FORMATS
from synth.domain import Domain
from synth.verification import verify
from tests.bundle.bundles import make_bundle, read_bundle

DOMAIN = Domain(
    edu=synth.Categorical(
        {"=1": "low", "2": "high", "8": "refused"}, missing={"8": "refused", "-9": ""}
    ),
    hours=synth.Integer(0, 12, bins=13),
    pay=synth.Integer(0, 99, bins=10, missing=["NA"]),
    missing_values=("?",),
)
ROWS = [["=1", "8", "98"], ["2", "9", "NA"], ["8", "12", ""], ["-9", "0", "5"]] * 50


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of the bundle, which `verify` confirms."""
    folder = tmp_path_factory.mktemp("labels")
    path = make_bundle(folder, domain=DOMAIN, rows=ROWS)
    verify(path)
    return read_bundle(path)


def test_dictionary_and_statement_say_them_by_column(files: dict[str, bytes]) -> None:
    """Dictionary and statement name the missing values of each column, with reasons and
    labels.
    """
    rows = [*csv.DictReader(io.StringIO(files["dictionary.csv"].decode()))]
    words = {row["column"]: row["missing"] for row in rows}
    assert words == {
        "edu": "written as ''; in this column of the table also: -9; with a cell of their "
        "own: 8 = refused",
        "hours": "none",
        "pay": "written as ''; in this column of the table also: NA",
    }
    statement = files["statement.txt"].decode()
    assert "Missing values of column 'edu' in the table: 8 = refused, -9." in statement
    assert "column 'hours'" not in statement


def test_the_declaration_keeps_codes_and_labels(files: dict[str, bytes]) -> None:
    """The declaration in a bundle keeps each column's codes for missing values and their
    labels.
    """
    edu, hours, pay = json.loads(files["domain.json"])["fields"]
    assert edu["missingValues"] == ["", {"value": "8", "label": "refused"}, "-9"]
    assert "missingValues" not in hours
    assert pay["missingValues"] == ["", "NA"]


def test_labels_stand_beside_csv_and_parquet(files: dict[str, bytes]) -> None:
    """A text is as the file has it: with an apostrophe in CSV, as declared in Parquet."""
    resources = json.loads(files["datapackage.json"])["resources"]
    fields = {r["path"]: r["schema"]["fields"][0] for r in resources if "schema" in r}
    for path, value in (("synthetic.csv", "'=1"), ("synthetic.parquet", "=1")):
        assert fields[path]["categories"] == [
            {"value": value, "label": "low"},
            {"value": "2", "label": "high"},
            {"value": "8", "label": "refused"},
        ]
        assert fields[path]["constraints"]["enum"] == [value, "2", "8"]
        assert fields[path]["missingValues"] == ["", "8"]


def test_an_open_list_is_said_to_be_open(tmp_path: Path) -> None:
    """What nobody decided is on the statement."""
    field = {
        "name": "edu",
        "type": "string",
        "constraints": {"enum": ["1", "2"]},
        "synth:open_list": True,
        "synth:outside": "cell",
    }
    domain = Domain.from_schema({"fields": [field]})
    path = make_bundle(tmp_path, domain=domain, rows=[["1"], ["2"], ["3"]] * 50)
    verify(path)
    statement = " ".join(read_bundle(path)["statement.txt"].decode().split())
    assert "Whether the table holds others was not decided" in statement


@pytest.mark.parametrize("name", ["sav", "dta"])
def test_labels_survive_in_statistics_files(name: str, tmp_path: Path) -> None:
    """Labels survive in statistics files, also those of a scale that is labelled at its
    ends.
    """
    pyreadstat = pytest.importorskip("pyreadstat")
    scale = {
        "name": "scale",
        "type": "integer",
        "constraints": {"minimum": 0, "maximum": 10, "required": True},
        "synth:labels": [
            {"value": "0", "label": "never"},
            {"value": "10", "label": "always"},
        ],
    }
    sex = {"name": "sex", "categories": [{"value": "1", "label": "m"}, {"value": "2"}]}
    domain = Domain.from_schema({"fields": [scale, sex]})
    release = make_bundle(
        tmp_path, domain=domain, rows=[["0", "1"], ["7", "2"]] * 50, formats=(FORMATS[name],)
    )
    path = tmp_path / f"synthetic.{name}"
    path.write_bytes(read_bundle(release)[path.name])
    _, header = getattr(pyreadstat, f"read_{name}")(path)
    labels = header.variable_value_labels
    assert labels == {"scale": {0: "never", 10: "always"}, "sex": {1: "m"}}
