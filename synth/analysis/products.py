"""Sums of products of factors over the noisy cells, with their noise. PUBLIC.

Rows are multiplied where they have a value in every column concerned.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from synth.analysis.factors import DesignFactor, cell_numbers
from synth.analysis.selection import JointColumns, Selected, joint_columns, used_in
from synth.analysis.sum_noise import check_weights, noise_covariance, sampling_covariance
from synth.errors import QuestionError
from synth.questions import Condition, ReleaseView
from synth.util import Floats, Ints

_Entry = tuple[tuple[DesignFactor, ...], bool]
"""What is multiplied: nothing, so that rows are counted, one factor, or two; and whether by the
half widths of their bins instead of the middles."""


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
        self.entries: list[_Entry] = [((), False)]
        size = len(self.factors) + 1
        self.numbers, self.halves = (np.full((size, size), -1) for _ in range(2))
        """Which entry is the product of two, the first being the rows; -1 where it is 0."""
        self.numbers[0, 0] = 0
        self._enter(self.numbers, halved=False)
        self._enter(self.halves, halved=True)

    def _enter(self, numbers: Ints, *, halved: bool) -> None:
        listed = [
            (i, one) for i, one in enumerate(self.factors, 1)
            if not halved or (one.code is None and self.spans[one.name].is_wide)
        ]  # fmt: skip
        for place, (i, one) in enumerate(listed):
            for j, other in [(0, None), *listed[place:]]:
                if other is not None and one.code is not None and one.name == other.name:
                    if one == other:  # what is 0 or 1 is its own square
                        numbers[i, i] = numbers[i, 0]
                    continue
                numbers[i, j] = numbers[j, i] = len(self.entries)
                self.entries.append(((one,) if other is None else (one, other), halved))

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
            named = (
                tuple(one.name for one in entry) or self.names[:1] for entry, _ in self.entries
            )
            known: dict[tuple[str, ...], JointColumns] = {}
            return [known.get(n) or known.setdefault(n, self._table(n)) for n in named]
        check_weights(len(self.entries), len(whole.source.values))
        return [whole] * len(self.entries)

    def _table(self, names: Sequence[str]) -> JointColumns:
        used = used_in(self.condition, *names)
        return joint_columns(used, replace(self.view, sampled=False))

    @cached_property
    def are_wide(self) -> bool:
        """Whether some cell has more than one number."""
        return any(one.is_wide for one in self.spans.values())

    @cached_property
    def sums(self) -> Floats:
        """The sums, shape (entries,)."""
        pairs = zip(self.weights, self.tables, strict=True)
        return np.array([float((each * table.rows).sum()) for each, table in pairs])

    def matrices(self, sums: Floats) -> tuple[Floats, Floats]:
        """Sums of shape (..., entries) as matrices: products of middles, and of half widths.

        The first factor of both is 1, so that its own product counts the rows.
        """
        padded = np.concatenate([sums, np.zeros((*sums.shape[:-1], 1))], axis=-1)
        return padded[..., self.numbers], padded[..., self.halves]

    @cached_property
    def covariance(self) -> Floats:
        """Of the noise of all sums."""
        found = noise_covariance(self.weights, self.tables, self.view.domain)
        if self.view.sampled:
            found += sampling_covariance(self.weights, self.tables[0])
        return found

    @cached_property
    def weights(self) -> list[Floats]:
        """What a row of each cell adds to each entry, in the shape of its table."""
        return [self._weights(*one) for one in zip(self.entries, self.tables, strict=True)]

    def _weights(self, entry: _Entry, table: JointColumns) -> Floats:
        factors, halved = entry
        each = table.spread(self.where, surely=True)
        for name in (name for name in self.names if name in table.names):
            span = self.spans[name]
            along = span.held.astype(np.float64)
            for one in (one for one in factors if one.name == name):
                if one.code is None:
                    along = along * (span.half_widths if halved else span.middles)
                else:
                    along = along * (np.arange(len(along)) == one.code)
            each = np.asarray(each * table.put_along(name, along))
        return each
