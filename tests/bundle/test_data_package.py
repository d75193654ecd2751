"""Bundles as data packages: every file is told of, and other people's validators accept
them.
"""

import csv
import io
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from synth.bundle import DESCRIBING, FORMATS
from synth.bundle.resources import RESOURCES
from synth.domain import Domain
from synth.verification import verify
from tests.bundle.accepted import list_faults
from tests.bundle.asked import asked_of
from tests.bundle.bundles import (
    edit_certificate,
    make_bundle,
    read_bundle,
    refusal_of,
    replace_signed,
)
from tests.bundle.shapes import DATES, FOLLOWING, HOSTILE, OUTSIDE, make_bundles, rows_of
from tests.tables import MIXED


def resources_by_path(path: Path) -> dict[str, Any]:
    """The resources of a bundle by their path."""
    package = json.loads(read_bundle(path)["datapackage.json"])
    return {resource["path"]: resource for resource in package["resources"]}


def test_every_file_is_told_of_with_its_digest_and_size(bundle_path: Path) -> None:
    """datapackage.json lists each file with its size and its digest in the certificate.

    Only the files that describe all others, and the certificate, are not in it.
    """
    files = read_bundle(bundle_path)
    resources = resources_by_path(bundle_path)
    assert set(resources) == set(files) - {*DESCRIBING, "certificate.json"}
    assert set(resources) <= set(RESOURCES)

    digests = json.loads(files["certificate.json"])["sha256"]
    assert set(digests) == set(files) - {"certificate.json"}

    for name, resource in resources.items():
        assert resource["hash"] == f"sha256:{digests[name]}"
        assert resource["bytes"] == len(files[name])


def test_files_for_other_programs_are_told_of(tmp_path: Path) -> None:
    """datapackage.json also lists the rows in all other formats, such as those of SPSS and
    Excel.
    """
    path = make_bundle(tmp_path, formats=tuple(FORMATS.values()))
    assert set(resources_by_path(path)) == set(read_bundle(path)) - {
        *DESCRIBING,
        "certificate.json",
    }
    verify(path)


def test_answers_are_told_of_too(tmp_path: Path) -> None:
    """A bundle of answers has a data package too, in a zip file and in a folder."""
    answers, _ = asked_of(tmp_path, "table job")
    path = answers.write_archive(tmp_path / "a.zip")
    assert {"answers.csv", "answers.json", "inquiry.json"} <= set(resources_by_path(path))

    folder = answers.write(tmp_path / "out")
    assert {path.name for path in folder.values()} == set(read_bundle(path))
    verify(tmp_path / "out")


def _fits(field: dict[str, Any], cell: str) -> bool:
    """Whether a cell is as its field says, as far as a few lines of Python can tell."""
    if cell in field["missingValues"]:
        return True
    if "enum" in field["constraints"]:
        return cell in field["constraints"]["enum"]
    if field["type"] == "boolean":
        return cell in field["trueValues"] + field["falseValues"]
    if field["type"] in ("integer", "number"):
        low, high = (float(field["constraints"][end]) for end in ("minimum", "maximum"))
        return low <= float(cell) <= high
    return True


@pytest.mark.parametrize(
    "domain", [MIXED, HOSTILE, DATES, OUTSIDE, FOLLOWING], ids=lambda d: d.names[0][:5]
)
def test_the_schema_describes_the_guarded_file(tmp_path: Path, domain: Domain) -> None:
    """Every cell of the CSV file fits its field in the data package, and Croissant has its
    columns.

    Cells with an apostrophe before them are described as they are in the file.
    """
    path = make_bundle(tmp_path, rows=rows_of(domain), domain=domain)
    fields = resources_by_path(path)["synthetic.csv"]["schema"]["fields"]
    header, *rows = csv.reader(io.StringIO(read_bundle(path)["synthetic.csv"].decode()))
    assert header == [field["name"] for field in fields]
    assert all(_fits(*pair) for row in rows for pair in zip(fields, row, strict=True))

    records = json.loads(read_bundle(path)["croissant.json"])["recordSet"]
    columns = [field["source"]["extract"]["column"] for field in records[0]["field"]]
    assert columns == header

    verify(path)


@pytest.mark.slow
def test_what_tells_otherwise_is_refused(bundle_path: Path, tmp_path: Path) -> None:
    """A file that describes the others is refused if it has another number or size.

    Its digest is made anew, so that only its content is false.
    """

    def lie(files: dict[str, bytes]) -> None:
        replace_signed(
            files, "croissant.json", files["croissant.json"].replace(b"0.", b"9.", 1)
        )

    def resized(files: dict[str, bytes]) -> None:
        content = json.loads(files["datapackage.json"])
        content["resources"][0]["bytes"] += 1
        replace_signed(files, "datapackage.json", json.dumps(content).encode())

    for tamper, name in ((lie, "croissant.json"), (resized, "datapackage.json")):
        sentence = refusal_of(bundle_path, tmp_path, tamper)
        assert sentence == f"'{name}' does not match the files."


@pytest.mark.parametrize("name", DESCRIBING)
def test_a_bundle_without_what_tells_of_it_is_refused(
    bundle_path: Path, tmp_path: Path, name: str
) -> None:
    """A bundle without a file that describes the others is refused.

    The forger also takes its digest out of the certificate.
    """

    def forget(files: dict[str, bytes]) -> None:
        del files[name]
        edit_certificate(files, lambda c: c["sha256"].pop(name))

    assert refusal_of(bundle_path, tmp_path, forget) == f"The bundle lacks the file '{name}'."


def test_frictionless_and_mlcroissant_accept_it(bundle_path: Path, tmp_path: Path) -> None:
    """Two validators of other people find no fault in the data package and the Croissant
    file.

    The test is skipped where they are not installed.
    """
    pytest.importorskip("frictionless")
    pytest.importorskip("mlcroissant")

    for name, content in read_bundle(bundle_path).items():
        (tmp_path / name).write_bytes(content)
    assert not list_faults(tmp_path)


@pytest.mark.slow
def test_fifty_bundles_are_made_and_verified(tmp_path: Path) -> None:
    """Over fifty bundles of many domains, methods and options all verify.

    Where `SYNTH_VALIDATORS` names a Python that has them, Frictionless and mlcroissant accept
    them.
    """
    paths = list(make_bundles(tmp_path))
    assert len(paths) >= 50

    for path in paths:
        verify(path)

    if python := os.environ.get("SYNTH_VALIDATORS"):
        script = Path(__file__).parent / "accepted.py"
        done = subprocess.run(
            [python, script, *paths], check=False, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout
        print(done.stdout)
