"""Quantiles: within the bins that hold them, whatever the noise."""

from fractions import Fraction

import numpy as np
import pytest

from synth.analysis import conclusions
from tests.analysis.releases import TRUTH, dense, model


@pytest.mark.parametrize(
    "question", ["median age", "quantiles .1, .5, .9 of hours where sex = F"]
)
def test_the_bin_of_the_quantile_is_not_ruled_out(question: str) -> None:
    """The interval reaches over the bin of the true median: five ages, or a single hour."""
    for release in (dense(scale=Fraction(1, 2)), model(variance=25)):
        (conclusion,) = conclusions([question], release)
        if question == "median age":
            rows = np.cumsum(TRUTH.sum(axis=(1, 2, 3)))
            code = int(np.searchsorted(rows, rows[-1] / 2))
            truth = [(20 + 5 * code, 24 + 5 * code)]
        else:
            rows = np.cumsum(TRUTH.sum(axis=3)[:, :, 0].sum(axis=0))
            truth = [(int(np.searchsorted(rows, q * rows[-1])),) * 2 for q in (0.1, 0.5, 0.9)]
        for low, high, (first, last) in zip(
            conclusion.low, conclusion.high, truth, strict=True
        ):
            assert low <= first
            assert last <= high
        assert (
            (conclusion.low <= conclusion.estimate) & (conclusion.estimate <= conclusion.high)
        ).all()


def test_more_noise_rules_out_fewer_bins() -> None:
    quiet, loud = (
        conclusions(["median age"], model(variance=variance))[0] for variance in (1, 10**7)
    )
    assert loud.high[0] - loud.low[0] > quiet.high[0] - quiet.low[0]
