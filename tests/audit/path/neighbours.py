"""Layer 6: counts of neighbours, and of cells at every edge of a declaration."""

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from synth.domain import Categorical, Date, Domain, Integer, Number, Outside
from synth.privacy import ROW, Neighbors, Unit
from synth.private.counting import Engine, Needs, counts, one_reading
from synth.private.table import open_table
from tests.audit.path.tables import DOMAIN, HEADER, PERSON, Rows, related
from tests.counting.coding import coded, passing
from tests.tables import cells, write

PLACES = ((0,), (1,), (0, 1), (0, 1, 2))
"""Columns of the marginals that are counted."""


def counting(*units: Unit) -> str:
    """Neighbours' counts, in all ways to count them, against the moves that are declared."""
    for unit in units or (ROW, PERSON):
        counts_of_tables: list[tuple[Rows, list[Any]]] = []
        for neighbors in Neighbors:
            tables, are = related(neighbors, unit)
            for rows in tables:
                counts_of_table = next(
                    (m for r, m in counts_of_tables if r == rows), None
                ) or counted(rows, unit)
                for earlier, counts_of_earlier in counts_of_tables:
                    broken = are(rows, earlier) and _moves(
                        counts_of_table, counts_of_earlier, unit, neighbors
                    )
                    if broken and (earlier in tables):
                        return f"{broken} ({neighbors}, {unit})"
                counts_of_tables.append((rows, counts_of_table))
    return ""


def counted(rows: Rows, unit: Unit) -> list[Any]:
    """Counts of the whole table and of its marginals, as all ways of release ask for them."""
    with TemporaryDirectory() as folder:
        table = open_table(write(Path(folder) / "t.csv", HEADER, rows))
        histogram = counts.count(table, DOMAIN, unit)
        marginals = coded(table, DOMAIN, unit)
        rows_passing = passing(table, DOMAIN, PLACES, unit=unit, engine=Engine.DUCKDB)
        needs = Needs(DOMAIN, unit=unit)
        released, _ = one_reading.count_and_add(table, needs)
    return [
        histogram,
        released,
        *(
            way_to_count.count(place)
            for way_to_count in (marginals, rows_passing)
            for place in PLACES
        ),
    ]


def _moves(
    all_counts: list[Any], all_others: list[Any], unit: Unit, neighbors: Neighbors
) -> str:
    for a, b in zip(all_counts, all_others, strict=True):
        gap = np.abs(a.dense() - b.dense())
        if gap.sum() > unit.sensitivity(neighbors):
            return "counts move by more than is declared"
        if (gap**2).sum() > unit.square(neighbors):
            return "squares of counts move by more than is declared"
        if a.public_rows(neighbors) != b.public_rows(neighbors):
            return "the number of rows is public, and tells neighbours apart"
        if a.domain.shape != b.domain.shape:
            return "the cells tell neighbours apart"
    wholes = [a.dense() for a in all_counts if a.domain.shape == DOMAIN.shape]
    if not all((wholes[0] == dense).all() for dense in wholes):
        return "the histogram and the marginals are not of the same rows"
    return ""


MONTHS = ("2024-01-01", "2024-02-01", "2024-07-01", "2024-12-31")

READ = Domain(
    (
        Categorical(name="sex", categories=("F", "M"), missing=True),
        Integer(name="age", minimum=0, maximum=99, bins=5),
        Integer(name="pay", minimum=0, maximum=9, bins=2, outside=Outside.DROP),
        Number(name="weight", minimum="0", maximum="2.5", bins=5, outside=Outside.CELL),
        Date(
            name="day", minimum="2024-01-01", maximum="2024-12-31", edges=MONTHS, missing=True
        ),
    ),
    ("", "NA"),
)

EDGES = {
    "sex": ["F", "M", " F ", "f", "NA", "", "X"],
    "age": ["0", "19", "20", "39", "40", "99", "100", "-1", "nan", "", "1e3"],
    "pay": ["4", "5", "0", "9", "10", "-1", "nan", "4.5"],
    "weight": ["0.5", "0.4999", "0", "2.5", "2.51", "-0.1", "nan", "inf", ""],
    "day": ["2024-01-31", "2024-02-01", "2024-12-31", "2024-01-01", "2025-01-01", "", "x"],
}

USUAL = ["F", "50", "7", "1", "2024-06-15"]


def reading() -> str:
    """Cells at every edge of the declaration, each in one column of a usual row."""
    rows = [USUAL] + [
        [
            cell if name == changed_name else usual
            for name, usual in zip(EDGES, USUAL, strict=True)
        ]
        for changed_name, texts in EDGES.items()
        for cell in texts
    ]
    with TemporaryDirectory() as folder:
        # The file of an earlier session had another table under the same name.
        for content in (rows[:3], rows):
            table = open_table(write(Path(folder) / "t.csv", list(EDGES), content))
            histogram = counts.count(table, READ)
            codes = counts.codes(table, READ)
        counted_cells = dict(
            zip(histogram.cells.tolist(), histogram.counts.tolist(), strict=True)
        )
    expected_cells = Counter(cells(READ, rows))
    if counted_cells != expected_cells or histogram.rows != len(rows):
        return "the histogram is not that of the declaration"
    if Counter(np.ravel_multi_index(codes, READ.shape).tolist()) != expected_cells:
        return "the codes are not those of the declaration"
    return ""
