"""How the bundles in `before-gdp` were made: by this script, at commit c498fb0 (algorithm 3).

    HERE=$PWD/tests/golden
    git worktree add /tmp/before c498fb0 && cd /tmp/before
    cp $HERE/before_gdp.py $HERE/kept.py tests/golden
    PYTHONPATH=. python -m tests.golden.before_gdp $HERE/before-gdp

The table, its declaration and what is left out of the reports are those of `before_rooms`.
"""

import sys
from functools import partial
from pathlib import Path

from tests.golden import before_rooms, kept
from tests.golden.kept import make

DELTA, RHO = ["--delta", "1e-9"], ["--budget", "rho=9,delta=1e-9"]
REQUESTS = {
    "pairs": ["--method", "one-shot", "--neighbors", "add-remove", *DELTA, *RHO],
    "replaced": ["--method", "one-shot", *DELTA, "--budget", "epsilon=9,delta=1e-8"],
    "adaptive": ["--method", "adaptive", *DELTA, *RHO],
    "pure": ["--method", "tree", "--neighbors", "add-remove", "--budget", "9"],
    "histogram": ["--method", "dense", "--budget", "9"],
}
"""What was asked for, each in a dataset of its own; epsilon is 4."""


def arguments(folder: Path, name: str, ledger: Path, bundle: Path) -> list[str]:
    """The command that releases the table, as `before_rooms.arguments`."""
    asked = before_rooms.arguments(folder, "histogram", ledger, bundle)
    asked[asked.index("--epsilon") + 1] = "4"
    asked[asked.index("--dataset") + 1] = name
    at = asked.index("--method")
    asked[at : at + 4] = REQUESTS[name]
    return asked


whole = partial(kept.whole, "before-gdp")

if __name__ == "__main__":
    make(sys.argv[1], REQUESTS, arguments)
