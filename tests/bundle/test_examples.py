"""Worked examples in the notebook of a bundle, and what verify makes of it."""

import json
import os
import warnings
from pathlib import Path
from typing import Any

import pytest

from synth.bundle.notebook import NOTEBOOK, notebook
from tests.analysis.releases import nearly
from tests.bundle.bundles import ODD, edit_text, make_bundle, read_bundle, refusal_of

ROWS = [
    ["FM"[n % 2], str(n % 100), str(n % 25 / 10), "2024-02-03", "yes"] for n in range(2000)
]


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of 2,000 rows by histogram, half of them F."""
    return make_bundle(tmp_path_factory.mktemp("guide"), rows=ROWS)


def run_notebook(
    files: dict[str, bytes], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> list[Any]:
    """The values of a notebook's cells that end in an expression."""
    for name, content in files.items():
        (folder / name).write_bytes(content)
    monkeypatch.chdir(folder)
    cells = json.loads(files[NOTEBOOK])["cells"]
    opened, *later_cells = ["".join(c["source"]) for c in cells if c["cell_type"] == "code"]
    names: dict[str, Any] = {}
    exec(opened, names)
    return [eval(text, names) for text in later_cells]


def test_the_notebook_runs_with_synth_and_without(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the bundle beside it the notebook gives intervals, else shares of the synthetic
    rows.

    The latter comes with a warning that noise is left out. The first of its three examples is
    the share of F, which is a half.
    """
    files = read_bundle(bundle)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        plain = run_notebook(files, tmp_path, monkeypatch)
    assert plain[0] == pytest.approx(0.5, abs=0.1)

    (tmp_path / "b.zip").write_bytes(bundle.read_bytes())
    answers = run_notebook(files, tmp_path, monkeypatch)

    assert len(answers) == len(plain) == 3
    # Within three times the reach of the interval.
    assert nearly(answers[0]["low"][0], 0.5, answers[0]["high"][0])
    assert answers[0]["estimate"][0] == pytest.approx(plain[0], abs=0.1)

    os.remove(tmp_path / "b.zip")
    with pytest.warns(UserWarning, match="They leave out the noise of the release"):
        run_notebook(files, tmp_path, monkeypatch)


def test_hostile_names_stay_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The notebook runs if names and categories look like formulas or hold quotes.

    No zip file is near it, so it reads the CSV file. Its first value is a share.
    """
    path = make_bundle(tmp_path, "odd", [["=1+1"], ["@a"], ['F, "M"']] * 200, domain=ODD)

    folder = tmp_path / "unpacked" / "here"
    folder.mkdir(parents=True)

    with pytest.warns(UserWarning, match="leave out the noise"):
        (share, *_) = run_notebook(read_bundle(path), folder, monkeypatch)
    assert 0 <= share <= 1


def test_no_question_leaves_its_place_in_the_notebook() -> None:
    """A question in the notebook is one line of code, whatever a category holds.

    An empty line in a category would end the code, and load a picture from a server.
    """
    question = "count where x = 'a\n\n![](//e.example/x.png)`'"

    cells = json.loads(notebook([(question, "1")], ""))["cells"]
    (note,) = (cell["source"] for cell in cells[2:] if cell["cell_type"] == "markdown")
    assert note == ["`` count where x = 'a ![](//e.example/x.png)`' ``"]


def test_what_was_changed_is_seen(bundle: Path, tmp_path: Path) -> None:
    """A changed notebook is refused, though its new digest is in the certificate."""
    sentence = refusal_of(bundle, tmp_path, edit_text(NOTEBOOK, b"noise", b"NOISE", -1))
    assert sentence.startswith(f"'{NOTEBOOK}' does not follow from the certificate and")
