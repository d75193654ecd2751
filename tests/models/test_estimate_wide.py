"""A table of four times as many columns takes about four times the work.

Work is counted in calls of functions, which do not depend on the load of the machine. What is
linear at four times the columns takes four times the calls at most; what compares all columns
with each other, sixteen times.
"""

import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import count
from types import FrameType

import numpy as np
import pandas as pd
import pytest

import synth
from synth.domain import Categorical, Domain
from synth.estimate import Clique
from synth.estimate.models import inference
from synth.estimate.models.estimate import Measurement, fit
from synth.util import Floats

MOST_GROWTH = 4.6
FEW = 50
MANY = 4 * FEW


def wide_domain(columns: int) -> Domain:
    """The declaration of so many columns of four values."""
    return Domain(
        tuple(
            Categorical(name=f"c{number}", categories=("a", "b", "c", "d"))
            for number in range(columns)
        )
    )


def count_calls(run: Callable[[], object]) -> int:
    """Return how many functions a call calls."""
    calls: Counter[str] = Counter()

    def note(_frame: FrameType, event: str, _argument: object) -> None:
        calls[event] += 1

    run()  # imports and caches
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    return calls["call"] + calls["c_call"]


def fit_columns(columns: int, relations: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return how often a fit computes the law of a clique.

    Args:
        columns: The number of columns, each measured alone.
        relations: How many pairs of neighbours are measured, too, no two with a column in
            common.
    """
    passes = 0
    condition = inference._condition

    def count_passes(array: Floats, clique: Clique, separator: Clique) -> Floats:
        """Compute the law of a clique, and count that."""
        nonlocal passes
        passes += 1
        return condition(array, clique, separator)

    monkeypatch.setattr(inference, "_condition", count_passes)
    alone = np.array([40.0, 30.0, 20.0, 10.0])
    pair = np.outer(alone, alone) / 100
    pair[0, 0] += 5
    pair[1, 1] += 5
    pair[0, 1] -= 5
    pair[1, 0] -= 5
    measured = [Measurement((column,), alone, 1.0) for column in range(columns)]
    measured += [
        Measurement((2 * number, 2 * number + 1), pair, 1.0) for number in range(relations)
    ]
    model = fit((4,) * columns, measured, 100.0, iterations=20)
    monkeypatch.setattr(inference, "_condition", condition)
    assert all(abs(belief.sum() - 1) < 1e-9 for belief in model.beliefs)
    return passes


def test_columns_without_relations_never_enter_the_loop_of_the_fit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Columns alone take no pass, and beside relations they add none."""
    assert fit_columns(400, 0, monkeypatch) == 0
    assert fit_columns(400, 5, monkeypatch) == fit_columns(10, 5, monkeypatch)


def test_a_fit_of_relations_is_linear_in_their_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Four times as many pairs of columns, which share none, take four times the passes."""
    few = fit_columns(2 * FEW, FEW, monkeypatch)
    assert fit_columns(2 * MANY, MANY, monkeypatch) <= MOST_GROWTH * few


def release_columns(columns: int) -> None:
    """Release a table of so many columns by `auto`, without a ledger."""
    generator = np.random.default_rng(columns)
    codes = generator.integers(0, 4, (200, columns))
    frame = pd.DataFrame(
        np.array(list("abcd"))[codes], columns=[f"c{number}" for number in range(columns)]
    )
    synth.release(frame, domain=wide_domain(columns), epsilon=1, anyway=True)


ROWS = count(5_000)
"""Another number of rows for each forecast, so that no cache answers."""


def forecast_columns(columns: int) -> None:
    """Forecast a release of so many columns."""
    synth.forecast(wide_domain(columns), epsilon=1, rows=next(ROWS))


@pytest.mark.parametrize(
    "run", [pytest.param(release_columns, marks=pytest.mark.slow), forecast_columns]
)
def test_a_release_and_its_forecast_are_linear_in_columns(run: Callable[[int], None]) -> None:
    """Four times the columns take at most `MOST_GROWTH` times the calls."""
    few, many = (count_calls(partial(run, columns)) for columns in (FEW, MANY))
    assert many <= MOST_GROWTH * few, f"{few:,} calls, then {many:,}"
