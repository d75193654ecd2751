"""What a row of each cell adds: whole, cut and numbered cells, by hand."""

import numpy as np
import pytest

from synth.analysis.cell_sums import AtomGrid, CellSums
from synth.privacy import ROW
from synth.questions import check_question, parse
from synth.questions.workloads.workload import Workload
from tests.analysis.test_linear import DOMAIN


def sums_of(question: str) -> CellSums:
    """What a row of each cell adds to a question about ages 0-4, 5-9, 10-14, 15-19 and sexes
    F, M, other.
    """
    checked = check_question(parse(question), DOMAIN, ROW)
    return AtomGrid(Workload.build([checked], DOMAIN, cells=True)).of_tally(0)


def test_whole_cells_are_exact() -> None:
    """Cells that lie wholly within the condition add exactly 1 a row.

    Cells are numbered by age bin, then by sex: women of the third and fourth bin are 6
    and 9.
    """
    sums = sums_of("count where age >= 10 and sex = F")
    assert sums.cells.tolist() == [6, 9]
    assert sums.are_exact
    assert (
        sums.add_least().tolist()
        == sums.add_evenly().tolist()
        == sums.add_most().tolist()
        == [1, 1]
    )


def test_a_cut_bin_holds_between_none_and_all() -> None:
    """A row of a bin that the condition cuts adds between 0 and 1; evenly, its share of
    years.

    Ages 7 to 9 are 3 of the 5 years of their bin, 10 and 11 are 2 of 5.
    """
    sums = sums_of("count where age >= 7 and age < 12")
    assert sums.cells.tolist() == [1, 2]
    assert not sums.are_exact
    assert sums.add_least().tolist() == [0, 0]
    assert sums.add_most().tolist() == [1, 1]
    assert sums.add_evenly() == pytest.approx([3 / 5, 2 / 5])


def test_bins_that_are_cut_in_both_columns_are_multiplied() -> None:
    """A cell counts as far as its ages or its sex meet the condition.

    Cells are numbered by age bin, then by sex. Age 3 is one of the five years of the first
    bin, for each of three sexes (cells 0, 1, 2). Women count at any age (cells 0, 3, 6, 9).
    """
    sums = sums_of("count where age = 3 or sex = F")
    assert sums.cells.tolist() == [0, 1, 2, 3, 6, 9]
    assert sums.whole.tolist() == [True, False, False, True, True, True]
    assert sums.part == pytest.approx([1, 0.2, 0.2, 1, 1, 1])


def test_numbers_reach_from_end_to_end() -> None:
    """A row adds between the lowest and the highest number of its bin that meets the
    condition.

    Ages 7 to 9 of the bin 5 to 9 count, 3 of 5 years, and all of 10 to 14 and 15 to 19. With
    an argument, numbers are counted from it on: 8, the middle of 7 to 9, is -2 from 10.
    """
    sums = sums_of("total age where age >= 7")
    assert sums.low.tolist() == [7, 10, 15]
    assert sums.high.tolist() == [9, 14, 19]
    assert sums.add_least().tolist() == [0, 10, 15]
    assert sums.add_evenly() == pytest.approx([8 * 3 / 5, 12, 17])
    assert sums.add_evenly(10) == pytest.approx([-2 * 3 / 5, 2, 7])
    assert sums.add_most(10).tolist() == [0, 4, 9]


def test_groups_come_in_order() -> None:
    """Each cell of a table is its own group, in order; a group that does not exist has no
    cells.
    """
    sums = sums_of("table sex by age")
    assert sums.totals.tolist() == list(range(12))
    assert sums.select_total(1).cells.tolist() == [3]  # female, 5 to 9
    empty = sums.select_total(50)
    assert (len(empty.cells), empty.are_exact) == (0, True)
    assert np.array_equal(sums.part, np.ones(12))
