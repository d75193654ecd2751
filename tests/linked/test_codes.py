"""Histograms of linked rows: units are shared out whole, and nothing is lost or made."""

import numpy as np
import pytest

from synth.linked import CountLaw, LinkedCodes, LinkedMarginal, TableCodes, codes
from tests.linked.households import households


def rows() -> LinkedCodes:
    """Three homes: of two persons and three cars, of one person, and of none."""

    def level(codes: list[int], parents: list[int]) -> TableCodes:
        return TableCodes((np.array(codes),), np.array(parents, np.int64))

    return LinkedCodes(
        package=households(),
        levels=(
            level([0, 1, 1], [0, 0, 0]),
            level([0, 1, 1], [0, 0, 1]),
            level([0, 0, 1], [0, 0, 0]),
            level([0, 1, 1], [0, 0, 1]),
        ),
    )


def test_the_units_of_a_root_add_up() -> None:
    one = LinkedMarginal(table=1, columns=((1, 0),))
    assert one.units(households()) == 128
    assert rows().tally(one).tolist() == [64, 64 + 128]
    cars = LinkedMarginal(table=2, columns=((2, 0),))
    assert rows().tally(cars).tolist() == [86 + 85, 85]


def test_units_of_a_row_go_on_to_its_children() -> None:
    events = LinkedMarginal(table=3, columns=((3, 0),))
    assert events.units(households()) == 256
    assert rows().tally(events).tolist() == [64, 64 + 128]


def test_pairs_of_rows_are_of_different_ones() -> None:
    pairs = LinkedMarginal(table=2, columns=((2, 0),), others=((2, 0),))
    found = rows().tally(pairs)
    assert found.sum() == pairs.units(households()) == 1024
    assert found[3] == 0
    agree = LinkedMarginal(table=2, columns=((2, 0),), others=((2, 0),), by_agreement=True)
    assert rows().tally(agree).tolist() == [found[1] + found[2], found[0] + found[3]]
    siblings = LinkedMarginal(table=1, columns=((1, 0),), others=((2, 0),))
    assert rows().tally(siblings).sum() == siblings.units(households())


def test_rows_and_bands_count_rows() -> None:
    assert rows().tally(
        LinkedMarginal(table=2, columns=((2, 0),), law=CountLaw.ROWS)
    ).tolist() == [
        2,
        1,
    ]
    number = households().number(2)
    bands = LinkedMarginal(table=2, columns=((0, number[1] + 1), (2, 0)), law=CountLaw.BANDS)
    assert rows().tally(bands).reshape(4, 2).tolist() == [[0, 0], [0, 0], [0, 0], [2, 1]]


def test_numbers_of_rows_are_columns_of_the_parent() -> None:
    package = households()
    assert rows().tally(LinkedMarginal(table=0, columns=(package.number(1),))).tolist() == [
        1,
        1,
        1,
        0,
        0,
        0,
    ]
    found = rows()
    found.levels[1].__dict__["found"] = np.array([3, 9, 0])
    assert found.column(package.number(1)).tolist() == [3, 5, 0]


def test_pairs_are_counted_alike_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [
        LinkedMarginal(table=2, columns=((2, 0),), others=((2, 0),)),
        LinkedMarginal(table=1, columns=((1, 0),), others=((2, 0),)),
    ]
    whole = [rows().tally(one).tolist() for one in pairs]
    monkeypatch.setattr(codes, "PAIRS_AT_ONCE", 1)
    assert [rows().tally(one).tolist() for one in pairs] == whole
