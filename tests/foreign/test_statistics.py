"""SPSS, Stata and SAS files: an impossible date or text costs its own cell, and nothing
else.
"""

import datetime as dt
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from synth.domain import UNREADABLE
from synth.errors import TableError
from synth.foreign import READERS, statistics
from synth.foreign.cells import cell_text
from synth.foreign.moments import moment_reader
from synth.private.table import CELL, open_table
from tests.table.typed import read_rows

pytestmark = pytest.mark.usefixtures("inside")
pyreadstat: Any = pytest.importorskip("pyreadstat", reason="pyreadstat is not installed")

WRITERS: dict[str, Callable[..., None]] = {
    ".sav": pyreadstat.write_sav,
    ".zsav": lambda frame, path, **options: pyreadstat.write_sav(
        frame, path, compress=True, **options
    ),
    ".por": pyreadstat.write_por,
    ".dta": pyreadstat.write_dta,
    ".xpt": pyreadstat.write_xport,
}

FORMATS = {
    ".sav": [
        "DATE11",
        "ADATE10",
        "EDATE10",
        "JDATE8",
        "SDATE10",
        "DATETIME20",
        "YMDHMS20",
        "TIME8",
        "TIME11.2",
        "DTIME23",
        "MOYR8",
        "F8.2",
    ],
    ".dta": [
        "%td",
        "%d",
        "%tdD_m_Y",
        "%tdCCYY-NN-DD",
        "%tc",
        "%tC",
        "%tcHH:MM:SS",
        "%tcHH:MM",
        "%tw",
        "%tm",
        "%tq",
        "%th",
        "%ty",
        "%10.0g",
    ],
    ".xpt": [
        "DATE",
        "DATE9",
        "MMDDYY10",
        "E8601DA",
        "DATETIME",
        "DATETIME20",
        "E8601DT",
        "TIME",
        "HHMM",
        "TOD",
        "MONYY7",
    ],
}
POSSIBLE: list[float | None] = [0.0, 1.0, 21_915.0, 86_399.75, 1_500.5, None]
IMPOSSIBLE = [1e300, -1e300, 1e18, -1e15]


def write_file(folder: Path, ending: str, columns: dict[str, Any], **options: Any) -> Path:
    path = folder / f"t{ending}"
    WRITERS[ending](pd.DataFrame(columns), str(path), **options)
    return path


def damage_file(path: Path, text: bytes, replacement: bytes) -> Path:
    """The file with other bytes in place of a text."""
    body = path.read_bytes()
    assert body.count(text) == 1
    assert len(text) == len(replacement)
    path.write_bytes(body.replace(text, replacement))
    return path


def write_and_read_dates(
    folder: Path, ending: str, numbers: list[float | None]
) -> list[list[str | None]]:
    """Columns of the same numbers, one a format, as they are read."""
    names = [f"v{i}" for i, _ in enumerate(FORMATS[ending])]
    forms = dict(zip(names, FORMATS[ending], strict=True))
    path = write_file(folder, ending, dict.fromkeys(names, numbers), variable_format=forms)
    return [list(column) for column in zip(*read_rows(open_table(path)), strict=True)]


@pytest.mark.parametrize("ending", FORMATS)
def test_moments_are_those_of_the_library_where_there_are_such(
    tmp_path: Path, ending: str
) -> None:
    moments = write_and_read_dates(tmp_path, ending, POSSIBLE)
    read_by_library = getattr(pyreadstat, READERS[ending])
    library = read_by_library(str(tmp_path / f"t{ending}"), output_format="dict")[0]
    assert [FORMATS[ending], moments] == [
        FORMATS[ending],
        [[cell_text(value) or None for value in column] for column in library.values()],
    ]


@pytest.mark.parametrize("ending", FORMATS)
def test_an_impossible_moment_costs_itself_alone(tmp_path: Path, ending: str) -> None:
    """It refused the table."""
    possible_moments = write_and_read_dates(tmp_path, ending, POSSIBLE)
    odd = [number for number in IMPOSSIBLE if ending != ".xpt" or abs(number) < 1e70]
    all_moments = write_and_read_dates(tmp_path, ending, [*POSSIBLE, *odd])
    assert [column[: len(POSSIBLE)] for column in all_moments] == possible_moments
    for form, column in zip(FORMATS[ending], all_moments, strict=True):
        odd_moments = column[len(POSSIBLE) :]
        assert len(odd_moments) == len(odd)
        if moment_reader(ending, form) is not None:
            assert UNREADABLE in odd_moments, form
            assert not any(text.startswith(("1", "2")) for text in odd_moments[:1]), form


def test_times_of_more_hours_than_a_day_has_are_no_other_time(tmp_path: Path) -> None:
    """Thirty hours were six o'clock."""
    spans = {"a": [3_600.0, 108_000.5, -1.0]}
    path = write_file(tmp_path, ".sav", spans, variable_format={"a": "TIME8"})
    assert read_rows(open_table(path)) == [("01:00:00",), ("30:00:00.500000",), (UNREADABLE,)]


@pytest.mark.parametrize("ending", WRITERS)
def test_bytes_that_are_no_text_cost_their_cell_alone(tmp_path: Path, ending: str) -> None:
    """They refused the table; those of another encoding were told as what they are not."""
    has_accents = ending != ".por"
    texts = ["x", "MARKed", "é€" if has_accents else "e", "", "y"]
    columns = {"a": texts, "b": [1.0, 2.0, None, 4.0, 5.0]}
    path = write_file(tmp_path, ending, columns)
    if ending == ".zsav":
        pytest.skip("its texts are packed")
    undamaged_rows = read_rows(open_table(path))
    assert undamaged_rows[2][0] == texts[2]
    damaged_rows = read_rows(open_table(damage_file(path, b"MARKed", b"MARK\xff\xc3")))
    assert damaged_rows == [undamaged_rows[0], (UNREADABLE, "2"), *undamaged_rows[2:]]


def test_long_texts_of_stata_stay_in_their_cells(tmp_path: Path) -> None:
    """2 MB of line ends were two million rows; a byte that is no UTF-8 refused the table."""
    long = ["\n" * 2_000_000, "MARKed" + "x" * 3_000, "é" * 2_000, "z" * (CELL + 1), ""]
    path = write_file(
        tmp_path, ".dta", {"a": long, "b": range(5), "c": ["é", "x", "", "y", "z"]}
    )
    undamaged_rows = read_rows(open_table(path))
    assert [len(row[0] or "") for row in undamaged_rows] == [2_000_000, 3_006, 2_000, 1, 0]
    assert [row[1:] for row in undamaged_rows] == [
        ("0", "é"),
        ("1", "x"),
        ("2", None),
        ("3", "y"),
        ("4", "z"),
    ]
    assert undamaged_rows[3][0] == UNREADABLE
    damaged_rows = read_rows(open_table(damage_file(path, b"MARKed", b"MARK\xff\xc3")))
    assert damaged_rows == [undamaged_rows[0], (UNREADABLE, "1", "x"), *undamaged_rows[2:]]


@pytest.mark.parametrize("version", [8, 10, 12, 13, 14, 15])
def test_all_layouts_of_stata_are_read(tmp_path: Path, version: int) -> None:
    """Texts of the older ones are Windows-1252."""
    columns = {"a": ["x", "MARKed", ""], "b": [1.5, None, 3.0]}
    path = write_file(tmp_path, ".dta", columns, version=version)
    assert read_rows(open_table(path)) == [("x", "1.5"), ("MARKed", None), (None, "3")]
    damaged_rows = read_rows(open_table(damage_file(path, b"MARKed", b"MARK\xe9\x80")))
    assert damaged_rows[1][0] == ("MARKé€" if version < 14 else UNREADABLE)


@pytest.mark.parametrize("ending", [".sav", ".dta", ".xpt", ".por"])
def test_a_missing_value_changes_no_other(tmp_path: Path, ending: str) -> None:
    """The usual writer makes doubles of integers where one is missing."""
    texts = []
    for odd in (7, None, 2**40, 0.5):
        frame = {"a": pd.Series([1, 2, 2**31 - 1, odd])}
        texts.append(
            [text for (text,) in read_rows(open_table(write_file(tmp_path, ending, frame)))]
        )
    assert {tuple(column[:3]) for column in texts} == {("1", "2", "2147483647")}
    assert [column[3] for column in texts] == ["7", None, str(2**40), "0.5"]


def test_blank_rows_of_texts_alone_are_no_rows_of_a_transport_file(tmp_path: Path) -> None:
    """Those at its end are no rows in the older layout, and hung on the last that is not
    blank.
    """
    for version in (5, 8):
        for texts in (["x", "", "y", "", ""], ["x", "", "y", "", "z"]):
            path = write_file(tmp_path, ".xpt", {"a": texts}, file_format_version=version)
            assert read_rows(open_table(path)) == [(text,) for text in texts if text]
        both = {"a": ["x", ""], "n": [1.0, None]}
        path = write_file(tmp_path, ".xpt", both, file_format_version=version)
        assert read_rows(open_table(path)) == [("x", "1"), (None, None)]


def test_files_are_read_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statistics, "BATCH_CELLS", 1)
    columns = {"a": [f"t{i}" for i in range(2_500)], "b": range(2_500)}
    request = {"cell_bytes": CELL, "folder": str(tmp_path)}
    for ending in (".sav", ".dta", ".xpt"):
        names, rows = statistics.read_rows(write_file(tmp_path, ending, columns), request)
        assert names == ["a", "b"]
        assert [*map(tuple, rows)] == [(f"t{i}", str(i)) for i in range(2_500)]


def test_declared_missing_values_are_values(tmp_path: Path) -> None:
    """Of SPSS; the rules of the domain say what they are. Dates may have ranges of them,
    too.
    """
    path = write_file(
        tmp_path,
        ".sav",
        {"a": [1.0, 99.0, None], "d": [dt.date(2020, 1, 1)] * 3},
        missing_ranges={"a": [99], "d": [{"lo": -1e300, "hi": -1e299}]},
    )
    assert [row[0] for row in read_rows(open_table(path))] == ["1", "99", None]


def test_a_file_that_is_cut_off_is_one_sentence(tmp_path: Path) -> None:
    path = write_file(tmp_path, ".dta", {"a": ["x" * 3_000] * 9, "b": np.arange(9.0)})
    body = path.read_bytes()
    for size in (100, 600, len(body) // 2):
        path.write_bytes(body[:size])
        with pytest.raises(
            TableError, match=r"^'t.dta' cannot be read as an SPSS, Stata or SAS f"
        ):
            open_table(path)
