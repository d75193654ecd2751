"""Files of other formats, written again from the rows and compared."""

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from synth.bundle import (
    FORMATS,
    MANIFEST,
    NOTES,
    Archive,
    Certificate,
    FileFormat,
    describe_export,
    export,
    formats_named,
    notes_on,
    sha256,
)
from synth.errors import ArgumentError, ReleaseError
from synth.foreign import Folder
from synth.rows import SyntheticTable
from synth.util import Document, read_json
from synth.verification.files import check_contents, refuse, same_bytes
from synth.verification.given import is_version
from synth.verification.leaves import compare_leaves
from synth.verification.verdict import OpenClaim
from synth.verification.versions import explained_otherwise

# Bytes of a manifest that are read; Synth writes far fewer.
_MANIFEST_BYTES = 2**24


def formats_in(archive: Archive) -> list[FileFormat]:
    """Return the formats in which a bundle holds its rows, except CSV and Parquet."""
    return [kind for kind in FORMATS.values() if kind.file in archive]


def check_exports(
    archive: Archive, certificate: Certificate, synthetic: SyntheticTable
) -> list[str]:
    """Check that a bundle's files of other formats hold its rows; return the sentences.

    Args:
        archive: The unpacked bundle.
        certificate: Its certificate, with the versions of the packages that wrote the files.
        synthetic: The rows of the bundle.

    Returns:
        A sentence for each file; an `OpenClaim` (not checked) if another version of a package
        wrote it.

    Raises:
        RefutedError: A file holds something else.
    """
    kinds = formats_in(archive)
    if not kinds:
        return []
    notes = {NOTES: notes_on(synthetic.domain, kinds).encode()}
    otherwise = check_contents(
        archive, notes, "the domain and the formats", certificate=certificate
    )
    exported = [
        _write_again(
            kind,
            kind.file,
            archive.path(kind.file),
            versions=certificate.versions,
            synthetic=synthetic,
        )
        for kind in kinds
    ]
    return [*exported, *explained_otherwise(certificate, otherwise)]


def check_exported(archive: Archive, synthetic: SyntheticTable, path: str | Path) -> str:
    """Check that a file is an export of a verified bundle; return the sentence.

    A manifest next to the file (``FILE.json``) names the versions that wrote it. Without one,
    the installed version is assumed.

    Args:
        archive: The unpacked bundle.
        synthetic: The synthetic rows of the bundle.
        path: The exported file; its ending says the format.

    Raises:
        RefutedError: The file or its manifest is of other rows.
        ReleaseError: The format is unknown, or there is no such file.
    """
    path = Path(path)
    try:
        (kind,) = formats_named(path.suffix)
    except ArgumentError:
        raise ReleaseError(f"Synth does not export the format of '{path.name}'.") from None
    if not path.is_file():
        raise ReleaseError(f"There is no file '{path}'.")
    manifest = _read_manifest(path.with_name(f"{path.name}.json"))
    if manifest and manifest.get("sha256") != sha256(path):
        refuse(f"'{path.name}' does not match its manifest.")
    if manifest and manifest.get("certificate_sha256") != archive.digest:
        refuse(f"The manifest of '{path.name}' is of another bundle.")
    versions = _installed_version(kind.package)
    if manifest:
        versions = _versions_in(manifest, kind, f"{path.name}.json")
        again = describe_export(
            path, kind, synthetic.domain, certificate=archive.digest, versions=versions
        )
        # No part of a manifest may differ.
        compare_leaves(manifest, again, (), name=f"manifest of '{path.name}'")
    return _write_again(kind, path.name, path, versions=versions, synthetic=synthetic)


def _versions_in(manifest: Document, kind: FileFormat, name: str) -> dict[str, str]:
    """Return the version of the package that wrote a file, as its manifest names it.

    Args:
        manifest: The content of the manifest.
        kind: The format of the file.
        name: The name of the manifest, for the sentence.

    Returns:
        The version by the name of the package; empty if Synth itself writes the format.

    Raises:
        RefutedError: The manifest names other packages, or a text that is no version.
    """
    content = manifest.get("versions")
    packages = {kind.package} if kind.package else set()
    if not isinstance(content, dict) or {*content} != packages:
        refuse(f"'{name}' does not name the version of the package that wrote the file.")
    versions = {package: str(version) for package, version in content.items()}
    if not all(is_version(version) for version in versions.values()):
        refuse(f"'{name}' does not name the version of the package that wrote the file.")
    return versions


def _read_manifest(path: Path) -> Document | None:
    """Return the manifest of an exported file, or None if there is none.

    Raises:
        RefutedError: The file is no manifest.
    """
    if not path.is_file():
        return None
    try:
        content = read_json(path.read_bytes()[:_MANIFEST_BYTES], f"'{path.name}'")
    except ArgumentError as error:
        refuse(str(error))
    except OSError:
        content = None
    if not isinstance(content, dict) or content.get("format") != MANIFEST:
        refuse(f"'{path.name}' is no manifest of an exported file.")
    return content


def _installed_version(package: str) -> dict[str, str]:
    """Return the installed version by the package's name; empty if it is not installed.

    The name may be empty, for formats that Synth itself writes.
    """
    try:
        return {package: version(package)} if package else {}
    except PackageNotFoundError:
        return {}


def unwritable(name: str, package: str, versions: Mapping[str, str]) -> OpenClaim | None:
    """Return the sentence about a file that another version of a package wrote.

    Such a file cannot be compared, as its bytes may differ.

    Args:
        name: The name of the file.
        package: The package that writes the file; empty if Synth does.
        versions: The versions of packages that wrote it, by name.

    Returns:
        A sentence that the file was not checked; None if the installed version is the same,
        or if Synth writes the file.
    """
    if not package or _installed_version(package) == {package: versions.get(package)}:
        return None
    return OpenClaim(
        f"'{name}' was written by another version of {package} and was not written again."
    )


def _write_again(
    kind: FileFormat,
    name: str,
    path: Path,
    *,
    versions: Mapping[str, str],
    synthetic: SyntheticTable,
) -> str:
    """Write the rows in a format again, compare the file, and return the sentence.

    Args:
        kind: The format.
        name: The name of the file, for the sentence.
        path: The file to compare.
        versions: The versions of packages that wrote it, by name.
        synthetic: The rows that it must hold.

    Raises:
        RefutedError: The bytes differ.
    """
    if open_claim := unwritable(name, kind.package, versions):
        return open_claim
    with Folder() as folder:
        if not same_bytes(export(synthetic, kind, folder / kind.file), path):
            refuse(
                f"'{name}' does not contain the synthetic rows in the format of {kind.title}."
            )
    return f"'{name}' holds the synthetic rows."
