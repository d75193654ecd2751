"""The first rows of the table in the step Data: private, hidden by one click, or off."""

from pathlib import Path

import pytest

from tests.app.steward import draft_of, go_to, use_file, visit
from tests.tables import write


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table of twenty rows whose first line holds names."""
    rows = [[str(30 + number), "fm"[number % 2]] for number in range(20)]
    return write(tmp_path / "people.csv", ["age", "sex"], rows)


def test_the_first_rows_show_how_the_file_was_read(table: Path) -> None:
    """Eight rows are shown under the names of the columns, below the badge Private."""
    app = use_file(visit(), table)

    (shown,) = [frame.value for frame in app.dataframe]
    assert [*shown.columns] == ["age", "sex"]
    assert [*shown["age"]] == [str(30 + number) for number in range(8)]
    assert "The first 8 rows." in " ".join(caption.value for caption in app.caption)


def test_one_click_hides_them_until_they_are_wanted_again(table: Path) -> None:
    """Hidden rows stay hidden after another page was open."""
    app = use_file(visit(), table)
    app.toggle(key="preview_shown").set_value(False).run()
    assert not app.dataframe

    go_to(app, "domain")
    go_to(app, "data")
    assert not app.dataframe
    app.toggle(key="preview_shown").set_value(True).run()
    assert len(app.dataframe) == 1


def test_a_server_can_turn_them_off(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then they are never read, and the page has no switch for them."""
    monkeypatch.setenv("SYNTH_PREVIEW", "off")
    app = use_file(visit(), table)

    assert draft_of(app).source.first_rows == ()
    assert not app.dataframe
    assert not [toggle for toggle in app.toggle if toggle.key == "preview_shown"]


def test_rows_are_in_no_printed_source(table: Path) -> None:
    """What is logged or printed of a session holds no cell."""
    source = draft_of(use_file(visit(), table)).source
    assert source.first_rows
    assert "'31'" not in repr(source)
