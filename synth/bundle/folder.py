"""What leaves the building: synthetic rows, noisy counts, the domain and a certificate.

Everything written here is public: it comes from the declared domain, from the door, or from
what was made of them. Private tables and counts have other types and cannot be passed in.
"""

import hashlib
import json
import os
from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

import synth
from synth import limits
from synth.domain.domain import Domain
from synth.domain.table_schema import write_schema
from synth.errors import ReleaseError
from synth.ledger.entries import Entry
from synth.noisy.counts import NoisyCounts, NoisyTable
from synth.noisy.record import Record
from synth.privacy.budget import plain, scientific
from synth.privacy.guarantee import ROW, Neighbors, Unit
from synth.repair.histogram import Distribution
from synth.rows.draw import SyntheticTable
from synth.rows.values import numbers, spelled
from synth.rows.write import write_csv

if TYPE_CHECKING:
    from synth.models.record import MarginalsRecord


class Output(StrEnum):
    """As what the synthetic rows are written."""

    CSV = "csv"
    PARQUET = "parquet"
    BOTH = "both"


SYNTHETIC, PARQUET, NOISY, DOMAIN, CERTIFICATE = (
    "synthetic.csv",
    "synthetic.parquet",
    "noisy_counts.csv",
    "domain.json",
    "certificate.json",
)

MODEL_FORMAT = "synth-certificate-model-1"

NEIGHBORS_IN_WORDS = {
    Neighbors.REPLACE_ONE: "tables that differ in one replaced row; the number of rows is public",
    Neighbors.ADD_REMOVE: "tables that differ by one row more; the number of rows is private",
}


CAVEATS = (
    "The guarantee is about what was released. That a release was refused, or was stopped by a "
    "limit on rows, memory or time, is not covered.",
    "Rows are those that the reader tells apart. A cell that cannot be read counts as a value that "
    "is not declared; a row whose cells cannot be told apart is left out, and still is a row of "
    "the table.",
)
"""What the guarantee does not cover, and what it takes for a row."""


def neighbors_in_words(neighbors: Neighbors, unit: str = str(ROW)) -> str:
    """Which tables must look alike."""
    if unit == str(ROW):
        return NEIGHBORS_IN_WORDS[neighbors]
    what = "by the rows of one person more"
    if neighbors is Neighbors.REPLACE_ONE:
        what = "in all rows of one replaced person"
    used = f"{unit.removeprefix('one person ')} used"
    return f"tables that differ {what} ({used}); the number of rows is private"


def certify(
    noisy: NoisyCounts,
    distribution: Distribution,
    rows: int,
    *,
    entry: Entry,
    head: str | None,
    seed: int,
    unit: Unit = ROW,
) -> dict[str, Any]:
    """The certificate of a release, without the hashes of its files.

    Args:
        noisy: What left by the door.
        distribution: How it was repaired.
        rows: Synthetic rows.
        entry: The spend.
        head: Hash of the ledger's newest event of the release, None without a ledger file.
        seed: Of the drawing.
        unit: Whose data is protected.
    """
    return {
        "format": "synth-certificate-1",
        "created": entry.time,
        "guarantee": _guarantee(noisy, unit),
        "neighbors": noisy.neighbors.value,
        "privacy_unit": str(unit),
        "max_rows": unit.max_rows,
        "caveats": list(CAVEATS),
        "mechanism": _mechanism(noisy, unit),
        "domain_origin": noisy.domain.origin,
        "noisy_counts": "all cells"
        if noisy.threshold is None
        else f"cells with a count of {noisy.threshold} or more",
        "number_of_rows": noisy.rows_in_words,
        "released": {n: getattr(noisy, n) for n in ("rows", "noisy_rows", "threshold")},
        "repair": distribution.repair.value,
        "drawing": {"rounding": "systematic", "seed": str(seed)},
        "rows": rows,
        "dataset": entry.dataset,
        "ledger": {"entry": entry.number, "head": head} if head else "not recorded in a ledger",
        "versions": _versions(),
    }


def certify_model(
    modelled: "MarginalsRecord",
    rows: int,
    *,
    entry: Entry,
    head: str | None,
    seed: int,
    unit: Unit = ROW,
) -> dict[str, Any]:
    """The certificate of a release by marginals: see `certify`."""
    charged, neighbors = modelled.charged, modelled.neighbors
    delta = charged.delta if modelled.spent.rho is not None else Fraction(0)
    assert charged.epsilon is not None
    kind, shown, statement = certificate_words(charged.epsilon, neighbors, delta, str(unit))
    return {
        "format": MODEL_FORMAT,
        "created": entry.time,
        "guarantee": {
            "kind": kind,
            "epsilon": str(charged.epsilon),
            "delta": shown,
            "statement": statement,
        },
        "neighbors": neighbors.value,
        "privacy_unit": str(unit),
        "max_rows": unit.max_rows,
        "caveats": list(CAVEATS),
        "mechanism": modelled.describe(),
        "domain_origin": modelled.domain.origin,
        "noisy_counts": "all cells of every marginal",
        "number_of_rows": modelled.rows_in_words,
        "released": {"rows": modelled.rows, "total": int(modelled.total)},
        "expected_error": [
            {"columns": list(bar.names), "measured": bar.measured, "expected": bar.expected}
            for bar in modelled.bars
        ],
        "drawing": {"rounding": "systematic, then settled on the marginals", "seed": str(seed)},
        "rows": rows,
        "dataset": entry.dataset,
        "ledger": {"entry": entry.number, "head": head} if head else "not recorded in a ledger",
        "versions": _versions(),
    }


def _versions() -> dict[str, str]:
    names = ("numpy", "duckdb", "pyarrow", "plotly")
    return {"synth": synth.__version__, **{name: version(name) for name in names}}


def _guarantee(noisy: NoisyCounts, unit: Unit) -> dict[str, str]:
    assert noisy.guarantee.epsilon is not None
    kind, delta, statement = certificate_words(
        noisy.guarantee.epsilon, noisy.neighbors, unit=str(unit)
    )
    epsilon = str(noisy.guarantee.epsilon)
    return {"kind": kind, "epsilon": epsilon, "delta": delta, "statement": statement}


def _mechanism(noisy: NoisyCounts, unit: Unit) -> dict[str, Any]:
    return {
        "name": "discrete Laplace noise on the histogram of all cells",
        "sensitivity": unit.sensitivity(noisy.neighbors),
        "scale": str(noisy.scale),
        "cells": noisy.domain.size,
        "sampler": "exact inversion on the operating system's randomness",
    }


def certificate_words(
    epsilon: Fraction,
    neighbors: Neighbors,
    delta: Fraction = Fraction(0),
    unit: str = str(ROW),
    *,
    rounded: bool = False,
) -> tuple[str, str, str]:
    """Kind, delta and statement of a guarantee; earlier versions rounded a delta in it."""
    shown = f"{float(delta):g}" if rounded else scientific(delta)
    claim = f"({plain(epsilon)}, {shown})" if delta else plain(epsilon)
    statement = (
        f"The released files are {claim}-differentially private for "
        f"{neighbors_in_words(neighbors, unit)}."
    )
    if unit != str(ROW):
        statement += " All rows of a person are protected together, not each row alone."
    kind = "(epsilon, delta)-" if delta else "pure epsilon-"
    return f"{kind}differential privacy", str(delta), statement


def noisy_table(domain: Domain, noisy: NoisyTable) -> pa.Table:
    """Noisy counts with a column of labels for each declared one, and before them the histogram.

    A column that a histogram lacks says so by an empty label; of one histogram of all columns
    the number is left out.
    """
    lacking = noisy.histogram is not None
    arrays: list[Any] = [
        spelled(["", *column.cells] if lacking else column.cells, code + lacking, None)
        for column, code in zip(domain.columns, noisy.codes, strict=True)
    ]
    count = next(n for n in _count_names() if n not in domain.names)
    names = [*domain.names, count]
    columns = [*arrays, numbers(noisy.values)]
    if noisy.histogram is not None:
        first = next(n for n in ("marginal", "marginal_", "marginal__") if n not in domain.names)
        names, columns = [first, *names], [numbers(noisy.histogram), *columns]
    return pa.Table.from_arrays(columns, names=names)


def prepare(directory: str | Path) -> Path:
    """Make the directory and see that files can be written there, before anything is spent.

    Raises:
        ReleaseError: They cannot.
    """
    directory = Path(directory)
    probe = directory / ".synth-probe"
    try:
        directory.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError:
        message = f"Nothing can be written to the folder '{directory}'."
        raise ReleaseError(message) from None
    return directory


def write(
    directory: str | Path,
    synthetic: SyntheticTable,
    record: Record,
    certificate: dict[str, Any],
    output: Output = Output.CSV,
) -> dict[str, Path]:
    """Write all files and return their paths by name; each appears whole or not at all.

    Args:
        directory: Where to.
        synthetic: The rows; they are never held as values all at once.
        record: What left by the door.
        certificate: It gets the digests of the other files.
        output: As what the rows are written.

    Raises:
        ReleaseError: A file cannot be written.
    """
    directory = prepare(directory)
    rows = {SYNTHETIC: synthetic.write_csv, PARQUET: synthetic.write_parquet}
    unwanted = {Output.CSV: PARQUET, Output.PARQUET: SYNTHETIC}.get(output)
    writers = {
        **{name: writer for name, writer in rows.items() if name != unwanted},
        NOISY: lambda path: write_csv([noisy_table(record.domain, record.table())], path),
        DOMAIN: lambda path: _write_json(path, write_schema(record.domain)),
    }

    def finish(name: str) -> tuple[Path, str]:
        path = replace_file(directory / name, writers[name])
        return path, _sha256(path)

    with ThreadPoolExecutor(2) as pool:  # the counts are written beside the rows
        finished = dict(zip(writers, pool.map(finish, writers), strict=True))
    paths = {name: path for name, (path, _) in finished.items()}
    signed = {**certificate, "sha256": {name: digest for name, (_, digest) in finished.items()}}
    paths[CERTIFICATE] = replace_file(
        directory / CERTIFICATE, lambda path: _write_json(path, signed)
    )
    return paths


def replace_file(path: Path, writer: Any) -> Path:
    """Let a writer make a file, whole or not at all.

    Raises:
        ReleaseError: It cannot be written.
    """
    part = path.with_name(f".{path.name}.part")
    try:
        writer(part)
        os.replace(part, path)
    except OSError:
        message = f"The file '{path}' cannot be written."
        raise ReleaseError(message) from None
    finally:
        part.unlink(missing_ok=True)
    return path


def _write_json(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _count_names() -> Any:
    yield "noisy_count"
    yield from (f"noisy_count_{i}" for i in range(2, limits.COLUMNS + 3))
