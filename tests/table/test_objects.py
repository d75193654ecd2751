"""Frames: an odd value changes no other cell, and each is read as in a column of its own
type.
"""

import datetime as dt
import uuid
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars
import pyarrow as pa
import pytest

from synth.domain import UNREADABLE, Categorical, Date, Domain, Outside
from synth.private.counting import count
from synth.private.table import CELL
from synth.private.table.frames import held_table
from synth.private.table.objects import is_objects, object_column
from tests.table.typed import ISO, read_texts

DAY = Date(name="a", minimum="2024-01-01", maximum="2024-12-31", bins=2, outside=Outside.CELL)


class Odd:
    """An object whose text cannot be had."""

    def __str__(self) -> str:
        raise RuntimeError("secret")


ODD: list[Any] = [
    Odd(),
    object,
    [1],
    {"a": 1},
    "\udc80",
    b"\xff",
    "x" * (CELL + 1),
    10**5000,
    10**30,
    1e300,
    float("nan"),
    None,
    pd.NA,
    pd.NaT,
    np.datetime64("NaT"),
    np.timedelta64("NaT"),
    Decimal("sNaN"),
    Decimal("1E+999999999"),
    2**62,
    dt.timedelta.max,
    np.timedelta64(2**62, "us"),
    "2024-13-45",
    np.datetime64(2**62, "us"),
    np.datetime64("20000-01-01"),
    pd.Timestamp(np.datetime64("20000-01-01", "s")),
    dt.datetime.max,
    dt.date.min,
    dt.time.max,
    True,
    np.True_,
    1j,
    pd.Period("2024-01"),
    pd.Interval(0, 1),
    np.float32(0.1),
    np.longdouble(1),
    uuid.UUID(int=0),
    range(3),
    pd.Timestamp("2024-07-01", tz="Asia/Tokyo"),
    dt.datetime(2024, 7, 1, tzinfo=dt.UTC),
]
"""Anything that may stand in a column of objects."""

PLAIN: list[Any] = [
    "x",
    1,
    1.0,
    2.5,
    None,
    b"y",
    dt.date(2024, 1, 5),
    dt.datetime(2024, 7, 1, 10),
    pd.Timestamp("2024-07-01 10:00:00.5"),
    np.datetime64("2024-01-05"),
    Decimal("1.50"),
    dt.timedelta(hours=25),
    dt.time(10),
    True,
]


def frame_of_objects(values: Iterable[Any]) -> Any:
    """A frame of one column of objects."""
    list_of_values = list(values)
    column = np.empty(len(list_of_values), dtype=object)
    column[:] = list_of_values
    return pd.DataFrame({"a": pd.Series(column, dtype=object)})


def texts_and_moments(values: Iterable[Any]) -> list[tuple[Any, Any]]:
    """Texts of objects, with the moments beside them."""
    column = object_column(frame_of_objects(values)["a"])
    if not is_objects(column.type):
        return [(text, None) for text in column.to_pylist()]
    return [(cell["text"], cell["moment"]) for cell in column.to_pylist()]


@pytest.mark.parametrize(
    "other_values", [PLAIN, ["x", "1", None], [dt.date(2024, 1, 5)], [1, 2]]
)
def test_an_odd_object_changes_no_other_cell(other_values: list[Any]) -> None:
    """An odd object in a column of pandas changes no other cell of the column.

    `ODD` has some forty of them, each tried alone and then all at once. The columns hold
    values of many types, texts, dates or whole numbers.
    """
    cells_alone = texts_and_moments(other_values)
    for odd in ODD:
        cells_with_odd = texts_and_moments([*other_values, odd])
        assert cells_with_odd[:-1] == cells_alone
        assert len(cells_with_odd) == len(other_values) + 1
    assert texts_and_moments([*other_values, *ODD])[: len(other_values)] == cells_alone


@pytest.mark.parametrize("pattern", ["", ISO])
def test_an_engine_reads_any_object(pattern: str) -> None:
    """An engine reads a column with every odd object, and the plain values as without these.

    The column is read as texts, or, with a pattern, as moments.
    """
    texts_alone = read_texts(held_table(frame_of_objects(PLAIN)), pattern=pattern)
    texts = read_texts(held_table(frame_of_objects([*PLAIN, *ODD])), pattern=pattern)
    assert texts[: len(PLAIN)] == texts_alone


@pytest.mark.slow
@pytest.mark.parametrize("pattern", ["", ISO])
def test_an_object_is_read_as_in_a_column_of_its_own_type(pattern: str) -> None:
    """A Python object is read exactly as the same value in an Arrow column of its type.

    That holds for a column of these objects alone, and for one that also has a text.
    """
    zone = dt.timezone(dt.timedelta(hours=2))
    columns: list[tuple[list[Any], Any]] = [
        ([dt.date(2024, 1, 5), None], pa.date32()),
        ([dt.datetime(2024, 7, 1, 10, 0, 0, 500_000), None], pa.timestamp("us")),
        ([dt.datetime(2024, 7, 1, 10, tzinfo=zone)], pa.timestamp("us", "+02:00")),
        ([pd.Timestamp("1969-12-31 23:59:59.999999999")], pa.timestamp("ns")),
        (
            [dt.timedelta(days=400, microseconds=1), -dt.timedelta(seconds=1)],
            pa.duration("us"),
        ),
        ([dt.time(10, 0, 0, 500_000), dt.time(10)], pa.time64("us")),
        ([Decimal("1.50"), Decimal("-20")], pa.decimal128(10, 3)),
        ([1.0, 0.1, 1e16, -0.0, 1e-5, 2.0**53, 123456789012345680.0], pa.float64()),
        ([np.float32(0.1), np.float32(3)], pa.float32()),
        ([1, 2**63 - 1], pa.int64()),
        ([b"x", b"\xff"], pa.binary()),
        ([uuid.UUID(int=5)], pa.uuid()),
    ]
    for values, kind in columns:
        # Arrow takes identifiers as bytes.
        storable = (
            [identifier.bytes for identifier in values] if kind == pa.uuid() else values
        )
        typed = pa.table({"a": pa.array(storable, kind)})
        expected = read_texts(held_table(typed), pattern=pattern)

        objects = held_table(frame_of_objects(values))
        assert read_texts(objects, pattern=pattern) == expected, kind
        objects_and_text = held_table(frame_of_objects([*values, "x"]))
        assert read_texts(objects_and_text, pattern=pattern)[:-1] == expected, kind


def test_one_value_that_makes_objects_of_dates_changes_no_other_date() -> None:
    """One odd value in a column of dates changes the count of its own row alone.

    It makes pandas turn the dates into objects. The row leaves one cell for another, so the
    counts differ by at most 2 in sum. Of the three dates, two lie in the first half of 2024:
    it ends on 1 July, as both halves have 183 days.
    """
    days = ["2024-01-05", "2024-07-01", "2024-08-01"]
    column = pd.Series(pd.to_datetime(days))
    as_dates = count(held_table(pd.DataFrame({"a": column})), Domain((DAY,))).dense()
    for odd in ("unknown", None, 7, dt.date(1999, 1, 1), dt.datetime(2024, 1, 5)):
        mixed = column.astype(object)
        mixed[0] = odd
        as_objects = count(held_table(mixed.to_frame("a")), Domain((DAY,))).dense()
        assert np.abs(as_objects - as_dates).sum() <= 2, odd
    assert as_dates.tolist()[:2] == [2, 1]


CATEGORIES: list[list[Any]] = [
    [True, False],
    ["x", "true", "1"],
    [b"a", b"b"],
    [Decimal("0.5"), Decimal("6.00")],
    [dt.date(2021, 3, 4)],
    [pd.Timestamp("2021-03-04"), pd.Timestamp("2022-01-01 05:00")],
    [pd.Timestamp("2021-03-04 05:00", tz="Europe/Berlin")],
    [pd.Timedelta(days=1)],
    [pd.Interval(0, 1)],
    [pd.Period("2021-03", "M")],
    [2, 6],
    [0.5, 7.25],
]
"""Values of one class each, of which pandas makes categories of that class."""
MISFITS: list[Any] = [
    None,
    True,
    5,
    0.25,
    "x",
    b"\xff",
    1j,
    Decimal("0.125"),
    dt.date(1, 1, 1),
    dt.datetime.max,
    pd.Timestamp("2021-03-05", tz="UTC"),
    pd.Timedelta(1),
    pd.Interval(0.5, 1.5),
    ("a",),
    Odd(),
]
"""Values that make pandas choose another class for all categories beside them."""


@pytest.mark.parametrize("values", CATEGORIES, ids=lambda values: type(values[0]).__name__)
@pytest.mark.first_case
def test_one_odd_category_changes_no_other_cell(values: list[Any]) -> None:
    """One odd category changes how no other category of a column of pandas is read.

    Without care, categories of booleans were 'true' alone and 'True' beside one odd value.
    `CATEGORIES` has values of one class each, and `MISFITS` the odd ones.
    """
    meanings_alone = read_meanings(frame_of_categories(values))
    for odd in MISFITS:
        meanings = read_meanings(frame_of_categories([*values, odd]))
        assert meanings[: len(values)] == meanings_alone, odd


def frame_of_categories(values: list[Any]) -> Any:
    """A frame of one column of categories, whose class pandas infers."""
    return pd.DataFrame({"a": pd.Series(values, dtype="category")})


def read_meanings(frame: Any) -> list[Any]:
    """What the cells of a frame say; a number is the same with and without decimals."""

    def meaning(text: str | None) -> Any:
        try:
            return float(text or "")
        except ValueError:
            return text

    return [meaning(text) for text in read_texts(held_table(frame))]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_moments_durations_and_times_that_are_too_far_cost_their_cell_alone(
    unit: str,
) -> None:
    """A moment, duration or time far beyond an engine's range leaves the first cell readable.

    The column has 0 and plus and minus 2**62 of a unit. As nanoseconds these are 146 years,
    an ordinary moment; in larger units a moment is unreadable. As a time of day 2**62 is none
    in any unit; Arrow has times of 64 bits only in the two smallest.
    """
    wide = pa.array([0, 2**62, -(2**62)])

    moments = read_texts(held_table(pa.table({"a": wide.cast(pa.timestamp(unit))})))
    assert moments[0] == "1970-01-01 00:00:00"
    if unit != "ns":
        assert moments[1:] == [UNREADABLE, UNREADABLE]

    durations = read_texts(held_table(pa.table({"a": wide.cast(pa.duration(unit))})))
    assert durations[0] == "0"

    if unit in ("us", "ns"):
        times = read_texts(held_table(pa.table({"a": wide.cast(pa.time64(unit))})))
        assert times == ["00:00:00", UNREADABLE, UNREADABLE]


def test_pandas_types_of_every_kind() -> None:
    """A column of each type of pandas is read as the text that stands beside it.

    Whole numbers have no decimals, and durations are seconds: 25 hours are 90,000. A moment
    is by the clock of its zone. Absent values of every kind are missing. Bytes that are no
    UTF-8 are unreadable.
    """
    day = pd.Timestamp("2024-07-01 10:00:00.5")
    categories = pd.CategoricalDtype([1, "a", dt.date(2024, 1, 5), 2.0])
    series: dict[str, tuple[Any, list[str | None]]] = {
        "mixed categories": (
            pd.Series([1, "a", None, 2.0], dtype=categories),
            ["1", "a", None, "2"],
        ),
        "Int64": (pd.Series([1, None, 2**62], dtype="Int64"), ["1", None, str(2**62)]),
        "boolean": (pd.Series([True, None, False], dtype="boolean"), ["True", None, "False"]),
        "Float64": (pd.Series([1.0, None, 0.5], dtype="Float64"), ["1", None, "0.5"]),
        "string": (pd.Series(["x", None], dtype="string"), ["x", None]),
        "category": (pd.Series(["x", None], dtype="category"), ["x", None]),
        "dates listed": (pd.Series([day, None]).astype("category"), [f"{day}"[:21], None]),
        "arrow": (
            pd.Series([Decimal("1.5")], dtype=pd.ArrowDtype(pa.decimal128(9, 4))),
            ["1.5"],
        ),
        "sparse": (pd.Series([1.0, None]).astype(pd.SparseDtype(float)), ["1", None]),
        "period": (pd.Series(pd.period_range("2024-01", periods=1, freq="M")), ["2024-01"]),
        "interval": (pd.Series(pd.interval_range(0, 1)), ["(0, 1]"]),
        "complex": (pd.Series([1j]), ["1j"]),
        "duration": (pd.Series([pd.Timedelta("25h"), None]), ["90000", None]),
        "zoned": (pd.Series([day.tz_localize("Asia/Tokyo")]), ["2024-07-01 10:00:00.5"]),
        "yes": (pd.Series([True, False]), ["True", "False"]),
        "none": (pd.Series([None, None]), [None, None]),
        "bytes": (pa.array([b"a", b"\xff"]).to_pandas(), ["a", UNREADABLE]),
        "uint64": (pd.Series([2**64 - 1], dtype="uint64"), [str(2**64 - 1)]),
        "float16": (pd.Series([0.5], dtype="float16"), ["0.5"]),
    }
    for name, (column, expected) in series.items():
        assert read_texts(held_table(column.to_frame("a"))) == expected, name
    damaged = pa.array([b"a", b"\xff"]).view(pa.string())
    assert read_texts(held_table(pa.table({"a": damaged}))) == ["a", UNREADABLE]


def test_polars_types_of_every_kind() -> None:
    """A column of each type of Polars is read as the text that stands beside it.

    Durations are seconds: 25 hours are 90,000. Decimal numbers lose their last zeros.
    """
    series: dict[str, tuple[Any, list[str | None]]] = {
        "objects": (
            polars.Series([1, b"\xff", None, "x"], dtype=polars.Object),
            ["1", UNREADABLE, None, "x"],
        ),
        "Int128": (polars.Series([2**100], dtype=polars.Int128), [str(2**100)]),
        "categories": (polars.Series(["x", None], dtype=polars.Categorical), ["x", None]),
        "enum": (polars.Series(["x"], dtype=polars.Enum(["x"])), ["x"]),
        "decimal": (polars.Series([Decimal("1.50")]), ["1.5"]),
        "time": (polars.Series([dt.time(10)]), ["10:00:00"]),
        "duration": (polars.Series([dt.timedelta(hours=25)]), ["90000"]),
        "bytes": (polars.Series([b"x", b"\xff"]), ["x", UNREADABLE]),
        "null": (polars.Series([None]), [None]),
        "yes": (polars.Series([True]), ["true"]),
    }
    for name, (column, expected) in series.items():
        assert read_texts(held_table(column.alias("a").to_frame())) == expected, name


def test_a_long_text_is_not_declared_whatever_the_frame() -> None:
    """A text above `CELL` bytes is unreadable in any frame; one of `CELL` bytes is read.

    The letter é has two bytes. Of the texts only y is declared, so its cell has the count 1.
    """
    long, short = "x" * (CELL + 1), "é" * (CELL // 2)
    domain = Domain((Categorical(name="a", categories=("y",), outside=Outside.CELL),))
    for frame in (
        pd.DataFrame({"a": [long, short, "y"]}),
        frame_of_objects([long, short, "y", 1]),
        polars.DataFrame({"a": [long, short, "y"]}),
        pa.table({"a": [long, short, "y"]}),
        pd.DataFrame({"a": pd.Categorical([long, short, "y"])}),
    ):
        table = held_table(frame)
        assert read_texts(table)[:3] == [UNREADABLE, short, "y"]
        assert count(table, domain).dense().tolist()[0] == 1
