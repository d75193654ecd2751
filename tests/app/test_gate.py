"""Sign-in: off by default, and where it is on it lets in who is listed, and nobody else."""

import json
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from pages.ui.shell import gate as gates
from pages.ui.shell import home, sign_ins
from tests.app.steward import text_of, visit
from tests.tables import ROOT

AUTH = {
    "redirect_uri": "http://localhost:8501/oauth2callback",
    "cookie_secret": "a test's own",
    "client_id": "synth",
    "client_secret": "none",
    "server_metadata_url": "https://example.org/.well-known/openid-configuration",
}


class User(dict[str, Any]):
    """What Streamlit says of a visitor."""

    is_logged_in = True


def visit_as(monkeypatch: pytest.MonkeyPatch, user: User, admitted_people: str) -> AppTest:
    """Open the app with sign-in turned on, as this user, where these people are admitted."""
    monkeypatch.setenv("SYNTH_USERS", admitted_people)
    monkeypatch.setattr(st, "user", user)
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=240)
    app.secrets["auth"] = AUTH
    return app.run()


def is_let_in(app: AppTest) -> bool:
    """Return whether the app shows its first step, which has an upload."""
    assert not app.exception
    return bool(app.get("file_uploader"))


def test_without_sign_in_the_app_is_open_on_this_machine() -> None:
    assert is_let_in(visit())


def test_a_visitor_must_sign_in_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where sign-in is on, a visitor who has not signed in sees only the button for it."""
    nobody = User()
    nobody.is_logged_in = False
    app = visit_as(monkeypatch, nobody, "ann@example.org")
    assert not is_let_in(app)
    assert [button.label for button in app.button] == ["Sign in"]


@pytest.mark.parametrize(
    ("user", "admitted_people"),
    [
        ({"email": "eve@example.org", "email_verified": True}, "ann@example.org"),
        ({"email": "ann@example.org", "email_verified": False}, "ann@example.org"),
        ({"email": "ann@example.org"}, "ann@example.org"),
        ({"email": "ann@example.org", "email_verified": True}, ""),
        ({"email_verified": True}, "ann@example.org"),
    ],
)
def test_strangers_are_refused(
    monkeypatch: pytest.MonkeyPatch, user: dict[str, Any], admitted_people: str
) -> None:
    """Only a listed and verified address is let in.

    The cases: another address, an unverified one, one without a word about that, an empty
    list, no address.
    """
    app = visit_as(monkeypatch, User(user), admitted_people)
    assert not is_let_in(app)
    assert "is not on the list of this server's users" in text_of(app)


def test_who_is_listed_comes_in(monkeypatch: pytest.MonkeyPatch) -> None:
    ann = User({"email": "Ann@example.org", "email_verified": True})
    assert is_let_in(visit_as(monkeypatch, ann, "bo@example.org, ann@example.org"))


def test_sign_ins_are_in_a_log_of_their_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Repeated refusals of one person are one line; the log is private, and starts anew when
    it is full. A full log is renamed. The limit of 10 bytes makes it full at once.
    """
    monkeypatch.setenv("SYNTH_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(sign_ins, "_LOGGED", {})
    for admitted in (False, False, True):
        sign_ins.note_sign_in("ann@example.org", admitted=admitted)

    path = tmp_path / "home" / sign_ins.FILE
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [(entry["by"], entry["admitted"]) for entry in lines] == [
        ("ann@example.org", False),
        ("ann@example.org", True),
    ]
    assert path.stat().st_mode & 0o777 == 0o600

    monkeypatch.setattr(sign_ins, "MOST_BYTES", 10)
    sign_ins.note_sign_in(None, admitted=False)
    assert len(path.read_text(encoding="utf-8").splitlines()) == 1
    assert path.with_name(f"{sign_ins.FILE}.1").exists()


def test_the_gate_writes_a_sign_in_down(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A refused sign-in to the app is in the log, with the address and the refusal.

    `_LOGGED` holds who was logged lately, so it is emptied first.
    """
    monkeypatch.setenv("SYNTH_HOME", str(tmp_path))
    monkeypatch.setattr(sign_ins, "_LOGGED", {})
    visit_as(monkeypatch, User({"email": "eve@example.org", "email_verified": True}), "")
    assert '"by": "eve@example.org", "admitted": false' in (
        (tmp_path / sign_ins.FILE).read_text(encoding="utf-8")
    )


def test_a_list_is_read_as_whole_addresses() -> None:
    assert not gates.is_admitted("nn@example.org", "ann@example.org")
    assert not gates.is_admitted("", " , ")


def test_the_ledger_notes_who_spends(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A spend in the app is recorded with the address of the signed-in user.

    Without sign-in there is no such address.
    """
    monkeypatch.setenv("SYNTH_HOME", str(tmp_path))
    assert gates.signed_in() == ""

    monkeypatch.setattr(gates, "_is_configured", lambda: True)
    monkeypatch.setattr(
        st, "user", User({"email": "ann@example.org", "email_verified": True})
    )

    app = AppTest.from_function(_spend_a_half, default_timeout=240).run()
    assert not app.exception
    assert [entry.by for entry in home.open_ledger().entries()] == ["ann@example.org"]


def _spend_a_half() -> None:
    from fractions import Fraction

    from pages.ui.shell import budgets
    from synth.privacy import Guarantee, Neighbors, parse_budget

    relation = Neighbors.REPLACE_ONE
    budgets.ledger().set_budget("survey", parse_budget("1", relation))
    half = Guarantee.pure(Fraction(1, 2))
    budgets.ledger().spend(
        dataset="survey", guarantee=half, neighbors=relation, purpose="a test"
    )
