"""An option of the format that would change nothing is refused, not taken in silence."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from openpyxl import Workbook
from pyarrow import feather, parquet

import synth
from synth.errors import SynthError, TableError
from synth.private.table import open_table, parse_format

TEXT = "age,sex\n" + "41,f\n" * 12


def write_text(path: Path) -> None:
    path.write_text(TEXT)


def write_json(path: Path) -> None:
    path.write_text('{"age": 41}\n' * 12)


def write_gzip(path: Path) -> None:
    path.write_bytes(gzip.compress(TEXT.encode()))


def write_workbook(path: Path) -> None:
    book = Workbook()
    assert book.active is not None
    for row in (["age", "sex"], *[[41, "f"]] * 12):
        book.active.append(row)
    book.save(path)


def write_parquet(path: Path) -> None:
    parquet.write_table(pa.table({"age": [41] * 12}), path)


def write_folder(path: Path) -> None:
    path.mkdir()
    write_parquet(path / "part.parquet")


def write_feather(path: Path) -> None:
    feather.write_feather(pa.table({"age": [41] * 12}), str(path))


def write_stata(path: Path) -> None:
    pd.DataFrame({"age": [41] * 12}).to_stata(path)


def write_sqlite(path: Path) -> None:
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(path)) as store, store:
        store.execute("CREATE TABLE people (age INTEGER)")
        store.execute("INSERT INTO people VALUES (41)")


WITHOUT_MARKS = ("delimiter=;", "encoding=cp1252", "decimal=,", "thousands='", "comment=#")
OF_LINES = ("lines=span", "line_end=cr", "ragged=fill", "row_names=yes")


@pytest.mark.parametrize(
    ("write", "name", "kind", "options"),
    [
        (write_text, "t.csv", "a file of delimited text", ("sheet=Berlin",)),
        (write_gzip, "t.csv.gz", "a file of delimited text", ("sheet=Berlin",)),
        (
            write_json,
            "t.jsonl",
            "a file of JSON lines",
            ("sheet=Berlin", "header=2", "delimiter=;", "lines=span", "ragged=fill"),
        ),
        (write_workbook, "t.xlsx", "a workbook", (*WITHOUT_MARKS, *OF_LINES)),
        (
            write_parquet,
            "t.parquet",
            "a Parquet file",
            (*WITHOUT_MARKS, *OF_LINES, "header=2", "sheet=Berlin"),
        ),
        (write_folder, "parts", "a Parquet file", ("sheet=Berlin", "header=2")),
        (write_feather, "t.feather", "a file of Arrow", ("sheet=Berlin", "below=1")),
        (write_stata, "t.dta", "a file of SPSS, Stata or SAS", ("sheet=Berlin", "header=2")),
        (write_sqlite, "t.sqlite", "a file of SQLite", (*WITHOUT_MARKS, "header=2")),
    ],
)
def test_an_option_that_does_not_apply_is_refused(
    write: Callable[[Path], None],
    name: str,
    kind: str,
    options: tuple[str, ...],
    tmp_path: Path,
) -> None:
    path = tmp_path / name
    write(path)
    for option in options:
        word = option.partition("=")[0]
        with pytest.raises(TableError) as refusal:
            open_table(path, parse_format([option]))
        assert str(refusal.value) == (
            f"'{name}' is {kind}, to which the format option '{word}' does not apply: "
            "leave it out."
        )
    if write is not write_json:  # whose columns are to be named
        assert "age" in open_table(path).header


def test_several_such_options_are_one_sentence(tmp_path: Path) -> None:
    write_parquet(tmp_path / "t.parquet")
    with pytest.raises(TableError, match="format options 'header' and 'sheet' do not apply"):
        open_table(tmp_path / "t.parquet", parse_format(["sheet=Berlin", "header=2"]))


def test_a_table_in_memory_takes_no_option(tmp_path: Path) -> None:
    """Nor does a table that is open already; and names are for JSON lines alone."""
    frame = pd.DataFrame({"age": [41] * 12})
    with pytest.raises(SynthError, match=r"in memory, .* 'header' and 'names' do not"):
        synth.open_table(frame, header=2, names=["age"])
    write_text(tmp_path / "t.csv")
    table = synth.open_table(tmp_path / "t.csv")
    with pytest.raises(SynthError, match=r"is open already, .* option 'split' does not"):
        synth.open_table(table, split="sex:,:f,m")
    assert synth.open_table(table) is table
    with pytest.raises(SynthError, match=r"'t\.csv' names its columns itself: leave out"):
        synth.open_table(tmp_path / "t.csv", names=["age", "sex"])


def test_an_address_takes_no_option_and_none_is_connected() -> None:
    """The refusal comes before any connection; the address is not shown."""
    address = "postgresql://nobody@nowhere.invalid/clinic?table=visits"
    with pytest.raises(TableError) as refusal:
        open_table(address, parse_format(["header=2"]))
    assert str(refusal.value) == (
        "The table is a table of a database, to which the format option 'header' does not "
        "apply: leave it out."
    )
