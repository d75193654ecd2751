"""Replicates of a release as files of a folder, each with its digest. PUBLIC."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from synth.analysis import check_replicable, replicate
from synth.bundle.declaration import relations_of
from synth.bundle.exports.export import package_versions, writer_of
from synth.bundle.exports.format import FileFormat
from synth.bundle.exports.registry import FORMATS
from synth.bundle.exports.tables import CSV
from synth.bundle.result import Result
from synth.bundle.texts import json_bytes
from synth.bundle.writer import sha256, whole_folder, write_bytes
from synth.errors import ArgumentError, ReleaseError, name_some
from synth.estimate import Record, name_unmeasured
from synth.util import (
    NOTHING_PROTECTED,
    Document,
    FolderOutput,
    Protection,
    check_deadline,
)

# The list of the files of a folder.
LISTING = "replicates.json"
REPLICATES_FORMAT = "synth-replicates-1"
# Most characters of what somebody typed that an error repeats.
SHOWN_WORDS = 40
# Pairs of columns that a warning names.
NAMED_PAIRS = 5
RULE = (
    "Combine estimates by Rubin's rules for missing data (1987), as software for multiple "
    "imputation does. The estimate is the mean over the tables. Its variance is the mean of "
    "their variances, plus the variance between tables times (1 + 1 / tables). For "
    "conclusions about the counted rows, not a population, leave out the mean of the "
    "variances. The rules for synthetic data (Raghunathan, Reiter, Rubin 2003; Reiter 2003) "
    "do not hold. Use these intervals for columns that the release measured together, and "
    "for shares above twice their noise. Where a model joins columns, use them for shares "
    "and means, not for relations. They are approximate: prefer the intervals of "
    "synth.analyse."
)


def warn_unmeasured(record: Record) -> str:
    """Return a warning about columns that were not measured together; empty if all were."""
    pairs = [" and ".join(pair) for pair in name_unmeasured(record)]
    if not pairs:
        return ""
    return (
        "The release did not measure these columns together, so intervals about both of them "
        f"do not hold: {name_some(pairs, NAMED_PAIRS)}. {LISTING} names all."
    )


def replica_formats(words: str | Sequence[str]) -> tuple[FileFormat, ...]:
    """Return the formats in which each table is written, CSV first.

    Args:
        words: The names of the formats, or one text with commas between them.

    Raises:
        ArgumentError: A name is unknown, or there is none.

    >>> [kind.title for kind in replica_formats("csv, sav")]
    ['CSV', 'SPSS']
    """
    words = words if isinstance(words, str) else ",".join(words)
    stripped = [word.strip() for word in words.split(",")]
    names = {word.lower().removeprefix(".") for word in stripped if word}
    kinds = {CSV.name: CSV, **FORMATS}
    if not names or not names <= {*kinds}:
        raise ArgumentError(
            f"Tables are written as {', '.join(kinds)}, and not as '{words[:SHOWN_WORDS]}'."
        )
    return tuple(kind for name, kind in kinds.items() if name in names)


def check_replicates(
    result: Result,
    formats: Sequence[FileFormat],
    folder: str | Path,
    *,
    protection: Protection = NOTHING_PROTECTED,
) -> Path:
    """Check, before the first is made, that replicates can be made and written.

    Args:
        result: The release.
        formats: The formats of each table.
        folder: The new folder for the tables.
        protection: The files that are never written over.

    Returns:
        The path of the folder.

    Raises:
        SynthError: They can't; one sentence says why.
    """
    protection.check_new(FolderOutput(folder, as_new=True))
    check_replicable(result.plan, result.record)
    for kind in formats:
        kind.check(result.plan.domain, result.synthetic.rows)
    return Path(folder)


@dataclass(frozen=True, kw_only=True)
class ReplicaFiles:
    """Where tables are written, and how.

    Attributes:
        folder: A new folder.
        formats: The formats of each table.
        protection: The protection of inputs.
    """

    folder: str | Path
    formats: Sequence[FileFormat] = (CSV,)
    protection: Protection = NOTHING_PROTECTED


def write_replicates(
    result: Result,
    certificate: str,
    seeds: Sequence[int],
    *,
    files: ReplicaFiles,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, Path]:
    """Make and write replicates of a release one after the other, all or none.

    Args:
        result: The release.
        certificate: The digest of the bundle's certificate, in hexadecimal digits.
        seeds: One for each table.
        files: Where and in which formats the tables are written.
        progress: Called with the numbers of finished and of all tables; an exception stops
            the work.

    Returns:
        The path of each file by its name, with that of the listing.

    Raises:
        SynthError: The release has no replicates, or they can't be written there.
    """
    formats = files.formats
    protection = files.protection
    target = check_replicates(result, formats, files.folder, protection=protection)
    tables: list[Document] = []
    with whole_folder(target, protection) as part:
        try:
            for number, seed in enumerate(seeds, 1):
                replica = replicate(
                    result.plan, result.record, result.synthetic.rows, seed=seed
                )
                written: Document = {}
                for kind in formats:
                    check_deadline()
                    path = part / f"replicate_{number}.{kind.name}"
                    writer_of(replica, kind)(path)
                    written[path.name] = sha256(path)
                tables.append({"number": number, "seed": str(seed), "sha256": written})
                if progress is not None:
                    progress(number, len(seeds))
            content = _list_tables(result, certificate, tables, formats=formats)
            write_bytes(content)(part / LISTING)
        except (OSError, ReleaseError):
            check_deadline()  # it says so if the steward stopped the work
            raise ReleaseError(
                f"The tables cannot be written to '{target}': is there room, and may you "
                "write?"
            ) from None
    return {path.name: path for path in sorted(target.iterdir())}


def _list_tables(
    result: Result,
    certificate: str,
    tables: Sequence[Document],
    *,
    formats: Sequence[FileFormat],
) -> bytes:
    """Return the bytes of the listing of the tables.

    It also says which rule combines estimates from them, and what formats can't express.

    Args:
        result: The release.
        certificate: The digest of the bundle's certificate, in hexadecimal digits.
        tables: The number, the seed and the digests of the files of each table.
        formats: The formats of each table.
    """
    others = [kind for kind in formats if kind is not CSV]
    content: Document = {
        "format": REPLICATES_FORMAT,
        "certificate_sha256": certificate,
        "rows": result.synthetic.rows,
        "tables": list(tables),
        "rule": RULE,
        "relations": relations_of(result.record),
        "not_measured_together": [list(pair) for pair in name_unmeasured(result.record)],
        "notes": {kind.name: list(kind.list_losses(result.plan.domain)) for kind in others},
        "versions": {"numpy": version("numpy"), **package_versions(others)},
    }
    return json_bytes(content)
