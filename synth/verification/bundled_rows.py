"""The rows of a bundle: equal in both files, and derived columns by their rules. PUBLIC."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from synth import limits
from synth.bundle import (
    PARQUET,
    SYNTHETIC,
    Archive,
    ReleaseCertificate,
    guard_cell,
    guarded_table,
    record_identifiers,
)
from synth.domain import Domain
from synth.errors import LimitError
from synth.estimate import Record
from synth.foreign import ROWS_FILE, Folder, read_apart
from synth.rows import (
    Pairs,
    SyntheticTable,
    decode,
    encode_columns,
    value_laws,
    write_csv,
)
from synth.verification.files import refuse, same_bytes

# Memory for a row in each column: its code, its place, and at times a copy of both.
ROW_BYTES = 12


@dataclass(frozen=True, eq=False)
class BundleRows:
    """The rows of a bundle, in pieces.

    Attributes:
        path: The rows as Parquet, written again.
        rows: How many there are.
        keeper: Holds the folder of that file.
    """

    path: Path
    rows: int
    keeper: Folder

    def pieces(self) -> Iterator[pa.Table]:
        """Yield the rows in pieces, as written; one piece without rows if there are none."""
        with pq.ParquetFile(self.path) as file:
            for number in range(file.num_row_groups):
                yield file.read_row_group(number)
            if not file.num_row_groups:
                yield file.schema_arrow.empty_table()

    def same(self, table: SyntheticTable) -> bool:
        """Return whether a table has the same rows, in pieces of the same lengths.

        The table makes its pieces with values, as they are written into files.
        """
        # Where one has more pieces, the other yields None.
        pairs = zip_longest(table.pieces(), self.pieces())
        return all(
            expected is not None and piece is not None and _are_equal(expected, piece)
            for expected, piece in pairs
        )


def read_rows(
    archive: Archive, certificate: ReleaseCertificate, domain: Domain
) -> BundleRows:
    """Return the rows, if both files (CSV and Parquet) hold the same ones.

    The Parquet file is read, and the CSV file is written again from it and compared. The
    certificate's number of rows bounds the size of what is read and written.

    Args:
        archive: The unpacked bundle.
        certificate: The bundle's certificate, with the number of rows and the seed of the
            drawing.
        domain: The declared columns of the bundle.

    Raises:
        LimitError: So many rows do not fit in memory.
        RefutedError: The files differ, or a column does not follow from its rule.
    """
    rows = certificate.rows
    width = len(domain.written)
    if ROW_BYTES * rows * width > limits.memory_mb() * 2**20:
        raise LimitError(
            f"The bundle's {rows:,} rows of {width} columns do not fit in "
            f"{limits.memory_mb():,} MB of memory, the limit (SYNTH_MEMORY_MB)."
        )
    bundled = BundleRows(_plain_rows(archive, rows, domain), rows, archive.keeper)
    _check_derived(bundled, domain, int(certificate.drawing.seed))
    with Folder() as folder:
        path = folder / SYNTHETIC
        pieces = (partial(guarded_table, piece) for piece in bundled.pieces())
        # Each cell of a CSV file takes a comma or a line break, so a smaller file is not
        # worth writing again.
        if archive.path(SYNTHETIC).stat().st_size >= rows * width:
            write_csv(pieces, path, missing=[*map(guard_cell, domain.markers)])
        if not path.exists() or not same_bytes(path, archive.path(SYNTHETIC)):
            refuse(f"'{SYNTHETIC}' and '{PARQUET}' do not hold the same rows.")
    return bundled


def _check_derived(rows: BundleRows, domain: Domain, seed: int) -> None:
    """Check the columns that rules and ID patterns give, from the other columns.

    Args:
        rows: The rows of the bundle.
        domain: The declared columns. Those in ``uncounted`` follow from a rule or a pattern.
        seed: The seed of the rows, from which IDs are drawn.

    Raises:
        RefutedError: A value is another one than its rule, or pattern and seed, give.
    """
    if not domain.uncounted:
        return
    from synth.rows import with_derived

    start = 0  # the number of the piece's first row
    for piece in rows.pieces():
        try:
            again = with_derived(domain, piece.select(list(domain.names)), seed, first=start)
        except (KeyError, ValueError, pa.ArrowException):
            refuse(f"'{PARQUET}' does not hold values of the domain.")
        for column in domain.uncounted:
            cells = _without_dictionary(piece[column.name])
            expected = _without_dictionary(again[column.name])
            if cells.type == expected.type and cells.equals(expected):
                continue
            source = "rule gives"
            if column in domain.identifiers:
                source = "pattern and the seed give"
            refuse(
                f"'{PARQUET}' holds, from row {start + 1:,} on, another value of "
                f"'{column.name}' than its {source}."
            )
        start += piece.num_rows


def encode_rows(
    rows: BundleRows, record: Record, seed: int, *, order: Pairs = ()
) -> SyntheticTable:
    """Return the bundle's rows as codes of cells, with values drawn again within the cells.

    Args:
        rows: The rows of the bundle.
        record: The noisy counts, which also say how values lie within their cells.
        seed: The seed of the values.
        order: Pairs of column numbers; a row's first value must be at most the second.
    """
    domain = record.domain
    pieces = [encode_columns(domain, piece) for piece in rows.pieces()]
    codes = [np.concatenate(parts) for parts in zip(*pieces, strict=True)]
    return decode(domain, codes, seed=seed, order=order, laws=value_laws(record))


def check_identifiers(certificate: ReleaseCertificate, domain: Domain) -> None:
    """Check that the certificate lists the ID columns of the domain."""
    if certificate.identifiers != record_identifiers(domain, certificate.rows):
        refuse("The certificate's ID columns do not match the domain.")


def derived_in_words(domain: Domain) -> list[str]:
    """Return the sentences about columns that follow rules and about ID columns.

    They say what was checked; there are none if the domain has no such columns.
    """
    names = " and ".join(f"'{column.name}'" for column in domain.derived)
    sentences: list[str] = []
    if len(domain.derived) > 1:
        sentences.append(f"Columns {names} follow their rules in every row.")
    elif names:
        sentences.append(f"Column {names} follows its rule in every row.")
    return sentences + [
        f"The IDs of column '{column.name}' are unique, and follow from its pattern and the "
        "seed."
        for column in domain.identifiers
    ]


def _plain_rows(archive: Archive, rows: int, domain: Domain) -> Path:
    """Write the rows of the Parquet file again, and return the path of the new file.

    A process with limits of memory and time does so, since anyone may have made the Parquet
    file.

    Args:
        archive: The unpacked bundle.
        rows: The number of rows that the certificate states.
        domain: The declared columns.

    Raises:
        RefutedError: The file has other columns or rows, or is no Parquet file of Synth.
    """
    request = {
        "names": list(domain.written),
        "rows": rows,
        "step": limits.ROWS_AT_A_TIME,
        "footer_mb": limits.FOOTER_MB,
        "group_mb": limits.GROUP_MB,
    }
    folder = archive.keeper.path
    reply = read_apart("parquet", archive.path(PARQUET), folder, name=PARQUET, **request)
    match reply.get("fault"):  # one word, or none if the rows were written
        case None:
            return folder / ROWS_FILE
        case "columns":
            refuse(f"'{PARQUET}' does not have the columns of the domain.")
        case "rows":
            refuse("The certificate's number of synthetic rows does not match the table.")
        case "values":
            refuse(f"'{PARQUET}' does not hold values of the domain.")
        case "groups":
            refuse(f"'{PARQUET}' does not have Synth's layout.")
    # Any other fault.
    refuse(f"'{PARQUET}' is not a Parquet file.")


def _are_equal(piece: pa.Table, other_piece: pa.Table) -> bool:
    """Return whether two pieces of rows have equal columns, in order.

    Texts may be stored as they are or as codes of a dictionary.
    """
    return all(
        _without_dictionary(a).equals(_without_dictionary(b))
        for a, b in zip(piece.columns, other_piece.columns, strict=True)
    )


def _without_dictionary(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column as plain values; texts may be stored as codes of a dictionary."""
    return column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column
