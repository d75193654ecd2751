"""All formats keep one contract, and are named where people look for them.

A new format is an object in `FORMATS` and inherits the contract.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openpyxl
import openpyxl.utils.escape
import pyarrow.parquet as pq
import pyreadstat
import pytest

import synth
from synth.api.replicating import Replicates
from synth.bundle import FORMATS, formats_named
from synth.errors import ArgumentError
from tests.bundle.exports.contract import FormatContract


class TestExcel(FormatContract):
    name = "xlsx"

    def read(self, path: Path) -> Iterator[list[Any]]:
        """The sheet of rows below its head."""
        book = openpyxl.load_workbook(path, read_only=True)
        for row in list(book["rows"].iter_rows(values_only=True))[1:]:
            yield [
                openpyxl.utils.escape.unescape(c) if isinstance(c, str) else c for c in row
            ]


class TestSpss(FormatContract):
    name = "sav"

    def read(self, path: Path) -> Iterator[tuple[Any, ...]]:
        """The rows, codes of missing values as they are."""
        columns, _ = pyreadstat.read_sav(str(path), output_format="dict", user_missing=True)
        return zip(*columns.values(), strict=True)


class TestStata(FormatContract):
    name = "dta"

    def read(self, path: Path) -> Iterator[tuple[Any, ...]]:
        """The rows, letters of missing values as they are."""
        columns, _ = pyreadstat.read_dta(str(path), output_format="dict", user_missing=True)
        return zip(*columns.values(), strict=True)


class TestSas(FormatContract):
    name = "xpt"

    def read(self, path: Path) -> Iterator[tuple[Any, ...]]:
        """The rows."""
        columns, _ = pyreadstat.read_xport(str(path), output_format="dict")
        return zip(*columns.values(), strict=True)


class TestTypedParquet(FormatContract):
    name = "parquet"

    def read(self, path: Path) -> Iterator[tuple[Any, ...]]:
        """The rows."""
        return zip(*pq.read_table(path).to_pydict().values(), strict=True)


def test_every_format_keeps_the_contract() -> None:
    assert {contract.name for contract in FormatContract.__subclasses__()} >= {*FORMATS}


def test_a_format_that_is_none_is_refused_with_those_that_are() -> None:
    """An unknown output format is refused, and the message lists the known ones."""
    with pytest.raises(
        ArgumentError, match="formats are xlsx, sav, dta, xpt, parquet, and not"
    ):
        formats_named("csv,doc")


PLACES = {
    "docs/how-to/formats.md": Path("docs/how-to/formats.md").read_text(encoding="utf-8"),
    "Release.save_table": synth.Release.save_table.__doc__ or "",
    "Replicates.save": Replicates.save.__doc__ or "",
}
"""Texts that list the formats by themselves."""


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", FORMATS)
def test_a_text_that_lists_formats_has_all_of_them(place: str, name: str) -> None:
    assert name in PLACES[place]
