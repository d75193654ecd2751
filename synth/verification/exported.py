"""Files of other formats, written again from the rows and compared."""

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError
from pathlib import Path

from synth.bundle import (
    CERTIFICATE,
    FORMATS,
    MANIFEST,
    NOTES,
    Archive,
    FileFormat,
    export,
    formats_named,
    notes_on,
    package_versions,
    sha256,
)
from synth.errors import ArgumentError, ReleaseError
from synth.foreign import Folder
from synth.rows import SyntheticTable
from synth.util import Document, read_json
from synth.verification.files import refuse, same_bytes
from synth.verification.verdict import OpenClaim


def check_exports(
    archive: Archive, versions: Mapping[str, str], synthetic: SyntheticTable
) -> list[str]:
    """Check that files of other formats in a bundle hold its rows; return the sentences."""
    kinds = [kind for kind in FORMATS.values() if kind.file in archive]
    if not kinds:
        return []
    if archive.text(NOTES) != notes_on(synthetic.domain, kinds):
        refuse(f"'{NOTES}' does not say what the domain and the formats give.")
    return [_again(kind, kind.file, archive.path(kind.file), versions, synthetic) for kind in kinds]


def check_exported(archive: Archive, synthetic: SyntheticTable, path: str | Path) -> str:
    """Check that a file is an export of a verified bundle; return the sentence.

    A manifest next to the file names the versions that wrote it.

    Raises:
        ReleaseError: It is not, or can't be read.
    """
    path = Path(path)
    try:
        (kind,) = formats_named(path.suffix)
    except ArgumentError:
        raise ReleaseError(f"'{path.name}' is of no format that Synth exports.") from None
    if not path.is_file():
        raise ReleaseError(f"There is no file '{path}'.")
    said = _manifest(path.with_name(f"{path.name}.json"))
    if said and said.get("sha256") != sha256(path):
        refuse(f"'{path.name}' is not the file that its manifest was written for.")
    if said and said.get("certificate_sha256") != sha256(archive.path(CERTIFICATE)):
        refuse(f"The manifest of '{path.name}' is of another bundle.")
    versions = said.get("versions") if said else _here(kind)
    known = versions if isinstance(versions, dict) else {}
    return _again(kind, path.name, path, known, synthetic)


def _manifest(path: Path) -> Document | None:
    if not path.is_file():
        return None
    try:
        content = read_json(path.read_bytes()[: 2**24], f"'{path.name}'")
    except ArgumentError as error:
        refuse(str(error))
    except OSError:
        content = None
    if not isinstance(content, dict) or content.get("format") != MANIFEST:
        refuse(f"'{path.name}' is no manifest of an exported file.")
    return content


def _here(kind: FileFormat) -> dict[str, str]:
    try:
        return package_versions([kind])
    except PackageNotFoundError:
        return {}


def _again(
    kind: FileFormat, name: str, path: Path, versions: Mapping[str, str], synthetic: SyntheticTable
) -> str:
    """Check that a file has the bytes of the rows, if the same version can write them again."""
    if _here(kind) != {name: versions.get(name) for name in (kind.package,) if name}:
        return OpenClaim(
            f"'{name}' was written by another version of {kind.package} and was not written again."
        )
    with Folder() as folder:
        if not same_bytes(export(synthetic, kind, folder / kind.file), path):
            refuse(f"'{name}' does not hold the synthetic rows as {kind.title} has them.")
    return f"'{name}' holds the synthetic rows."
