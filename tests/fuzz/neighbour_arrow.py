"""Neighbours of Arrow's types, in memory and in Parquet files: every bit pattern of a
value.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from synth.private.table import PrivateTable, open_table
from synth.private.table.frames import held_table
from tests.fuzz.neighbour_columns import ODD, WORDS, domain_of
from tests.fuzz.neighbours import Case

Values = Sequence[Any]
DAY = 86_400
FROM, TO = 18_262, 20_088
"""Days since 1970 of the years that dates are declared for."""
FAR_DAYS = (-719_163, 2_932_896, 6_585_321, 106_751_991)
"""Days before the first year and of the last ones that Python, and Synth, and DuckDB know."""
ZONES = (None, None, "UTC", "Europe/Berlin", "+05:30", "America/New_York")
NOT_UTF8 = (
    b"\xff",
    b"a\xff",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\0",
    b"\x1a",
    b"",
)


@dataclass(frozen=True)
class Kind:
    """A type of column.

    Attributes:
        draw: A value, near to what is declared where this is asked for.
        array: Values as an array.
        reads: What kind of column is likely to be declared for it.
    """

    draw: Callable[[Random, bool], Any]
    array: Callable[[Values], "pa.Array"]
    reads: str


def integers(kind: "pa.DataType", bits: int, *, signed: bool = True) -> Kind:
    """Whole numbers of so many bits."""
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)

    def value(draw: Random, near: bool) -> int:
        exact = [2**53, 2**53 + 1, -(2**53) - 1, 12345678901234567, 1 << 31, 0, -1, low, high]
        number = (
            draw.randint(-25, 105) if near else draw.choice([*exact, draw.randint(low, high)])
        )
        return min(max(number, low), high)

    return Kind(value, partial(pa.array, type=kind), "int")


def instants(
    kind: "pa.DataType",
    bits: int,
    per_day: int,
    limit_of_type: int = 1 << 63,
    first: int = FROM,
) -> Kind:
    """Dates, moments and the like: integers behind a type.

    Args:
        kind: The type.
        bits: Of the integers.
        per_day: What a day is.
        most: The integers are below.
        first: The first day that is near to what is declared; the last stands five years
            later.
    """
    storage = pa.int32() if bits == 32 else pa.int64()
    limit = min(limit_of_type, 1 << bits - 1) - 1

    def value(draw: Random, near: bool) -> int:
        if near:
            exact = first * per_day + draw.randrange((TO - FROM if first else 1) * per_day)
            return exact // per_day * per_day if draw.random() < 0.5 else exact
        days = [0, *(day for end in FAR_DAYS for day in (end, end + 1))]
        far = [-1, limit, -limit, limit // 2, -limit // 2, draw.randint(-limit, limit)]
        instant = draw.choice([*far, *(day * per_day for day in days)])
        return min(max(instant, -limit), limit)

    return Kind(value, lambda values: pa.array(values, storage).view(kind), "date")


def floats(kind: "pa.DataType", number: type = float) -> Kind:
    """Floats of all sizes, infinite ones, and those that are no numbers."""
    odd = (
        float("nan"),
        float("inf"),
        -float("inf"),
        -0.0,
        1e300,
        5e-324,
        0.1,
        2.0**53,
        1e16,
        2.0**53 + 2,
        123456789012345680.0,
        65504.0,
        1e-7,
        0.30000000000000004,
    )

    def value(draw: Random, near: bool) -> Any:
        usual = (draw.randint(0, 10), 0.5, round(draw.uniform(0, 10), 2))
        with np.errstate(all="ignore"):
            return number(draw.choice(usual if near else (*odd, draw.uniform(-1e18, 1e18))))

    return Kind(value, partial(pa.array, type=kind), "num")


def texts(kind: "pa.DataType", storage: "pa.DataType", *, sound: bool = False) -> Kind:
    """Texts as bytes, which need not be UTF-8."""

    def value(draw: Random, near: bool) -> bytes:
        if near or sound:
            return text_bytes(draw, near=near)
        return draw.choice(
            [draw.choice(NOT_UTF8), draw.randbytes(4), text_bytes(draw, near=False)]
        )

    return Kind(value, lambda values: pa.array(values, storage).view(kind), "list")


def text_bytes(draw: Random, *, near: bool) -> bytes:
    """A text in UTF-8, now and then a very long one."""
    if not near and draw.random() < 0.003:
        return b"a" * draw.choice([1_999_999, 2_000_000, 2_000_001])
    return draw.choice(WORDS if near else ODD).encode()


def encode_as_dictionary(values: Values) -> "pa.Array":
    """Texts as places in a list."""
    array = pa.array(values, pa.binary()).dictionary_encode()
    return pa.DictionaryArray.from_arrays(array.indices, array.dictionary.view(pa.string()))


def encode_numbers_as_dictionary(values: Values) -> "pa.Array":
    return pa.array(values, pa.int64()).dictionary_encode()


def decimals(kind: "pa.DataType", digits: int, scale: int) -> Kind:
    """Decimal numbers."""

    def value(draw: Random, near: bool) -> Decimal:
        limit = 10 * 10**scale if near else 10**digits - 1
        return Decimal(draw.randint(0 if near else -limit, limit)).scaleb(-scale)

    return Kind(value, partial(pa.array, type=kind), "num")


PER_DAY = {"s": DAY, "ms": DAY * 10**3, "us": DAY * 10**6, "ns": DAY * 10**9}
BOOLEANS = Kind(
    lambda draw, _: draw.random() < 0.5, partial(pa.array, type=pa.bool_()), "bool"
)
FIXED = Kind(lambda draw, _: draw.randbytes(4), partial(pa.array, type=pa.binary(4)), "list")
NOTHING = Kind(lambda *_: None, partial(pa.array, type=pa.null()), "list")


def kind_of(draw: Random, *, stored: bool) -> Kind:
    """A kind of column that a frame may have, or that Parquet stores."""
    weights, kinds = zip(*kinds_of(draw, stored=stored).values(), strict=True)
    return draw.choices(kinds, weights)[0]


def kinds_of(draw: Random, *, stored: bool) -> dict[str, tuple[int, Kind]]:
    """Kinds of columns, some of which are drawn, and how often each is wanted."""
    unit = draw.choice(["s", "ms", "us", "ns"])
    limit_of_type = (
        1 << 63 if unit != "s" or not stored else (1 << 63) // 1000
    )  # stored in milliseconds
    moment = instants(
        pa.timestamp(unit, draw.choice(ZONES)), 64, PER_DAY[unit], limit_of_type
    )
    text = texts(pa.string(), pa.binary())
    return {
        "moment": (12, moment),
        "day": (6, instants(pa.date32(), 32, 1)),
        "date64": (2, instants(pa.date64(), 64, PER_DAY["ms"])),
        "duration": (3, instants(pa.duration(unit), 64, PER_DAY[unit])),
        "time64": (2, instants(pa.time64("us"), 64, PER_DAY["us"], first=0)),
        "nanotime": (2, instants(pa.time64("ns"), 64, PER_DAY["ns"], first=0)),
        "time32": (2, instants(pa.time32("ms"), 32, PER_DAY["ms"], first=0)),
        "seconds": (0 if stored else 2, instants(pa.time32("s"), 32, DAY, first=0)),
        "text": (12, text),
        "large": (4, texts(pa.large_string(), pa.large_binary())),
        "view": (3, texts(pa.string_view(), pa.binary_view())),
        "bytes": (3, texts(pa.binary(), pa.binary())),
        "fixed": (1, FIXED),
        "listed": (5, Kind(text.draw, encode_as_dictionary, "list")),
        "numbered": (
            1,
            Kind(integers(pa.int64(), 64).draw, encode_numbers_as_dictionary, "int"),
        ),
        "double": (8, floats(pa.float64())),
        "single": (3, floats(pa.float32())),
        "half": (1, floats(pa.float16(), np.float16)),
        "integer": (8, whole_numbers(draw)),
        "decimal": (3, decimals(pa.decimal128(12, 2), 12, 2)),
        "great": (1, decimals(pa.decimal256(60, 5), 60, 5)),
        "boolean": (3, BOOLEANS),
        "nothing": (1, NOTHING),
    }


def whole_numbers(draw: Random) -> Kind:
    """Whole numbers of any size."""
    bits, signed = draw.choice([8, 16, 32, 64, 64, 64]), draw.random() < 0.7
    return integers(getattr(pa, f"{'' if signed else 'u'}int{bits}")(), bits, signed=signed)


def row_of(draw: Random, kinds: Sequence[Kind], near: float) -> tuple[Any, ...]:
    """A row of values, some of which are missing."""
    return tuple(
        None if draw.random() < 0.08 else kind.draw(draw, draw.random() < near)
        for kind in kinds
    )


def pool_of(draw: Random, kind: Kind) -> list[Any]:
    """A few values, near and far, of which a column may be made: its statistics say much
    then.
    """
    return [kind.draw(draw, draw.random() < 0.5) for _ in range(draw.randint(1, 3))]


def pooled_rows(draw: Random, kinds: Sequence[Kind], number: int) -> list[tuple[Any, ...]]:
    """Rows of few values each of which many rows share; some columns have missing ones."""
    pools = [pool_of(draw, kind) + [None] * (draw.random() < 0.3) for kind in kinds]
    return [tuple(draw.choice(pool) for pool in pools) for _ in range(number)]


def arrow_table(kinds: Sequence[Kind], rows: Sequence[Values]) -> "pa.Table":
    """Rows as a table."""
    columns = [kind.array([row[i] for row in rows]) for i, kind in enumerate(kinds)]
    return pa.table(columns, [f"c{i}" for i in range(len(kinds))])


def values_case(
    draw: Random,
    kinds: Sequence[Kind],
    save: Callable[..., PrivateTable],
    about: str,
    prefix: str = "c",
) -> Case:
    """Rows of values of some kinds, of which one is replaced."""
    names = [f"{prefix}{i}" for i in range(len(kinds))]
    domain = domain_of(draw, names, [kind.reads for kind in kinds])
    max_rows = 3_000 if draw.random() < 0.01 else 30
    number = draw.randint(1, max_rows)
    if draw.random() < 0.5:
        rows = pooled_rows(draw, kinds, number)
    else:
        rows = [row_of(draw, kinds, 0.97) for _ in range(number)]
    versions = [row_of(draw, kinds, 0.3) for _ in range(5)] + [row_of(draw, kinds, 1)]
    place = draw.randint(0, len(rows))
    return Case(domain, tuple(rows), place, tuple(versions), save, about)


def with_lists(table: pa.Table, rows: Sequence[Values]) -> pa.Table:
    """The table with a column of lists in front, which readers leave out."""
    lists = [[] if row[0] is None else [len(row), None] for row in rows]
    return table.add_column(0, "lists", pa.array(lists, pa.list_(pa.int64())))


@dataclass(frozen=True)
class ParquetFile:
    """How a table is written to Parquet."""

    kinds: Sequence[Kind]
    options: dict[str, Any] = field(default_factory=dict)
    parts: int = 1
    has_lists: bool = False

    def save(self, rows: Sequence[Values], folder: Path) -> PrivateTable:
        """Write a file, or a folder of some."""
        step = -(-len(rows) // self.parts)
        place = folder / "parts"
        place.mkdir(exist_ok=True)
        for old in place.iterdir():
            old.unlink()
        for number, start in enumerate(range(0, len(rows), step)):
            piece = rows[start : start + step]
            table = arrow_table(self.kinds, piece)
            table = with_lists(table, piece) if self.has_lists else table
            parquet.write_table(table, place / f"{number}.parquet", **self.options)
        return open_table(place if self.parts > 1 else place / "0.parquet")


def parquet_file(draw: Random) -> Case:
    """A Parquet file of any types, or a folder of them."""
    kinds = [kind_of(draw, stored=True) for _ in range(draw.randint(1, 3))]
    types = [str(kind.array([]).type) for kind in kinds]
    older = ["1.0", "2.4"] * (
        "[ns" not in str(types)
    )  # these cut nanoseconds off, or refuse to
    options = {
        "row_group_size": draw.choice([2, 5, 1_000]),
        "use_dictionary": draw.choice([True, False]),
        "version": draw.choice(["2.6", "2.6", *older]),
        "data_page_version": draw.choice(["1.0", "2.0"]),
        "store_schema": draw.choice([True, True, False]),
        "compression": draw.choice(["none", "snappy", "zstd"]),
        "write_statistics": draw.choice([True, True, False]),
        "write_page_index": draw.choice([True, False]),
    }
    parts = draw.choice([1, 1, 1, 2])
    table = ParquetFile(kinds, options, parts, parts == 1 and draw.random() < 0.2)
    return values_case(draw, kinds, table.save, f"Parquet {types} {options} parts {parts}")


def arrow_frame(draw: Random) -> Case:
    """An Arrow table, a batch, a stream, or a table of several chunks."""
    kinds = [kind_of(draw, stored=False) for _ in range(draw.randint(1, 3))]
    form = draw.choice(["table", "chunks", "batch", "stream"])
    has_lists = form != "chunks" and draw.random() < 0.2

    def save(rows: Sequence[Values], _folder: Path) -> PrivateTable:
        table = arrow_table(kinds, rows)
        table = with_lists(table, rows) if has_lists else table
        if form == "chunks":
            step = 1 + len(rows) // 3
            pieces = [
                arrow_table(kinds, rows[i : i + step]) for i in range(0, len(rows), step)
            ]
            return held_table(pa.concat_tables(pieces))
        if form == "batch":
            return held_table(table.to_batches()[0])
        return held_table(table.to_reader() if form == "stream" else table)

    types = [str(kind.array([]).type) for kind in kinds]
    return values_case(draw, kinds, save, f"Arrow {form} {types}")
