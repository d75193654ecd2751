"""Rows, roots or bands: the public forecast takes the one that is nearest to both laws."""

import numpy as np
import pytest

from synth.linked import CountLaw, LinkedMarginal
from synth.linked.laws import BelievedRows, choose_law
from tests.linked.households import CARS, HOMES, households

HISTOGRAM_OF_CARS = LinkedMarginal(table=CARS, columns=((CARS, 0),))
BAND = (HOMES, households().number(CARS)[1] + 1)


def believe_cars(parents: list[float]) -> BelievedRows:
    """Cars, by how many homes have each number of them."""
    homes = BelievedRows.of_root(sum(parents))
    return BelievedRows.below(households(), CARS, np.array([*parents, 0, 0, 0]), above=homes)


@pytest.mark.parametrize(
    ("parents", "noise", "columns", "law"),
    [
        ([0, 1e4, 0, 0, 1e4], 1e3, ((CARS, 0),), CountLaw.ROOTS),  # loud noise
        ([0, 1e4, 0, 0, 1e4], 1e2, (BAND, (CARS, 0)), CountLaw.ROOTS),  # bands as well
        ([0, 1e4, 0, 0, 0], 1e2, ((CARS, 0),), CountLaw.ROOTS),  # one car in every home
    ],
)
def test_roots_are_counted_where_noise_is_loud_or_all_have_as_many_rows(
    parents: list[float], noise: float, columns: tuple[tuple[int, int], ...], law: CountLaw
) -> None:
    """A histogram of cars counts homes if noise is loud or all homes have as many cars, and
    bands of their number if noise is low.

    `parents` has the homes by number of cars: 0, 1, 2, 3, 4. `law` says what has equal
    weight.
    """
    chosen = choose_law(
        households(), HISTOGRAM_OF_CARS, believe_cars(parents), noise=noise, distance=0.2
    )
    assert (chosen.columns, chosen.law) == (columns, law)


def test_rows_of_the_root_and_pairs_of_rows_are_by_roots() -> None:
    """Histograms of the root table and of pairs of rows stay by roots, however low the
    noise is.
    """
    cars = believe_cars([0, 1e4, 0, 0, 1e4])
    for marginal in (
        LinkedMarginal(table=HOMES, columns=((HOMES, 0),)),
        LinkedMarginal(table=CARS, columns=((CARS, 0),), others=((CARS, 0),)),
    ):
        assert choose_law(households(), marginal, cars, noise=1.0, distance=1.0) == marginal
