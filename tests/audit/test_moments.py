"""Releases with sums of numbers: neighbours with frozen noise, and what intervals hold."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import synth
from synth.analysis import conclusions
from synth.estimate import MomentSum, Spend
from synth.noise import KNorm, Norm
from synth.plans import Method
from synth.privacy import ROW, Guarantee, Neighbors, Unit
from tests.analysis.moments import released, steps_in
from tests.audit import path
from tests.audit.path.moments import NUMBERS, TERMS, summing
from tests.audit.path.tables import PERSON
from tests.audit.test_inquiries import WORKLOADS
from tests.conftest import Report


@pytest.mark.audit
@pytest.mark.slow
@pytest.mark.parametrize("unit", [ROW, PERSON])
@pytest.mark.parametrize("neighbors", Neighbors)
@pytest.mark.parametrize("method", [Method.DENSE, Method.INDEPENDENT, Method.ONE_SHOT])
def test_sums_of_neighbours_are_within_their_price(
    method: Method, neighbors: Neighbors, unit: Unit
) -> None:
    options: dict[str, Any] = {"domain": NUMBERS, "moments": TERMS}
    assert path.replaying(method, neighbors, unit, **options) == ""


@pytest.mark.audit
@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("start", [1000, 1250, 1500, 1750])
def test_sums_of_random_tables_move_as_declared(start: int, report: Report) -> None:
    """In `make audit` a thousand of them."""
    assert summing(start, WORKLOADS // 4) == ""
    report(
        f"{WORKLOADS // 4} random releases of sums from seed {start}: no move above its price"
    )


@pytest.mark.slow
def test_means_off_sums_that_were_measured_at_once_are_within_their_intervals() -> None:
    """Noise of a vector (K-norm) is drawn anew; at most 14 of 60 intervals miss, but for
    1e-6.
    """
    rng, noise = np.random.default_rng(3), KNorm(Norm.MAX, 2, Fraction(40_000))
    number = synth.Number(0, 100, bins=4)
    domain, what = (
        synth.Domain(x=number, y=number),
        (MomentSum(columns=(0,)), MomentSum(columns=(1,))),
    )
    rows = {name: rng.uniform(0, 99, 3_000) for name in "xy"}
    exact = [
        sum(
            int(steps_in(one, rows[name], (rows[name] // 25).astype(np.int32)).sum())
            for one in each.factors(domain)
        )
        for each, name in zip(what, "xy", strict=True)
    ]
    missed, widths = 0, []
    for _ in range(60):
        made = released(domain, rows, [], scale=Fraction(1, 50))
        values = tuple(map(int, np.array(exact) + noise.draw(1)[0]))
        spend = Spend(
            what="sums", cost=Guarantee.pure(1), mechanism=noise, values=values, moments=what
        )
        (found,) = conclusions(["mean x"], replace(made, spends=(spend,)))
        missed += not found.low[0] <= rows["x"].mean() <= found.high[0]
        widths.append(found.high[0] - found.low[0])
    assert missed <= 14
    assert np.mean(widths) < 6  # bins alone leave 25
