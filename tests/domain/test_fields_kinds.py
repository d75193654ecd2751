"""What every kind of column must do, whichever it is.

A new kind gets a class below that names some of its columns; the rest is inherited.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from pages.ui.domain.column import FORM
from synth.analysis import conclusions
from synth.domain import (
    COLUMN_KINDS,
    Binned,
    Boolean,
    Categorical,
    Column,
    Date,
    Domain,
    Duration,
    Integer,
    Listed,
    Number,
    Outside,
    Period,
    Reading,
    TimeOfDay,
    kind_of,
    name_kind,
    read_field,
    read_schema,
    write_field,
    write_schema,
)
from synth.domain import Integer as WholeNumbers
from synth.domain.clock_readings import SPAN_SHAPES
from synth.errors import DomainError
from synth.private.comparison.numeric_columns import Axis
from synth.private.counting import count
from synth.private.table import open_table
from synth.questions import parse
from synth.rows import encode_columns
from synth.rows.values import decode_columns
from synth.verification import VerifiedRelease, verify
from tests.bundle.bundles import make_bundle
from tests.tables import write


class KindContract:
    """The contract; a subclass says what is its own.

    Attributes:
        some: Columns of the kind.
        cells: Of the first of them.
        in_formulas: Whether they may stand in one.
    """

    some: ClassVar[Sequence[Column]] = ()
    cells: ClassVar[tuple[str, ...]] = ()
    in_formulas: ClassVar[bool] = True

    def typed(self, column: Column) -> list[tuple[str, int]]:
        """Texts of every declared cell, the ends of bins, with its code."""
        reading = column.reading
        if isinstance(reading, Listed):
            return [
                (text, code) for code, texts in enumerate(reading.spellings) for text in texts
            ]
        assert isinstance(column, Binned)
        ends = enumerate(column.spans)
        return [(reading.write(step), code) for code, span in ends for step in span]

    def counted(self, column: Column) -> list[tuple[str, int]]:
        """Texts of every declared cell and of every sign, with its code."""
        return [*self.typed(column), *column.sign_codes.items()]

    def test_it_is_cut_into_cells(self) -> None:
        """A column of the kind has the cells that its class lists, in this order.

        `some` are columns of the kind, and `cells` those of the first one.
        """
        assert self.some[0].cells == self.cells

    def test_a_field_is_of_the_kind_that_wrote_it(self) -> None:
        """A column written as a field of a schema is read as an equal column of the same
        kind.

        The field has the type that the kind gives it, and only its own keys. `some` are
        columns of the kind.
        """
        for column in self.some:
            field = write_field(column)
            assert kind_of(field) is type(column)
            assert field["type"] == column.types[name_kind(field) or ""]
            assert field.keys() >= {key for key in column.keys if field.get(key)}
            assert read_field(field, 1) == column
            assert read_schema(write_schema(Domain((column,)))) == Domain((column,))

    def test_a_form_asks_what_it_needs(self) -> None:
        """A kind asks for things that the app's form knows (`FORM`), and for bounds if it has
        bins.

        It also describes itself in words, for the data dictionary. `some` are columns of the
        kind.
        """
        for column in self.some:
            assert column.asks
            assert column.asks.keys() <= FORM.keys()
            assert ("bounds" in column.asks) == isinstance(column, Binned)
            assert column.in_words

    def test_readings_take_back_what_they_write(self) -> None:
        """What a column reads from a text, it writes as a text that is read the same.

        `typed` gives a text of every listed value, or of both ends of every bin. `some` are
        columns of the kind.
        """
        for column in self.some:
            for text, _ in self.typed(column):
                assert column.reading.may_read(text)
                step = column.reading.read(text)
                assert column.reading.read(column.reading.write(step)) == step

    def test_places_are_typed_and_written(self) -> None:
        """A place on the axis is written as a text that, once typed, is the same place.

        `some` are columns of the kind, and `typed` gives texts of all their cells.
        """
        for column in self.some:
            for text, _ in self.typed(column):
                place = column.position(text)
                assert column.position(column.write_position(place)) == place

    def test_a_cutting_names_every_declared_cell_once(self) -> None:
        """The rule that cuts values into cells (`cutting`) has each declared cell exactly
        once.

        The ends of each cell are in order. A column without such a rule lists its texts
        instead. `some` are columns of the kind.
        """
        for column in self.some:
            if column.cutting is None:
                assert column.declared_texts
                continue
            codes = [part.code for part in (*column.cutting.spikes, *column.cutting.bins)]
            assert sorted(codes) == list(range(len(column.labels)))
            assert column.extent is not None
            assert all(low <= high for low, high in zip(*column.extent, strict=True))

    def test_duckdb_counts_each_text_in_its_cell(self, tmp_path: Path) -> None:
        """DuckDB counts a text of every cell, read from a CSV, in the cell where it belongs.

        `counted` gives texts of all cells and signs, each with the code of its cell. `some`
        are columns of the kind.
        """
        for column in self.some:
            texts, codes = zip(*self.counted(column), strict=True)
            path = write(tmp_path / "t.csv", [column.name], [[text] for text in texts])
            counts = count(open_table(path), Domain((column,)))
            numbers = dict(zip(counts.cells.tolist(), counts.counts.tolist(), strict=True))
            assert numbers == {code: codes.count(code) for code in set(codes)}

    def test_rows_are_drawn_and_read_back(self) -> None:
        """Rows drawn from cells are read back as the same cells, 20 of each cell.

        In a column with bins, each value lies between the first and last value of its cell.
        `some` are columns of the kind.
        """
        for column in self.some:
            codes = np.repeat(np.arange(column.size, dtype=np.int32), 20)
            rows = decode_columns(Domain((column,)), [codes], np.random.default_rng(1))
            assert np.array_equal(encode_columns(Domain((column,)), rows)[0], codes)
            if isinstance(column, Binned):
                values = rows[column.name].drop_null().to_pylist()
                assert {*column.signs} <= {*values}
                numbers = [value for value in values if value not in column.signs]
                steps = [column.reading.read(str(value)) for value in numbers]
                for code, step in zip(codes.tolist(), steps, strict=False):
                    assert column.spans[code][0] <= step <= column.spans[code][1]

    def test_a_formula_finds_its_values_or_is_refused(self) -> None:
        """A formula knows what values the column may have, or is refused if the kind cannot
        take part.

        Listed values are texts, all others numbers. `some` are columns of the kind.
        """
        for column in self.some:
            if not self.in_formulas:
                with pytest.raises(
                    DomainError, match=f"{column.kind}.* cannot be part of a formula"
                ):
                    assert column.formula_values
                continue
            values = column.formula_values
            assert values.texts == (
                column.labels if isinstance(column.reading, Listed) else ()
            )
            assert values.low < values.high

    def test_it_is_released_written_verified_and_read_off(self, tmp_path: Path) -> None:
        """A column of the kind goes through a release, its verification and an answer.

        The first column of `some` is released with nine rows for each text of a cell. The
        table that answers the question has one row for each cell of the column.
        """
        column = self.some[0]
        rows = [[text] for text, _ in self.counted(column)] * 9
        verified = verify(
            make_bundle(tmp_path, rows=rows, domain=Domain((column,))), redraw=True
        )
        assert isinstance(verified, VerifiedRelease)
        assert verified.domain[column.name] == column
        assert any(
            "synthetic rows follow from" in sentence for sentence in verified.confirmed
        )
        (table,) = conclusions([parse(f"table {column.name}")], verified.record)
        assert table.labels == column.cells


class TestCategorical(KindContract):
    some = (Categorical(name="sex", categories=("F", "M")),)
    cells = ("F", "M")


class TestBoolean(KindContract):
    some = (Boolean(name="smoker", true_values=("yes", "y"), false_values=("no",)),)
    cells = ("no", "yes")


class TestInteger(KindContract):
    some = (
        Integer(
            name="hours",
            minimum=0,
            maximum=99,
            bins=2,
            spikes=(40, 999),
            signs=(">99", "n.d.", "-"),
        ),
        Integer(name="level", minimum=0, maximum=9, signs=("<5",), missing=True),
    )
    cells = ("0 to 39", "40", "41 to 49", "50 to 99", "999", ">99", "n.d.", "-")


class TestNumber(KindContract):
    some = (
        Number(name="wage", minimum=0, maximum=3, edges=(0, 0.5, 1, 3), spikes=(1,)),
        Number(name="rate", minimum=-1, maximum=1, bins=3),
        Number(name="crp", minimum=5, maximum=200, bins=3, signs=("<5", "nan", "1.2.3")),
    )
    cells = ("0 to 0.5", "0.5 to 1", "1", "above 1 to 3")


class TestDate(KindContract):
    some = (
        Date(name="day", minimum="2024-02-10", maximum="2024-12-31", period=Period.QUARTER),
        Date(
            name="day", minimum="2024-02-10", maximum="2024-12-31", bins=4, format="%d.%m.%Y"
        ),
        Date(name="hour", minimum="2024-01-01", maximum="2024-01-03", bins=4, time=True),
        Date(name="due", minimum="2024-01-01", maximum="2024-12-31", signs=("not yet",)),
    )
    cells = ("2024-Q1", "2024-Q2", "2024-Q3", "2024-Q4")


class TestTimeOfDay(KindContract):
    some = (
        TimeOfDay(
            name="seen",
            minimum="08:00",
            maximum="19:59",
            format="%H:%M",
            bins=2,
            spikes=("00:00",),
        ),
        TimeOfDay(
            name="seen",
            minimum="08:00:00",
            maximum="19:59:59",
            edges=("08:00:00", "12:00:00", "19:59:59"),
        ),
        TimeOfDay(
            name="seen", minimum="00:00", maximum="23:59", format="%-I:%M %_p", bins=24
        ),
    )
    in_formulas = False
    cells = ("00:00", "08:00 to 13:59", "14:00 to 19:59")


class TestDuration(KindContract):
    some = tuple(
        Duration(name="wait", minimum="PT0S", maximum="P5DT23H59M59S", format=form, bins=3)
        for form in SPAN_SHAPES
    )
    in_formulas = False
    cells = (
        "PT0S to P1DT23H59M59S",
        "P2D to P3DT23H59M59S",
        "P4D to P5DT23H59M59S",
    )


def test_every_kind_keeps_the_contract() -> None:
    """Every kind of column that the package has is tested by a class of this file."""
    contracts = [
        contract
        for contract in KindContract.__subclasses__()
        if contract.__module__ == __name__
    ]
    assert {type(column) for contract in contracts for column in contract.some} == set(
        COLUMN_KINDS.values()
    )


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


def test_rows_of_a_reading_that_nobody_knows_are_drawn_and_read_back() -> None:
    """A kind that the package does not know, numbers as strokes, is drawn and read like any
    other.

    `TALLY` goes from 1 to 9 in three bins, with cells for missing and for other values. 30
    rows of each cell draw every value.
    """
    codes = np.repeat(np.arange(TALLY.size, dtype=np.int32), 30)
    rows = decode_columns(Domain((TALLY,)), [codes], np.random.default_rng(2))
    assert set(rows["n"].to_pylist()) == {"|" * n for n in range(1, 10)} | {None, "(other)"}
    assert np.array_equal(encode_columns(Domain((TALLY,)), rows)[0], codes)


def test_numbers_of_a_reading_that_nobody_knows_are_compared() -> None:
    """The comparison of tables gets numbers from a kind that it does not know.

    Of five cells with 30 rows each, three are bins of numbers, so that 90 values are left.
    """
    codes = np.repeat(np.arange(TALLY.size, dtype=np.int32), 30)
    rows = decode_columns(Domain((TALLY,)), [codes], np.random.default_rng(3))
    values = Axis(TALLY).parse_values(rows["n"])
    assert sorted(set(values)) == list(range(1, 10))
    assert len(values) == 90


# Columns of equally wide bins, whose cell a formula gives; some begin before 0 or 1970.
EVEN = (
    Integer(name="age", minimum=-7, maximum=99, bins=30),
    Integer(name="digit", minimum=0, maximum=19, bins=20),
    Date(name="day", minimum="1969-11-05", maximum="1970-12-31", bins=50),
    Date(name="week", minimum="1969-11-05", maximum="1970-12-31", period=Period.WEEK),
    Date(
        name="hour", minimum="1969-12-05", maximum="1970-01-31", period=Period.DAY, time=True
    ),
)


@pytest.mark.parametrize("column", EVEN, ids=lambda column: column.name)
def test_bins_by_arithmetic_are_the_bins(column: Binned) -> None:
    """For equally wide bins, a formula of whole numbers gives the same cell as their borders.

    It is checked at the first, middle and last value of each bin, as is counting the borders
    up to a value.
    """
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
