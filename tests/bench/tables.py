"""Tables that releases are measured on: the shared ones, and odd shapes made here.

Shared tables without a declaration are cut into cells by their own values, which is for a
bench alone: no steward may do so. `ASIDE` are never looked at while a constant is fitted."""

import json
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from synth.domain import Categorical, Domain, read_schema
from synth.private.counting.counts import CodedRows
from synth.private.table import open_table
from tests.bench.train import ORDERED
from tests.counting.coding import coded
from tests.tables import SHARED

Codes = list[npt.NDArray[np.int32]]

ASIDE = ("bank", "nafld")
"""Kept aside: no constant and no rule of choice is fitted to them."""
BINS, MOST = 12, 24
"""Cells of a number, and most values of a text, in tables without a declaration."""


def read_declared(schema: str, file: str) -> CodedRows:
    """A shared table under its declaration."""
    return coded(open_table(SHARED / file), read_schema(SHARED / schema))


def hold_codes(codes: Sequence[npt.NDArray[np.integer]], sizes: Sequence[int]) -> CodedRows:
    """Codes as rows; columns c0, c1, ... of so many cells."""
    columns = [
        Categorical(name=f"c{i}", categories=tuple(map(str, range(size))))
        for i, size in enumerate(sizes)
    ]
    columns_of_codes = [np.asarray(column, dtype=np.int32) for column in codes]
    return CodedRows(
        domain=Domain(tuple(columns)), codes=columns_of_codes, rows=len(columns_of_codes[0])
    )


def cut(file: str, *, without: Sequence[str] = ()) -> CodedRows:
    """A shared table without a declaration: numbers cut evenly, rare texts in one cell."""
    frame = pd.read_csv(SHARED / file).drop(columns=list(without))
    coded_columns = [_cut(frame[name]) for name in frame.columns]
    return hold_codes(
        [codes for codes, _ in coded_columns], [size for _, size in coded_columns]
    )


def _cut(column: "pd.Series[float]") -> tuple[npt.NDArray[np.int32], int]:
    if pd.api.types.is_numeric_dtype(column) and column.nunique() > BINS:
        low, high = column.quantile([0.005, 0.995])
        codes = np.clip((column - low) / max(high - low, 1e-9) * BINS, 0, BINS - 1)
        return codes.fillna(BINS).to_numpy().astype(np.int32), BINS + int(column.isna().any())
    common_values = column.value_counts().index[:MOST]
    codes = pd.Categorical(column, categories=common_values).codes.astype(np.int32)
    return np.where(codes < 0, len(common_values), codes), len(common_values) + int(
        (codes < 0).any()
    )


def adult_domain() -> Domain:
    """The cells of Adult as its authors' peers code it; numbers are in order."""
    sizes = json.loads((SHARED / "adult/adult_coded-domain.json").read_text())
    columns = [
        Categorical(
            name=n, categories=tuple(map(str, range(k))), ordered=n in ORDERED["adult"]
        )
        for n, k in sizes.items()
    ]
    return Domain(tuple(columns))


def adult() -> CodedRows:
    """Adult as its authors' peers code it: 48,842 x 14."""
    return coded(open_table(SHARED / "adult/adult_coded.csv"), adult_domain())


def kinds(rows: int, sizes: Sequence[int], *, count: int = 6, skew: float = 0.4) -> CodedRows:
    """Rows of a few kinds, within which the columns are independent."""
    law, generator = np.random.default_rng(11), np.random.default_rng(5)
    kind, columns = generator.integers(0, count, rows), []
    for size in sizes:
        tables = np.cumsum(law.dirichlet(np.full(size, skew), count), axis=1)
        cells = (tables[kind] < generator.random(rows)[:, None]).sum(axis=1)
        columns.append(np.minimum(cells, size - 1))
    return hold_codes(columns, sizes)


def skewed(rows: int, columns: int, *, cells: int = 10, tie: float = 0.15) -> CodedRows:
    """Columns that are mostly 0; every one follows the one before it in some of the rows."""
    generator, columns_so_far = np.random.default_rng(5), []
    law = 0.25 ** np.arange(cells)
    for column in range(columns):
        fresh = generator.choice(cells, rows, p=law / law.sum())
        follows = generator.random(rows) < (tie if column else 0.0)
        columns_so_far.append(
            np.where(follows, columns_so_far[-1], fresh) if column else fresh
        )
    return hold_codes(columns_so_far, [cells] * columns)


def identical(rows: int, columns: int, cells: int) -> CodedRows:
    """One column, again and again."""
    column = np.random.default_rng(5).choice(
        cells, rows, p=np.arange(1, cells + 1) / (cells * (cells + 1) / 2)
    )
    return hold_codes([column] * columns, [cells] * columns)


def constant(rows: int) -> CodedRows:
    """Three columns that vary a little, and five of ten cells that never do."""
    generator = np.random.default_rng(5)
    varied = [generator.integers(0, 4, rows) for _ in range(3)]
    return hold_codes([*varied, *[np.zeros(rows)] * 5], [4] * 3 + [10] * 5)


def ages(rows: int) -> CodedRows:
    """Ages by the year, two groupings of them, and three columns that depend on age."""
    generator = np.random.default_rng(5)
    age = np.clip(generator.gamma(4, 11, rows).astype(int), 0, 99)
    married = (generator.random(rows) < np.clip((age - 18) / 30, 0, 0.7)).astype(int)
    income = np.clip((age / 10 + generator.normal(0, 2, rows) + 2).astype(int), 0, 15)
    columns = [
        age,
        age // 10,
        np.searchsorted([18, 30, 45, 65], age, side="right"),
        married,
        income,
    ]
    return hold_codes([*columns, generator.integers(0, 2, rows)], [100, 10, 5, 2, 16, 2])


def one_column(rows: int, cells: int) -> CodedRows:
    """One ordered column of many cells, two humps."""
    generator = np.random.default_rng(5)
    both = np.where(
        generator.random(rows) < 0.6,
        generator.normal(0.3 * cells, 0.08 * cells, rows),
        generator.normal(0.65 * cells, 0.15 * cells, rows),
    )
    return hold_codes([np.clip(both.astype(int), 0, cells - 1)], [cells])


def two(rows: int, first: int, second: int) -> CodedRows:
    """Two ordered columns of many cells; the second follows the first by half."""
    generator = np.random.default_rng(5)
    x = np.clip(generator.normal(0.4, 0.15, rows), 0, 0.999)
    y = np.clip((x + generator.normal(0.5, 0.2, rows)) / 2, 0, 0.999)
    return hold_codes([(x * first).astype(int), (y * second).astype(int)], [first, second])


SHARED_TABLES: dict[str, Callable[[], CodedRows]] = {
    "adult": adult,
    "adult_train": lambda: read_declared("adult/domain.schema.json", "adult/adult_train.csv"),
    "adult5": lambda: read_declared("adult/domain_5col.schema.json", "adult/adult_train.csv"),
    "ma2019": lambda: read_declared(
        "sdnist_ma/domain_10col.schema.json", "sdnist_ma/ma2019.csv"
    ),
    "ma2018": lambda: read_declared(
        "sdnist_ma/domain_10col.schema.json", "sdnist_ma/ma2018.csv"
    ),
    "pums": lambda: read_declared("pums/domain.schema.json", "pums/PUMS.csv"),
    "fulton": lambda: cut("pums/FultonPUMS5full.csv", without=["state", "fips"]),
    "german": lambda: cut("german_credit/german_credit.csv"),
    "teacher": lambda: read_declared(
        "teacher_survey/domain.schema.json", "teacher_survey/teacher_survey.csv"
    ),
    "taxis": lambda: read_declared("taxis/domain.schema.json", "taxis/taxis.csv"),
    "penguins": lambda: read_declared("penguins/domain.schema.json", "penguins/penguins.csv"),
    "titanic": lambda: read_declared("titanic/domain.schema.json", "titanic/titanic.csv"),
    "birds": lambda: cut("birdstrikes/birdstrikes.csv", without=["Flight Date"]),
    "lahman": lambda: cut("linked/lahman/players.csv", without=["playerID", "debut"]),
    "bank": lambda: cut("bank_marketing/bank.csv"),
    "nafld": lambda: cut("linked/nafld/people.csv", without=["id"]),
}
ODD_SHAPES: dict[str, Callable[[], CodedRows]] = {
    "seven": lambda: kinds(7_000, (2, 5, 9, 16, 4, 7, 12, 3, 6, 10)),
    "skewed45": lambda: skewed(100_000, 45),
    "skewed20": lambda: skewed(100_000, 20, cells=6),
    "identical": lambda: identical(5_000, 6, 20),
    "constant": lambda: constant(5_000),
    "ages": lambda: ages(20_000),
    "cells5000": lambda: one_column(10_000, 5_000),
    "two": lambda: two(5_000, 100, 100),
    "two_long": lambda: two(20_000, 500, 40),
    "five": lambda: kinds(5_000, (3, 4, 2, 5, 6)),
    "sparse": lambda: kinds(2_000, (12, 13, 14, 10)),
    "tiny": lambda: kinds(60, (3, 5, 4, 6, 2, 8)),
    "loose": lambda: kinds(20_000, (4, 6, 3, 8, 5, 10, 7, 2), count=1),
}
TABLES = SHARED_TABLES | ODD_SHAPES
"""By name; what is shared needs ``../shared/data``."""
