"""Columns of Arrow: how a cell is read follows from it and from its column's type alone."""

from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from synth.domain import UNREADABLE
from synth.private.table import CELL
from synth.private.table.columns import plain_decimal, read_column, read_type
from tests.table.typed import STORED

RARE = {
    "objects of Arrow": pa.array([(1, 2, 3), None], pa.month_day_nano_interval()),
    "runs": pc.run_end_encode(pa.array(["x", "x", None])),
    "uuid": pa.array([b"0123456789abcdef", None], pa.uuid()),
    "json": pa.array(["{}", None], pa.json_()),
    "tens": pa.array([Decimal(1500), None], pa.decimal128(5, -2)),
    "small": pa.array([Decimal("1.50"), None], pa.decimal32(5, 2)),
    "moments listed": pa.array([0, 1, 0], pa.timestamp("ns")).dictionary_encode(),
    "numbers listed": pa.array([Decimal("1.5"), None]).dictionary_encode(),
}


def show_column(array: Any) -> str:
    """What a column holds, NaN and the year 20000 included."""
    if pa.types.is_temporal(array.type):
        array = array.view(pa.int32() if array.type.bit_width == 32 else pa.int64())
    return str(array.to_pylist())


@pytest.mark.parametrize("name", [*STORED, *RARE])
def test_a_cell_is_read_on_its_own(name: str) -> None:
    """Each cell of an Arrow column is read the same alone as among all others.

    The columns are one of each type, with hostile values. The type of the result follows from
    the type of the column.
    """
    array = (STORED | RARE)[name]
    column = read_column(array)
    column.validate(full=True)
    assert column.type == read_type(array.type)
    for index in range(len(array)):
        read_alone = read_column(array.slice(index, 1))
        assert show_column(read_alone) == show_column(column.slice(index, 1))


def test_rare_types_are_texts() -> None:
    """UUIDs, decimals of a negative scale or more than 38 digits, and runs are read as texts.

    The UUID's 16 bytes are the characters 0 to f, whose codes are 30 to 66 in hexadecimal.
    Trailing zeros of a decimal number are dropped.
    """
    assert read_column(RARE["uuid"]).to_pylist() == [
        "30313233-3435-3637-3839-616263646566",
        None,
    ]
    assert read_column(RARE["tens"]).to_pylist() == ["1500", None]
    assert read_column(RARE["runs"]).to_pylist() == ["x", "x", None]
    large = pa.array([Decimal("1e40"), Decimal("-0.10")], pa.decimal256(60, 2))
    assert read_column(large).to_pylist() == ["1" + "0" * 40, "-0.1"]


def test_a_decimal_number_with_too_many_digits_is_missing() -> None:
    """A decimal number with more digits than its column declares is missing; others stay.

    An engine fails on the whole column: 10,000,000.00 has more than four digits. Arrow does
    not check them when a column is made from bytes, as it is here.
    """
    cents = [10**9, 150]  # of 10,000,000.00 and 1.50
    content = b"".join(number.to_bytes(16, "little") for number in cents)
    array = pa.Array.from_buffers(pa.decimal128(4, 2), 2, [None, pa.py_buffer(content)])
    assert read_column(array).to_pylist() == [None, Decimal("1.50")]


def test_texts_that_cannot_be_read_are_noted() -> None:
    """Bytes that are no UTF-8, and texts above `CELL` bytes, are unreadable and reported.

    The callback gets the reason and the row. The first row has the number 11, so the second
    and third cell are in rows 12 and 13. A text of exactly `CELL` bytes is read.
    """
    notes: list[tuple[str, int]] = []
    array = pa.array([b"x", b"\xff", b"y" * (CELL + 1), b"y" * CELL])
    column = read_column(array, lambda reason, row, _: notes.append((reason, row)), 11)
    assert column.to_pylist() == ["x", UNREADABLE, UNREADABLE, "y" * CELL]
    assert notes == [("bytes", 12), ("long", 13)]


def test_a_zone_has_its_own_clock() -> None:
    """A moment is read by the clock of its column's time zone.

    The number of seconds is 12:00 UTC on 1 July 2024; Berlin is two hours ahead in summer.
    """
    summer = pa.array([1_719_835_200], pa.timestamp("s", "Europe/Berlin"))
    assert str(read_column(summer)[0]) == "2024-07-01 14:00:00"


@pytest.mark.parametrize(
    "text", ["1.50", "100", "0.0", "-3.1400", "1E+3", "1E-10", "NaN", "sNaN"]
)
def test_decimal_numbers_have_no_zeros_at_their_end(text: str) -> None:
    """A decimal number is written without an exponent and without zeros at its end.

    The text has the same value as the number, unless that is no finite number.
    """
    value = Decimal(text)
    written = plain_decimal(value)
    assert "E" not in written
    if value.is_finite():
        assert Decimal(written) == value
    if "." in written:
        assert written == written.rstrip("0").rstrip(".")
