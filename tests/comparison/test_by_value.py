"""Columns by value: known numbers, an independent implementation, and chance alone."""

from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

from synth.domain import (
    Categorical,
    Column,
    Date,
    Domain,
    Duration,
    Integer,
    Number,
    TimeOfDay,
)
from synth.private.comparison import (
    ByValue,
    Measure,
    TableValues,
    compare,
    measure_values,
    read_values,
)
from synth.private.comparison.by_value import CURVE_POINTS, FEW_VALUES
from synth.private.table import open_table
from tests.tables import write

HOURS = Integer(name="x", minimum=0, maximum=99, bins=5)
PAY = Integer(name="x", minimum=0, maximum=99_999, bins=5)


def hold(column: Column, values: list[float]) -> TableValues:
    """Rows with these values of a column in bins of 20 or 20,000."""
    width = 20 if column == HOURS else 20_000
    codes = [int(value) // width for value in values]
    return TableValues(codes=[np.array(codes, dtype=np.int32)], values={0: np.array(values)})


def compare_column(column: Column, real: TableValues, synthetic: TableValues) -> ByValue:
    return measure_values(Domain((column,)), real, synthetic).by_column["x"]


def test_few_values_are_compared_one_by_one() -> None:
    """Each value counts, also within a bin: all rows are in the first of five bins.

    Half of the rows are at 3 and half at 5 where a quarter is: so a quarter has to move.
    Two of the eight synthetic rows are at 7, which no real row is.
    """
    real = hold(HOURS, [3.0] * 4 + [5.0] * 4)
    column = compare_column(HOURS, real, hold(HOURS, [3.0] * 4 + [5.0] * 2 + [7.0] * 2))
    assert (column.measure, column.error) == (Measure.EACH, 0.25)
    assert (column.new_rows, column.rows, column.new_share) == (2, 8, 0.25)
    assert column.new_by_chance == 0


def test_many_values_are_compared_by_bins_and_by_cumulative_shares() -> None:
    """Of 100,000 possible values the error is Kolmogorov's and Smirnov's statistic, or the
    total variation of bins if that is larger.
    """
    rng = np.random.default_rng(5)
    first = rng.integers(0, 19_999, 300).astype(float)
    second = rng.integers(4_000, 19_999, 200).astype(float)  # all in the first bin
    column = compare_column(PAY, hold(PAY, list(first)), hold(PAY, list(second)))
    assert column.measure is Measure.ORDER
    assert column.error == pytest.approx(scipy.stats.ks_2samp(first, second).statistic)

    # Every other bin is full on either side: the largest gap is of one bin, and all are off.
    odd, even = [25_000.0, 65_000.0], [5_000.0, 45_000.0]
    column = compare_column(PAY, hold(PAY, odd), hold(PAY, even))
    assert column.error == 1


def test_the_declaration_decides_how_values_are_compared() -> None:
    """1,000 possible values are compared one by one, and one more by their order.

    Spikes outside the bounds are one value each, however far away.
    """
    for maximum, measure in ((999, Measure.EACH), (1000, Measure.ORDER)):
        column = Integer(name="x", minimum=0, maximum=maximum, bins=5)
        rows = TableValues(codes=[np.zeros(2, dtype=np.int32)], values={0: np.zeros(2)})
        assert compare_column(column, rows, rows).measure is measure
    coded = Integer(name="x", minimum=1, maximum=999, bins=5, spikes=(999_999,))
    rows = TableValues(codes=[np.zeros(2, dtype=np.int32)], values={0: np.ones(2)})
    assert compare_column(coded, rows, rows).measure is Measure.EACH
    assert FEW_VALUES == 1_000


@pytest.mark.parametrize("column", [HOURS, PAY])
def test_missing_values_count_as_one_value_more(column: Column) -> None:
    """Half of the synthetic values are missing and no real one: half of the rows are off.

    They are synthetic rows with a value that no real row has, too.
    """
    with_missing = type(column)(
        name="x", minimum=column.minimum, maximum=column.maximum, bins=5, missing=True
    )
    real = hold(column, [10.0] * 8)
    synthetic = TableValues(
        codes=[np.array([0] * 4 + [with_missing.missing_code] * 4, dtype=np.int32)],
        values={0: np.full(4, 10.0)},
    )
    compared = compare_column(with_missing, real, synthetic)
    assert (compared.error, compared.new_rows) == (0.5, 4)


def test_a_list_has_the_same_error_by_value_and_by_cell() -> None:
    """The cells of a list are its values, so error and chance are those of the cells."""
    domain = Domain((Categorical(name="x", categories=tuple("abc")),))
    real, synthetic = (
        TableValues(codes=[np.array(codes, dtype=np.int32)], values={})
        for codes in ([0, 0, 1, 1], [0, 1, 2, 2])
    )
    values = measure_values(domain, real, synthetic)
    cells = compare(domain, real.codes, synthetic.codes)
    column = values.by_column["x"]
    assert column.error == cells.one_way.by_table["x",] == values.mean
    assert column.chance == pytest.approx(cells.floor[0].by_table["x",])
    assert (column.new_rows, values.curves) == (2, {})


def test_chance_alone_is_that_of_a_second_sample() -> None:
    """Two samples of the same people are about as far off as chance alone says.

    This holds for values that repeat and for values that hardly do. The second samples are
    200 of 400 rows from the same law; the mean is within a fifth, 6 standard errors or more.
    """
    rng = np.random.default_rng(6)
    for column, size in ((HOURS, 99), (PAY, 99_999)):
        errors, chances, new, new_by_chance = [], [], [], []
        for _ in range(200):
            samples = [rng.integers(0, size + 1, 400).astype(float) for _ in range(2)]
            compared = compare_column(column, *(hold(column, list(s)) for s in samples))
            errors.append(compared.error)
            chances.append(compared.chance)
            new.append(compared.new_share)
            new_by_chance.append(compared.new_by_chance)
        # Two samples differ by the chance of both: sqrt(2) of that of one from its law.
        ratio = np.mean(errors) / np.mean(chances)
        assert 1.0 < ratio < 1.7, (column, ratio)
        assert np.mean(new) == pytest.approx(np.mean(new_by_chance), abs=0.01)


def test_a_curve_is_short_and_holds_the_widest_gap() -> None:
    """Of 50,000 different values about a thousand points are kept, with both ends.

    The widest gap of the short curve is that of all values.
    """
    rng = np.random.default_rng(7)
    first = rng.choice(99_999, 50_000, replace=False).astype(float)
    second = np.minimum(first + 900, 99_999)
    values = measure_values(Domain((PAY,)), hold(PAY, list(first)), hold(PAY, list(second)))
    curve = values.curves["x"]
    assert len(curve.positions) <= CURVE_POINTS + 3
    assert (curve.positions[0], curve.positions[-1]) == (first.min(), second.max())
    assert curve.real[-1] == curve.synthetic[-1] == 1
    gap = np.abs(curve.real - curve.synthetic).max()
    assert gap == pytest.approx(scipy.stats.ks_2samp(first, second).statistic)


COLUMNS: dict[str, tuple[Column, list[str]]] = {
    "decimals": (Number(name="x", minimum=0, maximum=9, bins=3, decimals=1), ["0.1", "7.3"]),
    "dates": (
        Date(name="x", minimum="2024-01-01", maximum="2024-12-31", bins=4),
        [(date(2024, 1, 1) + timedelta(days)).isoformat() for days in (0, 100)],
    ),
    "times of day": (
        TimeOfDay(name="x", minimum="00:00", maximum="23:59", format="%H:%M", bins=4),
        ["08:15", "17:30"],
    ),
    "durations": (
        Duration(name="x", minimum="0:00", maximum="99:59", format="%-H:%M", bins=4),
        ["1:10", "47:59"],
    ),
    "signs": (
        Number(name="x", minimum=0, maximum=9, bins=3, decimals=1, signs=("<5",)),
        ["<5", "6.2"],
    ),
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_every_kind_of_column_is_read_by_value(tmp_path: Path, kind: str) -> None:
    """A file compared with itself has no error and no new value, whatever its values are.

    With its first value replaced by its second, half of its rows are off.
    """
    column, (first, second) = COLUMNS[kind]
    domain = Domain((column,))
    tables = [
        open_table(write(tmp_path / f"{number}.csv", ["x"], [[text] for text in texts]))
        for number, texts in enumerate(([first, second] * 3, [second] * 6))
    ]
    rows, other_rows = (read_values(table, domain) for table in tables)
    same = compare_column(column, rows, rows)
    assert (same.error, same.new_rows) == (0, 0)
    off = compare_column(column, rows, other_rows)
    assert (off.error, off.new_rows) == (pytest.approx(0.5), 0)
    assert repr(rows) == "TableValues(private)"
