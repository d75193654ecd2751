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


def packed(files: dict[str, bytes] = FILES, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip of Python's."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as archive:
        for name, some in files.items():
            archive.writestr(zipfile.ZipInfo(name), some, method)
    return content.getvalue()


def streamed(files: dict[str, bytes] = FILES) -> bytes:
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


def moved(content: bytes, by: int) -> bytes:
    """The same zip, with its directory saying that all begins later."""
    changed = bytearray(content)
    place = changed.find(ENTRY)
    while place >= 0:
        (start,) = struct.unpack_from("<L", changed, place + 42)
        struct.pack_into("<L", changed, place + 42, start + by)
        place = changed.find(ENTRY, place + 4)
    end = changed.rfind(END)
    (start,) = struct.unpack_from("<L", changed, end + 16)
    struct.pack_into("<L", changed, end + 16, start + by)
    return bytes(changed)


def put(start: bytes, place: int, form: str, value: int) -> Callable[[], bytes]:
    """Another number in the first structure of a kind."""

    def change() -> bytes:
        content = bytearray(packed())
        struct.pack_into(form, content, content.index(start) + place, value)
        return bytes(content)

    return change


def with_comment() -> bytes:
    content = io.BytesIO(packed())
    with zipfile.ZipFile(content, "a") as archive:
        archive.comment = packed(OTHER)
    return content.getvalue()


def with_comment_of_a_member() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, some in FILES.items():
            info = zipfile.ZipInfo(name)
            info.comment = b"approved"
            archive.writestr(info, some)
    return content.getvalue()


def with_gap() -> bytes:
    """Bytes between the last member and the directory."""
    content, more = packed(), packed(OTHER)[:60]
    start = content.index(ENTRY)
    end = bytearray(content[start:])
    struct.pack_into("<L", end, end.rfind(END) + 16, start + len(more))
    return content[:start] + more + bytes(end)


def deleted() -> bytes:
    """A member that the directory does not list any more."""
    content = bytearray(packed({"old.json": b"old", **FILES}))
    first = content.index(ENTRY)
    second = content.index(ENTRY, first + 4)
    del content[first:second]
    end = content.rfind(END)
    struct.pack_into("<2H", content, end + 8, 3, 3)
    struct.pack_into("<L", content, end + 12, end - first)
    return bytes(content)


def other_order() -> bytes:
    content = packed()
    places = [i for i in range(len(content)) if content[i : i + 4] == ENTRY]
    end = content.rfind(END)
    entries = [content[a:b] for a, b in zip(places, [*places[1:], end], strict=True)]
    return content[: places[0]] + b"".join(reversed(entries)) + content[end:]


def overlapping() -> bytes:
    """Two entries of one member."""
    content = bytearray(packed({"a" * 9: b"x", NEEDED: b"{}"}))
    places = [i for i in range(len(content)) if content[i : i + 4] == ENTRY]
    content[places[0] + 42 : places[0] + 46] = content[places[1] + 42 : places[1] + 46]
    return bytes(content)


def with_more_behind_the_content() -> bytes:
    """A member that unpacks to its end, and holds another header behind that, in its own
    size.
    """
    squeeze = zlib.compressobj(9, zlib.DEFLATED, -15)
    whole = squeeze.compress(FILES[NEEDED]) + squeeze.flush()
    squeezed = whole + packed(OTHER)[:90]
    crc, size = zlib.crc32(FILES[NEEDED]), len(FILES[NEEDED])
    numbers = struct.pack("<3L", crc, len(squeezed), size)
    common = struct.pack("<5H", 20, 0, 8, 0, 33)
    name = NEEDED.encode()
    first = HEADER + common + numbers + struct.pack("<2H", len(name), 0) + name + squeezed
    entry = ENTRY + struct.pack("<H", 20) + common + numbers
    entry += struct.pack("<5H2L", len(name), 0, 0, 0, 0, 0, 0) + name
    end = END + struct.pack("<4H2LH", 0, 0, 1, 1, len(entry), len(first), 0)
    return first + entry + end


def other_name_in_a_note() -> bytes:
    """A second name of a member, which some programs prefer."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, some in FILES.items():
            info = zipfile.ZipInfo(name)
            note = b"\1" + struct.pack("<L", zlib.crc32(name.encode())) + b"other.json"
            info.extra = struct.pack("<2H", 0x7075, len(note)) + note
            archive.writestr(info, some)
    return content.getvalue()


def a_link() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, some in FILES.items():
            info = zipfile.ZipInfo(name)
            info.create_system, info.external_attr = 3, 0o120777 << 16
            archive.writestr(info, some)
    return content.getvalue()


def false_descriptor() -> bytes:
    content = streamed()
    return content.replace(b"PK\7\x08", b"PK\7\x09", 1)


def stored_with_descriptor() -> bytes:
    """Readers of a stream cannot tell where such a member ends."""
    content = bytearray(packed(method=zipfile.ZIP_STORED))
    for start, place in ((HEADER, 6), (ENTRY, 8)):
        content[content.index(start) + place] |= 8
    return bytes(content)


def renamed_header() -> bytes:
    return packed().replace(b"plan.json", b"plan.jsom", 1)


REFUSED: dict[str, Callable[[], bytes]] = {
    "another zip before it": lambda: packed(OTHER) + packed(),
    "another zip before it, counted": lambda: (
        packed(OTHER) + moved(packed(), len(packed(OTHER)))
    ),
    "bytes behind it": lambda: packed() + b"\0",
    "a comment": with_comment,
    "a comment of a member": with_comment_of_a_member,
    "a gap before the directory": with_gap,
    "a deleted member": deleted,
    "another order": other_order,
    "two entries of one member": overlapping,
    "more behind a member's content": with_more_behind_the_content,
    "another name in a note": other_name_in_a_note,
    "a link": a_link,
    "a false descriptor": false_descriptor,
    "stored with a descriptor": stored_with_descriptor,
    "another name in the header": renamed_header,
    "another size in the header": put(HEADER, 22, "<L", 1),
    "another checksum in the header": put(HEADER, 14, "<L", 1),
    "another time in the header": put(HEADER, 10, "<H", 77),
    "another method in the header": put(HEADER, 8, "<H", 0),
    "a note that is cut off": put(HEADER, 28, "<H", 3),
    "another disk": put(END, 4, "<H", 1),
    "a member more": put(END, 10, "<H", 4),
    "bzip2": lambda: packed(method=zipfile.ZIP_BZIP2),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_zip_of_which_programs_may_see_different_files_is_refused(
    tmp_path: Path, kind: str
) -> None:
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


@pytest.mark.parametrize("whole", [packed(), streamed()], ids=["sized", "streamed"])
def test_every_changed_byte_is_refused_or_changes_nothing(
    tmp_path: Path, whole: bytes
) -> None:
    """Versions and attributes say nothing about what a file holds, and may be others."""
    content, refused = bytearray(whole), 0
    for place in range(len(whole)):
        content[place] ^= 1 << place % 8
        held = read_here(bytes(content), tmp_path / "b.zip")
        content[place] = whole[place]
        assert held in (None, FILES), place
        refused += held is None
    assert refused > len(whole) / 2


@pytest.mark.parametrize(
    "content",
    [packed(), packed(method=zipfile.ZIP_STORED), streamed()],
    ids=["deflated", "stored", "streamed"],
)
def test_zips_of_python_are_read(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "b.zip").write_bytes(content)
    archive = read_archive(tmp_path / "b.zip")
    assert {name: archive.path(name).read_bytes() for name in archive} == FILES


def test_numbers_of_large_files_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Python writes them where a file is too large for the older numbers."""
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 20)
    monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 1)
    for content in (packed(), streamed()):
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
