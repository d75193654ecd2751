"""The folder for lasting files: the ledger, projects, and the lock of the window."""

import os
import sys
from pathlib import Path


def home_folder() -> Path:
    """Return the folder of ``SYNTH_HOME``, by default the platform's folder for user data."""
    return Path(os.environ.get("SYNTH_HOME") or _usual()).expanduser()


def _usual() -> str:
    """Return the folder for user data that is usual on this platform, "~" not expanded."""
    if sys.platform == "win32":
        return os.environ.get("LOCALAPPDATA", "~") + "/Synth"
    if sys.platform == "darwin":
        return "~/Library/Application Support/Synth"
    return os.environ.get("XDG_DATA_HOME", "~/.local/share") + "/synth"
