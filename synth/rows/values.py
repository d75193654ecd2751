"""The values of synthetic rows, from codes.

Numbers and dates are uniform within their bin, follow measured offsets (`synth.rows.offsets`), or
are uniform among values in order. Arrow arrays come from buffers: `pyarrow.array` would import
pandas, which doubles the time.
"""

from collections.abc import Sequence
from types import MappingProxyType

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from synth.domain import OTHER_LABEL, Binned, Column, Decimal, Domain, Moment, Whole
from synth.rows.exchange import Exchange, cell_ends
from synth.rows.offsets import CellLaws
from synth.rows.ordered_pairs import Pairs, Tied, Units, put_in_order
from synth.util import Codes, Floats, Mask


def decode_columns(
    domain: Domain,
    codes: Sequence[Codes],
    rng: np.random.Generator,
    order: Pairs = (),
    laws: CellLaws = MappingProxyType({}),
) -> pa.Table:
    """Return rows of values from one array of codes per column.

    Args:
        order: The pairs in order; the cells must allow it.
        laws: Laws of the values within cells (`synth.rows.offsets`).
    """
    units = [
        _draw_units(column, code, rng, laws.get((number,)))
        for number, (column, code) in enumerate(zip(domain.columns, codes, strict=True))
    ]
    _tie_pairs(domain, codes, units, laws, rng)
    _put_in_order(domain, codes, units, order, rng)
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


def spell_codes(labels: Sequence[str] | pa.Array, codes: Codes, missing: Mask | None) -> pa.Array:
    """Return texts by their position in a list, null at the mask."""
    listing = labels if isinstance(labels, pa.Array) else label_texts(labels)
    return pa.DictionaryArray.from_arrays(numbers(codes, missing), listing, safe=False)


def _values(column: Column, codes: Codes, units: Units | None) -> pa.Array:
    missing = codes == column.missing_code if column.missing else None
    if units is None or not isinstance(column, Binned):
        return spell_codes(column.cells, codes, missing)
    values = _place_in_bins(column, units, missing)
    if column.other_code is None:
        return values
    other = pa.Array.from_buffers(pa.bool_(), len(codes), [None, _bits(codes == column.other_code)])
    return pc.if_else(other, label_texts([OTHER_LABEL])[0], values.cast(pa.string()))


def _place_in_bins(column: Binned, units: Units, missing: Mask | None) -> pa.Array:
    match column.reading:
        case Whole():
            return numbers(units, missing)
        case Decimal(places):
            return numbers(units / 10**places if places else units, missing)
        case Moment() as moment:
            return _dates(moment, column.spans, units, missing)
    seen, place = np.unique(units, return_inverse=True)
    return spell_codes(
        [column.reading.write(int(step)) for step in seen], place.astype(np.int32), missing
    )


def _draw_units(
    column: Column, codes: Codes, rng: np.random.Generator, law: Floats | None
) -> Units | None:
    # Uniform or by a law; arbitrary without a bin.
    if not isinstance(column, Binned):
        return None
    first, last = cell_ends(column, codes)
    if law is not None:
        pairs = zip(column.cell_ends, column.extent[1], strict=True)
        beyond = np.array([high > most for (_, high), most in pairs], dtype=np.int64)
        open_ended = beyond[np.where(codes < len(beyond), codes, 0)]  # up to the next bin
        place = rng.beta(*law[codes].T) * (last - first + open_ended) + rng.random(len(codes))
        return np.asarray(first + np.minimum(np.floor(place).astype(np.int64), last - first))
    drawn: Units = rng.integers(first, last, endpoint=True)
    return drawn


def _tie_pairs(
    domain: Domain,
    codes: Sequence[Codes],
    units: Sequence[Units | None],
    laws: CellLaws,
    rng: np.random.Generator,
) -> None:
    # Sums by group come first, and products keep them. A column with set products stays unchanged,
    # so one pair of a circle is left out.
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


def _put_in_order(
    domain: Domain,
    codes: Sequence[Codes],
    units: Sequence[Units | None],
    order: Pairs,
    rng: np.random.Generator,
) -> None:
    tied = {}
    for i in {i for pair in order for i in pair}:
        column, drawn = domain.columns[i], units[i]
        if isinstance(column, Binned) and drawn is not None:
            there = codes[i] < len(column.pieces)
            tied[i] = Tied(column, *cell_ends(column, codes[i]), there, drawn)
    put_in_order(tied, [(a, b) for a, b in order if a in tied and b in tied], rng)


def _dates(
    moment: Moment, spans: Sequence[tuple[int, int]], units: Units, missing: Mask | None
) -> pa.Array:
    first, end = spans[0][0], spans[-1][1] + 1
    few = end - first < len(units)
    seen = np.arange(first, end) if few else units
    moments = numbers(seen * moment.seconds, None if few else missing)
    shown = pc.strftime(moments.cast(pa.timestamp("s")), format=moment.pattern)
    return spell_codes(shown, (units - first).astype(np.int32), missing) if few else shown


def _bits(mask: Mask) -> pa.Buffer:
    return pa.py_buffer(np.packbits(mask, bitorder="little"))
