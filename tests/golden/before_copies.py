"""How the bundles in `before-copies` were made: by this script, at commit 6dee0c8 (algorithm 4).

    HERE=$PWD/tests/golden
    git worktree add /tmp/before 6dee0c8 && cd /tmp/before
    cp $HERE/before_copies.py $HERE/kept.py tests/golden
    PYTHONPATH=. python -m tests.golden.before_copies $HERE/before-copies

The table is arithmetic: four columns that are nearly the same, and two others.
"""

import sys
from functools import partial
from pathlib import Path

from tests.golden import kept
from tests.golden.kept import make

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
    start = kept.asked(folder, [*NAMES], rows(), SCHEMA)
    words = ["--epsilon", "6", "--neighbors", "add-remove", *REQUESTS[name], "--budget", "9"]
    return [*start, *words, *kept.recorded(ledger, name, bundle)]


whole = partial(kept.whole, "before-copies")

if __name__ == "__main__":
    make(sys.argv[1], REQUESTS, arguments)
