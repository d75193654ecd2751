"""Times of day and durations: what a look makes of them, in files and in workbooks."""

from collections.abc import Sequence
from datetime import time, timedelta
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pytest

from synth.domain import read_field, read_schema
from synth.private.counting import count, profile_table
from synth.private.table import open_table
from tests.tables import write


def look_at(folder: Path, cells: Sequence[str], name: str = "c") -> dict[str, Any]:
    """The field that a look drafts for a column of these cells."""
    path = write(folder / "t.csv", [name, "x"], [[cell, "1"] for cell in cells])
    look = profile_table(open_table(path), [name])
    assert not look.open
    field: dict[str, Any] = look.columns[0].field
    return field


@pytest.mark.parametrize(
    ("cells", "name", "kind", "form"),
    [
        (["07:15", "14:30", "23:59"], "at", "time", "%H:%M"),
        (["7:15", "14:30", "9:05"], "at", "time", "%-H:%M"),
        (["07:15:00", "14:30:59", "00:00:00"], "at", "time", "%H:%M:%S"),
        (["11:55 AM", "2:10 PM", "7:59 AM"], "at", "time", "%-I:%M %p"),
        (["07:15:30pm", "02:10:00am", "12:00:00am"], "at", "time", "%I:%M:%S%_p"),
        (["4:14:35", "26:05:00", "0:20:00"], "at", "duration", "%-H:%M:%S"),
        (["04:14", "16:05", "00:20"], "wait", "duration", "%H:%M"),
        (["PT5M", "P1DT2H", "PT90S"], "x1", "duration", "default"),
        (["3 days", "1 day", "14 days"], "stay", "duration", "%d days"),
        (["0 days 00:05:00", "2 days 13:00:00.5"], "x1", "duration", "%d days %H:%M:%S"),
    ],
)
def test_clocks_are_drafted_with_bins_and_read_in_them(
    tmp_path: Path, cells: Sequence[str], name: str, kind: str, form: str
) -> None:
    """Times of day get bins in which each cell is counted, none as missing or outside."""
    texts = [*cells, "NA"] * 12
    field = look_at(tmp_path, texts, name)
    assert (field["type"], field["format"]) == (kind, form)
    assert field["synth:bins"] == 24 or kind == "duration"
    schema = {"fields": [field], "missingValues": ["", "NA"]}
    counts = count(open_table(tmp_path / "t.csv"), read_schema(schema))
    column = read_field(field, 1)
    by_cell = dict(zip(counts.cells.tolist(), counts.counts.tolist(), strict=True))
    assert by_cell.pop(column.missing_code) == 12
    assert sum(by_cell.values()) == 12 * len(cells)


def test_a_bound_is_no_duration_of_a_few_rows(tmp_path: Path) -> None:
    """The shortest and the longest are one row's each; bounds are round."""
    cells = ["1:00:00", *[f"{hour}:30:00" for hour in range(2, 20)] * 3, "97:11:12"]
    field = look_at(tmp_path, cells, "wait")
    bounds = field["constraints"]
    assert "1:00:00" not in bounds["minimum"]
    assert bounds["maximum"].endswith(":59:59")
    assert bounds["maximum"] < "97"


def test_few_rows_are_left_out(tmp_path: Path) -> None:
    """A column in which only five rows have a time of day is left out."""
    texts = ["07:15"] * 5 + [""] * 20
    path = write(tmp_path / "t.csv", ["at", "x"], [[text, "1"] for text in texts])
    (column,) = profile_table(open_table(path), ["at"]).columns
    assert column.left_out


def test_workbooks_hold_times_and_durations(tmp_path: Path) -> None:
    """A duration of more than a day is no text of days and a comma."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["arrived", "wait"])
    for number in range(40):
        sheet.append([time(7 + number % 12, 15), timedelta(hours=number, minutes=5)])
        sheet.cell(number + 2, 2).number_format = "[h]:mm:ss"
    book.save(tmp_path / "t.xlsx")
    look = profile_table(open_table(tmp_path / "t.xlsx"))
    assert [column.field["type"] for column in look.columns] == ["time", "duration"]
    assert look.columns[1].field["format"] == "%-H:%M:%S"


def test_frames_hold_durations_as_such() -> None:
    """Durations of a frame are read by their seconds, and come out as timedeltas."""
    import synth

    waits = pd.DataFrame({"wait": pd.to_timedelta(range(0, 90_000, 300), unit="s")})
    domain = synth.Domain(wait=synth.Duration("PT0S", "P1DT1H", bins=5))
    table = synth.release(waits, domain, epsilon="5").table
    assert str(table["wait"].dtype).startswith("timedelta64")
    assert synth.check(waits, domain).together == len(waits)
