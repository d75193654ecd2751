"""A simulated later version of Synth: a copy of the package with more fields or other words.

It shows what the files of the first release are to it: fields that it added are absent there,
and texts are worded otherwise.
"""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from synth.door import ALGORITHM
from synth.util.version import __version__
from tests.tables import ROOT

VERSION = "1.7.0"

RUN = """
import sys
from plotly import offline
from tests.stand_in import PLOTLY
offline.get_plotlyjs = lambda: PLOTLY
from synth.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


@dataclass(frozen=True)
class Change:
    """One change of a file of the package.

    Attributes:
        file: The file, in the package's folder.
        old: A text that is in it once.
        new: The text in its place.
    """

    file: str
    old: str
    new: str


ADDED_FIELDS = (
    Change(
        "util/version.py",
        f'__version__ = "{__version__}"',
        f'__version__ = "{VERSION}"',
    ),
    # A field of every certificate of a release, of every plan, and of every project.
    Change(
        "bundle/certificate.py",
        '    rows_fit: Annotated[str, says("how many rows fit the declaration,',
        '    later: Annotated[str, says("added later")] = omitted("")\n'
        '    rows_fit: Annotated[str, says("how many rows fit the declaration,',
    ),
    Change("bundle/certificate.py", "WRITTEN = (\n", 'WRITTEN = (\n    "later",\n'),
    Change(
        "plans/options.py",
        "IN_PLAN = (\n",
        'IN_PLAN = (\n    SpendOption(name="later", codec=TEXT, default="", seldom=True),\n',
    ),
    Change(
        "plans/plan.py",
        "    repair_seen: bool = False\n",
        '    repair_seen: bool = False\n    later: str = ""\n',
    ),
    Change(
        "plans/project.py",
        '    title: str\n    mark: str = ""\n',
        '    title: str\n    later: str = omitted("")\n    mark: str = ""\n',
    ),
    Change(
        "plans/project.py",
        "from synth.util import Document, read_json\n",
        "from synth.util import Document, omitted, read_json\n",
    ),
)
OTHER_WORDS = (Change("bundle/texts.py", "ABOUT THESE FILES", "ABOUT THE FILES"),)
OTHER_ALGORITHM = (
    Change(
        "door/ledger/entries.py", f"ALGORITHM = {ALGORITHM}", f"ALGORITHM = {ALGORITHM + 1}"
    ),
)


@dataclass(frozen=True)
class LaterVersion:
    """A changed copy of the package in a folder."""

    folder: Path

    @classmethod
    def make(cls, folder: Path, changes: tuple[Change, ...]) -> "LaterVersion":
        """Copy the package into a folder, and change it."""
        skipped = shutil.ignore_patterns("__pycache__")
        for name in ("synth", "pages", ".streamlit"):
            shutil.copytree(ROOT / name, folder / name, ignore=skipped)
        (folder / "tests").mkdir()
        shutil.copy(ROOT / "tests" / "stand_in.py", folder / "tests")
        for change in changes:
            path = folder / "synth" / change.file
            text = path.read_text(encoding="utf-8")
            assert text.count(change.old) == 1, change
            path.write_text(text.replace(change.old, change.new), encoding="utf-8")
        later = cls(folder)
        later.run_python("-m", "synth.bundle.schema")
        return later

    def run_python(self, *words: str, status: int = 0) -> str:
        """Run Python in the copy, and return what it prints."""
        home = str(self.folder / "home")
        environment = {**os.environ, "PYTHONPATH": str(self.folder), "SYNTH_HOME": home}
        done = subprocess.run(
            [sys.executable, *words],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done.stdout

    def run(self, *words: str, status: int = 0) -> Any:
        """Run a command of Synth in the copy, and return what it says as JSON."""
        return json.loads(self.run_python("-c", RUN, *words, "--json", status=status))
