"""One small bundle of each kind, and their ledger, as this commit makes them.

    python -m tests.golden.make

makes `bundles` anew, after a change of a format that is meant.
"""

import io
import shutil
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from plotly import offline

from synth.__main__ import main
from tests.golden.earlier import zip_files
from tests.golden.tables import write_files
from tests.stand_in import PLOTLY

HERE = Path(__file__).parent / "bundles"
ROWS = 150
KINDS = {
    "histogram": ("release", "--epsilon", "3", "--method", "dense", "--columns", "sex,age"),
    "model": ("release", "--epsilon", "6", "--method", "tree", "--delta", "1e-9"),
    "answers": ("ask", "--epsilon", "1", "--question", "table sex", "--question", "mean age"),
    "parts": (
        "release",
        *("--epsilon", "5", "--method", "tree", "--columns", "sex,age,smoker"),
        "--in-parts",
    ),
}
"""The command of each kind, in a dataset of its own."""


def command_of(kind: str, folder: Path) -> list[str]:
    """The words that ask for a kind, with its table and ledger in a folder."""
    verb, *words = KINDS[kind]
    out = ["--out", str(folder / made_as(kind))]
    ledger = ["--ledger", str(folder / "ledger.db"), "--dataset", kind, "--new-dataset"]
    budget = ["--budget", "epsilon=20,delta=1e-8"]
    return [verb, *write_files(folder, ROWS), *words, *out, *ledger, *budget]


def made_as(kind: str) -> str:
    """The name of a bundle, or of the folder of parts, which is kept as a zip."""
    return kind if kind == "parts" else f"{kind}.zip"


def make_all(folder: Path) -> None:
    """Make all kinds in a folder, with reports that leave out plotly.js."""
    with patch.object(offline, "get_plotlyjs", lambda: PLOTLY):
        for kind in KINDS:
            with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()) as output:
                status = main(command_of(kind, folder))
            assert status == 0, output.getvalue()


def keep_files(folder: Path) -> None:
    """Put what was made in the place of what is there."""
    HERE.mkdir(exist_ok=True)
    for kind in KINDS:
        if kind == "parts":
            zip_files(HERE / f"{kind}.zip", folder / kind, "*")
        else:
            shutil.copy(folder / made_as(kind), HERE)
    zip_files(HERE / "ledger.zip", folder, "ledger.db*")


if __name__ == "__main__":
    with TemporaryDirectory() as temporary:
        make_all(Path(temporary))
        keep_files(Path(temporary))
