"""Damaged rows: left out or not declared, the same on every path, and no neighbour's
business.
"""

import io
import json
import os
import random
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from synth.cli.main import main
from synth.domain import (
    Boolean,
    Categorical,
    Date,
    Domain,
    Number,
    Outside,
    building,
    write_schema,
)
from synth.errors import DomainError, TableError
from synth.plans import Method, Plan
from synth.privacy import ROW, Neighbors, Unit
from synth.private.counting import count, duckdb
from synth.private.table import (
    CELL,
    DEFAULT,
    Format,
    copy_plain,
    has_ragged_rows,
    is_looked_through,
    list_remarks,
    look_through,
    open_duckdb,
    open_table,
    reads_strictly,
)
from synth.private.table import records as records_module
from synth.private.table.csv_options import FILL
from synth.private.table.records import line_end, records
from synth.spending import synthesize
from tests.counting.coding import coded

CASES = int(os.environ.get("SYNTH_FUZZ_CASES", "400"))
TEXTS = Domain(
    a=building.Categorical(["x", "y"], outside="cell"),
    b=building.Categorical(["1", "2"], missing=True, outside="cell"),
)
GOOD = b'x,1\ny,2\n"x","2"\ny,\n'
"""Cells of the domain, one of them missing."""

# name: (the row instead of the second one of GOOD, how many of its four rows are then in the
# counts, whether the damaged row is among them but in another cell of its table)
TROUBLE: dict[str, tuple[bytes, int, int]] = {
    "a byte that is no text": (b"y,\xff\n", 4, 1),
    "such a byte beside a category": (b"y,1\xff\n", 4, 1),
    "half a character": (b"y,\xc3\n", 4, 1),
    "a NUL byte": (b"y,2\0\n", 4, 1),
    "a cell of NUL bytes": (b"\0\0,2\n", 4, 1),
    "a cell above the limit": (b"y," + b"2" * (CELL + 1) + b"\n", 4, 1),
    "a row above the engine's limit": (b"y," + b" " * CELL + b'2,"",' + b",\n", 4, 1),
    "too few cells": (b"y\n", 3, 0),
    "too many cells": (b"y,2,3\n", 3, 0),
    "a mark that is never closed": (b'y,"2\n', 3, 0),
    "a mark at the end": (b'y,2,"\n', 3, 0),
    "a mark that is not doubled": (b'y,"2 "or" 3"\n', 3, 0),
    "a carriage return alone": (b"y\rz,2\n", 4, 1),
    "an empty cell more": (b"y,2,\n", 4, 0),
    "several of them": (b'y,2,,"",\n', 4, 0),
}


def write_table(
    path: Path, body: bytes, header: bytes = b"a,b\n", form: Format = DEFAULT
) -> Any:
    """Write a CSV file of a header and rows, and open it."""
    path.write_bytes(header + body)
    return open_table(path, form)


@pytest.mark.parametrize("name", TROUBLE)
def test_a_damaged_row_costs_itself_alone(tmp_path: Path, name: str) -> None:
    """A damaged row leaves all other rows in their cells, and still counts as a row.

    `TROUBLE` says what stands instead of the second of the four rows of `GOOD`. The row may
    be left out, which takes 1 from its cell. Or one of its cells counts as not declared: then
    1 moves from its cell of the table to another. Rows held in memory agree.
    """
    row, kept_rows, is_another_cell = TROUBLE[name]
    before, _, after = GOOD.partition(b"y,2\n")

    undamaged = count(write_table(tmp_path / "t.csv", GOOD), TEXTS)
    table = write_table(tmp_path / "t.csv", before + row + after)
    counts = count(table, TEXTS)

    assert (undamaged.rows, counts.rows, counts.counts.sum()) == (4, 4, kept_rows)
    change = counts.dense() - undamaged.dense()
    assert np.abs(change).sum() == 2 * bool(is_another_cell) + (4 - kept_rows)
    assert change.min() >= -1

    rows_in_memory = coded(table, TEXTS)
    assert rows_in_memory.rows == 4
    codes_of_two_columns = 2 * kept_rows
    assert sum(len(codes) for codes in rows_in_memory.codes) == codes_of_two_columns


@pytest.mark.slow
@pytest.mark.parametrize("neighbors", list(Neighbors))
def test_a_release_of_a_damaged_table_says_nothing_of_it(
    tmp_path: Path, neighbors: Neighbors
) -> None:
    """All parts of a certificate that are public and not drawn are the same for any one row.

    The second row is sound, or damaged in each of the ways of `TROUBLE`. Left aside are the
    time, the noise and what is drawn from it. If neighbours differ by a row, the number of
    rows is noisy as well; otherwise it is public and must be the same.
    """
    before, _, after = GOOD.partition(b"y,2\n")
    public_contents = set()
    for row in (b"y,2\n", *(row for row, *_ in TROUBLE.values())):
        table = write_table(tmp_path / "t.csv", before + row + after)
        result = synthesize(
            Plan(domain=TEXTS, epsilon=1, neighbors=neighbors, method=Method.DENSE), table
        )
        varying_keys = ["created", "drawing", "repair", "rows_fit"]
        varying_keys += ["rows", "number_of_rows"] * (neighbors is Neighbors.ADD_REMOVE)
        content: Any = result.certificate.to_json()
        content["released"].pop("left_out")  # a noisy number
        public_contents.add(
            json.dumps(
                {key: value for key, value in content.items() if key not in varying_keys}
            )
        )
    assert len(public_contents) == 1


def read_by_engine(path: Path, delimiter: str, width: int) -> list[list[str]] | None:
    """The cells as the engine alone reads them, None where it gives up."""
    columns = {f"f{i}": "VARCHAR" for i in range(width)}
    try:
        rows = ENGINE.execute(
            "SELECT * FROM read_csv($path, auto_detect=false, header=false, skip=1, "
            f"delim=$mark, quote='\"', escape='\"', columns={columns})",
            {"path": str(path), "mark": delimiter},
        ).fetchall()
    except duckdb.duckdb.Error:
        return None
    return [[cell or "" for cell in row] for row in rows]


ENGINE = open_duckdb({"threads": 1})


def draw_body(draw: random.Random, delimiter: str, width: int, end: str) -> bytes:
    """A header and a few rows of all that a reader may trip over, most of them whole."""
    marks = ["a", "é", '""', " ", delimiter, "\\", "\ufeff", "#"]
    is_odd = draw.random() < 0.3
    marks += ['"', "\0", end, "\r", "\n"] * is_odd

    def cell() -> str:
        text = "".join(draw.choice(marks) for _ in range(draw.randint(0, 4)))
        kind = draw.random()
        if kind < 0.5:
            text = '"' + text.replace('"', '""') + '"'
            around = [" " * draw.randint(0, 2 * is_odd) for _ in range(2)]
            return text.join(around)
        unquoted = "".join(letter for letter in text if letter not in f'"\r\n{delimiter}')
        return text if is_odd and kind > 0.9 else unquoted or "b"

    def row() -> str:
        cells_too_many = ((draw.random() < 0.1) - (draw.random() < 0.05)) * is_odd
        return delimiter.join(cell() for _ in range(width + cells_too_many))

    rows = [row() for _ in range(draw.randint(1, 4))]
    text = end.join([delimiter.join("hijk"[:width]), *rows]) + end * (draw.random() < 0.7)
    body = text.encode()
    if is_odd and draw.random() < 0.3:
        position = draw.randint(min(2 * width + 1, len(body)), len(body))
        body = body[:position] + b"\xff" + body[position:]
    return body


@pytest.mark.slow
def test_what_the_engine_accepts_is_read_alike(tmp_path: Path) -> None:
    """A file that the engine reads by itself has the same cells as Synth's own reading.

    So nobody can tell from the result which of the two read it. The files are small and
    random. More than a quarter of them must be accepted, or the test would show little.
    """
    draw, path, accepted = random.Random(10), tmp_path / "t.csv", 0
    for _ in range(CASES):
        delimiter, width = draw.choice(",,;\t |"), draw.choice([1, 2, 2, 3])
        body = draw_body(draw, delimiter, width, draw.choice(["\n", "\r\n"]))
        path.write_bytes(body)
        table = open_table(path, Format(delimiter=delimiter))
        if not reads_strictly(table):  # Synth would never give this file to the engine
            continue
        expected = read_by_engine(path, delimiter, width)
        if expected is None:
            continue
        accepted += 1
        copy = pq.read_table(copy_plain(table).data)
        assert [list(row.values()) for row in copy.to_pylist()] == expected, body
        assert not list_remarks(table)
    assert accepted > CASES / 4


SPAN = Format(lines="span", header=0, columns=2)
"""Two columns without a header, and quoted cells that may go on over line ends."""


def split_records(body: bytes, form: Format = SPAN) -> list[list[bytes] | None]:
    """The cells of each row; None of a row that is left out."""
    split_rows = records(io.BytesIO(body), form, width=2, end=line_end(body, form))
    return [record.cells for record in split_rows]


@pytest.mark.parametrize(
    ("body", "rows"),
    [
        (b'x,"1\n\n2"\ny,2\n', [[b"x", b"1\n\n2"], [b"y", b"2"]]),
        (b'x,"1\ny,2\nz,"3"\n', [None]),  # so the promise says that writers double marks
        (b'x,"1\ny,2\n', [None]),
        (b'x,"1\ny,","\nz,3\n', [None]),
        (b"x,1\r\n\r\ny,2\r", [[b"x", b"1"], None, [b"y", b"2"]]),
        (b'""\nx,1\n', [None, [b"x", b"1"]]),
        (b'\xef\xbb\xbfx,"a ""b"""', [[b"x", b'a "b"']]),
        (b'x, "1" ,,""\n', [[b"x", b"1"]]),
        (b"x,1,2\n\n", [None, None]),
    ],
)
def test_rows_over_several_lines_by_example(
    body: bytes, rows: list[list[bytes] | None]
) -> None:
    """Where cells may span lines, a row ends at a line end outside of quotation marks.

    A row is left out, here None, if its marks do not match or its cells are not two. Beyond
    the second cell empty ones are allowed. Blanks around a quoted cell are dropped.
    """
    assert split_records(body) == rows


@pytest.mark.parametrize(
    ("body", "rows"),
    [
        (b'x,"1\ny,2\nz,"3"\n', [None, [b"y", b"2"], [b"z", b"3"]]),
        (b'x,6"\ny,"5"\n', [[b"x", b'6"'], [b"y", b"5"]]),
        (b'"x,1\n6",5\n', [None, [b'6"', b"5"]]),
        (b"\n#,1\n x,1", [None, None, [b" x", b"1"]]),
        (b"x,1\ry,2\r\n", [None]),
    ],
)
def test_rows_of_one_line_by_example(body: bytes, rows: list[list[bytes] | None]) -> None:
    """Where each line is a row, a mark that is never closed costs its own line alone.

    None stands for a row that is left out: wrong marks, a blank line, a comment, or three
    cells. A lone carriage return ends no line here.
    """
    assert split_records(body, Format(header=0, columns=2, comment="#")) == rows


def test_lines_that_end_by_carriage_returns() -> None:
    """If lines end by carriage returns, a line feed belongs to its cell.

    The blank row and the row with one cell of two are left out.
    """
    form = Format(header=0, columns=2, line_end="cr")
    expected = [[b"x", b"1"], [b'y\n"', b"2"], None, None]
    assert split_records(b'x,1\ry\n",2\r\rz\r', form) == expected


def test_other_lines_are_read_as_if_the_damaged_one_were_not_there() -> None:
    """A damaged line among sound ones is left out, and each sound one is read as if alone.

    Each of 2,000 random tables has up to six sound lines and one damaged line.
    """
    draw, form = random.Random(3), Format(header=0, columns=2)
    clean = [b"x,1", b'"y ""z""",2', b'"","3"', b'a"b,"4, 5"', b","]
    damage = [b'x,"1', b'"', b"x", b'x,"1"2', b'"x,1', b"x,1,2", b'x,y"",z', b'""",1', b""]
    for _ in range(2_000):
        rows = [draw.choice(clean) for _ in range(draw.randint(0, 6))]
        position = draw.randint(0, len(rows))
        damaged = [*rows[:position], draw.choice(damage), *rows[position:]]
        split_rows = split_records(b"".join(row + b"\n" for row in damaged), form)
        expected = [split_records(row, form)[0] for row in rows]
        assert split_rows == [*expected[:position], None, *expected[position:]], damaged


@pytest.fixture
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows have at most 1,000 bytes, and files are read 100 bytes at a time."""
    monkeypatch.setattr(records_module, "ROW_LIMIT", 1_000)
    monkeypatch.setattr(records_module, "READ_BYTES", 100)


@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize("form", [SPAN, Format(header=0, columns=2)])
def test_a_row_above_all_limits_is_one_row(form: Format) -> None:
    """A row above the limit of bytes is left out as one row, and the next row is read.

    The limit is lowered to 1,000 bytes. The last row has 1,001 bytes and no line end.
    """
    long = b'y,"' + b"2" * 5_000 + b'"'
    body = b"x,1\n" + long + b"\nz,3\n" + b"y," + b"2" * 999
    assert split_records(body, form) == [[b"x", b"1"], None, [b"z", b"3"], None]


@pytest.mark.usefixtures("small_limits")
def test_a_long_row_over_lines_is_one_row() -> None:
    """A quoted cell of many lines above the limit of bytes leaves out one row, not many.

    The limit is lowered to 1,000 bytes, and the cells have about 3,000 to 5,000.
    """
    for inside in (b"x,1\n" * 1_000, b'""\n' * 999, b"2" * 5_000 + b"\nx,1\n"):
        body = b"x,1\n" + b'y,"' + inside + b'"' + b"\nz,3\n"
        assert split_records(body) == [[b"x", b"1"], None, [b"z", b"3"]]


@pytest.mark.parametrize("encoding", ["cp1252", "shift_jis", "utf-16", "gb18030"])
def test_bytes_outside_the_declared_encoding_cost_a_cell(
    tmp_path: Path, encoding: str
) -> None:
    """Bytes that the declared encoding cannot read make their cell undeclared, and no other.

    The rows are (x, 1), (y, unreadable) and (x, 2). ``a`` has the cells x, y and outside;
    ``b`` has 1, 2, missing and outside.
    """
    # Bytes that are no text in the encoding; of UTF-16, half a character.
    wrong = {"cp1252": b"\x81", "shift_jis": b"\xc3\xa9\xfd", "gb18030": b"\xff"}
    bad = wrong.get(encoding, b"\x00\xdc")
    codec = "utf-16-le" if encoding == "utf-16" else encoding
    parts = [text.encode(codec) for text in ("a,b\nx,1\ny,", "\nx,2\n")]
    path = tmp_path / "t.csv"
    path.write_bytes(b"\xff\xfe" * (encoding == "utf-16") + bad.join(parts))
    table = open_table(path, Format(encoding=encoding))
    assert count(table, TEXTS).dense().reshape(3, 4).tolist() == [
        [1, 1, 0, 0],
        [0, 0, 0, 1],
        [0] * 4,
    ]
    assert list_remarks(table)[0].startswith(
        "1 cell is counted as not declared because of bytes that"
    )


def test_nothing_that_cannot_be_read_equals_what_is_declared(tmp_path: Path) -> None:
    """An unreadable cell is outside every declared value, and no value may stand for it.

    It is not the replacement character, nor missing, nor the number that it begins with. Both
    rows lie in the last cell of all three columns, which is outside. U+001A stands for
    unreadable cells, so a domain that declares it is refused.
    """
    columns = (
        Categorical(
            name="a", categories=("\ufffd", "?", "é"), missing=True, outside=Outside.CELL
        ),
        Number(name="b", minimum=0, maximum=9, bins=1, outside=Outside.CELL, missing=True),
        Boolean(name="c", true_values=("1",), false_values=("0",), outside=Outside.CELL),
    )
    table = write_table(
        tmp_path / "t.csv", b"\xff,1\xff,1\xff\n\xe9,\xff1,\xff\n", b"a,b,c\n"
    )
    dense = count(table, Domain(columns)).dense().reshape([c.size for c in columns])
    assert dense[-1, -1, -1] == dense.sum() == 2

    for column in (
        Categorical(name="a", categories=("\x1a",)),
        Boolean(name="a", true_values=("\x1a",), false_values=("0",)),
    ):
        with pytest.raises(
            DomainError, match=r"value U\+001A, which Synth uses for unreadable cells"
        ):
            Domain((column,))
    with pytest.raises(DomainError, match=r"U\+001A"):
        Domain(columns, ("\x1a",))


def test_the_steward_is_told_the_lines_and_no_cells(tmp_path: Path) -> None:
    """The steward is told why rows and cells are unreadable and on which lines, but no cell.

    Line 1 is the header. Ten rows have one or three cells; one has a mark that is never
    closed; one cell is no UTF-8. The remarks come with the first count, not before.
    """
    body = b'x,1\nsecret\ny,"2\nx,\xff\n' + b"secret,1,1\n" * 9
    table = write_table(tmp_path / "t.csv", body)
    assert not list_remarks(table)
    assert count(table, TEXTS).rows == 13
    remarks = list_remarks(table)
    assert remarks[:2] == [
        "10 rows are left out because of another number of cells than columns, "
        "on lines 3, 6, 7, 8, 9 and more.",
        "1 row is left out because of a quotation mark that is opened and never closed, or "
        "not doubled inside quotes, on line 4.",
    ]
    assert remarks[2].startswith(
        "1 cell is counted as not declared because of bytes that are not text in the file's "
        "encoding, on line 5. The encoding cp1252 reads them all. Its shape suggests the "
        "format "
    )
    assert len(remarks) == 3

    assert not any("secret" in remark for remark in list_remarks(table))


def test_an_encoding_is_named_beside_the_bytes_it_reads(tmp_path: Path) -> None:
    """A sentence about long cells that follows says nothing of encodings."""
    body = b"x,\xff\n" + b"x," + b"a" * (CELL + 1) + b"\n"
    table = write_table(tmp_path / "t.csv", body)
    count(table, TEXTS)
    about_bytes, about_length, *_ = list_remarks(table)
    assert about_bytes.endswith("on line 2. The encoding cp1252 reads them all.")
    assert "bytes, on line 3." in about_length


@pytest.mark.parametrize("header", ['"a","b"', 'a,"b"', '"a"', "a,b", '"a","b"\r\n'])
def test_a_header_alone_may_lack_its_line_end(tmp_path: Path, header: str) -> None:
    """A file with a header alone, also without a line end, is read and has no fault."""
    path = tmp_path / "t.csv"
    path.write_bytes(header.encode())
    table = open_table(path)
    look_through(table)
    assert list_remarks(table) == []


def test_the_command_line_tells_in_private(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command `release` tells of damaged rows on the error stream alone.

    Neither its output nor any released file mentions them. The row with one cell is on line
    3.
    """
    write_table(tmp_path / "t.csv", b"x,1\ny\n")
    (tmp_path / "d.json").write_text(json.dumps(write_schema(TEXTS)))
    words = ["release", tmp_path / "t.csv", "--domain", tmp_path / "d.json", "--epsilon", 1]
    words += ["--out", tmp_path / "out", "--anyway"]

    assert main([str(word) for word in words]) == 0

    printed = capsys.readouterr()
    assert (
        "Private, for you alone: 1 row is left out because of another number" in printed.err
    )
    assert "left out because" not in printed.out
    for file in (tmp_path / "out").iterdir():
        assert b"line 3" not in file.read_bytes()


@pytest.mark.parametrize("folder", ["", "g[1]*"])
@pytest.mark.parametrize(
    "name", ["t[1]", "survey*", "a?b", "{a,b}", "t[!a]", "**", "t]1[", "it's", "a b", "#%41"]
)
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_file_opens_as_itself(tmp_path: Path, folder: str, name: str, ending: str) -> None:
    """A file whose name looks like a pattern is read, and not the files it would match.

    It has the row (x, 1), in cell 0; the other files have (y, 1), in cell 4, because ``b``
    has four cells.
    """
    directory = tmp_path / folder
    directory.mkdir(exist_ok=True)
    other_stems = ["t1", "survey2", "axb", "a", "b", "tb", "t!", "x"]
    value_by_stem = dict.fromkeys(other_stems, "y") | {name: "x"}
    for stem, value in value_by_stem.items():
        if ending == "csv":
            (directory / f"{stem}.csv").write_text(f"a,b\n{value},1\n")
        else:
            pq.write_table(
                pa.table({"a": [value], "b": ["1"]}), directory / f"{stem}.parquet"
            )

    for stem, cell in ((name, 0), ("t1", 4)):
        counts = count(open_table(directory / f"{stem}.{ending}"), TEXTS)
        assert (counts.rows, counts.cells.tolist()) == (1, [cell])


def test_moments_and_bytes_of_a_parquet_file_that_cannot_be_written(tmp_path: Path) -> None:
    """Unreadable moments and texts of a Parquet file cost their own cells alone.

    Also those on which the engine itself fails: milliseconds beyond its range, and bytes that
    are not UTF-8. The date has the cells inside, missing and outside. Of the texts two are x,
    two are unreadable and one is missing, which ``a`` does not declare.
    """
    day = {"minimum": "2000-01-01", "maximum": "2009-12-31", "missing": True, "bins": 1}
    domain = Domain((Date(name="d", outside=Outside.CELL, **day), TEXTS["a"]))
    good = int(datetime(2005, 1, 1).timestamp()) * 1000
    odd = pa.array([b"x", b"x", b"\xff", b"x\xff", None]).cast(pa.large_binary())
    for moments in ([good, 2**62, -(2**62), None, 10**14], [good] * 5):
        for text in (odd, odd.view(pa.large_string())):
            frame = pa.table({"d": pa.array(moments, pa.timestamp("ms")), "a": text})
            pq.write_table(frame, tmp_path / "t.parquet")
            table = open_table(tmp_path / "t.parquet")
            dense = count(table, domain).dense().reshape(3, 3)
            far = moments[1] != good
            assert dense.sum(1).tolist() == ([1, 1, 3] if far else [5, 0, 0])
            assert dense.sum(0).tolist() == [2, 0, 3]
            assert list_remarks(table)[0].startswith(
                "2 cells are counted as not declared because of b"
            )


def test_a_parquet_file_that_is_damaged_inside_is_one_sentence(tmp_path: Path) -> None:
    """A Parquet file with zeros instead of some data is called damaged when it is counted."""
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": ["x", "y"] * 5_000, "b": ["1"] * 10_000}), path)
    body = bytearray(path.read_bytes())
    body[4:200] = bytes(196)
    path.write_bytes(body)
    with pytest.raises(
        TableError, match=r"'t.parquet' cannot be read to its end; it is damaged"
    ):
        count(open_table(path), TEXTS)


@pytest.mark.parametrize("nobody", [b"", b" ", b"NA", b" NA ", b"\xff", b"NA\xff"])
def test_a_key_that_names_nobody(tmp_path: Path, nobody: bytes) -> None:
    """Rows whose person is blank, declared missing or unreadable belong to no person.

    If a unit is a person, such rows are left out, and they are not all taken for one person.
    If each row is its own unit, all five count.
    """
    domain = Domain(TEXTS.columns, ("", "NA"))
    body = b"ann,x,1\nann,x,2\nbob,y,1\n"
    table = write_table(
        tmp_path / "t.csv", body + nobody + b",x,2\n" + nobody + b",y,2\n", b"p,a,b\n"
    )
    for unit in (Unit("p", 1), Unit("p", 5)):
        expected = count(write_table(tmp_path / "u.csv", body, b"p,a,b\n"), domain, unit)
        counts = count(table, domain, unit)
        assert counts.dense().tolist() == expected.dense().tolist()
        assert counts.rows == expected.rows == coded(table, domain, unit).rows

    assert count(table, domain, ROW).rows == 5


def test_several_lines_of_header_and_lone_carriage_returns(tmp_path: Path) -> None:
    """The header ends where the file's line ends say, and rows are counted below it.

    The header may have a line end in a quoted name, or comments above it. Each file has the
    row (x, 1) in cell 0, and two damaged rows that are left out. A comment among the rows
    counts as a further row.
    """
    for body in (
        b'"a\n",b\nx,1\ny\nx,"2\n',
        b'a,b\rx,1\ry\rx,"2\r',
        b'# no\ra,b\r#\rx,1\ry\rx,"2\r',
    ):
        path = tmp_path / "t.csv"
        path.write_bytes(body)
        table = open_table(
            path, Format(comment="#", lines="span" if b"\n" in body else "one")
        )
        counts = count(table, TEXTS)
        comments_among_rows = body.count(b"#\r")
        assert (counts.rows, counts.cells.tolist()) == (3 + comments_among_rows, [0])


def test_the_copy_is_made_once_and_goes_with_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The private copy of a damaged table is made once, and goes with the table."""
    from synth.private.table import plain_copy as plain

    # Every call of the function that copies is noted.
    copied: list[Callable[..., Any]] = []
    inner = plain.copy_text
    monkeypatch.setattr(plain, "copy_text", lambda *a: copied.append(inner) or inner(*a))

    table = write_table(tmp_path / "t.csv", b"x,1\ny\n")
    assert [count(table, TEXTS).rows for _ in range(3)] == [2, 2, 2]
    assert coded(table, TEXTS).rows == 2
    assert len(copied) == 1

    copy = copy_plain(table).data
    assert copy.exists()
    del table
    assert not copy.exists()


def test_rows_are_looked_through_before_they_are_read(tmp_path: Path) -> None:
    """Looking through a table finds all its faults, and a later count tells the same ones.

    Line 1 is the header. Rows on lines 3 and 5 have one and three cells. Line 4 has a mark
    that is never closed, and line 6 a byte that is no text.
    """
    table = write_table(tmp_path / "t.csv", b'x,1\ny\n"y,2\nx,2,3\ny,\xff\n')
    assert not is_looked_through(table)

    look_through(table)

    assert is_looked_through(table)
    assert has_ragged_rows(table)
    remarks = list_remarks(table)
    assert "2 rows are left out because of another number of cells" in remarks[0]
    assert "on lines 3 and 5" in remarks[0]
    assert "on line 4" in remarks[1]
    assert "1 cell is counted as not declared" in remarks[2]
    assert count(table, TEXTS).rows == 5
    assert list_remarks(table) == remarks


def test_short_rows_are_filled_where_the_steward_says_so(tmp_path: Path) -> None:
    """With ``ragged=fill``, cells that a row lacks are missing; a longer row stays left out.

    Of the rows (x, 1), (y) and (x, 2, 3) one is counted by default and two with the option.
    The added row is in a cell where ``b`` is missing. The row on line 4 is too long.
    """
    body, form = b"x,1\ny\nx,2,3\n", Format(ragged=FILL)
    unfilled = count(write_table(tmp_path / "t.csv", body), TEXTS)
    table = write_table(tmp_path / "t.csv", body, form=form)
    filled = count(table, TEXTS)
    assert (unfilled.counts.sum(), filled.counts.sum(), filled.rows) == (1, 2, 3)

    b = TEXTS.columns[1]
    (added_cell,) = np.flatnonzero(filled.dense() - unfilled.dense())
    assert b.cells[added_cell % b.size] == "(missing)"
    assert "on line 4" in list_remarks(table)[0]
    assert table.asked == ("ragged=fill",)


def test_a_file_whose_every_row_is_ragged_gets_one_sentence(tmp_path: Path) -> None:
    """If no row has the right number of cells, the steward is told so in one sentence.

    The table is not refused, as a refusal would depend on the rows and tell of them. All rows
    count, in no cell.
    """
    table = write_table(tmp_path / "t.csv", b"x,1,2\ny,1,2\n")
    look_through(table)
    (remark,) = list_remarks(table)
    assert remark.startswith(
        "Every one of the 2 rows has another number of cells than the 2 columns"
    )

    counts = count(table, TEXTS)
    assert (counts.rows, counts.counts.sum()) == (2, 0)


@pytest.mark.parametrize(
    "head", [b'\xef\xbb\xbf"u ""v""" c1\n', b'"u ""v""" c1\n', b'6" 5"\n"a" b\n']
)
def test_marks_above_the_rows_lead_no_engine_astray(tmp_path: Path, head: bytes) -> None:
    """Quotation marks in the lines above the rows never make a row part of the header.

    A byte order mark, doubled marks and a single mark confuse an engine that skips these
    lines. Both rows still count.
    """
    form = Format(delimiter=" ", header=head.count(b"\n"))
    (tmp_path / "t.csv").write_bytes(head + b"1 a\n1 b\n")
    table = open_table(tmp_path / "t.csv", form)
    assert count(table, Domain({table.header[0]: ["1"]})).rows == 2
