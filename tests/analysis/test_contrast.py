"""Differences and ratios of two groups."""

import pytest

from synth.analysis.contrast import contrast
from synth.errors import SynthError
from tests.analysis.releases import TRUTH, dense, model, nearly

WOMEN, MEN = TRUTH[:, :, 0].sum(), TRUTH[:, :, 1].sum()


def test_a_difference_and_a_ratio_hold_the_truth() -> None:
    release = dense()
    less = contrast("count where sex = F", "count where sex = M", release)
    assert nearly(less.low[0], WOMEN - MEN, less.high[0])
    assert less.question == "count where sex = F less count where sex = M"
    over = contrast("count where sex = F", "count where sex = M", release, ratio=True)
    assert nearly(over.low[0], WOMEN / MEN, over.high[0])
    assert over.unit == "ratio"


def test_two_kinds_have_no_difference_and_nothing_no_ratio() -> None:
    with pytest.raises(SynthError, match="have no difference"):
        contrast("count where sex = F", "mean age", dense())
    with pytest.raises(SynthError, match=r"the noise could hide that 'count where sex = '\(other"):
        contrast("count where sex = F", "count where sex = '(other)'", model(), ratio=True)
