"""The README keeps its word: its code runs, its commands work, its picture is there."""

import os
import re
import shlex
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from synth.bundle import CONDITIONS, GUARANTEE, at_most, posterior
from synth.cli.main import main

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def _blocks(language: str) -> list[str]:
    """The code of the README in fences of a language."""
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", TEXT, re.M | re.S)
    return [block for name, block in fenced if name == language]


def _run(words: list[str], folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_python_example_prints_what_it_says(tmp_path: Path) -> None:
    """The Python example of the README prints what its comments, after two spaces and #,
    promise.
    """
    (code,) = _blocks("python")
    promised = [line.split("  # ")[1] for line in code.splitlines() if "  # " in line]
    assert _run(["-c", code], tmp_path).splitlines() == promised


@pytest.mark.slow
def test_the_commands_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The three commands of the README work, one after the other, and leave a release.

    The first runs in a process of its own, the others in this one, as starting Python takes
    longer than most of them. `verify` confirms it.
    """
    lines = [line for block in _blocks("") for line in block.splitlines()]
    commands = [shlex.split(line)[1:] for line in lines if line.startswith("python -m synth")]
    assert [words[2] for words in commands] == "example release verify".split()
    assert _run(commands[0], tmp_path)
    monkeypatch.chdir(tmp_path)
    for words in commands[1:]:
        assert main(words[2:]) == 0, words
        assert capsys.readouterr().out
    assert (tmp_path / "demo" / "release.zip").is_file()


def test_pictures_and_files_are_there() -> None:
    """Every file that the README links to or names in backquotes exists."""
    for target in re.findall(r"\]\((?!https)(.+?)\)", TEXT):
        assert (ROOT / target).is_file(), target
    for target in re.findall(r"`((?:tests|synth|pages)/[\w/.]+)`", TEXT):
        assert (ROOT / target).is_file(), target


def test_every_make_target_named_exists() -> None:
    """Every `make` target that the README names is in the Makefile."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"\bmake (\w+)(?=`|\s+#)", TEXT)):
        assert re.search(rf"^{target}:", makefile, re.M), target


def test_it_is_one_screen() -> None:
    """The rest is in `docs`, whose snippets `tests/house/test_docs.py` runs."""
    assert len(TEXT.splitlines()) < 100


def test_no_place_of_a_machine_is_named() -> None:
    assert not re.search(r"/(home|root|Users|work|opt)/", TEXT)


def test_readme_and_site_have_the_guarantee_of_the_certificate() -> None:
    """The README and the site state the guarantee and its conditions in the words of the
    certificate, for an epsilon of 1 and a prior chance of 10 %.
    """
    page = (ROOT / "docs" / "explanation" / "promise.md").read_text(encoding="utf-8")
    odds = at_most(posterior(0.1, Fraction(1)))
    guarantee = GUARANTEE.format(unit="row", factor="e^epsilon", epsilon=1, tenth=odds)
    conditions = " ".join(f"- {condition}" for condition in CONDITIONS)
    for text in (TEXT, page):
        words = " ".join(text.replace("**", "").split())
        assert guarantee in words
        assert conditions in words
