"""The parts of a fit of linked tables: sizes of moves, sampled rows, keys without repeats."""

from copy import deepcopy
from typing import Any

import numpy as np
import pytest

from synth.domain import LinkedPackage, read_package
from synth.linked import LinkedCodes, LinkedMarginal, TableCodes
from synth.linked.drawing import Factors, draw_table
from synth.linked.model import LinkedModel, Stride, Target, _move_factors, _pace_factors
from tests.linked.households import CARS, DOCUMENT, EVENTS, HOMES, PERSONS, households
from tests.linked.test_codes import three_homes

PAIRS_OF_CARS = LinkedMarginal(table=CARS, columns=((CARS, 0),), others=((CARS, 0),))


@pytest.mark.parametrize("roots", [0, 1, 2, 3])
@pytest.mark.parametrize("table", [HOMES, PERSONS, CARS, EVENTS])
def test_rows_of_the_first_roots_are_counted_in_every_table(table: int, roots: int) -> None:
    """The rows of any table that belong to the first homes are counted right.

    `three_homes` has homes with 2, 1 and 0 persons, and 3 cars in the first. The expected
    number follows each row up to its home.
    """
    levels = three_homes().levels
    root_of_rows = np.arange(levels[table].rows)
    at = table
    while (parent := households().tables[at].parent) is not None:
        root_of_rows, at = levels[at].parent[root_of_rows], parent

    model = LinkedModel(package=households(), roots=3)
    assert model._rows_under(levels, table, roots) == (root_of_rows < roots).sum()


def four_cars_each() -> LinkedCodes:
    """Two homes without persons, each with four cars."""

    def level(codes: list[int], parents: list[int]) -> TableCodes:
        return TableCodes((np.array(codes),), np.array(parents, np.int64))

    cars = level([0, 0, 1, 1, 0, 1, 1, 1], [0, 0, 0, 0, 1, 1, 1, 1])
    levels = (level([0, 1], [0, 0]), level([], []), cars)
    return LinkedCodes(package=households(), levels=levels)


def first_move(pace: float) -> np.ndarray:
    """How a factor of pairs of siblings moves at first."""
    values = np.array([[300.0, 200.0], [200.0, 300.0]])
    target = Target(marginal=PAIRS_OF_CARS, values=values, pace=pace)
    factors: Factors = {PAIRS_OF_CARS: np.zeros((2, 2))}
    stride = Stride(pace=1.0, momentum=0.0)
    _move_factors(factors, {}, [target], rows=four_cars_each(), stride=stride)
    return factors[PAIRS_OF_CARS]


def test_a_row_that_three_siblings_move_is_not_moved_faster_by_a_higher_pace() -> None:
    """A move is divided by the number of rows of a parent times the pace, so that a higher
    pace does not move a row faster.

    Each home has four cars, so that three siblings move each car. The divisor is 2 at least:
    at a pace of a quarter a row is moved by half as much as at 3/4 or 1.
    """
    full_move = first_move(1.0)
    assert np.abs(full_move).min() > 0.01
    assert first_move(0.75) == pytest.approx(full_move)
    assert first_move(0.25) == pytest.approx(full_move / 2)


@pytest.mark.parametrize(("crowd", "pace"), [(1, 1.0), (3, 1.0), (6, 0.5), (12, 0.25)])
def test_factors_of_one_column_share_the_move_of_three(crowd: int, pace: float) -> None:
    """If more than three associations move a column, each moves at 3 over their number; the
    base of the column keeps its pace of 1.
    """
    columns = ((HOMES, 0), (CARS, 0))
    association = Target(
        marginal=LinkedMarginal(table=CARS, columns=columns), values=np.ones((2, 2))
    )
    base = Target(
        marginal=LinkedMarginal(table=CARS, columns=columns[1:]),
        values=np.ones(2),
        is_base=True,
    )
    paced = _pace_factors([base, *[association] * crowd])
    assert [target.pace for target in paced] == pytest.approx([1.0, *[pace] * crowd])


def cars_with_a_key_of(*columns: str) -> LinkedPackage:
    """The households, whose cars have these columns and a key of the home and them."""
    document: dict[str, Any] = deepcopy(DOCUMENT)
    schema = document["resources"][3]["schema"]
    schema["fields"] += [{**schema["fields"][-1], "name": name} for name in columns[1:]]
    schema["primaryKey"] = ["h", *columns]
    return read_package(document)


@pytest.mark.parametrize("columns", [("d",), ("d", "f")])
def test_siblings_do_not_repeat_their_key(columns: tuple[str, ...]) -> None:
    """No two cars of a home have the same values in their key.

    Each of 300 homes is to have four cars; the columns of the key have two cells each. A home
    gets only as many cars as there are different keys: 2, or up to 4 with two columns.
    """
    homes = 300
    package = cars_with_a_key_of(*columns)
    above = (
        TableCodes((np.zeros(homes, np.int32),), np.zeros(homes, np.int64)),
        TableCodes((np.zeros(0, np.int32),), np.zeros(0, np.int64)),
    )
    numbers = np.full(homes, 4)

    sample = draw_table(
        package, above, numbers, factors={}, generator=np.random.default_rng(2)
    )

    keys = np.stack([sample.parent, *sample.codes[: len(columns)]], axis=1)
    assert len(np.unique(keys, axis=0)) == len(keys)
    rows_of_homes = np.bincount(sample.parent, minlength=homes)
    # Every home gets two cars at least; some home gets a car for every different key.
    assert rows_of_homes.min() == 2
    assert rows_of_homes.max() == 2 ** len(columns)
