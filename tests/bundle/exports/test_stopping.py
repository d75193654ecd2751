"""The writing of every format can be stopped, and leaves nothing behind."""

import math
from pathlib import Path

import pytest

from synth.bundle import FORMATS, FileFormat, export
from synth.bundle.exports import excel
from synth.errors import ReleaseError
from synth.util import Watch
from tests.bundle.exports.contract import table_of
from tests.tables import MIXED


class Steward:
    """Somebody who presses Stop after some questions whether to go on.

    Attributes:
        asked: How often the writer asked.
    """

    def __init__(self, patience: float) -> None:
        self.patience = patience
        self.asked = 0

    def wants_to_stop(self) -> bool:
        """Return whether to stop; each call is one question."""
        self.asked += 1
        return self.asked > self.patience

    def watch(self) -> Watch:
        """Return the watch that asks this person."""
        return Watch(
            seconds=math.inf, stopped=self.wants_to_stop, sentence=lambda: "Stopped."
        )


@pytest.mark.parametrize("kind", FORMATS.values(), ids=FORMATS)
def test_every_format_can_be_stopped_and_leaves_nothing(
    kind: FileFormat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whenever the steward stops, from the first piece to the last, neither a file nor
    a part of one is there.
    """
    monkeypatch.setattr(excel, "ROWS_BETWEEN_CHECKS", 10)
    rows = table_of(MIXED)
    before = Steward(math.inf)
    with before.watch().watch():
        asked_at_start = before.asked
        export(rows, kind, tmp_path / kind.file)
        asked_in_all = before.asked
    (tmp_path / kind.file).unlink()
    assert asked_in_all > asked_at_start

    for patience in range(asked_at_start, asked_in_all):
        steward = Steward(patience)
        with pytest.raises(ReleaseError, match="Stopped"), steward.watch().watch():
            export(rows, kind, tmp_path / kind.file)
        assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("name", ["sav", "dta", "xpt"])
def test_a_library_that_writes_at_once_is_asked_around(name: str, tmp_path: Path) -> None:
    """Stop is heard right before the library writes and right after it, with all columns in
    memory: at least one question for each of the columns, and two.
    """
    steward = Steward(math.inf)
    with steward.watch().watch():
        before = steward.asked
        export(table_of(MIXED), FORMATS[name], tmp_path / "t")
        assert steward.asked - before >= 2 + len(MIXED.names)


def test_a_long_sheet_is_asked_about_between_its_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A workbook is written row by row, and Stop need not wait for a whole piece of rows."""
    rows = table_of(MIXED)
    asked = []
    for rows_between in (rows.rows + 1, 1):
        monkeypatch.setattr(excel, "ROWS_BETWEEN_CHECKS", rows_between)
        steward = Steward(math.inf)
        with steward.watch().watch():
            export(rows, FORMATS["xlsx"], tmp_path / f"{rows_between}.xlsx")
        asked.append(steward.asked)
    assert asked[1] - asked[0] >= rows.rows
