"""The writers for SPSS, Stata and SAS. PUBLIC.

They need pyreadstat, which writes a file at once: all rows are in memory as it takes them.
"""

import re
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from synth import limits
from synth.bundle.exports.cells import Held, cells_of, find_outside, pieces_of
from synth.bundle.exports.formats import FileFormat
from synth.bundle.exports.variables import HeldColumn, Storage
from synth.domain import DAY, OTHER_LABEL, Binned, Decimal
from synth.errors import LimitError, ReleaseError
from synth.rows import SyntheticTable

if TYPE_CHECKING:
    import pandas as pd

BYTES_OF_NUMBER, BYTES_OF_TEXT = 24, 250
"""Memory for a cell while a file is written: the rows, the writer's copy of them, and texts apart
from each other (measured by ``tests/bench/bench_exports.py``)."""

_DATES = {FileFormat.SAV: "DATE11", FileFormat.DTA: "%td", FileFormat.XPT: "DATE9"}
_TIMES = {FileFormat.SAV: "DATETIME20", FileFormat.DTA: "%tc", FileFormat.XPT: "DATETIME20"}

_STAMPS = {
    FileFormat.SAV: (re.compile(rb"(?s)(\A.{92})(.{17})"), b"01 Jan 8000:00:00"),
    FileFormat.DTA: (re.compile(rb"(<timestamp>\x11)(.{17})"), b"01 Jan 1980 00:00"),
    FileFormat.XPT: (
        re.compile(rb"()([0-9]{2}[A-Z]{3}[0-9]{2}(?::[0-9]{2}){3})"),
        b"01JAN80:00:00:00",
    ),
}
"""Where the head of a file says when it was written, and what stands there instead."""
_HEAD = 2_000
"""Bytes of the head."""


def check_statistics(variables: tuple[HeldColumn, ...], rows: int) -> None:
    """See that a file can be written, before anything is.

    Raises:
        ReleaseError: pyreadstat is not installed.
        LimitError: The rows do not fit in memory as it takes them.
    """
    if find_spec("pyreadstat") is None:
        raise ReleaseError(
            "Writing for SPSS, Stata and SAS needs the package pyreadstat: "
            "pip install -r requirements-statistics.txt, or pip install 'synth-dp[statistics]'."
        )
    texts = sum(one.storage is Storage.TEXT for one in variables)
    size = rows * (BYTES_OF_NUMBER * len(variables) + BYTES_OF_TEXT * texts)
    if size > limits.memory_mb() * 2**20:
        raise LimitError(
            f"{rows:,} rows of {len(variables)} columns do not fit in {limits.memory_mb():,} MB of "
            "memory, the limit (SYNTH_MEMORY_MB), as files for SPSS, Stata and SAS are written at "
            "once; take Parquet or CSV."
        )


def write_statistics(
    rows: SyntheticTable, variables: tuple[HeldColumn, ...], path: Path, kind: FileFormat
) -> None:
    """Write the rows for SPSS, Stata or SAS; the same bytes each time.

    Raises:
        ReleaseError: The file cannot be written.
    """
    check_statistics(variables, rows.rows)
    library: Any = import_module("pyreadstat")
    writer, options = _writer(library, variables, kind)
    try:
        writer(_frame(rows, variables, kind), str(path), **options)
    except (library.PyreadstatError, library.ReadstatError):
        raise ReleaseError(f"pyreadstat cannot write these rows for {kind.reach.title}.") from None
    _without_time(path, kind)


def _writer(
    library: Any, variables: tuple[HeldColumn, ...], kind: FileFormat
) -> tuple[Callable[..., object], dict[str, Any]]:
    common: dict[str, Any] = {
        "file_label": "Synthetic rows made with Synth",
        "column_labels": [one.label or None for one in variables],
        "variable_format": {one.name: shown for one in variables if (shown := _shown(one, kind))},
    }
    labels = {one.name: _labels(one) for one in variables if _labels(one)}
    match kind:
        case FileFormat.SAV:
            missing = {one.name: [*one.user_missing] for one in variables if one.user_missing}
            measures = {one.name: _measure(one) for one in variables}
            more = {"missing_ranges": missing, "variable_measure": measures}
            return library.write_sav, {**common, "variable_value_labels": labels, **more}
        case FileFormat.DTA:
            marks = {one.name: [one.other] for one in variables if isinstance(one.other, str)}
            more = {"variable_value_labels": labels, "missing_user_values": marks}
            return library.write_dta, {**common, **more}
    return library.write_xport, {**common, "file_format_version": 5, "table_name": "SYNTH"}


def _labels(one: HeldColumn) -> dict[float | str, str]:
    """What codes stand for, and the letter of a missing value."""
    found: dict[float | str, str] = dict(one.labels.items())
    if isinstance(one.other, str):
        found[one.other] = OTHER_LABEL
    return found


def _measure(one: HeldColumn) -> str:
    if one.storage in (Storage.NUMBER, Storage.DATE):
        return "scale"
    return "ordinal" if one.column.extent is not None else "nominal"


def _shown(one: HeldColumn, kind: FileFormat) -> str:
    """How the program shows the numbers; empty where it may choose."""
    if one.storage is Storage.DATE:
        assert isinstance(one.column, Binned)
        return (_DATES if one.column.step == DAY else _TIMES)[kind]
    if kind is not FileFormat.SAV or one.storage is Storage.TEXT:
        return ""
    reading = one.column.reading
    places = reading.places if isinstance(reading, Decimal) else 0
    return f"F{min(40, 17 + places)}.{min(16, places)}" if places else "F16.0"


def _frame(
    rows: SyntheticTable, variables: tuple[HeldColumn, ...], kind: FileFormat
) -> "pd.DataFrame":
    import pandas as pd  # which a release does without

    parts: list[list[Held]] = [[] for _ in variables]
    for piece in rows.pieces():
        for found, one, values in zip(parts, variables, pieces_of(piece), strict=True):
            found.append(_put(values, one, kind))
    columns = {one.name: _column(found, one) for found, one in zip(parts, variables, strict=True)}
    return pd.DataFrame(columns)


def _put(values: Any, one: HeldColumn, kind: FileFormat) -> Held:
    found = cells_of(values, one, kind)
    if isinstance(one.other, str):
        mixed = found.astype(object)
        mixed[find_outside(values)] = one.other
        return mixed
    return found


def _column(parts: list[Held], one: HeldColumn) -> Any:
    import pandas as pd

    found = np.concatenate(parts)
    parts.clear()
    if one.storage is not Storage.TEXT:
        return found
    found[found == None] = ""  # noqa: E711 - the comparison is NumPy's, one cell at a time
    return pd.Series(found, dtype="str")


def _without_time(path: Path, kind: FileFormat) -> None:
    """Put another time in place of that of the writing, which would differ from file to file."""
    pattern, time = _STAMPS[kind]
    with path.open("r+b") as file:
        head = file.read(_HEAD)
        changed = pattern.sub(lambda found: found[1] + time, head)
        if len(changed) == len(head):
            file.seek(0)
            file.write(changed)
