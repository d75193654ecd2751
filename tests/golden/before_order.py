"""How the bundles in `before-order` were made: by this script, at commit 366c9ce (algorithm 5).

    HERE=$PWD/tests/golden
    git worktree add /tmp/before 366c9ce && cd /tmp/before
    cp $HERE/before_order.py $HERE/kept.py tests/golden
    PYTHONPATH=. python -m tests.golden.before_order $HERE/before-order

The table is arithmetic: ages in bins, hours and schooling that depend on them, and a sex.
"""

import sys
from functools import partial
from pathlib import Path

from tests.golden import kept
from tests.golden.kept import make

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
    start = kept.asked(folder, [*NAMES], rows(), SCHEMA)
    words = ["--epsilon", "5", "--neighbors", "add-remove", *REQUESTS[name]]
    return [*start, *words, *kept.recorded(ledger, name, bundle)]


whole = partial(kept.whole, "before-order")

if __name__ == "__main__":
    make(sys.argv[1], REQUESTS, arguments)
