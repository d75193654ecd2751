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
    assert stored_column(*types).is_readable is is_readable


def test_no_cast_is_asked_for() -> None:
    """But of constants, whose type PostgreSQL has itself."""
    for kind in (25, 17, 114, 1082, 23, 1700, 16_400):
        text = read_column_sql(
            stored_column(StoredType(kind, "e" if kind > 16_000 else "b", "x"))
        )
        assert text.endswith('"a ""b"""')
        assert "::" not in text.replace("'20000-01-01'::pg_catalog.date", "")


def test_each_column_has_its_own_chain() -> None:
    lines = [("a", 16_400, "d", "code"), ("a", 25, "b", "text"), ("b", 23, "b", "integer")]
    first, second = collect_columns(lines)
    assert (first.base.number, second.base.number) == (25, 23)
