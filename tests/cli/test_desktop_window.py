"""The window: pywebview before a browser in app mode, and that before a tab."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from synth.cli import desktop

ADDRESS = "http://127.0.0.1:1"


def test_pywebview_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[Any] = []
    fake = SimpleNamespace(
        create_window=lambda *args, **_: called.append(args),
        start=lambda: called.append("start"),
    )
    monkeypatch.setattr(desktop, "find_spec", lambda name: name)
    monkeypatch.setitem(sys.modules, "webview", fake)
    desktop.open_window(ADDRESS)
    assert called == [("Synth", ADDRESS), "start"]


def test_a_browser_in_app_mode_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "chromium"
    script.write_text(f'#!/bin/sh\necho "$1" > "{tmp_path}/said"\n')
    script.chmod(0o755)
    monkeypatch.setattr(desktop, "find_spec", lambda _: None)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    desktop.open_window(ADDRESS)
    assert (tmp_path / "said").read_text() == f"--app={ADDRESS}\n"


def test_else_it_is_a_tab(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened_urls: list[str] = []

    def stop() -> str:
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
    monkeypatch.setattr(desktop.sys, "platform", platform)
    assert any(browser_name in str(path) for path in desktop.usual_places())


def test_a_window_goes_with_its_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[str] = []

    class Window:
        def __init__(self, *_: object, **__: object) -> None:
            pass

        def wait(self) -> None:
            if not ended:
                raise SystemExit(0)

        def terminate(self) -> None:
            ended.append("window")

    monkeypatch.setattr(
        desktop, "subprocess", SimpleNamespace(Popen=Window, DEVNULL=subprocess.DEVNULL)
    )
    with pytest.raises(SystemExit):
        desktop.run_app_mode(str(tmp_path), ADDRESS)
    assert ended == ["window"]
