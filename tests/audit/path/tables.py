"""Tables of a few persons, the plain reader of them, and a door without noise."""

import csv
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from synth.domain import Categorical, Domain, Outside
from synth.door import Ledger, door
from synth.errors import SynthError
from synth.privacy import Guarantee, Neighbors, Unit
from synth.private.counting.counts import CodedRows
from tests.tables import code

Rows = list[list[str]]

HEADER = ["pid", "a", "b", "c"]

DOMAIN = Domain(
    (
        Categorical(name="a", categories=("x", "y", "z"), outside=Outside.DROP),
        Categorical(name="b", categories=("0", "1", "2"), outside=Outside.DROP),
        Categorical(name="c", categories=("p", "q")),
    )
)

PERSON = Unit("pid", 2)

SECRET = "zq-secret-cell"

OTHERS = [
    *[["bob", "x", "0", "q"], ["bob", "x", "1", "p"], ["bob", "y", "2", "q"]],
    *[["lee", "x", "0", "p"]] * 2,
    *[["eve", "x", "2", "q"], ["eve", "y", "1", "q"], ["kim", "y", "1", "q"]],
]
"""Rows that all neighbours share; bob has more than may be used."""

ANN: list[Rows] = [
    [],
    [["ann", "x", "0", "p"]],
    [["ann", "x", "0", "p"]] * 4,
    [["ann", "y", "2", "q"]] * 3,
    [["ann", "z", "2", "q"]] * 3,
    [["ann", "x", "0", "q"], ["ann", "y", "2", "p"], ["ann", "y", "1", "p"]],
    [["ann", "?", "0", "p"], ["ann", "x", SECRET, "p"], ["ann", "x", "1", "p"]],
]
"""What one person may bring."""

NOBODY: list[Rows] = [[["", "x", "0", "p"]] * 4]

ONE = [
    ["ann", a, b, "q"]
    for a, b in (("x", "0"), ("z", "2"), ("x", "2"), ("?", "0"), ("x", SECRET))
]


def related(
    neighbors: Neighbors, unit: Unit
) -> tuple[list[Rows], Callable[[Rows, Rows], bool]]:
    """Small tables, and which of them are neighbours."""
    if unit.person:
        tables = [rows + OTHERS for rows in [*ANN, *NOBODY]]
        bare = tables[0]
        return tables, lambda a, b: neighbors is Neighbors.REPLACE_ONE or bare in (a, b)
    if neighbors is Neighbors.REPLACE_ONE:
        return [[row, *OTHERS] for row in ONE], lambda *_: True
    tables = [OTHERS, *([row, *OTHERS] for row in ONE)]
    return tables, lambda a, b: OTHERS in (a, b)


def coded(rows: Rows, unit: Unit) -> CodedRows:
    """Rows as the product would keep them, the first of each person."""
    rows_of_person: Counter[str] = Counter()
    codes_of_rows, left_out = [], 0
    for row in rows:
        inside = [
            code(column, cell, ("",))
            for column, cell in zip(DOMAIN.columns, row[1:], strict=True)
        ]
        rows_of_person[row[0]] += 1
        if unit.person and (not row[0] or rows_of_person[row[0]] > unit.max_rows):
            continue
        codes_of_rows += [inside] if None not in inside else []
        left_out += None in inside
    codes = np.array(codes_of_rows, dtype=np.int32).reshape(-1, len(DOMAIN.columns))
    total = len(codes_of_rows) + (0 if unit.person else left_out)
    return CodedRows(domain=DOMAIN, codes=list(codes.T), rows=total, unit=unit)


def door_of(neighbors: Neighbors, unit: Unit, claim: Guarantee, **options: Any) -> door.Door:
    """A door of its own ledger."""
    arguments = {"ledger": Ledger(), "dataset": "d", "purpose": "audit"} | options
    return door.Door(neighbors=neighbors, unit=unit, guarantee=claim, **arguments)


def refused(act: Callable[[], Any]) -> bool:
    try:
        act()
    except SynthError:
        return True
    return False


def plain_rows(path: Path) -> Rows:
    """The rows of a file as a mutant reads them that goes its own way."""
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))[1:]
