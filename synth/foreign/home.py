"""Where Synth keeps what outlives a program: the ledger, projects, and that a window is open."""

import os
import sys
from pathlib import Path


def home_folder() -> Path:
    """The folder of ``SYNTH_HOME``, by default the platform's for a user's data; made or not."""
    return Path(os.environ.get("SYNTH_HOME") or _usual()).expanduser()


def _usual() -> str:
    """Where programs keep a user's data on this platform."""
    if sys.platform == "win32":
        return os.environ.get("LOCALAPPDATA", "~") + "/Synth"
    if sys.platform == "darwin":
        return "~/Library/Application Support/Synth"
    return os.environ.get("XDG_DATA_HOME", "~/.local/share") + "/synth"
