"""The values of synthetic rows, from codes.

Numbers and dates are uniform within their bin, follow measured offsets
(`synth.rows.offsets`), or are uniform among values in order. Arrow arrays come from buffers:
`pyarrow.array` would import pandas, which doubles the time.

Values of a column, permuted within cells until sums with other columns match.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from synth.domain import (
    OTHER_LABEL,
    Binned,
    Column,
    Decimal,
    Domain,
    Frame,
    Moment,
    Offsets,
    Whole,
    without_fraction,
)
from synth.rows.cell_places import draw_places
from synth.rows.offsets import CellLaws
from synth.rows.ordered_pairs import Pairs, Tied, Units, put_in_order
from synth.rows.value_numbers import steps_of_values, value_spans
from synth.util import Codes, Floats, Ints, Mask, one_thread

# Each exchange closes most of the remaining gap.
EXCHANGES = 3


class Exchange:
    """Rows in which one column's values are permuted within strata.

    Args:
        codes: One array of shape (rows,) per column.
        units: Values in steps; those of the column change in place.
        strata: The stratum of each row, shape (rows,).
    """

    def __init__(
        self,
        domain: Domain,
        codes: Sequence[Codes],
        units: Sequence[Units | None],
        number: int,
        strata: Ints,
    ) -> None:
        self.domain, self.codes, self.units, self.strata = domain, codes, units, strata
        self.number, self.moved = number, units[number]

    def sort(self, rows: npt.NDArray[np.intp], by: Floats) -> Units:
        """Return the values, with those of some rows sorted by these numbers within
        strata.
        """
        assert self.moved is not None
        found = self.moved.copy()
        to = rows[np.lexsort((by[rows], self.strata[rows]))]
        found[to] = self.moved[rows[np.lexsort((self.moved[rows], self.strata[rows]))]]
        return found

    def tie_groups(self, group: Codes, law: Floats, rng: np.random.Generator) -> None:
        """Give groups a law's mean offsets, as far as its noise allows."""
        assert self.moved is not None
        axis = _RowAxis.build(self.domain, self.number, self.codes[self.number], Frame.WIDEST)
        size = np.maximum(np.bincount(group, minlength=len(law)), 1)
        rows = np.flatnonzero(axis.counts)

        def means(units: Units) -> Floats:
            return np.bincount(group, axis.offsets(units), len(law)) / size

        for _ in range(EXCHANGES):
            gap = law[:, 0] - means(self.moved)
            gap *= gap**2 / np.maximum(gap**2 + law[:, 1], 1e-300)
            by = gap[group] + 1e-9 * rng.random(len(group))
            most = means(self.sort(rows, by)) - means(self.moved)
            reached = float(size @ most**2)
            share = float(size @ (gap * most)) / reached if reached else 0.0
            self.moved[:] = self.sort(rows[rng.random(len(rows)) < share], by)

    def tie_products(self, other: int, law: Floats, rng: np.random.Generator) -> None:
        """Sort enough values by the other column to reach the mean product."""
        axis = _RowAxis.build(self.domain, self.number, self.codes[self.number], Frame.RANGE)
        second = _RowAxis.build(self.domain, other, self.codes[other], Frame.RANGE)
        fixed = self.units[other]
        assert self.moved is not None
        assert fixed is not None
        rows = np.flatnonzero(axis.counts & second.counts)
        away, now = second.offsets(fixed), axis.offsets(self.moved)
        if not len(rows):
            return
        gap = float(law[0] - (now * away).mean())
        by = np.sign(gap) * away
        most = float(((axis.offsets(self.sort(rows, by)) - now) * away).mean())
        if gap * most > 0:
            share = gap / most * gap**2 / (gap**2 + float(law[1]))
            self.moved[:] = self.sort(rows[rng.random(len(rows)) < share], by)


@dataclass(frozen=True, eq=False, kw_only=True)
class _RowAxis:
    """The offsets of a column's rows, as the measured sums count them
    (`synth.domain.Offsets`).

    Attributes:
        column: The column, which says where its values are (`value_numbers`).
        middle: Where the offset of each row is 0, in units of reading, shape (rows,).
        half: The unit of each row's offset, likewise; 0 where a row adds nothing.
        step: The size of a step, in units of reading.
    """

    column: Binned
    middle: Floats
    half: Floats
    step: float

    @classmethod
    def build(cls, domain: Domain, number: int, codes: Codes, frame: Frame) -> Self:
        column, known = domain.columns[number], Offsets.build(domain, number, frame)
        assert isinstance(column, Binned)
        return cls(
            column=column,
            middle=known.middles[codes],
            half=known.halves[codes],
            step=float(column.step),
        )

    @property
    def counts(self) -> Mask:
        """Whether a row has a number that the sums count."""
        return np.asarray(self.half > 0)

    def offsets(self, units: Units) -> Floats:
        """Return the offsets of values, shape (rows,)."""
        unit = np.where(self.counts, self.half, 1.0)
        positions = steps_of_values(self.column, units) * self.step
        return np.where(self.counts, (positions - self.middle) / unit, 0.0)


def cell_ends(column: Binned, codes: Codes) -> tuple[Units, Units]:
    first, last = value_spans(column).T
    safe = np.where(codes < len(column.pieces), codes, 0)
    return first[safe], last[safe]


@one_thread
def decode_columns(
    domain: Domain,
    codes: Sequence[Codes],
    rng: np.random.Generator,
    *,
    order: Pairs = (),
    laws: CellLaws = MappingProxyType({}),
) -> pa.Table:
    """Return rows of values from one array of codes per column.

    Args:
        order: The pairs in order; the cells must allow it.
        laws: Laws of the values within cells (`synth.rows.offsets`).
    """
    units = [
        _draw_units(column, code, rng, law=laws.get((number,)))
        for number, (column, code) in enumerate(zip(domain.columns, codes, strict=True))
    ]
    _tie_pairs(domain, codes, units, laws=laws, rng=rng)
    tied = {}
    for i in {i for pair in order for i in pair}:
        column, drawn = domain.columns[i], units[i]
        if isinstance(column, Binned) and drawn is not None:
            first, last = cell_ends(column, codes[i])
            there = codes[i] < len(column.pieces)
            tied[i] = Tied(column=column, first=first, last=last, there=there, units=drawn)
    put_in_order(tied, [(a, b) for a, b in order if a in tied and b in tied], rng)
    triples = zip(domain.columns, codes, units, strict=True)
    return pa.table([_values(*triple) for triple in triples], list(domain.names))


def numbers(values: npt.NDArray[np.generic], missing: Mask | None = None) -> pa.Array:
    """Return an Arrow array, null at the mask."""
    values = np.ascontiguousarray(values)
    valid = None if missing is None else _bits(~missing)
    kind = pa.from_numpy_dtype(values.dtype)
    return pa.Array.from_buffers(kind, len(values), [valid, pa.py_buffer(values)])


def label_texts(labels: Sequence[str]) -> pa.Array:
    encoded = [label.encode() for label in labels]
    ends = np.cumsum([0, *map(len, encoded)]).astype(np.int32)
    content = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.string(), len(encoded), content)


def spell_codes(
    labels: Sequence[str] | pa.Array, codes: Codes, missing: Mask | None
) -> pa.Array:
    """Return texts by their position in a list, null at the mask.

    Positions may share a text; pandas and others refuse a dictionary that holds it twice.
    """
    listing = labels if isinstance(labels, pa.Array) else label_texts(labels)
    different = listing.dictionary_encode()
    if len(different.dictionary) < len(listing):
        codes = np.asarray(np.from_dlpack(different.indices)[codes], dtype=np.int32)
        listing = different.dictionary
    return pa.DictionaryArray.from_arrays(numbers(codes, missing), listing, safe=False)


def _values(column: Column, codes: Codes, units: Units | None) -> pa.Array:
    missing = codes == column.missing_code if column.missing else None
    if units is None or not isinstance(column, Binned):
        return spell_codes(column.cells, codes, missing)
    values = _place_in_bins(column, units, missing)
    if column.other_code is None:
        return values
    other = pa.Array.from_buffers(
        pa.bool_(), len(codes), [None, _bits(codes == column.other_code)]
    )
    return pc.if_else(other, label_texts([OTHER_LABEL])[0], values.cast(pa.string()))


def _place_in_bins(column: Binned, units: Units, missing: Mask | None) -> pa.Array:
    match column.reading:
        case Whole():
            return numbers(units, missing)
        case Decimal(places):
            return numbers(units / 10**places if places else units, missing)
        case Moment() as moment:
            return _dates(column, moment, units, missing=missing)
    seen, place = np.unique(units, return_inverse=True)
    return spell_codes(
        [column.reading.write(int(step)) for step in seen], place.astype(np.int32), missing
    )


def _draw_units(
    column: Column, codes: Codes, rng: np.random.Generator, *, law: Floats | None
) -> Units | None:
    # Uniform or by a law; arbitrary without a bin.
    if not isinstance(column, Binned):
        return None
    first, last = cell_ends(column, codes)
    if law is not None:
        return first + draw_places(law[codes], last - first, rng)
    drawn: Units = rng.integers(first, last, endpoint=True)
    return drawn


def _tie_pairs(
    domain: Domain,
    codes: Sequence[Codes],
    units: Sequence[Units | None],
    *,
    laws: CellLaws,
    rng: np.random.Generator,
) -> None:
    # Sums by group come first, and products keep them. A column with set products stays
    # unchanged, so one pair of a circle is left out.
    strata = [code.astype(np.int64) for code in codes]
    pairs = [pair for pair in laws if len(pair) > 1]
    for number, group in sorted(pair for pair in pairs if laws[pair].ndim > 1):
        rows = Exchange(domain, codes, units, number, strata[number])
        rows.tie_groups(codes[group], laws[number, group], rng)
        strata[number] = strata[number] * domain.shape[group] + codes[group]
    touched: set[int] = set()
    for pair in sorted(pair for pair in pairs if laws[pair].ndim == 1):
        free = [number for number in pair if number not in touched]
        touched |= {*pair}
        if free:
            other = pair[1] if free[0] == pair[0] else pair[0]
            rows = Exchange(domain, codes, units, free[0], strata[free[0]])
            rows.tie_products(other, laws[pair], rng)


def _dates(column: Binned, moment: Moment, units: Units, *, missing: Mask | None) -> pa.Array:
    spans = value_spans(column)
    first, end = int(spans[0, 0]), int(spans[-1, 1]) + 1
    if end - first >= len(units):
        return _write_moments(moment, steps_of_values(column, units), missing)
    texts = _write_moments(moment, steps_of_values(column, np.arange(first, end)), None)
    return spell_codes(texts, (units - first).astype(np.int32), missing)


def _write_moments(moment: Moment, steps: Units, missing: Mask | None) -> pa.Array:
    # The same texts as `Moment.write`, many at a time.
    moments = numbers(steps * moment.seconds, missing).cast(pa.timestamp("s"))
    return pc.strftime(moments, format=without_fraction(moment.pattern))


def _bits(mask: Mask) -> pa.Buffer:
    return pa.py_buffer(np.packbits(mask, bitorder="little"))
