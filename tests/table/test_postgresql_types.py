"""Types of PostgreSQL are known by their numbers, down to what they are built on."""

import pytest

from synth.private.table.postgresql_types import (
    StoredColumn,
    StoredType,
    collect_columns,
    read_column_sql,
)

BUILT_IN = StoredType(25, "b", "text")


def stored_column(*types: StoredType) -> StoredColumn:
    return StoredColumn('a "b"', types)


@pytest.mark.parametrize(
    ("types", "is_readable"),
    [
        ([BUILT_IN], True),
        ([StoredType(16_400, "d", "code"), BUILT_IN], True),
        ([StoredType(16_400, "e", "mood")], True),
        ([StoredType(1009, "b", "text[]"), BUILT_IN], True),
        ([StoredType(16_400, "b", "text")], False),  # the name says nothing
        ([StoredType(16_400, "c", "pair")], False),
        (
            [
                StoredType(16_402, "d", "twice"),
                StoredType(16_401, "d", "once"),
                StoredType(16_400, "c", "pair"),
            ],
            False,
        ),
        ([StoredType(16_401, "b", "pair[]"), StoredType(16_400, "c", "pair")], False),
        ([StoredType(16_400, "r", "span")], False),
        (
            [StoredType(2205, "b", "regclass")],
            False,
        ),  # its text is looked up in the catalogue
    ],
)
def test_what_is_built_on_the_owners_types_is_not_read(
    types: list[StoredType], is_readable: bool
) -> None:
    """A column is read only if it is built on a type of PostgreSQL, or on a list of labels.

    Each case is the chain of a column's types, of which the last is built on no other:
    number, kind and name. The kinds are b for base, d for domain, e for enumeration, c for
    composite and r for range. PostgreSQL's own types are known by fixed numbers.
    """
    assert stored_column(*types).is_readable is is_readable


TYPES_TO_READ = [
    BUILT_IN,
    StoredType(number=17, kind="b", name="bytea"),
    StoredType(number=114, kind="b", name="json"),
    StoredType(number=1082, kind="b", name="date"),
    StoredType(number=23, kind="b", name="int4"),
    StoredType(number=1700, kind="b", name="numeric"),
    StoredType(number=16_400, kind="e", name="mood"),  # an enumeration of the owner
]


@pytest.mark.parametrize("stored_type", TYPES_TO_READ, ids=lambda stored: stored.name)
def test_values_are_not_cast(stored_type: StoredType) -> None:
    """The SQL that reads a column casts none of its values, as an owner may define casts.

    Only a constant is cast, to a date that PostgreSQL has itself. The SQL ends with the
    column's name, in double quotes.
    """
    text = read_column_sql(stored_column(stored_type))
    assert text.endswith('"a ""b"""')
    assert "::" not in text.replace("'20000-01-01'::pg_catalog.date", "")


def test_each_column_has_its_own_chain() -> None:
    """Lines of the catalogue are grouped by column, each with the type under its domain.

    Column a is of a domain over text (25), and column b of integers (23).
    """
    lines = [("a", 16_400, "d", "code"), ("a", 25, "b", "text"), ("b", 23, "b", "integer")]
    a, b = collect_columns(lines)
    assert (a.base.number, b.base.number) == (25, 23)
