"""``synth app``: which port, which place, and what Streamlit is called with."""

import shutil
import socket
from pathlib import Path

import pytest
import streamlit.web.cli

from synth.cli import app
from synth.cli.main import main
from synth.errors import ArgumentError
from tests.cli.conftest import Line

ROOT = Path(__file__).parents[2]


def test_a_clone_serves_its_own_app() -> None:
    assert app.app_script() == ROOT / "app.py"


def test_an_installed_package_serves_what_it_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "synth"
    (package / "served" / "pages").mkdir(parents=True)
    shutil.copy(ROOT / "app.py", package / "served")
    monkeypatch.setattr(app, "PACKAGE", package)
    assert app.app_script() == package / "served" / "app.py"
    shutil.rmtree(package / "served")
    with pytest.raises(ArgumentError, match=r"^This copy of Synth has no app; install it again"):
        app.app_script()


def test_a_port_in_use_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as other:
        other.bind((app.HOST, 0))
        other.listen()
        port = other.getsockname()[1]
        assert main(["app", "--port", str(port), "--headless"]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert err.startswith(f"Port {port} is in use; name another with --port, such as ")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("x", "--port must be a number such as 1, 0.1 or 1/3, but it is 'x'."),
        ("0", "--port must be between 1 and 65535, but it is 0."),
        ("99999", "--port must be between 1 and 65535, but it is 99999."),
        ("8501.5", "--port must be a whole number, such as 8501, but it is 8501.5."),
    ],
)
def test_what_is_no_port_is_said(cli: Line, text: str, sentence: str) -> None:
    assert cli("app", "--port", text) == (2, "", f"{sentence}\n")


def test_streamlit_is_called_with_the_port_and_no_question(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    called: list[tuple[str, list[str]]] = []

    def run(prog_name: str, **_options: object) -> None:
        called.append((prog_name, list(app.sys.argv)))

    monkeypatch.setattr(streamlit.web.cli, "main", run)
    monkeypatch.setattr(app, "refuse_taken", lambda _port: None)
    monkeypatch.setattr(app.sys, "argv", ["synth"])
    assert main(["app", "--port", "8765", "--headless"]) == 0
    assert called == [("streamlit", app.command_line(ROOT / "app.py", 8765, headless=True))]
    assert "--server.showEmailPrompt false" in " ".join(called[0][1])
    assert "http://127.0.0.1:8765" in capsys.readouterr().out


def test_the_largest_upload_is_what_was_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYNTH_UPLOAD_MB", "2048")
    words = app.command_line(ROOT / "app.py", 8765, headless=True)
    assert words[words.index("--server.maxUploadSize") + 1] == "2048"
