"""Questions with their answers from rows: the truth of a table, and what naive users read
off.

All are measured in pandas, apart from the package.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from synth.domain import Binned, Domain
from tests.analysis.cases import Measure

NORMAL = 1.96
TABLE_CELLS = 12
"""Of a table, that are looked at."""
Holds = Callable[[pd.DataFrame], np.ndarray]
"""Which rows meet a condition."""


@dataclass(frozen=True, eq=False)
class Asked:
    """A question, and the same in pandas.

    Attributes:
        text: The question; of a contrast, two parted by " less " or " over ".
        measure: The same numbers, and their standard errors, of rows.
        first: How many of the first numbers of an answer are left out.
    """

    text: str
    measure: Measure
    first: int = 0

    @property
    def kind(self) -> str:
        """In a word."""
        word = self.text.split()[0]
        for joined in (" less ", " over "):
            if joined in self.text:
                return f"{word}{joined.rstrip()}"
        return word


def questions(
    domain: Domain, cliques: Sequence[Sequence[str]], rng: np.random.Generator, each: int
) -> Iterator[Asked]:
    """So many questions of each kind, of columns that were measured together.

    Args:
        domain: The columns.
        cliques: Names of columns that were measured together.
        rng: Chooses.
        each: How many of each kind, as far as there are columns.
    """
    for _ in range(each):
        names = _some(cliques, rng)
        text, holds = conjunction(domain, names, rng)
        yield Asked(f"share where {text}", _shares([holds]))
        names = _some(cliques, rng, least=2)
        text, holds = conjunction(domain, names, rng)
        yield Asked(f"count where {text}", _counts([holds]))
        yield from _contrasts(domain, cliques, rng)
        if (table := _table(domain, cliques, rng)) is not None:
            yield table
        yield from _numbers(domain, cliques, rng)
    yield from _pairs(domain, cliques, rng, each)


def _some(
    cliques: Sequence[Sequence[str]], rng: np.random.Generator, least: int = 1
) -> list[str]:
    """One to three columns that were measured together."""
    chosen = cliques[int(rng.integers(len(cliques)))]
    if len(chosen) < least:
        chosen = max(cliques, key=len)
    many = min(len(chosen), int(rng.integers(least, 4)))
    return [str(one) for one in rng.choice(list(chosen), many, replace=False)]


def condition(domain: Domain, name: str, rng: np.random.Generator) -> tuple[str, Holds]:
    """A condition on one column, along its cells, as text and in pandas."""
    column, quoted = domain[name], f'"{name}"'
    if isinstance(column, Binned):
        edge = float(rng.choice(_edges(column)))
        if rng.random() < 0.5:
            return f"{quoted} >= {edge:g}", lambda f: (f[name] >= edge).to_numpy()
        return f"{quoted} < {edge:g}", lambda f: (f[name] < edge).to_numpy()
    labels = [str(label) for label in column.labels if not label.startswith("(")]
    many = int(rng.integers(1, max(2, len(labels) // 2 + 1)))
    some = [str(one) for one in rng.choice(labels, many, replace=False)]
    listed = ", ".join(f"'{one}'" for one in some)
    return f"{quoted} in ({listed})", lambda f: f[name].isin(some).to_numpy()


def _edges(column: Binned) -> list[float]:
    first, last = column.end_codes
    lows = [float(one) for one in column.extent[0]][first : last + 1]
    return lows[1:] or lows


def conjunction(
    domain: Domain, names: Sequence[str], rng: np.random.Generator
) -> tuple[str, Holds]:
    """Conditions on several columns at once."""
    found = [condition(domain, name, rng) for name in names]
    text = " and ".join(one for one, _ in found)
    return text, lambda f: np.logical_and.reduce([one(f) for _, one in found])


def _contrasts(
    domain: Domain, cliques: Sequence[Sequence[str]], rng: np.random.Generator
) -> Iterator[Asked]:
    """A share, or a mean, of one group against another."""
    names = _some(cliques, rng)[:1]
    one, other = (conjunction(domain, names, rng) for _ in range(2))
    joined = "less" if rng.random() < 0.5 else "over"
    contrast = _differences if joined == "less" else _ratios
    yield Asked(
        f"share where {one[0]} {joined} share where {other[0]}",
        contrast(_shares([one[1]]), _shares([other[1]])),
    )
    pair = _some([c for c in cliques if len(c) > 1] or cliques, rng, least=2)[:2]
    if len(pair) == 2 and is_number(domain[pair[0]]):
        one, other = (condition(domain, pair[1], rng) for _ in range(2))
        first, second = (_of(pair[0], c[1], _mean) for c in (one, other))
        yield Asked(
            f'mean "{pair[0]}" where {one[0]} {joined} mean "{pair[0]}" where {other[0]}',
            contrast(first, second),
        )


def _table(
    domain: Domain, cliques: Sequence[Sequence[str]], rng: np.random.Generator
) -> Asked | None:
    """Of one or two columns of categories."""
    names = [n for n in _some(cliques, rng) if not isinstance(domain[n], Binned)][:2]
    if not names:
        return None
    cells: list[list[str]] = [[]]
    for name in names:
        cells = [[*cell, label] for cell in cells for label in domain[name].titles]
    holds = [_is_cell(names, cell) for cell in cells[:TABLE_CELLS]]
    quoted = " by ".join(f'"{name}"' for name in names)
    return Asked(f"table {quoted}", _counts(holds))


def _is_cell(names: list[str], cell: list[str]) -> Holds:
    def holds(frame: pd.DataFrame) -> np.ndarray:
        meant = zip(names, cell, strict=True)
        each = [frame[n].isna() if c.startswith("(") else frame[n] == c for n, c in meant]
        return np.logical_and.reduce([np.asarray(one) for one in each])

    return holds


def _numbers(
    domain: Domain, cliques: Sequence[Sequence[str]], rng: np.random.Generator
) -> Iterator[Asked]:
    """Of one column of numbers, of all rows or of some."""
    names = [n for n in dict.fromkeys(n for c in cliques for n in c) if is_number(domain[n])]
    name = str(rng.choice(names))
    homes = [[n for n in c if n != name] for c in cliques if name in c and len(c) > 1]
    where, holds = "", _all
    if homes and rng.random() < 0.7:
        text, holds = conjunction(domain, _some(homes, rng)[:1], rng)
        where = f" where {text}"
    for kind, measure in _MEASURES.items():
        yield Asked(f'{kind} "{name}"{where}', _of(name, holds, measure))
    yield Asked(f'quantiles .1, .9 of "{name}"{where}', _of(name, holds, _ends))


def _pairs(
    domain: Domain, cliques: Sequence[Sequence[str]], rng: np.random.Generator, each: int
) -> Iterator[Asked]:
    """A regression and a covariance of two columns of numbers."""
    numbers = [[n for n in c if is_number(domain[n])] for c in cliques]
    found = sorted({(a, b) for c in numbers for a in c for b in c if a != b})
    for k in rng.permutation(len(found))[:each]:
        y, x = found[int(k)]
        yield Asked(f'regression "{y}" on "{x}"', _slope(y, x), first=1)
        yield Asked(f'covariance "{y}", "{x}"', _covariance(y, x))


def is_number(column: Any) -> bool:
    """Whether it is of numbers, without a cell that holds none."""
    return isinstance(column, Binned) and column.adds_up and not column.missing


def _all(frame: pd.DataFrame) -> np.ndarray:
    return np.ones(len(frame), bool)


def _shares(holds: Sequence[Holds]) -> Measure:
    def measure(frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        p = np.array([float(np.mean(one(frame))) for one in holds])
        return p, np.sqrt(p * (1 - p) / len(frame))

    return measure


def _counts(holds: Sequence[Holds]) -> Measure:
    def measure(frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        p, error = _shares(holds)(frame)
        return p * len(frame), error * len(frame)

    return measure


def _differences(one: Measure, other: Measure) -> Measure:
    def measure(frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        (a, s), (b, t) = one(frame), other(frame)
        return a - b, np.hypot(s, t)

    return measure


def _ratios(one: Measure, other: Measure) -> Measure:
    def measure(frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        (a, s), (b, t) = one(frame), other(frame)
        with np.errstate(divide="ignore", invalid="ignore"):
            return a / b, np.hypot(s / b, t * a / b**2)

    return measure


def _of(name: str, holds: Holds, measure: Callable[[np.ndarray], tuple[Any, Any]]) -> Measure:
    def found(frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        values = frame[name].to_numpy()[holds(frame)]
        if len(values) < 8:
            return np.full(2, math.nan), np.full(2, math.nan)
        number, error = measure(values)
        return np.atleast_1d(number), np.atleast_1d(error)

    return found


def _mean(values: np.ndarray) -> tuple[float, float]:
    return float(values.mean()), float(values.std() / math.sqrt(len(values)))


def _total(values: np.ndarray) -> tuple[float, float]:
    number, error = _mean(values)
    return number * len(values), error * len(values)


def _variance(values: np.ndarray) -> tuple[float, float]:
    squares = (values - values.mean()) ** 2
    return float(squares.mean()), float(squares.std() / math.sqrt(len(values)))


def _quantile(values: np.ndarray, part: float) -> tuple[float, float]:
    ordered, n = np.sort(values), len(values)
    reach = NORMAL * math.sqrt(n * part * (1 - part))
    ends = [ordered[int(np.clip(n * part + s * reach, 0, n - 1))] for s in (-1, 1)]
    return float(ordered[math.ceil(n * part) - 1]), float(ends[1] - ends[0]) / 2 / NORMAL


def _median(values: np.ndarray) -> tuple[float, float]:
    return _quantile(values, 0.5)


def _ends(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    found = np.array([_quantile(values, part) for part in (0.1, 0.9)])
    return found[:, 0], found[:, 1]


_MEASURES = {"mean": _mean, "total": _total, "median": _median, "variance": _variance}


def _slope(y: str, x: str) -> Measure:
    def measure(frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        a, b = (frame[n].to_numpy() - frame[n].mean() for n in (x, y))
        slope = float(a @ b / (a @ a))
        error = math.sqrt(float(((b - slope * a) ** 2).mean() / (a @ a)))
        return np.array([slope]), np.array([error])

    return measure


def _covariance(y: str, x: str) -> Measure:
    def measure(frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        products = np.prod([frame[n].to_numpy() - frame[n].mean() for n in (x, y)], axis=0)
        return np.array([products.mean()]), np.array([products.std() / math.sqrt(len(frame))])

    return measure
