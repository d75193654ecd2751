"""Exported files, read back by readers that know nothing of Synth."""

import csv
import warnings
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import openpyxl.utils.escape
import pandas as pd
import pyarrow.parquet as pq
import pyreadstat
import pytest

from synth.bundle import FileFormat, export, formats_named, losses, notes_on, sha256
from synth.bundle.exports import statistics
from synth.bundle.exports.statistics import check_statistics
from synth.bundle.exports.variables import HeldColumn, Storage, variables
from synth.bundle.exports.workbook import check_workbook
from synth.domain import (
    MISSING_LABEL,
    Boolean,
    Categorical,
    Date,
    Domain,
    Integer,
    Number,
    Outside,
    read_schema,
)
from synth.errors import ArgumentError, LimitError, ReleaseError
from synth.rows import SyntheticTable, decode, write_csv
from tests.tables import MIXED, SHARED

HOSTILE = Domain(
    (
        Categorical(
            name="=cmd|' /C calc'!A0",
            categories=("=1+1", "@sum", "+1", "-5", "_x0041_", "a\x01b", "ü ñ 漢", 'q",\n"'),
            missing=True,
        ),
        Categorical(name="a very long name that nobody can shorten 1", categories=("x" * 300, "y")),
        Categorical(name="a very long name that nobody can shorten 2", categories=("z" * 5000, "ÿ")),  # noqa: E501
        Categorical(
            name="code",
            categories=("1", "2", "3"),
            meanings={"1": "yes", "2": "yes", "3": "l" * 200},
            missing=True,
            outside=Outside.CELL,
            description="d" * 400,
        ),
        Categorical(name="CODE ", categories=("01", "2"), outside=Outside.CELL),
        Categorical(name="if", categories=("a",), description="tab\there"),
        Categorical(name="2nd", categories=("nul\x00cut", "nul\x00kept")),
        Boolean(name="漢字", true_values=("oui",), false_values=("non",), missing=True),
        Boolean(name="bit", true_values=("1",), false_values=("2",)),
        Integer(name="big", minimum=-(10**15), maximum=10**15, bins=4, missing=True),
        Number(name="fine", minimum="0", maximum="1e-3", bins=3, decimals=15),
        Number(name="wide", minimum="-1e14", maximum="1e14", bins=3, outside=Outside.CELL),
        Date(name="old", minimum="0850-01-01", maximum="0990-12-31", bins=3),
        Date(name="short", minimum="1930-01-01", maximum="2010-12-31", format="%d-%b-%y"),
        Date(name="then", minimum="2020-01-01T00:00:00", maximum="2020-02-01T00:00:00", time=True),
        Date(name="day", minimum="1850-01-01", maximum="2024-02-01", format="%d.%m.%Y",
             missing=True, outside=Outside.CELL),
    ),
    ("-9", "NA"),
)  # fmt: skip


def table(domain: Domain, rows: int = 200) -> SyntheticTable:
    """Rows in which every cell of a column comes up, the same each time."""
    rng = np.random.default_rng(5)
    codes = [rng.permutation(np.arange(rows) % c.size).astype(np.int32) for c in domain.columns]
    return decode(domain, codes, seed=7)


def csv_rows(rows: SyntheticTable, folder: Path) -> list[list[str]]:
    write_csv(rows.parts(), folder / "plain.csv", missing=rows.domain.missing_marker)
    with (folder / "plain.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))[1:]


def as_text(value: Any, one: HeldColumn, marker: str) -> str:
    """What the CSV file says where a reader found a value."""
    column = one.column
    if value is None or value != value or value == "" or value == one.missing:
        return marker
    if one.storage is Storage.CODE:
        place = one.codes.index(float(value))
        return column.cells[place]
    if one.storage is Storage.NUMBER:
        if value == one.other:
            return "(other)"
        return str(int(value)) if isinstance(column, Integer) else repr(float(value))
    if one.storage is Storage.BOOLEAN:
        return column.labels[bool(value)]
    if one.storage is Storage.DATE:
        moment = (
            value if isinstance(value, datetime) else datetime.combine(value, datetime.min.time())
        )
        return moment.strftime(column.pattern)
    return str(value)


def same(shown: list[list[str]], found: list[list[str]], held: tuple[HeldColumn, ...]) -> None:
    for place, one in enumerate(held):
        ours, theirs = ([row[place] for row in rows] for rows in (shown, found))
        if one.column.kind == "number" and one.storage is not Storage.TEXT:
            ours = [t if t in ("(other)", "-9", "", "NA") else repr(float(t)) for t in ours]
        assert ours == theirs, one.name


def read_back(path: Path, kind: FileFormat) -> Iterator[list[Any]]:
    if kind is FileFormat.XLSX:
        book = openpyxl.load_workbook(path, read_only=True)
        for row in list(book["rows"].iter_rows(values_only=True))[1:]:
            yield [openpyxl.utils.escape.unescape(c) if isinstance(c, str) else c for c in row]
        return
    if kind is FileFormat.PARQUET:
        yield from map(list, zip(*pq.read_table(path).to_pydict().values(), strict=True))
        return
    name = "xport" if kind is FileFormat.XPT else kind.value
    options = {} if kind is FileFormat.XPT else {"user_missing": True}
    read = getattr(pyreadstat, f"read_{name}")
    columns, _ = read(str(path), output_format="dict", **options)
    yield from map(list, zip(*columns.values(), strict=True))


@pytest.mark.parametrize("kind", FileFormat)
@pytest.mark.parametrize("domain", [MIXED, HOSTILE], ids=["mixed", "hostile"])
def test_files_hold_what_the_csv_file_does(
    domain: Domain, kind: FileFormat, tmp_path: Path
) -> None:
    rows = table(domain)
    path = export(rows, kind, tmp_path / kind.file)
    held = variables(domain, kind)
    found = [
        [as_text(value, one, domain.missing_marker) for value, one in zip(row, held, strict=True)]
        for row in read_back(path, kind)
    ]
    same(csv_rows(rows, tmp_path), found, held)
    assert sha256(export(rows, kind, tmp_path / "again")) == sha256(path)
    names = [one.name for one in held]
    assert len({name.lower() for name in names}) == len(names)
    said = notes_on(domain, [kind])
    assert all(one.name == one.column.name or f"'{one.name}'" in said or one.name.lower()
               == one.column.name.lower() for one in held)  # fmt: skip


def test_labels_and_missing_codes_of_spss(tmp_path: Path) -> None:
    export(table(HOSTILE), FileFormat.SAV, tmp_path / "t.sav")
    _, said = pyreadstat.read_sav(str(tmp_path / "t.sav"), user_missing=True)
    labels = said.variable_value_labels["code"]
    assert labels[1.0] == "1 · yes"
    assert labels[2.0] == "2 · yes"
    assert labels[4.0] == "(other)"
    assert labels[3.0].endswith("…")
    assert len(labels[3.0].encode()) <= 120
    assert labels[-9.0] == MISSING_LABEL
    assert said.missing_ranges["code"] == [{"lo": -9.0, "hi": -9.0}]
    assert said.column_names_to_labels["code"].endswith("…")
    assert said.variable_value_labels["漢字"] == {0.0: "non", 1.0: "oui", -9.0: MISSING_LABEL}
    assert "Column 'code': labels of codes are cut; see dictionary.csv." in losses(
        HOSTILE, FileFormat.SAV
    )


def test_pandas_reads_stata_and_sas(tmp_path: Path) -> None:
    rows = table(MIXED)
    export(rows, FileFormat.DTA, tmp_path / "t.dta")
    export(rows, FileFormat.XPT, tmp_path / "t.xpt")
    shown = csv_rows(rows, tmp_path)
    stata = pd.read_stata(tmp_path / "t.dta")
    assert [None if v != v else v for v in stata["sex"].astype(object)] == [
        row[0] or None for row in shown
    ]
    assert stata["smoker"].tolist() == [row[4] for row in shown]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sas = pd.read_sas(tmp_path / "t.xpt")
    # pandas makes 5e-79 of a zero
    assert sas["AGE"].round(9).tolist() == [float(row[1]) for row in shown]
    assert [v.decode() for v in sas["WEIGHT"]] == [row[2] for row in shown]
    start = date(1960, 1, 1).toordinal()
    assert [v == v and date.fromordinal(int(v) + start).isoformat() for v in sas["DAY"]] == [
        row[3] or False for row in shown
    ]


def test_a_workbook_runs_nothing_and_says_what_columns_are(tmp_path: Path) -> None:
    export(table(HOSTILE), FileFormat.XLSX, tmp_path / "t.xlsx")
    book = openpyxl.load_workbook(tmp_path / "t.xlsx")
    kinds = {cell.data_type for sheet in book for row in sheet.iter_rows() for cell in row}
    assert "f" not in kinds
    marked = next(c for c in book["rows"]["A"] if c.value == "=1+1")
    assert marked.quotePrefix
    told = list(book["columns"].iter_rows(values_only=True))
    assert ("code", None, None, None, "3", "l" * 200) in told
    assert told[4 + 8 + 1 - 4][0] == HOSTILE.names[1] or HOSTILE.names[1] in {
        row[0] for row in told
    }


SCHEMAS = sorted(SHARED.glob("*/domain*.schema.json"))


@pytest.mark.skipif(not SCHEMAS, reason="needs the open tables")
@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda p: f"{p.parent.name}-{p.name}")
def test_open_tables(schema: Path, tmp_path: Path) -> None:
    domain = read_schema(schema.read_bytes())
    for kind in FileFormat:
        test_files_hold_what_the_csv_file_does(domain, kind, tmp_path)


def test_what_cannot_be_written_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(LimitError, match="1,048,576 rows do not fit in a sheet of Excel, which"):
        check_workbook(MIXED, 2**20)
    with pytest.raises(LimitError, match="do not fit in 4,096 MB of memory"):
        check_statistics(variables(MIXED, FileFormat.SAV), 10**9)
    with pytest.raises(ArgumentError, match="formats are xlsx, sav, dta, xpt, parquet, and not"):
        formats_named("csv,doc")
    with pytest.raises(ReleaseError, match="Nothing can be written to the folder"):
        export(table(MIXED), FileFormat.SAV, "/dev/null/t.sav")
    monkeypatch.setattr(statistics, "find_spec", lambda _: None)
    with pytest.raises(ReleaseError, match="needs the package pyreadstat: pip install -r"):
        export(table(MIXED), FileFormat.SAV, tmp_path / "t.sav")
    assert not list(tmp_path.iterdir())


def test_no_rows(tmp_path: Path) -> None:
    empty = decode(MIXED, [np.zeros(0, dtype=np.int32) for _ in MIXED.columns], seed=1)
    for kind in FileFormat:
        export(empty, kind, tmp_path / kind.file)
        assert list(read_back(tmp_path / kind.file, kind)) == []
