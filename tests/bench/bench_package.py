"""From an empty folder to an app that answers: seconds, and the size of what is installed.

    PYTHONPATH=. python tests/bench/bench_package.py [--offline]

It needs what `make offline` left in dist/. With ``--offline`` the network is off (Linux, as root).
"""

import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import mkdtemp

from tests import patience
from tests.e2e.browser import await_server

ROOT = Path(__file__).parents[2]
OFFLINE = ROOT / "dist" / "offline"
WITHOUT_NETWORK = ["unshare", "--net", "--"]


def install(folder: Path, offline: bool) -> None:
    """Set Synth up as a person would."""
    if offline:
        script = [sys.executable, OFFLINE / "install.py", folder]
        subprocess.run([*WITHOUT_NETWORK, *script], check=True)
        return
    (wheel,) = (ROOT / "dist").glob("*.whl")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    subprocess.run([folder / "bin" / "pip", "install", "-q", wheel], check=True)


def megabytes(folder: Path) -> float:
    """What it takes on the disk, in 1e6 bytes."""
    told = subprocess.run(["du", "-s", "-B1", folder], capture_output=True, text=True, check=True)
    return int(told.stdout.split()[0]) / 1e6


def main() -> None:
    if not OFFLINE.is_dir():
        print("There is nothing in dist/ to install; run `make offline` first.")
        return
    offline = "--offline" in sys.argv
    folder = Path(mkdtemp(dir="/tmp", prefix="synth-package-"))
    before, processors = time.monotonic(), os.times()
    install(folder / "venv", offline)
    with patience.port() as port, (folder / "log").open("wb") as log:
        command = [folder / "venv" / "bin" / "synth", "app", "--headless", "--port", str(port)]
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=subprocess.STDOUT)
        try:
            await_server(f"http://127.0.0.1:{port}", process)
            seconds = time.monotonic() - before
        finally:
            process.terminate()
            process.wait()
    now = os.times()
    spent = sum(now[:4]) - sum(processors[:4])
    size = megabytes(folder / "venv")
    how = "offline folder, network off" if offline else "wheel, index with a warm cache"
    print(f"{how}: {seconds:.0f} s ({spent:.0f} CPU s) to an app that answers, {size:.0f} MB")


if __name__ == "__main__":
    main()
