"""The formats beside CSV, and what each can hold. PUBLIC.

Limits are those that the makers publish: Excel specifications and limits; IBM SPSS Statistics,
HeldColumn names; Stata, Limits and [D] label; SAS, TS-140 (transport files, version 5).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from synth.domain import EPOCH
from synth.errors import ArgumentError


class FileFormat(StrEnum):
    """As what synthetic rows are exported."""

    XLSX = "xlsx"
    SAV = "sav"
    DTA = "dta"
    XPT = "xpt"
    PARQUET = "parquet"

    @property
    def file(self) -> str:
        """The name of the file; the Parquet file of a bundle has texts, this one has types."""
        return "typed.parquet" if self is FileFormat.PARQUET else f"synthetic.{self.value}"

    @property
    def package(self) -> str:
        """The package that writes it."""
        own = {FileFormat.XLSX: "xlsxwriter", FileFormat.PARQUET: "pyarrow"}
        return own.get(self, "pyreadstat")

    @property
    def reach(self) -> "Reach":
        """What it can hold."""
        return _REACHES[self]


@dataclass(frozen=True)
class Reach:
    """What a format can hold.

    Attributes:
        title: The program that reads it.
        mime: Its media type.
        rows: Rows of a file.
        name: Characters of a name, in bytes for SPSS and SAS; None where names stay as they are.
        label: Bytes of a column's label; 0 where there are none.
        value_label: Bytes of a code's label; 0 where there are none.
        value_labels: Labels of one column.
        text: Bytes of a text.
        first: The first moment that is a date.
        epoch: What dates are counted from.
        digits: Digits of a number that are kept.
    """

    title: str
    mime: str
    rows: int = 2**31 - 1
    name: int | None = None
    label: int = 0
    value_label: int = 0
    value_labels: int = 0
    text: int = 2**31 - 1
    first: datetime = datetime.min
    epoch: datetime = EPOCH
    digits: float = math.inf


_REACHES = {
    FileFormat.XLSX: Reach(
        "Excel",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        rows=2**20 - 1,
        text=32_767,
        first=datetime(1900, 3, 1),
        epoch=datetime(1899, 12, 30),
        digits=15,
    ),
    FileFormat.SAV: Reach(
        "SPSS",
        "application/x-spss-sav",
        name=64,
        label=255,
        value_label=120,
        value_labels=100_000,
        text=32_767,
        first=datetime(1582, 10, 15),
        epoch=datetime(1582, 10, 14),
    ),
    FileFormat.DTA: Reach(
        "Stata",
        "application/x-stata-dta",
        name=31,  # Stata takes 32 characters; pyreadstat refuses that many for sets of labels
        label=80,
        value_label=32_000,
        value_labels=65_536,
        first=datetime(100, 1, 1),
        epoch=datetime(1960, 1, 1),
    ),
    FileFormat.XPT: Reach(
        "SAS",
        "application/x-sas-xport",
        name=8,
        label=40,
        text=200,
        first=datetime(1582, 10, 15),
        epoch=datetime(1960, 1, 1),
    ),
    FileFormat.PARQUET: Reach("Parquet", "application/vnd.apache.parquet"),
}


def formats_named(words: str | Sequence[str]) -> tuple[FileFormat, ...]:
    """Formats by their names, each once, in the order in which files list them.

    Args:
        words: Names, or one text with commas between them.

    Raises:
        ArgumentError: One is not known.

    >>> [str(one) for one in formats_named("sav, dta,sav")]
    ['sav', 'dta']
    """
    listed = words.split(",") if isinstance(words, str) else words
    found = {_format(word.strip().lower()) for word in listed}
    return tuple(kind for kind in FileFormat if kind in found)


def _format(word: str) -> FileFormat:
    try:
        return FileFormat(word.removeprefix("."))
    except ValueError:
        raise ArgumentError(
            f"The formats are {', '.join(FileFormat)}, and not '{word[:20]}'."
        ) from None
