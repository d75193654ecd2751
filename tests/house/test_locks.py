"""Dependencies: their ranges, and the locks that pin them for uv and for pip."""

import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import requires
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
UV_LOCK: dict[str, Any] = tomllib.loads((ROOT / "uv.lock").read_text(encoding="utf-8"))
EXTRAS: dict[str, list[str]] = PROJECT["project"]["optional-dependencies"]
GROUPS: dict[str, list[str]] = PROJECT["dependency-groups"]
BASE = ROOT / "requirements.lock"
# Of each lock for pip, what it must pin.
RANGES = {BASE: PROJECT["project"]["dependencies"]} | {
    ROOT / ".ci" / "locks" / f"{name}.lock": ranges
    for name, ranges in (EXTRAS | GROUPS).items()
}
PINNED = re.compile(
    r"^(?P<name>[a-z0-9-]+)==(?P<version>[^\s;]+)(?: ; [^\n]+)? \\\n"
    r"(?P<hashes>(?: {4}--hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)",
    re.M,
)
ADVICE = re.compile(r"pip install '(?P<name>[a-z-]+)<(?P<next>\d+)'")


def names_of(ranges: list[str]) -> set[str]:
    """The packages that ranges name, as locks spell them."""
    return {re.split(r"[ \[]", line)[0] for line in ranges}


def test_every_requirement_has_both_bounds() -> None:
    for line in chain.from_iterable(RANGES.values()):
        assert re.fullmatch(r"[a-z-]+(\[python\])? >=[\d.]+, <[\d.]+", line), line


def test_there_is_a_lock_for_each_group_and_extra_and_no_other() -> None:
    assert {BASE, *(ROOT / ".ci" / "locks").iterdir()} == RANGES.keys()


@pytest.mark.parametrize("lock", RANGES, ids=lambda path: str(path.stem))
def test_locks_for_pip_are_those_of_uv(lock: Path) -> None:
    """A lock for pip pins each package with the version and the hashes of uv.lock, names no
    place to get it from, and has all packages of its ranges.

    An extra needs packages that the program itself pins.
    """
    text = lock.read_text(encoding="utf-8")
    assert not re.search(r"https?://|file:|--index|--find-links|@ ", text)

    hashes_of = {
        (package["name"], package["version"]): {
            file["hash"]
            for file in [*package.get("wheels", []), package.get("sdist")]
            if file is not None
        }
        for package in UV_LOCK["package"]
        if "version" in package
    }
    pinned = [*PINNED.finditer(text)]
    assert "".join(match[0] for match in pinned) == text
    for match in pinned:
        hashes = re.findall(r"--hash=(\S+)", match["hashes"])
        assert set(hashes) == hashes_of[match["name"], match["version"]], match["name"]

    known = text if lock == BASE else text + BASE.read_text(encoding="utf-8")
    assert names_of(RANGES[lock]) <= {match["name"] for match in PINNED.finditer(known)}


def test_the_lock_of_uv_is_made_from_these_ranges() -> None:
    """uv.lock repeats the ranges that it was made from: they are those of pyproject.toml."""
    (package,) = (p for p in UV_LOCK["package"] if p["name"] == PROJECT["project"]["name"])
    metadata = package["metadata"]
    locked = [entry for entry in metadata["requires-dist"] if "marker" not in entry]
    assert compare_ranges(locked) == compact(PROJECT["project"]["dependencies"])
    for extra, ranges in EXTRAS.items():
        marker = f"extra == '{extra}'"
        locked = [e for e in metadata["requires-dist"] if e.get("marker") == marker]
        assert compare_ranges(locked) == compact(ranges)
    for group, ranges in GROUPS.items():
        assert compare_ranges(metadata["requires-dev"][group]) == compact(ranges)


def compare_ranges(entries: list[dict[str, Any]]) -> dict[str, str]:
    """The range of each package in the metadata of uv.lock."""
    return {entry["name"]: entry["specifier"] for entry in entries}


def compact(ranges: list[str]) -> dict[str, str]:
    """The range of each package, without blanks and extras: `{"numpy": ">=2.0,<3"}`."""
    parts = (re.sub(r"\[.*?\]", "", line).split(" ", 1) for line in ranges)
    return {name: bounds.replace(" ", "") for name, bounds in parts}


@pytest.mark.skipif(shutil.which("uv") is None, reason="needs uv")
def test_locks_for_pip_are_what_uv_writes(tmp_path: Path) -> None:
    """Writing the lock files for pip again by uv gives the committed files."""
    command = [sys.executable, ".ci/locks.py", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True)
    for path in (ROOT / "requirements.txt", *RANGES):
        written = tmp_path / path.relative_to(ROOT)
        assert written.read_bytes() == path.read_bytes(), path.name


def test_the_extra_for_signing_in_has_what_streamlit_asks_for() -> None:
    """The requirements for signing in are exactly those of Streamlit's own extra "auth"."""
    requirements = [
        line.lower() for line in requires("streamlit") or () if 'extra == "auth"' in line
    ]
    names = {re.split(r"[^a-z0-9-]", line)[0] for line in requirements}
    assert names == names_of(EXTRAS["auth"])


def test_messages_that_say_what_to_install_keep_to_the_ranges() -> None:
    """What a message tells to install ends before the same version as the extra's range."""
    next_versions = {
        (line.split()[0], line.rsplit("<", 1)[1]) for line in chain(*EXTRAS.values())
    }
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "synth").rglob("*.py")]
    advice = {(m["name"], m["next"]) for text in sources for m in ADVICE.finditer(text)}
    assert advice <= next_versions
    assert {"pyspark", "pyreadstat", "adbc-driver-postgresql"} == {name for name, _ in advice}
