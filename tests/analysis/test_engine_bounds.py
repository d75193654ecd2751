"""Bounds of what was not measured together: they hold the truth, and say that they are
bounds.
"""

from itertools import product

import pytest

from synth.analysis import conclusions
from synth.errors import SynthError
from tests.analysis.releases import TRUE_COUNTS, marginals_release


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("count where age < 30 and sex = F and hours < 4", TRUE_COUNTS[:2, :4, 0].sum()),
        ("count where age < 30 and job = a", TRUE_COUNTS[:2, :, :, 0].sum()),
        (
            "count where age < 30 or job = a",
            TRUE_COUNTS[:2].sum() + TRUE_COUNTS[2:, :, :, 0].sum(),
        ),
    ],
)
def test_a_bound_holds_the_truth(question: str, truth: int) -> None:
    """A count of columns that were not measured together has a proved bound, which holds the
    truth, and so has the share.

    The release measured age, hours and sex by pairs, and job by itself. The first two bins of
    ages are 20 to 29.
    """
    (conclusion,) = conclusions([question], marginals_release())
    assert conclusion.bound
    assert conclusion.low[0] <= truth <= conclusion.high[0]
    assert conclusion.sentence.startswith("A proved bound at 95 %")

    share = question.replace("count", "share")
    (share_conclusion,) = conclusions([share], marginals_release())
    assert share_conclusion.low[0] <= truth / TRUE_COUNTS.sum() <= share_conclusion.high[0]


def test_a_table_is_bounded_cell_by_cell() -> None:
    """Each cell of a table of columns measured apart has a bound that holds its true
    count.

    The model measured sex and job by themselves only. The 3 cells of sex (F, M, other) by the
    5 of job are bounded.
    """
    (conclusion,) = conclusions(["table sex by job"], marginals_release())
    truth = TRUE_COUNTS.sum(axis=(0, 1))
    for i, (sex, job) in enumerate(product(range(3), range(5))):
        assert conclusion.low[i] <= truth[sex, job] <= conclusion.high[i]


def test_what_nothing_bounds_is_refused() -> None:
    """A condition that mixes "and" and "or" over columns not measured together is refused."""
    question = "count where (age < 22 or job = a) and (hours = 0 or job = b)"
    with pytest.raises(SynthError, match=r" cannot answer .*: its columns were not measured"):
        conclusions([question], marginals_release())
