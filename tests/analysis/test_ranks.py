"""Quantiles: within the bins that hold them, whatever the noise."""

from fractions import Fraction

import numpy as np
import pytest

from synth.analysis import conclusions
from tests.analysis.releases import TRUE_COUNTS, histogram_release, marginals_release


@pytest.mark.parametrize(
    "question", ["median age", "quantiles .1, .5, .9 of hours where sex = F"]
)
def test_the_bin_of_the_quantile_is_not_ruled_out(question: str) -> None:
    """The interval of a quantile reaches from end to end of the bin with the true quantile,
    and holds the estimate.

    Both releases are made from `TRUE_COUNTS`, by age, hours, sex and job. A bin of ages has
    five years, 20 to 24 first; a bin of hours has one value.
    """
    for release in (histogram_release(scale=Fraction(1, 2)), marginals_release(variance=25)):
        (conclusion,) = conclusions([question], release)
        if question == "median age":
            rows_up_to_age = np.cumsum(TRUE_COUNTS.sum(axis=(1, 2, 3)))
            code = int(np.searchsorted(rows_up_to_age, rows_up_to_age[-1] / 2))
            bins_of_truth = [(20 + 5 * code, 24 + 5 * code)]
        else:
            women_up_to_hour = np.cumsum(TRUE_COUNTS.sum(axis=3)[:, :, 0].sum(axis=0))
            women = women_up_to_hour[-1]
            hours = [
                int(np.searchsorted(women_up_to_hour, q * women)) for q in (0.1, 0.5, 0.9)
            ]
            bins_of_truth = [(hour, hour) for hour in hours]

        for low, high, (first_of_bin, last_of_bin) in zip(
            conclusion.low, conclusion.high, bins_of_truth, strict=True
        ):
            assert low <= first_of_bin
            assert last_of_bin <= high
        assert (
            (conclusion.low <= conclusion.estimate) & (conclusion.estimate <= conclusion.high)
        ).all()


def test_more_noise_rules_out_fewer_bins() -> None:
    """The interval of a median is wider where the counts have the variance 10^7, not 1."""
    with_little_noise, with_much_noise = (
        conclusions(["median age"], marginals_release(variance=variance))[0]
        for variance in (1, 10**7)
    )
    assert (
        with_much_noise.high[0] - with_much_noise.low[0]
        > with_little_noise.high[0] - with_little_noise.low[0]
    )
