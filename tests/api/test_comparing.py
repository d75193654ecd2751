"""``synth.compare``: private, and the same numbers as the command line's."""

from pathlib import Path

import pandas as pd
import pytest

import synth
from tests.api.people import DOMAIN, FRAME


def test_a_frame_and_its_file_are_compared_alike(tmp_path: Path) -> None:
    """A table in memory and its file have the same errors, and what is shown says PRIVATE.

    Synthetic rows without their release are refused.
    """
    FRAME.to_csv(tmp_path / "t.csv", index=False)
    release = synth.release(FRAME, DOMAIN, epsilon=1)
    path = release.save(tmp_path / "r.zip")

    comparison = synth.compare(FRAME, release)
    from_file = synth.compare(tmp_path / "t.csv", path)
    pd.testing.assert_frame_equal(
        comparison.table[["columns", "error"]], from_file.table[["columns", "error"]]
    )
    assert repr(comparison).startswith("ReleaseComparison(PRIVATE - do not share: columns 0.")
    shown = comparison._repr_html_()
    assert shown.startswith("<p><b>PRIVATE - do not share.</b> Single columns: ")
    assert shown.count('role="img"') == len(FRAME.columns)

    with pytest.raises(
        synth.SynthError, match=r"^compare needs the table and its release: the"
    ):
        synth.compare(FRAME, release.table)  # type: ignore[arg-type]


def test_a_comparison_counts_each_value_and_those_that_no_real_row_has() -> None:
    """Half of the real rows are aged 20 and half 80; their two bins come out right.

    Within its bin of 40 years an age is any with equal probability, so nearly all synthetic
    rows have an age that no real row has: by value the column is as far off as in no
    bin.
    """
    people = pd.DataFrame({"age": [20, 80] * 500})
    release = synth.release(
        people, synth.Domain(age=synth.Integer(18, 97, bins=2)), epsilon=9
    )
    comparison = synth.compare(people, release)
    (age,) = comparison.by_value.to_dict("records")
    assert age["error in cells"] == comparison.columns_in_cells < 0.02
    assert age["error"] == comparison.columns > 0.9
    ages = release.table["age"]
    assert (
        age["new values"]
        == (~ages.isin([20, 80])).sum()
        == round(1000 * age["share of rows"])
    )
    assert comparison.verdict.sentence == (
        "Single columns: poor. New values: many, in 1 column."
    )
