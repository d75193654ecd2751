"""Histograms of linked rows: units are shared out whole, and nothing is lost or made."""

import numpy as np
import pytest

from synth.linked import CountLaw, LinkedCodes, LinkedMarginal, TableCodes, codes
from tests.linked.households import households


def three_homes() -> LinkedCodes:
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
    """A home shares its units out among its rows: 128 among 2 persons, 256 among 3 cars.

    Of the persons of the first home (64 units each) one has value 0, the other value 1, as
    has the only person of the second home (128). The cars are 86, 85 and 85.
    """
    persons = LinkedMarginal(table=1, columns=((1, 0),))
    assert persons.units(households()) == 128
    assert three_homes().tally(persons).tolist() == [64, 64 + 128]
    cars = LinkedMarginal(table=2, columns=((2, 0),))
    assert three_homes().tally(cars).tolist() == [86 + 85, 85]


def test_units_of_a_row_go_on_to_its_children() -> None:
    # The first person of the first home has two events, the second has one.
    events = LinkedMarginal(table=3, columns=((3, 0),))
    assert events.units(households()) == 256
    assert three_homes().tally(events).tolist() == [64, 64 + 128]


def test_pairs_of_rows_are_of_different_ones() -> None:
    """The home of three cars has one car of value 1, so that no pair of its cars has it
    twice. Pairs agree in the cells (0, 0) and (1, 1).
    """
    pairs = LinkedMarginal(table=2, columns=((2, 0),), others=((2, 0),))
    tally = three_homes().tally(pairs)
    assert tally.sum() == pairs.units(households()) == 1024
    assert tally[3] == 0
    agree = LinkedMarginal(table=2, columns=((2, 0),), others=((2, 0),), by_agreement=True)
    assert three_homes().tally(agree).tolist() == [tally[1] + tally[2], tally[0] + tally[3]]
    siblings = LinkedMarginal(table=1, columns=((1, 0),), others=((2, 0),))
    assert three_homes().tally(siblings).sum() == siblings.units(households())


def test_rows_and_bands_count_rows() -> None:
    """Two cars of value 0 and one of value 1, all in the home of the top band."""
    by_rows = LinkedMarginal(table=2, columns=((2, 0),), law=CountLaw.ROWS)
    assert three_homes().tally(by_rows).tolist() == [2, 1]
    number = households().number(2)
    bands = LinkedMarginal(table=2, columns=((0, number[1] + 1), (2, 0)), law=CountLaw.BANDS)
    assert three_homes().tally(bands).reshape(4, 2).tolist() == [
        [0, 0],
        [0, 0],
        [0, 0],
        [2, 1],
    ]


def test_numbers_of_rows_are_columns_of_the_parent() -> None:
    """One home each with no, one and two persons; 9 persons are told as 5, the last cell."""
    package = households()
    numbers_of_persons = LinkedMarginal(table=0, columns=(package.number(1),))
    assert three_homes().tally(numbers_of_persons).tolist() == [1, 1, 1, 0, 0, 0]
    changed = three_homes()
    changed.levels[1].__dict__["found"] = np.array([3, 9, 0])
    assert changed.column(package.number(1)).tolist() == [3, 5, 0]


def test_pairs_are_counted_alike_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = [
        LinkedMarginal(table=2, columns=((2, 0),), others=((2, 0),)),
        LinkedMarginal(table=1, columns=((1, 0),), others=((2, 0),)),
    ]
    at_once = [three_homes().tally(marginal).tolist() for marginal in pairs]
    monkeypatch.setattr(codes, "PAIRS_AT_ONCE", 1)
    assert [three_homes().tally(marginal).tolist() for marginal in pairs] == at_once
