"""Sums of products of factors over the noisy cells, with their noise. PUBLIC.

Rows are multiplied where they have a value in every column concerned.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from synth.analysis.factors import DesignFactor, cell_numbers
from synth.analysis.selection import JointColumns, Selected, joint_columns, used_in
from synth.analysis.sum_noise import check_weights, noise_covariance, sampling_covariance
from synth.errors import QuestionError
from synth.questions import Condition, ReleaseView
from synth.util import Floats, Ints

_Entry = tuple[DesignFactor, ...]
"""What is multiplied: nothing, so that rows are counted, one factor, or two."""


class Products:
    """The sums of products of some factors, two at a time.

    Args:
        factors: What is multiplied.
        view: How the release is looked at.
        condition: Which rows are meant.
        where: The condition by its cells.
        whole: What all sums are read off; None for the noisy counts.
    """

    def __init__(
        self,
        factors: Sequence[DesignFactor],
        view: ReleaseView,
        condition: Condition | None,
        where: Selected,
        whole: JointColumns | None = None,
    ) -> None:
        self.factors, self.view, self.where = tuple(factors), view, where
        self.condition, self.whole = condition, whole
        self.names = tuple(dict.fromkeys(one.name for one in factors))
        self.spans = {name: cell_numbers(view.domain, name) for name in self.names}
        self.entries: list[_Entry] = [()]
        size = len(self.factors) + 1
        self.numbers: Ints = np.full((size, size), -1)
        """Which entry is the product of two, the first being the rows; -1 where it is 0."""
        self._enter_all()
        self._kept: dict[tuple[int, bool], Floats] = {}
        self._met: dict[tuple[tuple[str, ...], bool], Floats] = {}

    def _enter_all(self) -> None:
        self.numbers[0, 0] = 0
        for i, one in enumerate(self.factors, 1):
            self._enter(i, 0, (one,))
        for i, one in enumerate(self.factors, 1):
            for j, other in enumerate(self.factors[i - 1 :], i):
                if one.code is None or one.name != other.name:
                    self._enter(i, j, (one, other))
                elif one == other:  # what is 0 or 1 is its own square
                    self.numbers[i, i] = self.numbers[i, 0]

    def _enter(self, i: int, j: int, entry: _Entry) -> None:
        self.numbers[i, j] = self.numbers[j, i] = len(self.entries)
        self.entries.append(entry)

    @cached_property
    def tables(self) -> list[JointColumns]:
        """The columns each entry is read off: all together, or two at a time."""
        if self.whole is not None:
            return [self.whole] * len(self.entries)
        try:
            whole = self._table(self.names)
        except QuestionError:
            if self.view.sampled or any(not one.held.all() for one in self.spans.values()):
                raise
            named = (tuple(one.name for one in entry) or self.names[:1] for entry in self.entries)
            known: dict[tuple[str, ...], JointColumns] = {}
            return [known.get(n) or known.setdefault(n, self._table(n)) for n in named]
        check_weights(len(self.entries), len(whole.source.values))
        return [whole] * len(self.entries)

    def _table(self, names: Sequence[str]) -> JointColumns:
        used = used_in(self.condition, *names)
        return joint_columns(used, replace(self.view, sampled=False))

    @property
    def middles(self) -> dict[str, Floats]:
        """Rows in the middle of their cells, by column."""
        return {name: np.full(len(span.low), 0.5) for name, span in self.spans.items()}

    @property
    def are_wide(self) -> bool:
        """Whether some cell has more than one number."""
        return any(one.is_wide for one in self.spans.values())

    def places(self, draws: int, rng: np.random.Generator) -> dict[str, Floats]:
        """Where in their cells rows may be: by column, shape (draws, cells)."""
        return {name: rng.random((draws, len(span.low))) for name, span in self.spans.items()}

    def matrices(self, sums: Floats) -> Floats:
        """Sums of shape (..., entries) as matrices of products with the rows as factor 0."""
        padded = np.concatenate([sums, np.zeros((*sums.shape[:-1], 1))], axis=-1)
        return np.asarray(padded[..., self.numbers])

    def values(self, places: Mapping[str, Floats], *, surely: bool) -> Floats:
        """The sums, shape (..., entries) for places of shape (..., cells)."""
        numbers = {name: self.spans[name].values(each) for name, each in places.items()}
        found = [self._value(i, numbers, surely=surely) for i in range(len(self.entries))]
        lead = next(iter(places.values())).shape[:-1]
        return np.stack([np.broadcast_to(one, lead) for one in found], axis=-1)

    def _value(self, number: int, numbers: Mapping[str, Floats], *, surely: bool) -> Floats:
        names = self._names_of(number)
        rows = self._reduce_rows(number, surely=surely)
        if not names:
            return rows
        if len(names) == 1:
            (name,) = names
            each = numbers[name]
            if self._times(number, name) == 2:
                each = self.spans[name].squares(each)
            return np.asarray(each @ rows)
        first, second = (numbers[name] for name in names)
        return np.asarray(((first @ rows) * second).sum(axis=-1))

    def _times(self, number: int, name: str) -> int:
        """How often an entry has a column's own number."""
        return sum(one.name == name and one.code is None for one in self.entries[number])

    def _names_of(self, number: int) -> list[str]:
        """The columns whose own numbers an entry has, in the order of its table."""
        own = {one.name for one in self.entries[number] if one.code is None}
        return [name for name in self.tables[number].names if name in own]

    def _reduce_rows(self, number: int, *, surely: bool) -> Floats:
        """Rows by the cells of those columns; others added up over what the entry asks of them."""
        key = (number, surely)
        if key not in self._kept:
            table, own = self.tables[number], self._names_of(number)
            found = self._rows(table, surely=surely)
            names = [name for name in table.names if name in self.names]
            for axis, name in reversed(list(enumerate(names))):
                mask = self._mask(number, name)
                if name in own:
                    shape = [-1 if i == axis else 1 for i in range(found.ndim)]
                    found = found * mask.reshape(shape)
                else:
                    found = np.tensordot(found, mask, (axis, 0))
            self._kept[key] = np.asarray(found)
        return self._kept[key]

    def _mask(self, number: int, name: str) -> Floats:
        """1 for the cells of a column that an entry is about, 0 for others."""
        held = self.spans[name].held.astype(np.float64)
        for one in self.entries[number]:
            if one.name == name and one.code is not None:
                held = held * (np.arange(len(held)) == one.code)
        return held

    def _rows(self, table: JointColumns, *, surely: bool) -> Floats:
        """The rows that are meant, by the cells of the columns that are multiplied."""
        key = (table.names, surely)
        if key not in self._met:
            others = tuple(i for i, name in enumerate(table.names) if name not in self.names)
            meant = table.rows * table.spread(self.where, surely=surely)
            self._met[key] = meant.sum(axis=others)
        return self._met[key]

    def covariance(self, *, surely: bool) -> Floats:
        """Of the noise of all sums, with rows in the middle of their cells."""
        weights = [self._weights(i, surely=surely) for i in range(len(self.entries))]
        found = noise_covariance(weights, self.tables, self.view.domain)
        if self.view.sampled:
            found += sampling_covariance(weights, self.tables[0])
        return found

    def _weights(self, number: int, *, surely: bool) -> Floats:
        """What a row of each cell adds to an entry, in the shape of its table."""
        table = self.tables[number]
        each = table.spread(self.where, surely=surely)
        for name in self.names:
            if name in table.names:
                span, along = self.spans[name], self._mask(number, name)
                middle = span.values(np.full(len(along), 0.5))
                powers = np.ones(len(along)), middle, span.squares(middle)
                power = powers[self._times(number, name)]
                each = np.asarray(each * table.put_along(name, along * power))
        return each
