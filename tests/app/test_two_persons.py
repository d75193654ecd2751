"""Two persons in the app: they are set, one asks, the other one approves."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.shell import home
from synth import limits
from synth.door import Ledger
from synth.privacy import Neighbors, parse_budget
from tests.app.steward import FIELD, draft_of, go_to, press, text_of, use_file, visit
from tests.ledger.two_persons import WORDS


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table of 150 people of the column sex, in a home of its own."""
    monkeypatch.setenv("SYNTH_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(limits, "SCRYPT_COST", 2**4)
    table = tmp_path / "people.csv"
    table.write_text("sex\n" + "F\nM\nM\n" * 50)
    return table


def act_as(app: AppTest, name: str) -> AppTest:
    """Say on the page Ledger who acts from now on."""
    go_to(app, "ledger")
    if any(button.label == "Let somebody else act" for button in app.button):
        press(app, "Let somebody else act")
    app.text_input(key="acting_name").input(name)
    app.text_input(key="acting_passphrase").input(WORDS[name])
    return press(app, "Say who I am")


def ask_for_release(app: AppTest) -> AppTest:
    """Press the button that spends, on the page Release."""
    go_to(app, "release")
    app.checkbox(key="agreed").check().run()
    return press(app, "Release with epsilon 1")


def test_one_asks_and_the_other_one_approves(path: Path) -> None:
    """The page Release names the request that waits, and spends after the approval."""
    app = use_file(visit(), path)
    app.session_state["draft"] = draft_of(app).with_declaration({"fields": [FIELD]})
    go_to(app.run(), "ledger")
    for number, name in (("first", "ann"), ("second", "bo")):
        app.text_input(key=f"{number}_name").input(name)
        app.text_input(key=f"{number}_passphrase").input(WORDS[name])
    press(app, "Set two persons for all datasets")
    assert "The ledger needs two persons since" in text_of(app)

    go_to(app, "plan")
    app.text_input(key="choice_epsilon").input("1").run()
    go_to(app, "release")
    assert "Say who you are on the page Ledger" in text_of(app)

    ask_for_release(act_as(app, "ann"))
    ledger = Ledger(home.folder() / "ledger.db", readonly=True)
    (request,) = ledger.persons.requests()
    assert (request.by, request.state) == ("ann", "waiting")
    assert ledger.entries() == []
    assert f"Request {request.number} waits for bo" in text_of(app)

    go_to(app, "ledger")
    assert not any("Approve" in button.label for button in app.button)
    press(app, "Let somebody else act")
    assert "synthetic table" not in text_of(app)
    act_as(app, "bo")
    assert "1-differentially private" in text_of(app)
    press(app, f"Approve request {request.number}")
    assert "No request waits." in text_of(app)

    ask_for_release(act_as(app, "ann"))
    assert "Released" in text_of(app)
    (entry,) = ledger.entries()
    assert (entry.by, entry.approved_by) == ("ann", "bo")
    assert not app.exception


def test_a_project_spends_what_is_reserved_for_it(path: Path) -> None:
    """The page Ledger reserves a part, and the page Release asks which project pays."""
    app = use_file(visit(), path)
    app.session_state["draft"] = draft_of(app).with_declaration({"fields": [FIELD]})
    ledger = Ledger(home.folder() / "ledger.db")
    ledger.set_budget("people", parse_budget("2", Neighbors.REPLACE_ONE))
    go_to(app.run(), "ledger")
    app.text_input(key="reserved_project").input("atlas")
    app.text_input(key="reserved_amount").input("1.5")
    press(app, "Reserve")
    assert "Reserved for the project 'atlas': 1.5, with 1.5 left." in text_of(app)
    go_to(app, "plan")
    app.text_input(key="choice_epsilon").input("1").run()
    ask_for_release(app)
    assert "1.5 is reserved for other projects" in text_of(app)
    go_to(app, "release")
    app.selectbox(key="paying_project").select("atlas").run()
    ask_for_release(app)
    (entry,) = ledger.entries()
    assert entry.project == "atlas"


@pytest.mark.usefixtures("path")
def test_a_wrong_passphrase_is_refused_in_a_sentence() -> None:
    app = visit()
    Ledger(home.folder() / "ledger.db").persons.require(WORDS)
    go_to(app, "ledger")
    app.text_input(key="acting_name").input("ann")
    app.text_input(key="acting_passphrase").input("some other words")
    press(app, "Say who I am")
    assert "No person of this ledger has this name and this passphrase" in text_of(app)
