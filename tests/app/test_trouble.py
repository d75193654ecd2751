"""What can be wrong with a ledger, a budget or a bundle: one sentence in the app, nothing
lost.
"""

import sqlite3
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.shell import home
from synth import limits
from synth.door import Ledger
from synth.errors import LedgerError
from synth.privacy import Guarantee, Neighbors, parse_budget
from tests.app import test_gate as gates
from tests.app.steward import (
    FIELD,
    account_texts,
    draft_of,
    error_texts,
    go_to,
    press,
    release_by_plan,
    text_of,
    use_file,
    visit,
)
from tests.app.test_ledger_page import path, release_with_budget, visit_declared
from tests.app.test_opening import upload_bundle as with_bundle
from tests.bundle.bundles import read_bundle, rezip

__all__ = ["path"]


def single_error(app: AppTest) -> str:
    """The one sentence of the page."""
    assert not app.exception
    (error,) = error_texts(app)
    return error


def test_a_ledger_of_a_newer_version(path: Path) -> None:
    """A ledger of a newer version of Synth is refused with one sentence.

    The version is in `user_version` of the SQLite file; 7 is newer than any that this Synth
    knows.
    """
    release_with_budget(path)
    with sqlite3.connect(home.folder() / "ledger.db") as connection:
        connection.execute("PRAGMA user_version = 7")
    complaint_text = single_error(use_file(visit(), path))
    assert complaint_text.startswith(
        "The ledger 'ledger.db' was written by a newer version of Synth (form 7"
    )


def test_a_ledger_that_another_process_holds(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While another process locks the ledger, the app shows one sentence; afterwards it opens
    the ledger. The app waits 0.05 seconds here, so that the test is fast.
    """
    release_with_budget(path)
    monkeypatch.setattr(limits, "LEDGER_WAIT_SECONDS", 0.05)

    holder = sqlite3.connect(home.folder() / "ledger.db")
    holder.execute("BEGIN EXCLUSIVE")
    assert "another process has locked it" in single_error(use_file(visit(), path))

    holder.close()
    assert "This table was released before" in text_of(use_file(visit(), path))


def test_no_key_no_ledger(path: Path) -> None:
    """A ledger whose key file is missing is not opened, and the app says so.

    Without the key nobody could tell whether its entries were edited.
    """
    release_with_budget(path)
    (home.folder() / "ledger.db.key").unlink()
    assert "The key file 'ledger.db.key' of the ledger is missing" in single_error(
        use_file(visit(), path)
    )


def fill_file(ledger: Ledger) -> None:
    """Use up the room that is left in the file."""
    ledger.set_budget("other", parse_budget("9", Neighbors.REPLACE_ONE))
    spend = partial(
        ledger.spend,
        dataset="other",
        guarantee=Guarantee.pure(Fraction(1, 1000)),
        neighbors=Neighbors.REPLACE_ONE,
        purpose="to fill the disk",
    )
    with pytest.raises(LedgerError, match="the disk is full"):
        list(iter(spend, None))


@pytest.mark.parametrize(
    ("pragma", "mended", "trouble"),
    [
        ("max_page_count = 1", "max_page_count = 99999", "the disk is full"),
        ("query_only = 1", "query_only = 0", "the file is read-only"),
    ],
)
def test_a_ledger_that_cannot_be_written_spends_nothing(
    path: Path, pragma: str, mended: str, trouble: str
) -> None:
    """A ledger that cannot be written refuses the release, and nothing is spent; it works
    again once it can be. SQLite is told by a pragma that the file may not grow, or is read-
    only. The 0.5 of the first release stays spent.
    """
    release_with_budget(path, "0.5")
    app = visit_declared(path)
    go_to(app, "plan")
    app.text_input(key="choice_epsilon").input("1").run()

    store = app.session_state["ledger"]._store
    store._rows(f"PRAGMA {pragma}")
    if "page" in pragma:
        fill_file(app.session_state["ledger"])

    release_by_plan(app)
    assert single_error(app) == (
        f"The ledger 'ledger.db' cannot be written, so nothing was released: {trouble}."
    )
    assert draft_of(app).releases == ()

    store._rows(f"PRAGMA {mended}")
    with Ledger(home.folder() / "ledger.db") as ledger:
        assert str(ledger.balance("people").spent) == "1/2"
    release_by_plan(app)
    assert "Released: 150 synthetic rows" in text_of(app)


def test_budgets_that_are_none(path: Path) -> None:
    """An invalid budget is one sentence, in the step Release and on the page Ledger.

    No release is offered while the budget is invalid.
    """
    app = visit_declared(path)
    for budget, must in (("0", "be above 0"), ("-1", "be above 0"), ("", "be a number")):
        go_to(app, "release").text_input(key="choice_budget").input(budget).run()
        assert f"udget must {must}" in single_error(app)
        assert not [b for b in app.button if b.label.startswith("Release with")]

        go_to(app, "ledger").text_input(key="new_budget").input(budget).run()
        press(app, "Set the budget")
        assert f"udget must {must}" in single_error(app)


def a_byte(files: dict[str, bytes]) -> None:
    """Change one byte of the synthetic rows."""
    files["synthetic.csv"] = files["synthetic.csv"][:-3] + b"X\r\n"


def other_form(files: dict[str, bytes]) -> None:
    """Give the certificate a form that no version has."""
    certificate = files["certificate.json"]
    files["certificate.json"] = certificate.replace(
        b"synth-certificate-", b"synth-certificate-9-"
    )


def test_a_bundle_that_was_tampered_with(path: Path) -> None:
    """A bundle that was changed is refused with one sentence.

    It leaves no file, no release and no declaration in the session. `rezip` writes the
    changed files as a bundle.
    """
    first = release_with_budget(path)
    app = visit()
    # Read now, because the file is removed with its session.
    release = read_bundle(draft_of(first).release.files["bundle.zip"])

    # Each way to damage the bundle, and how the sentence begins.
    slips: list[tuple[Callable[[dict[str, bytes]], object], str]] = [
        (a_byte, "'synthetic.csv' does not match the certificate."),
        (lambda f: f.pop("statement.txt"), "The bundle lacks the file 'statement.txt'."),
        (
            lambda f: f.update({"../../x.py": b""}),
            "The bundle holds a name that would leave its",
        ),
        (other_form, "The certificate has the form 'synth-certificate-9-"),
    ]

    for tamper, sentence in slips:
        files = dict(release)
        tamper(files)
        with_bundle(rezip(path.with_name("t.zip"), files), app)
        assert single_error(app).startswith(sentence)
        assert draft_of(app).releases == ()
        assert draft_of(app).domain is None
        assert not list(app.session_state["folder"].path.iterdir())


# Several users.


def signed_in(monkeypatch: pytest.MonkeyPatch, name: str, table: Path) -> AppTest:
    """Return the app of a signed-in user who has chosen the table."""
    user = gates.User({"email": f"{name}@example.org", "email_verified": True})
    app = gates.visit_as(monkeypatch, user, "ann@example.org, bo@example.org")
    return use_file(app, table)


def test_two_users_of_one_table_share_its_budget_and_nothing_else(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What people in the table lose adds up whoever releases it, so a table has one budget
    for all users. Bo sees no release of Ann, but sees 1 spent of the default budget of 3. The
    same plan gives him the stored release.
    """
    ann = signed_in(monkeypatch, "ann", path)
    ann.session_state["draft"] = draft_of(ann).with_declaration({"fields": [FIELD]})
    release_by_plan(ann)
    assert "Released" in text_of(ann)

    bo = signed_in(monkeypatch, "bo", path)
    assert draft_of(bo).releases == ()
    go_to(bo, "ledger")
    assert account_texts(bo) == ["3", "1", "2"]
    go_to(bo, "release")
    press(bo, "Get the stored release")
    assert draft_of(bo).release.result.repeated
