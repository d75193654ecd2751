"""The statement of linked tables: payments before the release, and rows that are left out."""

import re
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from synth.bundle.linked import _and_payments, _say_left_out
from synth.linked import LinkedMarginal, LinkedSpend
from synth.noise import DiscreteLaplace
from synth.privacy import Guarantee
from tests.linked.test_strategy import PACKAGE
from tests.noisy.test_record import inside, laplace_shares


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        (0, ""),
        (1, " and those of 1 payments before"),
        (3, " and those of 3 payments before"),
    ],
)
def test_payments_before_a_release_are_counted(number: int, sentence: str) -> None:
    """The statement of linked tables says how many payments were made before, if any."""
    certificate: Any = SimpleNamespace(
        declaration=SimpleNamespace(preparations=(SimpleNamespace(),) * number)
    )

    assert _and_payments(certificate) == sentence


def test_the_bars_of_rows_that_are_left_out_hold() -> None:
    """The bars of people above a limit, and of their events, hold in 95 % of cases.

    The events are a sum of three noisy numbers that count 1, 5 and 13 times, at a limit of
    four events. Normal noise of the same deviation has a bar of 77 for the events,
    which holds in 93.9 %.
    """
    marginal = LinkedMarginal(table=0, columns=(PACKAGE.number(1),))
    spend = LinkedSpend(
        marginals=(marginal,),
        values=np.array([100, 80, 60, 40, 20, 9, 7, 5]),
        mechanism=DiscreteLaplace(Fraction(2)),
        cost=Guarantee.pure(Fraction(1)),
    )

    sentence = _say_left_out(PACKAGE, 1, marginal, spends=[spend])

    parents, events = (int(bar) for bar in re.findall(r"± (\d+)\)", sentence))
    cell = laplace_shares(2.0)
    of_parents = np.convolve(np.convolve(cell, cell), cell)
    assert inside(of_parents, parents) >= 0.95
    assert inside(of_parents, parents - 1) < 0.95

    of_events = cell
    for factor in (5, 13):
        spread_cell = np.zeros(factor * (len(cell) - 1) + 1)
        spread_cell[::factor] = cell
        of_events = np.convolve(of_events, spread_cell)
    assert inside(of_events, events) >= 0.95
    assert inside(of_events, events - 5) < 0.95
