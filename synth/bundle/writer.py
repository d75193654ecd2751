"""The one writer of a release's files. PUBLIC.

A folder and a bundle of a release have the same files, of the same bytes. The certificate is
written last, with the digests of the files before it.
"""

import filecmp
import hashlib
import os
import shutil
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pyarrow as pa

from synth import limits
from synth.bundle.certificate import Certificate
from synth.bundle.exports.tables import BUNDLED_TABLES
from synth.bundle.guard import write_guarded
from synth.bundle.resources import Described, WrittenFile
from synth.bundle.texts import json_bytes
from synth.domain import Domain, write_schema
from synth.door import BUNDLED, Entry, Ledger, digest
from synth.errors import ReleaseError
from synth.estimate import NoisyTable, Record
from synth.noise import bits
from synth.rows import SyntheticTable, numbers, slices, spell_codes
from synth.util import FolderOutput, Protection, Writer, refuse_replacing

# The files of rows; for rows in parts, the folders of parts.
SYNTHETIC, PARQUET = PARTED = tuple(one.file for one in BUNDLED_TABLES.values())
NOISY, DOMAIN, CERTIFICATE = "noisy_counts.csv", "domain.json", "certificate.json"
NOTHING_PROTECTED = Protection()


def table_writers(synthetic: SyntheticTable, record: Record) -> dict[str, Writer]:
    return rows_writers(synthetic) | counts_writers(synthetic.domain, record)


def rows_writers(synthetic: SyntheticTable) -> dict[str, Writer]:
    return {one.file: partial(one.write, synthetic) for one in BUNDLED_TABLES.values()}


def counts_writers(domain: Domain, record: Record) -> dict[str, Writer]:
    return {
        NOISY: lambda path: write_guarded(slices(noisy_table(domain, record.table())), path),
        DOMAIN: lambda path: path.write_bytes(json_bytes(write_schema(domain))),
    }


def write_files(
    directory: str | Path,
    writers: Mapping[str, Writer],
    certificate: Certificate,
    described: Described | None = None,
    protection: Protection = NOTHING_PROTECTED,
) -> dict[str, Path]:
    """Write files of a release, the certificate last; all appear, or none.

    The certificate gets the digests of the files; ``described`` writes the files that
    describe them.

    Raises:
        ReleaseError: A file can't be written, or something else is there.
    """
    directory = Path(directory)
    with protection.fill_folder(directory, last=CERTIFICATE) as part:

        def finish(writer: tuple[str, Writer]) -> WrittenFile:
            name, write = writer
            write(part / name)
            return written_file(part / name)

        with ThreadPoolExecutor(2) as pool:  # the counts are written beside the rows
            written = dict(zip(writers, pool.map(finish, writers.items()), strict=True))
        for name, content in (described(written) if described else {}).items():
            written[name] = finish((name, write_bytes(content)))
        signed = certificate.sign({name: file.sha256 for name, file in written.items()})
        write_bytes(signed.to_bytes())(part / CERTIFICATE)
    return {name: directory / name for name in (*written, CERTIFICATE)}


def write_bytes(content: bytes) -> Writer:
    return lambda path: path.write_bytes(content)


def bytes_writers(contents: Mapping[str, bytes]) -> dict[str, Writer]:
    return {name: write_bytes(content) for name, content in contents.items()}


def noisy_table(domain: Domain, noisy: NoisyTable) -> pa.Table:
    """Return noisy counts with a column of labels for each declared column; the histogram
    comes first.

    A column that a histogram lacks has an empty label. If one histogram has all columns, its
    number is left out."""
    lacking = noisy.histogram is not None
    arrays: list[pa.Array] = [
        spell_codes(["", *column.cells] if lacking else column.cells, code + lacking, None)
        for column, code in zip(domain.columns, noisy.codes, strict=True)
    ]
    columns = [*arrays, numbers(noisy.values)]
    if noisy.histogram is not None:
        columns = [numbers(noisy.histogram), *columns]
    return pa.Table.from_arrays(columns, names=noisy_names(domain, lacking))


def noisy_names(domain: Domain, numbered: bool) -> list[str]:
    taken = domain.names
    counts = ("noisy_count", *(f"noisy_count_{i}" for i in range(2, limits.MAX_COLUMNS + 3)))
    count = next(n for n in counts if n not in taken)
    first = next(n for n in ("marginal", "marginal_", "marginal__") if n not in taken)
    return [*[first][:numbered], *taken, count]


@contextmanager
def whole_folder(
    folder: str | Path, protection: Protection = NOTHING_PROTECTED
) -> Iterator[Path]:
    """Yield a temporary folder that takes the place of this one when complete, or is deleted.

    A folder of the same content stays.

    Raises:
        ReleaseError: The folder has other content, or can't be written.
    """
    target = Path(folder)
    protection.check(FolderOutput(target, as_new=True))
    part = target.absolute().with_name(f".{bits.bits(8).hex()}.part")
    try:
        part.mkdir()
        yield part
        if has_same_files(part, target):
            return
        if os.path.isdir(target) and any(target.iterdir()):
            refuse_replacing(target)
        os.replace(part, target)
    except OSError:
        raise ReleaseError(f"Nothing can be written to the folder '{target}'.") from None
    finally:
        shutil.rmtree(part, ignore_errors=True)


def has_same_files(first: Path, second: Path) -> bool:
    """Return whether two folders have the same files, in the same folders, of the same
    content.
    """
    if not os.path.isdir(second):
        return False
    names = sorted(path.relative_to(first) for path in first.rglob("*"))
    if names != sorted(path.relative_to(second) for path in second.rglob("*")):
        return False
    files = [name for name in names if (first / name).is_file()]
    return all(
        (second / name).is_file() and filecmp.cmp(first / name, second / name, shallow=False)
        for name in files
    )


def keep_digest(certificate: bytes, entry: Entry | None, ledger: Ledger | None) -> None:
    """Store the digest of a written certificate in the ledger of its spend, if there is one.

    Raises:
        LedgerError: The ledger can't be written.
    """
    if ledger is not None and ledger.path is not None and entry is not None:
        ledger.keep(entry, f"{BUNDLED}{digest(certificate)}", b"")


def written_file(path: Path) -> WrittenFile:
    return WrittenFile(sha256(path), path.stat().st_size)


def sha256(path: Path) -> str:
    """Return the digest of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
