"""Ways to answer: what each costs, what it is compared by, and the cells of a histogram."""

import math
from fractions import Fraction

import numpy as np
import pytest

from synth.errors import LimitError
from synth.privacy import ROW, Guarantee, Neighbors, Sensitivity, Unit
from synth.questions import Block, Grain, WayName, check_question, parse, ways
from synth.questions.sum_ways import move
from synth.questions.ways import histogram_cells, histogram_moves
from synth.questions.workloads.block import block_of
from synth.questions.workloads.workload import Workload
from tests.questions.survey import SURVEY

ONE = Guarantee.pure(1)
ADD, REPLACE = Neighbors.ADD_REMOVE, Neighbors.REPLACE_ONE


def block(*texts: str, neighbors: Neighbors = REPLACE, unit: Unit = ROW) -> Block:
    asked = [check_question(parse(text), SURVEY, unit) for text in texts]
    workload = Workload.build(asked, SURVEY, neighbors, unit=unit)
    return block_of(workload, workload.readings)


def names(of: Block, cost: Guarantee) -> list[str]:
    return sorted(way.name.value for way in ways.ways(of, cost))


def test_counts_can_be_answered_in_four_ways() -> None:
    halves = block("count where age > 40", "count where age <= 40")
    assert names(halves, ONE) == ["histogram", "l-infinity", "l2", "laplace"]
    assert names(halves, Guarantee.zcdp(1)) == ["gaussian", "histogram"]
    of_one = Guarantee(
        epsilon=Fraction(1), delta=Fraction(1, 10**6)
    )  # a pure account offers all the others
    assert names(block("count where age > 40"), of_one) == ["gaussian"]


def test_sums_can_be_answered_in_four_ways() -> None:
    both = block("means hours, seen")
    assert names(both, Guarantee.zcdp(1)) == ["elliptical", "gaussian"]
    assert names(both, Guarantee.pure(9)) == ["l-infinity", "l2", "laplace"]


def test_the_best_is_first() -> None:
    many = block(*(f"count where hours >= {n}" for n in range(10)))
    found = ways.ways(many, ONE)
    assert found == sorted(found, key=lambda way: way.score)
    assert found[0].name is WayName.CUBE


@pytest.mark.parametrize(
    ("texts", "neighbors", "unit", "moves"),
    [
        (("count where hours > 3", "count where hours <= 3"), ADD, ROW, (1, 1, 1)),
        (("count where hours > 3", "count where hours <= 3"), REPLACE, ROW, (2, 2, 1)),
        (("count where hours > 3", "count where sex = F"), REPLACE, ROW, (2, 2, 1)),
        (("table sex",), ADD, Unit("pid", 3), (3, 9, 3)),
        (("table sex",), REPLACE, Unit("pid", 3), (6, 18, 3)),
        (("count where sex = F or grade = low",) * 2, REPLACE, ROW, (1, 1, 1)),
    ],
)
def test_counts_move_together(
    texts: tuple[str, ...], neighbors: Neighbors, unit: Unit, moves: tuple[int, int, int]
) -> None:
    of = block(*texts, neighbors=neighbors, unit=unit)
    found = move(of, [Grain() for _ in of.tallies])
    assert found.exact
    assert found.sensitivity == Sensitivity(*moves)


def test_a_damaged_row_may_take_the_place_of_any_other() -> None:
    everyone = "count where sex in (F, M, 'x y') or sex is missing"
    of = block(everyone, "count where age >= 65")
    found = move(of, [Grain() for _ in of.tallies])
    assert found.sensitivity == Sensitivity(2, 2, 1)


def test_what_nobody_moves_is_free() -> None:
    (way,) = ways.ways(block("count"), ONE)
    assert (way.name, way.cost, way.joint) == (WayName.KNOWN, None, None)
    for of in (
        block("count", neighbors=ADD),
        block("count", unit=Unit("pid")),
        block("count where hours >= -5"),
    ):
        assert all(way.cost == ONE for way in ways.ways(of, ONE))


def test_a_row_that_a_rule_may_leave_out_is_not_free() -> None:
    """Hours have no missing cell: what cannot be read is left out."""
    of = block("count where hours >= -5")
    assert (of.workload.tallies[0].place >= 0).tolist() == [False, True]


def test_a_histogram_of_one_cell_moves_as_a_count() -> None:
    unit = Unit("pid", 3)
    assert histogram_moves(unit, REPLACE, 1) == Sensitivity(3, 9, 3)
    assert histogram_moves(unit, REPLACE, 2) == Sensitivity(6, 18, 3)
    assert histogram_moves(unit, ADD, 2) == Sensitivity(3, 9, 3)


def test_cells_of_a_histogram_add_up_to_the_totals() -> None:
    of = block("count where age > 40 and sex = F", "table sex", "count where not grade = low")
    cells, random = histogram_cells(of), np.random.default_rng(1)
    codes = [random.integers(0, column.held_size, 500) for column in of.workload.columns]
    rows = np.bincount(cells.tally.place_of(codes), minlength=cells.tally.size)
    found = [int(rows[one].sum()) for one in cells.members]
    want: list[int] = []
    for number in of.tallies:
        tally = of.workload.tallies[number]
        place = tally.place_of(codes)
        want += np.bincount(place[place >= 0], minlength=tally.size).tolist()
    assert found == want


def test_a_choice_is_for_one_value_without_its_count() -> None:
    assert WayName.CHOICE in names(block("top 1 sex"), ONE)
    assert WayName.CHOICE not in names(block("top 1 sex with counts"), ONE)
    assert WayName.CHOICE not in names(block("top 2 sex"), ONE)


def test_elliptical_noise_gives_wide_columns_more_steps() -> None:
    of = block("means hours, seen")
    (way,) = [
        way for way in ways.ways(of, Guarantee.zcdp(1)) if way.name is WayName.ELLIPTICAL
    ]
    steps = [grain.steps.most for grain in way.grains if grain.steps is not None]
    want = math.sqrt(25 / 59)  # noise in proportion to the root of each width
    assert steps[0] / steps[1] == pytest.approx(want, rel=0.01)  # hours have the fewer


def test_too_many_cells_have_no_histogram(monkeypatch: pytest.MonkeyPatch) -> None:
    of = block("count where age > 40", "count where hours > 3")
    assert histogram_cells(of) is not None
    monkeypatch.setattr(ways.limits, "HISTOGRAM_WORK", 3)
    assert histogram_cells(of) is None
    monkeypatch.setattr(ways.limits, "QUESTION_CELLS", 2)
    with pytest.raises(LimitError, match="cells; the limit of one question is 2"):
        block("table sex by grade")
