"""Files of version 1.0.0 are checked, opened and continued: by this version, and by one that
added fields, changed words or has another algorithm.
"""

import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

import synth
from pages.ui.shell.saved import read_draft
from synth.__main__ import main
from synth.bundle import published_schemas, sha256
from synth.bundle.certificate import SCHEMAS
from synth.door import ALGORITHM
from synth.plans import Project
from synth.verification import open_bundle
from tests.golden.first_release import BUNDLES, HERE, LEDGER, PARTS, PROJECT, VERSION
from tests.golden.later import (
    ADDED_FIELDS,
    OTHER_ALGORITHM,
    OTHER_WORDS,
    Change,
    LaterVersion,
)
from tests.golden.make import command_of
from tests.golden.same import rounding_of_machine

ALL = (*BUNDLES, PARTS)


def unpack(name: str, folder: Path) -> Path:
    """A folder with the files of a zip."""
    with zipfile.ZipFile(HERE / name) as archive:
        archive.extractall(folder)
    return folder


def place_of(kind: str, folder: Path) -> Path:
    """A bundle, or the unpacked folder of a release in parts."""
    return unpack(f"{PARTS}.zip", folder / PARTS) if kind == PARTS else HERE / f"{kind}.zip"


def rounds_alike(kind: str) -> bool:
    """Whether this machine rounds as the one that made a kept bundle."""
    with zipfile.ZipFile(HERE / f"{kind}.zip") as archive:
        certificate = json.loads(archive.read("certificate.json"))
    return bool(certificate["versions"].get("rounding") == rounding_of_machine())


def later_version(folder: Path, *changes: tuple[Change, ...]) -> LaterVersion:
    """A later version in a folder."""
    return LaterVersion.make(folder / "later", sum(changes, ()))


@pytest.fixture(scope="module")
def with_fields(tmp_path_factory: pytest.TempPathFactory) -> LaterVersion:
    """A later version that added fields."""
    return later_version(tmp_path_factory.mktemp("fields"), ADDED_FIELDS)


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    """The ledger of all kept releases."""
    return unpack(LEDGER, tmp_path / "ledger") / "ledger.db"


def assert_confirmed(report: Any, kind: str) -> None:
    """See that a bundle is confirmed, but for rows if this machine rounds otherwise."""
    assert "refuted" not in report, report
    if rounds_alike(kind):
        assert report["verdict"] == "confirmed", report["not checked"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ALL)
def test_a_version_that_added_fields_confirms_each_bundle(
    kind: str, with_fields: LaterVersion, ledger: Path, tmp_path: Path
) -> None:
    """All claims hold, with the ledger too; nothing is said of the fields that came later."""
    words = ["verify", str(place_of(kind, tmp_path))]
    if kind != "dummy":
        words += ["--ledger", str(ledger)]

    status = 0 if rounds_alike(kind) else 3

    assert_confirmed(with_fields.run(*words, status=status), kind)


@pytest.mark.slow
def test_it_finds_the_releases_in_the_ledger(
    with_fields: LaterVersion, ledger: Path, tmp_path: Path
) -> None:
    """The same command gives the kept answer again at no cost; another one spends."""
    shutil.copytree(ledger.parent, tmp_path, dirs_exist_ok=True)
    repeated = with_fields.run(*command_of("answers", tmp_path))
    assert repeated["repeated"] is True

    with synth.Ledger(tmp_path / "ledger.db", readonly=True) as before:
        spends = len(before.entries())
    (tmp_path / "answers.zip").unlink()
    command = [
        word.replace("mean age", "count where age >= 50")
        for word in command_of("answers", tmp_path)
    ]
    assert with_fields.run(*command)["repeated"] is False
    with synth.Ledger(tmp_path / "ledger.db", readonly=True) as after:
        assert len(after.entries()) == spends + 1
        assert after.verify() == len(after.events())


@pytest.mark.slow
def test_it_opens_the_project(with_fields: LaterVersion) -> None:
    """The project has its choices, and the field that came later its default."""
    script = f"""
import json
from pages.ui.shell.saved import choices_of, read_draft
from synth.plans import Project
content = json.load(open({str(HERE / PROJECT)!r}, encoding="utf-8"))
project = Project.from_json(content)
assert project.table.later == "" and project.to_json() == content
print(json.dumps(choices_of(read_draft(project)) == content["choices"]))
"""
    assert with_fields.run_python("-c", script) == "true\n"


@pytest.mark.slow
def test_other_words_are_named(tmp_path: Path) -> None:
    """A version with another statement names it and the page that shows it.

    All else is confirmed.
    """
    later = later_version(tmp_path, ADDED_FIELDS, OTHER_WORDS)

    report = later.run("verify", str(HERE / "histogram.zip"), status=3)

    assert report["verdict"] == "not checked"
    for name in ("statement.txt", "open.html"):
        assert any(f"'{name}'" in sentence for sentence in report["not checked"])
    assert len(report["not checked"]) == 2 or not rounds_alike("histogram")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["histogram", "model", "linked"])
def test_the_rows_of_another_algorithm_are_named(kind: str, tmp_path: Path) -> None:
    """A version with another algorithm checks all but that the rows follow."""
    later = later_version(tmp_path, ADDED_FIELDS, OTHER_ALGORITHM)

    report = later.run("verify", str(HERE / f"{kind}.zip"), status=3)

    assert report["verdict"] == "not checked"
    assert any(
        sentence.startswith(f"Algorithm {ALGORITHM} drew the rows, and this version")
        for sentence in report["not checked"]
    )
    assert report["confirmed"]


@pytest.mark.usefixtures("whole_fits")
@pytest.mark.parametrize("kind", ALL)
def test_this_version_confirms_each_bundle(
    kind: str, ledger: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What 1.0.0 claims holds in this version too, with the ledger."""
    words = ["verify", str(place_of(kind, tmp_path)), "--json"]
    if kind != "dummy":
        words += ["--ledger", str(ledger)]
    main(words)
    assert_confirmed(json.loads(capsys.readouterr().out), kind)


@pytest.mark.parametrize("kind", ["histogram", "model"])
def test_this_version_opens_a_bundle(kind: str) -> None:
    """Rows and noisy counts are there again."""
    opened = open_bundle(HERE / f"{kind}.zip")
    assert opened.synthetic.rows == opened.certificate.rows
    assert opened.certificate.versions["synth"] == VERSION


def test_this_version_opens_the_project() -> None:
    """A project of 1.0.0 is read, and written again with the same content."""
    content = json.loads((HERE / PROJECT).read_text(encoding="utf-8"))
    project = Project.from_json(content)
    assert project.to_json() == content
    assert read_draft(project).epsilon == "1/2"


def test_the_schemas_of_this_version_are_known_to_later_ones() -> None:
    """The list of published schemas has those that this version writes into bundles.

    A later version confirms a bundle although its own schema has further fields.
    """
    assert {sha256(path) for path in SCHEMAS.glob("certificate*.schema.json")} <= (
        published_schemas()
    )
