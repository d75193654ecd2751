"""A first line that looks like a record is asked about, in both directions."""

from pathlib import Path

import pytest

import synth
from synth.private.table import (
    Format,
    PrivateTable,
    list_remarks,
    look_through,
    open_table,
    parse_format,
)

PEOPLE = "Ann,46,f\nBen,49,m\nEve,31,f\nTom,87,m\nIda,22,f\nJan,35,m\n"


def open_text(folder: Path, content: str, *options: str) -> PrivateTable:
    """Write a text as a CSV file and open it with some options of the format."""
    path = folder / "t.csv"
    path.write_text(content, encoding="utf-8")
    return open_table(path, parse_format(options))


@pytest.mark.parametrize(
    ("content", "columns"),
    [
        (PEOPLE, 3),  # a number among numbers, and f among f and m
        ("yes\nno\nyes\nyes\nno\nno\n", 1),
        ("2024-01-05,x\n2024-02-07,y\n2023-02-01,x\n2023-02-09,y\n2023-02-02,x\n", 2),
    ],
)
def test_names_that_look_like_values_are_asked_about(
    tmp_path: Path, content: str, columns: int
) -> None:
    """A first line like all others leads to a question, with the options that answer it.

    The question quotes no cell. Read without a header, no question remains.
    """
    table = open_text(tmp_path, content)
    assert "look like those of a record" in table.doubt_header()
    assert f"choose header=0 and columns={columns}." in table.doubt_header()
    assert "46" not in table.doubt_header()
    assert "header=0" in " ".join(synth.draft(table).notes)
    assert open_text(tmp_path, content, "header=0", f"columns={columns}").hint() == ""


def test_a_record_that_looks_like_names_is_asked_about(tmp_path: Path) -> None:
    """Names read as a record lead to a question, unless the first line is like the others."""
    options = ("header=0", "columns=3")
    table = open_text(tmp_path, f"name,age,sex\n{PEOPLE}", *options)
    assert table.doubt_header() == (
        "Its first line looks like column names: if it holds them, choose header=1."
    )
    assert open_text(tmp_path, PEOPLE, *options).doubt_header() == ""


@pytest.mark.parametrize(
    "content",
    [
        f"name,age,sex\n{PEOPLE}",
        "id,2019,2020,2021\n" + "a,x,y,z\nb,x,z,z\nc,y,y,z\nd,x,x,y\n",
        "a\n1\n2\n",  # too few rows to say
        "name,age,sex\n",
    ],
)
def test_plain_names_raise_no_question(tmp_path: Path, content: str) -> None:
    """Names that are not among the values of their columns are no reason to ask."""
    assert open_text(tmp_path, content).doubt_header() == ""


def test_lines_below_a_table_are_counted_and_named(tmp_path: Path) -> None:
    """Totals and sources at the end are said by number and line; they count as records.

    A value such as "Totals Ltd" is none, and no cell is quoted.
    """
    rows = "North,5\nTotals Ltd,4\n" * 5
    table = open_text(tmp_path, f'area,n\n{rows}"Total",45\n,\nSource: own survey,\n')
    look_through(table)
    assert list_remarks(table) == [
        "2 rows begin like a line below the table, such as a total or a source, on lines 12 "
        "and 14. They count as records: take such lines out of the file."
    ]
    assert open_text(tmp_path, f"area,n\n{rows}").form == Format()
