"""What is known against the packages of all locks: pip-audit, and why it does not matter
here.

    PYTHONPATH=. python tests/evidence/advisories.py
    PYTHONPATH=. python tests/evidence/advisories.py --reached

Where pip-audit or its database cannot be reached, this says so and passes; with ``--reached``
it fails. An advisory passes if it is listed in ``.ci/advisories.txt`` with a date and a
reason."""

import json
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.evidence.validators import ROOT, python_with

KNOWN = ROOT / ".ci" / "advisories.txt"
TOOL = "pip-audit >=2.9, <3"


@dataclass(frozen=True)
class Advisory:
    """Something that is known against a package.

    Attributes:
        package: Its name and version.
        names: All names of the advisory: PYSEC, CVE, GHSA.
        fixed: Versions without it.
    """

    package: str
    names: frozenset[str]
    fixed: tuple[str, ...]

    def __str__(self) -> str:
        mended = f"mended in {', '.join(self.fixed)}" if self.fixed else "not mended yet"
        return f"{self.package}: {', '.join(sorted(self.names))}, {mended}"


def list_pins(locks: Iterable[str]) -> list[str]:
    """Every package of some locks with its version, once.

    >>> list_pins(
    ...     ["numpy==2.4.6 \\\\\\n    --hash=sha256:0\\n", "numpy==2.4.6\\nduckdb==2.0.0\\n"]
    ... )
    ['duckdb==2.0.0', 'numpy==2.4.6']
    """
    pins_by_lock = (re.findall(r"^([\w.-]+==[\w.+!-]+)", lock, re.M) for lock in locks)
    return sorted({pin for lock_pins in pins_by_lock for pin in lock_pins})


def read_reasons(text: str) -> dict[str, str]:
    """Reasons by the name of an advisory, from lines of a date, a name and a reason.

    Raises:
        ValueError: A line has no date, or no reason.
    """
    known_reasons = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            match = re.fullmatch(r"(\d{4}-\d\d-\d\d) ([A-Z]+-\S+) (\S.*)", line)
            if match is None:
                message = f"This line says no date, advisory and reason: {line}"
                raise ValueError(message)
            known_reasons[match[2]] = f"{match[3]} ({match[1]})"
    return known_reasons


def read_advisories(report: Any) -> list[Advisory] | None:
    """What pip-audit reported; None if it asked no database of all packages."""
    packages = report["dependencies"]
    if not packages or any("skip_reason" in package for package in packages):
        return None
    return [
        Advisory(
            f"{package['name']} {package['version']}",
            frozenset([hole["id"], *hole.get("aliases", [])]),
            tuple(hole.get("fix_versions", [])),
        )
        for package in packages
        for hole in package["vulns"]
    ]


def judge_advisories(
    found_advisories: Iterable[Advisory], reasons: dict[str, str]
) -> tuple[list[str], bool]:
    """Lines about advisories, and whether all of them are known and none is out of date."""
    lines = []
    fine = True
    met = set[str]()
    for advisory in found_advisories:
        known_names = sorted(advisory.names & reasons.keys())
        met |= set(known_names)
        lines.append(f"{advisory}: {reasons[known_names[0]] if known_names else 'NOT KNOWN'}")
        fine &= bool(known_names)
    for name in sorted(reasons.keys() - met):
        lines.append(f"{name} is found no more: take it out of {KNOWN.name}")
        fine = False
    return lines, fine


def ask_pip_audit(python: str, wanted_pins: list[str], folder: Path) -> list[Advisory] | None:
    """What is known against these packages; None if nobody could be asked."""
    (folder / "pins.txt").write_text("\n".join(wanted_pins), encoding="utf-8")
    options = ("--disable-pip", "--no-deps", "--progress-spinner", "off", "-f", "json")
    command = [python, "-m", "pip_audit", *options, "-r", str(folder / "pins.txt")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return read_advisories(json.loads(done.stdout)) if done.stdout.startswith("{") else None


def main(options: list[str]) -> int:
    locks = (ROOT / "requirements.lock", *ROOT.glob(".ci/locks/*.lock"))
    wanted_pins = list_pins(path.read_text(encoding="utf-8") for path in locks)
    reasons = read_reasons(KNOWN.read_text(encoding="utf-8"))
    found_advisories = None
    with TemporaryDirectory() as place:
        try:
            python = python_with((TOOL,), Path(place) / "venv")
        except subprocess.CalledProcessError:
            print("pip-audit cannot be installed here.")
        else:
            reached = ask_pip_audit(python, wanted_pins[:1], Path(place)) is not None
            found_advisories = (
                ask_pip_audit(python, wanted_pins, Path(place)) if reached else None
            )
    if found_advisories is None:
        print(
            f"The database of advisories cannot be reached: {len(wanted_pins)} packages not "
            "checked."
        )
        return int("--reached" in options)
    lines, fine = judge_advisories(found_advisories, reasons)
    print(
        *lines,
        f"{len(wanted_pins)} packages checked, {len(found_advisories)} advisories.",
        sep="\n",
    )
    return int(not fine)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
