"""A child is ended when its source falls silent, and not while it goes on."""

import os
import subprocess
import sys
from itertools import count
from pathlib import Path

import pytest

from synth.foreign import silence
from synth.foreign.silence import wait_while_heard
from tests.tables import ROOT

START = """
import pathlib, sys, time
from synth.foreign import Pulse
pulse = Pulse(pathlib.Path(sys.argv[1]))
"""


class Busy:
    """A stand-in for a child that is heard between any two looks, and ends after some."""

    def __init__(self, folder: Path, looks: int) -> None:
        self.folder, self.looks, self.killed = folder, looks, False

    def wait(self, seconds: float = 0) -> None:
        self.looks -= 1
        if self.looks > 0:
            (self.folder / "pulse").touch()
            os.utime(self.folder / "pulse", ns=(self.looks, self.looks))
            raise subprocess.TimeoutExpired("child", seconds)

    def kill(self) -> None:
        self.killed = True


def start(code: str, folder: Path) -> "subprocess.Popen[bytes]":
    """Start a process that runs the code with a `Pulse` in the folder."""
    return subprocess.Popen([sys.executable, "-c", START + code, str(folder)], cwd=ROOT)


def test_a_silent_child_is_ended(tmp_path: Path) -> None:
    """A child that gave a sign once and then none for 0.3 seconds is killed."""
    child = start("pulse.beat(); time.sleep(3600)", tmp_path)
    assert not wait_while_heard(child, tmp_path, 0.3)
    assert child.returncode < 0


def test_the_silence_begins_with_the_first_beat(tmp_path: Path) -> None:
    """Before its first sign a child may take as long as it needs to start.

    It sleeps for 1.5 seconds, gives no sign and ends by itself; the limit is 0.3 seconds.
    """
    child = start("time.sleep(1.5)", tmp_path)
    assert wait_while_heard(child, tmp_path, 0.3)
    assert child.returncode == 0


def test_a_child_that_is_heard_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A child that gives signs is not ended, however long it works.

    By the clock of this test a look comes every ten seconds, and the child gives a sign
    between any two of its 1,000 looks. The limit of silence is 25 seconds.
    """
    seconds = count(0, 10)
    monkeypatch.setattr(silence, "monotonic", lambda: next(seconds))
    child = Busy(tmp_path, looks=1_000)
    assert wait_while_heard(child, tmp_path, 25)  # type: ignore[arg-type]
    assert not child.killed
