"""Rows as a file of another format, its notes and its manifest. PUBLIC.

A file follows from the rows and the domain, so `verify` writes it again and compares. Only
another version of the package that writes it may write other bytes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from synth.bundle.certificate import Certificate
from synth.bundle.exports.format import FileFormat
from synth.bundle.file_names import NOTES
from synth.domain import Domain
from synth.util import NOTHING_PROTECTED, Document, Protection, Writer

if TYPE_CHECKING:
    from synth.rows import SyntheticTable


Certified = TypeVar("Certified", bound=Certificate)

# The format of the manifest of an exported file.
MANIFEST = "synth-export-1"


def export(
    rows: "SyntheticTable",
    kind: FileFormat,
    path: str | Path,
    *,
    protection: Protection = NOTHING_PROTECTED,
) -> Path:
    """Write rows as a file of a format, whole or not at all, and return its path.

    Args:
        rows: The rows.
        kind: The format.
        path: The file to write.
        protection: The files that are never written over.

    Raises:
        LimitError: They are too many for the format, or for memory.
        ReleaseError: The file can't be written, or something else is there.
    """
    return protection.write_file(path, writer_of(rows, kind))


def writer_of(rows: "SyntheticTable", kind: FileFormat) -> Writer:
    """Return a function that writes these rows in a format to a path.

    Raises:
        LimitError: The format can't hold them.
        ReleaseError: The package that writes it is not installed.
    """
    kind.check(rows.domain, rows.rows)
    return partial(kind.write, rows)


def export_writers(rows: "SyntheticTable", kinds: Sequence[FileFormat]) -> dict[str, Writer]:
    """Return the writers of rows in formats, and of the notes on them, by file name.

    A writer is a function that writes the file to a path. Without formats there are none.

    Args:
        rows: The rows.
        kinds: The formats.

    Raises:
        LimitError: A format can't hold the rows.
        ReleaseError: The package that writes it is not installed.
    """
    from synth.bundle.writer import write_bytes

    if not kinds:
        return {}
    notes = notes_on(rows.domain, kinds).encode()
    writers = {kind.file: writer_of(rows, kind) for kind in kinds}
    return writers | {NOTES: write_bytes(notes)}


def notes_on(domain: Domain, kinds: Sequence[FileFormat]) -> str:
    """Return the text of the file `NOTES`: what the formats can't express of these columns.

    Args:
        domain: The declared columns.
        kinds: The formats.
    """
    paragraphs = ["No value is cut or rounded in these files. Differences from the CSV file:"]
    for kind in kinds:
        losses = "\n".join(f"  {loss}" for loss in kind.list_losses(domain))
        paragraphs.append(f"{kind.file} ({kind.title})\n{losses or '  Nothing.'}")
    return "\n\n".join(paragraphs) + "\n"


def made_by(certificate: Certified, kinds: Sequence[FileFormat]) -> Certified:
    """Return a certificate with the versions of the packages that write formats."""
    return replace(certificate, versions={**certificate.versions, **package_versions(kinds)})


def package_versions(kinds: Sequence[FileFormat]) -> dict[str, str]:
    """Return the installed versions of the packages that write these formats, by name.

    Formats that Synth itself writes need no package.
    """
    return {
        name: version(name)
        for name in sorted({kind.package for kind in kinds if kind.package})
    }


def manifest(path: Path, kind: FileFormat, domain: Domain, *, certificate: str) -> bytes:
    """Return the bytes of the manifest of an exported file, which names the release.

    Args:
        path: The exported file.
        kind: The format of the file.
        domain: The declared columns.
        certificate: The digest of the bundle's certificate, as hexadecimal digits.
    """
    from synth.bundle.texts import json_bytes

    return json_bytes(
        describe_export(
            path, kind, domain, certificate=certificate, versions=package_versions([kind])
        )
    )


def describe_export(
    path: Path,
    kind: FileFormat,
    domain: Domain,
    *,
    certificate: str,
    versions: Mapping[str, str],
) -> Document:
    """Return the content of the manifest of an exported file.

    Args:
        path: The exported file.
        kind: The format of the file.
        domain: The declared columns.
        certificate: The digest of the bundle's certificate, as hexadecimal digits.
        versions: The versions of the packages that wrote the file, by the package's name.
    """
    from synth.bundle.writer import sha256

    return {
        "format": MANIFEST,
        "file": path.name,
        "sha256": sha256(path),
        "kind": kind.name,
        "certificate_sha256": certificate,
        "versions": dict(versions),
        "notes": list(kind.list_losses(domain)),
    }
