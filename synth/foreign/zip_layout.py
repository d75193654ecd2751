"""The layout of a bundle's zip: every byte belongs to a member, and all readers see the same
files.

A zip lists its members twice: in a header before each one, and in a directory at the end.
Programs that unpack a stream read the headers from the start, others begin with the
directory. If anything lies before, between, inside or behind the members, the two may see
different files. So the directory must end the file, the members must follow each other from
the first byte to the directory, in its order, and each header must say what the directory
says.

Other programs may zip a bundle again: stored or deflated members, sizes behind the content,
large files, and their own notes on times and users are accepted."""

import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple

from synth.foreign.fault import Fault
from synth.foreign.files import READ_BYTES

# Structures of a zip file by their first four bytes.
_HEADER, _HEADER_START = struct.Struct("<4s5H3L2H"), b"PK\3\4"
_ENTRY, _ENTRY_START = struct.Struct("<4s6H3L5H2L"), b"PK\1\2"
_END, _END_START = struct.Struct("<4s4H2LH"), b"PK\5\6"
_LARGE_END, _LARGE_END_START = struct.Struct("<4sQ2H2L4Q"), b"PK\6\6"
_LOCATOR, _LOCATOR_START = struct.Struct("<4sLQL"), b"PK\6\7"
_DESCRIPTOR_START = b"PK\7\x08"
# A number that stands in the notes for large files, or at the end for large files.
_LARGE, _LARGE_COUNT = 0xFFFFFFFF, 0xFFFF
# Kinds of notes in a header: numbers of large files, and another name for the file.
_LARGE_NOTE, _NAME_NOTE = 0x0001, 0x7075
_DESCRIPTOR_FLAG = 0x8
_FILE_TYPE, _REGULAR_FILE, _FOLDER = 0o170000, 0o100000, 0o040000

LAYOUT = "layout"


class _Directory(NamedTuple):
    start: int
    size: int
    members: int


@dataclass(frozen=True, kw_only=True)
class _Member:
    """What a directory or a header says about a member; ``start`` is where its header
    begins.
    """

    name: bytes
    flags: int
    method: int
    time: tuple[int, int]
    checksum: int
    packed: int
    size: int
    start: int = 0

    @property
    def has_descriptor(self) -> bool:
        return bool(self.flags & _DESCRIPTOR_FLAG)


def check_layout(path: Path, archive: zipfile.ZipFile) -> None:
    """Check that all bytes of a zip belong to its members, and all readers see the same ones.

    Raises:
        Fault: They do not; its word is `LAYOUT`.
    """
    with path.open("rb") as file:
        try:
            _check_file(file, path.stat().st_size, archive)
        except (struct.error, zlib.error, UnicodeDecodeError, OverflowError, OSError):
            raise Fault(LAYOUT) from None


def _check_file(file: IO[bytes], size: int, archive: zipfile.ZipFile) -> None:
    directory = _find_directory(file, size)
    entries = list(_read_entries(file, directory))
    if len(entries) != len(archive.infolist()):
        raise Fault(LAYOUT)
    place = 0
    for entry, info in zip(entries, archive.infolist(), strict=True):
        read = (info.header_offset, info.compress_size, info.file_size, info.CRC)
        if (
            entry.start,
            entry.packed,
            entry.size,
            entry.checksum,
        ) != read or entry.start != place:
            raise Fault(LAYOUT)
        _check_kind(info)
        place = _check_member(file, entry)
    if place != directory.start:
        raise Fault(LAYOUT)


def _find_directory(file: IO[bytes], size: int) -> _Directory:
    """Read the end of the file, which may hold nothing behind the directory, not even a
    comment.
    """
    place = size - _END.size
    start, disk, first_disk, here, members, length, begin, comment = _read(file, place, _END)
    if start != _END_START or disk or first_disk or here != members or comment:
        raise Fault(LAYOUT)
    is_large = _LARGE in (length, begin) or members == _LARGE_COUNT
    if is_large or begin + length != place:
        large_place, large = _read_large_end(file, place)
        short = (members, length, begin)
        full = (large.members, large.size, large.start)
        for number, largest, given in zip(
            short, (_LARGE_COUNT, _LARGE, _LARGE), full, strict=True
        ):
            if number not in (largest, given):
                raise Fault(LAYOUT)
        place, (begin, length, members) = large_place, large
    if begin + length != place:
        raise Fault(LAYOUT)
    return _Directory(begin, length, members)


def _read_large_end(file: IO[bytes], place: int) -> tuple[int, _Directory]:
    locator = _read(file, place - _LOCATOR.size, _LOCATOR)
    place -= _LOCATOR.size + _LARGE_END.size
    if locator != (_LOCATOR_START, 0, place, 1):
        raise Fault(LAYOUT)
    start, rest, _, _, disk, first_disk, here, members, length, begin = _read(
        file, place, _LARGE_END
    )
    # The length counts from behind itself, and there is nothing more than what is known.
    is_whole = start == _LARGE_END_START and rest == _LARGE_END.size - 12
    if not is_whole or disk or first_disk or here != members:
        raise Fault(LAYOUT)
    return place, _Directory(begin, length, members)


def _read_entries(file: IO[bytes], directory: _Directory) -> Iterator[_Member]:
    place, end = directory.start, directory.start + directory.size
    for _ in range(directory.members):
        (
            start,
            _,
            _,
            flags,
            method,
            time,
            date,
            checksum,
            packed,
            size,
            name_length,
            notes_length,
            comment,
            disk,
            _,
            _,
            begin,
        ) = _read(file, place, _ENTRY)
        place += _ENTRY.size + name_length + notes_length
        if start != _ENTRY_START or comment or disk or place > end:
            raise Fault(LAYOUT)
        name, notes = _read_bytes(file, name_length), _read_bytes(file, notes_length)
        size, packed, begin = _read_numbers(name, notes, [size, packed, begin])
        yield _Member(
            name=name,
            flags=flags,
            method=method,
            time=(time, date),
            checksum=checksum,
            packed=packed,
            size=size,
            start=begin,
        )
    if place != end:
        raise Fault(LAYOUT)


def _check_member(file: IO[bytes], entry: _Member) -> int:
    """Check header, content and descriptor of a member; return where the next one must
    begin.
    """
    start, _, flags, method, time, date, checksum, packed, size, name_length, notes_length = (
        _read(file, entry.start, _HEADER)
    )
    name, notes = _read_bytes(file, name_length), _read_bytes(file, notes_length)
    is_large = _LARGE in (packed, size)
    size, packed = _read_numbers(name, notes, [size, packed])
    if start != _HEADER_START or (name, flags, method, (time, date)) != (
        entry.name,
        entry.flags,
        entry.method,
        entry.time,
    ):
        raise Fault(LAYOUT)
    numbers = (entry.checksum, entry.packed, entry.size)
    # Before a descriptor, the numbers may be left at zero.
    is_later = entry.has_descriptor and (checksum, packed, size) == (0, 0, 0)
    if (checksum, packed, size) != numbers and not is_later:
        raise Fault(LAYOUT)
    _check_content(file, entry)
    place: int = entry.start + _HEADER.size + name_length + notes_length + entry.packed
    if not entry.has_descriptor:
        return place
    return place + _read_descriptor(file, place, entry, is_large=is_large)


def _check_content(file: IO[bytes], entry: _Member) -> None:
    """Check that the packed content ends where the member ends: readers of streams go by
    that.
    """
    if entry.method == zipfile.ZIP_STORED:
        if entry.packed != entry.size or (entry.has_descriptor and entry.size):
            raise Fault(LAYOUT)
        return
    if entry.method != zipfile.ZIP_DEFLATED:
        raise Fault(LAYOUT)
    unpacking, left, unpacked = zlib.decompressobj(-zlib.MAX_WBITS), entry.packed, 0
    waiting = b""
    while not unpacking.eof:
        if not waiting and left:
            waiting = _read_bytes(file, min(left, READ_BYTES))
            left -= len(waiting)
        block = unpacking.decompress(waiting, READ_BYTES)
        waiting, unpacked = unpacking.unconsumed_tail, unpacked + len(block)
        is_stuck = not block and not waiting and not left and not unpacking.eof
        if is_stuck or unpacked > entry.size:
            raise Fault(LAYOUT)
    if left or unpacking.unused_data or waiting or unpacked != entry.size:
        raise Fault(LAYOUT)


def _read_descriptor(file: IO[bytes], place: int, entry: _Member, *, is_large: bool) -> int:
    """Return the length of the numbers behind a member, which must be those of the
    directory.
    """
    numbers = struct.Struct("<LQQ" if is_large else "<3L")
    expected = numbers.pack(entry.checksum, entry.packed, entry.size)
    for content in (_DESCRIPTOR_START + expected, expected):
        file.seek(place)
        if file.read(len(content)) == content:
            return len(content)
    raise Fault(LAYOUT)


def _read_numbers(name: bytes, notes: bytes, numbers: list[int]) -> list[int]:
    """Return sizes, with those of a large file from its note; check all notes of a member."""
    if b"\0" in name:
        raise Fault(LAYOUT)
    large: bytes | None = None
    seen = set()
    while notes:
        kind, length = struct.unpack_from("<2H", notes)
        content, notes = notes[4 : 4 + length], notes[4 + length :]
        if len(content) != length or kind in seen:
            raise Fault(LAYOUT)
        seen.add(kind)
        # A version, a checksum of the name, and another name, which some programs prefer.
        if kind == _NAME_NOTE and content[5:] != name:
            raise Fault(LAYOUT)
        large = content if kind == _LARGE_NOTE else large
    wanted = [number == _LARGE for number in numbers]
    if large is None or len(large) != 8 * sum(wanted):
        if any(wanted) or large:
            raise Fault(LAYOUT)
        return numbers
    given = iter(struct.unpack(f"<{sum(wanted)}Q", large))
    return [
        next(given) if is_large else n for n, is_large in zip(numbers, wanted, strict=True)
    ]


def _check_kind(info: zipfile.ZipInfo) -> None:
    """Refuse a link or a device, and a folder that has content."""
    kind = (info.external_attr >> 16) & _FILE_TYPE
    if kind not in (0, _FOLDER if info.is_dir() else _REGULAR_FILE):
        raise Fault(LAYOUT)
    if info.is_dir() and info.file_size:
        raise Fault(LAYOUT)


def _read(file: IO[bytes], place: int, form: struct.Struct) -> tuple[Any, ...]:
    if place < 0:
        raise Fault(LAYOUT)
    file.seek(place)
    return form.unpack(file.read(form.size))


def _read_bytes(file: IO[bytes], length: int) -> bytes:
    content = file.read(length)
    if len(content) != length:
        raise Fault(LAYOUT)
    return content
