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
    ],
}
POSSIBLE: list[float | None] = [0.0, 1.0, 21_915.0, 86_399.75, 1_500.5, None]
IMPOSSIBLE = [1e300, -1e300, 1e18, -1e15]


def write_file(folder: Path, ending: str, columns: dict[str, Any], **options: Any) -> Path:
    """Write a file of SPSS, Stata or SAS, by its ending, and return its path."""
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


def write_value(value: object) -> str | None:
    """A value of the library as text; a moment at midnight keeps its time."""
    return value.isoformat() if isinstance(value, dt.datetime) else cell_text(value) or None


@pytest.mark.parametrize("ending", FORMATS)
def test_moments_are_those_of_the_library_where_there_are_such(
    tmp_path: Path, ending: str
) -> None:
    """Possible dates and times in every format are read as pyreadstat reads them.

    The file has the same numbers in one column for each format in `FORMATS`.
    """
    moments = write_and_read_dates(tmp_path, ending, POSSIBLE)
    read_by_library = getattr(pyreadstat, READERS[ending])
    library = read_by_library(str(tmp_path / f"t{ending}"), output_format="dict")[0]

    expected = [[write_value(value) for value in column] for column in library.values()]
    by_format = dict(zip(FORMATS[ending], moments, strict=True))
    assert by_format == dict(zip(FORMATS[ending], expected, strict=True))


@pytest.mark.parametrize("ending", FORMATS)
def test_an_impossible_moment_costs_itself_alone(tmp_path: Path, ending: str) -> None:
    """A number that is no date or time makes its own cell unreadable and changes no other.

    It once refused the whole table. The impossible numbers stand below the possible ones, in
    one column for each format. Transport files of SAS cannot hold the largest ones. The first
    impossible number is never read as a date of the years 1000 to 2999.
    """
    possible_moments = write_and_read_dates(tmp_path, ending, POSSIBLE)
    # The numbers of a transport file of SAS end near 1e75.
    odd = [number for number in IMPOSSIBLE if ending != ".xpt" or abs(number) < 1e70]
    all_moments = write_and_read_dates(tmp_path, ending, [*POSSIBLE, *odd])
    assert [column[: len(POSSIBLE)] for column in all_moments] == possible_moments
    for form, column in zip(FORMATS[ending], all_moments, strict=True):
        odd_moments = column[len(POSSIBLE) :]
        assert len(odd_moments) == len(odd)
        if moment_reader(ending, form) is not None:
            assert UNREADABLE in odd_moments, form
            assert not any(text.startswith(("1", "2")) for text in odd_moments[:1]), form


PERIODS = {
    ".sav": {
        "MOYR8": (13_797_216_000.0, "2020-01"),
        "QYR6": (13_806_000_000.0, "2020-Q2"),
        "WKYR8": (13_798_000_000.0, "2020w2"),
    },
    ".dta": {
        "%tm": (695.0, "2017-12"),
        "%tmMon_CCYY": (-1.0, "1959-12"),
        "%tq": (231.0, "2017-Q4"),
        "%th": (115.0, "2017h2"),
        "%tw": (3_015.0, "2017w52"),
        "%tdDD/NN/CCYY": (21_915.0, "2020-01-01"),
        "%-td": (21_915.0, "2020-01-01"),
        "%tcDDmonCCYY_HH:MM": (1_893_456_000_000.0, "2020-01-01T00:00:00"),
        "%tchh:MM_am": (3_600_000.0, "01:00:00"),
        "%9.2f": (695.0, "695"),
    },
    ".xpt": {
        "MONYY7": (21_000.0, "2017-06"),
        "YYQ6": (21_000.0, "2017-Q2"),
        "WORDDATE": (21_915.0, "2020-01-01"),
        "DTDATE9": (1_893_456_000.0, "2020-01-01"),
        "DTMONYY7": (1_893_456_000.0, "2020-01"),
    },
}
"""By ending and format, a number and the text of the moment or period that it means."""


@pytest.mark.parametrize("ending", PERIODS)
def test_a_period_or_a_day_in_another_display_is_no_plain_number(
    tmp_path: Path, ending: str
) -> None:
    """Months, quarters, weeks and dates in any display format are read as such.

    They were once numbers of months, or of days since 1960.
    """
    columns = {f"v{i}": [number] for i, (number, _) in enumerate(PERIODS[ending].values())}
    forms = dict(zip(columns, PERIODS[ending], strict=True))
    path = write_file(tmp_path, ending, columns, variable_format=forms)
    (texts,) = read_rows(open_table(path))
    expected = {form: text for form, (_, text) in PERIODS[ending].items()}
    assert dict(zip(PERIODS[ending], texts, strict=True)) == expected


def test_a_moment_at_midnight_keeps_its_time(tmp_path: Path) -> None:
    """A column of moments is written in one way, so that no row of it is lost.

    The seconds count from 1582; the first moment is the start of the year 2020.
    """
    seconds = {"seen": [13_797_216_000.0, 13_797_216_001.0]}
    path = write_file(tmp_path, ".sav", seconds, variable_format={"seen": "DATETIME20"})
    assert read_rows(open_table(path)) == [("2020-01-01T00:00:00",), ("2020-01-01T00:00:01",)]


def test_times_of_more_hours_than_a_day_has_are_no_other_time(tmp_path: Path) -> None:
    """A time of 30 hours is read as 30 hours, and a negative one is unreadable.

    The numbers are seconds: 108,000.5 are 30 hours and half a second. They were once read as
    six o'clock.
    """
    spans = {"a": [3_600.0, 108_000.5, -1.0]}
    path = write_file(tmp_path, ".sav", spans, variable_format={"a": "TIME8"})
    assert read_rows(open_table(path)) == [("01:00:00",), ("30:00:00.500000",), (UNREADABLE,)]


@pytest.mark.parametrize("ending", WRITERS)
def test_bytes_that_are_no_text_cost_their_cell_alone(tmp_path: Path, ending: str) -> None:
    """Bytes that are no text make their own cell unreadable and change no other.

    They once refused the table, or were read in another encoding. The text MARKed is replaced
    in the file by bytes that are no UTF-8.
    """
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
    """Long texts of Stata are read up to the limit of 2,000,000 bytes, whatever is in them.

    Once 2 MB of line ends became two million rows, and a byte that is no UTF-8 refused the
    table. The fourth text is a byte too long, so it is unreadable: one character.
    """
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
    """Files of every version of Stata from 8 to 15 are read.

    Texts of the older ones, before 14, are in Windows-1252, where the two bytes are é and €.
    From 14 on texts are UTF-8, so these bytes are unreadable.
    """
    columns = {"a": ["x", "MARKed", ""], "b": [1.5, None, 3.0]}
    path = write_file(tmp_path, ".dta", columns, version=version)
    assert read_rows(open_table(path)) == [("x", "1.5"), ("MARKed", None), (None, "3")]
    damaged_rows = read_rows(open_table(damage_file(path, b"MARKed", b"MARK\xe9\x80")))
    assert damaged_rows[1][0] == ("MARKé€" if version < 14 else UNREADABLE)


@pytest.mark.parametrize("ending", [".sav", ".dta", ".xpt", ".por"])
def test_a_missing_value_changes_no_other(tmp_path: Path, ending: str) -> None:
    """The whole numbers of a column have the same texts whatever its last value is.

    The last value is an integer, missing, very large or a fraction. The usual writer makes
    doubles of integers where one is missing.
    """
    texts = []
    for odd in (7, None, 2**40, 0.5):
        frame = {"a": pd.Series([1, 2, 2**31 - 1, odd])}
        table = open_table(write_file(tmp_path, ending, frame))
        texts.append([text for (text,) in read_rows(table)])

    assert {tuple(column[:3]) for column in texts} == {("1", "2", "2147483647")}
    assert [column[3] for column in texts] == ["7", None, str(2**40), "0.5"]


def test_blank_rows_of_texts_alone_are_no_rows_of_a_transport_file(tmp_path: Path) -> None:
    """In a transport file of SAS, a row whose only texts are blank is no row, anywhere.

    In the older layout blank rows at the end cannot be told from filling. So they are left
    out everywhere, or the last row would decide whether others count. With a number, even a
    missing one, a blank row counts.
    """
    for version in (5, 8):
        for texts in (["x", "", "y", "", ""], ["x", "", "y", "", "z"]):
            path = write_file(tmp_path, ".xpt", {"a": texts}, file_format_version=version)
            assert read_rows(open_table(path)) == [(text,) for text in texts if text]

        both = {"a": ["x", ""], "n": [1.0, None]}
        path = write_file(tmp_path, ".xpt", both, file_format_version=version)
        assert read_rows(open_table(path)) == [("x", "1"), (None, None)]


def test_files_are_read_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A long file is read in parts, and all its rows come in their order.

    With the limit of cells lowered, a part has 1,000 rows, so 2,500 rows make three parts.
    """
    monkeypatch.setattr(statistics, "BATCH_CELLS", 1)
    columns = {"a": [f"t{i}" for i in range(2_500)], "b": range(2_500)}
    request = {"cell_bytes": CELL, "folder": str(tmp_path)}
    for ending in (".sav", ".dta", ".xpt"):
        names, rows = statistics.read_rows(write_file(tmp_path, ending, columns), request)
        assert names == ["a", "b"]
        assert [*map(tuple, rows)] == [(f"t{i}", str(i)) for i in range(2_500)]


def test_declared_missing_values_are_values(tmp_path: Path) -> None:
    """A value that SPSS declares missing, here 99, is read as a value.

    The rules of the domain say what is missing. A date column with a declared range of
    missing values far below all dates does no harm.
    """
    path = write_file(
        tmp_path,
        ".sav",
        {"a": [1.0, 99.0, None], "d": [dt.date(2020, 1, 1)] * 3},
        missing_ranges={"a": [99], "d": [{"lo": -1e300, "hi": -1e299}]},
    )
    assert [row[0] for row in read_rows(open_table(path))] == ["1", "99", None]


def test_a_file_that_is_cut_off_is_one_sentence(tmp_path: Path) -> None:
    """A Stata file that is cut off anywhere, here at three lengths, is called damaged."""
    path = write_file(tmp_path, ".dta", {"a": ["x" * 3_000] * 9, "b": np.arange(9.0)})
    body = path.read_bytes()
    for size in (100, 600, len(body) // 2):
        path.write_bytes(body[:size])
        with pytest.raises(
            TableError, match=r"^'t.dta' cannot be read as an SPSS, Stata or SAS f"
        ):
            open_table(path)
