"""Kinds of columns: one table of them, one plain meaning of their texts, and room for another."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from synth.domain import (
    KINDS_BY_TYPE,
    WRITTEN_TYPES,
    Binned,
    Boolean,
    Categorical,
    Column,
    Date,
    Domain,
    Integer,
    Listed,
    Number,
    Outside,
    Period,
    Reading,
    read_field,
    write_field,
)
from synth.domain import Integer as WholeNumbers
from synth.domain.fields import OURS
from synth.domain.kinds import COLUMN_KINDS, kind_of
from synth.private.comparison.numeric_columns import Axis
from synth.rows import encode_columns
from synth.rows.values import decode_columns

COLUMNS = (
    Categorical(name="sex", categories=("F", "M")),
    Boolean(name="smoker", true_values=("yes", "y"), false_values=("no",)),
    Integer(name="hours", minimum=0, maximum=99, bins=7, spikes=(40, 999)),
    Number(name="wage", minimum=0, maximum=3, edges=(0, 0.5, 1, 3), spikes=(1,)),
    Number(name="rate", minimum=-1, maximum=1, bins=3),
    Date(name="day", minimum="2024-02-10", maximum="2024-12-31", bins=4, format="%d.%m.%Y"),
    Date(name="hour", minimum="2024-01-01", maximum="2024-01-03", bins=4, time=True),
)


def test_all_kinds_are_in_the_table() -> None:
    assert {type(column) for column in COLUMNS} == set(COLUMN_KINDS)
    assert list(KINDS_BY_TYPE) == list(WRITTEN_TYPES)
    assert all(kind.keys <= OURS for kind in COLUMN_KINDS)


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.name)
def test_a_field_is_of_the_kind_that_wrote_it(column: Column) -> None:
    field = write_field(column)
    assert kind_of(field) is type(column)
    assert field["type"] in column.types.values()
    assert read_field(field, 1) == column


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.name)
def test_readings_take_back_what_they_write(column: Column) -> None:
    reading = column.reading
    steps = range(len(reading.spellings)) if isinstance(reading, Listed) else _steps(column)
    for step in steps:
        assert reading.read(reading.write(step)) == step
        assert reading.may_read(reading.write(step))


def _steps(column: Column) -> list[int]:
    return [step for span in column.spans for step in span]


@pytest.mark.parametrize("column", COLUMNS[2:], ids=lambda column: column.name)
def test_rows_agree_with_the_plain_reading(column: Column) -> None:
    codes = np.repeat(np.arange(column.size, dtype=np.int32), 20)
    rows = decode_columns(Domain((column,)), [codes], np.random.default_rng(1))
    for code, value in zip(codes, rows[column.name].to_pylist(), strict=True):
        first, last = column.spans[code]
        assert first <= column.reading.read(str(value)) <= last


@dataclass(frozen=True)
class Tally(Reading):
    """So many strokes."""

    def read(self, text: str) -> int:
        if set(text) - {"|"}:
            raise ValueError
        return len(text)

    def write(self, step: int) -> str:
        return "|" * step


@dataclass(frozen=True, kw_only=True)
class Tallied(WholeNumbers):
    """A kind that the package does not know: numbers, written as strokes."""

    kind: ClassVar[str] = "tally"
    types: ClassVar[Mapping[str, str]] = {"tally": "tally"}

    @property
    def reading(self) -> Tally:  # type: ignore[override]
        return Tally()


TALLY = Tallied(name="n", minimum=1, maximum=9, bins=3, missing=True, outside=Outside.CELL)


def test_rows_of_a_kind_that_nobody_knows_are_drawn_and_read_back() -> None:
    codes = np.repeat(np.arange(TALLY.size, dtype=np.int32), 30)
    rows = decode_columns(Domain((TALLY,)), [codes], np.random.default_rng(2))
    assert set(rows["n"].to_pylist()) == {"|" * n for n in range(1, 10)} | {None, "(other)"}
    assert np.array_equal(encode_columns(Domain((TALLY,)), rows)[0], codes)


def test_numbers_of_a_kind_that_nobody_knows_are_compared() -> None:
    codes = np.repeat(np.arange(TALLY.size, dtype=np.int32), 30)
    rows = decode_columns(Domain((TALLY,)), [codes], np.random.default_rng(3))
    values = Axis(TALLY).parse_values(rows["n"])
    assert sorted(set(values)) == list(range(1, 10))
    assert len(values) == 90


EVEN = (
    Integer(name="age", minimum=-7, maximum=99, bins=30),
    Integer(name="digit", minimum=0, maximum=19, bins=20),
    Date(name="day", minimum="1969-11-05", maximum="1970-12-31", bins=50),
    Date(name="week", minimum="1969-11-05", maximum="1970-12-31", period=Period.WEEK),
    Date(name="hour", minimum="1969-12-05", maximum="1970-01-31", period=Period.DAY, time=True),
)


@pytest.mark.parametrize("column", EVEN, ids=lambda column: column.name)
def test_bins_by_arithmetic_are_the_bins(column: Binned) -> None:
    cutting = column.cutting
    even = cutting.even
    for code, (first, last) in enumerate(column.spans):
        for step in (first, (first + last) // 2, last):
            value = step * column.step
            assert cutting.low <= value
            assert value < cutting.high if cutting.open_above else value <= cutting.high
            unit = (value - even.offset) // even.unit - even.first
            assert ((unit + 1) * even.bins - 1) // even.values == code
            assert sum(value >= low for _, low in cutting.bins) - 1 == code


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.name)
def test_a_cutting_names_every_declared_cell_once(column: Column) -> None:
    if column.cutting is None:
        assert column.declared_texts
        return
    codes = [part.code for part in (*column.cutting.spikes, *column.cutting.bins)]
    assert sorted(codes) == list(range(len(column.labels)))
    assert all(low <= high for low, high in zip(*column.extent, strict=True))
