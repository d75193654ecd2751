"""Histograms of linked rows: units are shared out whole, and nothing is lost or made."""

import numpy as np
import pytest

from synth.linked import CountLaw, LinkedCodes, LinkedMarginal, TableCodes, codes
from tests.linked.households import CARS, EVENTS, HOMES, PERSONS, households


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
    """Each home adds the same whole number of units to a histogram, shared among its
    rows.

    128 units are shared among up to 2 persons, 256 among up to 4 cars. Of the persons of the
    first home (64 units each) one has value 0, the other value 1, as has the only person of
    the second home (128). The first home has three cars, of 86, 85 and 85 units.
    """
    persons = LinkedMarginal(table=PERSONS, columns=((PERSONS, 0),))
    assert persons.units(households()) == 128
    assert three_homes().tally(persons).tolist() == [64, 64 + 128]
    cars = LinkedMarginal(table=CARS, columns=((CARS, 0),))
    assert three_homes().tally(cars).tolist() == [86 + 85, 85]


def test_units_of_a_row_go_on_to_its_children() -> None:
    """The units of a person are shared among the events of that person.

    Up to 2 persons with up to 2 events each have 256 units in a home. In the first home each
    of both persons has 128; the first has two events of 64 each, the second one event of 128.
    """
    # The first person of the first home has two events, the second has one.
    events = LinkedMarginal(table=EVENTS, columns=((EVENTS, 0),))
    assert events.units(households()) == 256
    assert three_homes().tally(events).tolist() == [64, 64 + 128]


def test_pairs_of_rows_are_of_different_ones() -> None:
    """A histogram of pairs of cars of a home never pairs a car with itself.

    The home of three cars has one car of value 1, so that no pair of its cars has it twice
    (cell 3). By agreement, cells 0 and 3 agree and cells 1 and 2 differ. Pairs of a person
    and a car add up to the units of a home as well.
    """
    pairs = LinkedMarginal(table=CARS, columns=((CARS, 0),), others=((CARS, 0),))
    tally = three_homes().tally(pairs)
    assert tally.sum() == pairs.units(households()) == 1024
    assert tally[3] == 0

    agree = LinkedMarginal(
        table=CARS, columns=((CARS, 0),), others=((CARS, 0),), by_agreement=True
    )
    assert three_homes().tally(agree).tolist() == [tally[1] + tally[2], tally[0] + tally[3]]

    siblings = LinkedMarginal(table=PERSONS, columns=((PERSONS, 0),), others=((CARS, 0),))
    assert three_homes().tally(siblings).sum() == siblings.units(households())


def test_rows_and_bands_count_rows() -> None:
    """By rows or by bands a histogram counts each row once; bands also tell how many rows the
    home has.

    Two cars have value 0 and one has value 1. All three are in one home, which is in the top
    of four bands. The band of a number of rows is the column after that number.
    """
    by_rows = LinkedMarginal(table=CARS, columns=((CARS, 0),), law=CountLaw.ROWS)
    assert three_homes().tally(by_rows).tolist() == [2, 1]

    number = households().number(CARS)
    bands = LinkedMarginal(
        table=CARS, columns=((HOMES, number[1] + 1), (CARS, 0)), law=CountLaw.BANDS
    )
    assert three_homes().tally(bands).reshape(4, 2).tolist() == [
        [0, 0],
        [0, 0],
        [0, 0],
        [2, 1],
    ]


def test_numbers_of_rows_are_columns_of_the_parent() -> None:
    """How many persons a home has is a column of the home.

    One home each has no, one and two persons, of up to five that the column counts. 9 persons
    are counted as 5, the last cell.
    """
    package = households()
    numbers_of_persons = LinkedMarginal(table=HOMES, columns=(package.number(PERSONS),))
    assert three_homes().tally(numbers_of_persons).tolist() == [1, 1, 1, 0, 0, 0]

    changed = three_homes()
    # As if 3, 9 and 0 persons had been found before any was left out; the class is frozen.
    changed.levels[1].__dict__["found"] = np.array([3, 9, 0])
    assert changed.column(package.number(PERSONS)).tolist() == [3, 5, 0]


def test_pairs_are_counted_alike_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs of rows are counted the same if only one pair is in memory at a time."""
    pairs = [
        LinkedMarginal(table=CARS, columns=((CARS, 0),), others=((CARS, 0),)),
        LinkedMarginal(table=PERSONS, columns=((PERSONS, 0),), others=((CARS, 0),)),
    ]
    at_once = [three_homes().tally(marginal).tolist() for marginal in pairs]
    monkeypatch.setattr(codes, "PAIRS_AT_ONCE", 1)
    assert [three_homes().tally(marginal).tolist() for marginal in pairs] == at_once
