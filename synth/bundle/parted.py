"""The written parts of a table whose rows no process has all of. PUBLIC.

The process that holds a piece of the rows (`synth.rows.draw`) writes its part. The parts of
``synthetic.csv``, joined in order, are byte for byte the file of a release in one piece. Each
part of ``synthetic.parquet`` is a table of its own. ``parts.json`` has the digest of every
part, and the certificate has the digest of ``parts.json``.
"""

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from platform import node
from typing import Literal

from synth import limits
from synth.bundle.file_names import CERTIFICATE, PARTS, SYNTHETIC
from synth.bundle.resources import PARTED_FILES, WrittenFile
from synth.bundle.writer import rows_writers, written_file
from synth.domain import Domain
from synth.errors import ReleaseError
from synth.estimate import PartedRows
from synth.foreign import Folder, read_blocks
from synth.rows import CellLaws, Pairs, SyntheticTable
from synth.util import SmallCodes, Writer, omitted


@dataclass(frozen=True, kw_only=True)
class WrittenPart:
    """A written part of a table.

    Attributes:
        name: The name of its file.
        rows: The number of its rows.
        bytes: The size of its file.
        sha256: The digest of its file, in hexadecimal digits.
    """

    name: str
    rows: int
    bytes: int
    sha256: str


@dataclass(frozen=True)
class PartedTable:
    """The parts of a table.

    Attributes:
        parts: The parts in order.
        sha256: The digest of their text joined; empty if they are no text.
    """

    parts: tuple[WrittenPart, ...]
    sha256: str = omitted("")


@dataclass(frozen=True)
class Manifest:
    """The list of the parts of a release.

    Attributes:
        rows: The number of rows of each table.
        tables: The parts of each table, by its name.
        format: The version of the form.
    """

    rows: int
    tables: Mapping[str, PartedTable]
    format: Literal["synth-parts-1"] = "synth-parts-1"


@dataclass(frozen=True, kw_only=True)
class PieceWriter:
    """A writer of codes as the parts of a folder, in the process that holds them.

    Attributes:
        domain: The columns.
        seed: What values are drawn with.
        order: The pairs of columns with an order rule.
        folder: Holds the folders of parts; None to compute digests without files.
        names: The names of the tables that are written.
        laws: How values are drawn in each cell.
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
        """Write one part of the rows, in every format.

        Args:
            start: The number of its first row in the whole table.
            codes: The codes of the rows, shape (columns, rows).

        Returns:
            The written part of each table, by its name.
        """
        rows = SyntheticTable(
            domain=self.domain,
            distinct=list(codes),
            picked=None,
            seed=self.seed,
            order=self.order,
            first=start,
            laws=self.laws,
        )
        writers = rows_writers(rows)
        return {name: self._write(name, writers[name], rows) for name in self.names}

    def _write(self, table: str, writer: Writer, rows: SyntheticTable) -> WrittenPart:
        """Write one part of a table; return its name, its number of rows and its digest.

        Without a folder it is written to a temporary place, only to get the digest.

        Args:
            table: The name of the table's file, such as synthetic.csv.
            writer: Writes the rows to a path.
            rows: The rows of the part.
        """
        # All parts but the last have ``size`` rows, so the first row gives the part's number.
        name = part_name(table, rows.first // self.size)
        if self.folder is not None:
            written = _replace_file(self.folder / table / name, writer)
        else:
            with Folder() as folder:
                written = _replace_file(folder / name, writer)
        return WrittenPart(
            name=name, rows=rows.rows, bytes=written.bytes, sha256=written.sha256
        )


def _replace_file(path: Path, writer: Writer) -> WrittenFile:
    """Write a file whole or not at all; return its digest and size.

    Several processes may write the same one at once, so each writes to a temporary file whose
    name has the machine and the process, and then moves that into place.
    """
    temporary = path.with_name(f".{path.name}.{node()}.{os.getpid()}")
    try:
        writer(temporary)
        written = written_file(temporary)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    return written


def parted_names() -> tuple[str, ...]:
    """Return the names of a release in parts, without the folders of its parts."""
    return (*PARTED_FILES, PARTS, CERTIFICATE)


def part_name(table: str, number: int) -> str:
    """Return the file name of a part of a table; parts are numbered from 0 up.

    >>> part_name("synthetic.csv", 7)
    'part-00007.csv'
    """
    return f"part-{number:05d}{Path(table).suffix}"


def write_parts(drawn_rows: PartedRows, writer: PieceWriter, folder: Path) -> Manifest:
    """Write all parts into a folder, in the processes that hold the rows.

    Args:
        drawn_rows: The rows, as codes in one or several processes.
        writer: Writes a part; it says which tables are written.
        folder: The folder, which gets a folder of parts for each table.

    Returns:
        The list of the parts.

    Raises:
        SynthError: They can't be written, or are not in the folder afterwards.
    """
    writer = replace(writer, folder=folder.absolute())
    for name in writer.names:
        (folder / name).mkdir()
    # For each piece of the rows, the written part of each table by its name.
    written_pieces = drawn_rows.each_piece(writer.size, writer.write)
    tables = {}
    for name in writer.names:
        parts = tuple(written[name] for written in written_pieces)
        tables[name] = PartedTable(parts, joined_digest(folder / name, parts))
    return Manifest(drawn_rows.rows, tables)


def joined_digest(folder: Path, parts: Sequence[WrittenPart]) -> str:
    """Return the SHA-256 digest of the joined parts; empty if they are no text.

    Args:
        folder: The folder of the parts, which has the name of the table's file.
        parts: The listed parts, in order.

    Raises:
        ReleaseError: A part is missing, or was changed.
    """
    joined_hash = hashlib.sha256()
    for part in parts:
        path = folder / part.name
        if not path.is_file():
            raise ReleaseError(f"The part '{part.name}' of '{folder.name}' is not there.")
        part_hash = hashlib.sha256()
        with path.open("rb") as file:
            for block in read_blocks(file):
                part_hash.update(block)
                joined_hash.update(block)
        if part_hash.hexdigest() != part.sha256:
            raise ReleaseError(
                f"The part '{part.name}' of '{folder.name}' is not the one that was written."
            )
    # Only parts of the CSV file give one file when joined.
    return joined_hash.hexdigest() if folder.name == SYNTHETIC else ""
