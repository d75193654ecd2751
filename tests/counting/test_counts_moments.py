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


def frame(rows: int, seed: int) -> pd.DataFrame:
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


def by_hand(table: pd.DataFrame, one: MomentSum) -> Ints:
    """The sum of one kind, row by row in plain Python."""
    with DuckDB(ordered=True) as engine:
        read = engine.readings(open_any(table), DOMAIN)
    codes = [read[name][1] for name in DOMAIN.names]
    found = np.zeros(one.shape(DOMAIN), dtype=np.int64)
    for row in range(len(codes[0])):
        product = 1.0 if one.columns else float(OFFSET_STEPS)
        for factor in one.factors(DOMAIN):
            value = float(read[DOMAIN.names[factor.column]][0][row])
            product *= steps_by_hand(factor, value, int(codes[factor.column][row]))
        if 1 in one.given and codes[1][row] == DOMAIN.shape[1] - 1:
            product = 0.0
        if len(one.columns) == 2:
            product = half_away(product / one.steps)
        found[tuple(codes[i][row] for i in one.by)] += int(product)
    return found.reshape(-1)


def steps_by_hand(factor: Offsets, value: float, code: int) -> float:
    if not factor.halves[code]:
        return 0.0
    known = DOMAIN.columns[factor.column].summable
    assert known is not None
    value = min(max(value, known.low), known.high)
    value = value if known.unit is None else math.floor(value / known.unit) * known.unit
    away = (value - factor.middles[code]) / (factor.halves[code] / factor.most)
    return min(max(half_away(away), -factor.most), factor.most)


def half_away(number: float) -> float:
    return math.copysign(math.floor(abs(number) + 0.5), number)


def test_sums_are_those_of_rows_read_one_by_one() -> None:
    table = frame(300, 1)
    found = add_moments(open_any(table), DOMAIN, SUMS)
    for one in SUMS:
        assert found.sums[one].tolist() == by_hand(table, one).tolist(), one


def test_an_offset_turned_about_its_middle_has_the_opposite_sum() -> None:
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
    found = add_moments(open_any(frame(3, 1).iloc[:0].astype(str)), DOMAIN, SUMS)
    assert not any(found.sums[one].any() for one in SUMS)
    assert repr(found) == "AddedMoments(private)"


@pytest.mark.parametrize("most", [1, 2])
def test_of_a_person_few_rows_add_and_in_any_order(most: int) -> None:
    table, unit = frame(300, 2), Unit("who", most)
    one, other = (
        add_moments(open_any(some), DOMAIN, SUMS, unit=unit)
        for some in (table, table.sample(frac=1, random_state=3))
    )
    for each in SUMS:
        assert one.sums[each].tolist() == other.sums[each].tolist()
        assert np.abs(one.sums[each]).max() <= each.steps * 100 * most
    rows = int(count(open_any(table), DOMAIN, unit).counts.sum())
    whole = add_moments(open_any(table), DOMAIN, SUMS, unit=ROW)
    assert rows < 300
    assert any((one.sums[each] != whole.sums[each]).any() for each in SUMS)


def test_files_add_up_as_frames_do(tmp_path: Path) -> None:
    table = frame(200, 4)
    table.to_csv(tmp_path / "t.csv", index=False)
    one, other = (
        add_moments(open_any(source), DOMAIN, SUMS, engine=Engine.DUCKDB)
        for source in (table, tmp_path / "t.csv")
    )
    assert all((one.sums[each] == other.sums[each]).all() for each in SUMS)
