"""How the bundles in `before-favour` were made: by this script, at commit bf5c844 (algorithm 2).

    HERE=$PWD/tests/golden
    git worktree add /tmp/before bf5c844 && cd /tmp/before
    cp $HERE/before_favour.py $HERE/kept.py tests/golden
    PYTHONPATH=. python -m tests.golden.before_favour $HERE/before-favour

The table, its declaration and what is left out of the reports are those of `before_rooms`.
"""

import csv
import sys
from functools import partial
from pathlib import Path

from tests.golden import before_rooms, kept
from tests.golden.before_rooms import HEADER, rows
from tests.golden.kept import make

REQUESTS = ("pairs", "guess")
"""What was asked for, each in a dataset of its own; epsilon is 4, with a delta."""


def public_table(folder: Path) -> Path:
    """Every other family, as last year's table."""
    with (folder / "public.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([HEADER, *rows()[::2]])
    return folder / "public.csv"


def arguments(folder: Path, name: str, ledger: Path, bundle: Path) -> list[str]:
    """The command that releases the table, as `before_rooms.arguments`."""
    asked = before_rooms.arguments(folder, "histogram", ledger, bundle)
    asked[asked.index("--epsilon") + 1] = "4"
    asked[asked.index("--dataset") + 1] = name
    at = asked.index("--method")
    asked[at : at + 4] = ["--method", "one-shot", "--neighbors", "add-remove", "--delta", "1e-9",
                          "--budget", "rho=9,delta=1e-9"]  # fmt: skip
    if name == "guess":
        asked += ["--public", str(public_table(folder)), "--vouched-by", "The archive"]
    return asked


whole = partial(kept.whole, "before-favour")

if __name__ == "__main__":
    make(sys.argv[1], REQUESTS, arguments)
