"""The values of a column in a format. PUBLIC."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from synth.bundle.exports.columns import HeldColumn, Storage
from synth.domain import EPOCH, Moment
from synth.rows import label_texts
from synth.util import Floats

# Numbers with NaN for a missing value, or texts with None.
CellValues = npt.NDArray[np.generic]


def cells_of(values: pa.Array, variable: HeldColumn) -> CellValues:
    """Return a column's cells for a format, shape (rows,).

    Args:
        values: The cells of some rows as `SyntheticTable.pieces` has them: numbers, texts, or
            texts as codes of a dictionary.
        variable: How the format holds the column.

    Returns:
        Floats for codes, numbers and dates, with NaN or the format's code for a missing
        value; or texts, with None for a missing value.
    """
    match variable.storage:
        case Storage.CODE:
            cells = _take_numbers(values.indices, np.array(variable.codes))
            return _mark_reasons(_fill_missing(cells, variable), variable)
        case Storage.NUMBER:
            numbers = _fill_missing(_numbers(values, variable), variable)
            return _mark_reasons(numbers, variable)
        case Storage.DATE:
            cells = _dates(values, variable)
        case _:
            # Texts. Truth values are cast elsewhere (`typed_pieces`).
            texts: CellValues = values.cast(pa.string()).to_numpy(zero_copy_only=False)
            return texts
    return _fill_missing(cells, variable)


def _fill_missing(cells: Floats, variable: HeldColumn) -> Floats:
    """Return cells with the format's code for missing values, if it has one, in place."""
    if variable.missing is not None:
        cells[np.isnan(cells)] = variable.missing
    return cells


def _mark_reasons(cells: Floats, variable: HeldColumn) -> CellValues:
    """Return codes with letters for values that mean a missing one, where these have some.

    Args:
        cells: The code of each row, NaN if missing.
        variable: How the format holds the column.
    """
    letters = {code: mark for code, mark in variable.reasons.items() if isinstance(mark, str)}
    if not letters:
        return cells
    marked = cells.astype(object)
    for code, letter in letters.items():
        marked[cells == code] = letter
    return marked


def _take_numbers(places: pa.Array, numbers: Floats) -> Floats:
    """Return the number of each row, shape (rows,), NaN if it is missing.

    Args:
        places: Each row's position in `numbers`, or null.
        numbers: Numbers to choose from.
    """
    # A missing position becomes that of an additional last number, NaN.
    with_missing = np.append(numbers, np.nan)
    filled = pc.fill_null(places, len(numbers)).to_numpy(zero_copy_only=False)
    return np.asarray(with_missing[filled])


def _numbers(values: pa.Array, variable: HeldColumn) -> Floats:
    """Return a column of numbers as floats, NaN if missing.

    Signs, and the label of values outside, are texts among the numbers. They become what the
    format has for them: a number, or a text in an array of objects.
    """
    if not pa.types.is_string(values.type):
        return _floats(values)
    codes = variable.text_codes
    is_text = pc.is_in(values, label_texts([*codes]))
    cells = _floats(pc.if_else(is_text, None, values).cast(pa.float64()))
    if any(isinstance(code, str) for code in codes.values()):
        cells = cells.astype(object)
    for text, code in codes.items():
        # A missing value is none of these texts.
        has_text = pc.fill_null(pc.equal(values, text), False)
        cells[has_text.to_numpy(zero_copy_only=False)] = code
    return cells


def _floats(values: pa.Array) -> Floats:
    """Return floats, NaN if missing, in an array that may be changed."""
    filled = pc.fill_null(values.cast(pa.float64(), safe=False), np.nan)
    return np.array(filled.to_numpy(zero_copy_only=False))


def _dates(values: pa.Array, variable: HeldColumn) -> Floats:
    """Return dates as numbers, in the format's unit since its zero; NaN if missing.

    Each different text is read only once.
    """
    moment = variable.column.reading
    assert isinstance(moment, Moment)
    if not pa.types.is_dictionary(values.type):
        values = values.dictionary_encode()
    # Units of the declared dates, such as days, since Synth's zero (`EPOCH`).
    steps = np.array(
        [moment.read(text) for text in values.dictionary.to_pylist()], dtype=float
    )
    # Seconds between the zero of the format's dates and that of Synth.
    gap = (EPOCH - variable.epoch).total_seconds()
    seconds = steps * moment.seconds + gap
    return _take_numbers(values.indices, seconds / variable.unit)


def pieces_of(table: pa.Table) -> Iterator[pa.Array]:
    """Yield the columns of a piece of rows, each as one array."""
    for column in table.columns:
        yield column.combine_chunks()
