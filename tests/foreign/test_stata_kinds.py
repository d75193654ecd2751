"""Stata's missing values ``.a`` to ``.z``: a cell of their own where they are declared."""

from pathlib import Path

import pandas as pd
import pytest

import synth
from synth.domain import Domain
from synth.private.counting import fit_shares
from synth.private.table import open_table

LABELS = {1: "yes", 2: "no", "a": "refused", "b": "unknown"}


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    """A Stata file whose answers are missing for two reasons, and sometimes for none."""
    pyreadstat = pytest.importorskip("pyreadstat")
    frame = pd.DataFrame(
        {"answer": [1.0, 2.0, "a", "b", None] * 20, "hours": [1.0, "a", 3.0, 4.0, 5.0] * 20}
    )
    path = tmp_path / "survey.dta"
    pyreadstat.write_dta(
        frame,
        path,
        missing_user_values={"answer": ["a", "b"], "hours": ["a"]},
        variable_value_labels={"answer": LABELS},
    )
    return path


def test_they_are_missing_where_they_are_not_declared(survey: Path) -> None:
    """As before they count as empty cells, also where other values have a cell."""
    domain = Domain(
        answer=synth.Categorical(["1", "2"], missing=True, outside="cell"),
        hours=synth.Integer(0, 9, missing=True, outside="cell"),
    )
    shares = fit_shares(open_table(survey), domain)
    assert shares.missing == {"answer": 60, "hours": 20}
    assert shares.columns == {"answer": 100, "hours": 100}


def test_a_declared_one_has_a_cell_of_its_own(survey: Path) -> None:
    kinds = {".a": "refused", ".b": "unknown"}
    answer = synth.Categorical(["1", "2", ".a", ".b"], missing=kinds)
    shares = fit_shares(open_table(survey), Domain(answer=answer))
    assert shares.missing == {"answer": 20}
    assert shares.columns == {"answer": 100}


def test_a_look_takes_their_labels(survey: Path) -> None:
    """The labels say why a value is missing, so that each reason keeps its cell."""
    draft = synth.draft(survey)
    answer = draft.domain["answer"]
    assert answer.cells == ("1", "2", ".a", ".b", "(missing)")
    assert answer.reasons == (".a", ".b")
    assert answer.titles[2:4] == (".a · refused", ".b · unknown")
    rows = synth.release(survey, draft, epsilon=50).table["answer"]
    assert 15 <= (rows == ".a").sum() <= 25
