"""The layout of a bundle's zip: bytes belong to members, and all readers see the same files.

A zip lists its members twice: in a header before each one, and in a directory at the end.
Programs that unpack a stream read the headers from the start, others begin with the
directory. If anything lies before, between, inside or behind the members, the two may see
different files. So the directory must end the file, the members must follow each other from
the first byte to the directory, in its order, and each header must say what the directory
says.

Other programs may zip a bundle again: stored or deflated members, sizes behind the content,
large files, and their own notes on times and users are accepted.
"""

import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple

from synth.foreign.fault import Fault
from synth.foreign.files import READ_BYTES

# Structures of a zip file, each with the first four bytes by which it is known.
_HEADER = struct.Struct("<4s5H3L2H")
_HEADER_START = b"PK\3\4"
_ENTRY = struct.Struct("<4s6H3L5H2L")
_ENTRY_START = b"PK\1\2"
_END = struct.Struct("<4s4H2LH")
_END_START = b"PK\5\6"
_LARGE_END = struct.Struct("<4sQ2H2L4Q")
_LARGE_END_START = b"PK\6\6"
_LOCATOR = struct.Struct("<4sLQL")
_LOCATOR_START = b"PK\6\7"
_DESCRIPTOR_START = b"PK\7\x08"
# Numbers in place of those that stand in the notes for large files, or at the end for large
# files.
_LARGE = 0xFFFFFFFF
_LARGE_COUNT = 0xFFFF
# Kinds of notes in a header: numbers of large files, and another name for the file.
_LARGE_NOTE = 0x0001
_NAME_NOTE = 0x7075
_DESCRIPTOR_FLAG = 0x8
# The kind of a file among the bits of its mode.
_FILE_TYPE = 0o170000
_REGULAR_FILE = 0o100000
_FOLDER = 0o040000

LAYOUT = "layout"


class _Directory(NamedTuple):
    """Where a zip's directory begins, its size in bytes, and how many members it lists."""

    start: int
    size: int
    members: int


@dataclass(frozen=True, kw_only=True)
class _Member:
    """What a directory or a header says about a member.

    Attributes:
        name: Its name.
        flags: Bits on how it is packed.
        method: The method by which it is packed.
        time: Time and date of its last change.
        checksum: The checksum of its content.
        packed: The size of its packed content.
        size: The size of its content.
        start: Where its header begins.
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
    """Check that all bytes of a zip belong to its members, so that all programs see the same.

    Args:
        path: The zip.
        archive: The same zip as the standard library reads it, for comparison.

    Raises:
        Fault: They do not; its word is `LAYOUT`.
    """
    with path.open("rb") as file:
        try:
            _check_file(file, path.stat().st_size, archive)
        except (struct.error, zlib.error, UnicodeDecodeError, OverflowError, OSError):
            raise Fault(LAYOUT) from None


def _check_file(file: IO[bytes], size: int, archive: zipfile.ZipFile) -> None:
    """Refuse a zip whose members do not follow each other without gaps, as its directory
    says.

    Args:
        file: The open zip.
        size: The size of the file in bytes.
        archive: The same zip as the standard library reads it.
    """
    directory = _find_directory(file, size)
    entries = list(_read_entries(file, directory))
    if len(entries) != len(archive.infolist()):
        raise Fault(LAYOUT)
    place = 0
    for entry, info in zip(entries, archive.infolist(), strict=True):
        numbers = (entry.start, entry.packed, entry.size, entry.checksum)
        if numbers != (info.header_offset, info.compress_size, info.file_size, info.CRC):
            raise Fault(LAYOUT)
        if entry.start != place:
            raise Fault(LAYOUT)
        _check_kind(info)
        place = _check_member(file, entry)
    if place != directory.start:
        raise Fault(LAYOUT)


def _find_directory(file: IO[bytes], size: int) -> _Directory:
    """Return where the directory of a zip is, from the record at the end of the file.

    Nothing may be behind that record, not even a comment.

    Args:
        file: The open zip.
        size: The size of the file in bytes.
    """
    place = size - _END.size
    start, disk, first_disk, here, members, length, begin, comment = _read(file, place, _END)
    # A zip may be split over several disks; this one may not. So all its members are `here`,
    # on the same disk as the directory.
    is_split = bool(disk or first_disk or here != members)
    if start != _END_START or is_split or comment:
        raise Fault(LAYOUT)
    has_large_numbers = _LARGE in (length, begin) or members == _LARGE_COUNT
    if not has_large_numbers and begin + length == place:
        return _Directory(begin, length, members)
    # The directory does not end here, or its numbers are too large for this record. Numbers
    # that do not fit are in another record before; those that do must agree.
    place, directory = _read_large_end(file, place)
    agrees = (
        members in (_LARGE_COUNT, directory.members)
        and length in (_LARGE, directory.size)
        and begin in (_LARGE, directory.start)
    )
    if not agrees or directory.start + directory.size != place:
        raise Fault(LAYOUT)
    return directory


def _read_large_end(file: IO[bytes], place: int) -> tuple[int, _Directory]:
    """Return where the end record for large files begins, and the directory that it
    describes.

    ``place`` is where the usual end record begins, before which it must stand.
    """
    # A locator stands between both records. After its mark it has the number of a disk, where
    # the large record begins, and how many disks there are.
    locator = _read(file, place - _LOCATOR.size, _LOCATOR)
    place -= _LOCATOR.size + _LARGE_END.size
    if locator != (_LOCATOR_START, 0, place, 1):
        raise Fault(LAYOUT)
    start, end_length, _, _, disk, first_disk, here, members, length, begin = _read(
        file, place, _LARGE_END
    )
    # The length counts from behind itself, so without the mark (4 bytes) and itself (8
    # bytes). There is nothing more in the record than what is known.
    is_whole = start == _LARGE_END_START and end_length == _LARGE_END.size - 12
    if not is_whole or disk or first_disk or here != members:
        raise Fault(LAYOUT)
    return place, _Directory(begin, length, members)


def _read_entries(file: IO[bytes], directory: _Directory) -> Iterator[_Member]:
    """Yield each member of a zip as its entry in the directory describes it."""
    place = directory.start
    end = directory.start + directory.size
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
        name = _read_bytes(file, name_length)
        notes = _read_bytes(file, notes_length)
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
    """Check the header, the content and the descriptor of a member.

    They must say what the directory says. Returns where the next member must begin.

    Args:
        file: The open zip.
        entry: What the directory says about the member.
    """
    start, _, flags, method, time, date, checksum, packed, size, name_length, notes_length = (
        _read(file, entry.start, _HEADER)
    )
    name = _read_bytes(file, name_length)
    notes = _read_bytes(file, notes_length)
    is_large = _LARGE in (packed, size)
    size, packed = _read_numbers(name, notes, [size, packed])
    facts = (name, flags, method, (time, date))
    if facts != (entry.name, entry.flags, entry.method, entry.time) or start != _HEADER_START:
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
    """Check that the packed content ends where the member ends, as readers of streams see it.

    The file must be at the start of the content. Only stored and deflated content is
    accepted.
    """
    if entry.method == zipfile.ZIP_STORED:
        # Readers of streams cannot tell where stored content ends before a descriptor.
        if entry.packed != entry.size or (entry.has_descriptor and entry.size):
            raise Fault(LAYOUT)
        return
    if entry.method != zipfile.ZIP_DEFLATED:
        raise Fault(LAYOUT)
    # Negative, as deflated content in a zip has no header of its own.
    unpacking = zlib.decompressobj(-zlib.MAX_WBITS)
    # A block at a time, so that a huge content needs little memory.
    packed_left = entry.packed
    unpacked = 0
    # Bytes that were read, but not unpacked yet.
    waiting = b""
    while not unpacking.eof:
        if not waiting and packed_left:
            waiting = _read_bytes(file, min(packed_left, READ_BYTES))
            packed_left -= len(waiting)
        block = unpacking.decompress(waiting, READ_BYTES)
        waiting = unpacking.unconsumed_tail
        unpacked += len(block)
        # All bytes are used up, but the content does not say that it ends.
        is_stuck = not block and not waiting and not packed_left and not unpacking.eof
        if is_stuck or unpacked > entry.size:
            raise Fault(LAYOUT)
    if packed_left or unpacking.unused_data or waiting or unpacked != entry.size:
        raise Fault(LAYOUT)


def _read_descriptor(file: IO[bytes], place: int, entry: _Member, *, is_large: bool) -> int:
    """Return the length of the descriptor behind a member's content.

    It repeats the checksum and the sizes, which must be those of the directory. A mark of
    four bytes before them is optional.

    Args:
        file: The open zip.
        place: Where the descriptor begins.
        entry: What the directory says about the member.
        is_large: Whether the sizes have eight bytes instead of four.
    """
    numbers = struct.Struct("<LQQ" if is_large else "<3L")
    expected = numbers.pack(entry.checksum, entry.packed, entry.size)
    for content in (_DESCRIPTOR_START + expected, expected):
        file.seek(place)
        if file.read(len(content)) == content:
            return len(content)
    raise Fault(LAYOUT)


def _read_numbers(name: bytes, notes: bytes, numbers: list[int]) -> list[int]:
    """Return sizes and positions, with the large ones from the note for large files.

    All notes of a member are checked: each kind occurs once, and another name for the file
    must be its name.

    Args:
        name: The member's name.
        notes: The extra fields of its header or entry.
        numbers: Numbers of four bytes; the largest possible one stands for a large number.
    """
    if b"\0" in name:
        raise Fault(LAYOUT)
    large: bytes | None = None
    kinds = set()
    while notes:
        kind, length = struct.unpack_from("<2H", notes)
        content = notes[4 : 4 + length]
        notes = notes[4 + length :]
        if len(content) != length or kind in kinds:
            raise Fault(LAYOUT)
        kinds.add(kind)
        # A version, a checksum of the name, and another name, which some programs prefer.
        if kind == _NAME_NOTE and content[5:] != name:
            raise Fault(LAYOUT)
        if kind == _LARGE_NOTE:
            large = content
    large_count = numbers.count(_LARGE)
    if large is None or len(large) != 8 * large_count:
        if large_count or large:
            raise Fault(LAYOUT)
        return numbers
    large_numbers = iter(struct.unpack(f"<{large_count}Q", large))
    return [next(large_numbers) if number == _LARGE else number for number in numbers]


def _check_kind(info: zipfile.ZipInfo) -> None:
    """Refuse a member that is a link or a device, and a folder that has content."""
    # The upper half holds the mode of a file under Unix; 0 if another system made the zip.
    kind = (info.external_attr >> 16) & _FILE_TYPE
    if kind not in (0, _FOLDER if info.is_dir() else _REGULAR_FILE):
        raise Fault(LAYOUT)
    if info.is_dir() and info.file_size:
        raise Fault(LAYOUT)


def _read(file: IO[bytes], place: int, form: struct.Struct) -> tuple[Any, ...]:
    """Return the numbers of a structure that begins at a place of a file."""
    if place < 0:
        raise Fault(LAYOUT)
    file.seek(place)
    return form.unpack(file.read(form.size))


def _read_bytes(file: IO[bytes], length: int) -> bytes:
    """Return the next so many bytes of a file; refuse a file that ends before."""
    content = file.read(length)
    if len(content) != length:
        raise Fault(LAYOUT)
    return content
