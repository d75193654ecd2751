"""Slips in counting, persons and reading."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from synth.domain import Domain, Integer, Outside
from synth.privacy import ROW, Neighbors, Unit
from synth.private.counting import Counts, DuckDB, Needs, counts, one_reading
from synth.private.counting.counts import CodedRows
from synth.private.table import open_table
from synth.spending import pipeline
from tests.audit.path.tables import HEADER, Rows, plain_rows
from tests.audit.path_mutants.told import Slip, both, edit, put
from tests.tables import code, write

# Counting: the product's ways to count go one way that a plain reader would not.


def reading(choose: Callable[[Rows, Unit], Rows]) -> Slip:
    """Both ways to count, of rows that are chosen so."""

    def codes(table: Any, domain: Domain, unit: Unit = ROW, **_: Any) -> list[Any]:
        names = HEADER.index(unit.person) if unit.person else None
        columns = [HEADER.index(name) for name in domain.names]
        rows = choose(plain_rows(table.path), unit)
        codes_of_rows = [
            [
                code(column, row[at], ("",))
                for column, at in zip(domain.columns, columns, strict=True)
            ]
            for row in rows
        ]
        assert names in (None, 0)
        complete = [row for row in codes_of_rows if None not in row]
        shape = (len(complete), len(columns))
        return list(np.array(complete, dtype=np.int32).reshape(shape).T)

    def count(table: Any, domain: Domain, unit: Unit = ROW, *_: Any) -> Counts:
        codes_of_columns = codes(table, domain, unit)
        values = np.zeros(domain.shape, np.int64)
        np.add.at(values, tuple(codes_of_columns), 1)
        rows = len(codes_of_columns[0]) if unit.person else len(plain_rows(table.path))
        occupied = np.flatnonzero(values)
        return Counts(
            domain=domain,
            cells=occupied,
            counts=values.reshape(-1)[occupied],
            rows=rows,
            unit=unit,
        )

    def count_and_add(table: Any, needs: Needs, **_: Any) -> tuple[Counts, None]:
        return count(table, needs.domain, needs.unit), None

    def read_rows(table: Any, needs: Needs, *_: Any, **__: Any) -> tuple[CodedRows, None]:
        columns = codes(table, needs.domain, needs.unit)
        rows = count(table, needs.domain, needs.unit).rows
        coded = CodedRows(domain=needs.domain, codes=columns, rows=rows, unit=needs.unit)
        return coded, None

    return lambda: [
        (counts, "count", count),
        (counts, "codes", codes),
        (one_reading, "read_rows", read_rows),
        (pipeline, "count_and_add", count_and_add),
    ]


def first(
    rows: Rows, unit: Unit, key: Callable[[list[str]], Any] = lambda row: row[0]
) -> Rows:
    """The first rows of each key, as many as may be used; of nobody none."""
    rows_of_key: Counter[Any] = Counter()
    first_rows = []
    for row in sorted(rows):
        if not unit.person:
            first_rows.append(row)
        elif row[0] and rows_of_key[key(row)] < unit.max_rows:
            rows_of_key[key(row)] += 1
            first_rows.append(row)
    return first_rows


def by_others(rows: Rows, unit: Unit) -> Rows:
    """Of each person the rows that are most common among all."""
    common = Counter(tuple(row[1:]) for row in rows)
    return (
        first([row for row in rows], unit)
        if not unit.person
        else [
            row
            for person in {row[0] for row in rows} - {""}
            for row in sorted(
                (row for row in rows if row[0] == person),
                key=lambda row: -common[tuple(row[1:])],
            )[: unit.max_rows]
        ]
    )


def every_second_left_out(rows: Rows, unit: Unit) -> Rows:
    return [row for i, row in enumerate(first(rows, unit)) if i % 2 == 0]


def of_nobody(rows: Rows, unit: Unit) -> Rows:
    return first(rows, unit) + [row for row in rows if unit.person and not row[0]]


def each_cell(rows: Rows, unit: Unit) -> Rows:
    return first(rows, unit, key=tuple)


def more_rows(
    right: Any, table: Any, domain: Domain, unit: Unit = ROW, *arguments: Any, **words: Any
) -> Any:
    """One row more of each person than is declared."""
    wide = replace(unit, max_rows=unit.max_rows + 1) if unit.person else unit
    result = right(table, domain, wide, *arguments, **words)
    return replace(result, unit=unit) if isinstance(result, Counts) else result


def more_rows_read(right: Any, table: Any, needs: Needs, *arguments: Any) -> Any:
    """The same of rows that are held."""
    unit = needs.unit
    wide = replace(unit, max_rows=unit.max_rows + 1) if unit.person else unit
    rows, moments = right(table, replace(needs, unit=wide), *arguments)
    return replace(rows, unit=unit), moments


def more_rows_passing(
    right: Any, engine: Any, table: Any, domain: Domain, groups: Any, *, sums: Any, unit: Unit
) -> Any:
    """The same of rows that pass by and are not kept."""
    wide = replace(unit, max_rows=unit.max_rows + 1) if unit.person else unit
    return right(engine, table, domain, groups, sums=sums, unit=wide)


def only_seen(
    right: Any, table: Any, domain: Domain, *arguments: Any, **named: Any
) -> Counts:
    """Categories that are in the table, and no others."""
    at, rows = HEADER.index("a"), plain_rows(table.path)
    seen_categories = tuple(
        c for c in ("x", "y", "z") if any(row[at] == c for row in rows)
    ) or ("x",)
    columns = [
        replace(column, categories=seen_categories) if column.name == "a" else column
        for column in domain.columns
    ]
    counted: Counts = right(table, Domain(tuple(columns)), *arguments, **named)
    return counted


def also_first_cells(
    right: Any, table: Any, domain: Domain, *arguments: Any, **named: Any
) -> Counts:
    """A row that is left out counts in the first three cells."""
    counted: Counts = right(table, domain, *arguments, **named)
    lost = counted.rows - int(counted.counts.sum())
    dense = counted.dense()
    dense[:3] += lost
    occupied = np.flatnonzero(dense)
    return replace(counted, cells=occupied, counts=dense[occupied])


def mended(right: Any, rows: CodedRows, columns: Any) -> Counts:
    """Rows that a rule forbids are given the commonest cell of the other rows."""
    cells = np.ravel_multi_index(rows.codes, rows.domain.shape)
    good = cells[cells != 0]
    if len(good):
        cells = np.where(cells == 0, np.bincount(good).argmax(), cells)
    codes = [c.astype(np.int32) for c in np.unravel_index(cells, rows.domain.shape)]
    counted: Counts = right(replace(rows, codes=codes), columns)
    return counted


# Reading: one engine takes a declaration, or a cell, for another.


def declared(change: Callable[[Any], Any]) -> Slip:
    """The histogram is counted under another declaration of the same cells."""

    def count(
        right: Any, table: Any, domain: Domain, *arguments: Any, **named: Any
    ) -> Counts:
        changed_domain = Domain(tuple(map(change, domain.columns)), domain.missing_values)
        return replace(right(table, changed_domain, *arguments, **named), domain=domain)

    return put(counts, "count", count)


def edge_moved(column: Any) -> Any:
    if column.name != "age":
        return column
    return Integer(name="age", minimum=0, maximum=99, edges=(0, 21, 40, 60, 80, 99))


def rule(name: str, outside: Outside) -> Callable[[Any], Any]:
    return lambda column: replace(column, outside=outside) if column.name == name else column


def written(change: Callable[[str, str], str]) -> Slip:
    """Cells are read as others: a name and a text to another text."""

    def count(
        right: Any, table: Any, domain: Domain, *arguments: Any, **named: Any
    ) -> Counts:
        rows = [
            [change(n, c) for n, c in zip(table.header, row, strict=True)]
            for row in plain_rows(table.path)
        ]
        with TemporaryDirectory() as folder:
            copy = write(Path(folder) / "t.csv", list(table.header), rows)
            counted: Counts = right(open_table(copy), domain, *arguments, **named)
        return counted

    return put(counts, "count", count)


def the_day_before(name: str, cell: str) -> str:
    if name != "day" or cell != "2024-02-01":
        return cell
    return "2024-01-31"


MEMORY: dict[Any, Counts] = {}


def remembered(right: Any, table: Any, *arguments: Any, **named: Any) -> Counts:
    """Counts by the name of the file, whatever is in it by now."""
    return MEMORY.setdefault(table.path, right(table, *arguments, **named))


OF_PERSONS = {
    "rows public for persons": edit(Unit, "shares_rows", " and not self.person", ""),
    "sensitivity of persons without their rows": edit(
        Unit, "sensitivity", "self.max_rows * ", ""
    ),
    "squared sensitivity of k rows taken for k": edit(
        Unit, "square", "self.max_rows**2", "self.max_rows"
    ),
    "a person's rows beyond k kept": both(
        *(put(counts, way, more_rows) for way in ("count", "codes")),
        put(one_reading, "read_rows", more_rows_read),
    ),
    "rows beyond k kept by one of three ways": put(one_reading, "read_rows", more_rows_read),
    "rows beyond k kept as they pass by": put(DuckDB, "marginals", more_rows_passing),
    "a person's rows chosen by other people's": reading(by_others),
    "k rows of each person and cell": reading(each_cell),
    "rows that name nobody kept": reading(of_nobody),
}

OF_ROWS = {
    "rows public where one is added": edit(
        Unit, "shares_rows", "neighbors is Neighbors.REPLACE_ONE and ", ""
    ),
    "rows counted after rules leave some out": edit(
        Counts, "public_rows", "return self.rows", "return int(self.counts.sum())"
    ),
    "sensitivity 1 where a row is replaced": edit(Neighbors, "sensitivity", "2 if", "1 if"),
    "rows left out by their place": reading(every_second_left_out),
    "categories from the data": put(counts, "count", only_seen),
    "rows outside counted in several cells": put(counts, "count", also_first_cells),
    "rules applied to private rows": put(CodedRows, "count", mended),
}


OF_READING = {
    "a bin's edge off by one on one engine": declared(edge_moved),
    "nearest taken for drop": declared(rule("age", Outside.DROP)),
    "drop taken for nearest": declared(rule("pay", Outside.NEAREST)),
    "NaN inside": written(lambda _, c: "0" if c == "nan" else c),
    "a date off by the time zone": written(the_day_before),
    "letter case ignored": written(lambda n, c: c.upper() if n == "sex" else c),
    "an empty cell read as zero": written(lambda n, c: c or ("0" if n == "weight" else c)),
    "the maximum outside": written(lambda _, c: "9.9" if c == "2.5" else c),
    "the memory of an earlier session": put(counts, "count", remembered),
}
