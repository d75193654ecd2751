"""The schemas of lists of files: what Synth writes is right by them, and what they refuse, a
reader refuses, too, where Synth has one.
"""

import io
import json
import zipfile
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from synth.bundle import (
    FORMATS,
    PARTS,
    Manifest,
    ReplicaFiles,
    WrongFormError,
    read_typed,
    replica_formats,
    write_replicates,
)
from synth.bundle.exports.export import MANIFEST, export, manifest
from synth.bundle.parted import PartedTable, WrittenPart
from synth.bundle.published import lists
from synth.bundle.replicas import REPLICATES_FORMAT
from synth.verification import open_bundle
from tests.bundle.bundles import make_bundle
from tests.golden.make import HERE
from tests.published.changes import GONE, change, faults
from tests.published.documents import HASH

with zipfile.ZipFile(io.BytesIO((HERE / "parts.zip").read_bytes())) as archive:
    PARTED: dict[str, Any] = json.loads(archive.read(PARTS))
TABLE = "tables/synthetic.csv"


def test_the_list_of_parts_has_the_form() -> None:
    """Also one of Parquet files, whose parts are no text that can be joined."""
    assert faults("parts", PARTED) == []
    part = {**PARTED["tables"]["synthetic.csv"]["parts"][0], "name": "part-00000.parquet"}
    parquet = {**PARTED, "tables": {"synthetic.parquet": {"parts": [part]}}}
    assert faults("parts", parquet) == []


def test_the_schema_has_the_fields_of_the_list_of_parts() -> None:
    schema: Any = lists.parts_schema()
    assert set(schema["properties"]) == {part.name for part in fields(Manifest)}
    table = schema["properties"]["tables"]["properties"]["synthetic.csv"]
    assert set(table["properties"]) == {part.name for part in fields(PartedTable)}
    part = table["properties"]["parts"]["items"]
    assert set(part["properties"]) == {part.name for part in fields(WrittenPart)}


REFUSED: list[tuple[str, Any]] = [
    ("format", GONE),
    ("format", "synth-parts-2"),
    ("rows", GONE),
    ("rows", "150"),
    ("rows", 1.5),
    ("tables", GONE),
    ("tables", []),
    ("later", 1),
    (f"{TABLE}/parts", GONE),
    (f"{TABLE}/parts", {}),
    (f"{TABLE}/sha256", 5),
    (f"{TABLE}/later", 1),
    (f"{TABLE}/parts/0/name", GONE),
    (f"{TABLE}/parts/0/name", 5),
    (f"{TABLE}/parts/0/rows", "150"),
    (f"{TABLE}/parts/0/rows", GONE),
    (f"{TABLE}/parts/0/bytes", None),
    (f"{TABLE}/parts/0/sha256", GONE),
    (f"{TABLE}/parts/0/later", 1),
]


@pytest.mark.parametrize(("place", "value"), REFUSED)
def test_a_change_of_the_list_of_parts_is_refused_by_both(place: str, value: Any) -> None:
    changed = change(PARTED, place, value)
    assert faults("parts", changed) != []
    with pytest.raises(WrongFormError):
        read_typed(Manifest, changed)


NARROWER: list[tuple[str, Any]] = [
    # `verify` compares names, numbers and digests with the files, and so refuses these.
    ("tables", {}),
    ("tables/other.csv", {"parts": []}),
    ("rows", -1),
    (f"{TABLE}/parts/0/name", "rows.csv"),
    (f"{TABLE}/parts/0/sha256", HASH[1:]),
]


@pytest.mark.parametrize(("place", "value"), NARROWER)
def test_what_the_reader_leaves_to_verify(place: str, value: Any) -> None:
    changed = change(PARTED, place, value)
    assert faults("parts", changed) != []
    assert read_typed(Manifest, changed)


def test_replicates_and_exported_files_have_the_form(tmp_path: Path) -> None:
    """The list of two tables in two formats, and the manifests of files of all formats; and
    changes are refused.

    Nothing of Synth reads the list. `verify --file` compares all of a manifest with what it
    would write again (`tests/verification/test_exported.py`).
    """
    result = open_bundle(make_bundle(tmp_path)).result
    files = ReplicaFiles(folder=tmp_path / "tables", formats=replica_formats("csv,xlsx"))
    paths = write_replicates(result, HASH, (1, 2), files=files)
    listing = json.loads(paths["replicates.json"].read_text(encoding="utf-8"))
    assert faults("replicates", listing) == []
    assert listing["format"] == REPLICATES_FORMAT
    check_refused("replicates", listing, REFUSED_REPLICATES)

    for kind in FORMATS.values():
        written = export(result.synthetic, kind, tmp_path / kind.file)
        text = manifest(written, kind, result.plan.domain, certificate=HASH)
        exported = json.loads(text)
        assert faults("export", exported) == []
        assert exported["format"] == MANIFEST
        check_refused("export", exported, REFUSED_EXPORT)


REFUSED_REPLICATES: list[tuple[str, Any]] = [
    ("format", "synth-replicates-2"),
    ("format", GONE),
    ("certificate_sha256", HASH[1:]),
    ("certificate_sha256", GONE),
    ("rows", "5"),
    ("rows", -1),
    ("tables", {}),
    ("tables", []),
    ("tables/0/number", 0),
    ("tables/0/seed", 11),
    ("tables/0/seed", GONE),
    ("tables/0/sha256", []),
    ("tables/0/later", 1),
    ("rule", None),
    ("relations", GONE),
    ("not_measured_together", ["sex"]),
    ("notes", []),
    ("versions/numpy", 2),
    ("later", 1),
]
REFUSED_EXPORT: list[tuple[str, Any]] = [
    ("format", "synth-export-2"),
    ("format", GONE),
    ("file", GONE),
    ("file", ""),
    ("file", 5),
    ("sha256", HASH[1:]),
    ("sha256", GONE),
    ("kind", None),
    ("kind", GONE),
    ("certificate_sha256", "x"),
    ("certificate_sha256", GONE),
    ("versions", []),
    ("versions", {"xlsxwriter": 3}),
    ("notes", "none"),
    ("notes", [1]),
    ("later", 1),
]


def check_refused(name: str, document: Any, changes: list[tuple[str, Any]]) -> None:
    """Check that a schema refuses a document after each change."""
    taken = [
        place
        for place, value in changes
        if faults(name, change(document, place, value)) == []
    ]
    assert taken == []
