"""Ways to answer: what each costs, what it is compared by, and the cells of a histogram."""

import math
from fractions import Fraction

import numpy as np
import pytest

from synth.errors import LimitError
from synth.estimate import WayName
from synth.privacy import ROW, Guarantee, Neighbors, Sensitivity, Unit
from synth.questions import Block, Grain, check_question, parse, ways
from synth.questions.sum_ways import move
from synth.questions.ways import histogram_cells, histogram_moves
from synth.questions.workloads.block import block_of
from synth.questions.workloads.workload import Workload
from tests.questions.survey import SURVEY

ONE = Guarantee.pure(1)
ADD, REPLACE = Neighbors.ADD_REMOVE, Neighbors.REPLACE_ONE


def build_block(*texts: str, neighbors: Neighbors = REPLACE, unit: Unit = ROW) -> Block:
    """The questions about the test survey as one block, which one noisy vector answers."""
    questions = [check_question(parse(text), SURVEY, unit) for text in texts]
    workload = Workload.build(questions, SURVEY, neighbors, unit=unit)
    return block_of(workload, workload.readings)


def names_of_ways(block_of_questions: Block, cost: Guarantee) -> list[str]:
    """The names of all ways to answer a block at this cost, sorted."""
    return sorted(way.name.value for way in ways.ways(block_of_questions, cost))


def test_counts_can_be_answered_in_four_ways() -> None:
    """Two complementary counts have four ways under a pure epsilon, and two under zCDP.

    A single count under epsilon and delta has Gaussian noise alone.
    """
    halves = build_block("count where age > 40", "count where age <= 40")
    assert names_of_ways(halves, ONE) == ["histogram", "l-infinity", "l2", "laplace"]
    assert names_of_ways(halves, Guarantee.zcdp(1)) == ["gaussian", "histogram"]

    # With a delta, all other ways are offered by the pure account beside it.
    with_delta = Guarantee(epsilon=Fraction(1), delta=Fraction(1, 10**6))
    assert names_of_ways(build_block("count where age > 40"), with_delta) == ["gaussian"]


def test_sums_have_two_ways_under_zcdp_and_three_under_a_pure_epsilon() -> None:
    """Each kind of guarantee offers its own ways to answer means of two columns."""
    means = build_block("means hours, seen")
    assert names_of_ways(means, Guarantee.zcdp(1)) == ["elliptical", "gaussian"]
    assert names_of_ways(means, Guarantee.pure(9)) == ["l-infinity", "l2", "laplace"]


def test_the_way_of_the_best_score_is_first() -> None:
    """Ways are sorted by their score, the expected largest error.

    A replaced row may move ten nested counts all at once, for which noise from a cube
    (l-infinity) is best.
    """
    ten_counts = build_block(*(f"count where hours >= {n}" for n in range(10)))
    found_ways = ways.ways(ten_counts, ONE)
    assert found_ways == sorted(found_ways, key=lambda way: way.score)
    assert found_ways[0].name is WayName.CUBE


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
    """How far one person moves all counts at once: in L1, in squared L2, and the largest of
    them.

    A replaced row leaves one count and enters another, which is a move of 2 in L1. A person
    of three rows moves three times as far, and nine times in squared L2. The last case asks
    the same count twice, which is measured once.
    """
    counts = build_block(*texts, neighbors=neighbors, unit=unit)
    joint = move(counts, [Grain() for _ in counts.tallies])

    assert joint.exact
    assert joint.sensitivity == Sensitivity(*moves)


def test_a_damaged_row_may_take_the_place_of_any_other() -> None:
    """A line that cannot be read is a possible neighbour of every row.

    All declared values of sex meet the first condition. Yet a damaged line meets neither, so
    that both counts move by 1: 2 in L1 and in squared L2.
    """
    everyone = "count where sex in (F, M, 'x y') or sex is missing"
    counts = build_block(everyone, "count where age >= 65")

    joint = move(counts, [Grain() for _ in counts.tallies])
    assert joint.sensitivity == Sensitivity(2, 2, 1)


def test_what_nobody_moves_is_free() -> None:
    """Only a number that no neighbour changes costs nothing: the number of rows under
    replace-one.

    It costs something if rows are added or removed, if a person has many rows, or if the
    condition leaves out rows that cannot be read.
    """
    (way,) = ways.ways(build_block("count"), ONE)
    assert (way.name, way.cost, way.joint) == (WayName.KNOWN, None, None)

    for paid in (
        build_block("count", neighbors=ADD),
        build_block("count", unit=Unit("pid")),
        build_block("count where hours >= -5"),
    ):
        assert all(way.cost == ONE for way in ways.ways(paid, ONE))


def test_a_row_that_a_rule_may_leave_out_is_not_free() -> None:
    """A condition that all declared hours meet still leaves out hours that cannot be read.

    Hours have no missing cell, so an unreadable row is in no declared cell. It is at place
    -1, which counts nowhere, and it is the first of the two classes of rows.
    """
    counts = build_block("count where hours >= -5")
    assert (counts.workload.tallies[0].place >= 0).tolist() == [False, True]


def test_a_histogram_of_one_cell_moves_as_a_count() -> None:
    """A person of three rows moves one cell by 3, or 3 rows from one cell to another.

    The moves are in L1, in squared L2, and of the largest cell. With a single cell a replaced
    person has no other cell to go to.
    """
    unit = Unit("pid", 3)
    assert histogram_moves(unit, REPLACE, 1) == Sensitivity(3, 9, 3)
    assert histogram_moves(unit, REPLACE, 2) == Sensitivity(6, 18, 3)
    assert histogram_moves(unit, ADD, 2) == Sensitivity(3, 9, 3)


def test_cells_of_a_histogram_add_up_to_the_totals() -> None:
    """Each total is the sum of its histogram cells, for 500 random rows.

    The rows are counted by the cells of the histogram, and directly by each count that was
    asked.
    """
    counts = build_block(
        "count where age > 40 and sex = F", "table sex", "count where not grade = low"
    )
    cells, random = histogram_cells(counts), np.random.default_rng(1)
    codes = [random.integers(0, column.held_size, 500) for column in counts.workload.columns]
    rows = np.bincount(cells.tally.place_of(codes), minlength=cells.tally.size)

    totals_by_cells = [int(rows[members].sum()) for members in cells.members]

    totals: list[int] = []
    for number in counts.tallies:
        tally = counts.workload.tallies[number]
        place = tally.place_of(codes)
        totals += np.bincount(place[place >= 0], minlength=tally.size).tolist()

    assert totals_by_cells == totals


def test_a_choice_is_for_one_value_without_its_count() -> None:
    """Only `top 1` without counts may be answered by a choice at random, which gives no
    number.
    """
    assert WayName.CHOICE in names_of_ways(build_block("top 1 sex"), ONE)
    assert WayName.CHOICE not in names_of_ways(build_block("top 1 sex with counts"), ONE)
    assert WayName.CHOICE not in names_of_ways(build_block("top 2 sex"), ONE)


def test_elliptical_noise_gives_wide_columns_more_steps() -> None:
    """Elliptical noise divides the column of the wider range into more steps."""
    means = build_block("means hours, seen")

    found_ways = ways.ways(means, Guarantee.zcdp(1))
    (way,) = [way for way in found_ways if way.name is WayName.ELLIPTICAL]
    steps = [grain.steps.most for grain in way.grains if grain.steps is not None]
    # Noise is in proportion to the root of each width: 25 hours (-5 to 20), 59 seconds.
    ratio = math.sqrt(25 / 59)
    assert steps[0] / steps[1] == pytest.approx(ratio, rel=0.01)


def test_too_many_cells_have_no_histogram(monkeypatch: pytest.MonkeyPatch) -> None:
    """A block with too many cells has no histogram, and a question with too many is refused.

    The first limit is on the product of cells and counts, here 6 cells times 2 counts. The
    second is on the cells of one question.
    """
    counts = build_block("count where age > 40", "count where hours > 3")
    assert histogram_cells(counts) is not None

    monkeypatch.setattr(ways.limits, "HISTOGRAM_WORK", 3)
    assert histogram_cells(counts) is None

    monkeypatch.setattr(ways.limits, "QUESTION_CELLS", 2)
    with pytest.raises(LimitError, match="cells; the limit of one question is 2"):
        build_block("table sex by grade")
