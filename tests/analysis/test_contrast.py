"""Differences and ratios of two groups."""

from fractions import Fraction

import numpy as np
import pytest

from synth.analysis import conclusions, contrast_groups
from synth.analysis.differences import FIRST_ORDER
from synth.errors import SynthError
from tests.analysis.releases import TRUTH, dense, model, nearly

WOMEN, MEN = TRUTH[:, :, 0].sum(), TRUTH[:, :, 1].sum()


def test_a_difference_and_a_ratio_hold_the_truth() -> None:
    release = dense()
    less = contrast_groups("count where sex = F", "count where sex = M", release)
    assert nearly(less.low[0], WOMEN - MEN, less.high[0])
    assert less.question == "count where sex = F less count where sex = M"
    over = contrast_groups("count where sex = F", "count where sex = M", release, ratio=True)
    assert nearly(over.low[0], WOMEN / MEN, over.high[0])
    assert over.unit == "ratio"


def test_both_groups_at_once_are_narrower_than_both_one_by_one() -> None:
    release = dense()
    for text in (
        "share where sex = F less share where age < 40",
        "mean hours where sex = F less mean hours where sex = M",
    ):
        one, other = text.split(" less ")
        found = contrast_groups(one, other, release)
        first, second = conclusions([one, other], release, confidence=0.975)
        apart = (first.high - first.low) + (second.high - second.low)
        assert found.high - found.low < 0.85 * apart
        assert nearly(found.low[0], first.estimate[0] - second.estimate[0], found.high[0])
        assert (FIRST_ORDER in found.remarks) == text.startswith("mean")


def test_without_noise_only_the_bins_that_a_condition_cuts_are_left_open() -> None:
    release = dense(scale=Fraction(1, 99))
    found = contrast_groups(
        "mean hours where sex = F", "mean hours where sex = M", release, ratio=True
    )
    means = [TRUTH[:, :, sex].sum(axis=(0, 2)) for sex in (0, 1)]
    wanted = np.divide(*(one @ np.arange(10) / one.sum() for one in means))
    assert found.low[0] == pytest.approx(wanted, rel=1e-4) == found.high[0]
    cut = contrast_groups("share where age < 32", "share where sex = F", release)
    ends = (TRUTH[:k].sum() / TRUTH.sum() - WOMEN / TRUTH.sum() for k in (2, 3))
    assert [cut.low[0], cut.high[0]] == pytest.approx(list(ends))


def test_groups_that_were_not_measured_together_are_taken_one_by_one() -> None:
    found = contrast_groups("share where sex = F", "share where job = b", model())
    assert nearly(found.low[0], (WOMEN - TRUTH[..., 1].sum()) / TRUTH.sum(), found.high[0])


def test_two_kinds_have_no_difference_and_nothing_no_ratio() -> None:
    fewer = TRUTH.copy()
    fewer[:, :, 2] = -1  # 600 below none: no noise of this release makes them seem some
    with pytest.raises(SynthError, match="have no difference"):
        contrast_groups("count where sex = F", "mean age", dense())
    with pytest.raises(
        SynthError, match=r"the noise could hide that 'count where sex = '\(other"
    ):
        contrast_groups(
            "count where sex = F",
            "count where sex = '(other)'",
            model(fewer),
            ratio=True,
            confidence=0.999,
        )
