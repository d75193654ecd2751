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
    """Missing values of Stata that are not declared count as empty cells."""
    domain = Domain(
        answer=synth.Categorical(["1", "2"], missing=True, outside="cell"),
        hours=synth.Integer(0, 9, missing=True, outside="cell"),
    )
    shares = fit_shares(open_table(survey), domain)
    assert shares.missing == {"answer": 60, "hours": 20}
    assert shares.columns == {"answer": 100, "hours": 100}


def test_a_declared_one_has_a_cell_of_its_own(survey: Path) -> None:
    """A missing value of Stata, such as .a, that the declaration names has a cell of its
    own.
    """
    kinds = {".a": "refused", ".b": "unknown"}
    answer = synth.Categorical(["1", "2", ".a", ".b"], missing=kinds)
    shares = fit_shares(open_table(survey), Domain(answer=answer))
    assert shares.missing == {"answer": 20}
    assert shares.columns == {"answer": 100}


@pytest.mark.slow
def test_a_look_takes_their_labels(survey: Path) -> None:
    """The labels say why a value is missing, so that each reason keeps its cell."""
    draft = synth.draft(survey)
    answer = draft.domain["answer"]
    assert answer.cells == ("1", "2", ".a", ".b", "(missing)")
    assert answer.reasons == (".a", ".b")
    assert answer.titles[2:4] == (".a · refused", ".b · unknown")
    rows = synth.release(survey, draft, epsilon=50, ledger=False).table["answer"]
    assert 15 <= (rows == ".a").sum() <= 25


@pytest.mark.slow
def test_letters_among_numbers_are_signs_and_come_back(tmp_path: Path) -> None:
    """Numbers, letters and their labels: read, drafted, written and read again."""
    pyreadstat = pytest.importorskip("pyreadstat")
    pay = [float(number % 300) for number in range(900)] + ["a", "c", None] * 40
    path = tmp_path / "pay.dta"
    pyreadstat.write_dta(
        pd.DataFrame({"pay": pay}),
        path,
        missing_user_values={"pay": ["a", "c"]},
        variable_value_labels={"pay": {"a": "refused", "c": "unknown"}},
    )
    draft = synth.draft(path)
    column = draft.domain["pay"]
    assert column.reasons == (".a", ".c")
    assert column.titles[-3:] == (".a · refused", ".c · unknown", "(missing)")
    release = synth.release(path, draft, epsilon=50, ledger=False)
    release.save_table(tmp_path / "synthetic.dta")
    cells, header = pyreadstat.read_dta(
        tmp_path / "synthetic.dta", user_missing=True, output_format="dict"
    )
    assert header.variable_value_labels["pay"] == {"a": "refused", "c": "unknown"}
    assert 30 <= cells["pay"].count("a") <= 50
    again = synth.draft(tmp_path / "synthetic.dta").domain["pay"]
    assert again.reasons == column.reasons
    assert again.missing_meanings == column.missing_meanings
