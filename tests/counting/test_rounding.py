"""Bounds and edges that a draft proposes are round, and no row's own."""

from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from synth.private.counting import profile_table
from synth.private.table import open_table
from tests.tables import write


def draft_column(folder: Path, numbers: list[float]) -> tuple[dict[str, Any], Any]:
    """Draft a column of these numbers; return its field and the drafted column."""
    path = write(folder / "t.csv", ["c"], [[str(number)] for number in numbers])
    (column,) = profile_table(open_table(path)).columns
    return dict(column.field), column


DRAW = Random(7)
WEIGHTS = [round(DRAW.gauss(80, 15), 1) for _ in range(2_000)]
COSTS = [0] * 1_500 + [round(DRAW.lognormvariate(6, 1.5)) for _ in range(1_500)]


@pytest.mark.parametrize("numbers", [WEIGHTS, COSTS, [*WEIGHTS, 10_000.5], WEIGHTS[:40]])
def test_no_exact_extreme_is_a_bound(numbers: list[float], tmp_path: Path) -> None:
    """The drafted bounds are round numbers, and no extreme that only few rows have.

    An extreme of ten or more rows may be a bound, and so may 0. At least 98 % of the numbers
    are inside.
    """
    field, _ = draft_column(tmp_path, numbers)
    ends = [Decimal(field["constraints"][end]) for end in ("minimum", "maximum")]

    for end, extreme in zip(ends, (min(numbers), max(numbers)), strict=True):
        rows = numbers.count(extreme)
        is_of_many_rows = rows >= 10
        assert end == 0 or float(end) != extreme or is_of_many_rows
        assert len(end.normalize().as_tuple().digits) <= 2, "a bound is round"

    inside = sum(float(ends[0]) <= number <= float(ends[1]) for number in numbers)
    assert inside >= 0.98 * len(numbers)


def test_a_far_tail_is_the_stewards_click(tmp_path: Path) -> None:
    """A few far values are beyond the drafted bound, and the steward is asked about them.

    12 of 6,012 rows weigh tons: the bound is where nearly all weights end, about four
    standard deviations of 15 above 80. Without the far values nothing is asked.
    """
    field, column = draft_column(tmp_path, [*WEIGHTS * 3, *[2_000.5, 2_400.0, 3_000.5] * 4])
    assert 120 < int(field["constraints"]["maximum"]) <= 160
    assert "99 % lie in" in column.reason
    assert column.offer.endswith(", others to the nearest")
    assert column.review is not None

    _, column = draft_column(tmp_path, WEIGHTS)
    assert (column.review, column.offer) == (None, "")


def test_edges_follow_the_rows_where_equal_bins_would_be_one(tmp_path: Path) -> None:
    """Bins of skewed numbers get edges that follow the rows, so that no bin has most of them.

    Costs are lognormal: equal bins up to the largest would put most rows in the first. Zero,
    which half of the rows have, is a spike. Weights are not skewed, and keep equal bins.
    """
    field, _ = draft_column(tmp_path, COSTS)
    assert field["synth:spikes"] == ["0"]

    edges = [*map(Decimal, field["synth:edges"])]
    costs_without_spike = [number for number in COSTS if number]
    rows_by_bin = [sum(a <= n < b for n in costs_without_spike) for a, b in pairwise(edges)]

    assert len(rows_by_bin) > 10
    assert max(rows_by_bin) < 0.3 * len(costs_without_spike)

    assert "synth:edges" not in draft_column(tmp_path, WEIGHTS)[0]


def test_a_bound_that_many_rows_have_stays(tmp_path: Path) -> None:
    """An extreme that at least 30 rows share is no secret of one row, and stays the bound."""
    ages = [*[18] * 30, *(DRAW.randint(18, 90) for _ in range(3_000)), *[90] * 30]

    field, _ = draft_column(tmp_path, ages)
    assert field["constraints"] == {"required": True, "minimum": "18", "maximum": "90"}


def test_codes_apart_move_no_bound(tmp_path: Path) -> None:
    """Codes far from all ages move no bound; a frequent one becomes a spike of its own.

    -9 has 700 rows. 999 has five, too few for a spike.
    """
    ages = [*(DRAW.randint(18, 90) for _ in range(3_000)), *[-9] * 700, *[999] * 5]

    field, _ = draft_column(tmp_path, ages)
    assert field["constraints"] == {"required": True, "minimum": "18", "maximum": "90"}
    assert field["synth:spikes"] == ["-9"]
