"""How to use these files: the page and the notebook of a bundle, and what verify makes of
them.
"""

import json
import os
import warnings
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from synth.bundle import GUIDE
from synth.bundle.notebook import NOTEBOOK, notebook
from synth.verification import verify
from tests.analysis.releases import nearly
from tests.bundle.bundles import ODD, edit_text, make_bundle, read_bundle, refusal_of

ROWS = [
    ["FM"[n % 2], str(n % 100), str(n % 25 / 10), "2024-02-03", "yes"] for n in range(2000)
]


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
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


def test_the_page_says_what_is_kept_and_what_not_to_ask(bundle: Path) -> None:
    """The guide is plain HTML without scripts, says how well pairs are kept, and has three
    examples.
    """
    files = read_bundle(bundle)
    page = files[GUIDE].decode()
    certificate = json.loads(files["certificate.json"])
    HTMLParser().feed(page)
    assert "<script" not in page
    assert "http:" not in page
    for text in (
        "sex × age",
        "● good",
        "intervals: they leave out the noise",
        "<h3>Three columns",
    ):
        assert text in page
    assert certificate["guarantee"]["statement"] in page
    assert all(caveat in page for caveat in certificate["caveats"])
    assert page.count("<h3><code>") == 3
    assert "The guide to the files follows from the noisy counts." in verify(bundle).checks


def test_the_notebook_runs_with_synth_and_without(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the bundle beside it the notebook gives intervals; with the CSV file alone it
    warns that noise is left out.
    """
    files = read_bundle(bundle)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        plain = run_notebook(files, tmp_path, monkeypatch)
    assert plain[0] == pytest.approx(0.5, abs=0.1)
    (tmp_path / "b.zip").write_bytes(bundle.read_bytes())
    answers = run_notebook(files, tmp_path, monkeypatch)
    assert len(answers) == len(plain) == 3
    assert nearly(answers[0]["low"][0], 0.5, answers[0]["high"][0])
    assert answers[0]["estimate"][0] == pytest.approx(plain[0], abs=0.1)
    os.remove(tmp_path / "b.zip")
    with pytest.warns(UserWarning, match="They leave out the noise of the release"):
        run_notebook(files, tmp_path, monkeypatch)


def test_hostile_names_stay_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The notebook runs with names and categories that hold quotes and commands."""
    path = make_bundle(tmp_path, "odd", [["=1+1"], ["@a"], ['F, "M"']] * 200, domain=ODD)
    folder = tmp_path / "unpacked" / "here"
    folder.mkdir(parents=True)
    with pytest.warns(UserWarning, match="leave out the noise"):
        (share, *_) = run_notebook(read_bundle(path), folder, monkeypatch)
    assert 0 <= share <= 1


def test_no_question_leaves_its_place_in_the_notebook() -> None:
    """A category with an empty line would end its span of code, and load a picture."""
    question = "count where x = 'a\n\n![](//e.example/x.png)`'"
    cells = json.loads(notebook([(question, "1")]))["cells"]
    (note,) = (cell["source"] for cell in cells[2:] if cell["cell_type"] == "markdown")
    assert note == ["`` count where x = 'a ![](//e.example/x.png)`' ``"]


@pytest.mark.parametrize("name", [GUIDE, NOTEBOOK])
def test_what_was_changed_is_seen(bundle: Path, tmp_path: Path, name: str) -> None:
    sentence = refusal_of(bundle, tmp_path, edit_text(name, b"noise", b"NOISE", -1))
    assert sentence.startswith(f"'{name}' does not follow from the noisy counts and")
