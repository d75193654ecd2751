"""Public tables as guesses for others: right, old and wrong ones.

*Right* are other rows of the same people, *old* ones drift (for ``ma`` the year before),
*wrong* ones are a part of the people only, or have no links between columns.
`tests.bench.utility` releases around them. They need the tables in ``../shared/data``."""

import csv
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from synth.domain import Categorical, Domain
from synth.private.counting.counts import CodedRows
from synth.util import Codes
from tests.bench.tables import adult, read_declared
from tests.tables import SHARED

ASIDE = ("bank", "fulton")
CELLS = 12
"""Most cells of a column that a script cuts."""
Columns = list[Codes]


class Pair(NamedTuple):
    """A table and its public guesses by name."""

    rows: CodedRows
    guesses: dict[str, Columns]


def load_years() -> Pair:
    """Massachusetts 2019, and 2018."""
    schema = "sdnist_ma/domain_10col.schema.json"
    rows = read_declared(schema, "sdnist_ma/ma2019.csv")
    old = read_declared(schema, "sdnist_ma/ma2018.csv").codes
    return Pair(rows, {"old": old, **_wrong(old)})


def split_halves(rows: CodedRows) -> Pair:
    """One half of a table at random, and the other."""
    order = np.random.default_rng(15).permutation(len(rows.codes[0]))
    real, other_half = np.array_split(order, 2)
    mine, right = ([column[part] for column in rows.codes] for part in (real, other_half))
    real_rows = CodedRows(domain=rows.domain, codes=mine, rows=len(real))
    return Pair(real_rows, {"right": right, "old": _drifted(right), **_wrong(right)})


def _drifted(rows: Columns) -> Columns:
    """Rows that come twice as often where a column is in its upper half, for two columns."""
    weight = np.ones(len(rows[0]))
    for column in rows[:2]:
        weight *= 1 + (column > np.median(column))
    places = np.random.default_rng(16).choice(
        len(weight), size=len(weight), p=weight / weight.sum()
    )
    return [column[places] for column in rows]


def _wrong(rows: Columns) -> dict[str, Columns]:
    """The lower half by the first column; and rows without links."""
    part = rows[0] <= np.median(rows[0])
    generator = np.random.default_rng(17)
    return {
        "part": [column[part] for column in rows],
        "unlinked": [generator.permutation(column) for column in rows],
    }


def cut(path: str) -> CodedRows:
    """A table whose columns are cut by a script: numbers at quantiles, texts at the
    rarest.
    """
    with (SHARED / path).open(newline="", encoding="utf-8") as file:
        header, *lines = csv.reader(file)
    columns_of_texts = zip(header, zip(*lines, strict=True), strict=True)
    columns = {name: _cut(np.array(texts)) for name, texts in columns_of_texts}
    varying_columns = {name: codes for name, codes in columns.items() if codes.max() > 0}
    declared = tuple(
        Categorical(name=name, categories=tuple(map(str, range(codes.max() + 1))))
        for name, codes in varying_columns.items()
    )
    return CodedRows(
        domain=Domain(declared), codes=[*varying_columns.values()], rows=len(lines)
    )


def _cut(texts: np.ndarray) -> Codes:
    values, codes = np.unique(texts, return_inverse=True)
    if len(values) <= CELLS:
        return codes.astype(np.int32)
    try:
        numbers = texts.astype(float)
    except ValueError:
        rank = np.argsort(np.argsort(-np.bincount(codes), kind="stable"))
        return np.minimum(rank[codes], CELLS - 1).astype(np.int32)
    edges = np.unique(np.quantile(numbers, np.linspace(0, 1, CELLS + 1)[1:-1]))
    return np.searchsorted(edges, numbers, side="right").astype(np.int32)


TABLES: dict[str, Callable[[], Pair]] = {
    "ma": load_years,
    "adult": lambda: split_halves(adult()),
    "bank": lambda: split_halves(cut("bank_marketing/bank.csv")),
    "fulton": lambda: split_halves(cut("pums/FultonPUMS5full.csv")),
}


def print_ratios(name: str, ratios: dict[str, float]) -> None:
    """The median ratio, its one-sided bound at 95 % by resampling, and the worst."""
    if not ratios:
        return
    values = np.array([*ratios.values()])
    resampled = np.random.default_rng(1).choice(values, size=(4000, len(values)))
    bound = np.quantile(np.median(resampled, axis=1), 0.95)
    worst = max(ratios, key=ratios.__getitem__)
    print(
        f"{name}: over {len(values)} cases the median ratio to the better of both is "
        f"{np.median(values):.3f}, at most {bound:.3f} (95 %); worst {ratios[worst]:.2f} "
        f"({worst})."
    )
