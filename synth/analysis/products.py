"""Sums of products of factors over the noisy cells, with their noise. PUBLIC.

Only rows with a value in every column of a product count.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property

import numpy as np

from synth.analysis.factors import DesignFactor, cell_numbers
from synth.analysis.known_moments import find_moments
from synth.analysis.places import FactorValue, PlacedSum, add_places, place_sum
from synth.analysis.release_view import ReleaseView
from synth.analysis.selection import JointColumns, Selected, joint_columns, used_in
from synth.analysis.sum_noise import check_weights, noise_covariance, sampling_covariance
from synth.domain import Frame, Offsets
from synth.errors import QuestionError
from synth.questions import Condition
from synth.util import Floats, Ints

# The factors of a product: none (a count of rows), one, or two; and whether it uses the half
# widths of their bins instead of the middles.
_Entry = tuple[tuple[DesignFactor, ...], bool]

# For bounded sums, the number of rows may be larger by this many deviations of its noise.
_FEWER_DEVIATIONS = 5.0


class Products:
    """The sums over the rows of products of some factors, two at a time."""

    def __init__(
        self,
        factors: Sequence[DesignFactor],
        view: ReleaseView,
        condition: Condition | None,
        *,
        where: Selected,
        whole: JointColumns | None = None,
    ) -> None:
        """Number the sums of products that these factors need.

        Args:
            factors: One number per row each, such as a column or an indicator.
            view: The release.
            condition: Selects rows; None for all.
            where: The same, by cells.
            whole: Repaired counts for all sums; None to use the noisy counts.
        """
        self.factors = tuple(factors)
        self.view = view
        self.where = where
        self.condition = condition
        self.whole = whole
        self.names = tuple(dict.fromkeys(factor.name for factor in factors))
        self.spans = {name: cell_numbers(view.domain, name) for name in self.names}
        self.entries: list[_Entry] = [((), False)]
        size = len(self.factors) + 1
        # The entry of each product of two factors; -1 if the product is 0. Row and column 0
        # stand for the constant 1, so that entry [0, 0] counts the rows.
        self.numbers, self.halves = (np.full((size, size), -1) for _ in range(2))
        self.numbers[0, 0] = 0
        self._enter(self.numbers, halved=False)
        self._enter(self.halves, halved=True)

    def _enter(self, numbers: Ints, *, halved: bool) -> None:
        """Number the products of two factors, each once, and append them to the entries.

        A product with 1 is the factor itself. Indicators of two values of one column are
        never 1 together, so their product keeps the number -1, for 0.

        Args:
            numbers: Filled in: the entry of the product of factors i and j, counted from 1;
                row and column 0 are for the factor 1.
            halved: Whether products are of half widths of bins, which only numbers in wide
                bins have, instead of the bins' middles.
        """
        numbered = [
            (i, factor)
            for i, factor in enumerate(self.factors, 1)
            if not halved or (factor.code is None and self.spans[factor.name].is_wide)
        ]
        for place, (i, first) in enumerate(numbered):
            numbers[i, 0] = numbers[0, i] = len(self.entries)
            self.entries.append(((first,), halved))
            for j, second in numbered[place:]:
                are_indicators_of_one = first.code is not None and first.name == second.name
                if not are_indicators_of_one:
                    numbers[i, j] = numbers[j, i] = len(self.entries)
                    self.entries.append(((first, second), halved))
                elif first == second:  # 0 and 1 are their own squares
                    numbers[i, i] = numbers[i, 0]

    @cached_property
    def tables(self) -> list[JointColumns]:
        """The counts that each entry sums over: of all columns together, or of its own.

        An entry is a sum over the rows: of 1, of a factor, or of a product of two factors.

        Raises:
            QuestionError: The columns of an entry were not measured together.
            LimitError: There are too many sums over too many cells.
        """
        if self.whole is not None:
            return [self.whole] * len(self.entries)
        if self._joint is not None:
            check_weights(len(self.entries), len(self._joint.source.values))
            return [self._joint] * len(self.entries)
        if self._apart is not None:
            return [self._table(self.names[:1])] * len(self.entries)
        # A random sample, and rows that lack a number, need all columns together. They are
        # not, so this raises an error that says so.
        if self.view.sampled or any(not span.held.all() for span in self.spans.values()):
            self._table(self.names)
        entry_names = (
            tuple(f.name for f in entry) or self.names[:1] for entry, _ in self.entries
        )
        tables_by_names: dict[tuple[str, ...], JointColumns] = {}
        tables = []
        for names in entry_names:
            if names not in tables_by_names:
                tables_by_names[names] = self._pair(names)
            tables.append(tables_by_names[names])
        return tables

    @cached_property
    def _joint(self) -> JointColumns | None:
        """The noisy counts of all columns together; None if they were not measured so."""
        with suppress(QuestionError):
            return self._table(self.names)
        return None

    @cached_property
    def _apart(self) -> list[PlacedSum] | None:
        """The sums of all products, if the release measured each over all rows at once.

        None if the columns were measured together, if a sum was not measured, or if there is
        a condition or an indicator of a listed value. The sums are of rows with all numbers.
        """
        view = self.view
        number = self.view.domain.names.index
        has_codes = any(factor.code is not None for factor in self.factors)
        if self._joint is not None or self.condition is not None or has_codes:
            return None
        # Columns of which some rows lack a number: all sums must leave such rows out.
        needed = {number(name) for name, span in self.spans.items() if not span.held.all()}
        place = view.place(self.names)
        table = self._table(self.names[:1])
        placed = []
        nothing = np.zeros(table.source.shape)  # no weights, as cells add nothing themselves
        # Half widths of bins are not used with measured sums: a number of rows stands there.
        for factors, halved in self.entries:
            columns = [] if halved else [number(factor.name) for factor in factors]
            # Sums over all rows that have the needed numbers. Those of one column must count
            # from the middle of its range, not from the middles of bins.
            moments = [
                moment
                for moment in find_moments(view.record, columns, place)
                if not moment.noisy.what.by and needed <= {*columns, *moment.noisy.what.given}
                if moment.noisy.what.ranged or len(columns) != 1
            ]
            if not moments:
                return None
            # The first of them serves; a row is wrong by its rounding at most.
            off = nothing + float(moments[0].rounding.max())
            placed.append(
                PlacedSum(cells=nothing, off=off, moments=((moments[0], np.ones(1)),))
            )
        return placed

    def _pair(self, names: tuple[str, ...]) -> JointColumns:
        """Return the counts of two columns; of the first alone if their product was measured.

        Raises:
            QuestionError: Neither the columns together nor their product were measured.
        """
        try:
            return self._table(names)
        except QuestionError:
            columns = sorted(map(self.view.domain.names.index, names))
            if self.condition is not None or not find_moments(self.view.record, columns, ()):
                raise
            return self._table(names[:1])

    def _table(self, names: Sequence[str]) -> JointColumns:
        """Return the noisy counts of columns with those of the condition; refuse if none.

        Sampling error is left out here, as `covariance` adds it for all sums at once.
        """
        return joint_columns(
            used_in(self.condition, *names), replace(self.view, sampled=False)
        )

    @cached_property
    def are_wide(self) -> bool:
        """Whether some number lies anywhere within a bin."""
        return any(span.is_wide for span in self.spans.values())

    @cached_property
    def placed(self) -> list[PlacedSum] | None:
        """The sums of all entries by measured positions within bins, in order.

        An entry is the sum of 1, of a factor, or of a product of two. Numbers are counted
        from the middles of their columns' ranges (`origins`). None if positions do not matter
        or too little was measured; then bins bound them.

        Raises:
            QuestionError: Too little was measured, and not the columns together.
        """
        view = self.view
        if (
            self.whole is not None
            or view.sampled
            or not (self.are_wide and view.record.moments)
        ):
            return None
        if self._apart is not None:
            return self._apart
        placed = []
        for (factors, halved), table in zip(self.entries, self.tables, strict=True):
            # Half widths of bins are not used with measured sums. A number of rows, which is
            # a product of no factors, stands in their place.
            values = () if halved else tuple(self._value(factor, table) for factor in factors)
            counts_rows: _Entry = ((), False)
            mask = self._weights(counts_rows, table)  # 1 for cells whose rows count
            placed.append(place_sum(values, mask, table, view=view))
        complete = [placed_sum for placed_sum in placed if placed_sum is not None]
        if len(complete) == len(placed):
            return complete
        # Bounds by bins replace a sum that was not measured, unless its table lacks a column:
        # asking for a table with that column raises the reason.
        for (factors, _), table in zip(self.entries, self.tables, strict=True):
            if lacking := {factor.name for factor in factors} - {*table.names}:
                self._table((*table.names, *lacking))
        return None

    def _value(self, factor: DesignFactor, table: JointColumns) -> FactorValue:
        """Return a factor's value by the cells of a table, for sums with measured offsets.

        A number has the middle of its bin, counted from the middle of its range, and half the
        width of its widest bin. An indicator is 0 or 1, with the half width 0. The values are
        None if the table lacks the column.

        Args:
            factor: One number per row: a column's own, or an indicator of one of its cells.
            table: The counts whose cells are meant.
        """
        span = self.spans[factor.name]
        domain = self.view.domain
        along = span.middles
        # `Frame.OWN` counts from the middle of each bin; `origins` are middles of ranges.
        if factor.code is None and domain[factor.name].summable is not None:
            along = Offsets.build(domain, domain.names.index(factor.name), Frame.OWN).middles
        along = along - self.origins[self.factors.index(factor)]
        half = (
            float(span.half_widths[span.held].max(initial=0.0))
            if factor.code is None
            else 0.0
        )
        if factor.code is not None:  # an indicator of one cell
            along = (np.arange(len(span.low)) == factor.code).astype(np.float64)
        is_there = factor.name in table.names
        return FactorValue(
            factor, table.put_along(factor.name, along) if is_there else None, half
        )

    @cached_property
    def origins(self) -> Floats:
        """The middle of each factor's column; 0 for a level or for positions in a list."""
        return np.array([self._origin(factor) for factor in self.factors])

    def _origin(self, factor: DesignFactor) -> float:
        """Return the number from which a factor is counted: the middle of its range,
        else 0.
        """
        domain = self.view.domain
        if factor.code is not None or domain[factor.name].summable is None:
            return 0.0
        # The middle of the range is the same for all cells that hold numbers.
        middles = Offsets.build(domain, domain.names.index(factor.name), Frame.RANGE).middles
        return float(middles[self.spans[factor.name].held][0])

    @property
    def steps(self) -> Floats:
        """The distance between neighbouring values of each factor, shape (factors + 1,).

        The first is for the constant 1. It is 0 for that, for indicators, for positions in a
        list and for real numbers.
        """
        steps = [0.0]
        for factor in self.factors:
            summable = (
                None if factor.code is not None else self.view.domain[factor.name].summable
            )
            steps.append(0.0 if summable is None else summable.unit or 0.0)
        return np.array(steps)

    @property
    def off(self) -> Floats:
        """Largest errors of the sums by measured positions within bins, shape (entries,).

        Each is the sum over the estimated rows of a row's largest error, by rounding and by
        what was not measured. A margin of five deviations is for the noise of these rows.
        """
        assert self.placed is not None
        pairs = list(zip((placed.off for placed in self.placed), self.tables, strict=True))
        noise = noise_covariance([off for off, _ in pairs], self.tables, self.view.domain)
        sums = np.array([float((off * table.rows).sum()) for off, table in pairs])
        return np.maximum(0.0, sums + _FEWER_DEVIATIONS * np.sqrt(noise.diagonal()))

    @property
    def shares_sums(self) -> bool:
        """Whether a measured sum also has rows that do not count, so that bounds remain.

        Such rows are in cells of weight 0 in which the sum may still be off.
        """
        assert self.placed is not None
        number_of_rows: _Entry = ((), False)
        for placed, table in zip(self.placed, self.tables, strict=True):
            does_not_count = self._weights(number_of_rows, table) == 0
            if placed.off[does_not_count].any():
                return True
        return False

    @cached_property
    def sums(self) -> Floats:
        """The noisy sums over the rows, shape (entries,), in the order of `entries`."""
        pairs = zip(self.weights, self.tables, strict=True)
        sums = np.array([float((weights * table.rows).sum()) for weights, table in pairs])
        return sums if self.placed is None else sums + add_places(self.placed)[0]

    def matrices(self, sums: Floats) -> tuple[Floats, Floats]:
        """Return sums as two matrices: products of bins' middles, and of their half widths.

        The first factor is 1, so that its own product counts the rows.

        Args:
            sums: Sums of products, each once, in the order of `entries`; shape (...,
                entries).

        Returns:
            Both of shape (..., factors + 1, factors + 1).
        """
        # The number -1 of products that are 0 then finds the appended 0.
        padded = np.concatenate([sums, np.zeros((*sums.shape[:-1], 1))], axis=-1)
        return padded[..., self.numbers], padded[..., self.halves]

    @cached_property
    def covariance(self) -> Floats:
        """Covariances of the noise of the sums of products, shape (entries, entries)."""
        covariance = noise_covariance(self.weights, self.tables, self.view.domain)
        if self.view.sampled:  # then all sums are over one table
            covariance += sampling_covariance(self.weights, self.tables[0])
        if self.placed is not None:
            covariance += add_places(self.placed)[1]
        return covariance

    @cached_property
    def weights(self) -> list[Floats]:
        """What a row of each cell adds to the sum of each product, in its table's shape."""
        if self.placed is not None:
            return [placed.cells for placed in self.placed]
        return [
            self._weights(entry, table)
            for entry, table in zip(self.entries, self.tables, strict=True)
        ]

    def _weights(self, entry: _Entry, table: JointColumns) -> Floats:
        """Return what a row of each cell adds to one sum, in the shape of the table.

        Args:
            entry: The factors of the product (none to count rows), and whether half widths of
                bins are multiplied instead of their middles.
            table: The counts that are summed. Rows without a value in one of its columns add
                0.
        """
        factors, halved = entry
        cell_weights = table.spread(self.where, surely=True)
        for name in self.names:
            if name not in table.names:
                continue
            span = self.spans[name]
            along = span.held.astype(np.float64)
            for factor in factors:
                if factor.name != name:
                    continue
                if factor.code is None:
                    along = along * (span.half_widths if halved else span.middles)
                else:  # an indicator of one cell
                    along = along * (np.arange(len(along)) == factor.code)
            cell_weights = np.asarray(cell_weights * table.put_along(name, along))
        return cell_weights
