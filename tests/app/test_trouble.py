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
    draft,
    errors,
    go,
    metrics,
    press,
    said,
    spend,
    use,
    visit,
)
from tests.app.test_ledger_page import declared, path, spent
from tests.app.test_opening import opened as with_bundle
from tests.bundle.bundles import contents, rezip

__all__ = ["path"]


def complaint(app: AppTest) -> str:
    """The one sentence of the page."""
    assert not app.exception
    (error,) = errors(app)
    return error


def test_a_ledger_of_a_newer_version(path: Path) -> None:
    spent(path)
    with sqlite3.connect(home.folder() / "ledger.db") as connection:
        connection.execute("PRAGMA user_version = 7")
    complaint_text = complaint(use(visit(), path))
    assert complaint_text.startswith(
        "The ledger 'ledger.db' was written by a newer version of Synth (form 7"
    )


def test_a_ledger_that_another_process_holds(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spent(path)
    monkeypatch.setattr(limits, "LEDGER_WAIT_SECONDS", 0.05)
    holder = sqlite3.connect(home.folder() / "ledger.db")
    holder.execute("BEGIN EXCLUSIVE")
    assert "another process has locked it" in complaint(use(visit(), path))
    holder.close()
    assert "This table was released before" in said(use(visit(), path))


def test_no_key_no_ledger(path: Path) -> None:
    spent(path)
    (home.folder() / "ledger.db.key").unlink()
    assert "The key file 'ledger.db.key' of the ledger is missing" in complaint(
        use(visit(), path)
    )


def fill(ledger: Ledger) -> None:
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
    spent(path, "0.5")
    app = declared(path)
    go(app, "plan")
    app.text_input(key="choice_epsilon").input("1").run()
    store = app.session_state["ledger"]._store
    store._rows(f"PRAGMA {pragma}")
    if "page" in pragma:
        fill(app.session_state["ledger"])
    spend(app)
    assert complaint(app) == (
        f"The ledger 'ledger.db' cannot be written, so nothing was released: {trouble}."
    )
    assert draft(app).releases == ()
    store._rows(f"PRAGMA {mended}")
    with Ledger(home.folder() / "ledger.db") as ledger:
        assert str(ledger.balance("people").spent) == "1/2"
    spend(app)
    assert "Released: 150 synthetic rows" in said(app)


def test_budgets_that_are_none(path: Path) -> None:
    app = declared(path)
    for budget, must in (("0", "be above 0"), ("-1", "be above 0"), ("", "be a number")):
        go(app, "release").text_input(key="choice_budget").input(budget).run()
        assert f"udget must {must}" in complaint(app)
        assert not [b for b in app.button if b.label.startswith("Release with")]
        go(app, "ledger").text_input(key="new_budget").input(budget).run()
        press(app, "Set the budget")
        assert f"udget must {must}" in complaint(app)


def a_byte(files: dict[str, bytes]) -> None:
    files["synthetic.csv"] = files["synthetic.csv"][:-3] + b"X\r\n"


def other_form(files: dict[str, bytes]) -> None:
    certificate = files["certificate.json"]
    files["certificate.json"] = certificate.replace(
        b"synth-certificate-", b"synth-certificate-9-"
    )


def test_a_bundle_that_was_tampered_with(path: Path) -> None:
    first, app = spent(path), visit()
    release = contents(draft(first).release.files["bundle.zip"])  # it goes with its session
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
        assert complaint(app).startswith(sentence)
        assert draft(app).releases == ()
        assert draft(app).domain is None
        assert not list(app.session_state["folder"].path.iterdir())


# Several users.


def signed_in(monkeypatch: pytest.MonkeyPatch, name: str, table: Path) -> AppTest:
    user = gates.User({"email": f"{name}@example.org", "email_verified": True})
    app = gates.visited(monkeypatch, user, "ann@example.org, bo@example.org")
    return use(app, table)


def test_two_users_of_one_table_share_its_budget_and_nothing_else(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What people in the table lose adds up whoever releases it, so a budget has one
    ledger.
    """
    ann = signed_in(monkeypatch, "ann", path)
    ann.session_state["draft"] = draft(ann).with_declaration({"fields": [FIELD]})
    spend(ann)
    assert "Released" in said(ann)

    bo = signed_in(monkeypatch, "bo", path)
    assert draft(bo).releases == ()
    go(bo, "ledger")
    assert metrics(bo) == ["3", "1", "2"]
    go(bo, "release")
    press(bo, "Get the stored release")
    assert draft(bo).release.result.repeated
