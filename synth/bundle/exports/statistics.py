"""The common part of SPSS, Stata and SAS. PUBLIC.

They need pyreadstat, which writes a file at once: all rows are in memory.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from synth import limits
from synth.bundle.exports.cells import Held, cells_of, pieces_of
from synth.bundle.exports.columns import HeldColumn, Storage
from synth.bundle.exports.format import FileFormat
from synth.domain import DAY, OTHER_LABEL, Binned, Domain
from synth.errors import LimitError, ReleaseError
from synth.rows import SyntheticTable

if TYPE_CHECKING:
    import pandas as pd

# Memory for a cell while a file is written: the rows, the writer's copy, and separate texts
# (measured by ``tests/bench/bench_exports.py``).
BYTES_OF_NUMBER, BYTES_OF_TEXT = 24, 250

# Bytes of the file's head, which holds the time of writing.
_HEAD = 2_000


@dataclass(frozen=True, eq=False, kw_only=True)
class StatisticsFormat(FileFormat):
    """A format of a statistics program, written by pyreadstat.

    Attributes:
        date_forms: How the program shows dates, and dates with a time of day.
        stamp: Position of the time of writing in the head, and its replacement.
    """

    package: str = "pyreadstat"
    writer: str = ""
    date_forms: tuple[str, str] = ("", "")
    stamp: tuple[re.Pattern[bytes], bytes] = (re.compile(b""), b"")

    def check(self, domain: Domain, rows: int) -> None:
        super().check(domain, rows)
        if find_spec("pyreadstat") is None:
            raise ReleaseError(
                "Writing for SPSS, Stata and SAS needs the package pyreadstat: "
                "pip install -r requirements-statistics.txt, or pip install "
                "'synth-dp[statistics]'."
            )
        held = self.hold(domain)
        texts = sum(one.storage is Storage.TEXT for one in held)
        if (
            rows * (BYTES_OF_NUMBER * len(held) + BYTES_OF_TEXT * texts)
            > limits.memory_mb() * 2**20
        ):
            raise LimitError(
                f"{rows:,} rows of {len(held)} columns do not fit in {limits.memory_mb():,} "
                "MB of memory, the limit (SYNTH_MEMORY_MB), as files for SPSS, Stata and SAS "
                "are written at once; take Parquet or CSV."
            )

    def write(self, rows: SyntheticTable, path: Path) -> None:
        library: Any = import_module("pyreadstat")
        held = self.hold(rows.domain)
        write = getattr(library, self.writer)
        try:
            write(_frame(rows, held), str(path), **self.options(held))
        except (library.PyreadstatError, library.ReadstatError):
            raise ReleaseError(
                f"pyreadstat cannot write these rows for {self.title}."
            ) from None
        self._replace_time(path)

    def options(self, held: tuple[HeldColumn, ...]) -> Mapping[str, Any]:
        return {
            "file_label": "Synthetic rows made with Synth",
            "column_labels": [one.label or None for one in held],
            "variable_format": {one.name: f for one in held if (f := self.show_numbers(one))},
            "variable_value_labels": {
                one.name: found for one in held if (found := _labels(one))
            },
        }

    def show_numbers(self, one: HeldColumn) -> str:
        if one.storage is not Storage.DATE:
            return ""
        assert isinstance(one.column, Binned)
        return self.date_forms[one.column.step != DAY]

    def _replace_time(self, path: Path) -> None:
        pattern, time = self.stamp
        with path.open("r+b") as file:
            head = file.read(_HEAD)
            changed = pattern.sub(lambda found: found[1] + time, head)
            if len(changed) == len(head):
                file.seek(0)
                file.write(changed)


def _labels(one: HeldColumn) -> dict[float | str, str]:
    found: dict[float | str, str] = dict(one.labels.items())
    if isinstance(one.other, str):
        found[one.other] = OTHER_LABEL
    return found


def _frame(rows: SyntheticTable, held: tuple[HeldColumn, ...]) -> "pd.DataFrame":
    import pandas as pd  # which a release does without

    parts: list[list[Held]] = [[] for _ in held]
    for piece in rows.pieces():
        for found, one, values in zip(parts, held, pieces_of(piece), strict=True):
            found.append(cells_of(values, one))
    columns = {one.name: _column(found, one) for found, one in zip(parts, held, strict=True)}
    return pd.DataFrame(columns)


def _column(parts: list[Held], one: HeldColumn) -> Any:
    import pandas as pd

    found = np.concatenate(parts)
    parts.clear()
    if one.storage is not Storage.TEXT:
        return found
    found[found == None] = ""  # noqa: E711 - the comparison is NumPy's, one cell at a time
    return pd.Series(found, dtype="str")
