"""How the bundles in `before-order` were made: by this script, at commit 366c9ce (algorithm 5).

    HERE=$PWD/tests/golden
    git worktree add /tmp/before 366c9ce && cd /tmp/before
    cp $HERE/before_order.py tests/golden
    PYTHONPATH=. python -m tests.golden.before_order $HERE/before-order

The table is arithmetic: ages in bins, hours and schooling that depend on them, and a sex.
"""

import csv
import json
import sys
import tempfile
from pathlib import Path

from tests.golden.before_rooms import HERE, PLACE, exchanged, script

NAMES = ("age", "hours", "school", "sex")
SCHEMA = {
    "fields": [
        {
            "name": name,
            "type": "integer",
            "constraints": {"minimum": 0, "maximum": most},
            "synth:bins": bins,
        }
        for name, most, bins in (("age", 79, 16), ("hours", 59, 12), ("school", 8, 9))
    ]
    + [{"name": "sex", "type": "string", "constraints": {"enum": ["F", "M"]}}]
}
REQUESTS = {
    "pairs": ["--method", "one-shot", "--budget", "9"],
    "predicted": ["--method", "one-shot", "--predict", "school", "--budget", "9"],
    "delta": ["--method", "adaptive", "--delta", "1e-9", "--budget", "rho=9,delta=1e-9"],
}
"""What was asked for, each in a dataset of its own; epsilon is 5."""


def rows() -> list[list[object]]:
    """Hours are fullest around forty years of age, and schooling falls off with it."""
    found: list[list[object]] = []
    for i in range(900):
        age = i * 37 % 80
        hours = max(0, min(59, 50 - abs(age - 40) + i * 11 % 17 - 8))
        school = (8 - age // 10 + i * 13 % 4) % 9
        found.append([age, hours, school, "FM"[i * 7 % 5 // 2 % 2]])
    return found


def arguments(folder: Path, name: str, ledger: Path, bundle: Path) -> list[str]:
    """The command that releases the table, written into a folder with its declaration."""
    with (folder / "table.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([NAMES, *rows()])
    (folder / "domain.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
    return ["release", str(folder / "table.csv"), "--domain", str(folder / "domain.json"),
            "--epsilon", "5", "--neighbors", "add-remove", *REQUESTS[name],
            "--ledger", str(ledger), "--dataset", name, "--new-dataset",
            "--bundle", str(bundle), "--json"]  # fmt: skip


def whole(name: str, folder: Path) -> Path:
    """The bundle as it was made."""
    exchanged(HERE / "before-order" / f"{name}.zip", folder / f"{name}.zip", PLACE, script())
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
