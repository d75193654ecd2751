"""A zip in which programs would see different files is no bundle; zips of other programs
are.
"""

import io
import shutil
import struct
import subprocess
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from synth.bundle import read_archive
from synth.errors import ReleaseError
from synth.foreign.fault import Fault
from synth.foreign.zip_layout import check_layout

NEEDED = "certificate.json"
FILES = {
    NEEDED: b'{"format": "synth-certificate-"}',
    "plan.json": b"{}" * 900,
    "rows.csv": b"a",
}
OTHER = {NEEDED: b'{"format": "synth-certificate-", "epsilon": "1/100"}'}
SENTENCE = (
    r"^Programs that unpack 'b.zip' may see different files: it holds something before, "
)

HEADER, ENTRY, END = b"PK\3\4", b"PK\1\2", b"PK\5\6"


def make_zip(files: dict[str, bytes] = FILES, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip of Python's."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as archive:
        for name, body in files.items():
            archive.writestr(zipfile.ZipInfo(name), body, method)
    return content.getvalue()


def make_streamed_zip(files: dict[str, bytes] = FILES) -> bytes:
    """A zip whose sizes stand behind the content."""

    class Pipe(io.BytesIO):
        def seekable(self) -> bool:
            return False

        def tell(self) -> int:
            raise OSError

        def seek(self, *_: int) -> int:
            raise OSError

    content = Pipe()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, some in files.items():
            archive.writestr(name, some)
    return content.getvalue()


def move_directory(content: bytes, offset: int) -> bytes:
    """The same zip, with its directory saying that all begins later."""
    moved_content = bytearray(content)
    position = moved_content.find(ENTRY)
    while position >= 0:
        (start,) = struct.unpack_from("<L", moved_content, position + 42)
        struct.pack_into("<L", moved_content, position + 42, start + offset)
        position = moved_content.find(ENTRY, position + 4)
    end = moved_content.rfind(END)
    (start,) = struct.unpack_from("<L", moved_content, end + 16)
    struct.pack_into("<L", moved_content, end + 16, start + offset)
    return bytes(moved_content)


def write_number(
    signature: bytes, offset: int, number_format: str, value: int
) -> Callable[[], bytes]:
    """Another number in the first structure of a kind."""

    def change() -> bytes:
        content = bytearray(make_zip())
        struct.pack_into(number_format, content, content.index(signature) + offset, value)
        return bytes(content)

    return change


def make_with_comment() -> bytes:
    content = io.BytesIO(make_zip())
    with zipfile.ZipFile(content, "a") as archive:
        archive.comment = make_zip(OTHER)
    return content.getvalue()


def make_with_comment_of_a_member() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, body in FILES.items():
            info = zipfile.ZipInfo(name)
            info.comment = b"approved"
            archive.writestr(info, body)
    return content.getvalue()


def make_with_gap() -> bytes:
    """Bytes between the last member and the directory."""
    content, gap = make_zip(), make_zip(OTHER)[:60]
    start = content.index(ENTRY)
    end = bytearray(content[start:])
    struct.pack_into("<L", end, end.rfind(END) + 16, start + len(gap))
    return content[:start] + gap + bytes(end)


def make_with_deleted_member() -> bytes:
    """A member that the directory does not list any more."""
    content = bytearray(make_zip({"old.json": b"old", **FILES}))
    first = content.index(ENTRY)
    second = content.index(ENTRY, first + 4)
    del content[first:second]
    end = content.rfind(END)
    struct.pack_into("<2H", content, end + 8, 3, 3)
    struct.pack_into("<L", content, end + 12, end - first)
    return bytes(content)


def make_with_other_order() -> bytes:
    content = make_zip()
    places = [i for i in range(len(content)) if content[i : i + 4] == ENTRY]
    end = content.rfind(END)
    entries = [content[a:b] for a, b in zip(places, [*places[1:], end], strict=True)]
    return content[: places[0]] + b"".join(reversed(entries)) + content[end:]


def make_overlapping() -> bytes:
    """Two entries of one member."""
    content = bytearray(make_zip({"a" * 9: b"x", NEEDED: b"{}"}))
    places = [i for i in range(len(content)) if content[i : i + 4] == ENTRY]
    content[places[0] + 42 : places[0] + 46] = content[places[1] + 42 : places[1] + 46]
    return bytes(content)


def make_with_hidden_header() -> bytes:
    """A member that unpacks to its end, and holds another header behind that, in its own
    size.
    """
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -15)
    complete = squeeze.compress(FILES[NEEDED]) + squeeze.flush()
    squeezed = complete + make_zip(OTHER)[:90]
    crc, size = zlib.crc32(FILES[NEEDED]), len(FILES[NEEDED])
    numbers = struct.pack("<3L", crc, len(squeezed), size)
    common = struct.pack("<5H", 20, 0, 8, 0, 33)
    name = NEEDED.encode()
    first = HEADER + common + numbers + struct.pack("<2H", len(name), 0) + name + squeezed
    entry = ENTRY + struct.pack("<H", 20) + common + numbers
    entry += struct.pack("<5H2L", len(name), 0, 0, 0, 0, 0, 0) + name
    end = END + struct.pack("<4H2LH", 0, 0, 1, 1, len(entry), len(first), 0)
    return first + entry + end


def make_with_second_name() -> bytes:
    """A second name of a member, which some programs prefer."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, body in FILES.items():
            info = zipfile.ZipInfo(name)
            note = b"\1" + struct.pack("<L", zlib.crc32(name.encode())) + b"other.json"
            info.extra = struct.pack("<2H", 0x7075, len(note)) + note
            archive.writestr(info, body)
    return content.getvalue()


def make_with_link() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, body in FILES.items():
            info = zipfile.ZipInfo(name)
            info.create_system, info.external_attr = 3, 0o120777 << 16
            archive.writestr(info, body)
    return content.getvalue()


def make_with_false_descriptor() -> bytes:
    content = make_streamed_zip()
    return content.replace(b"PK\7\x08", b"PK\7\x09", 1)


def make_stored_with_descriptor() -> bytes:
    """Readers of a stream cannot tell where such a member ends."""
    content = bytearray(make_zip(method=zipfile.ZIP_STORED))
    for start, place in ((HEADER, 6), (ENTRY, 8)):
        content[content.index(start) + place] |= 8
    return bytes(content)


def make_with_renamed_header() -> bytes:
    return make_zip().replace(b"plan.json", b"plan.jsom", 1)


REFUSED: dict[str, Callable[[], bytes]] = {
    "another zip before it": lambda: make_zip(OTHER) + make_zip(),
    "another zip before it, counted": lambda: (
        make_zip(OTHER) + move_directory(make_zip(), len(make_zip(OTHER)))
    ),
    "bytes behind it": lambda: make_zip() + b"\0",
    "a comment": make_with_comment,
    "a comment of a member": make_with_comment_of_a_member,
    "a gap before the directory": make_with_gap,
    "a deleted member": make_with_deleted_member,
    "another order": make_with_other_order,
    "two entries of one member": make_overlapping,
    "more behind a member's content": make_with_hidden_header,
    "another name in a note": make_with_second_name,
    "a link": make_with_link,
    "a false descriptor": make_with_false_descriptor,
    "stored with a descriptor": make_stored_with_descriptor,
    "another name in the header": make_with_renamed_header,
    "another size in the header": write_number(HEADER, 22, "<L", 1),
    "another checksum in the header": write_number(HEADER, 14, "<L", 1),
    "another time in the header": write_number(HEADER, 10, "<H", 77),
    "another method in the header": write_number(HEADER, 8, "<H", 0),
    "a note that is cut off": write_number(HEADER, 28, "<H", 3),
    "another disk": write_number(END, 4, "<H", 1),
    "a member more": write_number(END, 10, "<H", 4),
    "bzip2": lambda: make_zip(method=zipfile.ZIP_BZIP2),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_zip_of_which_programs_may_see_different_files_is_refused(
    tmp_path: Path, kind: str
) -> None:
    """A zip that two programs could unpack to different files is refused as a bundle.

    `REFUSED` has a zip for each way: something before, between, inside or behind the members,
    or headers that contradict the directory.
    """
    path = tmp_path / "b.zip"
    path.write_bytes(REFUSED[kind]())
    with pytest.raises(ReleaseError, match=SENTENCE) as caught:
        read_archive(path)
    assert "\n" not in str(caught.value)


def read_here(content: bytes, path: Path) -> dict[str, bytes] | None:
    """What a zip holds, in this process; None if it is refused."""
    path.write_bytes(content)
    try:
        with zipfile.ZipFile(path) as archive:
            check_layout(path, archive)
            return {name: archive.read(name) for name in archive.namelist()}
    except (
        Fault,
        zipfile.BadZipFile,
        zlib.error,
        ValueError,
        NotImplementedError,
        RuntimeError,
    ):
        return None


@pytest.mark.parametrize(
    "undamaged", [make_zip(), make_streamed_zip()], ids=["sized", "streamed"]
)
def test_every_changed_byte_is_refused_or_changes_nothing(
    tmp_path: Path, undamaged: bytes
) -> None:
    """A zip with one changed bit is refused, or it has the same files as before.

    One bit of each byte is changed in turn. Versions and attributes say nothing about what a
    file holds, and may differ. More than half of the changes must be refused, or the test
    would show little.
    """
    content, refused = bytearray(undamaged), 0
    for position in range(len(undamaged)):
        content[position] ^= 1 << position % 8  # another bit of each byte
        files = read_here(bytes(content), tmp_path / "b.zip")
        content[position] = undamaged[position]
        assert files in (None, FILES), position
        refused += files is None

    assert refused > len(undamaged) / 2


@pytest.mark.parametrize(
    "content",
    [make_zip(), make_zip(method=zipfile.ZIP_STORED), make_streamed_zip()],
    ids=["deflated", "stored", "streamed"],
)
def test_zips_of_python_are_read(tmp_path: Path, content: bytes) -> None:
    """Zips of Python are read: deflated, stored, or with sizes behind the content."""
    (tmp_path / "b.zip").write_bytes(content)
    archive = read_archive(tmp_path / "b.zip")
    assert {name: archive.path(name).read_bytes() for name in archive} == FILES


def test_numbers_of_large_files_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A zip in the layout for large files is read.

    Python writes it above 2 GB or 65,535 files. These limits are lowered, and the mark of the
    layout must be in the zip.
    """
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 20)
    monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 1)
    for content in (make_zip(), make_streamed_zip()):
        assert b"PK\6\6" in content
        (tmp_path / "b.zip").write_bytes(content)
        archive = read_archive(tmp_path / "b.zip")
        assert {name: archive.path(name).read_bytes() for name in archive} == FILES


PROGRAMS = {
    "zip": ["zip", "-q", "-r", "../b.zip", "."],
    "zip as a stream": ["sh", "-c", "zip -q -r - . > ../b.zip"],
    "zip of stored files": ["zip", "-q", "-0", "-r", "../b.zip", "."],
    "jar": ["jar", "cMf", "../b.zip", "."],
    "bsdtar": ["bsdtar", "-a", "-cf", "../b.zip", "."],
    "7z": ["7z", "a", "-tzip", "../b.zip", "."],
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_zips_of_other_programs_are_read(tmp_path: Path, program: str) -> None:
    """A bundle that a common program zipped again has the same files."""
    command = PROGRAMS[program]
    if shutil.which(program.split()[0]) is None:
        pytest.skip(f"{program} is not installed")
    folder = tmp_path / "release"
    folder.mkdir()
    for name, some in FILES.items():
        (folder / name).write_bytes(some)
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    archive = read_archive(tmp_path / "b.zip")
    assert {name: archive.path(name).read_bytes() for name in archive} == FILES
