"""Scripts in processes of their own."""

import os
import subprocess
import sys
from pathlib import Path

from tests.tables import ROOT


def run(
    code: str, *words: object, folder: Path = ROOT, **environment: str
) -> subprocess.CompletedProcess[str]:
    """What came of a script: its status and all that it printed."""
    command = [sys.executable, "-W", "ignore", "-c", code, *map(str, words)]
    variables = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=folder, env=variables
    )


def is_alive(process: int) -> bool:
    """Whether it is there, and no mere entry of a dead one."""
    try:
        os.kill(process, 0)
        stat = Path(f"/proc/{process}/stat")
        return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False
