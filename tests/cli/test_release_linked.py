"""``synth release PACKAGE/datapackage.json``."""

import json
from pathlib import Path
from random import Random

import pyarrow.csv as pa_csv
import pytest

from synth.cli.main import main
from tests.linked.households import DOCUMENT, files_at_random


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package of a few homes, on the disk."""
    for name, table in files_at_random(Random(3), "ABCDEFGH").tables().items():
        pa_csv.write_csv(table, tmp_path / f"{name}.csv")
    path = tmp_path / "datapackage.json"
    path.write_text(json.dumps(DOCUMENT))
    return path


def test_a_package_is_released_and_verified(
    package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A package of four linked tables is released, and its foreign keys are in the written
    package.

    With its ledger the folder is confirmed (status 0); without it claims stay open (status
    3).
    """
    out = package.parent / "out"
    book = package.parent / "book.db"
    arguments = [
        "--epsilon",
        "3",
        "--neighbors",
        "add-remove",
        "--out",
        str(out),
        "--formats",
        "both",
    ]
    arguments += ["--ledger", str(book), "--dataset", "homes"]
    assert main(["release", str(package), *arguments, "--json"]) == 0
    output = json.loads(capsys.readouterr().out)
    assert {*output["rows"]} == {"homes", "persons", "cars", "events"}
    assert (out / "homes.parquet").exists()

    written = json.loads((out / "datapackage.json").read_text())
    links = {
        resource["name"]: resource["schema"].get("foreignKeys")
        for resource in written["resources"]
        if "schema" in resource
    }
    assert links["events"] == [
        {"fields": ["h", "p"], "reference": {"resource": "persons", "fields": ["h", "p"]}}
    ]

    assert main(["verify", str(out)]) == 0
    assert main(["verify", str(out), "--ledger", str(book)]) == 0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--epsilon", "1"], "Choose where to write the results"),
        (["--out", "x"], "--epsilon is missing"),
        (["--epsilon", "1", "--out", "x", "--person", "h"], "--person is for one table"),
        (["--epsilon", "1", "--out", "x", "--master", "local"], "are for the engine spark"),
        (["--epsilon", "1", "--out", "x", "--formats", "sav"], "csv, parquet or both"),
        (["--epsilon", "1", "--out", "x", "--read", "lines=one"], "leave out --read"),
    ],
)
def test_what_a_package_does_without_is_refused(
    package: Path, options: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A release of a package refuses options that are for one table, in one sentence.

    The last four cases are such options; the first two lack an option that is needed.
    """
    assert main(["release", str(package), *options]) == 2
    assert sentence in capsys.readouterr().err


def test_a_file_that_is_missing_is_named(
    package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """If a table of a package is not on the disk, the release is refused and
    names its file.
    """
    (package.parent / "cars.csv").unlink()
    out = str(package.parent / "out")
    assert main(["release", str(package), "--epsilon", "1", "--out", out]) == 2
    assert "cars.csv" in capsys.readouterr().err


def test_a_public_table_is_joined(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Linked rows get the columns of a public table that they refer to, and not the key to
    it.

    Cars have the columns h and d, and refer to a public table of makes by `made by`. The
    released cars have the column `old` of their make instead, and the makes are not released.
    """
    # Declare a public table of makes, and a foreign key of cars to it.
    document = json.loads(package.read_text())
    cars = document["resources"][3]["schema"]
    cars["fields"].append({"name": "made by", "type": "string"})
    link = {"fields": "made by", "reference": {"resource": "makes", "fields": "make"}}
    cars["foreignKeys"].append(link)
    fields = [{"name": "make", "type": "string"}, {"name": "old", "type": "boolean"}]
    document["resources"].append(
        {
            "name": "makes",
            "path": "makes.csv",
            "synth:public": True,
            "schema": {"primaryKey": "make", "fields": fields},
        }
    )
    package.write_text(json.dumps(document))
    (package.parent / "makes.csv").write_text("make,old\nA,true\nB,false\n")

    # Give every car a make, A and B in turn.
    rows = (package.parent / "cars.csv").read_text().splitlines()
    make_rows = [f"{row},{'AB'[i % 2]}" for i, row in enumerate(rows[1:])]
    (package.parent / "cars.csv").write_text("\n".join([f'{rows[0]},"made by"', *make_rows]))

    out = package.parent / "out"
    assert (
        main(["release", str(package), "--epsilon", "9", "--budget", "9", "--out", str(out)])
        == 0
    )
    assert (out / "cars.csv").read_text().splitlines()[0] == "h,d,old"
    assert not (out / "makes.csv").exists()
    assert capsys.readouterr().out
