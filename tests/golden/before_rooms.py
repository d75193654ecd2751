"""How the bundles in `before-rooms` were made: by this script, at commit e643ced.

    HERE=$PWD/tests/golden
    git worktree add /tmp/before e643ced && cd /tmp/before
    cp $HERE/before_rooms.py $HERE/kept.py tests/golden
    PYTHONPATH=. python -m tests.golden.before_rooms $HERE/before-rooms

It asks the command line alone, which both sides of the rebuilding have. The table is arithmetic,
so that nobody's data is in it.
"""

import json
import sys
from functools import partial
from pathlib import Path

from tests.golden import kept
from tests.golden.kept import make

HEADER = ["person", "sex", "age", "smoker", "kin"]
SCHEMA = {
    "fields": [
        {"name": "sex", "type": "string", "constraints": {"enum": ["F", "M"]}},
        {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99},
         "synth:bins": 10},
        {"name": "smoker", "type": "string", "constraints": {"enum": ["no", "yes"]}},
        {"name": "kin", "type": "string", "constraints": {"enum": ["head", "child", "=aunt"]}},
    ]
}  # fmt: skip
RULES = {"impossible": [{"kin": ["child"], "smoker": ["yes"]}]}
MODEL = ["--neighbors", "add-remove", "--delta", "1e-9", "--budget", "rho=1/2,delta=1e-9"]
REQUESTS = {
    "histogram": ["--method", "dense", "--budget", "9"],
    "auto": ["--method", "auto", *MODEL],
    "persons": ["--method", "tree", "--person", "person", "--max-rows", "2",
                "--rules", "rules.json", *MODEL],
    "score": ["--method", "dense", "--columns", "sex,age,smoker", "--score", "1/2",
              "--budget", "9"],
}  # fmt: skip
"""What was asked for, each in a dataset of its own; epsilon is 1."""


def rows() -> list[list[str]]:
    """Families of one to three: person, sex, age, whether they smoke, kin."""
    found = []
    for i in range(500):
        kin = ("head", "child", "=aunt")[i * i % 7 % 3]
        age = i * 37 % 18 if kin == "child" else 18 + i * 53 % 80
        smokes = kin != "child" and i * 11 % 9 < 3
        found.append([str(i // 2), "FM"[i * 5 % 11 % 2], str(age), "no yes".split()[smokes], kin])
    return found


def arguments(folder: Path, name: str, ledger: Path, bundle: Path) -> list[str]:
    """The command that releases the table, written into a folder with its declaration."""
    (folder / "rules.json").write_text(json.dumps(RULES), encoding="utf-8")
    asked = [str(folder / word) if word == "rules.json" else word for word in REQUESTS[name]]
    start = kept.asked(folder, HEADER, rows(), SCHEMA)
    return [*start, "--epsilon", "1", *asked, *kept.recorded(ledger, name, bundle)]


whole = partial(kept.whole, "before-rooms")

if __name__ == "__main__":
    make(sys.argv[1], REQUESTS, arguments)
