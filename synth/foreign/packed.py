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
READERS = {
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".dta": "read_dta",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}
# Endings that give the type of a file if its first bytes do not.
TYPED_ENDINGS = {".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".jsonl", ".ndjson", *READERS}


def unpack_gzip(request: Request) -> Reply:
    """Unpack a gzip file; Fault if it is damaged or unpacks to too much."""
    import gzip
    import zlib

    path = Path(request["source"])
    target = Path(request["folder"]) / "unpacked"
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
    """Unpack the only member of a zip; Fault if there are others, or it is damaged."""
    with opened_zip(request) as archive:
        members = [
            member
            for member in archive.infolist()
            if not member.is_dir() and not member.filename.startswith("__MACOSX")
        ]
        if len(members) != 1:
            raise Fault("members", members=len(members))
        suffix = PurePosixPath(members[0].filename).suffix.lower()
        target = f"unpacked{suffix if suffix in TYPED_ENDINGS else ''}"
        unzip_member(request, archive, members[0], target=target)
    return {"unpacked": target}


def join_members(request: Request) -> list[tuple[str, int]]:
    """Join the members of a zip, in folders or not, in one file.

    Many small files would take longer to make and remove than to read.
    """
    with opened_zip(request) as archive:
        files = [member for member in archive.infolist() if not member.is_dir()]
        members = list_few(request, files)
        (Path(request["folder"]) / JOINED_FILE).touch()
        for member in members:
            unzip_member(request, archive, member, target=JOINED_FILE, mode="ab")
    return [(member.filename, member.file_size) for member in members]


def list_few(request: Request, members: list[zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    """Return members of a zip.

    Raises:
        Fault: They are too many, or two have one name.
    """
    if len({member.filename for member in members}) < len(members):
        raise Fault("twice")
    if len(members) > request["members"]:
        raise Fault("members", members=len(members))
    return members


def opened_zip(request: Request) -> zipfile.ZipFile:
    """Return a zip that does not unpack to too much; otherwise a Fault."""
    archive = open_zip(request)
    check_unpacked_size(request, archive)
    return archive


def open_zip(request: Request) -> zipfile.ZipFile:
    """Return a zip that may be too large to be unpacked.

    Raises:
        Fault: It is no zip, or damaged.
    """
    try:
        return zipfile.ZipFile(request["source"])
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        raise Fault("damaged") from None


def check_unpacked_size(request: Request, archive: zipfile.ZipFile) -> None:
    """Raise a Fault if all members together are larger than the limit."""
    _check_size(request, sum(member.file_size for member in archive.infolist()))


def unzip_member(
    request: Request,
    archive: zipfile.ZipFile,
    member: zipfile.ZipInfo,
    *,
    target: str,
    mode: Literal["xb", "ab"] = "xb",
) -> None:
    """Unpack a member as a file of this name in the request's folder; a Fault if damaged."""
    import zlib

    try:
        with archive.open(member) as source:
            _copy(request, source, Path(request["folder"]) / target, mode=mode)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError):
        raise Fault("damaged") from None


def _check_size(request: Request, unpacked: int) -> None:
    """Refuse content that unpacks to too many bytes, or to too many for a packed one."""
    if unpacked > request["unpacked_mb"] * 2**20:
        raise Fault("size", mb=unpacked // 2**20)
    if unpacked > _read_limit(request):
        raise Fault("ratio")


def _read_limit(request: Request) -> int:
    packed = Path(request["source"]).stat().st_size
    limit: int = max(packed * request["ratio"], request["free_mb"] * 2**20)
    return limit


def _copy(
    request: Request,
    source: "IO[bytes] | gzip.GzipFile",
    target: Path,
    *,
    mode: Literal["xb", "ab"] = "xb",
) -> None:
    """Copy up to the limit, as a file may unpack to more than it declares."""
    limit = min(_read_limit(request), request["unpacked_mb"] * 2**20)
    written = 0
    with target.open(mode) as file:
        for block in read_blocks(source):
            written += len(block)
            if written > limit:
                raise Fault("ratio")
            file.write(block)
