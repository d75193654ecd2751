"""How the bundles in `before-copies` were made: by this script, at commit 6dee0c8 (algorithm 4).

    HERE=$PWD/tests/golden
    git worktree add /tmp/before 6dee0c8 && cd /tmp/before
    cp $HERE/before_copies.py tests/golden
    PYTHONPATH=. python -m tests.golden.before_copies $HERE/before-copies

The table is arithmetic: four columns that are nearly the same, and two others.
"""

import csv
import json
import sys
import tempfile
from pathlib import Path

from tests.golden.before_rooms import HERE, PLACE, exchanged, script

NAMES = ("a", "b", "c", "d", "e", "f")
SCHEMA = {
    "fields": [
        {"name": name, "type": "integer", "constraints": {"minimum": 0, "maximum": 4}}
        for name in NAMES
    ]
}
REQUESTS = {"tree": ["--method", "tree"], "pairs": ["--method", "one-shot"]}
"""What was asked for, each in a dataset of its own; epsilon is 6."""


def rows() -> list[list[int]]:
    """Every fortieth row or so of each copy has another value."""
    found = []
    for i in range(800):
        told = i * 7 % 5
        copies = [(told + (i * 13 + at * 11) % 40 // 39) % 5 for at in range(4)]
        found.append([*copies, i * 3 % 11 % 5, i * 5 % 17 % 5])
    return found


def arguments(folder: Path, name: str, ledger: Path, bundle: Path) -> list[str]:
    """The command that releases the table, written into a folder with its declaration."""
    with (folder / "table.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([NAMES, *rows()])
    (folder / "domain.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
    return ["release", str(folder / "table.csv"), "--domain", str(folder / "domain.json"),
            "--epsilon", "6", "--neighbors", "add-remove", *REQUESTS[name], "--budget", "9",
            "--ledger", str(ledger), "--dataset", name, "--new-dataset",
            "--bundle", str(bundle), "--json"]  # fmt: skip


def whole(name: str, folder: Path) -> Path:
    """The bundle as it was made."""
    exchanged(HERE / "before-copies" / f"{name}.zip", folder / f"{name}.zip", PLACE, script())
    return folder / f"{name}.zip"


def make(out: Path, folder: Path) -> None:
    """All bundles and their ledger, in a folder."""
    from synth.__main__ import main

    for name in REQUESTS:
        made = folder / f"{name}.zip"
        assert main(arguments(folder, name, out / "ledger.db", made)) == 0
        exchanged(made, out / f"{name}.zip", script(), PLACE)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        make(Path(sys.argv[1]), Path(made))
