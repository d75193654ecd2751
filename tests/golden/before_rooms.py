"""How the bundles in `before-rooms` were made: by this script, at commit e643ced.

    HERE=$PWD/tests/golden
    git worktree add /tmp/before e643ced && cd /tmp/before
    PYTHONPATH=. python $HERE/before_rooms.py $HERE/before-rooms

It asks the command line alone, which both sides of the rebuilding have. The table is arithmetic,
so that nobody's data is in it. plotly.js is left out of the reports (`whole` puts it back, from
an older bundle): five megabytes each that never change.
"""

import csv
import json
import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
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

PLACE = b"/* plotly.js */"


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
    with (folder / "table.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([HEADER, *rows()])
    (folder / "domain.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
    (folder / "rules.json").write_text(json.dumps(RULES), encoding="utf-8")
    asked = [str(folder / word) if word == "rules.json" else word for word in REQUESTS[name]]
    return ["release", str(folder / "table.csv"), "--domain", str(folder / "domain.json"),
            "--epsilon", "1", *asked, "--ledger", str(ledger), "--dataset", name, "--new-dataset",
            "--bundle", str(bundle), "--json"]  # fmt: skip


def script() -> bytes:
    """The plotly.js of these bundles, as it stands in a bundle of the same version."""
    with zipfile.ZipFile(HERE / "histogram.zip") as archive:
        page = archive.read("report.html")
    start = page.index(b"<script>") + len(b"<script>")
    return page[start : page.index(b"</script></head>", start)]


def exchanged(bundle: Path, other: Path, old: bytes, new: bytes) -> None:
    """A copy of a bundle with another script in its report."""
    with zipfile.ZipFile(bundle) as source, zipfile.ZipFile(other, "w") as target:
        for info in source.infolist():
            content = source.read(info)
            if info.filename == "report.html":
                assert content.count(old) == 1
                content = content.replace(old, new)
            target.writestr(info, content)


def whole(name: str, folder: Path) -> Path:
    """The bundle as it was made."""
    exchanged(HERE / "before-rooms" / f"{name}.zip", folder / f"{name}.zip", PLACE, script())
    return folder / f"{name}.zip"


def make(out: Path, folder: Path) -> None:
    """All bundles and their ledger, in a folder."""
    from synth.__main__ import main

    for name in REQUESTS:
        made = folder / f"{name}.zip"
        assert main(arguments(folder, name, out / "ledger.db", made)) == 0
        exchanged(made, out / f"{name}.zip", script(), PLACE)


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        make(Path(sys.argv[1]), Path(folder))
