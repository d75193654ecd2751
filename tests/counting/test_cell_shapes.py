"""Shapes of cells: each cell has one, whatever it holds, on the same rows of each person."""

import math
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from synth.drafting import (
    DATES,
    ERAS,
    FOLLOWED,
    MISSING,
    SENTINELS,
    SIZE_CUTS,
    WHOLE,
    Candidates,
    Shapes,
)
from synth.drafting.findings import SECTIONS
from synth.drafting.steps import date_cuts, decimal_cuts, whole_cuts
from synth.privacy import ROW, Unit
from synth.private.counting import ListCoding, Scan, ShapeCoding, StepCoding
from synth.private.table import open_table
from tests.tables import write

SHAPES = Shapes(Candidates().list_values("a"))
TEXTS = {
    "": "blank",
    "  ": "blank",
    "NA": "missing",
    " . ": "missing",
    "Yes": "listed",
    "F": "listed",
    "99": "sentinel",
    "-9.0": "sentinel",
    "0": "whole",
    "41": "whole",
    "-1e3": "whole",
    "0.5": "decimal",
    "-1e-9": "decimal",
    "1e400": "beyond",
    "inf": "beyond",
    "-2e15": "beyond",
    "007": "zeros",
    "2024-02-29": "date",
    "2023-02-29": "text",
    "3/4/2024": "date",
    "31.12.1899": "date",
    "4-May-14": "date",
    "May 4, 2014": "date",
    "2024-01-01 10:00:00": "date",
    "2024-01-01T10:00:00Z": "date",
    "2024-01-01 10:00:00.123456": "date",
    "1/2/24 1:05": "date",
    "a.b@c.de": "mailbox",
    "x" * 30_000: "long",
    "hello": "text",
    "12a": "text",
    "1_000": "whole",
    "٣": "text",
    "nano": "text",
    "=1+1": "text",
    "\u00a0": "blank",
}


def scan_texts(tmp_path: Path, texts: list[str], name: str = "t.csv") -> Scan:
    """Write the texts as column a of a file, and return a scan of that column."""
    table = open_table(write(tmp_path / name, ["a", "b"], [[text, "1"] for text in texts]))
    return Scan(table, ("a",), ROW)


def section_of_shape(shape: int) -> str:
    """The section, such as "date" or "text", of the number of a shape."""
    return next(s for s in SECTIONS if SHAPES.start(s) <= shape < SHAPES.slice(s).stop)


def shapes_one_by_one(tmp_path: Path, texts: list[str]) -> list[int]:
    """The shape of each text, a column and a row by itself."""
    header = [f"c{i}" for i in range(len(texts))]
    table = open_table(write(tmp_path / "t.csv", header, [texts]))
    coding = ShapeCoding(SHAPES)
    tallies = Scan(table, tuple(header), ROW).tallies(dict.fromkeys(header, coding))
    assert {(len(dense), int(dense.sum())) for dense in tallies.values()} == {
        (SHAPES.size, 1)
    }
    return [int(np.flatnonzero(tallies[name])[0]) for name in header]


@pytest.mark.slow
def test_each_text_has_the_one_shape_it_should(tmp_path: Path) -> None:
    """Each odd text, in a column by itself, gets the one shape that `TEXTS` says."""
    shapes = shapes_one_by_one(tmp_path, list(TEXTS))
    assert dict(zip(TEXTS, map(section_of_shape, shapes), strict=True)) == TEXTS


def test_all_texts_together_are_counted_once_each(tmp_path: Path) -> None:
    """Each of the odd texts, three times in one column, is counted once per row by its shape.

    `TEXTS` says for each text to which section of shapes it belongs.
    """
    tally = scan_texts(tmp_path, [*TEXTS] * 3).tallies({"a": ShapeCoding(SHAPES)})["a"]

    assert tally.sum() == 3 * len(TEXTS)

    expected = {name: 3 * list(TEXTS.values()).count(name) for name in SECTIONS}
    assert {name: int(tally[SHAPES.slice(name)].sum()) for name in SECTIONS} == expected


def test_numbers_are_in_the_cell_that_spans_them(tmp_path: Path) -> None:
    """Each whole number is counted in the one cell whose span holds it.

    Sentinels such as 99 have cells of their own. The largest number, 10^15 - 1, is just below
    the last cut, 10^15.
    """
    numbers = [0, 1, 2, 4, 5, 9, 10, 19, 20, 50, 101, 999_999, -1, -3, -100, 10**15 - 1]
    in_whole_cells = [n for n in numbers if n not in SENTINELS]

    tally = scan_texts(tmp_path, [str(n) for n in in_whole_cells]).tallies(
        {"a": ShapeCoding(SHAPES)}
    )["a"]
    whole_tally = tally[SHAPES.slice("whole")]

    for cell in range(WHOLE.size):
        low, high = WHOLE.span(cell)
        assert whole_tally[cell] == sum(low <= n <= high for n in in_whole_cells)

    assert math.log10(SIZE_CUTS[-1]) == 15


def test_dates_are_counted_by_the_formats_they_follow_and_by_era(tmp_path: Path) -> None:
    """Dates are counted by the formats that can read them, and by era.

    13/4 can only begin with the day, 4/13 only with the month, 3/4 with either. Each row of
    the table has one column for each era: years before 1900, from 1900, ..., of which 2024 is
    the seventh. So the first two formats have one date in column 7, and "either" has one in
    1899, 1900 and 2024 each.
    """
    texts = ["13/4/2024", "4/13/2024", "3/4/2024", "3/4/1900", "3/4/1899"]
    tally = scan_texts(tmp_path, texts).tallies({"a": ShapeCoding(SHAPES)})["a"]
    table = tally[SHAPES.slice("date")].reshape(len(FOLLOWED), len(ERAS) + 1)

    day_or_month_first = next(dates for dates in DATES if dates[0] == "%d/%m/%Y")
    # A bit for each format of the line that reads the text: 1 day first, 2 month first.
    day_first, month_first, either = (
        table[FOLLOWED.index((day_or_month_first, bits))].tolist() for bits in (1, 2, 3)
    )

    assert day_first == [0, 0, 0, 0, 0, 0, 1, 0]
    assert month_first == [0, 0, 0, 0, 0, 0, 1, 0]
    assert either == [1, 1, 0, 0, 0, 0, 1, 0]


@pytest.mark.slow
def test_every_format_is_recognised_as_itself(tmp_path: Path) -> None:
    """A moment that is written in any known format is recognised as a date in that format.

    The moment has a day above 12, so day and month cannot be confused, and a month whose full
    name is its short name.
    """
    moment = datetime(2014, 5, 23, 14, 45, 7, 120_000)

    formats = [(dates, i) for dates in DATES for i in range(len(dates))]
    shapes = shapes_one_by_one(tmp_path, [moment.strftime(dates[i]) for dates, i in formats])

    for (dates, i), shape in zip(formats, shapes, strict=True):
        assert section_of_shape(shape) == "date", dates
        line, bits = FOLLOWED[(shape - SHAPES.start("date")) // (len(ERAS) + 1)]
        assert line == dates
        assert bits >> i & 1, "one bit for each format of the line"


def test_steps_hold_what_is_between_their_cuts(tmp_path: Path) -> None:
    """Values are counted in the step that holds them; values outside or unread in none.

    The ten steps from 0 to 9 are single numbers, so 0, 4, 5 and 9 have a step each. 10, 11
    and texts have none. Dates have a step for each month from January 2013 on: January 2013
    is step 0 and May 2014 step 16.
    """
    numbers = scan_texts(tmp_path, ["0", "4", "5", "9", "10", "11", "x", "", "NA"])

    cuts = whole_cuts(*map(SIZE_CUTS[0].__class__, (0, 9)))
    assert numbers.tallies({"a": StepCoding(cuts)})["a"].tolist() == [
        1,
        0,
        0,
        0,
        1,
        1,
        0,
        0,
        0,
        1,
    ]

    halves = decimal_cuts(SIZE_CUTS[0] * 0, SIZE_CUTS[0] * 10**6)
    assert halves.size == len(halves.cuts) - 1 >= 50

    dates = date_cuts(2013, 2014, "%d.%m.%Y")
    days = scan_texts(tmp_path, ["23.5.2014", "1.1.2013", "31.12.2012", "23.5"], "d.csv")
    assert np.flatnonzero(days.tallies({"a": StepCoding(dates)})["a"]).tolist() == [0, 16]


def test_only_values_with_enough_rows_are_fetched(tmp_path: Path) -> None:
    """Only values of at least ten rows leave the file, and no missing or long ones.

    "often" has 12 rows and "nine" has 9. All five texts are different values, counting the
    blank. Listed candidates are counted whatever their number.
    """
    rows = ["often"] * 12 + ["nine"] * 9 + ["NA"] * 50 + [""] * 50 + ["y" * 101] * 20

    texts = scan_texts(tmp_path, rows)
    values = texts.values(["a"])["a"]
    assert (values.texts, values.counts.tolist()) == (("often",), [12])
    assert "often" not in repr(values) + repr(texts)

    assert texts.distinct(["a"]) == {"a": 5}

    list_coding = ListCoding(("nine", "often", "never"))
    assert texts.tallies({"a": list_coding})["a"].tolist() == [9, 12, 0]


def test_persons_count_by_rows_of_theirs_alone(tmp_path: Path) -> None:
    """Which two rows of person p count depends on p's rows alone, in whatever order they
    stand.

    Rows of person q add q's own text, 5. Rows without a person ("" or "NA") do not count.
    """
    rows_of_p = [["p", str(i), "x"] for i in range(6)]
    rows_of_others = [["q", "5", "x"], ["", "7", "x"], ["NA", "7", "x"]]
    unit = Unit("pid", 2)

    tallies_of_tables = []
    for number, rows in enumerate(
        (rows_of_p, rows_of_p + rows_of_others, [*rows_of_others, *rows_of_p[::-1]])
    ):
        table = open_table(write(tmp_path / f"{number}.csv", ["pid", "a", "b"], rows))
        tallies = Scan(table, ("a", "b"), unit).tallies(
            {"a": ListCoding(tuple("0123456")), "b": ListCoding(("x",))}
        )
        tallies_of_tables.append((tallies["a"].tolist(), tallies["b"].tolist()))

    only_p, with_others, in_another_order = tallies_of_tables

    assert sum(only_p[0]) == 2, "two of the six rows of p"
    assert with_others == in_another_order

    added_by_q = np.array(with_others[0]) - np.array(only_p[0])
    assert added_by_q.tolist() == [0, 0, 0, 0, 0, 1, 0], "the text of q is 5"

    assert set(MISSING) >= {"NA"}


@pytest.mark.parametrize("columns", [1, 40])
def test_several_scans_see_the_same_rows(tmp_path: Path, columns: int) -> None:
    """All columns are tallied over the same two rows, even if they take several scans.

    Forty columns are more than one scan counts.
    """
    header = [f"c{i}" for i in range(columns)]
    table = open_table(write(tmp_path / "w.csv", header, [["1"] * columns, ["2"] * columns]))
    coding = ListCoding(("1", "2"))

    tallies = Scan(table, tuple(header), ROW).tallies(dict.fromkeys(header, coding))
    assert all(counts.tolist() == [1, 1] for counts in tallies.values())
