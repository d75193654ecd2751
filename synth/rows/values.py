"""The values of synthetic rows, from codes.

Numbers and dates are uniform within their bin, follow measured offsets
(`synth.rows.offsets`), or are uniform among values in order. Arrow arrays come from buffers:
`pyarrow.array` would import pandas, which doubles the time.
"""

from collections.abc import Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

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
    Moment,
    Reading,
    Whole,
    plain_pattern,
    without_fraction,
)
from synth.rows.value_numbers import Units, steps_of_values, value_spans
from synth.util import Codes, Floats, Mask, one_thread

if TYPE_CHECKING:
    from synth.rows.offsets import CellLaws
    from synth.rows.ordered_pairs import Pairs


def cell_ends(column: Binned, codes: Codes) -> tuple[Units, Units]:
    """Return the first and the last value of each row's cell, both of shape (rows,).

    Args:
        column: The declared column.
        codes: Each row's code, shape (rows,). A row without a value has those of cell 0.
    """
    first, last = value_spans(column).T
    safe = np.where(codes < len(column.pieces), codes, 0)
    return first[safe], last[safe]


@one_thread
def decode_columns(
    domain: Domain,
    codes: Sequence[Codes],
    rng: np.random.Generator,
    *,
    order: "Pairs" = (),
    laws: "CellLaws" = MappingProxyType({}),
) -> pa.Table:
    """Return rows of values from one array of codes per column.

    Args:
        domain: The declared columns.
        codes: Each row's code, one array of shape (rows,) for each column.
        rng: Source of randomness.
        order: Pairs of column numbers; the first value is at most the second, which the
            cells must allow.
        laws: Laws of the values within cells (`synth.rows.offsets`).
    """
    units = [
        _draw_units(column, codes[number], rng, law=laws.get((number,)))
        for number, column in enumerate(domain.columns)
    ]
    if any(len(columns) > 1 for columns in laws):
        from synth.rows.exchange import tie_pairs

        tie_pairs(domain, codes, units, laws=laws, rng=rng)
    _avoid_marked_values(domain, codes, units, order=order)
    if order:
        _put_in_order(domain, codes, units, order=order, rng=rng)
    columns = [
        _values(column, column_codes, column_units)
        for column, column_codes, column_units in zip(
            domain.columns, codes, units, strict=True
        )
    ]
    return pa.table(columns, list(domain.names))


def _avoid_marked_values(
    domain: Domain, codes: Sequence[Codes], units: list[Units | None], *, order: "Pairs"
) -> None:
    """Replace values that mean a missing one by a neighbour in their cell, in place.

    Columns in an order stay as they are, since a neighbour may be out of order.

    Args:
        domain: The declared columns.
        codes: Each row's code, one array of shape (rows,) for each column.
        units: Each row's value as its column numbers it, likewise; None for texts.
        order: Pairs of column numbers; the first value is at most the second.
    """
    numbers_in_order = {number for pair in order for number in pair}
    for number, column in enumerate(domain.columns):
        column_units = units[number]
        if column_units is None or not isinstance(column, Binned):
            continue
        # Words such as "NA" are no values.
        spellings = "".join(domain.spellings_of_missing(column))
        if number in numbers_in_order or not any(map(str.isdigit, spellings)):
            continue
        from synth.rows.marked_values import list_marked_values, step_aside

        marked_values = list_marked_values(domain, column)
        if len(marked_values):
            ends = cell_ends(column, codes[number])
            units[number] = step_aside(column_units, marked_values, ends)


def _put_in_order(
    domain: Domain,
    codes: Sequence[Codes],
    units: Sequence[Units | None],
    *,
    order: "Pairs",
    rng: np.random.Generator,
) -> None:
    """Redraw values that are out of order, in place.

    Args:
        domain: The declared columns.
        codes: Each row's code, one array of shape (rows,) for each column.
        units: Each row's value as its column numbers it, likewise; None for texts.
        order: Pairs of column numbers; the first value is at most the second.
        rng: Source of randomness.
    """
    from synth.rows.ordered_pairs import OrderedColumn, put_in_order

    ordered: dict[int, OrderedColumn] = {}
    for number in {number for pair in order for number in pair}:
        column = domain.columns[number]
        column_units = units[number]
        if isinstance(column, Binned) and column_units is not None:
            first, last = cell_ends(column, codes[number])
            ordered[number] = OrderedColumn(
                column=column,
                first=first,
                last=last,
                has_value=codes[number] < len(column.pieces),
                units=column_units,
            )
    pairs = [
        (first, second) for first, second in order if first in ordered and second in ordered
    ]
    put_in_order(ordered, pairs, rng)


def numbers(values: npt.NDArray[np.generic], missing: Mask | None = None) -> pa.Array:
    """Return numbers as an Arrow array, without a copy where possible.

    Args:
        values: The numbers, shape (rows,).
        missing: Rows that are null, same shape; None for none.
    """
    values = np.ascontiguousarray(values)
    valid = None if missing is None else _bits(~missing)
    kind = pa.from_numpy_dtype(values.dtype)
    return pa.Array.from_buffers(kind, len(values), [valid, pa.py_buffer(values)])


def label_texts(labels: Sequence[str]) -> pa.Array:
    """Return texts as an Arrow array, built from its buffers.

    `pyarrow.array` would import pandas, which takes long.
    """
    encoded = [label.encode() for label in labels]
    # Where each text starts, and the last one ends, in the joined bytes.
    ends = np.cumsum([0, *map(len, encoded)]).astype(np.int32)
    content = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.string(), len(encoded), content)


def spell_codes(
    labels: Sequence[str] | pa.Array, codes: Codes, missing: Mask | None
) -> pa.Array:
    """Return an Arrow array of texts by their position in a list.

    Args:
        labels: The texts. Some may be equal.
        codes: The position of each row's text, shape (rows,).
        missing: Rows that are null, same shape; None for none.
    """
    listing = labels if isinstance(labels, pa.Array) else label_texts(labels)
    different = listing.dictionary_encode()
    # Pandas and others refuse a dictionary that holds a text twice.
    if len(different.dictionary) < len(listing):
        codes = np.asarray(np.from_dlpack(different.indices)[codes], dtype=np.int32)
        listing = different.dictionary
    return pa.DictionaryArray.from_arrays(numbers(codes, missing), listing, safe=False)


def _values(column: Column, codes: Codes, units: Units | None) -> pa.Array:
    """Return a column's values as an Arrow array, as files hold them.

    Missing ones are null. If the column has signs, or a cell for values outside, all values
    are texts.

    Args:
        column: The declared column.
        codes: Each row's code, shape (rows,).
        units: Each row's value as the column numbers it, same shape; None for texts.
    """
    missing = codes == column.missing_code if column.missing else None
    if units is None or not isinstance(column, Binned):
        return spell_codes(column.cells, codes, missing)
    values = _place_in_bins(column, units, missing)
    if not column.is_mixed:
        return values
    codes_by_text = column.sign_codes
    if column.other_code is not None:
        codes_by_text[OTHER_LABEL] = column.other_code
    texts = values.cast(pa.string())
    for text, code in codes_by_text.items():
        has_text = pa.Array.from_buffers(pa.bool_(), len(codes), [None, _bits(codes == code)])
        texts = pc.if_else(has_text, label_texts([text])[0], texts)
    return texts


def _place_in_bins(column: Binned, units: Units, missing: Mask | None) -> pa.Array:
    """Return numbers or dates as an Arrow array of their column's type.

    Args:
        column: The declared column.
        units: Each row's value as the column numbers it, shape (rows,).
        missing: Rows that are null, same shape; None for none.
    """
    match column.reading:
        case Whole():
            return numbers(units, missing)
        case Decimal(places):
            return numbers(units / 10**places if places else units, missing)
        case Moment() as moment:
            return _dates(column, moment, units, missing=missing)
    # Another reading writes its values one by one.
    return _write_each(column.reading, units, missing)


def _draw_units(
    column: Column, codes: Codes, rng: np.random.Generator, *, law: Floats | None
) -> Units | None:
    """Return each row's value as its column numbers it, drawn within the row's cell.

    Rows whose cell has no values get arbitrary ones.

    Args:
        column: The declared column.
        codes: Each row's code, shape (rows,).
        rng: Source of randomness.
        law: The law of places in each cell, shape (cells, 3); None for uniform values.

    Returns:
        The values, shape (rows,); None if the column has no bins.
    """
    if not isinstance(column, Binned):
        return None
    first, last = cell_ends(column, codes)
    if law is not None:
        from synth.rows.cell_places import draw_places

        return first + draw_places(law[codes], last - first, rng)
    units: Units = rng.integers(first, last, endpoint=True)
    return units


def _dates(column: Binned, moment: Moment, units: Units, *, missing: Mask | None) -> pa.Array:
    """Return dates as an Arrow array of texts.

    If the column has fewer possible dates than there are rows, each is written once.

    Args:
        column: The declared column.
        moment: How its dates are written.
        units: Each row's value as the column numbers it, shape (rows,).
        missing: Rows that are null, same shape; None for none.
    """
    spans = value_spans(column)
    first = int(spans[0, 0])
    end = int(spans[-1, 1]) + 1
    if end - first >= len(units):
        return _write_moments(moment, steps_of_values(column, units), missing)
    texts = _write_moments(moment, steps_of_values(column, np.arange(first, end)), None)
    if isinstance(texts, pa.DictionaryArray):  # a list of texts holds no list of its own
        texts = texts.dictionary_decode()
    return spell_codes(texts, (units - first).astype(np.int32), missing)


def _write_moments(moment: Moment, steps: Units, missing: Mask | None) -> pa.Array:
    """Return dates as texts, as `Moment.write` gives them one by one.

    Args:
        moment: How the dates are written.
        steps: Dates in steps since 1970, shape (rows,).
        missing: Rows that are null, same shape; None for none.
    """
    # Arrow knows neither flags nor the offsets of a zone.
    if moment.has_offsets or plain_pattern(moment.pattern) != moment.pattern:
        return _write_each(moment, steps, missing)
    moments = numbers(steps * moment.seconds, missing).cast(pa.timestamp("s"))
    return pc.strftime(moments, format=without_fraction(moment.pattern))


def _write_each(reading: Reading, steps: Units, missing: Mask | None) -> pa.Array:
    """Return values as texts, each different one written once.

    Args:
        reading: How the values are written.
        steps: The values in steps, shape (rows,).
        missing: Rows that are null, same shape; None for none.
    """
    distinct, place = np.unique(steps, return_inverse=True)
    texts = [reading.write(int(step)) for step in distinct]
    return spell_codes(texts, place.astype(np.int32), missing)


def _bits(mask: Mask) -> pa.Buffer:
    """Return a mask as the bits of an Arrow array."""
    return pa.py_buffer(np.packbits(mask, bitorder="little"))
