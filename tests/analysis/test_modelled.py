"""Columns that were measured two at a time, joined by a model: near the truth, and marked."""

from dataclasses import replace

import numpy as np
import pytest

from synth.analysis import modelled_tables
from synth.errors import QuestionError
from tests.analysis.releases import TRUE_COUNTS, marginals_release


def test_tables_keep_what_was_measured_and_vary_as_the_noise_does() -> None:
    """Tables that a model joins have all rows and keep the measured pairs, and redrawn ones
    vary as the noise does.

    The noise of a cell has the deviation 5. After the fit, a cell of women by age varies by
    3.8 rows. The correlation of age and hours is measured .004 too near to 0, and deviates by
    .0043.
    """
    release = marginals_release(variance=25)
    tables = list(modelled_tables(("age", "hours", "sex"), release, redrawn=40, digest="ab"))
    assert all(len(codes[0]) == TRUE_COUNTS.sum() for codes in tables)

    truth = TRUE_COUNTS.sum(axis=(1, 3))[:, 0]  # women by age, which was measured
    women = np.array([np.bincount(c[0][c[2] == 0], minlength=12) for c in tables])
    assert np.abs(women[0] - truth).max() < 6 * 5  # six deviations of the noise
    assert 3 < women[1:].std(axis=0).mean() < 5  # measured 3.8

    correlation = float(np.corrcoef(tables[0][0], tables[0][1])[0, 1])
    counts = TRUE_COUNTS.sum(axis=(2, 3))
    age, hours = (
        np.repeat(codes, counts.reshape(-1))
        for codes in np.indices(counts.shape).reshape(2, -1)
    )
    assert abs(correlation - np.corrcoef(age, hours)[0, 1]) < 0.05


def test_tables_of_a_sample_vary_more_than_those_of_all_rows() -> None:
    """With `sampled` the rows are redrawn as well as the noise, so that the number of women
    varies more than three times as much.

    The noise of variance 1 is far below the sampling error of about 10,000 of 20,000
    rows, 70.
    """
    release = marginals_release(variance=1)
    spread = []
    for sampled in (False, True):
        tables = modelled_tables(
            ("age", "sex"), release, sampled=sampled, redrawn=30, digest="a"
        )
        spread.append(np.std([int((codes[1] == 0).sum()) for codes in tables]))
    assert spread[1] > 3 * spread[0]


def test_what_was_not_measured_is_refused() -> None:
    """A model cannot join a column that was not measured; the message names it."""
    release = marginals_release()
    fewer = replace(release, measured=release.measured[:2])  # age and hours alone
    with pytest.raises(QuestionError, match=r"^sex was not measured$"):
        list(modelled_tables(("age", "sex"), fewer))


def test_too_many_cells_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns with more cells together than the limit are refused, with both numbers.

    Age, hours and sex have 12 by 10 by 3 = 360 cells. The limit is lowered to 100.
    """
    monkeypatch.setattr("synth.analysis.modelled.MAX_QUESTION_CELLS", 100)
    with pytest.raises(
        QuestionError, match=r"have 360 cells together; the limit .* is 100: name"
    ):
        list(modelled_tables(("age", "hours", "sex"), marginals_release()))
