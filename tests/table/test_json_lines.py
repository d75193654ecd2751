"""Lines of JSON: each read by itself, its columns from the declaration alone."""

import gzip
import zipfile
from pathlib import Path

import pytest

import synth
from synth.domain import UNREADABLE, Domain, Outside
from synth.errors import TableError
from synth.private.counting import count
from synth.private.table import Format, PrivateTable, list_remarks, open_table
from synth.private.table.json_lines import parse_object
from tests.table.typed import read_rows

NAMES = ("age", "sex")
BODY = b'{"age": 41, "sex": "f"}\n{"sex": "m", "other": [1]}\n'
"""Two rows of the columns in NAMES: (41, f), and (missing, m) with a further key."""


def open_lines(
    tmp_path: Path, body: bytes = BODY, name: str = "t.jsonl", **options: str
) -> PrivateTable:
    """Write lines of JSON to a file and open it with the columns age and sex."""
    (tmp_path / name).write_bytes(body)
    return open_table(tmp_path / name, Format(names=NAMES, **options))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (b"41", "41"),
        (b'"41"', "41"),
        (b"1.50", "1.50"),
        (b"-0", "-0"),
        (b"12345678901234567890.1234567890", "12345678901234567890.1234567890"),
        (b"9" * 5_000, "9" * 5_000),
        (b"1e400", "1e400"),
        (b"NaN", "NaN"),
        (b"-Infinity", "-Infinity"),
        (b"true", "true"),
        (b"null", None),
        (b'""', ""),
        (b'"\\u00e9"', "é"),
        (b'"\xff"', UNREADABLE),
        (b'"\\ud800"', UNREADABLE),
        (b"[41]", UNREADABLE),
        (b'{"age": 41}', UNREADABLE),
    ],
)
def test_a_cell_is_its_own_text(tmp_path: Path, value: bytes, cell: str | None) -> None:
    """A value in a line of JSON is read as its own text, and changes no other row.

    Numbers keep every digit, and null is missing. Lists, objects and texts that are no UTF-8
    are unreadable. The two rows of `BODY` follow, always the same.
    """
    table = open_lines(tmp_path, b'{"sex": "f", "age": ' + value + b"}\n" + BODY)
    assert read_rows(table) == [(cell, "f"), ("41", "f"), (None, "m")]


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b" ",
        b"null",
        b"[]",
        b'{"age": 1',
        b'{"age": 1} 2',
        b'{"age": 1, "age": 1}',
        b"\xff",
        b'{"age": 01}',
        b'{"sex": "a\tb"}',
        b'{"other": ' + b"[" * 100_000,
        b"{'age': 1}",
        b'{"other": {"a": 1, "a": 1}}',
    ],
)
def test_a_line_that_is_no_object_is_a_row_that_is_left_out(
    tmp_path: Path, line: bytes
) -> None:
    """A line that is no JSON object, or has a key twice, is left out but counts as a row.

    `BODY` has two good rows, one of each sex. The line stands between two copies of it: five
    rows, of which four are counted. The steward is told its line, the third.
    """
    table = open_lines(tmp_path, BODY + line + b"\n" + BODY)
    domain = Domain(sex=["f", "m"])
    counts = count(table, domain)
    assert (counts.rows, int(counts.counts.sum())) == (5, 4)
    (remark,) = list_remarks(table)
    assert remark.startswith("1 row is left out because of ")
    assert remark.endswith("on line 3.")


def test_a_line_beyond_the_limit_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line with more bytes than the limit is left out and reported; the others are read.

    The limit is lowered to 40 bytes, which the two lines of `BODY` keep.
    """
    monkeypatch.setattr("synth.private.table.json_lines.MAX_LINE_BYTES", 40)
    table = open_lines(tmp_path, BODY + b'{"age": 1, "sex": "f"' + b" " * 40 + b"}\n")
    assert len(read_rows(table)) == 2
    (remark,) = list_remarks(table)
    assert "too many bytes, on line 3" in remark


def test_marks_of_byte_order_change_no_row(tmp_path: Path) -> None:
    """A byte order mark in front of any line, the first or a later one, is dropped."""
    table = open_lines(tmp_path, b"\xef\xbb\xbf" + BODY + b"\xef\xbb\xbf" + BODY)
    assert read_rows(table) == [("41", "f"), (None, "m")] * 2


@pytest.mark.parametrize(
    "start", [b"PAR1", b"\x1f\x8b", b"PK\3\4", b"\xff\xfe", b"SQLite format 3\0"]
)
def test_the_first_row_says_nothing_of_the_file(tmp_path: Path, start: bytes) -> None:
    """A first line that begins as another kind of file does is one damaged row of this file.

    The first line is a record, so the name of the file alone decides its kind. The line is
    left out and the two rows of `BODY` are read.
    """
    assert read_rows(open_lines(tmp_path, start + b"\n" + BODY)) == [("41", "f"), (None, "m")]


def test_files_are_known_by_their_names_or_by_an_option(tmp_path: Path) -> None:
    """Lines of JSON are recognised by the file's ending, also when packed, or by an option.

    The endings are .jsonl and .ndjson in any case. UTF-16 can be named as the encoding.
    """
    expected = [("41", "f"), (None, "m")]
    packed = gzip.compress(BODY)
    with zipfile.ZipFile(tmp_path / "packed.zip", "w") as file:
        file.writestr("t.ndjson", BODY)

    assert read_rows(open_lines(tmp_path, name="t.NDJSON")) == expected
    assert read_rows(open_lines(tmp_path, packed, "t.jsonl.gz")) == expected
    assert read_rows(open_table(tmp_path / "packed.zip", Format(names=NAMES))) == expected
    assert read_rows(open_lines(tmp_path, name="t.txt", lines="json")) == expected
    wide = BODY.decode().encode("utf-16-le")
    assert read_rows(open_lines(tmp_path, wide, encoding="utf-16-le")) == expected


def test_columns_must_be_declared(tmp_path: Path) -> None:
    """Lines of JSON open only with declared columns: keys of a row never become names."""
    (tmp_path / "t.jsonl").write_bytes(BODY)
    for call in (
        lambda: open_table(tmp_path / "t.jsonl"),
        lambda: synth.draft(tmp_path / "t.jsonl"),
    ):
        with pytest.raises(TableError, match="Declare the columns first"):
            call()
    assert synth.open_table(tmp_path / "t.jsonl", names=NAMES).header == NAMES


def test_release_ask_and_compare_take_the_columns_of_the_declaration(tmp_path: Path) -> None:
    """Release, comparison and question read lines of JSON by the columns of the domain.

    Of 800 rows 400 have sex f. At epsilon 5 the noise moves a count by a few rows, so the
    limits of 350, of 30 rows and of 10% leave much room.
    """
    path = tmp_path / "t.jsonl"
    path.write_bytes(BODY * 400)
    domain = {"sex": ["f", "m"]}

    released = synth.release(path, domain, epsilon=5, ledger=False)
    assert released.table["sex"].value_counts()["f"] > 350
    assert synth.compare(path, released).columns < 0.1
    (answer,) = synth.ask(path, domain, "count where sex = f", epsilon=5, ledger=False)
    assert abs(answer.value[0] - 400) < 30, "each body has one row of an f"


def test_no_line_changes_what_another_one_is(tmp_path: Path) -> None:
    """A hostile line among others adds one row and changes no other row.

    Fifty times two rows surround it. It adds at most one to the counts, none if it is left
    out.
    """
    domain = Domain(age=synth.Integer(0, 99, bins=10, outside=Outside.CELL), sex=["f", "m"])
    before = count(open_lines(tmp_path, BODY * 50), domain)
    for line in (b'"', b"{", b"[", b'{"age": "', b'\\"', b"/*", b'{"age": 1}' * 1_000):
        after = count(open_lines(tmp_path, BODY * 25 + line + b"\n" + BODY * 25), domain)
        assert after.rows == before.rows + 1
        assert after.counts.sum() - before.counts.sum() <= 1


def test_an_object_is_read_by_the_names_that_are_asked_for() -> None:
    """The cells of an object come in the order of the names, and an absent key is missing."""
    assert parse_object(b'{"b": 1, "a": 2}', ["a", "b", "c"]) == [b"2", b"1", None]
    assert parse_object(b"7", ["a"]) is None
