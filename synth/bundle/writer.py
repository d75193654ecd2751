"""The one writer of a release's files. PUBLIC.

A folder and a bundle of a release have the same files, of the same bytes. The certificate is
written last, with the digests of the files before it.
"""

import filecmp
import hashlib
import os
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from functools import partial
from itertools import count
from pathlib import Path

import pyarrow as pa

from synth.bundle.certificate import Certificate
from synth.bundle.file_names import CERTIFICATE, DOMAIN, NOISY
from synth.bundle.guard import write_guarded
from synth.bundle.resources import Described, WrittenFile
from synth.bundle.texts import json_bytes
from synth.domain import Domain, write_schema
from synth.door import BUNDLED, Entry, Ledger, digest
from synth.errors import ReleaseError
from synth.estimate import NoisyTable, Record
from synth.noise import bits
from synth.rows import SyntheticTable, numbers, share_pieces, slices, spell_codes
from synth.util import (
    NOTHING_PROTECTED,
    FolderOutput,
    Protection,
    Writer,
    check_deadline,
    refuse_replacing,
)

# Called with the share of the files that are written, from 0 to 1.
WritingProgress = Callable[[float], None]


def table_writers(synthetic: SyntheticTable, record: Record) -> dict[str, Writer]:
    """Return the writers of the rows and of the noisy counts, by file name."""
    return rows_writers(synthetic) | counts_writers(synthetic.domain, record)


def rows_writers(synthetic: SyntheticTable) -> dict[str, Writer]:
    """Return the functions that write the rows as CSV and as Parquet, by file name.

    Each piece of the rows is made once for both.
    """
    from synth.bundle.exports.tables import BUNDLED_TABLES

    rows = share_pieces(synthetic, times=len(BUNDLED_TABLES))
    return {kind.file: partial(kind.write, rows) for kind in BUNDLED_TABLES.values()}


def counts_writers(domain: Domain, record: Record) -> dict[str, Writer]:
    """Return the functions that write the noisy counts and the domain, by file name."""

    # `slices` cuts a table into pieces of limited length, which are written one by one.
    def write_counts(path: Path) -> None:
        write_guarded(slices(noisy_table(domain, record.table())), path)

    def write_domain(path: Path) -> None:
        path.write_bytes(json_bytes(write_schema(domain)))

    return {NOISY: write_counts, DOMAIN: write_domain}


def write_files(  # noqa: PLR0913 - each option by name
    directory: str | Path,
    writers: Mapping[str, Writer],
    certificate: Certificate,
    *,
    described: Described | None = None,
    protection: Protection = NOTHING_PROTECTED,
    progress: WritingProgress | None = None,
) -> dict[str, Path]:
    """Write files of a release, the certificate last; all appear, or none.

    The steward may stop it before each file, and between pieces of rows.

    Args:
        directory: The folder.
        writers: Functions that write each file to a path, by the file's name.
        certificate: The certificate; it gets the digests of the files.
        described: Makes the files that describe the others, from their digests and sizes;
            None for no such files.
        protection: The files that are never written over.
        progress: Called after each of these files.

    Returns:
        The path of each file, by its name.

    Raises:
        ReleaseError: A file can't be written, or something else is there; or the steward
            stopped it.
    """
    directory = Path(directory)
    with protection.fill_folder(directory, last=CERTIFICATE) as part:

        def finish(name: str, write: Writer) -> WrittenFile:
            """Write a file, unless the steward stopped it, and return its digest and size."""
            check_deadline()
            write(part / name)
            return written_file(part / name)

        written: dict[str, WrittenFile] = {}
        # The counts are written while the rows are. Each thread knows the steward's watch.
        with ThreadPoolExecutor(2) as pool:
            begun = {
                name: pool.submit(copy_context().run, finish, name, writer)
                for name, writer in writers.items()
            }
            for name, file in begun.items():
                written[name] = file.result()
                if progress is not None:
                    progress(len(written) / len(begun))
        if described is not None:
            for name, content in described(written).items():
                written[name] = finish(name, write_bytes(content))
        signed = certificate.sign({name: file.sha256 for name, file in written.items()})
        write_bytes(signed.to_bytes())(part / CERTIFICATE)
    return {name: directory / name for name in (*written, CERTIFICATE)}


def write_bytes(content: bytes) -> Writer:
    """Return the writer of a file of this content."""
    return lambda path: path.write_bytes(content)


def bytes_writers(contents: Mapping[str, bytes]) -> dict[str, Writer]:
    """Return the writers of files of these contents, by file name."""
    return {name: write_bytes(content) for name, content in contents.items()}


def noisy_table(domain: Domain, noisy: NoisyTable) -> pa.Table:
    """Return noisy counts as a table with a column of labels for each declared column.

    The counts are the last column. The number of the histogram comes first; it is left out
    if one histogram has all columns. A column that a histogram lacks has an empty label.
    """
    columns: list[pa.Array] = []
    has_numbers = noisy.histogram is not None
    if noisy.histogram is not None:
        columns.append(numbers(noisy.histogram))
    for column, codes in zip(domain.columns, noisy.codes, strict=True):
        if has_numbers:
            # A column that a histogram lacks has the code -1, which becomes 0.
            columns.append(spell_codes(["", *column.cells], codes + 1, None))
        else:
            columns.append(spell_codes(column.cells, codes, None))
    columns.append(numbers(noisy.values))
    names = noisy_names(domain, has_numbers=has_numbers)
    return pa.Table.from_arrays(columns, names=names)


def noisy_names(domain: Domain, *, has_numbers: bool) -> list[str]:
    """Return names for the columns of the file of noisy counts, all of them different.

    Declared columns keep their names, so the others take names that no declared column has.

    Args:
        domain: The declared columns.
        has_numbers: Whether the first column has the numbers of the histograms.
    """
    count_name = _find_free_name("noisy_count", domain.names)
    if not has_numbers:
        return [*domain.names, count_name]
    return [_find_free_name("marginal", domain.names), *domain.names, count_name]


def _find_free_name(name: str, declared_names: Collection[str]) -> str:
    """Return a name that no declared column has: the given one, or with a number from 2 up.

    >>> _find_free_name("marginal", ["marginal", "marginal_2"])
    'marginal_3'
    """
    free_name = name
    for number in count(start=2):
        if free_name not in declared_names:
            break
        free_name = f"{name}_{number}"
    return free_name


@contextmanager
def whole_folder(
    folder: str | Path, protection: Protection = NOTHING_PROTECTED
) -> Iterator[Path]:
    """Yield a temporary folder that takes the place of this one when complete, or is deleted.

    A folder of the same content stays.

    Args:
        folder: A folder that is not there yet, is empty, or has the same content.
        protection: The files that are never written over.

    Raises:
        ReleaseError: The folder has other content, or can't be written.
    """
    target = Path(folder)
    # It refuses a folder that the call reads, or that cannot be written to.
    protection.check(FolderOutput(target, as_new=True))
    # Next to the folder, so that it can be moved, under a name that nobody can guess.
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
    """Return whether two folders have the same files, of the same content.

    Folders inside them are compared as well.
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

    Args:
        certificate: The bytes of the certificate.
        entry: The spend; None if nothing was spent.
        ledger: The ledger; None, or one without a file, stores nothing.

    Raises:
        LedgerError: The ledger can't be written.
    """
    if ledger is not None and ledger.path is not None and entry is not None:
        ledger.keep(entry, f"{BUNDLED}{digest(certificate)}", b"")


def written_file(path: Path) -> WrittenFile:
    """Return the digest and the size of a file."""
    return WrittenFile(sha256(path), path.stat().st_size)


def sha256(path: Path) -> str:
    """Return the digest of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
