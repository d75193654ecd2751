"""The table of columns in the step Domain: its rows, ticks and cards, and what waits."""

import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.domain import columns
from pages.ui.domain.foot import ASKING
from pages.ui.shell import state
from pages.ui.shell.draft import Draft
from synth.bundle.declaration import FITS_BY_ORIGIN
from synth.domain import DECLARED, LOOKED_UP
from tests.app.steward import (
    draft_of,
    go_to,
    press,
    release_by_plan,
    rows_of,
    text_of,
    use_file,
    visit,
)

# Of 110 rows ten have a town and a job of their own.
TOWNS = [f"{'ab'[i % 2]},{'cd'[i % 2]},{20 + i % 50},f" for i in range(100)] + [
    f"town {i},job {i},33,m" for i in range(10)
]


@pytest.fixture
def towns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The page after a look at a table: town and job wait, age and sex go on."""
    monkeypatch.setenv("SYNTH_HOME", str(tmp_path / "home"))
    table = tmp_path / "towns.csv"
    table.write_text("town,job,age,sex\n" + "\n".join(TOWNS) + "\n")
    return press(go_to(use_file(visit(), table), "domain"), "Look at the data for 4 columns")


def test_each_column_is_described_in_words_with_an_example_and_bars(towns: AppTest) -> None:
    """What needs a decision comes first; the bars of a column have all its described rows."""
    rows = rows_of(towns)
    assert [*rows] == ["town", "job", "age", "sex"]
    assert [row["status"] for row in rows.values()] == ["decide", "decide", "clear", "clear"]
    assert [row["on"] for row in rows.values()] == [False, False, True, True]
    town = "12 values: 2 listed, 10 become (other), 9.1 % of the rows"
    assert (rows["town"]["values"], rows["town"]["bars"]) == (town, [50, 50])
    assert rows["sex"]["values"] == "2 values: f, m"
    assert (rows["sex"]["example"], rows["sex"]["bars"]) == ("f", [100, 10])
    age = "15 to 70, 20 bins; a cell of their own for 33"
    assert rows["age"]["values"] == age
    assert sum(rows["age"]["bars"]) == 110
    # One frame for the columns, and one for their size.
    assert text_of(towns).count("Private - do not share") == 2


def test_before_a_look_nothing_of_the_rows_is_in_the_table(tmp_path: Path) -> None:
    """A column without a description says so; there are no examples, bars or numbers."""
    table = tmp_path / "towns.csv"
    table.write_text("town,job,age,sex\n" + "\n".join(TOWNS) + "\n")
    app = go_to(use_file(visit(), table), "domain")
    rows = rows_of(app)
    assert {(row["status"], row["example"], len(row["bars"])) for row in rows.values()} == {
        ("blank", "", 0)
    }
    assert text_of(app).count("4 columns, none described yet.") == 1
    # So few rows make a paid draft poor: the look is the way to recommend.
    assert "Private draft, with a guarantee" in [panel.label for panel in app.expander]
    schema = {"fields": [{"name": "sex", "constraints": {"enum": ["f", "m"]}}]}
    app.session_state["draft"] = draft_of(app).with_declaration(json.dumps(schema).encode())
    app.run()
    assert rows_of(app)["sex"]["values"] == "2 values: f, m"
    assert "rows in all columns" not in text_of(app)
    assert "Private - do not share" not in text_of(app)


@pytest.mark.slow
def test_more_columns_than_a_browser_can_show_are_cut(tmp_path: Path) -> None:
    """Of 5,001 columns that a description names, the first 1,000 are rows of the table."""
    table = tmp_path / "towns.csv"
    table.write_text("sex\nf\nm\n")
    app = go_to(use_file(visit(), table), "domain")
    fields = [{"name": name} for name in ("sex", *(f"c{number}" for number in range(5_000)))]
    schema = {"fields": fields}
    app.session_state["draft"] = draft_of(app).with_declaration(json.dumps(schema).encode())
    app.run()
    assert len(rows_of(app)) == columns.MAX_ROWS == 1_000
    assert "These are the first 1,000 of 5,001 columns." in text_of(app)


def test_all_values_with_a_cell_of_their_own_are_named(tmp_path: Path) -> None:
    """The row and the card name the codes -9 and 0, and the sign <5."""
    table = tmp_path / "pay.csv"
    values = [*["-9"] * 20, *["0"] * 400, *["<5"] * 20]
    values += [str(100 + 7 * i % 900) for i in range(800)]
    table.write_text("pay,sex\n" + "\n".join(f"{value},f" for value in values) + "\n")
    app = go_to(use_file(visit(), table), "domain")
    press(app, "Look at the data for 2 columns")
    assert rows_of(app)["pay"]["values"].endswith("a cell of their own for -9 | 0 | <5")
    assert "With a cell of their own: -9, 0, <5." in text_of(app)
    assert "with a cell for each of -9, 0, <5" in text_of(app)


def test_a_remark_on_persons_names_the_page_and_no_command(tmp_path: Path) -> None:
    """A remark on persons goes away once the user chooses the column that names the
    person.
    """
    table = tmp_path / "visits.csv"
    rows = [f"P{n % 150:05},{'fm'[n % 2]}" for n in range(400)]
    table.write_text("pid,sex\n" + "\n".join(rows) + "\n")
    app = press(go_to(use_file(visit(), table), "domain"), "Look at the data for 2 columns")
    said = text_of(app)
    assert "Choose so under Whose row is it? on the page Data." in said
    assert "--person" not in said
    assert "a text of its own.;" not in said

    app.session_state["draft"] = draft_of(app).change(person="pid", max_rows=3)
    assert "Whose row is it?" not in text_of(app.run())


class Browser:
    """A browser that reports one event of the table; the draft is kept here."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, draft: Draft) -> None:
        self.draft = draft
        self.events: dict[str, Any] = {}
        monkeypatch.setattr(state, "draft", lambda: self.draft)
        monkeypatch.setattr(state, "put", self.put)
        monkeypatch.setattr(state, "change", lambda **c: self.put(self.draft.change(**c)))
        monkeypatch.setattr(state, "advance", lambda _name: None)
        monkeypatch.setattr(state, "read_value", lambda _key: type("Event", (), self.events))

    def put(self, draft: Draft) -> None:
        self.draft = draft


def test_a_tick_takes_in_and_leaves_out(
    towns: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tick at a column that waits is the answer; what is lost is agreed to each time.

    The table runs in a browser, so what it reports is set here. Names that it makes up, and
    reports of another form, change nothing.
    """
    browser = Browser(monkeypatch, draft_of(towns))
    for on, agreed in ((True, True), (False, False), (True, True)):
        browser.events = {"ticked": {"name": "town", "on": on}}
        columns.take_tick()
        assert ("town" in browser.draft.chosen_names) is on
        assert ("town" in browser.draft.decisions.agreed) is agreed
        assert ("town" in browser.draft.decisions.left_out) is not on
    before = browser.draft
    for strange in (None, "town", {"name": "city", "on": True}, {}):
        browser.events = {"ticked": strange}
        columns.take_tick()
    assert browser.draft is before


def test_a_row_opens_its_card(towns: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row of the table opens the card of its column, and nothing else does."""
    browser = Browser(monkeypatch, draft_of(towns))
    for event, is_open in (("sex", "sex"), ("city", "sex"), (None, "sex"), ("job", "job")):
        browser.events = {"opened": event}
        columns.take_opened()
        assert browser.draft.open_column == is_open


def test_the_step_after_it_asks_if_something_waits(towns: AppTest) -> None:
    """Nothing leaves in silence: the button to the plan asks about town and job by name."""
    press(towns, "Next: Plan")
    assert "2. Domain" in [title.value for title in towns.title]
    assert "2 columns would stay out of the synthetic table" in text_of(towns)

    press(towns, "Take in town and job and go on")
    assert not towns.exception
    assert "3. Plan" in [title.value for title in towns.title]
    assert draft_of(towns).domain.names == ("town", "job", "age", "sex")
    assert {*draft_of(towns).domain.decisions.agreed} == {"town", "job"}


@pytest.mark.slow
def test_what_waits_can_be_left_out_or_looked_at_first(towns: AppTest) -> None:
    """The question is left for the first column, asked again, and answered."""
    press(towns, "Next: Plan")
    press(towns, "Look at town")
    assert not towns.session_state[ASKING]
    assert towns.selectbox(key="open_column").value == "town"

    press(towns, "Next: Plan")
    press(towns, "Leave out town and job and go on")
    assert "3. Plan" in [title.value for title in towns.title]
    assert {*draft_of(towns).domain.decisions.left_out} == {"town", "job"}

    press(go_to(towns, "domain"), "Next: Plan")
    assert "3. Plan" in [title.value for title in towns.title]


@pytest.mark.slow
def test_a_drafted_table_counts_as_checked(towns: AppTest) -> None:
    """Domain shows exact numbers of rows that fit, and no later page says "not checked".

    After a change the numbers are counted again by a press, which the certificate tells.
    """
    assert "The description fits 110 of 110 rows in all columns" in text_of(towns)
    press(towns, "Take in town and job")
    assert "The description has changed since the rows were counted." in text_of(towns)
    assert draft_of(towns).domain.origin == LOOKED_UP

    release_by_plan(towns)
    released = draft_of(towns).release
    assert released is not None
    assert FITS_BY_ORIGIN[LOOKED_UP] in released.result.certificate.rows_fit
    for step in ("release", "compare", "download"):
        assert "did not check" not in text_of(go_to(towns, step))
        assert "have not checked" not in text_of(towns)
    certificate = released.files["certificate.json"].read_text()
    assert FITS_BY_ORIGIN[DECLARED] not in certificate

    press(go_to(towns, "domain"), "Count rows again")
    assert draft_of(towns).looked
    assert "The description fits 100 of 110 rows in all columns" in text_of(towns)
