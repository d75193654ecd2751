"""Neighbours in a table of PostgreSQL: types of every kind, and values at their ends."""

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from synth.private.table import PrivateTable, open_table
from tests.fuzz.neighbour_arrow import Kind, Values, values_case
from tests.fuzz.neighbour_columns import ODD, WORDS
from tests.fuzz.neighbours import Case

TYPES = {
    "text": "list",
    "varchar(2000000)": "list",
    "char(4)": "list",
    "name": "list",
    "fuzz_text": "list",
    "int2": "int",
    "int4": "int",
    "int8": "int",
    "numeric": "num",
    "numeric(12, 2)": "num",
    "float4": "num",
    "float8": "num",
    "money": "num",
    "bool": "bool",
    "date": "date",
    "timestamp": "date",
    "timestamptz": "date",
    "fuzz_day": "date",
    "time": "list",
    "timetz": "list",
    "interval": "list",
    "json": "list",
    "jsonb": "list",
    "int4[]": "list",
    "text[]": "list",
    "uuid": "list",
    "bytea": "list",
    "fuzz_mood": "list",
    "inet": "list",
    "point": "list",
    "int4range": "list",
    "fuzz_mood[]": "list",
    "bit varying": "list",
}
"""Types of columns, and what kind of column is likely to be declared for each."""
DEFINED = (
    "CREATE DOMAIN fuzz_text AS text",
    "CREATE DOMAIN fuzz_day AS date",
    "CREATE TYPE fuzz_mood AS ENUM ('a', 'x y', '')",
)
"""Types that a database may add."""
DAYS = (
    "infinity",
    "-infinity",
    "4713-01-01 BC",
    "0044-03-15 BC",
    "0001-01-01",
    "9999-12-31",
    "10000-01-01",
    "19999-12-31",
    "20000-01-01",
    "2024-02-29",
)
MOMENTS = (*DAYS, "294276-12-31 23:59:59.999999", "2021-03-28 02:30:00.000001", "epoch")
WHOLE = {"int2": 15, "int4": 31, "int8": 63}
FAR: dict[str, Sequence[str]] = {
    "numeric": (
        "NaN",
        "Infinity",
        "-Infinity",
        "1e5000",
        "1e-9000",
        "0.10000000000000000000001",
        "12345678901234567890.123",
        "-0",
    ),
    "numeric(12, 2)": ("NaN", "9999999999.99", "-9999999999.99", "0.005"),
    "float4": ("NaN", "Infinity", "-Infinity", "3.4028235e38", "1e-45", "-0", "16777217"),
    "float8": (
        "NaN",
        "Infinity",
        "-Infinity",
        "1.7976931348623157e308",
        "5e-324",
        "-0",
        "9007199254740993",
        "0.1",
    ),
    "money": ("-92233720368547758.08", "92233720368547758.07", "1000"),
    "bool": ("true", "false"),
    "date": (*DAYS, "5874897-12-31"),
    "timestamp": MOMENTS,
    "timestamptz": (*MOMENTS, "2020-01-01 00:00:00+15:59"),
    "time": ("24:00:00", "00:00:00", "23:59:59.999999"),
    "timetz": ("24:00:00-15:59", "00:00:00+05:30"),
    "interval": ("1 day", "-1 mon", "178000000 years", "00:00:00.000001"),
    "json": ("{}", "[1, 2]", '{"a": 1, "a": 2}', '"a"', "null", "1e999"),
    "jsonb": ("{}", "[1, 2]", '{"a": 1, "a": 2}', '"a"', "null"),
    "int4[]": ("{}", "{1,2}", "{{1},{NULL}}", "[0:1]={1,2}"),
    "text[]": ("{}", '{a,"x,y"}', "{NULL,NULL}", '{"\\""}'),
    "uuid": ("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "00000000-0000-0000-0000-000000000000"),
    "bytea": ("\\x", "\\xff", "\\x610062", "\\x61"),
    "fuzz_mood": ("a", "x y", ""),
    "inet": ("127.0.0.1", "::1/64"),
    "point": ("(1,2)", "(NaN,Infinity)"),
    "int4range": ("empty", "[1,5)", "(,)"),
    "fuzz_mood[]": ("{}", '{a,"x y"}', '{NULL,""}'),
    "bit varying": ("", "101"),
}
LONG = ("a" * 1_999_999, "é" * 1_000_001)
"""Texts at the longest that a cell is read."""


def value_of(draw: Random, kind: str, near: bool) -> str:
    """A value as PostgreSQL spells it, near to what is declared or at an end of the type."""
    if kind in WHOLE:
        end = 1 << WHOLE[kind]
        return str(draw.randint(-25, 105) if near else draw.choice([-end, end - 1, 0]))
    if near and TYPES[kind] == "num":
        return draw.choice([str(draw.randint(0, 10)), f"{draw.uniform(0, 10):.2f}"])
    if kind in ("date", "fuzz_day") or (near and TYPES[kind] == "date"):
        near_day = (
            f"202{draw.randint(0, 4)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
        )
        return near_day if near else draw.choice(FAR["date"])
    if kind in FAR:
        return draw.choice(FAR[kind])
    words = WORDS
    if not near:
        words = (*ODD, *LONG) if draw.random() < 0.01 else ODD
    text = draw.choice(words).replace("\0", "")
    max_length = {"char(4)": 4, "name": 15}.get(kind)
    return text[:max_length]


def postgresql_table(draw: Random, run: Callable[..., None], address: str) -> Case:
    """A table of a running server, made anew for each version.

    Args:
        draw: The generator.
        run: Executes statements there.
        address: Of the table.
    """
    types = [draw.choice([*TYPES]) for _ in range(draw.randint(1, 3))]
    kinds = [
        Kind(lambda draw, near, kind=kind: value_of(draw, kind, near), list, TYPES[kind])
        for kind in types
    ]

    def save(rows: Sequence[Values], _folder: Path) -> PrivateTable:
        fields = ", ".join(f"c{i} {kind}" for i, kind in enumerate(types))
        run("DROP TABLE IF EXISTS fuzz", f"CREATE UNLOGGED TABLE fuzz ({fields})")
        lines = (", ".join(map(_literal, row)) for row in rows)
        run(f"INSERT INTO fuzz VALUES {', '.join(f'({line})' for line in lines)}")
        return open_table(address)

    return values_case(draw, kinds, save, f"PostgreSQL {types}")


def _literal(value: str | None) -> str:
    return "NULL" if value is None else "'" + value.replace("'", "''") + "'"
