"""Texts among dates and times that mean a missing value, and days alone among moments."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest

import synth
from synth.private.counting import count
from synth.private.table import open_table
from tests.fuzz.neighbour_workbooks import Workbook
from tests.tables import write

DATES = [f"20{10 + day % 9}-0{1 + day % 9}-1{day % 8}" for day in range(300)]
TIMES = [f"{day % 24:02d}:{day % 60:02d}" for day in range(300)]


def draft_columns(folder: Path, **cells: list[str]) -> synth.Draft:
    """Write columns as a CSV file, and draft them from a look."""
    path = write(folder / "t.csv", list(cells), list(zip(*cells.values(), strict=True)))
    return synth.draft(path)


@pytest.mark.parametrize("values", [DATES, TIMES])
def test_codes_among_dates_are_missing_in_their_column_only(
    tmp_path: Path, values: list[str]
) -> None:
    """98 and "refused" mean a missing date or time; 98 stays a value of another column.

    The draft says so, loses nothing, and the missing cell has the rows of both texts.
    """
    texts = [*values, *["98"] * 30, *["refused"] * 20]
    numbers = [str(row % 99) for row in range(350)]
    draft = draft_columns(tmp_path, seen=texts, weight=numbers)
    column = draft.domain["seen"]
    assert {*column.missing_values} == {"", "98", "refused"}
    assert draft.domain.missing_values == ("",)
    assert "in 'seen': 98, refused" in " ".join(draft.notes)
    assert not draft.losses

    counts = count(open_table(tmp_path / "t.csv"), draft.domain.project(["seen"])).dense()
    assert counts.sum() == 350
    assert counts[column.missing_code] == 50


@pytest.mark.parametrize(
    ("pattern", "zeros"),
    [("%Y%m%d", "00000000"), ("%Y%m%d", "0"), ("%Y-%m-%d", "0000-00-00")],
)
def test_dates_of_zeros_stand_for_none(tmp_path: Path, pattern: str, zeros: str) -> None:
    """SAP and MySQL write zeros for a missing date: the others stay dates, and are no key."""
    days = [datetime(2019, 1, 1) + timedelta(days=2 * row) for row in range(500)]
    texts = [*(day.strftime(pattern) for day in days), *[zeros] * 60]
    draft = draft_columns(tmp_path, due=texts, sex=["f", "m"] * 280)
    column = draft.domain["due"]
    assert column.kind == "date"
    assert zeros in column.missing_values
    assert not draft.losses
    assert not any("persons" in note for note in draft.notes)


def test_the_null_of_a_database_is_missing(tmp_path: Path) -> None:
    r"""MySQL and PostgreSQL write \N for a missing value, among texts and numbers."""
    draft = draft_columns(
        tmp_path, state=["ok", "late", r"\N"] * 100, age=["30", "41", r"\N"] * 100
    )
    assert draft.domain["state"].categories == ("late", "ok")
    assert r"\N" in draft.domain.missing_values
    assert not draft.losses


def test_typed_missing_values_count_beside_those_of_a_column(tmp_path: Path) -> None:
    """A spelling that the steward typed is missing in a column with codes of its own, too."""
    texts = [*DATES, *["98"] * 30, *["gone"] * 20]
    path = write(tmp_path / "t.csv", ["seen", "x"], [[text, "1"] for text in texts])
    column = synth.draft(path, missing=["gone"]).domain["seen"]
    assert {*column.missing_values} == {"", "98", "gone"}


def test_many_numbers_among_dates_are_no_codes(tmp_path: Path) -> None:
    """A column of dates and of many different numbers stays open."""
    texts = [*DATES, *map(str, range(50))]
    draft = draft_columns(tmp_path, seen=texts, weight=["1", "2"] * 175)
    assert "seen" not in draft.domain.names


MOMENTS = [datetime(2020, 1, 1) + timedelta(minutes=1_009 * row) for row in range(400)]
MIDNIGHTS = [moment.replace(hour=0, minute=0) for moment in MOMENTS[:20]]


def write_iso(moment: datetime) -> str:
    """Write a moment as R and workbooks do: at midnight the day alone."""
    is_midnight = (moment.hour, moment.minute) == (0, 0)
    return str(moment.date()) if is_midnight else moment.isoformat(sep=" ")


@pytest.mark.parametrize("ending", ["xlsx", "ods", "csv"])
@pytest.mark.first_case
def test_midnights_without_their_time_are_moments(tmp_path: Path, ending: str) -> None:
    """A workbook says midnight by the day alone, as R does: the draft loses no such row.

    The bins of the midnights have as many rows more than without them.
    """
    moments = [*MOMENTS, *MIDNIGHTS]
    path = tmp_path / f"t.{ending}"
    if ending == "csv":
        write(path, ["c0", "c1"], [[write_iso(moment), "1"] for moment in moments])
    else:
        layout = Workbook(f".{ending}", width=2, gap=0, lead=0, sheets=1, old=False)
        layout.save([(moment, "1") for moment in moments], tmp_path)
    draft = synth.draft(path)
    column = draft.domain["c0"]
    assert (column.time, draft.losses) == (True, {})
    counts = count(open_table(path), draft.domain.project(["c0"]))
    assert counts.dense().sum() == len(moments)
    assert column.missing_code is None


def test_a_few_times_among_days_do_not_make_them_moments(tmp_path: Path) -> None:
    """Where most cells are days alone, these are dates."""
    texts = [*DATES, *[f"{text} 10:00:00" for text in DATES[:12]]]
    draft = draft_columns(tmp_path, seen=texts, weight=["1", "2"] * 156)
    assert not draft.domain["seen"].time
