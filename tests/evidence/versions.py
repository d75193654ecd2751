"""Every Python that is here, with the oldest and the newest versions that the ranges admit.

    PYTHONPATH=. python tests/evidence/versions.py

Each gets an environment of its own in a temporary folder, and a smoke test there: a release,
answers, a bundle that verifies, the app's first page. The oldest are what `requirements.txt`
names; what these need themselves is as new as it may be. A pair that cannot be installed is
said, and fails nothing: of old versions there are no wheels for newer Pythons."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[2]
MINORS = range(11, 16)
SMOKE = """
import pandas as pd
import synth

frame = pd.DataFrame({"age": [20, 40, 60, 80] * 250, "sex": ["f", "m"] * 500})
domain = synth.Domain(age=synth.Integer(18, 97, bins=4), sex=["f", "m"])
made = synth.release(frame, domain, epsilon="1")
made.save("made.zip")
assert len(synth.verify("made.zip").checks) >= 5
assert len(synth.open_bundle("made.zip").table) == 1000
assert len(synth.ask(frame, domain, ["mean age by sex"], epsilon="1/2").table) == 2
from streamlit.testing.v1 import AppTest
app = AppTest.from_file(APP, default_timeout=300).run()
assert not app.exception
"""


def list_pythons() -> Iterator[tuple[str, str]]:
    """Versions with their interpreters: those on the path, and pyenv's."""
    pyenv_versions = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser() / "versions"
    for minor in MINORS:
        name = f"python3.{minor}"
        candidates = [
            *pyenv_versions.glob(f"3.{minor}.*/bin/python"),
            *filter(None, [shutil.which(name)]),
        ]
        for python in map(str, candidates):
            if (
                subprocess.run(
                    [python, "-c", ""], capture_output=True, check=False
                ).returncode
                == 0
            ):
                yield f"3.{minor}", python
                break


def oldest_pins(requirements: str) -> list[str]:
    """The least version of each range.

    >>> oldest_pins("duckdb >=1.2, <3\\n# more\\npandas >=2.2, <4")
    ['duckdb==1.2', 'pandas==2.2']
    """
    bounds = re.findall(r"^([\w.-]+)(?:\[.*?\])? *>=([\w.]+)", requirements, re.M)
    return [f"{name}=={version}" for name, version in bounds]


def try_environment(python: str, wanted_pins: list[str]) -> str:
    """What comes of one environment: `passed`, or why not."""
    with TemporaryDirectory() as place:
        folder = Path(place)
        inside = Path(place) / "venv" / "bin" / "python"
        subprocess.run([python, "-m", "venv", folder / "venv"], check=True)
        install = [inside, "-m", "pip", "install", "-q", "--only-binary", ":all:"]
        done = run_command([*install, "-r", ROOT / "requirements.txt", *wanted_pins], folder)
        if done.returncode:
            return "not installed: " + _last_line(done.stderr)
        program = SMOKE.replace("APP", repr(str(ROOT / "app.py")))
        done = run_command([inside, "-W", "ignore", "-c", program], folder)
        return "passed" if not done.returncode else "failed: " + _last_line(done.stderr)


def run_command(words: list[str | Path], folder: Path) -> "subprocess.CompletedProcess[str]":
    environment = {"PYTHONPATH": str(ROOT), "SYNTH_HOME": str(folder)}
    return subprocess.run(
        words,
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip() and "WARNING" not in line]
    return lines[-1][:200] if lines else "nothing was said"


def main() -> int:
    requirements = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    bad = 0
    for version, python in list_pythons():
        for name, wanted_pins in (("oldest", oldest_pins(requirements)), ("newest", [])):
            outcome = try_environment(python, wanted_pins)
            bad += outcome.startswith("failed")
            print(f"Python {version}, {name} versions: {outcome}", flush=True)
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
