"""Packed files, which the child unpacks under limits."""

import struct
import zipfile
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Literal

from synth.foreign.fault import Fault, Reply, Request
from synth.foreign.files import read_blocks

if TYPE_CHECKING:
    import gzip

JOINED_FILE = "joined"
# Endings of statistics files, and their functions in pyreadstat.
READERS = {".sav": "read_sav", ".zsav": "read_sav", ".por": "read_por", ".dta": "read_dta",
           ".sas7bdat": "read_sas7bdat", ".xpt": "read_xport"}  # fmt: skip
# Endings that give the type of a file if its first bytes do not.
TYPED_ENDINGS = {".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".jsonl", ".ndjson", *READERS}


def unpack_gzip(request: Request) -> Reply:
    import gzip
    import zlib

    path, target = Path(request["source"]), Path(request["folder"]) / "unpacked"
    try:
        with path.open("rb") as file:
            file.seek(-4, 2)
            _check_size(request, struct.unpack("<I", file.read(4))[0])
        with gzip.open(path) as source:
            _copy(request, source, target)
    except (zlib.error, EOFError, OSError):
        raise Fault("damaged") from None
    return {"unpacked": target.name}


def unpack_zip(request: Request) -> Reply:
    with opened_zip(request) as archive:
        members = [m for m in archive.infolist() if not m.is_dir()]
        members = [m for m in members if not m.filename.startswith("__MACOSX")]
        if len(members) != 1:
            raise Fault("members", members=len(members))
        suffix = PurePosixPath(members[0].filename).suffix.lower()
        target = f"unpacked{suffix if suffix in TYPED_ENDINGS else ''}"
        _unzip(request, archive, members[0], target)
    return {"unpacked": target}


def unpack_bundle(request: Request) -> Reply:
    """Unpack all members of a bundle as numbered files; their names are never used as paths."""
    with opened_zip(request) as archive:
        members = _few_members(request, archive.infolist())
        names = [member.filename for member in members]
        for name in names:
            parts = PurePosixPath(name.replace("\\", "/")).parts
            if len(parts) != 1 or parts[0] in ("..", "/") or ":" in name:
                raise Fault("names")
        for number, member in enumerate(members):
            _unzip(request, archive, member, str(number))
    return {"members": names}


def join_members(request: Request) -> list[tuple[str, int]]:
    """Join the members of a zip, in folders or not, in one file.

    Many small files would take longer to make and remove than to read.
    """
    with opened_zip(request) as archive:
        members = _few_members(request, [m for m in archive.infolist() if not m.is_dir()])
        (Path(request["folder"]) / JOINED_FILE).touch()
        for member in members:
            _unzip(request, archive, member, JOINED_FILE, "ab")
    return [(member.filename, member.file_size) for member in members]


def _few_members(request: Request, members: list[zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    if len({member.filename for member in members}) < len(members):
        raise Fault("twice")
    if len(members) > request["members"]:
        raise Fault("members", members=len(members))
    return members


def opened_zip(request: Request) -> zipfile.ZipFile:
    try:
        archive = zipfile.ZipFile(request["source"])
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        raise Fault("damaged") from None
    _check_size(request, sum(member.file_size for member in archive.infolist()))
    return archive


def _unzip(
    request: Request,
    archive: zipfile.ZipFile,
    member: zipfile.ZipInfo,
    target: str,
    mode: Literal["xb", "ab"] = "xb",
) -> None:
    import zlib

    try:
        with archive.open(member) as source:
            _copy(request, source, Path(request["folder"]) / target, mode)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError):
        raise Fault("damaged") from None


def _check_size(request: Request, unpacked: int) -> None:
    if unpacked > request["unpacked_mb"] * 2**20:
        raise Fault("size", mb=unpacked // 2**20)
    if unpacked > _read_limit(request):
        raise Fault("ratio")


def _read_limit(request: Request) -> int:
    packed = Path(request["source"]).stat().st_size
    most: int = max(packed * request["ratio"], request["free_mb"] * 2**20)
    return most


def _copy(
    request: Request,
    source: "IO[bytes] | gzip.GzipFile",
    target: Path,
    mode: Literal["xb", "ab"] = "xb",
) -> None:
    """Copy up to the limit, as a file may unpack to more than it declares."""
    most, written = min(_read_limit(request), request["unpacked_mb"] * 2**20), 0
    with target.open(mode) as file:
        for block in read_blocks(source):
            written += len(block)
            if written > most:
                raise Fault("ratio")
            file.write(block)
