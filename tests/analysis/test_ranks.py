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
    for release in (dense(scale=Fraction(1, 2)), model(variance=25)):
        (found,) = conclusions([question], release)
        if question == "median age":
            rows = np.cumsum(TRUTH.sum(axis=(1, 2, 3)))
            code = int(np.searchsorted(rows, rows[-1] / 2))
            truth = [(20 + 5 * code, 24 + 5 * code)]
        else:
            rows = np.cumsum(TRUTH.sum(axis=3)[:, :, 0].sum(axis=0))
            truth = [(int(np.searchsorted(rows, q * rows[-1])),) * 2 for q in (0.1, 0.5, 0.9)]
        for low, high, (first, last) in zip(found.low, found.high, truth, strict=True):
            assert low <= first
            assert last <= high
        assert ((found.low <= found.estimate) & (found.estimate <= found.high)).all()


def test_more_noise_rules_out_fewer_bins() -> None:
    quiet, loud = (conclusions(["median age"], model(variance=v))[0] for v in (1, 10**7))
    assert loud.high[0] - loud.low[0] > quiet.high[0] - quiet.low[0]
