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
    domain: Domain, cliques: Sequence[Sequence[str]], rng: np.random.Generator, number: int
) -> Iterator[Asked]:
    """So many questions of each kind, of columns that were measured together.

    Args:
        domain: The columns.
        cliques: Names of columns that were measured together.
        rng: Chooses.
        each: How many of each kind, as far as there are columns.
    """
    for _ in range(number):
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
    yield from _pairs(domain, cliques, rng, number)


def _some(
    cliques: Sequence[Sequence[str]], rng: np.random.Generator, least: int = 1
) -> list[str]:
    """One to three columns that were measured together."""
    chosen = cliques[int(rng.integers(len(cliques)))]
    if len(chosen) < least:
        chosen = max(cliques, key=len)
    number = min(len(chosen), int(rng.integers(least, 4)))
    return [str(name) for name in rng.choice(list(chosen), number, replace=False)]


def condition(domain: Domain, name: str, rng: np.random.Generator) -> tuple[str, Holds]:
    """A condition on one column, along its cells, as text and in pandas."""
    column, quoted = domain[name], f'"{name}"'
    if isinstance(column, Binned):
        edge = float(rng.choice(_edges(column)))
        if rng.random() < 0.5:
            return f"{quoted} >= {edge:g}", lambda frame: (frame[name] >= edge).to_numpy()
        return f"{quoted} < {edge:g}", lambda frame: (frame[name] < edge).to_numpy()
    labels = [str(label) for label in column.labels if not label.startswith("(")]
    number_of_labels = int(rng.integers(1, max(2, len(labels) // 2 + 1)))
    chosen = [str(label) for label in rng.choice(labels, number_of_labels, replace=False)]
    texts = ", ".join(f"'{label}'" for label in chosen)
    return f"{quoted} in ({texts})", lambda frame: frame[name].isin(chosen).to_numpy()


def _edges(column: Binned) -> list[float]:
    first, last = column.end_codes
    lows = [float(low) for low in column.extent[0]][first : last + 1]
    return lows[1:] or lows


def conjunction(
    domain: Domain, names: Sequence[str], rng: np.random.Generator
) -> tuple[str, Holds]:
    """Conditions on several columns at once."""
    conditions = [condition(domain, name, rng) for name in names]
    text = " and ".join(condition_text for condition_text, _ in conditions)

    def holds(frame: pd.DataFrame) -> np.ndarray:
        return np.logical_and.reduce([holds_one(frame) for _, holds_one in conditions])

    return text, holds


def _contrasts(
    domain: Domain, cliques: Sequence[Sequence[str]], rng: np.random.Generator
) -> Iterator[Asked]:
    """A share, or a mean, of one group against another."""
    names = _some(cliques, rng)[:1]
    first_text, in_first = conjunction(domain, names, rng)
    second_text, in_second = conjunction(domain, names, rng)
    joined = "less" if rng.random() < 0.5 else "over"
    contrast = _differences if joined == "less" else _ratios
    yield Asked(
        f"share where {first_text} {joined} share where {second_text}",
        contrast(_shares([in_first]), _shares([in_second])),
    )
    pair = _some([c for c in cliques if len(c) > 1] or cliques, rng, least=2)[:2]
    if len(pair) == 2 and is_number(domain[pair[0]]):
        number, group = pair
        first_text, in_first = condition(domain, group, rng)
        second_text, in_second = condition(domain, group, rng)
        yield Asked(
            f'mean "{number}" where {first_text} {joined} '
            f'mean "{number}" where {second_text}',
            contrast(_of(number, in_first, _mean), _of(number, in_second, _mean)),
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
        are_in_cells = []
        for name, label in zip(names, cell, strict=True):
            values = frame[name]
            is_in_cell = values.isna() if label.startswith("(") else values == label
            are_in_cells.append(np.asarray(is_in_cell))
        return np.logical_and.reduce(are_in_cells)

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
    domain: Domain, cliques: Sequence[Sequence[str]], rng: np.random.Generator, number: int
) -> Iterator[Asked]:
    """A regression and a covariance of two columns of numbers."""
    numbers = [[n for n in c if is_number(domain[n])] for c in cliques]
    pairs = sorted({(a, b) for c in numbers for a in c for b in c if a != b})
    for k in rng.permutation(len(pairs))[:number]:
        y, x = pairs[int(k)]
        yield Asked(f'regression "{y}" on "{x}"', _slope(y, x), first=1)
        yield Asked(f'covariance "{y}", "{x}"', _covariance(y, x))


def is_number(column: Any) -> bool:
    """Whether it is of numbers, without a cell that holds none."""
    return isinstance(column, Binned) and column.adds_up and not column.missing


def _all(frame: pd.DataFrame) -> np.ndarray:
    return np.ones(len(frame), bool)


def _shares(holds: Sequence[Holds]) -> Measure:
    def measure(frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        shares = np.array(
            [float(np.mean(condition_holds(frame))) for condition_holds in holds]
        )
        return shares, np.sqrt(shares * (1 - shares) / len(frame))

    return measure


def _counts(holds: Sequence[Holds]) -> Measure:
    def measure(frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        shares, error = _shares(holds)(frame)
        return shares * len(frame), error * len(frame)

    return measure


def _differences(first: Measure, second: Measure) -> Measure:
    def measure(frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        (a, s), (b, t) = first(frame), second(frame)
        return a - b, np.hypot(s, t)

    return measure


def _ratios(first: Measure, second: Measure) -> Measure:
    def measure(frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        (a, s), (b, t) = first(frame), second(frame)
        with np.errstate(divide="ignore", invalid="ignore"):
            return a / b, np.hypot(s / b, t * a / b**2)

    return measure


def _of(name: str, holds: Holds, measure: Callable[[np.ndarray], tuple[Any, Any]]) -> Measure:
    def measure_rows(frame: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        values = frame[name].to_numpy()[holds(frame)]
        if len(values) < 8:
            return np.full(2, math.nan), np.full(2, math.nan)
        number, error = measure(values)
        return np.atleast_1d(number), np.atleast_1d(error)

    return measure_rows


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
    quantiles = np.array([_quantile(values, part) for part in (0.1, 0.9)])
    return quantiles[:, 0], quantiles[:, 1]


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
