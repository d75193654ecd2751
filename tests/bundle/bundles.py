"""Bundles that several tests make, open and tamper with."""

import hashlib
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from synth.bundle import DESCRIBING, Certificate, Result, WrittenFile, describe_files
from synth.domain import Categorical, Domain, read_schema
from synth.door import Ledger
from synth.errors import ReleaseError
from synth.plans import Method, Plan
from synth.privacy import Neighbors, parse_budget, parse_epsilon
from synth.spending import synthesize
from synth.verification import verify
from tests.tables import MIXED, ROWS, write

REPLACE = Neighbors.REPLACE_ONE

FILES = {
    "certificate.json",
    "certificate.schema.json",
    "croissant.json",
    "datapackage.json",
    "ddi.xml",
    "dictionary.csv",
    "domain.json",
    "how_to_use.ipynb",
    "noisy_counts.csv",
    "plan.json",
    "open.html",
    "run_again.py",
    "run_again.txt",
    "statement.txt",
    "synthetic.csv",
    "synthetic.parquet",
}

ODD = Domain(
    (Categorical(name="=sum", categories=("=1+1", "-5", "@a", 'F, "M"'), missing=True),)
)


def make_bundle(folder: Path, name: str = "b", rows: Any = ROWS, **options: Any) -> Path:
    """A bundle with its ledger."""
    formats = options.pop("formats", ())
    result, ledger = release_of(folder, name, rows, **options)
    return result.write_archive(folder / f"{name}.zip", ledger, formats)


def release_of(
    folder: Path, name: str = "b", rows: Any = ROWS, **options: Any
) -> tuple[Result, Ledger]:
    """A release whose bundle is not written yet, and its ledger."""
    options = {"domain": MIXED, "epsilon": parse_epsilon("1"), **options}
    plan = Plan(**{"method": Method.DENSE, **options}, dataset="survey")
    table = write(folder / f"{name}.csv", list(plan.domain.names), rows)
    ledger = Ledger(folder / f"{name}.db")
    allowed = "epsilon=9,delta=1e-6" if plan.delta else "9"
    ledger.set_budget("survey", parse_budget(allowed, plan.neighbors))
    return synthesize(plan, table, ledger=ledger), ledger


def read_bundle(path: Path) -> dict[str, bytes]:
    """The files of a bundle by name."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rezip(path: Path, files: dict[str, bytes]) -> Path:
    """A bundle of these files, stored as they are: nothing checked depends on the packing."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def edit_certificate(
    files: dict[str, bytes], change: Callable[[dict[str, Any]], Any]
) -> None:
    """Change the certificate."""
    certificate = json.loads(files["certificate.json"])
    change(certificate)
    files["certificate.json"] = json.dumps(certificate).encode()


def replace_signed(files: dict[str, bytes], name: str, content: bytes) -> None:
    """A forger who knows that digests are checked."""
    files[name] = content
    digest = hashlib.sha256(content).hexdigest()
    edit_certificate(files, lambda c: c["sha256"].update({name: digest}))


def change_date(files: dict[str, bytes], created: str) -> None:
    """Another time of the spend, in all files that follow from it."""
    old = json.loads(files["certificate.json"])["created"].encode()
    edit_certificate(files, lambda c: c.update(created=created))
    for name in ("ddi.xml", "open.html"):
        replace_signed(files, name, files[name].replace(old, created.encode()))
    describe_anew(files)


def describe_anew(files: dict[str, bytes]) -> None:
    """A forger who knows that the files that tell of all others are checked as well."""
    certificate = Certificate.from_json(json.loads(files["certificate.json"]))
    there = {
        name: WrittenFile(digest, len(files[name]))
        for name, digest in certificate.sha256.items()
        if name not in DESCRIBING
    }
    describe = describe_files(certificate, read_schema(files["domain.json"]))
    for name, content in describe(there).items():
        replace_signed(files, name, content)


def edit_text(name: str, old: bytes, new: bytes, count: int = 1) -> Callable[..., None]:
    """A forgery of a text, with its digest."""

    def edit(files: dict[str, bytes]) -> None:
        assert old in files[name], old
        replace_signed(files, name, files[name].replace(old, new, count))

    return edit


def claim_values(**changes: Any) -> Callable[..., None]:
    """A certificate with other values; `a__b` is the field b of a."""

    def edit(files: dict[str, bytes]) -> None:
        def change(certificate: dict[str, Any]) -> None:
            for key, value in changes.items():
                place, _, field = key.partition("__")
                if field:
                    certificate[place][field] = value
                else:
                    certificate[place] = value

        edit_certificate(files, change)

    return edit


def refusal_of(bundle: Path, folder: Path, tamper: Callable[[dict[str, bytes]], None]) -> str:
    """What `verify` says of a bundle that was tampered with."""
    files = read_bundle(bundle)
    tamper(files)
    with pytest.raises(ReleaseError) as caught:
        verify(rezip(folder / "t.zip", files))
    return str(caught.value)
