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


def scan(tmp_path: Path, texts: list[str], name: str = "t.csv") -> Scan:
    table = open_table(write(tmp_path / name, ["a", "b"], [[text, "1"] for text in texts]))
    return Scan(table, ("a",), ROW)


def section(shape: int) -> str:
    return next(s for s in SECTIONS if SHAPES.start(s) <= shape < SHAPES.slice(s).stop)


def alone(tmp_path: Path, texts: list[str]) -> list[int]:
    """The shape of each text, a column and a row by itself."""
    header = [f"c{i}" for i in range(len(texts))]
    table = open_table(write(tmp_path / "t.csv", header, [texts]))
    coding = ShapeCoding(SHAPES)
    found = Scan(table, tuple(header), ROW).tallies(dict.fromkeys(header, coding))
    assert {(len(dense), int(dense.sum())) for dense in found.values()} == {(SHAPES.size, 1)}
    return [int(np.flatnonzero(found[name])[0]) for name in header]


@pytest.mark.slow
def test_each_text_has_the_one_shape_it_should(tmp_path: Path) -> None:
    shapes = alone(tmp_path, list(TEXTS))
    assert dict(zip(TEXTS, map(section, shapes), strict=True)) == TEXTS


def test_all_texts_together_are_counted_once_each(tmp_path: Path) -> None:
    found = scan(tmp_path, [*TEXTS] * 3).tallies({"a": ShapeCoding(SHAPES)})["a"]
    assert found.sum() == 3 * len(TEXTS)
    wanted = {name: 3 * list(TEXTS.values()).count(name) for name in SECTIONS}
    assert {name: int(found[SHAPES.slice(name)].sum()) for name in SECTIONS} == wanted


def test_numbers_are_in_the_cell_that_spans_them(tmp_path: Path) -> None:
    numbers = [0, 1, 2, 4, 5, 9, 10, 19, 20, 50, 101, 999_999, -1, -3, -100, 10**15 - 1]
    wanted = [n for n in numbers if n not in SENTINELS]
    found = scan(tmp_path, [str(n) for n in wanted]).tallies({"a": ShapeCoding(SHAPES)})["a"]
    whole = found[SHAPES.slice("whole")]
    for place in range(WHOLE.size):
        low, high = WHOLE.span(place)
        assert whole[place] == sum(low <= n <= high for n in wanted)
    assert math.log10(SIZE_CUTS[-1]) == 15


def test_dates_are_counted_by_the_formats_they_follow_and_by_era(tmp_path: Path) -> None:
    texts = ["13/4/2024", "4/13/2024", "3/4/2024", "3/4/1900", "3/4/1899"]
    found = scan(tmp_path, texts).tallies({"a": ShapeCoding(SHAPES)})["a"]
    table = found[SHAPES.slice("date")].reshape(len(FOLLOWED), len(ERAS) + 1)
    slashes = DATES.index(next(d for d in DATES if d[0] == "%d/%m/%Y"))
    rows = {
        which: table[FOLLOWED.index((DATES[slashes], which))].tolist() for which in (1, 2, 3)
    }
    assert rows[1] == [0, 0, 0, 0, 0, 0, 1, 0]
    assert rows[2] == [0, 0, 0, 0, 0, 0, 1, 0]
    assert rows[3] == [1, 1, 0, 0, 0, 0, 1, 0]


@pytest.mark.slow
def test_every_format_is_recognised_as_itself(tmp_path: Path) -> None:
    moment = datetime(
        2014, 5, 23, 14, 45, 7, 120_000
    )  # a day above 12, a month of three letters
    formats = [(dates, i) for dates in DATES for i in range(len(dates))]
    shapes = alone(tmp_path, [moment.strftime(dates[i]) for dates, i in formats])
    for (dates, i), shape in zip(formats, shapes, strict=True):
        assert section(shape) == "date", dates
        line, which = FOLLOWED[(shape - SHAPES.start("date")) // (len(ERAS) + 1)]
        assert line == dates
        assert which >> i & 1


def test_steps_hold_what_is_between_their_cuts(tmp_path: Path) -> None:
    one = scan(tmp_path, ["0", "4", "5", "9", "10", "11", "x", "", "NA"])
    cuts = whole_cuts(*map(SIZE_CUTS[0].__class__, (0, 9)))
    assert one.tallies({"a": StepCoding(cuts)})["a"].tolist() == [
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
    found = scan(tmp_path, ["23.5.2014", "1.1.2013", "31.12.2012", "23.5"], "d.csv")
    assert np.flatnonzero(found.tallies({"a": StepCoding(dates)})["a"]).tolist() == [0, 16]


def test_only_values_with_enough_rows_are_fetched(tmp_path: Path) -> None:
    rows = ["often"] * 12 + ["nine"] * 9 + ["NA"] * 50 + [""] * 50 + ["y" * 101] * 20
    one = scan(tmp_path, rows)
    values = one.values(["a"])["a"]
    assert (values.texts, values.counts.tolist()) == (("often",), [12])
    assert "often" not in repr(values) + repr(one)
    assert one.distinct(["a"]) == {"a": 5}
    listed = ListCoding(("nine", "often", "never"))
    assert one.tallies({"a": listed})["a"].tolist() == [9, 12, 0]


def test_persons_count_by_rows_of_theirs_alone(tmp_path: Path) -> None:
    """Other people's rows change nothing; rows without a person do not count."""
    mine = [["p", str(i), "x"] for i in range(6)]
    others = [["q", "5", "x"], ["", "7", "x"], ["NA", "7", "x"]]
    unit = Unit("pid", 2)
    tallied = []
    for n, rows in enumerate((mine, mine + others, [*others, *mine[::-1]])):
        table = open_table(write(tmp_path / f"{n}.csv", ["pid", "a", "b"], rows))
        found = Scan(table, ("a", "b"), unit).tallies(
            {"a": ListCoding(tuple("0123456")), "b": ListCoding(("x",))}
        )
        tallied.append((found["a"].tolist(), found["b"].tolist()))
    assert [sum(a) for a, _ in tallied] == [2, 3, 3]
    assert tallied[1] == tallied[2]
    q = [0, 0, 0, 0, 0, 1, 0]
    assert [x - y for x, y in zip(tallied[1][0], tallied[0][0], strict=True)] == q
    assert set(MISSING) >= {"NA"}


@pytest.mark.parametrize("columns", [1, 40])
def test_several_scans_see_the_same_rows(tmp_path: Path, columns: int) -> None:
    header = [f"c{i}" for i in range(columns)]
    table = open_table(write(tmp_path / "w.csv", header, [["1"] * columns, ["2"] * columns]))
    coding = ListCoding(("1", "2"))
    found = Scan(table, tuple(header), ROW).tallies(dict.fromkeys(header, coding))
    assert all(counts.tolist() == [1, 1] for counts in found.values())
