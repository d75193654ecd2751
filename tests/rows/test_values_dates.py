"""Dates of any accepted pattern: written, read back and exported, for all rows and ranges."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from scipy import stats

from synth.api.frames import frame_of
from synth.bundle import FORMATS, export
from synth.bundle.exports.columns import Storage
from synth.domain import DAY, EPOCH, Date, Derived, Domain, Period
from synth.errors import DomainError
from synth.private.comparison.numeric_columns import Axis
from synth.private.counting import count
from synth.private.table import open_table
from synth.rows import SyntheticTable, decode, encode_columns, read_each, write_csv
from synth.rows.ordered_pairs import OrderedColumn, put_in_order
from synth.rows.value_numbers import value_spans
from synth.rows.values import label_texts, spell_codes

ALPHA = 1e-6

DAYS = [
    "%Y-%m-%d",
    "%d.%m.%y",
    "%m/%d/%Y",
    "%Y%m%d",
    "%d%b%Y",
    "%A, %d. %B %Y",
    "%Y-%j",
    "%j%y",
    "%a %d  %b %y",
    "%Y年%m月%d日",
    "it's %Y.%m.%d",
    "%d %% %m %Y",
    '<%Y,"%m">%d;',
    "%Y\\%m\\%d$",
    "%-d.%-m.%Y",
    "%-d-%^b-%y",
    "%^A, %_B %-d, %Y",
    "%_a %d%_b%Y",
    "%Y/%d/%m",
]
MONTHS = ["%Y-%m", "%m/%Y", "%b-%y", "%B %Y", "%Y%m", "%Y年%m月", "%Y-%m-01", "%m/%Y 00:00"]
YEARS = ["%Y", "%y", "anno %Y", "%Y-01-01", "%Y-12-31 %%"]
TIMES = [
    "%H",
    "%H:%M",
    "%H:%M:%S",
    "%H%M%S",
    "%I:%M %p",
    "%I%p",
    "%H:%M:%S.%f",
    "%I:%M:%S,%f%p",
    "%HhZ",
    "%H:%M:%S.%f+02:00",
    "%-H:%M",
    "%-I:%M:%S %_p",
    "%H:%M:%S%z",
    "%H:%M %:z",
    "%-I:%M:%S.%f%p%-z",
]
ZONES = ["UTC", "Z", "-03:30", "Europe/Berlin", "Asia/Kathmandu", "America/St_Johns"]
PIVOTS = [None, 1900, 1930, 2001]


@st.composite
def date_columns(draw: st.DrawFn) -> Date:
    """Any accepted pattern, range and way to cut it."""
    timed = draw(st.booleans())
    day = draw(st.sampled_from(DAYS if timed else DAYS + MONTHS + YEARS))
    clocks = TIMES if timed else [clock for clock in TIMES if not clock.endswith("z")]
    clock = draw(st.sampled_from(clocks)) if timed or draw(st.integers(0, 3)) == 0 else ""
    pattern = f"{day} {clock}" if clock else day
    pivot = None
    years = (1, 9990)
    if "%y" in pattern:
        pivot = None if "%j" in pattern else draw(st.sampled_from(PIVOTS))
        first_year = 1969 if pivot is None else pivot
        years = (first_year, first_year + 91)
    first = datetime(draw(st.integers(*years)), draw(st.integers(1, 12)), 1)
    length = draw(st.sampled_from([0, 1, 27, 59, 800, 2_900]))
    last = first + timedelta(
        days=length, seconds=draw(st.integers(0, DAY - 1)) if timed else 0
    )
    if "%m" not in day and "%b" not in day and "%B" not in day and "%j" not in day:
        first = first.replace(month=1)
    spike = draw(st.sampled_from([(), (f"{first:%m-%d}",)]))
    options = {
        "name": "d",
        "time": timed,
        "format": pattern,
        "missing": draw(st.booleans()),
        "minimum": first.isoformat() if timed else first.date().isoformat(),
        "maximum": last.isoformat() if timed else last.date().isoformat(),
        "spikes": tuple(
            f"{years[0] + 32}-{day_of_year}" if "%y" in pattern else f"9998-{day_of_year}"
            for day_of_year in spike
        ),
        "pivot": pivot,
        "zone": draw(st.sampled_from(ZONES)) if pattern.endswith("z") and timed else "",
    }
    cuts = (
        [{"period": period} for period in Period]
        + [{"bins": n} for n in (1, 2, 7, 50)]
        + [{}]
    )
    accepted = [column for cut in cuts if (column := _declared(options | cut)) is not None]
    return draw(st.sampled_from(accepted))


def _declared(options: dict[str, object]) -> Date | None:
    # Too many bins, a period too short, or a spike inside that leaves nothing, are refused.
    try:
        return Date(**options)  # type: ignore[arg-type]
    except DomainError:
        return None


def draw_every_cell(column: Date, rows: int, seed: int = 3) -> SyntheticTable:
    """Rows with every cell, as many of each."""
    codes = np.random.default_rng(seed).permutation(np.arange(rows) % column.size)
    return decode(Domain((column,)), [codes.astype(np.int32)], seed=seed)


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder for one example of Hypothesis, whose examples share a test's fixtures."""
    with TemporaryDirectory() as name:
        yield Path(name)


MANY_MONTHS = Date(
    name="d", minimum="2023-01", maximum="2024-12", format="%Y-%m", period="month"
)  # type: ignore[arg-type]
SUMMER_TIME = Date(
    name="d",
    minimum="2024-03-30",
    maximum="2024-10-28",
    time=True,
    format="%d.%m.%y %H:%M:%S%z",
    zone="Europe/Berlin",
    pivot=1990,
    period="week",
)  # type: ignore[arg-type]
STAMPS = Date(
    name="d",
    minimum="2025-01-01",
    maximum="2025-12-31T23:59:59",
    time=True,
    format="%Y-%m-%d %H:%M:%S.%f",
)


def declare_outer_moments(minimum: str, maximum: str, zone: str) -> Date:
    """A column in the year 1 or 9999 by its clock; in UTC some moments are beyond it."""
    return Date(
        name="d",
        minimum=minimum,
        maximum=maximum,
        time=True,
        format="%Y-%m-%d %H:%M:%S%z",
        zone=zone,
    )


FIRST_DAYS = declare_outer_moments("0001-01-01", "0001-01-03", "Asia/Kathmandu")
LAST_DAYS = declare_outer_moments("9999-12-30", "9999-12-31T23:59:59", "-03:30")


def are_years_of_utc(column: Date) -> bool:
    """Whether each moment of a column is in the years 1 to 9999 in UTC too."""
    years = {str(bound)[:4] for bound in (column.minimum, column.maximum)}
    return not column.zone or years.isdisjoint({"0001", "9999"})


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@example(FIRST_DAYS, 300)
@example(LAST_DAYS, 300)
@given(date_columns(), st.sampled_from([1, 10, 300, 3_000]))
def test_written_rows_are_read_as_they_were_drawn(column: Date, rows: int) -> None:
    """Dates of any accepted declaration are read back into the cells they were drawn from.

    That holds for the table in memory and for its CSV file. Different values have different
    texts.
    """
    check_written(column, rows)


@pytest.mark.parametrize("rows", [300, 3_000])
@pytest.mark.parametrize(
    "column", [MANY_MONTHS, STAMPS, SUMMER_TIME], ids=["months", "fractions", "summer"]
)
def test_months_and_fractions_are_read_as_they_were_drawn(column: Date, rows: int) -> None:
    """Dates of months alone, and times with fractions of a second, are read back as drawn.

    These are examples of the declarations that the test with random ones draws.
    """
    check_written(column, rows)


def check_written(column: Date, rows: int) -> None:
    """See that all rows fit their cells, and that values differ where their texts do."""
    table = draw_every_cell(column, rows)
    texts = [text for text in table.table["d"].to_pylist() if text is not None]
    steps = [column.reading.read(text) for text in texts]
    assert [column.reading.write(step) for step in steps] == texts
    assert len({*steps}) == len({*texts}) <= column.values + len(column.spikes)
    assert encode_columns(table.domain, table.table)[0].tolist() == table.codes[0].tolist()
    with temporary_folder() as folder:
        write_csv(table.parts(), folder / "t.csv")
        counts = count(open_table(folder / "t.csv"), table.domain)
    read_counts = np.zeros(column.size, dtype=int)
    read_counts[counts.cells] = counts.counts
    assert read_counts.tolist() == np.bincount(table.codes[0], minlength=column.size).tolist()


@settings(max_examples=40, deadline=None)
@example(MANY_MONTHS, 3_000)
@example(STAMPS, 300)
@example(SUMMER_TIME, 300)
@given(date_columns(), st.sampled_from([1, 300, 3_000]))
@pytest.mark.slow
def test_frames_and_comparisons_have_the_moments_of_the_texts(
    column: Date, rows: int
) -> None:
    """Frames of pandas and comparisons hold exactly the moments that the drawn texts say.

    A moment follows from the text by the pattern of the column. A missing text is a missing
    moment. Python has no such moment before the year 1 in UTC.
    """
    assume(are_years_of_utc(column))
    table = draw_every_cell(column, rows)
    texts = table.table["d"].to_pylist()
    moments = [None if t is None else EPOCH + seconds_of(column, t) for t in texts]

    frame_column = frame_of(table)["d"]
    if column.zone:
        assert str(frame_column.dtype).startswith("datetime64[s, ")
        frame_column = frame_column.dt.tz_convert(None)
    assert [
        None if pd.isna(moment) else moment.to_pydatetime() for moment in frame_column
    ] == moments

    seconds = [(moment - EPOCH).total_seconds() for moment in moments if moment is not None]
    assert Axis(column).parse_values(table.table["d"]).tolist() == seconds
    assert [
        None if pd.isna(moment) else moment for moment in table.table.to_pandas()["d"]
    ] == texts


def seconds_of(column: Date, text: str) -> timedelta:
    """How long after 1970 a text is."""
    return timedelta(seconds=column.reading.read(text) * column.seconds)


@settings(max_examples=25, deadline=None)
@example(MANY_MONTHS, 3_000)
@example(STAMPS, 300)
@example(SUMMER_TIME, 300)
@example(FIRST_DAYS, 300)
@example(LAST_DAYS, 300)
@given(date_columns(), st.sampled_from([1, 300]))
def test_every_format_holds_the_moments_or_the_texts(column: Date, rows: int) -> None:
    """An exported file holds each date as the moment that its text says, or as the text.

    Formats with a type for dates count units, such as days or seconds, from an epoch of their
    own. The exported Parquet file is read back as well.
    """
    table = draw_every_cell(column, rows)
    texts = table.table["d"].to_pylist()
    for kind in FORMATS.values():
        (held_column,) = kind.hold(table.domain)
        cells = [cell for (cell,) in kind.list_rows(table)]
        assert held_column.storage in (Storage.DATE, Storage.TEXT)
        for text, cell in zip(texts, cells, strict=True):
            if text is None:
                assert (
                    cell is None or cell != cell or cell == held_column.missing or cell == ""
                )
            elif held_column.storage is Storage.TEXT:
                assert cell == text
            else:
                gap = (EPOCH - held_column.epoch).total_seconds()
                seconds = seconds_of(column, text).total_seconds() + gap
                assert cell == seconds / held_column.unit

    with temporary_folder() as folder:
        export(table, FORMATS["parquet"], folder / "t.parquet")
        written = parquet.read_table(folder / "t.parquet")["d"]
    if column.zone:  # a text, which keeps the offset
        assert written.to_pylist() == texts
        return
    typed = written.cast(pa.timestamp("s")).to_pylist()
    assert typed == [None if t is None else EPOCH + seconds_of(column, t) for t in texts]


@pytest.mark.parametrize("pattern", [*MONTHS, *YEARS])
def test_all_values_of_a_coarse_pattern_are_drawn_and_no_other(pattern: str) -> None:
    """A date pattern of months or years draws each of its values, and no other.

    The range from 1971 to 2060 has 90 years or 1,080 months. Each value has 90 rows on
    average, so that none is likely to be absent.
    """
    column = Date(
        name="d", minimum="1971-01-01", maximum="2060-12-31", format=pattern, bins=9
    )
    table = draw_every_cell(column, 90 * column.values)
    texts = {*table.table["d"].to_pylist()}
    assert len(texts) == column.values == (90 if pattern in YEARS else 1_080)


def test_months_are_uniform_within_their_bin() -> None:
    """A month of 28 days is drawn as often as one of 31.

    The only bin has the 12 months of a year, with 20,000 rows each on average.
    """
    column = Date(name="d", minimum="2023-01", maximum="2023-12", format="%Y-%m", bins=1)
    _, counts = np.unique(
        draw_every_cell(column, 240_000).table["d"].to_pylist(), return_counts=True
    )
    assert len(counts) == 12
    assert stats.chisquare(counts).pvalue > ALPHA


@pytest.mark.parametrize(
    ("early", "late"),
    [("%Y-%m-%d", "%Y-%m"), ("%Y-%m", "%Y-%m-%d"), ("%Y", "%Y-%m"), ("%m/%Y", "%b %Y")],
)
def test_an_order_holds_for_what_the_texts_say(early: str, late: str) -> None:
    """If one date must not be after another, that holds for the texts of both.

    The patterns are of different precision: a month stands for its first day. The order is
    not kept by equal values alone, as the first dates differ.
    """
    columns = [
        Date(name=name, minimum="2020-01-01", maximum="2021-12-31", format=form, bins=1)
        for name, form in (("a", early), ("b", late))
    ]
    codes = [np.zeros(2_000, dtype=np.int32)] * 2

    table = decode(Domain(tuple(columns)), codes, order=[(0, 1)], seed=5).table

    a, b = (
        read_each(column.reading, table[column.name].combine_chunks()) * column.seconds
        for column in columns
    )
    assert (a <= b).all()
    assert len({*a.tolist()}) > 1


def test_the_smallest_values_in_order_are_values_too() -> None:
    """Where no redraw brings two dates in order, the smallest possible values are taken.

    In each of 50 rows the first date is a day in June 2020, and the second a month. A month
    stands for its first day, so only July is not before the day.
    """
    day = Date(name="a", minimum="2020-06-10", maximum="2020-06-20", bins=1)
    month = Date(name="b", minimum="2020-01-01", maximum="2020-07-31", format="%Y-%m", bins=1)
    tied = []
    for column in (day, month):
        ((first, last),) = value_spans(column).tolist()
        tied.append(
            OrderedColumn(
                column=column,
                first=np.full(50, first),
                last=np.full(50, last),
                has_value=np.ones(50, dtype=bool),
                units=np.full(50, first),
            )
        )
    put_in_order(tied, [(0, 1)], np.random.default_rng(1))

    months = tied[1].units.tolist()
    texts = {month.reading.write(month.reading.first_step(number)) for number in months}
    assert texts == {"2020-07"}


@pytest.mark.parametrize(
    "column", [MANY_MONTHS, STAMPS, SUMMER_TIME], ids=["months", "fractions", "summer"]
)
def test_a_formula_reads_every_date(column: Date) -> None:
    """The formula year(d) gives the year of every drawn date, of months and of fractions."""
    year = Derived(formula="year(d)", name="y", place=1)
    domain = Domain((column,), derived=(year,))
    rows = decode(domain, [np.arange(500, dtype=np.int32) % column.size]).table
    moments = [EPOCH + seconds_of(column, text) for text in rows["d"].to_pylist()]
    assert rows["y"].to_pylist() == [moment.year for moment in moments]


def test_a_list_may_spell_two_positions_alike() -> None:
    """Codes are written by their labels even if two codes have the same label.

    pandas refuses a list of categories with a repeated one, so the list that is passed on has
    each label once. A cell that is missing has no label.
    """
    spelled = spell_codes(["x", "y", "x"], np.array([0, 1, 2, 2], dtype=np.int32), None)
    assert spelled.to_pylist() == ["x", "y", "x", "x"]
    assert pa.table([spelled], ["c"]).to_pandas()["c"].tolist() == ["x", "y", "x", "x"]

    is_missing = np.array([True, False])
    spelled_with_a_gap = spell_codes(
        label_texts(["x", "x"]), np.array([0, 1], dtype=np.int32), is_missing
    )
    assert spelled_with_a_gap.to_pylist() == [None, "x"]
