"""Neighbours in frames of pandas and Polars: one row's values replaced, the dtypes kept."""

import datetime as dt
import enum
import warnings
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from synth.private.table import PrivateTable
from synth.private.table.frames import held_table
from tests.fuzz.neighbour_arrow import (
    PER_DAY,
    Kind,
    Values,
    floats,
    instants,
    integers,
    kind_of,
    texts,
    values_case,
    whole_numbers,
)
from tests.fuzz.neighbour_columns import ODD, WORDS, cell_of
from tests.fuzz.neighbours import Case

UNITS = ("s", "ms", "us", "ns")


class Rude:
    """An object that does not say what it is."""

    def __str__(self) -> str:
        raise ValueError


class Word(str, enum.Enum):  # noqa: UP042 - its text is another one, unlike that of a StrEnum
    """A text that shows itself otherwise."""

    A = "a"
    B = "b"


OBJECTS = (
    1,
    1.0,
    0.5,
    float("nan"),
    float("inf"),
    10**30,
    2**53 + 1,
    12345678901234567.0,
    True,
    False,
    None,
    pd.NA,
    pd.NaT,
    np.int64(3),
    np.float32(0.1),
    np.float64(6),
    np.bool_(True),
    np.str_("a"),
    np.datetime64("2021-03-04"),
    np.datetime64("NaT"),
    np.timedelta64(1, "D"),
    b"a",
    b"\xff",
    bytearray(b"a"),
    "\ud800",
    "\0",
    "a" * 2_000_001,
    Decimal("0.5"),
    Decimal("NaN"),
    Decimal("1E+400"),
    dt.date(2021, 3, 4),
    dt.date(1, 1, 1),
    dt.date(9999, 12, 31),
    dt.datetime(2021, 3, 4, 5),
    dt.datetime(2021, 3, 4, tzinfo=dt.UTC),
    dt.datetime(1, 1, 1),
    dt.time(5),
    dt.timedelta(days=1),
    pd.Timestamp("2021-03-04"),
    pd.Timestamp("2021-03-04 05:00", tz="Europe/Berlin"),
    pd.Timedelta(days=1),
    pd.Period("2021-03", "M"),
    pd.Interval(0, 1),
    complex(1, 2),
    Rude(),
    object(),
    [1, 2],
    [],
    (1,),
    {"a": 1},
    {1},
    frozenset(),
    np.array([1, 2]),
    ("a",),
    range(3),
    Ellipsis,
    int,
    Word.A,
    enum.IntEnum("Number", ["ONE"]).ONE,
)


def objects(draw: Random) -> Kind:
    """Values of any class; mostly those of one."""
    usual = draw.choice(["list", "word", "int", "num", "date"])

    def value(chance: Random, near: bool) -> Any:
        if not near:
            return chance.choice(OBJECTS if chance.random() < 0.8 else ODD)
        if usual == "word":
            return chance.choice([*Word])
        if usual == "date":
            day = dt.date(2020, 1, 1) + dt.timedelta(days=chance.randrange(1_500))
            return day
        if usual == "list":
            return chance.choice(WORDS)
        return chance.randint(0, 90) if usual == "int" else round(chance.uniform(0, 10), 2)

    return Kind(value, partial(pd.Series, dtype=object), usual.replace("word", "list"))


def moments(draw: Random) -> Kind:
    """Moments or lengths of time of any unit and zone."""
    unit, kind = draw.choice(UNITS), draw.choice(["M8", "M8", "M8", "m8"])
    zone = draw.choice([None, None, "UTC", "Europe/Berlin", "America/New_York"])
    kind_of_moments = instants(pa.timestamp(unit), 64, PER_DAY[unit])

    def series(values: Values) -> "pd.Series[Any]":
        numbers = [np.iinfo("i8").min if value is None else value for value in values]
        series = pd.Series(np.array(numbers, dtype="i8").view(f"{kind}[{unit}]"))
        if zone is None or kind == "m8":
            return series
        return series.dt.tz_localize("UTC").dt.tz_convert(zone)

    return Kind(kind_of_moments.draw, series, "date")


def typed(kind: Kind, dtype: str, gap: Any = None) -> Kind:
    """A kind as a pandas column of a dtype, where something stands for what is missing."""

    def series(values: Values) -> "pd.Series[Any]":
        with np.errstate(all="ignore"):
            return pd.Series(
                [gap if value is None else value for value in values], dtype=dtype
            )

    return Kind(kind.draw, series, kind.reads)


def words(draw: Random, near: bool) -> str:
    """A text that any string column holds."""
    return cell_of(draw, None, odd=0.5) if not near else draw.choice(WORDS)


def categories(draw: Random) -> Kind:
    """A column of categories: these are its dtype, and stay."""
    days = pd.to_datetime(["2021-03-04 00:00", "2022-01-01 00:00", "2020-02-29 05:00"])
    choices = draw.choice(
        [list(WORDS), [1, 6, 40], [0.5, 6.0, 7.25], list(days), [True, False]]
    )
    dtype = pd.CategoricalDtype(choices, ordered=draw.random() < 0.5)
    return Kind(
        lambda chance, _: chance.choice(choices), partial(pd.Series, dtype=dtype), "list"
    )


ALIKE: dict[str, tuple[Any, ...]] = {
    "bool": (True, False),
    "int": (2, 6, 40),
    "num": (0.5, 7.25, 3.0),
    "list": WORDS,
    "word": tuple(Word),
    "bytes": (b"a", b"b"),
    "decimal": (Decimal("0.5"), Decimal("6.00")),
    "day": (dt.date(2021, 3, 4), dt.date(2022, 1, 1)),
    "date": (pd.Timestamp("2021-03-04"), pd.Timestamp("2022-01-01 05:00")),
    "zone": (pd.Timestamp("2021-03-04 05:00", tz="Europe/Berlin"),),
    "span": (pd.Timedelta(days=1), pd.Timedelta(hours=5)),
    "range": (pd.Interval(0, 1), pd.Interval(1, 2)),
    "month": (pd.Period("2021-03", "M"), pd.Period("2021-04", "M")),
    "complex": (2 + 0j, 6 + 1j),
}
"""Values of one class, by what they mean."""
OTHERS = (
    None,
    float("nan"),
    5,
    0.25,
    True,
    "a",
    "unknown",
    b"\xff",
    10**30,
    float("inf"),
    1j,
    Decimal("0.125"),
    dt.date(1, 1, 1),
    dt.datetime.max,
    pd.Timestamp("2021-03-05 00:00:01"),
    pd.Timestamp("2021-03-05", tz="UTC"),
    pd.Timedelta(1),
    pd.Interval(0.5, 1.5),
    Word.B,
    pd.Period("2021", "Y"),
    np.datetime64("20000-01-01"),
    ("a",),
    Rude(),
)
"""Values that make pandas choose another type, if they stand beside those."""


def as_categories(values: Values) -> "pd.Series[Any]":
    """A column of categories; pandas sorts them, and warns of tuples beside longer texts."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Constructing a DataFrame", DeprecationWarning)
        return pd.Series(values, dtype="category")


def inferred(draw: Random) -> Kind:
    """A column, or categories, whose type pandas infers: one odd value may change the
    type.
    """
    class_name = draw.choice([*ALIKE])
    make = draw.choice([pd.Series, as_categories])

    def value(chance: Random, near: bool) -> Any:
        return chance.choice(ALIKE[class_name] if near else OTHERS)

    reads = class_name if class_name in ("bool", "int", "num", "date") else "list"
    return Kind(value, make, "date" if class_name in ("day", "zone") else reads)


def pandas_kind(draw: Random) -> Kind:
    """A column that pandas may have."""
    text, flag = Kind(words, list, "list"), Kind(lambda d, _: d.random() < 0.5, list, "bool")
    period = Kind(
        lambda d, near: (
            d.randint(600, 660) if near else d.choice([0, -1, 10**6, -(10**6), 2**31])
        ),
        lambda values: pd.Series(
            pd.arrays.PeriodArray._from_sequence(
                [pd.NaT if v is None else pd.Period(ordinal=v, freq="M") for v in values],
                dtype="period[M]",
            )
        ),
        "date",
    )
    arrow = kind_of(draw, stored=False)
    kinds = [
        (8, objects(draw)),
        (6, moments(draw)),
        (3, categories(draw)),
        (12, inferred(draw)),
        (3, typed(floats(pa.float64()), "float64", np.nan)),
        (1, typed(floats(pa.float32()), "float32", np.nan)),
        (2, typed(floats(pa.float64()), "Float64", pd.NA)),
        (2, typed(floats(pa.float64()), "complex128", np.nan)),
        (2, typed(flag, "bool", False)),
        (2, typed(flag, "boolean", pd.NA)),
        (2, typed(text, "string")),
        (3, typed(text, "str")),
        (2, Kind(integers(pa.int64(), 64).draw, lambda v: typed_integers(v, "Int64"), "int")),
        (2, Kind(integers(pa.int64(), 64).draw, lambda v: typed_integers(v, "int64"), "int")),
        (1, Kind(integers(pa.int64(), 32).draw, lambda v: typed_integers(v, "Int32"), "int")),
        (1, period),
        (
            2,
            Kind(
                arrow.draw,
                lambda v: pd.Series(pd.arrays.ArrowExtensionArray(arrow.array(v))),
                arrow.reads,
            ),
        ),
    ]
    return draw.choices([kind for _, kind in kinds], [weight for weight, _ in kinds])[0]


def typed_integers(values: Values, dtype: str) -> "pd.Series[Any]":
    """Whole numbers, of which missing ones are 0 where the dtype has none."""
    gap = pd.NA if dtype.startswith("I") else 0
    if dtype.startswith("i"):
        return pd.Series(np.array([gap if v is None else v for v in values], dtype=dtype))
    return pd.Series(pd.array([gap if v is None else v for v in values], dtype=dtype))


def polars_kind(draw: Random) -> Kind:
    """A column that Polars may have."""
    unit = draw.choice(["ms", "us", "ns"])
    zone = draw.choice([None, None, "UTC", "Europe/Berlin"])
    text = texts(pa.string(), pa.binary(), sound=True)
    spoken = Kind(lambda d, near: text.draw(d, near).decode(), list, "list")
    number, day, span = (
        instants(pa.timestamp(unit), 64, PER_DAY[unit]),
        instants(pa.date32(), 32, 1),
        whole_numbers(draw),
    )

    def cast(kind: Kind, dtype: Any, storage: Any = pl.Int64) -> Kind:
        array = lambda values: pl.Series(values, dtype=storage).cast(dtype)  # noqa: E731
        return Kind(kind.draw, array, kind.reads)

    def plain(kind: Kind, dtype: Any) -> Kind:
        return Kind(kind.draw, lambda values: pl.Series(values, dtype=dtype), kind.reads)

    clock = Kind(lambda d, _: d.randrange(PER_DAY["ns"]), list, "list")
    choices = Kind(lambda d, _: d.choice(WORDS), list, "list")
    kinds = [
        (4, cast(number, pl.Datetime(unit, zone))),
        (3, cast(day, pl.Date, pl.Int32)),
        (2, cast(number, pl.Duration(unit))),
        (1, cast(clock, pl.Time)),
        (4, plain(spoken, pl.String)),
        (2, plain(spoken, pl.Categorical)),
        (1, plain(choices, pl.Enum(WORDS))),
        (2, plain(floats(pa.float64()), pl.Float64)),
        (1, plain(floats(pa.float32()), pl.Float32)),
        (2, Kind(span.draw, lambda v: pl.from_arrow(span.array(v)), "int")),
        (1, plain(Kind(lambda d, _: d.random() < 0.5, list, "bool"), pl.Boolean)),
        (1, plain(Kind(lambda d, _: d.randbytes(2), list, "list"), pl.Binary)),
        (
            1,
            plain(
                Kind(
                    lambda d, near: Decimal(d.randint(0, 1000 if near else 10**11)).scaleb(
                        -2
                    ),
                    list,
                    "num",
                ),
                pl.Decimal(12, 2),
            ),
        ),
    ]
    return draw.choices([kind for _, kind in kinds], [weight for weight, _ in kinds])[0]


def frame(
    kind_of: Callable[[Random], Kind], make: Callable[[dict[str, Any]], Any], draw: Random
) -> Case:
    """A DataFrame of some kinds of columns."""
    kinds = [kind_of(draw) for _ in range(draw.randint(1, 3))]

    def save(rows: Sequence[Values], _folder: Path) -> PrivateTable:
        series = [kind.array([row[i] for row in rows]) for i, kind in enumerate(kinds)]
        return held_table(make({f"c{i}": column for i, column in enumerate(series)}))

    dtypes = [str(kind.array([]).dtype) for kind in kinds]
    return values_case(draw, kinds, save, f"{make.__module__} {dtypes}")


pandas_frame = partial(frame, pandas_kind, pd.DataFrame)
polars_frame = partial(frame, polars_kind, pl.DataFrame)
"""Made of Arrow, of Python's values, or cast from numbers."""
