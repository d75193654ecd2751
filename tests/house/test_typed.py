"""The pages of the documents work as a reader types them: alone, and one after the other in
one folder.
"""

import re
from pathlib import Path

import pytest

from tests.house.reader import (
    STATUS,
    Reader,
    hide_extras,
    list_commands,
    list_promises,
    list_shell_signs,
    read_fences,
    work_in,
)
from tests.tables import ROOT

DOCS = ROOT / "docs"
APART = ("evidence", "proofs", "extending")
"""Folders whose pages are not typed: results, and parts of programs that other tests hold."""
WIDTH = 80
SHELLS = ("console", "sh", "bash", "")
"""Languages of fences with commands."""


def list_typed_pages() -> list[Path]:
    """The pages with commands or programs, in the order of the site's contents."""
    named = re.findall(r"([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.M)
    pages = [DOCS / name for name in named if not name.startswith(APART)]
    return [
        page
        for page in pages
        if page.is_file()
        and {"console", "python"} & {name for name, _ in read_fences(page.read_text("utf-8"))}
    ]


TYPED = list_typed_pages()
COMMANDED = [
    page
    for page in (ROOT / "README.md", *sorted(DOCS.rglob("*.md")))
    if page.parent.name not in ("evidence", "proofs")
    and any(language in SHELLS for language, _ in read_fences(page.read_text("utf-8")))
]
"""The pages with commands."""


@pytest.mark.slow
@pytest.mark.parametrize("page", TYPED, ids=lambda page: page.stem)
def test_a_page_works_alone(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every command and program of a page works in an empty folder and without any extra, and
    prints what the page promises.
    """
    work_in(tmp_path, monkeypatch)
    hide_extras(monkeypatch)
    Reader().type_page(page.read_text("utf-8"))


@pytest.mark.slow
def test_all_pages_work_one_after_the_other_in_one_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody who types the README and then each page in the order of the contents, in one
    folder and with one ledger, is never refused: no file is in the way, and the budgets
    suffice.
    """
    work_in(tmp_path, monkeypatch)
    hide_extras(monkeypatch)
    for page in (ROOT / "README.md", *TYPED):
        try:
            Reader().type_page(page.read_text("utf-8"))
        except BaseException as error:
            error.add_note(f"on the page {page.relative_to(ROOT)}")
            raise


@pytest.mark.parametrize("page", COMMANDED, ids=lambda page: page.stem)
def test_commands_fit_a_terminal(page: Path) -> None:
    """No line of a command is longer than 80 characters, also on pages that are not typed."""
    for language, code in read_fences(page.read_text("utf-8")):
        if language in SHELLS:
            assert max(map(len, code.splitlines())) <= WIDTH, code


@pytest.mark.parametrize("page", COMMANDED, ids=lambda page: page.stem)
def test_commands_mean_the_same_in_every_shell(page: Path) -> None:
    """No command has a comment behind it, or a sign that stands for files outside quotation
    marks.

    In zsh, the shell of macOS, a comment that somebody types is part of the command, and a
    `*` that matches no file is refused.
    """
    for language, code in read_fences(page.read_text("utf-8")):
        if language in SHELLS:
            assert list_shell_signs(code) == []


def test_signs_of_a_shell_are_seen() -> None:
    """Comments and patterns are found, but not those in quotation marks."""
    code = "make wheel  # into dist\nsynth a --moments means,a*b\nsynth b 'a*b' \"c#d\" [x]\n"
    assert list_shell_signs(code) == ["# into dist", "means,a*b", "[x]"]


def test_a_status_is_read_from_the_sentence_that_names_it() -> None:
    """A page says which command exits with another status than 0, also across lines."""
    text = "With `--json` it is so. `verify` says it, and exits\nwith 3, so `x` is not."
    assert STATUS.findall(text) == [("verify", "3")]


def test_a_page_is_read_as_it_is_typed() -> None:
    """Continued lines are one command, and promises are the comments behind `print`."""
    text = (
        "```console\na b \\\n    c\nd\n```\n\n```python\nprint(1)  # 1\nx = 2  # two\n```\n"
    )
    (_, commands), (_, program) = read_fences(text)
    assert list_commands(commands) == ["a b      c", "d"]
    assert list_promises(program) == ["1"]


def test_a_program_that_prints_something_else_is_seen() -> None:
    """A reader notices a wrong promise, a warning, and a command that fails."""
    reader = Reader()
    reader.type_program("x = 1\nprint(x)  # 1\n")
    reader.type_program("print(x + 1)  # 2\n")
    for wrong in ("print(x)  # 2\n", "import warnings\nwarnings.warn('odd')\n"):
        with pytest.raises((AssertionError, UserWarning)):
            reader.type_program(wrong)
    with pytest.raises(AssertionError):
        reader.type_command("synth verify nothing.zip")
