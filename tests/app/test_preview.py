"""The first rows of the table in the step Data: private, hidden by one click, or off."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.steward import (
    draft_of,
    go_to,
    plain_text,
    press,
    text_of,
    use_file,
    visit,
)
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
    """If the server turns first rows off, they are never read, and the page has no switch for
    them.
    """
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


def test_the_number_of_rows_is_shown_and_hidden_with_the_rows(table: Path) -> None:
    """The number of rows is private if a row can be added or removed, so the header never has
    it.
    """
    app = use_file(visit(), table)
    assert "**20 rows, 2 columns**" in text_of(app)
    app.toggle(key="preview_shown").set_value(False).run()
    assert "20 rows" not in text_of(app)
    assert "20 rows" not in text_of(go_to(app, "learn"))


def test_each_mark_has_its_control_and_its_undo(tmp_path: Path) -> None:
    """The controls show how the file is read; a changed one offers the way back."""
    path = tmp_path / "t.csv"
    path.write_text("name;size\n" + "a;1,5\n" * 20, encoding="utf-8")
    app = use_file(visit(), path)
    shown = {key: app.selectbox(key=f"format {key}").value for key in MARKS}
    assert shown == {"delimiter": ";", "decimal": ".", "encoding": "utf-8"}
    assert app.number_input(key="format header").value == 1
    assert not undo_keys(app)

    app.selectbox(key="format decimal").set_value(",").run()
    app.selectbox(key="format delimiter").set_value("|").run()
    assert draft_of(app).source.table.header == ("name;size",)
    assert undo_keys(app) == ["undo delimiter", "undo decimal"]

    app.button(key="undo delimiter").click().run()
    assert draft_of(app).source.table.header == ("name", "size")
    assert undo_keys(app) == ["undo decimal"]


MARKS = ("delimiter", "decimal", "encoding")


def undo_keys(app: AppTest) -> list[str]:
    """Return the keys of the buttons that undo one mark of the reading."""
    keys = [str(button.key) for button in app.button]
    return [key for key in keys if key.startswith("undo ")]


def test_a_table_without_rows_is_no_success(tmp_path: Path) -> None:
    """Names alone get a warning, and no preview; the certificate has nothing to say yet."""
    app = use_file(visit(), write(tmp_path / "names.csv", ["sex", "age"], []))
    assert not app.success
    assert not app.dataframe
    warning = " ".join(plain_text(found.value) for found in app.warning)
    assert "**names.csv** has no rows, only the names of 2 columns." in warning


def test_nothing_is_drafted_from_a_table_without_rows(tmp_path: Path) -> None:
    """Neither a paid draft nor a look is offered, and the page Domain says why."""
    app = use_file(visit(), write(tmp_path / "names.csv", ["sex", "age"], []))
    go_to(app, "domain")
    assert "The table has no rows, so there is nothing to draft from." in text_of(app)
    offers = ("Look at the data", "Draft 2")
    assert not [button for button in app.button if button.label.startswith(offers)]
    assert not app.exception


def test_names_that_look_like_values_are_answered_by_one_button(tmp_path: Path) -> None:
    """A file without a header is said to be one, and one click reads its first line as a row.

    Another click takes back that answer, with a first line that holds names.
    """
    rows = [["fm"[n % 2], str(30 + n)] for n in range(20)]
    app = use_file(visit(), write(tmp_path / "t.csv", ["f", "45"], rows))
    assert not app.success
    assert "look like those of a record" in text_of(app)

    press(app, "No line holds the column names")
    assert draft_of(app).source.table.header == ("column_1", "column_2")
    assert draft_of(app).source.rows == 21
    assert "look like those of a record" not in text_of(app)

    named = write(tmp_path / "named.csv", ["sex", "age"], rows)
    app = use_file(app, named)
    app.number_input(key="format header").set_value(0).run()
    press(app, "The first line holds the column names")
    assert draft_of(app).source.table.header == ("sex", "age")


@pytest.mark.slow
def test_bytes_that_are_no_text_are_no_lines_of_json(tmp_path: Path) -> None:
    """A file that is no table waits until it is left, and nothing is said of JSON."""
    path = tmp_path / "noise.csv"
    path.write_bytes(bytes(range(128, 256)) * 9 + b"\n\x00\x81")
    app = use_file(visit(), path)
    assert draft_of(app).source is None
    assert "JSON" not in text_of(app).replace("JSON lines", "")
    assert "**noise.csv** is not read yet" in text_of(app)
    press(app, "Leave this file")
    assert "not read yet" not in text_of(app)


def test_a_key_that_repeats_is_proposed_as_the_person(tmp_path: Path) -> None:
    """Patients have 1 to 6 rows, and one has 9. One click protects each with up to 6 rows,
    after the page has said that this leaves out 3 rows.
    """
    rows_of_each = [*(1 + n % 6 for n in range(120)), 9]
    rows = [
        [f"P{n}", str(visit)] for n, most in enumerate(rows_of_each) for visit in range(most)
    ]
    table = write(tmp_path / "visits.csv", ["patient_id", "visit"], rows)
    app = use_file(visit(), table)
    proposal = (
        "Values of 'patient_id' repeat. If they are persons, protect each of them with up to "
        "6 rows: that keeps 426 of 429 rows with a key. It leaves out 3 rows of persons who "
        "have more."
    )
    assert proposal in text_of(app)
    assert "taken from the rows" in app.button(key="take_key").help
    assert draft_of(app).person == ""
    assert "Noise is then 6 times as large" in text_of(app)

    app.button(key="take_key").click().run()
    assert draft_of(app).looked, "the certificate says so"
    assert (draft_of(app).person, draft_of(app).max_rows) == ("patient_id", 6)
    assert "repeat" not in text_of(app)


def test_a_section_has_one_private_frame(tmp_path: Path) -> None:
    """Damaged rows, first rows and marks stand below one badge; a key below its own."""
    rows = [[f"P{n}", str(visit)] for n in range(40) for visit in range(1 + n % 7)]
    table = write(tmp_path / "visits.csv", ["patient_id", "visit"], [*rows, ["P1"]])
    app = use_file(visit(), table)
    assert "another number of cells" in text_of(app)
    badges = [found.value for found in app.markdown if "Private" in str(found.value)]
    headers = [found.value for found in app.header]
    assert len(badges) == len(headers) == 2
