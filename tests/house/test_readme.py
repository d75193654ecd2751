"""The README keeps its word: its code runs, its commands work, its picture is there."""

import re
from fractions import Fraction
from pathlib import Path

import pytest

from synth.bundle import CONDITIONS, GUARANTEE, at_most, posterior
from tests.house.reader import Reader, list_commands, read_fences, work_in

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def test_it_works_as_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands and the program of the README work, one after the other, in an empty
    folder. `verify` answers what the README says, and the program prints rows with the
    columns that the README shows.
    """
    work_in(tmp_path, monkeypatch)
    reader = Reader()
    for language, code in read_fences(TEXT):
        for command in list_commands(code) if language == "console" else ():
            reader.type_command(command)
            answer = reader.printed
        if language == "python":
            reader.type_program(code)

    (quoted,) = re.findall(r'answers "(.+?)"', " ".join(TEXT.split()))
    assert quoted in answer
    (columns,) = re.findall(r"^# {2,}(.+?)(?: {3,}\(.*)?$", TEXT, re.M)
    assert reader.printed.splitlines()[0].split() == columns.split()


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


def test_it_is_short_and_begins_with_what_people_search_for() -> None:
    """The README has at most 100 lines, and its title names differential privacy. The rest is
    in `docs`, whose pages `tests/house/test_typed.py` types.
    """
    assert len(TEXT.splitlines()) <= 100
    assert "differential privacy" in TEXT.splitlines()[0]


def test_no_place_of_a_machine_is_named() -> None:
    assert not re.search(r"/(home|root|Users|work|opt)/", TEXT)


def test_readme_and_site_have_the_guarantee_of_the_certificate() -> None:
    """The README and the site state the guarantee in the words of the certificate, for an
    epsilon of 1 and a prior chance of 10 %. The page that the README links to has all
    conditions.
    """
    page = (ROOT / "docs" / "explanation" / "promise.md").read_text(encoding="utf-8")
    odds = at_most(posterior(0.1, Fraction(1)))
    guarantee = GUARANTEE.format(unit="row", factor="e^epsilon", epsilon=1, tenth=odds)
    conditions = " ".join(f"- {condition}" for condition in CONDITIONS)
    readme_words, page_words = (
        " ".join(text.replace("**", "").split()) for text in (TEXT, page)
    )
    assert guarantee in readme_words
    assert guarantee in page_words
    assert conditions in page_words
    assert "[its conditions](docs/explanation/promise.md)" in readme_words
