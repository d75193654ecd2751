"""The files of version 1.0.0, kept for ever: later versions open, check and continue them.

    python -m tests.golden.first_release

made them for that version, and refuses to make them with any other.
"""

import json
import shutil
import sys
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import pandas as pd
from plotly import offline

import synth
from pages.ui.shell.draft import Draft
from pages.ui.shell.saved import choices_of
from synth.__main__ import main
from synth.domain import write_schema
from synth.estimate import Method
from synth.lessons import write_linked_example
from synth.plans import KnownTable, Project, new_identifier
from synth.util.version import __version__
from tests.golden.earlier import zip_files
from tests.golden.make import KINDS, command_of, made_as
from tests.golden.tables import column_domains
from tests.stand_in import PLOTLY

HERE = Path(__file__).parent / "first_release"
VERSION = "1.0.0"
PATIENTS = 200

LEDGER = "ledger.zip"
PROJECT = "project.json"
BUNDLES = ("histogram", "model", "answers", "linked", "dummy")
"""Bundles, by the names of their zip files."""
PARTS = "parts"
"""The folder of a release in parts, in a zip file."""


def linked_command(folder: Path) -> list[str]:
    """The words that release linked tables, of the first patients of the example."""
    patients, visits, package = write_linked_example(folder / "clinic", overwrite=True)
    rows = pd.read_csv(patients, dtype=str, keep_default_na=False).head(PATIENTS)
    rows.to_csv(patients, index=False)
    children = pd.read_csv(visits, dtype=str, keep_default_na=False)
    children[children["patient"].isin(rows["patient"])].to_csv(visits, index=False)
    ledger = ("--ledger", str(folder / "ledger.db"), "--dataset", "clinic", "--new-dataset")
    spend = ("--epsilon", "2", "--neighbors", "add-remove", "--budget", "10")
    return ["release", str(package), *spend, *ledger, "--out", str(folder / "linked.zip")]


def dummy_command(folder: Path) -> list[str]:
    """The words that make a dummy from a declaration."""
    declaration = folder / "declaration.json"
    schema = write_schema(synth.Domain(**column_domains()))
    declaration.write_text(json.dumps(schema), encoding="utf-8")
    return ["dummy", str(declaration), "--rows", "40", "--out", str(folder / "dummy.zip")]


def make_project() -> Project:
    """A project of the app, in which many kinds of choice were made."""
    declared = write_schema(synth.Domain(**column_domains()))
    drafted = Draft().with_declaration(declared)
    choices = {
        "left_out": frozenset({"income"}),
        "about_rows": 20_000,
        "epsilon": "1/2",
        "method": Method.GROUPS,
        "delta": "1e-9",
        "groups": (("sex", "age"), ("sex", "region")),
        "rules": {"order": [["since", "until"]]},
        "person": "person",
        "max_rows": 3,
    }
    for name, value in choices.items():
        object.__setattr__(drafted, name, value)
    return Project(
        identifier=new_identifier(),
        name="people",
        table=KnownTable(title="people.csv", header=("person", "sex"), people="people"),
        choices=json.loads(json.dumps(choices_of(drafted))),
    )


def make_files(folder: Path) -> None:
    """Make all files in a folder, with reports that leave out plotly.js."""
    with chdir(folder), patch.object(offline, "get_plotlyjs", lambda: PLOTLY):
        for kind in KINDS:
            assert main(command_of(kind, folder)) == 0
        assert main(linked_command(folder)) == 0
        assert main(dummy_command(folder)) == 0


def keep_files(folder: Path) -> None:
    """Put what was made in its place."""
    HERE.mkdir()
    for name in BUNDLES:
        shutil.copy(folder / f"{name}.zip", HERE)
    zip_files(HERE / f"{PARTS}.zip", folder / made_as(PARTS), "*")
    zip_files(HERE / LEDGER, folder, "ledger.db*")
    project = json.dumps(make_project().to_json(), indent=1, ensure_ascii=False) + "\n"
    (HERE / PROJECT).write_text(project, encoding="utf-8")


if __name__ == "__main__":
    if __version__ != VERSION:
        sys.exit(f"This is version {__version__}: the files of {VERSION} are not made anew.")
    with TemporaryDirectory() as temporary:
        make_files(Path(temporary))
        keep_files(Path(temporary))
