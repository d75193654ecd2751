"""Which types of PostgreSQL Synth reads, and the SQL that reads a column of each. PRIVATE.

Only a type that PostgreSQL itself brings has no code of a table's owner. It is known by its
number, as anybody may give its name to another type. The text of a value comes from the
type's own output function, by way of ``concat``: that looks for no cast, which the owner of a
type may define."""

from collections.abc import Sequence
from dataclasses import dataclass

from synth import limits
from synth.foreign import quote_name

# PostgreSQL's own types, by their numbers, which are the same in every server.
BOOL = 16
BYTEA = 17
TEXT = 25
BPCHAR = 1042
VARCHAR = 1043
INT2 = 21
INT4 = 23
INT8 = 20
FLOAT4 = 700
FLOAT8 = 701
NUMERIC = 1700
DATE = 1082
TIMESTAMP = 1114
TIMESTAMPTZ = 1184
# Types that arrive as stored.
PLAIN_TYPES = frozenset(
    (BOOL, INT2, INT4, INT8, FLOAT4, FLOAT8, NUMERIC, TEXT, VARCHAR, BPCHAR)
)
# Types with infinite values; these and far values become a day that no domain declares.
ENDLESS_TYPES = {DATE: "date", TIMESTAMP: "timestamp", TIMESTAMPTZ: "timestamptz"}
# Types whose length is that of the text.
SIZED_TYPES = frozenset((TEXT, VARCHAR, BYTEA))
# Types that arrive as the text that PostgreSQL writes for them.
TEXT_TYPES = {
    BYTEA: "bytea",
    18: '"char"',
    19: "name",
    26: "oid",
    114: "json",
    142: "xml",
    600: "point",
    601: "lseg",
    602: "path",
    603: "box",
    604: "polygon",
    628: "line",
    650: "cidr",
    718: "circle",
    774: "macaddr8",
    790: "money",
    829: "macaddr",
    869: "inet",
    1083: "time",
    1186: "interval",
    1266: "timetz",
    1560: "bit",
    1562: "bit varying",
    2950: "uuid",
    3220: "pg_lsn",
    3614: "tsvector",
    3615: "tsquery",
    3802: "jsonb",
    3904: "int4range",
    3906: "numrange",
    3908: "tsrange",
    3910: "tstzrange",
    3912: "daterange",
    3926: "int8range",
    4072: "jsonpath",
    4451: "int4multirange",
    4532: "nummultirange",
    4533: "tsmultirange",
    4534: "tstzmultirange",
    4535: "datemultirange",
    4536: "int8multirange",
}
READABLE_TYPES = PLAIN_TYPES | ENDLESS_TYPES.keys() | TEXT_TYPES.keys()

# Letters in ``typtype``.
DOMAIN_KIND = "d"
ENUM_KIND = "e"


@dataclass(frozen=True)
class StoredType:
    """A type as the catalogue has it.

    Attributes:
        number: Its oid.
        kind: The letter in ``typtype``.
        name: For messages.
    """

    number: int
    kind: str
    name: str

    @property
    def is_readable(self) -> bool:
        """Whether Synth reads it.

        Labels of an enumeration are data; only its output function, a built-in one, is code.
        """
        return self.kind == ENUM_KIND or self.number in READABLE_TYPES


@dataclass(frozen=True)
class StoredColumn:
    """A column with the chain of its types.

    In the chain, the base of a domain follows it, and the element of an array.

    Attributes:
        name: The column's.
        types: From the column's own type to the last one, which is built on no other.
    """

    name: str
    types: tuple[StoredType, ...]

    @property
    def base(self) -> StoredType:
        """The type of the stored values, which is no domain."""
        return next(type_ for type_ in self.types if type_.kind != DOMAIN_KIND)

    @property
    def is_readable(self) -> bool:
        """Whether no part of its types comes from elsewhere than PostgreSQL."""
        return self.types[-1].is_readable


def collect_columns(lines: Sequence[tuple[str, int, str, str]]) -> list[StoredColumn]:
    """Return columns from lines of the catalogue, in their order.

    Args:
        lines: A column's name and one of its types: the oid, the letter in ``typtype`` and
            the type's name. A column has a line for each type of its chain, in order.

    >>> lines = [
    ...     ("age", 16400, "d", "years"),
    ...     ("age", 23, "b", "int4"),
    ...     ("sex", 25, "b", "text"),
    ... ]
    >>> [(column.name, column.base.name) for column in collect_columns(lines)]
    [('age', 'int4'), ('sex', 'text')]
    """
    chains: dict[str, list[StoredType]] = {}
    for column, number, kind, name in lines:
        chains.setdefault(column, []).append(StoredType(number, kind, name))
    return [StoredColumn(name, tuple(types)) for name, types in chains.items()]


def read_column_sql(column: StoredColumn) -> str:
    """Return SQL that reads a column.

    The SQL fails on no row, and calls no function of the column's owner. Infinite and far
    dates become the year 20000; a text that is too long for a cell becomes another one that
    is too long, but can be sent.

    Args:
        column: A column whose types Synth reads.
    """
    name = quote_name(column.name)
    base = column.base.number
    if base in ENDLESS_TYPES:
        far = f"'20000-01-01'::pg_catalog.{ENDLESS_TYPES[base]}"
        near = f"pg_catalog.isfinite({name}) AND {name} < {far}"
        value = f"CASE WHEN {near} THEN {name} WHEN {name} IS NULL THEN NULL ELSE {far} END"
        return f"{value} AS {name}"
    # `concat` of one value is its text; plain types arrive as they are stored.
    text = name if base in PLAIN_TYPES else f"pg_catalog.concat({name})"
    if base in PLAIN_TYPES and base not in SIZED_TYPES:
        return name
    # A server cannot send the longest cells; one above the limit is not declared anyway.
    sized = name if base in SIZED_TYPES else text
    too_long = f"pg_catalog.octet_length({sized}) > {limits.CELL_BYTES}"
    stand_in = f"pg_catalog.repeat('x', {limits.CELL_BYTES + 1})"
    empty = f"WHEN {name} IS NULL THEN NULL"
    return f"CASE {empty} WHEN {too_long} THEN {stand_in} ELSE {text} END AS {name}"
