"""Repairs: what every one keeps to, each against its definition, the projection against an
optimum.

A new repair is an object in `REPAIRS` and inherits the contract.
"""

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.domain import Domain, Integer
from synth.errors import ArgumentError, LimitError
from synth.estimate import REPAIRS, NoisyCounts, Repair, project_to_simplex, repair_counts
from synth.plans import Method, Plan
from synth.privacy import Guarantee, Neighbors

ROOT = Path(__file__).parents[2]


def hold_noisy_counts(values: list[int], rows: int | None) -> NoisyCounts:
    """Noisy counts of one column with noise of scale 2; without `rows` their number is
    private.
    """
    domain = Domain((Integer(name="x", minimum=1, maximum=len(values), bins=len(values)),))
    neighbors = Neighbors.ADD_REMOVE if rows is None else Neighbors.REPLACE_ONE
    return NoisyCounts(
        domain=domain,
        values=np.array(values),
        scale=2,
        neighbors=neighbors,
        guarantee=Guarantee.pure(1),
        rows=rows,
    )  # type: ignore[arg-type]


def test_the_guide_lists_all_repairs() -> None:
    """The table of the how-to has each repair's name and title, in the order of `REPAIRS`."""
    page = ROOT / "docs" / "how-to" / "repairing.md"
    rows = re.findall(r"^\| `(.+?)` \| (.+?) \|", page.read_text(encoding="utf-8"), re.M)
    assert rows == [(name, repair.title) for name, repair in REPAIRS.items()]


VALUES = [10, -3, 0, 5, -1, 1]


class RepairContract:
    """What every repair keeps to."""

    method: ClassVar[str]

    def test_a_repair_lists_cells_that_add_up(self) -> None:
        """A repair lists cells once, ascending, and only with a weight other than 0.

        After a repair all weights are above 0. All repairs but clamping keep the total, which
        is the public or the estimated number of rows. The same counts are repaired alike each
        time.
        """

        @settings(max_examples=30)
        @given(
            values=st.lists(st.integers(-50, 10**6), min_size=1, max_size=90),
            rows=st.one_of(st.none(), st.integers(1, 10**6)),
        )
        def add_up(values: list[int], rows: int | None) -> None:
            counts = hold_noisy_counts(values, rows)
            repaired = repair_counts(counts, self.method)
            assert (np.diff(repaired.cells) > 0).all()
            assert np.isfinite(repaired.weights).all()
            assert (repaired.weights != 0).all()
            assert repaired.domain == counts.domain
            assert self.method in (repaired.repair, Repair.AUTO)
            if repaired.repair != Repair.NONE:
                assert (repaired.weights > 0).all()
            if not REPAIRS[self.method].adds_rows:
                assert repaired.total == counts.total
            if repaired.repair not in (Repair.NONE, Repair.CLAMP) and len(repaired.cells):
                assert repaired.weights.sum() == pytest.approx(repaired.total)

            repaired_again = repair_counts(counts, self.method)
            assert np.array_equal(repaired.weights, repaired_again.weights)

        add_up()

    def test_a_repair_leaves_counts_without_noise_as_they_are(self) -> None:
        """A repair of counts with next to no noise gives these counts."""
        counts = [10, 0, 3, 400, 0, 7, 1, 0, 90, 4]
        exact = replace(hold_noisy_counts(counts, sum(counts)), scale=Fraction(1, 100))

        repaired = repair_counts(exact, self.method)
        assert repaired.expected((0,)) == pytest.approx(counts, abs=1e-4)

    def test_a_repair_of_nothing_gives_nothing(self) -> None:
        repaired = repair_counts(hold_noisy_counts([-3, -2], None), self.method)
        assert np.maximum(repaired.weights, 0).sum() == 0

    def test_a_repair_that_needs_all_counts_says_so(self) -> None:
        """A repair that needs the counts of all cells refuses a list of large counts only.

        Other repairs give weights to the listed cells, 0 and 3, alone. A plan with such a
        repair and too many cells to list, here 2,000^2, is refused too.
        """
        large_counts = replace(
            hold_noisy_counts(VALUES, 14),
            values=np.array([10, 5]),
            listed=np.array([0, 3]),
            threshold=5,
        )

        if not REPAIRS[self.method].needs_all:
            repaired = repair_counts(large_counts, self.method)
            assert set(repaired.cells) <= {0, 3}
            assert self.method != Repair.AUTO or repaired.repair in (
                Repair.NEAREST,
                Repair.MOST_LIKELY,
            )
            return

        with pytest.raises(
            ArgumentError, match=f"The {self.method} repair needs .* only those from 5 up"
        ):
            repair_counts(large_counts, self.method)

        column = Integer(name="x", minimum=1, maximum=2_000, bins=2_000)
        two_columns = Domain((column, replace(column, name="y")))
        with pytest.raises(
            LimitError, match=f"{self.method} repair needs all noisy counts; of more"
        ):
            Plan(
                domain=two_columns,
                epsilon=Fraction(1),
                repair=self.method,
                method=Method.DENSE,
            ).check_size()


class TestAuto(RepairContract):
    method = Repair.AUTO


class TestNone(RepairContract):
    method = Repair.NONE


class TestClamp(RepairContract):
    method = Repair.CLAMP


class TestRescale(RepairContract):
    method = Repair.RESCALE


class TestSimplex(RepairContract):
    method = Repair.NEAREST


class TestBayes(RepairContract):
    method = Repair.MOST_LIKELY


class TestPooled(RepairContract):
    method = Repair.POOLED


class TestSmoothed(RepairContract):
    method = Repair.SMOOTHED


def test_every_repair_keeps_the_contract() -> None:
    """Every repair that Synth offers has a class here that inherits the contract."""
    tested_methods = {
        contract.method
        for contract in RepairContract.__subclasses__()
        if contract.__module__ == __name__
    }
    assert tested_methods == {*Repair} == {*REPAIRS}


@pytest.mark.parametrize(
    ("method", "rows", "cells", "weights", "total"),
    [
        (Repair.NONE, 14, [0, 1, 3, 4, 5], [10, -3, 5, -1, 1], 14),
        (Repair.NONE, None, [0, 1, 3, 4, 5], [10, -3, 5, -1, 1], 12),
        (Repair.CLAMP, 14, [0, 3, 5], [10, 5, 1], 14),
        (Repair.CLAMP, None, [0, 3, 5], [10, 5, 1], 16),
        (Repair.RESCALE, 8, [0, 3, 5], [5, 2.5, 0.5], 8),
        (Repair.RESCALE, None, [0, 3, 5], [7.5, 3.75, 0.75], 12),
        (Repair.NEAREST, 11, [0, 3], [8, 3], 11),
        (Repair.NEAREST, None, [0, 3], [8.5, 3.5], 12),
    ],
)
def test_each_repair_by_example(
    method: Repair, rows: int | None, cells: list[int], weights: list[float], total: int
) -> None:
    """Each repair of the noisy counts 10, -3, 0, 5, -1 and 1 gives the weights worked out by
    hand.

    The counts add up to 12, without negative ones to 16, unless the number of rows is public.
    Rescaling to 8 rows halves 10, 5 and 1. The projection to 11 rows takes 2 off each of 10
    and 5, that to 12 rows takes 1.5 off; the 1 becomes 0.
    """
    result = repair_counts(hold_noisy_counts(VALUES, rows), method)

    assert result.cells.tolist() == cells
    np.testing.assert_allclose(result.weights, weights)
    assert result.total == total


@given(
    st.lists(st.integers(-50, 1000), min_size=1, max_size=40),
    st.integers(1, 2000),
)
def test_the_projection_satisfies_the_conditions_of_the_optimum(
    values: list[int], total: int
) -> None:
    """The projection is the nearest point with no negative weight and the right sum.

    By the conditions of the optimum (KKT), every weight above 0 is its value less one common
    number. Values of the other cells are at most that number.
    """
    weights = project_to_simplex(np.array(values), total)

    assert weights.min() >= 0
    assert weights.sum() == pytest.approx(total)

    inside = weights > 0
    thresholds = (np.array(values) - weights)[inside]
    assert np.ptp(thresholds) < 1e-6
    assert (np.array(values)[~inside] <= thresholds[0] + 1e-6).all()
