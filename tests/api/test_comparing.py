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
    assert comparison._repr_html_().startswith("<p><b>PRIVATE - do not share.</b></p>")

    with pytest.raises(
        synth.SynthError, match=r"^compare needs the table and its release: the"
    ):
        synth.compare(FRAME, release.table)  # type: ignore[arg-type]
