"""Sums of offsets and of products, against rows read one by one."""

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from synth.domain import OFFSET_STEPS, Categorical, Date, Domain, Integer, Number, Offsets
from synth.estimate import MomentSum
from synth.privacy import ROW, Unit
from synth.private.counting import DuckDB, Engine, add_moments, count
from synth.private.table import open_any
from synth.util import Ints

DOMAIN = Domain(
    (
        Integer(name="age", minimum=0, maximum=99, edges=(0, 20, 60, 99), spikes=(30,)),
        Number(name="wage", minimum=0, maximum=10, bins=4, missing=True, outside="missing"),
        Categorical(name="sex", categories=("F", "M")),
        Date(name="day", minimum="2020-01-01", maximum="2020-12-31", bins=3),
        Number(name="fee", minimum=0, maximum=2 * OFFSET_STEPS, bins=1),
    )
)
SUMS = (
    *(MomentSum(columns=(i,), by=(i,)) for i in (0, 1, 3, 4)),
    *(MomentSum(columns=(i, i), by=(i,)) for i in (0, 1, 3)),
    *(MomentSum(columns=(i,)) for i in (0, 1, 3)),
    *(MomentSum(columns=(i,), by=(2,)) for i in (0, 1, 3)),
    *(MomentSum(columns=(i,), by=by, ranged=True) for i in (0, 1, 3) for by in ((), (2,))),
    MomentSum(columns=(0, 1)),
    MomentSum(columns=(1, 3)),
    MomentSum(columns=(1, 1)),
    MomentSum(columns=(0,), by=(0, 2)),
    MomentSum(columns=(0,), given=(1,)),
    MomentSum(columns=(3,), by=(2,), ranged=True, given=(0, 1)),
    MomentSum(columns=(0, 0), given=(1,)),
    MomentSum(columns=(), given=(0, 1)),
    MomentSum(columns=(), by=(2,), given=(1,)),
)


def make_frame(rows: int, seed: int) -> pd.DataFrame:
    """Rows with values in and outside all bounds, gaps, undeclared sexes, and
    persons (who).
    """
    rng = np.random.default_rng(seed)
    wage = rng.normal(5, 3, rows)
    days = pd.Timestamp("2019-12-20") + pd.to_timedelta(rng.integers(0, 400, rows), "D")
    return pd.DataFrame(
        {
            "age": rng.integers(-5, 120, rows),
            "wage": np.where(rng.random(rows) < 0.1, np.nan, wage),
            "sex": rng.choice(["F", "M", "?"], rows, p=[0.4, 0.5, 0.1]),
            "day": days.strftime("%Y-%m-%d"),
            "fee": rng.integers(0, 4 * OFFSET_STEPS, rows) / 2,  # many are half a step off
            "who": rng.integers(0, rows // 3, rows).astype(str),
        }
    )


def sum_by_hand(table: pd.DataFrame, moment_sum: MomentSum) -> Ints:
    """The sum of one kind, row by row in plain Python."""
    with DuckDB(ordered=True) as engine:
        readings = engine.readings(open_any(table), DOMAIN)
    codes = [readings[name][1] for name in DOMAIN.names]
    sums = np.zeros(moment_sum.shape(DOMAIN), dtype=np.int64)
    for row in range(len(codes[0])):
        product = 1.0 if moment_sum.columns else float(OFFSET_STEPS)
        for factor in moment_sum.factors(DOMAIN):
            value = float(readings[DOMAIN.names[factor.column]][0][row])
            product *= steps_by_hand(factor, value, int(codes[factor.column][row]))
        if 1 in moment_sum.given and codes[1][row] == DOMAIN.shape[1] - 1:
            product = 0.0
        if len(moment_sum.columns) == 2:
            product = round_half_away(product / moment_sum.steps)
        sums[tuple(codes[i][row] for i in moment_sum.by)] += int(product)
    return sums.reshape(-1)


def steps_by_hand(factor: Offsets, value: float, code: int) -> float:
    """The steps from the middle of its bin that a value adds; 0 in cells without numbers."""
    if not factor.halves[code]:
        return 0.0
    summable = DOMAIN.columns[factor.column].summable
    assert summable is not None
    value = min(max(value, summable.low), summable.high)
    value = (
        value if summable.unit is None else math.floor(value / summable.unit) * summable.unit
    )
    steps = (value - factor.middles[code]) / (factor.halves[code] / factor.most)
    return min(max(round_half_away(steps), -factor.most), factor.most)


def round_half_away(number: float) -> float:
    return math.copysign(math.floor(abs(number) + 0.5), number)


def test_sums_are_those_of_rows_read_one_by_one() -> None:
    """The engine's sums of offsets and products are those of a loop over the rows in plain
    Python.

    `SUMS` has offsets, squares, products, groups and sums over rows that have a value.
    """
    table = make_frame(300, 1)
    added = add_moments(open_any(table), DOMAIN, SUMS)
    for moment_sum in SUMS:
        assert added.sums[moment_sum].tolist() == sum_by_hand(table, moment_sum).tolist(), (
            moment_sum
        )


def test_an_offset_turned_about_its_middle_has_the_opposite_sum() -> None:
    """Ages mirrored about the middle of their bin add the opposite of the sum.

    The bins are 0 to 4 and 5 to 9: 0 mirrors 4, 1 mirrors 3, and 5 mirrors 9.
    """
    ages = Domain((Integer(name="age", minimum=0, maximum=9, bins=2),))

    low, high = (
        add_moments(
            open_any(pd.DataFrame({"age": some})), ages, [MomentSum(columns=(0,), by=(0,))]
        )
        for some in ([0, 1, 5], [4, 3, 9])
    )

    assert (
        low.sums[MomentSum(columns=(0,), by=(0,))]
        == -high.sums[MomentSum(columns=(0,), by=(0,))]
    ).all()


def test_no_rows_add_up_to_nothing() -> None:
    added = add_moments(open_any(make_frame(3, 1).iloc[:0].astype(str)), DOMAIN, SUMS)
    assert not any(added.sums[moment_sum].any() for moment_sum in SUMS)
    assert repr(added) == "AddedMoments(private)"


@pytest.mark.parametrize("max_rows", [1, 2])
def test_of_a_person_few_rows_add_and_in_any_order(max_rows: int) -> None:
    """Sums over persons use at most `max_rows` rows of each, whatever the order of the file.

    300 rows are of 100 persons, so each sum is at most 100 times `max_rows` rows. Some
    persons have more rows, so sums over all rows differ.
    """
    table, unit = make_frame(300, 2), Unit("who", max_rows)
    in_order, shuffled = (
        add_moments(open_any(rows_in_some_order), DOMAIN, SUMS, unit=unit)
        for rows_in_some_order in (table, table.sample(frac=1, random_state=3))
    )

    for moment_sum in SUMS:
        assert in_order.sums[moment_sum].tolist() == shuffled.sums[moment_sum].tolist()
        assert np.abs(in_order.sums[moment_sum]).max() <= moment_sum.steps * 100 * max_rows

    counted_rows = int(count(open_any(table), DOMAIN, unit).counts.sum())
    of_all_rows = add_moments(open_any(table), DOMAIN, SUMS, unit=ROW)

    assert counted_rows < 300
    assert any(
        (in_order.sums[moment_sum] != of_all_rows.sums[moment_sum]).any()
        for moment_sum in SUMS
    )


def test_files_add_up_as_frames_do(tmp_path: Path) -> None:
    """A file and a frame of the same rows have the same sums."""
    table = make_frame(200, 4)
    table.to_csv(tmp_path / "t.csv", index=False)

    of_frame, of_file = (
        add_moments(open_any(source), DOMAIN, SUMS, engine=Engine.DUCKDB)
        for source in (table, tmp_path / "t.csv")
    )

    assert all(
        (of_frame.sums[moment_sum] == of_file.sums[moment_sum]).all() for moment_sum in SUMS
    )
