"""The published schemas as files: made by one command, in plain English, and right for every
file of bundles.
"""

import io
import json
import re
import sqlite3
import zipfile
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import synth
from synth.bundle import certificate, schema
from synth.bundle.certificate import FORMS, SCHEMAS
from synth.bundle.published.catalogue import PUBLISHED, schema_text
from synth.door.ledger.sqlite_form import APPLICATION, FORMAT, create_form
from synth.plans import LinkedPlan
from synth.privacy import Neighbors
from synth.spending import synthesize_linked
from tests.bundle.asked import asked_of
from tests.bundle.bundles import make_bundle, read_bundle
from tests.golden.make import HERE
from tests.house.reader import read_fences
from tests.house.test_words import STIFF
from tests.linked.households import files_at_random, households
from tests.published.changes import faults
from tests.tables import ROOT

ADD = Neighbors.ADD_REMOVE
NAMES = sorted(PUBLISHED)
SCHEMA_OF = {
    "domain.json": "declaration",
    "declaration.json": "declaration",
    "plan.json": "plan",
    "inquiry.json": "inquiry",
    "parts.json": "parts",
}
"""The schema of each file of a bundle that has one, but for certificates."""


@pytest.mark.parametrize("name", NAMES)
def test_a_published_schema_is_what_the_command_writes(name: str) -> None:
    """`python -m synth.bundle.schema` writes it, byte for byte."""
    assert (SCHEMAS / name).read_text(encoding="utf-8") == schema_text(name)
    Draft202012Validator.check_schema(PUBLISHED[name]())


def test_the_folder_holds_all_schemas_and_no_other() -> None:
    certificates = {f"{kind.PUBLISHED}.schema.json" for kind in FORMS}
    assert list_schemas(SCHEMAS) == certificates | set(NAMES)


def list_schemas(folder: Path) -> set[str]:
    return {path.name for path in folder.glob("*.json")}


def test_one_command_writes_all_schemas(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command writes the schemas of all certificates and of all other files."""
    monkeypatch.setattr(certificate, "SCHEMAS", tmp_path)
    schema.main()
    assert list_schemas(tmp_path) == list_schemas(SCHEMAS)


def fields_of(part: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Each field of an object that a schema describes, with its schema."""
    if isinstance(part, list):
        for entry in part:
            yield from fields_of(entry, name)
    if not isinstance(part, dict):
        return
    is_described = "description" in part and "properties" in part
    for key, value in part.items():
        if key == "properties" and is_described:
            for field, field_schema in value.items():
                yield f"{name}/{field}", field_schema
                yield from fields_of(field_schema, f"{name}/{field}")
        elif key not in ("if", "then", "else", "not", "const", "enum"):
            yield from fields_of(value, name)


@pytest.mark.parametrize("name", NAMES)
def test_every_field_is_described_in_plain_english(name: str) -> None:
    """The schema has a title and a description, and so has each field of each object: whole
    sentences without stiff words. A field that an object may lack says what its absence
    means, if that is no matter of course.
    """
    document = PUBLISHED[name]()
    assert document["title"]
    described = [(name, document), *fields_of(document)]
    assert len(described) > 5
    for place, part in described:
        words = part.get("description", "")
        assert re.match(r"[A-Z#0-9a-z]", words), place
        assert words.endswith("."), place
        assert not STIFF.search(words), (place, words)
        assert len(words.split()) >= 2, (place, words)


def list_objects(part: Any) -> Iterator[dict[str, Any]]:
    """All schemas of objects with named fields inside a schema."""
    if isinstance(part, list):
        for entry in part:
            yield from list_objects(entry)
    if isinstance(part, dict):
        if "properties" in part and "description" in part:
            yield part
        for key, value in part.items():
            if key not in ("const", "enum", "required"):
                yield from list_objects(value)


MEANS = re.compile(r"absent|null|not used|for readers|for other programs", re.I)
"""How a description says what the absence of a field means, or that nothing reads it."""


@pytest.mark.parametrize("name", NAMES)
def test_absence_has_a_meaning(name: str) -> None:
    """Each field that an object may lack says what it means if it is not there."""
    silent = [
        (field, part["description"])
        for described in list_objects(PUBLISHED[name]())
        for field, part in described["properties"].items()
        if field not in described.get("required", ())
        if not MEANS.search(part["description"])
    ]
    assert silent == []


def check_files(files: dict[str, bytes]) -> set[str]:
    """Check all files that have a schema; return their names."""
    checked = set()
    for name, content in files.items():
        if name in SCHEMA_OF:
            assert faults(SCHEMA_OF[name], json.loads(content)) == [], name
            checked.add(name)
    return checked


FIRST = HERE.parent / "first_release"
KEPT = sorted(path for folder in (HERE, FIRST) for path in folder.glob("*.zip"))


@pytest.mark.parametrize("path", KEPT, ids=lambda path: f"{path.parent.stem} {path.stem}")
def test_the_files_of_kept_bundles_have_the_form(path: Path) -> None:
    """Bundles that an earlier commit made, and those of version 1.0.0: a histogram, a model,
    answers, parts, a dummy, and linked tables.
    """
    with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    if path.stem == "linked":
        assert faults("plan.linked", json.loads(files["plan.json"])) == []
    elif path.stem != "ledger":
        assert check_files(files)


def test_the_project_of_the_first_release_has_the_form() -> None:
    document = json.loads((FIRST / "project.json").read_text(encoding="utf-8"))
    assert faults("project", document) == []


def test_the_files_of_new_bundles_have_the_form(tmp_path: Path) -> None:
    """A release by a histogram, and answers; both have a plan or an inquiry."""
    assert check_files(read_bundle(make_bundle(tmp_path))) == {"domain.json", "plan.json"}
    (tmp_path / "asked").mkdir()
    answers, _ = asked_of(tmp_path / "asked")
    files = read_bundle(answers.write_archive(tmp_path / "answers.zip"))
    assert check_files(files) == {"declaration.json", "inquiry.json"}


def test_the_plan_of_a_linked_release_has_the_form(tmp_path: Path) -> None:
    """The plan and its package, the declaration of all tables, follow their JSON schemas."""
    keys_of_homes = [f"{number}" for number in range(60)]
    files = files_at_random(Random(1), keys_of_homes)
    plan = LinkedPlan(package=households(), epsilon=Fraction(20), neighbors=ADD)
    result = synthesize_linked(plan, files.tables())
    document = json.loads(read_bundle(result.write_archive(tmp_path / "b.zip"))["plan.json"])
    assert faults("plan.linked", document) == []
    assert faults("package", document["package"]) == []


def test_a_dummy_has_a_declaration_of_the_form(tmp_path: Path) -> None:
    domain = synth.Domain(sex=["F", "M"], age=synth.Integer(0, 99))
    synth.dummy(domain, rows=10).save(tmp_path / "dummy.zip")
    assert "domain.json" in check_files(read_bundle(tmp_path / "dummy.zip"))


PAGE = (ROOT / "docs" / "reference" / "files.md").read_text(encoding="utf-8")
EXAMPLES = [
    ("declaration", "Declarations"),
    ("package", "Declarations"),
    ("plan", "Plans"),
    ("plan.linked", "Plans"),
    ("inquiry", "Inquiries"),
    ("parts", "Lists of files"),
    ("export", "Lists of files"),
    ("dossier.answers", "Answers of a dossier"),
    ("request", "Requests to check a figure"),
    ("ledger.line", "Ledgers"),
]
"""The schemas of the examples on the page about files, and their headings, in order."""


def test_the_examples_on_the_page_have_the_form() -> None:
    """Each section of the page about files shows documents that its schemas take."""
    documents = [json.loads(code) for name, code in read_fences(PAGE) if name == "json"]
    for (name, heading), document in zip(EXAMPLES, documents, strict=True):
        assert faults(name, document) == [], name
        assert f"## {heading}\n" in PAGE


def test_the_page_has_the_fields_of_the_example_of_a_project() -> None:
    (example,) = (code for name, code in read_fences(PAGE) if name == "text")
    project: Any = PUBLISHED["project.schema.json"]()["properties"]
    names = re.findall(r'"(\w+)":', example)
    known = {*project, *project["table"]["properties"], *project["choices"]["properties"]}
    assert set(names) <= known


def test_the_page_links_every_schema() -> None:
    """And says the form of each certificate."""
    for name in list_schemas(SCHEMAS):
        assert f"(../../synth/bundle/schemas/{name})" in PAGE
    for kind in FORMS:
        assert f"| `{kind.format}` | [" in PAGE


def test_the_page_says_what_the_file_of_a_ledger_holds() -> None:
    """The tables and columns of a new ledger, and the marks of its file."""
    connection = sqlite3.connect(":memory:")
    create_form(connection)
    tables = connection.execute("SELECT name FROM sqlite_master ORDER BY name").fetchall()
    for (table,) in tables:
        columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        named = ", ".join(f"`{column}`" for column in columns)
        assert f"| `{table}` | {named} |" in PAGE
    assert len(tables) == 3
    assert f"`0x{APPLICATION:X}` and the user version {FORMAT}." in PAGE
