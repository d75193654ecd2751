"""A steward's folder: a table and all else that calls read, a ledger, and what is no
output.
"""

import json
import os
import stat
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pyarrow.csv as pa_csv

from synth.cli.main import main
from synth.collecting import read_design
from tests.collecting.forms import answer_line
from tests.linked.households import DOCUMENT, files_at_random

DOMAIN = {
    "fields": [
        {
            "name": "sex",
            "type": "string",
            "constraints": {"enum": ["F", "M"], "required": True},
        },
        {
            "name": "age",
            "type": "integer",
            "synth:bins": 10,
            "constraints": {"minimum": 0, "maximum": 99, "required": True},
        },
    ]
}
TABLE = "sex,age\n" + "F,30\nM,40\nF,71\n" * 200
ASKED = ["--question", "count where age > 50"]
LEDGER = ["--ledger", "l.db", "--dataset", "s"]
PAID = [
    ["check", "t.csv", "--domain", "domain.json", "--epsilon", "1/10", "--out", "check.json"],
    ["domain", "draft", "t.csv", "--epsilon", "1", "--out", "draft.json"],
    [
        "release",
        "t.csv",
        "--domain",
        "domain.json",
        "--epsilon",
        "1",
        "--out",
        "b.zip",
        "--out",
        "out",
    ],
    [
        "release",
        "t.csv",
        "--domain",
        "domain.json",
        "--epsilon",
        "1/2",
        "--score",
        "1/10",
        "--formats",
        "csv,parquet,xlsx",
        "--out",
        "scored.zip",
        "--out",
        "scored",
    ],
    [
        "release",
        "t.csv",
        "--domain",
        "domain.json",
        "--epsilon",
        "1/3",
        "--method",
        "one-shot",
        "--in-parts",
        "--out",
        "parts",
    ],
    [
        "ask",
        "t.csv",
        "--domain",
        "domain.json",
        "--epsilon",
        "1",
        *ASKED,
        "--out",
        "answers.zip",
        "--out",
        "answered",
    ],
]
"""Command lines that spend, and whose outputs are in the folder.

The check is the first: a certificate tells of all checks that the ledger knows when it is
made. """
LINKED = [
    "release",
    "package/datapackage.json",
    "--epsilon",
    "1",
    "--neighbors",
    "add-remove",
    "--out",
    "linked.zip",
    "--out",
    "linked",
    "--ledger",
    "l.db",
    "--dataset",
    "homes",
    "--budget",
    "5",
    "--new-dataset",
]
_FORM = [
    "collect",
    "form",
    "--question",
    "Do you smoke?",
    "--epsilon",
    "1",
    "--out",
    "form.html",
]
_MINE = (
    "there.zip",
    "there.json",
    "there.csv",
    "there.html",
    "there.xlsx",
    "read_only.zip",
    "taken.certificate.json",
)


def make_workplace(folder: Path, paid: Sequence[list[str]] = PAID) -> None:
    """Fill the current folder; the ledger has a budget of 20 and records what was paid."""
    for name in ("t.csv", "synthetic.csv", "public.csv", "answers.csv"):
        Path(name).write_text(TABLE)
    Path("domain.json").write_text(json.dumps(DOMAIN))
    Path("rules.json").write_text("{}")
    Path("candidates.json").write_text('{"sex": ["F", "M"]}')
    Path("questions.json").write_text('["count where age > 50"]')
    Path("shares.json").write_text('{"sex": {"F": "0.5"}}')
    _write_package(folder / "package")
    for words in paid:
        budget = [] if Path("l.db").exists() else ["--budget", "20"]
        assert main([*words, *LEDGER, *budget]) == 0, words
    for words in (LINKED, _FORM):
        assert main(words) == 0, words
    _write_answers(folder / "collected")
    _write_foreign(folder)


def snapshot(folder: Path) -> dict[str, tuple[int, str | bytes]]:
    """Return the mode and the content of all that is in a folder, by name; no link is
    followed.
    """
    entries: dict[str, tuple[int, str | bytes]] = {}
    for path in sorted(folder.rglob("*")):
        mode = path.lstat().st_mode
        content: str | bytes = ""
        if stat.S_ISREG(mode):
            content = path.read_bytes()
        elif stat.S_ISLNK(mode):
            content = os.readlink(path)
        entries[str(path.relative_to(folder))] = (mode, content)
    return entries


def _write_package(folder: Path) -> None:
    folder.mkdir()
    for name, table in files_at_random(Random(3), "ABCDEFGH").tables().items():
        pa_csv.write_csv(table, folder / f"{name}.csv")
    (folder / "datapackage.json").write_text(json.dumps(DOCUMENT))


def _write_answers(folder: Path) -> None:
    folder.mkdir()
    design = read_design(Path("form.html").read_bytes(), "form.html")
    lines = [answer_line(design, [person % 2], person) for person in range(50)]
    (folder / "a.jsonl").write_text("\n".join(lines))


def _write_foreign(folder: Path) -> None:
    for name in _MINE:
        Path(name).write_text("mine")
    Path("read_only.zip").chmod(0o444)
    for name in ("folder", "folder.zip", "folder.html", "full"):
        Path(name).mkdir()
    names = ("certificate.json", "synthetic.xlsx", "survey.csv", "synth.desktop", "note.txt")
    for name in names:
        (folder / "full" / name).write_text("mine")
    for name in ("pipe", "pipe.zip", "pipe.csv", "pipe.json", "pipe.html", "pipe.xlsx"):
        os.mkfifo(name)
    Path("link.zip").symlink_to("b.zip")
    Path("nothing.zip").symlink_to("nowhere.zip")
    Path("to_table.zip").symlink_to("t.csv")
    os.link("t.csv", "hard.zip")
