"""Missing values of Stata and SAS that say why a value is missing, without a label."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pytest

import synth
from synth.private.counting import count
from synth.private.table import open_table

pyreadstat = pytest.importorskip("pyreadstat")

NOTHING = b".\0\0\0\0\0\0\0"
"""A missing number in a transport file of SAS; a letter in place of the point says why."""


def write_stata(folder: Path, answers: Sequence[float | str], days: Sequence[object]) -> Path:
    """Write two columns with letters among the numbers and among the days."""
    path = folder / "t.dta"
    pyreadstat.write_dta(
        pd.DataFrame({"answer": answers, "day": days}, dtype=object),
        str(path),
        missing_user_values={"answer": ["a", "z"], "day": ["a", "z"]},
        variable_format={"day": "%td"},
    )
    return path


def write_transport(folder: Path, letters: Sequence[str]) -> Path:
    """Write a column of numbers, of which the first are missing for the reasons given.

    No writer knows such values, so the bytes are put into the file behind it.
    """
    path = folder / "t.xpt"
    numbers = [float("nan")] * len(letters) + [float(row % 4) for row in range(200)]
    pyreadstat.write_xport(pd.DataFrame({"answer": numbers, "x": "a"}), str(path))
    head, *parts = path.read_bytes().split(NOTHING)
    assert len(parts) == len(letters)
    written = zip(letters, parts, strict=True)
    body = b"".join(letter.encode() + NOTHING[1:] + part for letter, part in written)
    path.write_bytes(head + body)
    return path


@pytest.mark.slow
def test_letters_of_stata_keep_their_reason(tmp_path: Path) -> None:
    """Each letter of ten rows or more has a cell among numbers and among days.

    The letter of a few rows is not proposed, as it would be single rows'; it is missing.
    """
    numbers: list[float | str] = [float(row % 4) for row in range(300)]
    days: list[object] = [21_915.0 + row for row in range(300)]
    letters = [*["a"] * 30, *["z"] * 9]
    path = write_stata(tmp_path, [*numbers, *letters], [*days, *letters])
    draft = synth.draft(path)
    assert draft.domain["answer"].reasons == (".a",)
    assert draft.domain["day"].reasons == (".a",)
    assert "in 'answer': .a; 'day': .a" in " ".join(draft.notes)
    assert not draft.losses

    for name in ("answer", "day"):
        column = draft.domain[name]
        counts = count(open_table(path), draft.domain.project([name])).dense()
        assert counts[column.cells.index(".a")] == 30
        assert counts[column.missing_code] == 9
        assert counts.sum() == 339


def test_letters_of_sas_keep_their_reason(tmp_path: Path) -> None:
    """A transport file has the letters A to Z and an underscore; a point says no reason."""
    path = write_transport(tmp_path, [*["A"] * 20, *["_"] * 15, *["."] * 12])
    draft = synth.draft(path)
    column = draft.domain["answer"]
    assert column.reasons == (".A", "._")
    counts = count(open_table(path), draft.domain.project(["answer"])).dense()
    by_cell = dict(zip(column.cells, counts.tolist(), strict=True))
    assert (by_cell[".A"], by_cell["._"], by_cell["(missing)"]) == (20, 15, 12)
    assert counts.sum() == 247
