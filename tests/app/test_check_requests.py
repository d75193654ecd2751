"""A figure of a release is checked against the table: from the page Use to the page Ask."""

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import synth
from pages.ui.shell import home
from synth.bundle import CheckRequest, read_check_request
from synth.door import Ledger
from synth.lessons import write_example
from tests.app.steward import choose_example, draft_of, go_to, press, text_of, visit
from tests.app.test_ask_page import add_questions, buy_answers, visit_with_table
from tests.app.test_use_page import hand_in
from tests.bundle.bundles import make_bundle

QUESTION = "close to 0.2 within 0.15: share where smoker = yes"


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The simulated survey as a file that counts as real, in a home of its own."""
    monkeypatch.setenv("SYNTH_HOME", str(tmp_path / "home"))
    return write_example(tmp_path)[0].rename(tmp_path / "people.csv")


def open_request(app: AppTest, content: bytes) -> AppTest:
    """Upload the file of a request on the page Ask."""
    (uploader,) = [u for u in app.file_uploader if u.label.startswith("The file that")]
    return uploader.upload("check_request.json", content, "application/json").run()


def request_file() -> bytes:
    """The file of a request of Ada."""
    return CheckRequest.of(QUESTION, asker="Ada", release="0" * 64).to_bytes()


def test_the_page_use_makes_a_request_of_the_typed_figure(tmp_path: Path) -> None:
    """All four fields give a file, which names the bundle's certificate; a figure that no
    share can have gives a sentence instead.
    """
    bundle = make_bundle(
        tmp_path, rows=[["FM"[n % 2], "4", "1", "2024-02-03", "yes"] for n in range(200)]
    )
    app = hand_in(visit("use"), bundle.read_bytes())
    assert "Fill in all four fields" in " ".join(caption.value for caption in app.caption)
    typed = ("share where sex = F", "1.5", "0.05", "Ada")
    for key, text in zip(("question", "figure", "within", "asker"), typed, strict=True):
        app.text_input(key=f"checked_{key}").input(text).run()
    assert "from 0 to 1" in app.error[0].value

    app.text_input(key="checked_figure").input("0.5").run()
    assert not app.error
    (button,) = [b for b in app.get("download_button") if b.label == "Download the request"]
    assert button is not None
    made = synth.analyse(bundle).request(
        "close to 0.5 within 0.05: share where sex = F", asker="Ada"
    )
    assert read_check_request(made.to_bytes()) == made


def test_a_request_opens_in_ask_and_counts_as_a_check(table: Path) -> None:
    """One upload replaces the questions and fills in the asker. The page says that no number
    of checks is declared; after the page Ledger allows one, the answer comes, and the ledger
    counts it.
    """
    app = buy_answers(add_questions(visit_with_table(table), "count where age >= 65"))
    open_request(app, request_file())
    assert [str(question) for question in draft_of(app).asking.questions] == [QUESTION]
    assert "Asked by **Ada**" in text_of(app)
    assert "No number of checks is declared" in text_of(app)
    go_to(app, "ledger")
    app.text_input(key="allowed_asker").input("Ada").run()
    app.number_input(key="allowed_checks").set_value(1).run()
    press(app, "Allow these checks")
    assert "Checks by Ada: 0 of 1 used." in text_of(app).replace("\\", "")

    buy_answers(go_to(app, "ask"))
    assert not app.exception
    *_, answered = draft_of(app).answers
    assert answered.asked.answers[0].chosen == ("yes",)
    ledger = Ledger(home.folder() / "ledger.db", readonly=True)
    (allowance,) = ledger.checks("people")
    assert (allowance.asker, allowance.limit, allowance.used) == ("Ada", 1, 1)


def test_a_request_that_is_put_away_leaves_no_asker(table: Path) -> None:
    """Neither the button nor the removal of its question leaves the asker's name."""
    app = open_request(visit_with_table(table), request_file())
    press(app, "Put the request away")
    assert not draft_of(app).asking.asker

    open_request(app, request_file())
    press(app, "Remove question 1")
    assert not draft_of(app).asking.asker


def test_a_file_that_is_no_request_is_refused_in_a_sentence(table: Path) -> None:
    """A list of questions, and a request about another table, change nothing."""
    app = visit_with_table(table)
    open_request(app, json.dumps(["count"]).encode())
    assert "is no request" in app.error[0].value

    other = CheckRequest.of(
        "close to 5 within 2: count where colour = red", asker="Ada", release="0" * 64
    )
    open_request(app, other.to_bytes())
    assert "is not declared" in app.error[0].value.replace("\\", "")
    assert not draft_of(app).asking.questions


def test_a_rehearsal_counts_no_check() -> None:
    """On simulated data a request is answered without a declared number, and the real answer
    can be looked at.
    """
    app = open_request(visit("ask", choose_example()), request_file())
    assert "no check is counted" in text_of(app)
    buy_answers(app)
    assert not app.exception
    (answered,) = draft_of(app).answers
    assert answered.asked.answers[0].chosen == ("yes",)
    press(app, "Show the real answers")
    assert not app.exception
    assert app.dataframe[-1].value["real"].tolist() == ["yes"]
