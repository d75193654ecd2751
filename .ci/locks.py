"""Write what pip installs by: requirements.txt from pyproject.toml, its locks from uv.lock.

    python .ci/locks.py [FOLDER]

`make lock` calls it after uv has renewed uv.lock. A lock of the tests or of an extra holds
what they need on top of requirements.lock; those of other environments stand alone. FOLDER
gets the files in place of this repository."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BASE = "requirements.lock"
# Groups that have an environment of their own, without Synth's dependencies.
ALONE = ("build", "docs", "workflows")
EXPORT = [
    *("uv", "export", "--quiet", "--locked", "--no-default-groups", "--no-emit-project"),
    *("--format", "requirements-txt", "--no-header", "--no-annotate"),
]
HEADING = "# Ranges of pyproject.toml, for pip; exact versions are in requirements.lock.\n"
# A pinned package: its line, and its lines of hashes.
PINNED = re.compile(r"^[a-z0-9].*\n(?:    --hash=.*\n)+", re.M)


def locks() -> dict[str, list[str]]:
    """Return the path of each lock for pip, with the words by which uv exports it."""
    content = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    groups = {
        name: ["--only-group" if name in ALONE else "--group", name]
        for name in content["dependency-groups"]
    }
    extras = {name: ["--extra", name] for name in content["project"]["optional-dependencies"]}
    return {f".ci/locks/{name}.lock": words for name, words in (groups | extras).items()}


def export(words: list[str]) -> list[str]:
    """Return the pinned packages, each with its hashes, of an export by these words."""
    done = subprocess.run(
        [*EXPORT, *words], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True
    )
    return PINNED.findall(done.stdout)


def write(folder: Path) -> None:
    """Write requirements.txt and all locks for pip into a folder."""
    content = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    ranges = "".join(f"{line}\n" for line in content["project"]["dependencies"])
    (folder / "requirements.txt").write_text(HEADING + ranges, encoding="utf-8")

    base = export([])
    (folder / BASE).write_text("".join(base), encoding="utf-8")
    for path, words in locks().items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        packages = export(words)
        if Path(path).stem not in ALONE:
            packages = [package for package in packages if package not in base]
        (folder / path).write_text("".join(packages), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT)
