"""Arrow columns, converted cell by cell to the few types that an engine reads. PRIVATE.

No cell causes a failure, and no cell changes another, as its result depends only on the cell
and the column's type:

- texts are UTF-8 with at most `CELL` bytes; all others become `UNREADABLE`, which no domain
  declares;
- moments are whole microseconds in their column's time zone; moments outside an engine's
  years get the year 20000, which is never declared either;
- durations are seconds; times of day and rarer types are texts;
- a decimal number with more digits than its column declares is missing.

>>> import pyarrow as pa
>>> read_column(pa.array([b"x", b"\\xff"])).to_pylist() == ["x", UNREADABLE]
True
"""

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from synth import limits
from synth.domain import UNREADABLE
from synth.errors import name_some

if TYPE_CHECKING:
    import pyarrow as pa

CELL = limits.CELL_BYTES
# Why a text can't be read: because its bytes are no text, or because it is too long.
BYTES = "bytes"
LONG = "long"

# Below this, whole floats are exact.
MAX_EXACT_WHOLE = 2**53
# Most columns that a sentence names.
MAX_NAMED_COLUMNS = 5

# The year 20000 in microseconds since 1970.
FAR_MICROSECONDS = 568_971_820_800_000_000
# Microseconds of a day.
DAY_MICROSECONDS = 86_400_000_000
MICROSECONDS = {"s": 1_000_000, "ms": 1_000, "us": 1}
# Most digits of a decimal number that an engine reads as one.
MAX_DECIMAL_DIGITS = 38

# Called with the reason why a text can't be read, its row, and its bytes.
Note = Callable[[str, int, bytes], None]
Integers = npt.NDArray[np.int64]


def split_nested(schema: "pa.Schema") -> tuple[list[int], list[str]]:
    """Return the positions of columns without lists and records, and the names of others.

    >>> import pyarrow as pa
    >>> split_nested(pa.schema([("tags", pa.list_(pa.string())), ("age", pa.int64())]))
    ([1], ['tags'])
    """
    from pyarrow import types

    positions: list[int] = []
    nested_names: list[str] = []
    for position, field in enumerate(schema):
        if types.is_nested(field.type):
            nested_names.append(field.name)
        else:
            positions.append(position)
    return positions, nested_names


def nested_notes(names: Sequence[str]) -> list[str]:
    """Return a remark that columns of lists or records are left out; none without such.

    >>> nested_notes(["tags"])
    ["Left out, as they hold lists or records, which Synth does not read: 'tags'."]
    """
    if not names:
        return []
    listing = name_some([f"'{name}'" for name in names], MAX_NAMED_COLUMNS)
    return [f"Left out, as they hold lists or records, which Synth does not read: {listing}."]


def read_type(kind: "pa.DataType") -> "pa.DataType":
    """Return the Arrow type in which Synth reads a column of this type.

    Whatever has no type of its own here, such as a time of day, is read as text.
    """
    import pyarrow as pa
    from pyarrow import types

    kind = _bare(kind)
    if types.is_timestamp(kind):
        return pa.timestamp("us")
    if types.is_date(kind):
        return pa.date32()
    if types.is_duration(kind):
        return pa.float64()
    if types.is_float16(kind):
        return pa.float32()
    if _is_decimal(kind):
        return pa.decimal128(kind.precision, kind.scale)
    if types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind):
        return kind
    if types.is_string(kind) or types.is_binary(kind):
        return pa.string()
    # Texts of other Arrow types, and whatever becomes text, may be more than `string` holds.
    return pa.large_string()


def read_column(column: "pa.Array", note: Note | None = None, first: int = 0) -> "pa.Array":
    """Return a column in the type in which Synth reads it, each cell by itself.

    Args:
        column: Any column but one of lists or records.
        note: Called for each text that can't be read, with the reason, its row and bytes.
        first: The number of the first row, for the note.
    """
    import pyarrow as pa
    from pyarrow import types

    column = _bare_column(column)
    kind = column.type
    target = read_type(kind)
    # Arrow calls calendar intervals temporal; they are read as text.
    if types.is_temporal(kind) and not types.is_interval(kind):
        return _read_time(column)
    if _is_decimal(kind):
        return _decimals(column, target)
    if _is_bytes(kind):
        blobs = column.cast(pa.binary() if types.is_string(target) else pa.large_binary())
        return decode_texts(blobs, target, note, rows=count(first))
    # A rare type is read as text, cell by cell; a column of type null holds no values.
    if types.is_large_string(target) and not types.is_null(kind):
        return pa.array(map(_text_of, column), target)
    return column.cast(target)


def plain_decimal(value: Decimal) -> str:
    """Return the text of a decimal number without trailing zeros, which a column may add.

    >>> plain_decimal(Decimal("1.50")), plain_decimal(Decimal("2E+1"))
    ('1.5', '20')
    """
    if not value.is_finite() or abs(value.adjusted()) > CELL:
        return str(value)
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def readable(cell: bytes) -> tuple[str, str]:
    """Return the text of a cell and '', or `UNREADABLE` and why: `LONG` or `BYTES`."""
    if len(cell) > CELL:
        return UNREADABLE, LONG
    try:
        return cell.decode(), ""
    except UnicodeDecodeError:
        return UNREADABLE, BYTES


def _bare(kind: "pa.DataType") -> "pa.DataType":
    """Return the type of a column's values, without dictionary, run or extension types.

    UUIDs stay an extension, as Python writes these as text.
    """
    import pyarrow as pa
    from pyarrow import types

    if types.is_dictionary(kind):
        value = _bare(kind.value_type)
        # The texts of a whole column may be too many for arrays of small texts.
        return pa.large_binary() if _is_bytes(value) else value
    if types.is_run_end_encoded(kind):
        return _bare(kind.value_type)
    if isinstance(kind, pa.BaseExtensionType) and kind.extension_name != "arrow.uuid":
        return _bare(kind.storage_type)
    return kind


def _bare_column(column: "pa.Array") -> "pa.Array":
    """Return the same column with plain values: its type is `_bare` of its own."""
    import pyarrow.compute as pc
    from pyarrow import types

    kind = column.type
    if _bare(kind) == kind:
        return column
    if types.is_dictionary(kind):
        return _bare_column(column.dictionary).cast(_bare(kind)).take(column.indices)
    if types.is_run_end_encoded(kind):
        return _bare_column(pc.run_end_decode(column))
    return _bare_column(column.storage)


def _is_decimal(kind: "pa.DataType") -> bool:
    """Return whether an engine reads this type as decimal numbers: not too many digits."""
    from pyarrow import types

    return bool(
        types.is_decimal(kind) and kind.precision <= MAX_DECIMAL_DIGITS and kind.scale >= 0
    )


def _is_bytes(kind: "pa.DataType") -> bool:
    """Return whether values of this type are texts or bytes."""
    from pyarrow import types

    return any(
        test(kind)
        for test in (
            types.is_string,
            types.is_large_string,
            types.is_string_view,
            types.is_binary,
            types.is_large_binary,
            types.is_binary_view,
            types.is_fixed_size_binary,
        )
    )


def decode_texts(
    blobs: "pa.Array", kind: "pa.DataType", note: Note | None, *, rows: Iterable[int]
) -> "pa.Array":
    """Return bytes as texts; undecodable or too long ones become `UNREADABLE`.

    Args:
        blobs: A column of bytes, which may be missing.
        kind: The type of the texts.
        note: Called for each that can't be read, with the reason, its row and bytes.
        rows: The number of each row, for the note.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    # Arrow converts a whole column at once if all its cells can be read. If all bytes of the
    # column are not too many for a cell, none of its cells can be too long.
    try:
        if blobs.nbytes <= CELL or (pc.max(pc.binary_length(blobs)).as_py() or 0) <= CELL:
            return blobs.cast(kind)
    except pa.ArrowInvalid:
        pass
    pairs = zip(blobs.to_pylist(), rows, strict=False)  # ``rows`` may go on without end
    return pa.array([decode_cell(blob, row, note) for blob, row in pairs], kind)


def decode_cell(blob: bytes | None, row: int, note: Note | None) -> str | None:
    """Return the text of a cell, or `UNREADABLE`; None of a missing one.

    Args:
        blob: The bytes of the cell.
        row: The number of its row or line, for the note.
        note: Called with the reason if the cell can't be read.
    """
    if blob is None:
        return None
    text, trouble = readable(blob)
    if trouble and note is not None:
        note(trouble, row, blob)
    return text


def _text_of(cell: Any) -> str | None:
    """Return the text of an Arrow value of a rare type; None of a missing one.

    A value that Python cannot show becomes `UNREADABLE`.
    """
    try:
        value = cell.as_py()
        text = plain_decimal(value) if isinstance(value, Decimal) else str(value)
    except Exception:  # noqa: BLE001 - a value that Python has no type for
        return UNREADABLE
    return None if value is None else text


def _integers(column: "pa.Array") -> tuple[Integers, npt.NDArray[np.bool_] | None]:
    """Return the integers that dates, times or durations are stored as.

    The second value is a mask of missing cells, whose integers are 0; None if there are none.
    """
    import pyarrow as pa

    # The same bytes, taken for integers of 32 or 64 bits.
    plain = column.view(pa.int32() if column.type.bit_width == 32 else pa.int64())
    if not plain.null_count:
        return plain.to_numpy().astype(np.int64, copy=False), None
    is_null = plain.is_null().to_numpy(zero_copy_only=False)
    return plain.fill_null(0).to_numpy().astype(np.int64, copy=False), is_null


def _microseconds(numbers: Integers, unit: str) -> Integers:
    """Return times as whole microseconds.

    Those beyond the year 20000, or as far before 1970, become `FAR_MICROSECONDS`.

    Args:
        numbers: The times since 1970, or since midnight.
        unit: The unit of the numbers: s, ms, us or ns.
    """
    if unit == "ns":
        return _bound_numbers(numbers // 1000, FAR_MICROSECONDS)
    factor = MICROSECONDS[unit]
    return _bound_numbers(numbers, FAR_MICROSECONDS // factor) * factor


def _bound_numbers(numbers: Integers, limit: int) -> Integers:
    """Return the numbers, with the limit in place of those beyond it on either side.

    Those below minus the limit become the limit, too: it stands for an undeclared value.
    """
    far = (numbers > limit) | (numbers < -limit)
    return np.where(far, limit, numbers) if far.any() else numbers


def _read_time(column: "pa.Array") -> "pa.Array":
    """Return dates, times or durations in the types that Synth reads.

    Dates are days, timestamps whole microseconds by the clock of their time zone, durations
    seconds, and times of day texts.
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import types

    kind = column.type
    numbers, is_null = _integers(column)
    if types.is_date(kind):
        # The other type of dates counts milliseconds.
        days = numbers if kind == pa.date32() else numbers // (DAY_MICROSECONDS // 1000)
        near = _bound_numbers(days, FAR_MICROSECONDS // DAY_MICROSECONDS).astype(np.int32)
        return pa.array(near, mask=is_null).view(pa.date32())
    if types.is_duration(kind):  # seconds: the nearest double to whole microseconds
        unit = kind.unit
        if unit == "ns":
            numbers = numbers // 1000
            unit = "us"
        return pa.array(numbers / (MICROSECONDS["s"] // MICROSECONDS[unit]), mask=is_null)
    moments = _microseconds(numbers, kind.unit)
    if types.is_timestamp(kind):  # of any unit and zone, by their own clock
        timestamps = pa.array(moments, mask=is_null).view(pa.timestamp("us", kind.tz))
        return pc.local_timestamp(timestamps) if kind.tz else timestamps
    # Times of day in ISO 8601, without trailing zeros of a second's fraction.
    moments_of_day = pa.array(moments, mask=is_null).view(pa.timestamp("us"))
    texts = pc.replace_substring_regex(pc.strftime(moments_of_day, "%H:%M:%S"), r"\.?0*$", "")
    inside = pa.array((moments >= 0) & (moments < DAY_MICROSECONDS))
    return pc.if_else(inside, texts, UNREADABLE).cast(pa.large_string())


def _decimals(column: "pa.Array", kind: "pa.DataType") -> "pa.Array":
    """Return decimal numbers; those with more digits than the type has are missing.

    An engine would fail on them. If Arrow finds none in the whole column, it is cast at once.
    """
    import pyarrow as pa

    try:
        column.validate(full=True)
        return column.cast(kind)
    except pa.ArrowInvalid:
        pass
    return pa.array([_fit_decimal(value, kind) for value in column.to_pylist()], kind)


def _fit_decimal(value: Decimal | None, kind: "pa.DataType") -> Decimal | None:
    """Return a decimal number; None if it is missing, or too large for the type."""
    whole_digits = kind.precision - kind.scale
    # `adjusted` is the power of ten of the first digit, which 0 does not have.
    fits = value is not None and (not value or value.adjusted() < whole_digits)
    return value if fits else None
