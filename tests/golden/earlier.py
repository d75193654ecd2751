"""Ledgers of earlier states, which hold spends of people who are in today's tables as well.

    python -m tests.golden.earlier

makes them anew in `ledgers`: it takes each commit's code out of git and runs its command
line. Nothing that was released is kept with them, as nothing of it is made again."""

import json
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.tables import ROOT

HERE = Path(__file__).parent / "ledgers"

WIDE = "ｐｅｏｐｌｅ"
"""Another spelling of "people", which the first versions took for another name."""
PURE = ("--budget", "3")
RHO = ("--neighbors", "add-remove", "--delta", "1e-9", "--budget", "rho=1/2,delta=1e-9")
OLDER = ("--question", "count where age >= 50")

Request = tuple[str, ...]
"""A command, a dataset, and what else is said."""

HISTOGRAM: Request = ("release", "people", "--epsilon", "1", "--method", "dense", *PURE)
TREE: Request = ("release", "people", "--epsilon", "1/3", "--method", "tree", *PURE)
ANSWERS: Request = ("ask", "people", "--epsilon", "1/7", *OLDER, *PURE)
PAIRS: Request = ("release", "patients", "--epsilon", "1", "--method", "one-shot", *RHO)
LATER = [HISTOGRAM, TREE, ANSWERS, (*PAIRS, "--new-dataset")]

LEDGERS: dict[str, dict[str, list[Request]]] = {
    "first": {"588ee49": [("release", WIDE, *HISTOGRAM[2:]), PAIRS], "e643ced": [TREE]},
    "fourth": {"6dee0c8": LATER},
    "sixth": {"4441074": LATER},
}
"""By the number of the algorithm, which 588ee49 did not write down: what was asked, by
commit.
"""

EARLIER_OUTPUT = "--bundle"
"""The option of the earlier command lines that names a bundle."""

SCHEMA = {
    "fields": [
        {"name": "sex", "type": "string", "constraints": {"enum": ["F", "M"]}},
        {
            "name": "age",
            "type": "integer",
            "constraints": {"minimum": 0, "maximum": 99},
            "synth:bins": 4,
        },
        {"name": "smoker", "type": "string", "constraints": {"enum": ["no", "yes"]}},
    ]
}


def command_of(request: Request, folder: Path, output: str = "--out") -> list[str]:
    """The words of a request, with its table and ledger in a folder.

    `output` is the option that names the bundle.
    """
    verb, dataset, *words = request
    table = folder / "people.csv"
    domain = folder / "domain.json"
    rows = [("FM"[i * i % 7 % 2], i * 37 % 100, ("no", "yes")[i % 5 < 2]) for i in range(200)]
    lines = [",".join(map(str, row)) for row in (("sex", "age", "smoker"), *rows)]
    table.write_bytes("\n".join(lines).encode() + b"\n")
    domain.write_text(json.dumps(SCHEMA), encoding="utf-8")
    arguments = [str(table), "--domain", str(domain), output, str(folder / "made.zip")]
    return [
        verb,
        *arguments,
        "--ledger",
        str(folder / "ledger.db"),
        "--dataset",
        dataset,
        *words,
    ]


def make_ledgers(states: dict[str, list[Request]], folder: Path) -> None:
    """Make a ledger in a folder, by the code of each commit in turn."""
    for commit, requests in states.items():
        with TemporaryDirectory() as code:
            archive = subprocess.run(
                ["git", "archive", commit], cwd=ROOT, check=True, capture_output=True
            )
            subprocess.run(["tar", "-x", "-C", code], input=archive.stdout, check=True)
            for request in requests:
                words = command_of(request, folder, EARLIER_OUTPUT)
                run = [sys.executable, "-m", "synth", *words]
                subprocess.run(run, cwd=code, check=True)


def zip_files(path: Path, folder: Path, pattern: str) -> None:
    """Keep the files of a folder whose names match."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for file in sorted(filter(Path.is_file, folder.rglob(pattern))):
            archive.write(file, file.relative_to(folder))


def main(names: Sequence[str]) -> None:
    """Make all ledgers, or some."""
    HERE.mkdir(exist_ok=True)
    for name in names or LEDGERS:
        with TemporaryDirectory() as folder:
            make_ledgers(LEDGERS[name], Path(folder))
            zip_files(HERE / f"{name}.zip", Path(folder), "ledger.db*")


if __name__ == "__main__":
    main(sys.argv[1:])
