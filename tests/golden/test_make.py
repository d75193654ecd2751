"""The bundles of `make` hold what they claim, and are what this version makes."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

import synth
from synth.__main__ import main
from tests.golden.make import HERE, KINDS, command_of, made_as, make_all
from tests.golden.same import read_bundle, rounding_of_machine

pytestmark = pytest.mark.usefixtures("whole_fits")

FITTED = ("histogram", "model", "parts")
"""Kinds whose rows another kind of processor may not draw again."""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with the ledger of the bundles."""
    unpack_bundle("ledger", tmp_path)
    return tmp_path


def unpack_bundle(name: str, folder: Path) -> Path:
    """A folder with the files of a zip."""
    with zipfile.ZipFile(HERE / f"{name}.zip") as archive:
        archive.extractall(folder)
    return folder


def golden_files(kind: str) -> dict[str, bytes]:
    """The files of a kind as they are kept."""
    return read_bundle(HERE / f"{kind}.zip")


def read_files(path: Path) -> dict[str, bytes]:
    """The files of a bundle, or of a folder of parts."""
    if path.is_file():
        return read_bundle(path)
    return {str(p.relative_to(path)): p.read_bytes() for p in path.rglob("*") if p.is_file()}


def run_as_json(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    """What a command says as JSON, and its status."""
    capsys.readouterr()
    status = main([*words, "--json"])
    return json.loads(capsys.readouterr().out) | {"status": status}


@pytest.mark.parametrize("kind", KINDS)
def test_a_bundle_is_confirmed(
    kind: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each kept bundle is confirmed with its ledger. Without it, the ledger is left to the
    steward.

    Rows of a histogram or model are compared only if this machine rounds as the one of the
    bundle.
    """
    path = unpack_bundle(kind, home / kind) if kind == "parts" else HERE / made_as(kind)

    words = ["verify", str(path)]
    report = run_as_json(capsys, *words, "--ledger", str(home / "ledger.db"))
    if kind not in FITTED or rounding_of_machine() == certificate_versions(kind)["rounding"]:
        assert (report["verdict"], report["status"]) == ("confirmed", 0), report[
            "not checked"
        ]

    without_ledger = run_as_json(capsys, *words)
    assert (without_ledger["verdict"], without_ledger["status"]) == (
        report["verdict"],
        report["status"],
    )
    unrecorded = "The files cannot show whether a ledger has the"
    assert any(claim.startswith(unrecorded) for claim in without_ledger["for the steward"])


def certificate_versions(kind: str) -> Any:
    """What the certificate of a kind says of versions."""
    return json.loads(golden_files(kind)["certificate.json"])["versions"]


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_asked_is_repeated(
    kind: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command that made a kept bundle is answered from its ledger, with the same numbers.

    So no new entry is paid for. Rows are compared where this machine rounds alike.
    """
    assert run_as_json(capsys, *command_of(kind, home))["repeated"] is True

    new = read_files(home / made_as(kind))
    old = golden_files(kind)

    name = "answers.json" if kind == "answers" else "noisy_counts.csv"
    assert new[name] == old[name]
    if kind not in FITTED or rounding_of_machine() == certificate_versions(kind)["rounding"]:
        rows = [name for name in old if name.startswith("synthetic") and "csv" in name]
        assert [new[name] for name in rows] == [old[name] for name in rows]

    with synth.Ledger(home / "ledger.db", readonly=True) as ledger:
        assert len(ledger.entries()) == len(KINDS)


def test_they_are_what_this_version_makes(tmp_path: Path) -> None:
    """The kept bundles have the files, the schema and the fields that this version writes.

    Where this fails, a format has changed: run `python -m tests.golden.make`.
    """
    make_all(tmp_path)
    for kind in KINDS:
        new = read_files(tmp_path / made_as(kind))
        old = golden_files(kind)
        assert new.keys() == old.keys()
        assert new["certificate.schema.json"] == old["certificate.schema.json"]

        certificates = [
            json.loads(bundle_files["certificate.json"]) for bundle_files in (new, old)
        ]
        assert [*certificates[0]] == [*certificates[1]]
        assert certificates[0].get("algorithm") == certificates[1].get("algorithm")
