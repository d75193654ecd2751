"""Cells of conditions, and columns that were measured together."""

import numpy as np
import pytest

from synth.analysis.selection import ends_of, joint_columns, selected
from synth.errors import QuestionError
from synth.questions.language import parse
from tests.analysis.releases import DOMAIN, dense, model


def test_a_condition_that_cuts_a_bin_has_two_readings() -> None:
    found = selected(parse("count where age >= 32").where, dense())
    assert found.names == ("age",)
    assert found.cuts
    assert (found.perhaps - found.surely).nonzero()[0].tolist() == [2]
    assert not selected(parse("count where age >= 30").where, dense()).cuts


def test_columns_that_were_not_measured_together_are_refused() -> None:
    assert joint_columns(("sex", "age"), model(), 0.95, sampled=False).names == ("age", "sex")
    with pytest.raises(QuestionError, match="says nothing of age and job together"):
        joint_columns(("age", "job"), model(), 0.95, sampled=False)


def test_cells_of_numbers_have_ends() -> None:
    low, high, held = ends_of(DOMAIN, "age")
    assert held.all()
    assert (low[0], high[0], high[-1]) == (20, 24, 79)
    assert isinstance(low, np.ndarray)
