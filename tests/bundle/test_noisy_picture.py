"""Noisy counts beside their repairs, as pictures."""

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import synth
from synth.bundle import (
    find_negative_columns,
    find_negative_table,
    tabulate_repairs,
    view_columns,
    view_repaired,
    whole_counts,
)
from synth.domain import Categorical, Domain
from synth.estimate import REPAIRS, NoisyCounts, Repair, Repaired, side_by_side
from synth.privacy import Guarantee, Neighbors

SEX = Categorical(name="sex", categories=("F", "M"))
AREA = Categorical(name="area", categories=("north", "south", "west"))
# North, south and west of women, then of men; 30 rows in all.
COUNTS = np.array([12, -3, 5, 9, 0, -1])


@pytest.fixture
def noisy() -> NoisyCounts:
    """Noisy counts of six cells, two of them below 0."""
    return NoisyCounts(
        domain=Domain((SEX, AREA)),
        values=COUNTS,
        scale=Fraction(2),
        neighbors=Neighbors.REPLACE_ONE,
        guarantee=Guarantee.pure(1),
        rows=22,
    )


def repair_of(noisy: NoisyCounts, name: str) -> Repaired:
    """What one repair makes of noisy counts."""
    (repaired,) = (repaired for repaired in side_by_side(noisy) if repaired.name == name)
    return repaired


def test_negative_counts_are_bars_below_zero_and_clamp_lifts_them(noisy: NoisyCounts) -> None:
    """Sorted, all six counts are drawn; two are negative, and are 0 after clamp.

    The positive counts sum to 26, four more than the 22 rows of the table.
    """
    clamp = repair_of(noisy, Repair.CLAMP)
    view = view_repaired(noisy, clamp.distribution)
    picture = view.draw(sort=True)

    assert view.negative == 2
    assert [*picture.table["noisy count"]] == [-3, -1, 0, 5, 9, 12]
    assert [*picture.table["after Clamp"]] == [0, 0, 0, 5, 9, 12]
    assert picture.table["cell"].iloc[0] == "F · south"
    assert "2 are below 0; the least is -3" in picture.alt
    assert clamp.rows == 26
    assert clamp.invented == 4


def test_counts_are_summed_by_chosen_columns(noisy: NoisyCounts) -> None:
    """Women have 12 - 3 + 5 noisy rows, and after clamp 17; noise of three cells is wider."""
    clamp = repair_of(noisy, Repair.CLAMP)
    view = view_columns(noisy, clamp.distribution, (0,))
    picture = view.draw(sort=False)

    assert [*picture.table["cell"]] == ["F", "M"]
    assert [*picture.table["noisy count"]] == [14, 8]
    assert [*picture.table["after Clamp"]] == [17, 9]
    assert view.reach > view_repaired(noisy, clamp.distribution).reach


def test_the_picture_opens_at_the_first_columns_with_a_count_below_zero(
    noisy: NoisyCounts,
) -> None:
    """South sums to -3 + 0, so that is the column of areas. Single columns come before pairs,
    and without a negative count it is the first column.
    """
    assert find_negative_columns(noisy) == (1,)
    only_in_pair = replace(noisy, values=np.array([12, -3, 5, 9, 7, -1]))
    assert find_negative_columns(only_in_pair) == (0, 1)
    assert find_negative_columns(only_in_pair, most=1) == (0,)
    assert find_negative_columns(replace(noisy, values=np.abs(COUNTS))) == (0,)


def test_a_model_opens_at_its_first_histogram_with_a_count_below_zero() -> None:
    """Single columns come before pairs; without a negative count it is the first one."""
    counts = {(0, 1): [3, -1], (0,): [4, 0], (2,): [5, -2], (1,): [-1, 2]}

    def record_of(tables: dict[tuple[int, ...], list[int]]) -> Any:
        """Return a record that measured these noisy counts."""
        measured = [
            (columns, SimpleNamespace(values=np.array(values)))
            for columns, values in tables.items()
        ]
        return SimpleNamespace(measured=measured)

    assert find_negative_table(record_of(counts)) == (2,)
    assert find_negative_table(record_of({(0, 1): [3, -1], (0,): [4, 0]})) == (0, 1)
    assert find_negative_table(record_of({(0, 1): [3, 1], (0,): [4, 0]})) == (0, 1)


def test_small_counts_leave_out_those_that_no_repair_moves(noisy: NoisyCounts) -> None:
    """Counts above three times the reach of the noise are not drawn among the small ones."""
    large = replace(noisy, values=COUNTS * np.array([100, 1, 1, 1, 1, 1]))
    view = view_repaired(large, repair_of(large, Repair.NEAREST).distribution)
    picture = view.draw(sort=True, only_small=True)

    assert len(picture.table) == 5
    assert picture.figure.layout.xaxis.title.text == "5 smallest of 6 counts"


def test_many_sorted_counts_are_drawn_by_evenly_spaced_ranks() -> None:
    """Of 2,000 counts 360 are drawn, the least and the largest among them."""
    column = Categorical(name="town", categories=[f"T{i:04}" for i in range(2_000)])
    values = np.arange(2_000) - 500
    noisy = NoisyCounts(
        domain=Domain((column,)),
        values=values,
        scale=Fraction(2),
        neighbors=Neighbors.REPLACE_ONE,
        guarantee=Guarantee.pure(1),
        rows=int(values.sum()),
    )
    picture = view_repaired(noisy, repair_of(noisy, Repair.CLAMP).distribution).draw(
        sort=True
    )

    drawn_counts = [*picture.table["noisy count"]]
    assert len(drawn_counts) == 360
    assert (drawn_counts[0], drawn_counts[-1]) == (-500, 1_499)
    assert np.diff(drawn_counts).max() <= 6
    assert "every 6th is drawn" in picture.alt


def test_the_table_of_repairs_has_the_titles_of_the_screens(noisy: NoisyCounts) -> None:
    """Every repair has a row by the title that cards and lists show, in their order.

    The automatic one stands for another, and without long columns none is smoothed.
    """
    titles = [*tabulate_repairs(side_by_side(noisy))["repair"]]

    assert titles[:2] == ["Pooled", "Nearest"]
    assert titles == [
        repair.title
        for name, repair in REPAIRS.items()
        if name not in (Repair.AUTO, Repair.SMOOTHED)
    ]


def test_a_repair_says_how_many_positive_counts_it_loses(noisy: NoisyCounts) -> None:
    """A positive count is lost if less than half a row is left of it.

    Nearest subtracts 4/3 from 5, 9 and 12, and clamp nothing, so that none is lost.
    """
    assert repair_of(noisy, Repair.NEAREST).emptied == 0
    assert repair_of(noisy, Repair.CLAMP).emptied == 0
    small = replace(noisy, values=np.array([1, 9, 1, 19, 1, 0]))
    # They sum to 31, nine more than the rows. The threshold that takes nine away is above 1,
    # so that nothing is left of the three counts of 1.
    assert repair_of(small, Repair.NEAREST).emptied == 3


def test_the_histogram_of_the_automatic_method_has_every_repair_under_a_delta_too() -> None:
    """Automatic measures a whole histogram in epsilon, also where the plan allows a delta.

    So its noise is Laplace's, as the repairs need it, and the rows follow the chosen one. All
    pairs of its columns are measured together.
    """
    rows = pd.DataFrame({name: [*"abcd"] * 5_000 for name in "uvwxy"})
    domain = synth.Domain({name: [*"abcd"] for name in "uvwxy"})
    result = synth.release(rows, domain, epsilon=1, delta="1e-9", repair="clamp").result
    record = result.record
    assert (record.strategy, str(record.spent)) == ("histogram", "epsilon = 1")

    counts = whole_counts(record)
    assert counts is not None
    (clamp,) = (r for r in side_by_side(counts) if r.name == Repair.CLAMP)
    assert {r.name for r in side_by_side(counts)} == {*Repair} - {
        Repair.AUTO,
        Repair.SMOOTHED,
    }
    # The rows are clamped counts, scaled to the public total.
    share = clamp.distribution.expected((0,)) / clamp.rows
    drawn = rows.index.size * share
    assert record.expected((0,)) == pytest.approx(drawn)
    assert all(bar.measured for bar in record.bars)
