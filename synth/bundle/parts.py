"""A release whose rows are a folder of parts: no process ever has all of them. PUBLIC.

The process that holds a piece of the rows (`synth.rows.draw`) writes its part. The parts of
``synthetic.csv``, joined in order, are byte for byte the file of a release in one piece. Each part
of ``synthetic.parquet`` is a table of its own. ``parts.json`` has the digest of every part, and the
certificate that of ``parts.json``.
"""

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from platform import node
from typing import Literal

from synth import limits
from synth.bundle.resources import WrittenFile
from synth.bundle.typed_json import omitted
from synth.bundle.writer import SYNTHETIC, Writer, rows_writers, written_file
from synth.domain import Domain
from synth.errors import ReleaseError
from synth.estimate import PartedRows
from synth.foreign import Folder, read_blocks
from synth.rows import CellLaws, Pairs, SyntheticTable
from synth.util import SmallCodes

# The list of the parts.
PARTS = "parts.json"


@dataclass(frozen=True)
class WrittenPart:
    name: str
    rows: int
    bytes: int
    sha256: str


@dataclass(frozen=True)
class PartedTable:
    """The parts of a table in order, and the digest of their text joined."""

    parts: tuple[WrittenPart, ...]
    sha256: str = omitted("")


@dataclass(frozen=True)
class Manifest:
    rows: int
    tables: Mapping[str, PartedTable]
    format: Literal["synth-parts-1"] = "synth-parts-1"


@dataclass(frozen=True)
class PieceWriter:
    """Writes codes as the parts of a folder, in the process that holds them.

    Attributes:
        domain, seed, order, laws: See `SyntheticTable`.
        folder: Holds the folders of parts; None to compute digests without files.
        size: Rows of a part; the last may have fewer.
    """

    domain: Domain
    seed: int
    order: Pairs
    folder: Path | None
    names: tuple[str, ...]
    laws: CellLaws = field(default_factory=dict)
    size: int = field(default_factory=lambda: limits.ROWS_AT_A_TIME)

    def write(self, start: int, codes: SmallCodes) -> dict[str, WrittenPart]:
        """Write the part of these rows from ``start`` in every format; codes of shape (columns,
        rows).
        """
        rows = SyntheticTable(
            self.domain, list(codes), None, self.seed, self.order, start, self.laws
        )
        writers = rows_writers(rows)
        return {name: self._write(name, writers[name], rows) for name in self.names}

    def _write(self, table: str, writer: Writer, rows: SyntheticTable) -> WrittenPart:
        name = part_name(table, rows.first // self.size)
        if self.folder is not None:
            written = _replace_file(self.folder / table / name, writer)
        else:
            with Folder() as folder:
                written = _replace_file(folder / name, writer)
        return WrittenPart(name, rows.rows, written.bytes, written.sha256)


def _replace_file(path: Path, writer: Writer) -> WrittenFile:
    # A complete file gets its name; several processes may write the same one at once.
    own = path.with_name(f".{path.name}.{node()}.{os.getpid()}")
    try:
        writer(own)
        written = written_file(own)
        os.replace(own, path)
    finally:
        own.unlink(missing_ok=True)
    return written


def part_name(table: str, number: int) -> str:
    """Return the name of a part.

    >>> part_name("synthetic.csv", 7)
    'part-00007.csv'
    """
    return f"part-{number:05d}{Path(table).suffix}"


def write_parts(drawn: PartedRows, pieces: PieceWriter, folder: Path) -> Manifest:
    """Write all parts into a folder, in the processes that hold the rows.

    Raises:
        SynthError: They can't be written, or are not in the folder afterwards.
    """
    pieces = replace(pieces, folder=folder.absolute())
    for name in pieces.names:
        (folder / name).mkdir()
    made = drawn.each_piece(pieces.size, pieces.write)
    tables = {}
    for name in pieces.names:
        parts = tuple(written[name] for written in made)
        tables[name] = PartedTable(parts, joined_digest(folder / name, parts))
    return Manifest(drawn.rows, tables)


def joined_digest(folder: Path, parts: Sequence[WrittenPart]) -> str:
    """Return the digest of the joined text of the parts; empty if they are no text.

    Raises:
        ReleaseError: A part is missing, or was changed.
    """
    whole = hashlib.sha256()
    for part in parts:
        own, path = hashlib.sha256(), folder / part.name
        if not path.is_file():
            raise ReleaseError(f"The part '{part.name}' of '{folder.name}' is not there.")
        with path.open("rb") as file:
            for block in read_blocks(file):
                own.update(block)
                whole.update(block)
        if own.hexdigest() != part.sha256:
            raise ReleaseError(
                f"The part '{part.name}' of '{folder.name}' is not the one that was written."
            )
    return whole.hexdigest() if folder.name == SYNTHETIC else ""
