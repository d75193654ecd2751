"""The window: pywebview before a browser in app mode, and that before a tab."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from synth.cli import desktop
from synth.errors import SynthError

ADDRESS = "http://127.0.0.1:1"


def test_pywebview_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """If pywebview is installed, the app opens in its window; here a fake module records the
    calls.
    """
    called: list[Any] = []
    fake = SimpleNamespace(
        create_window=lambda *args, **_: called.append(args),
        start=lambda: called.append("start"),
    )
    monkeypatch.setattr(desktop, "find_spec", lambda name: name)  # as if it were installed
    monkeypatch.setitem(sys.modules, "webview", fake)
    desktop.open_window(ADDRESS)
    assert called == [("Synth", ADDRESS), "start"]


def test_a_browser_in_app_mode_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without pywebview the app opens in a browser's app mode, and the call waits for its
    end.

    A script named chromium stands in for the browser, and writes down its first argument.
    """
    script = tmp_path / "chromium"
    script.write_text(f'#!/bin/sh\necho "$1" > "{tmp_path}/said"\n')
    script.chmod(0o755)
    monkeypatch.setattr(desktop, "find_spec", lambda _: None)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    desktop.open_window(ADDRESS)
    assert (tmp_path / "said").read_text() == f"--app={ADDRESS}\n"


def test_a_window_that_cannot_open_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a screen the browser ends with an error, and the message says what to use."""
    script = tmp_path / "chromium"
    script.write_text("#!/bin/sh\nexit 7\n")
    script.chmod(0o755)
    monkeypatch.setattr(desktop, "find_spec", lambda _: None)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    with pytest.raises(SynthError, match=r"chromium left with code 7\. .* use 'synth app'"):
        desktop.open_window(ADDRESS)


def test_else_it_is_a_tab(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without pywebview and such a browser, a tab opens, and Ctrl-C ends the program."""
    opened_urls: list[str] = []

    def stop() -> str:  # as if somebody pressed Ctrl-C at the prompt
        raise KeyboardInterrupt

    monkeypatch.setattr(desktop, "find_spec", lambda _: None)
    monkeypatch.setattr(desktop, "_browsers", lambda: iter(()))
    monkeypatch.setattr(desktop.webbrowser, "open", opened_urls.append)
    monkeypatch.setattr("builtins.input", stop)
    with pytest.raises(KeyboardInterrupt):
        desktop.open_window(ADDRESS)
    assert opened_urls == [ADDRESS]
    assert capsys.readouterr().out == f"Synth is at {ADDRESS} until you press Ctrl-C.\n"


@pytest.mark.parametrize(
    ("platform", "browser_name"), [("darwin", "Google Chrome.app"), ("win32", "msedge")]
)
def test_where_browsers_are_elsewhere(
    monkeypatch: pytest.MonkeyPatch, platform: str, browser_name: str
) -> None:
    """On macOS and Windows, browsers are also searched for in their usual folders outside of
    PATH.
    """
    monkeypatch.setattr(desktop.sys, "platform", platform)
    assert any(browser_name in str(path) for path in desktop.usual_places())


def test_a_window_goes_with_its_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the program ends while its window is open, the browser's process is ended too."""
    ended: list[str] = []

    class Window:
        def __init__(self, *_: object, **__: object) -> None:
            pass

        def wait(self) -> int:
            if not ended:  # the program ends while the window is still open
                raise SystemExit(0)
            return 0

        def terminate(self) -> None:
            ended.append("window")

    monkeypatch.setattr(
        desktop, "subprocess", SimpleNamespace(Popen=Window, DEVNULL=subprocess.DEVNULL)
    )
    with pytest.raises(SystemExit):
        desktop.run_app_mode(str(tmp_path), ADDRESS)
    assert ended == ["window"]
