"""Variances, covariances and regressions from noisy sums of products. PUBLIC.

Every sum is a weighted sum of noisy cells, so the noise of all sums together is known: next to
normal, with exact covariances, also where sums come from different histograms. Noise is drawn, and
with it where in its bin the rows of each bin are; what that does to the result makes the interval
(Bernstein, Sheldon 2019; Ferrando, Wang, Sheldon 2022), from the percentiles and from their mirror
image, which takes off the bias, whichever reaches further. It is a simulation and no proof.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from synth.analysis.selection import (
    JointColumns,
    Selected,
    ends_of,
    joint_columns,
    selected,
    used_in,
)
from synth.arrays import Floats
from synth.errors import QuestionError
from synth.noisy.record import Record
from synth.questions.question import Kind, Question
from synth.questions.wording import refuse_question

DRAWS = 600
"""Of the noise."""
FAILING = 0.02
"""Share of draws in which there may be no result."""
Factors = tuple[str, ...]
"""The columns whose product is summed: none for the rows, one, or two."""


@dataclass(frozen=True, eq=False)
class Curved:
    """Numbers with intervals, each of shape (numbers,)."""

    value: Floats
    low: Floats
    high: Floats


def curved(question: Question, record: Record, level: float, *, sampled: bool) -> Curved:
    """A variance, a covariance, or a regression.

    Raises:
        QuestionError: Columns were not measured together, or the noise hides the result.
    """
    if question.by:
        refuse_question("variances by group are read off a release by 'where', one group at a time")
    where = selected(question.where, record)
    sums = _Sums(question, record, where, level, sampled=sampled)
    result = _RESULTS[question.kind]
    readings = [True, False] if where.cuts else [True]
    found = [_simulated(sums, result, level, surely=one) for one in readings]
    low = np.min([one.low for one in found], axis=0)
    high = np.max([one.high for one in found], axis=0)
    return Curved(np.clip(np.mean([one.value for one in found], axis=0), low, high), low, high)


class _Sums:
    """The sums of products that a question needs, with their noise."""

    def __init__(
        self, question: Question, record: Record, where: Selected, level: float, *, sampled: bool
    ) -> None:
        self.names, self.record, self.where = question.columns, record, where
        self.condition, self.level, self.sampled = question.where, level, sampled
        pairs = [(a, b) for i, a in enumerate(self.names) for b in self.names[i:]]
        self.entries: list[Factors] = [(), *((name,) for name in self.names), *pairs]
        self.ends = {name: ends_of(record.domain, name) for name in self.names}
        self._known: dict[tuple[tuple[str, ...], bool], Floats] = {}

    @cached_property
    def tables(self) -> list[JointColumns]:
        """The columns each entry is read off: all together, or two at a time."""
        try:
            whole = self._table(self.names)
        except QuestionError:
            if self.sampled or any(not held.all() for *_, held in self.ends.values()):
                raise
            return [self._table(entry or self.names[:1]) for entry in self.entries]
        return [whole] * len(self.entries)

    def _table(self, names: Sequence[str]) -> JointColumns:
        used = used_in(self.condition, *names)
        return joint_columns(used, self.record, self.level, sampled=False)

    def weights(self, places: dict[str, Floats], *, surely: bool) -> list[Floats]:
        """What a row of each cell adds to every entry, in the shape of its table.

        Args:
            places: Where in its bin a row is, from 0 to 1, by the cells of each column.
            surely: Whether rows of a cell that the condition cuts are left out.
        """
        found = []
        for entry, table in zip(self.entries, self.tables, strict=True):
            each = table.spread(self.where, surely=surely)
            for name in self.names:
                if name in table.names:
                    powers = self._powers(name, places[name])
                    each = np.asarray(each * table.along(name, powers[entry.count(name)]))
            found.append(each)
        return found

    def values(self, places: dict[str, Floats], *, surely: bool) -> Floats:
        """The sums, shape (entries,)."""
        pairs = zip(self.entries, self.tables, strict=True)
        return np.array([self._value(*one, places, surely=surely) for one in pairs])

    def _value(
        self, entry: Factors, table: JointColumns, places: dict[str, Floats], *, surely: bool
    ) -> float:
        names = [name for name in table.names if name in self.names]
        powers = [self._powers(name, places[name])[entry.count(name)] for name in names]
        found = self._rows(table, surely=surely)
        for power in reversed(powers):
            found = found @ power
        return float(found)

    def _rows(self, table: JointColumns, *, surely: bool) -> Floats:
        """The rows that are meant, by the cells of the columns that are summed."""
        key = (table.names, surely)
        if key not in self._known:
            others = tuple(i for i, name in enumerate(table.names) if name not in self.names)
            meant = table.rows * table.spread(self.where, surely=surely)
            self._known[key] = meant.sum(axis=others)
        return self._known[key]

    def _powers(self, name: str, places: Floats) -> list[Floats]:
        """1, the number, and its square, by the cells of a column; 0 where there is none."""
        low, high, held = self.ends[name]
        values = np.asarray(low + places * (high - low))
        squares = values**2 + (values - low) * (high - values) / 3
        return [held.astype(np.float64), values, squares]

    def covariance(self, weights: Sequence[Floats]) -> Floats:
        """Of their noise, shape (entries, entries)."""
        spread = [self._spread(*one) for one in zip(weights, self.tables, strict=True)]
        found = np.zeros((len(spread), len(spread)))
        for i, one in enumerate(spread):
            for j, other in enumerate(spread[: i + 1]):
                found[i, j] = found[j, i] = sum(
                    one[m][1] * float((one[m][0] * other[m][0]).sum()) * _ahead(one[m], other[m])
                    for m in one.keys() & other.keys()
                )
        if self.sampled:
            found += self._sampling(weights)
        return found

    def _spread(self, weights: Floats, table: JointColumns) -> dict[int, tuple[Floats, float, int]]:
        """By measured histogram: the weights of its cells, the variance, and how many cells."""
        found = {}
        pairs = zip(table.source.terms(weights.reshape(-1)), table.source.parts, strict=True)
        for term, part in pairs:
            shape = [1] * len(self.record.domain.columns)
            for axis in part.axes:
                shape[self.record.domain.names.index(table.names[axis])] = part.sums.shape[axis]
            each = term.weights.reshape(shape)
            variance, cells = float(part.noise.variance), part.sums.size * part.each
            found[part.number] = (each, variance, cells)
        return found

    def _sampling(self, weights: Sequence[Floats]) -> Floats:
        """What the rows' being a random sample adds."""
        rows = np.maximum(self.tables[0].rows, 0).reshape(-1)
        flat = np.stack([np.broadcast_to(one, self.tables[0].rows.shape).reshape(-1)
                         for one in weights])  # fmt: skip
        means = flat @ rows / max(1.0, rows.sum())
        return np.asarray((flat * rows) @ flat.T - np.outer(means, means) * rows.sum())


def _ahead(one: tuple[Floats, float, int], other: tuple[Floats, float, int]) -> float:
    """Measured cells that stand behind each cell of the product of two weights."""
    return one[2] / float(np.prod(np.broadcast_shapes(one[0].shape, other[0].shape)))


def _simulated(
    sums: _Sums, result: Callable[[Floats, int], Floats], level: float, *, surely: bool
) -> Curved:
    rng = np.random.default_rng()
    middle = {name: np.full(len(ends[0]), 0.5) for name, ends in sums.ends.items()}
    weights = sums.weights(middle, surely=surely)
    exact, k = sums.values(middle, surely=surely), len(sums.names)
    value = result(exact, k)
    noise = rng.multivariate_normal(
        np.zeros(len(exact)), sums.covariance(weights), DRAWS, check_valid="ignore", method="eigh"
    )
    drawn = []
    for each in noise:
        places = {name: rng.random(len(ends[0])) for name, ends in sums.ends.items()}
        moved = sums.values(places, surely=surely) if _are_wide(sums) else exact
        drawn.append(result(moved + each, k))
    return interval_from(value, np.array(drawn), level)


def _are_wide(sums: _Sums) -> bool:
    """Whether some bin holds more than one number."""
    return any((high > low).any() for low, high, _ in sums.ends.values())


def interval_from(value: Floats, drawn: Floats, level: float) -> Curved:
    """An interval from simulated results: percentiles and their mirror image.

    Args:
        value: The estimate, shape (numbers,).
        drawn: Simulated around it, shape (draws, numbers); NaN where there is no result.
        level: Chance to hold the truth.

    Raises:
        QuestionError: Too many draws have no result.
    """
    failed = ~np.isfinite(drawn).all(axis=1)
    if failed.mean() > FAILING or not np.isfinite(value).all():
        refuse_question("the noise could hide that there is no such number")
    ends = [(1 - level) / 2, (1 + level) / 2]
    low, high = np.quantile(drawn[~failed], ends, axis=0)
    return Curved(value, np.minimum(low, 2 * value - high), np.maximum(high, 2 * value - low))


def _variance(sums: Floats, _: int) -> Floats:
    n, total, squares = sums
    if n <= 0:
        return np.array([np.nan])
    return np.array([max(0.0, squares / n - (total / n) ** 2)])


def _covariance(sums: Floats, _: int) -> Floats:
    n, one, other, _, both, _ = sums
    return np.array([both / n - one * other / n**2 if n > 0 else np.nan])


def _regression(sums: Floats, k: int) -> Floats:
    """Intercept and slopes, of the first column on the others."""
    upper = np.triu_indices(k)
    matrix = np.zeros((k + 1, k + 1))
    matrix[0, 0], matrix[0, 1:], matrix[1:, 0] = sums[0], sums[1 : k + 1], sums[1 : k + 1]
    inner = np.zeros((k, k))
    inner[upper] = sums[k + 1 :]
    matrix[1:, 1:] = inner + np.triu(inner, 1).T
    kept = [0, *range(2, k + 1)]
    scale = np.sqrt(np.maximum(np.diag(matrix)[kept], 1e-12))
    gram = matrix[np.ix_(kept, kept)] / np.outer(scale, scale)
    values, vectors = np.linalg.eigh(gram)
    if matrix[0, 0] <= 0 or values[0] <= 1e-9:
        return np.full(k, np.nan)
    solved = (vectors / values) @ vectors.T @ (matrix[kept, 1] / scale)
    return np.asarray(solved / scale)


_RESULTS: dict[Kind, Callable[[Floats, int], Floats]] = {
    Kind.VARIANCE: _variance,
    Kind.COVARIANCE: _covariance,
    Kind.REGRESSION: _regression,
}
