"""Small tables and domains that several tests share, and an independent reader of them."""

import csv
from datetime import datetime
from pathlib import Path

from synth.bundle import DOMAIN, NOISY, SYNTHETIC, Result
from synth.bundle.writer import table_writers, write_files
from synth.domain import Boolean, Categorical, Column, Date, Domain, Integer, Number, Outside

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared" / "data"
PLAIN = (SYNTHETIC, NOISY, DOMAIN)

MIXED = Domain(
    (
        Categorical(name="sex", categories=("F", "M"), missing=True),
        Integer(name="age", minimum=0, maximum=99, bins=5),
        Number(name="weight", minimum="0", maximum="2.5", bins=5, outside=Outside.CELL),
        Date(name="day", minimum="2024-01-01", maximum="2024-12-31", bins=4, missing=True),
        Boolean(name="smoker", true_values=("yes",), false_values=("no",)),
    ),
    ("", "NA"),
)

ROWS = [
    ["F", "0", "0", "2024-01-01", "yes"],
    ["M", "99", "2.5", "2024-12-31", "no"],
    [" F ", "20", "0.5", "2024-03-31", "no"],
    ["X", "19", "0.4999999", "2024-04-01", "no"],
    ["NA", "-5", "-1", "", "yes"],
    ["", "1e3", "inf", "not a day", "no"],
    ["M", "", "1", "2024-06-01", "yes"],
    ["M", "nan", "1", "2024-06-01", "yes"],
    ["M", "40", "nan", "2023-01-01", "maybe"],
    ["M", "39.5", "", "2030-01-01", "no"],
    ["F", "abc", "2.5000001", "2024-02-30", "no"],
]


def universe(*sizes: int) -> Domain:
    """Lists c0, c1 and so on, of so many cells."""
    cells = [tuple(map(str, range(size))) for size in sizes]
    return Domain(tuple(Categorical(name=f"c{i}", categories=c) for i, c in enumerate(cells)))


def write(path: Path, header: list[str], rows: list[list[str]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def code(column: Column, cell: str, missing_values: tuple[str, ...]) -> int | None:
    """The code of a cell's text by the declared rules, in plain Python; None drops the
    row.
    """
    text = cell.strip()
    missing = len(column.labels) if column.missing else None
    other_code = len(column.labels) + column.missing
    unknown = {Outside.CELL: other_code, Outside.DROP: None}.get(column.rule, missing)
    if isinstance(column, Categorical) and text in column.categories:
        return column.categories.index(text)
    if isinstance(column, Boolean) and text in column.false_values + column.true_values:
        return int(text in column.true_values)
    if text in missing_values:
        return missing if column.missing else unknown
    value = None if isinstance(column, Categorical | Boolean) else _value(column, text)
    if value is None or value != value:
        return unknown
    cuts = list(column.borders) if isinstance(column, Number) else list(column.starts)
    last = len(cuts) - 2
    high = column.bounds[1]
    if value < cuts[0]:
        return 0 if column.rule is Outside.NEAREST else unknown
    if value > high:
        return last if column.rule is Outside.NEAREST else unknown
    return min(last, sum(value >= cut for cut in cuts[1:]))


def _value(column: Column, text: str) -> float | None:
    try:
        if isinstance(column, Date):
            return (datetime.strptime(text, column.pattern) - datetime(1970, 1, 1)).days
        return float(text)
    except ValueError:
        return None


def cells(domain: Domain, rows: list[list[str]]) -> list[int]:
    """The cells of the rows that no rule drops."""
    numbers = []
    for row in rows:
        codes = [
            code(column, cell, domain.spellings_of_missing(column))
            for column, cell in zip(domain.columns, row, strict=True)
        ]
        if None not in codes:
            cell = 0
            for size, digit in zip(domain.shape, codes, strict=True):
                cell = cell * size + digit
            numbers.append(cell)
    return numbers


def write_plain(result: Result, folder: Path) -> dict[str, Path]:
    """The rows, the counts, the domain and the certificate of a release, without its slow
    pages.
    """
    writers = table_writers(result.synthetic, result.record)
    return write_files(folder, {name: writers[name] for name in PLAIN}, result.certificate)
