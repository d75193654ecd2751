"""Columns that were measured two at a time, joined by a model: near the truth, and marked."""

import numpy as np
import pytest

from synth.analysis import modelled_tables
from synth.errors import QuestionError
from tests.analysis.releases import TRUTH, model


def test_tables_keep_what_was_measured_and_vary_as_the_noise_does() -> None:
    """The correlation is .004 too near to 0, and deviates by .0043; a cell varies by 3.8
    rows.
    """
    release = model(variance=25)
    tables = list(modelled_tables(("age", "hours", "sex"), release, redrawn=40, digest="ab"))
    assert all(len(codes[0]) == TRUTH.sum() for codes in tables)
    truth = TRUTH.sum(axis=(1, 3))[:, 0]  # women by age, which was measured
    women = np.array([np.bincount(c[0][c[2] == 0], minlength=12) for c in tables])
    assert np.abs(women[0] - truth).max() < 6 * 5  # six deviations of the noise
    assert 3 < women[1:].std(axis=0).mean() < 5
    older = [float(np.corrcoef(c[0], c[1])[0, 1]) for c in tables]
    counts = TRUTH.sum(axis=(2, 3))
    age, hours = (
        np.repeat(codes, counts.reshape(-1))
        for codes in np.indices(counts.shape).reshape(2, -1)
    )
    assert abs(older[0] - np.corrcoef(age, hours)[0, 1]) < 0.05


def test_tables_of_a_sample_vary_more_than_those_of_all_rows() -> None:
    release = model(variance=1)
    spread = []
    for sampled in (False, True):
        tables = modelled_tables(
            ("age", "sex"), release, sampled=sampled, redrawn=30, digest="a"
        )
        spread.append(np.std([int((codes[1] == 0).sum()) for codes in tables]))
    assert spread[1] > 3 * spread[0]


def test_what_was_not_measured_is_refused() -> None:
    from dataclasses import replace

    release = model()
    fewer = replace(release, measured=release.measured[:2])
    with pytest.raises(QuestionError, match=r"^sex was not measured$"):
        list(modelled_tables(("age", "sex"), fewer))


def test_too_many_cells_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("synth.analysis.modelled.MAX_QUESTION_CELLS", 100)
    with pytest.raises(
        QuestionError, match=r"have 360 cells together; the limit .* is 100: name"
    ):
        list(modelled_tables(("age", "hours", "sex"), model()))
