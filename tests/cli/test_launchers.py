"""Launchers: what a double click starts on each system, by the Python they were written
with.
"""

import os
import plistlib
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from synth.cli import launchers
from synth.cli.launchers import install, launcher
from synth.errors import ReleaseError

PYTHON = "/odd place/$x/python%3"
"""A path with characters that shells and desktop entries treat specially."""


def test_linux_gets_a_desktop_entry() -> None:
    """The desktop entry for Linux runs `python -m synth desktop`, even from an odd path.

    In the line Exec a backslash and a percent sign are doubled, which is undone here before
    it is split into words.
    """
    (entry,) = launcher("linux", PYTHON).files.values()
    lines = dict(line.split("=", 1) for line in entry.splitlines()[1:])
    assert (lines["Type"], lines["Terminal"]) == ("Application", "false")
    word = lines["Exec"].replace("\\\\", "\\").replace("%%", "%")
    word = word.replace("\\$", "$")  # which a shell would do, and shlex does not
    assert shlex.split(word) == [PYTHON, "-m", "synth", "desktop"]


def test_macos_gets_an_application(tmp_path: Path) -> None:
    """The application for macOS runs `python -m synth desktop`, even from an odd path.

    With `echo` in place of Python its script prints the words that Python would get.
    """
    files = launcher("darwin", PYTHON).files
    plist = plistlib.loads(files["Synth.app/Contents/Info.plist"].encode())
    script = files[f"Synth.app/Contents/MacOS/{plist['CFBundleExecutable']}"]
    assert shlex.split(script.splitlines()[1]) == ["exec", PYTHON, "-m", "synth", "desktop"]
    run = tmp_path / "run"
    run.write_text(launcher("darwin", "echo").files["Synth.app/Contents/MacOS/Synth"])
    done = subprocess.run(["sh", run], capture_output=True, text=True, check=True)
    assert done.stdout == "-m synth desktop\n"


def test_windows_gets_a_script_without_a_console(tmp_path: Path) -> None:
    """The script for Windows runs Python without a console, by pythonw.exe, if it
    is there.
    """
    python = f"{tmp_path}{os.sep}python.exe"
    assert f'"{python}" -m synth' in launcher("win32", python).files["Synth.cmd"]
    (tmp_path / "pythonw.exe").touch()
    assert (
        f'"{tmp_path}{os.sep}pythonw.exe" -m' in launcher("win32", python).files["Synth.cmd"]
    )


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_what_is_written_may_be_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform: str
) -> None:
    """On every system the written launcher is executable, and names the Python
    that wrote it.
    """
    monkeypatch.setattr(launchers.sys, "platform", platform)
    written = install(str(tmp_path))
    assert all(os.access(path, os.X_OK) for path in written)
    assert any(sys.executable in path.read_text() for path in written)


def test_a_folder_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ReleaseError, match=r"file' is no folder; name one"):
        install(str(tmp_path / "file"))
