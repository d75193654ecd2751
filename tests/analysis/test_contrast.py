"""Differences and ratios of two groups."""

from fractions import Fraction

import numpy as np
import pytest

from synth.analysis import conclusions, contrast_groups
from synth.analysis.differences import FIRST_ORDER
from synth.errors import SynthError
from tests.analysis.releases import TRUE_COUNTS, histogram_release, marginals_release, nearly

WOMEN, MEN = TRUE_COUNTS[:, :, 0].sum(), TRUE_COUNTS[:, :, 1].sum()


def test_a_difference_and_a_ratio_hold_the_truth() -> None:
    """The difference and the ratio of the numbers of women and of men are near the true
    ones.

    `nearly` allows three times the reach of the 95 % interval, so that chance fails no
    run.
    """
    release = histogram_release()
    difference = contrast_groups("count where sex = F", "count where sex = M", release)
    assert nearly(difference.low[0], WOMEN - MEN, difference.high[0])
    assert difference.question == "count where sex = F less count where sex = M"
    ratio = contrast_groups("count where sex = F", "count where sex = M", release, ratio=True)
    assert nearly(ratio.low[0], WOMEN / MEN, ratio.high[0])
    assert ratio.unit == "ratio"


def test_both_groups_at_once_are_narrower_than_both_one_by_one() -> None:
    """The interval of a difference is narrower than the intervals of both groups put
    together.

    Two intervals at 97.5 % hold both at once in 95 %, and are wider together by a sixth or
    more. Only means of groups, whose numbers of rows are noisy too, are marked as
    approximate.
    """
    release = histogram_release()
    for question in (
        "share where sex = F less share where age < 40",
        "mean hours where sex = F less mean hours where sex = M",
    ):
        first_text, second_text = question.split(" less ")
        contrast = contrast_groups(first_text, second_text, release)
        first_group, second_group = conclusions(
            [first_text, second_text], release, confidence=0.975
        )
        width_of_both = (first_group.high - first_group.low) + (
            second_group.high - second_group.low
        )
        assert contrast.high - contrast.low < 0.85 * width_of_both
        assert nearly(
            contrast.low[0],
            first_group.estimate[0] - second_group.estimate[0],
            contrast.high[0],
        )
        assert (FIRST_ORDER in contrast.remarks) == question.startswith("mean")


def test_without_noise_only_the_bins_that_a_condition_cuts_are_left_open() -> None:
    """With next to no noise a ratio is exact, and a cut bin leaves a share open by its
    rows.
    """
    release = histogram_release(scale=Fraction(1, 99))
    contrast = contrast_groups(
        "mean hours where sex = F", "mean hours where sex = M", release, ratio=True
    )
    hours_by_sex = [TRUE_COUNTS[:, :, sex].sum(axis=(0, 2)) for sex in (0, 1)]
    women, men = (counts @ np.arange(10) / counts.sum() for counts in hours_by_sex)
    expected = women / men
    assert contrast.low[0] == pytest.approx(expected, rel=1e-4) == contrast.high[0]

    cut = contrast_groups("share where age < 32", "share where sex = F", release)
    # The condition cuts the third bin of ages, 30 to 34: two or three bins are below.
    ends = (
        TRUE_COUNTS[:k].sum() / TRUE_COUNTS.sum() - WOMEN / TRUE_COUNTS.sum() for k in (2, 3)
    )
    assert [cut.low[0], cut.high[0]] == pytest.approx(list(ends))


def test_groups_that_were_not_measured_together_are_taken_one_by_one() -> None:
    """The model has no table of sex by job: each share has its own interval."""
    contrast = contrast_groups(
        "share where sex = F", "share where job = b", marginals_release()
    )
    assert nearly(
        contrast.low[0],
        (WOMEN - TRUE_COUNTS[..., 1].sum()) / TRUE_COUNTS.sum(),
        contrast.high[0],
    )


def test_two_kinds_have_no_difference_and_nothing_no_ratio() -> None:
    """A count less a mean is refused, and so is a ratio to a group that may be empty."""
    with pytest.raises(SynthError, match="have no difference"):
        contrast_groups("count where sex = F", "mean age", histogram_release())

    fewer = TRUE_COUNTS.copy()
    fewer[:, :, 2] = -1  # 600 below none: no noise of this release makes them seem some
    with pytest.raises(
        SynthError, match=r"the noise could hide that 'count where sex = '\(other"
    ):
        contrast_groups(
            "count where sex = F",
            "count where sex = '(other)'",
            marginals_release(fewer),
            ratio=True,
            confidence=0.999,
        )
