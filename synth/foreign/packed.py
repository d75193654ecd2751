"""Packed files, which the child unpacks under limits."""

import struct
import zipfile
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Literal

from synth.foreign.fault import Fault, Reply, Request
from synth.foreign.files import JSON_LINES, READERS, WORKBOOKS, read_blocks

if TYPE_CHECKING:
    import gzip

JOINED_FILE = "joined"
# Endings that give the type of a file if its first bytes do not.
TYPED_ENDINGS = {*WORKBOOKS, *JSON_LINES, *READERS}


def unpack_gzip(request: Request) -> Reply:
    """Unpack a gzip file into the request's folder; return the new file's name as "unpacked".

    Raises:
        Fault: It is damaged, or unpacks to too much.
    """
    import gzip
    import zlib

    path = Path(request["source"])
    target = Path(request["folder"]) / "unpacked"
    try:
        with path.open("rb") as file:
            # The last four bytes declare the size of the content, modulo 2^32.
            file.seek(-4, 2)
            _check_size(request, struct.unpack("<I", file.read(4))[0])
        with gzip.open(path) as source:
            _copy(request, source, target)
    except (zlib.error, EOFError, OSError):
        raise Fault("damaged") from None
    return {"unpacked": target.name}


def unpack_zip(request: Request) -> Reply:
    """Unpack the only file of a zip; return the new file's name as "unpacked".

    The ending of its name stays if it gives the type of the file.

    Raises:
        Fault: There is not exactly one file, or the zip is damaged or unpacks to too much.
    """
    with opened_zip(request) as archive:
        # A Mac adds files in a folder of its own.
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
    """Join all files of a zip in one file, and return the name and the size of each, in
    order.

    Many small files would take longer to make and remove than to read.

    Raises:
        Fault: There are too many, two have one name, or the zip is damaged or too large.
    """
    with opened_zip(request) as archive:
        files = [member for member in archive.infolist() if not member.is_dir()]
        members = list_few(request, files)
        (Path(request["folder"]) / JOINED_FILE).touch()
        for member in members:
            unzip_member(request, archive, member, target=JOINED_FILE, mode="ab")
    return [(member.filename, member.file_size) for member in members]


def list_few(request: Request, members: list[zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    """Return the members of a zip unchanged, if they are few and have different names.

    Raises:
        Fault: They are too many, or two have one name.
    """
    if len({member.filename for member in members}) < len(members):
        raise Fault("twice")
    if len(members) > request["members"]:
        raise Fault("members", members=len(members))
    return members


def opened_zip(request: Request) -> zipfile.ZipFile:
    """Return an open zip that does not unpack to too much.

    Raises:
        Fault: It is no zip, damaged, or unpacks to too much.
    """
    archive = open_zip(request)
    check_unpacked_size(request, archive)
    return archive


def open_zip(request: Request) -> zipfile.ZipFile:
    """Return an open zip whose size is not checked; it may be too large to be unpacked.

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
    """Unpack a member of a zip into a file of the request's folder.

    Args:
        request: Its "folder", and its limits.
        archive: The zip.
        member: The member.
        target: The name of the file.
        mode: "xb" for a new file, "ab" to append to one.

    Raises:
        Fault: The member is damaged, or unpacks to too much.
    """
    import zlib

    try:
        with archive.open(member) as source:
            _copy(request, source, Path(request["folder"]) / target, mode=mode)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError):
        raise Fault("damaged") from None


def _check_size(request: Request, unpacked: int) -> None:
    """Refuse content that unpacks to too many bytes, at all or for the size of the packed
    file.

    Args:
        request: The packed file ("source"), and the limits.
        unpacked: The size that it declares, in bytes.
    """
    if unpacked > request["unpacked_mb"] * 2**20:
        raise Fault("size", mb=unpacked // 2**20)
    if unpacked > _read_limit(request):
        raise Fault("ratio")


def _read_limit(request: Request) -> int:
    """Return the most bytes that the packed file may hold, from its own size."""
    packed = Path(request["source"]).stat().st_size
    # So many times the packed size; small files may always unpack to the free size.
    limit: int = max(packed * request["ratio"], request["free_mb"] * 2**20)
    return limit


def _copy(
    request: Request,
    source: "IO[bytes] | gzip.GzipFile",
    target: Path,
    *,
    mode: Literal["xb", "ab"] = "xb",
) -> None:
    """Copy unpacked content to a file, up to the limit.

    The size that the packed file declares may be wrong, so bytes are counted.

    Args:
        request: The packed file ("source"), and the limits.
        source: The unpacked content, as a stream.
        target: The path of the file to write.
        mode: "xb" for a new file, "ab" to append to one.

    Raises:
        Fault: There is more content.
    """
    limit = min(_read_limit(request), request["unpacked_mb"] * 2**20)
    written = 0
    with target.open(mode) as file:
        for block in read_blocks(source):
            written += len(block)
            if written > limit:
                raise Fault("ratio")
            file.write(block)
