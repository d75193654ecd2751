"""The documentation keeps its word: snippets run, commands work, links and anchors
resolve.
"""

import ast
import contextlib
import importlib.util
import inspect
import io
import json
import os
import re
import shlex
import subprocess
import sys
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

import synth
from synth.bundle import at_most, posterior
from synth.cli.main import main, parser
from synth.domain import read_schema
from synth.util import GLOSSARY

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
COOKBOOK = sorted((DOCS / "cookbook").glob("*.md"))
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.py"))
PAGES = sorted(
    path
    for path in DOCS.rglob("*.md")
    if path.parent.name not in ("evidence", "proofs") and path.name != "changelog.md"
)
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)


def list_blocks(page: Path, language: str) -> list[str]:
    """The code of a page in fences of a language."""
    return [
        code for name, code in FENCED.findall(page.read_text("utf-8")) if name == language
    ]


def load_site() -> ModuleType:
    """`.ci/site.py`, which lays out the pages."""
    spec = importlib.util.spec_from_file_location("site_pages", ROOT / ".ci" / "site.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def laid(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages as MkDocs gets them."""
    folder = tmp_path_factory.mktemp("site") / "docs"
    load_site().main(folder)
    return folder


# How warnings begin that a first spend, or a frame without a name, gives.
LEDGER_WARNINGS = ("Not recorded", "The budget of")


def run_script(script: str, folder: Path) -> str:
    """What a program of its own prints, with no warning but those about the ledger."""
    about_ledger = [f"-Wignore:{start}:UserWarning" for start in LEDGER_WARNINGS]
    done = subprocess.run(
        [sys.executable, "-W", "error", *about_ledger, "-c", script],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "SYNTH_HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def list_pages_with(pages: list[Path], language: str) -> list[Path]:
    """The pages with code in a language, without those of the cookbook."""
    return [page for page in pages if list_blocks(page, language) and page not in COOKBOOK]


def run_commands(page: Path, folder: Path) -> None:
    """Run all commands of a page, in a folder; `verify` may leave claims unchecked."""
    for line in "".join(list_blocks(page, "console")).splitlines():
        command, *words = shlex.split(line, comments=True)
        if command == "python":
            run_script((folder / words[0]).read_text("utf-8"), folder)
            continue
        assert command == "synth", line
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            assert main(words) in (0, 3 * (words[0] == "verify")), line
        assert printed.getvalue() or "--out" in words, line


@pytest.mark.slow
@pytest.mark.parametrize("page", list_pages_with(PAGES, "console"), ids=lambda p: p.stem)
def test_commands_work(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All commands on a page of the documents work, one after the other, in an empty
    folder.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SYNTH_HOME", str(tmp_path))
    run_commands(page, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("page", COOKBOOK, ids=lambda p: p.stem)
def test_projects_work(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The programs of a project in the cookbook are saved as files, and its commands
    work.

    The first line of each program names its file, as a reader saves it.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SYNTH_HOME", str(tmp_path))
    for code in list_blocks(page, "python"):
        (tmp_path / code.split()[1]).write_text(code, encoding="utf-8")
    run_commands(page, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("page", list_pages_with(PAGES, "python"), ids=lambda p: p.stem)
def test_programs_print_what_they_say(page: Path, tmp_path: Path) -> None:
    """The Python code of a page, run as one program, prints what its comments promise, in
    order.

    Where the page reads release.zip, `MADE` writes one first.
    """
    code = "\n".join(list_blocks(page, "python"))
    if "release.zip" in code:
        run_script(MADE, tmp_path)
    lines = [line for line in code.splitlines() if "print(" in line and "  # " in line]
    promised = [line.split("  # ")[1] for line in lines]
    printed = run_script(code, tmp_path).splitlines()
    assert [line for line in printed if line in promised] == promised


MADE = """
import pandas as pd, synth
frame = pd.DataFrame({"age": [20, 40, 60, 80] * 250})
domain = synth.Domain(age=synth.Integer(18, 97, bins=16))
synth.release(frame, domain, epsilon=1).save("release.zip")
"""


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_notebooks_run(path: Path, tmp_path: Path) -> None:
    """The code cells of a notebook, two or more, run one after the other and print
    something.
    """
    notebook = load_site().notebook(path.read_text("utf-8"))
    code = ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code"]
    assert len(code) >= 2
    assert run_script("\n".join(code), tmp_path)


EXTENDING = sorted((DOCS / "extending").glob("*.md"))


def read_toy(page: str) -> str:
    """The test file that a page says it shows."""
    (name,) = re.findall(r"^It is `(tests/[\w/]+\.py)`", page, re.M)
    return (ROOT / name).read_text("utf-8")


def list_parts(code: str) -> set[str]:
    """The definitions of a program, and what it registers: by itself, or for the time of a
    test.
    """
    tree = ast.parse(code)
    definitions = [
        node for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)
    ]
    parts = {ast.unparse(node) for node in definitions}
    for node in ast.walk(tree):
        match node:
            case ast.Assign([ast.Name(id=name)]) if name.isupper() and node in tree.body:
                parts.add(ast.unparse(node))
            case ast.Assign([ast.Subscript(value=ast.Name()) as place]):
                parts.add(ast.unparse(node))
            case ast.Call(ast.Attribute(attr="setitem"), [table, key, value]):
                place = ast.Subscript(table, key)
                parts.add(f"{ast.unparse(place)} = {ast.unparse(value)}")
    return parts


@pytest.mark.parametrize("page", EXTENDING, ids=lambda p: p.stem)
def test_a_page_shows_the_toy_that_is_tested(page: Path) -> None:
    """All definitions on a page about extending Synth are those of the test file that it
    names.

    One of them registers the extension, in the form `KINDS[name] = value`.
    """
    parts_of_page = list_parts("\n".join(list_blocks(page, "python")))
    assert any("] = " in part for part in parts_of_page), "it registers what it adds"
    assert parts_of_page <= list_parts(read_toy(page.read_text("utf-8")))


def test_a_page_that_shows_another_toy_is_seen() -> None:
    """The comparison takes `m.setitem(KINDS, ...)` of a test for the page's `KINDS[...] =
    ...`, and finds other values.
    """
    toy = "A = 1\ndef test(m):\n    m.setitem(KINDS, A.name, A)"
    assert list_parts("A = 1  # one\nKINDS[A.name] = A\nprint(A)") <= list_parts(toy)
    assert list_parts("A = 2\nKINDS[A.key] = A") & list_parts(toy) == set()


def test_the_declaration_on_the_page_about_codes_loads() -> None:
    """The declaration on the page about codes can be read, with this number of cells for each
    of its six columns.
    """
    (declaration,) = list_blocks(DOCS / "how-to" / "codes.md", "json")
    assert read_schema(json.loads(declaration, parse_float=str)).shape == (
        16,
        4,
        13,
        21,
        3,
        3,
    )


def list_anchors(page: Path) -> set[str]:
    """The anchors that links may name, from the headings of a page."""
    heads = re.findall(r"^#+ (.+)$", FENCED.sub("", page.read_text("utf-8")), re.M)
    return {re.sub(r"[^\w\- ]", "", head).strip().lower().replace(" ", "-") for head in heads}


def test_all_internal_links_resolve(laid: Path) -> None:
    """Every link between pages leads to a page of the site, and to a heading on it if it
    names one.

    `laid` is the folder of pages as MkDocs gets them. Links to the web are not followed.
    """
    pages = sorted(laid.rglob("*.md"))
    assert len(pages) > 40
    for page in pages:
        text = FENCED.sub("", page.read_text("utf-8"))
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if target.startswith(("https://", "http://")):
                continue
            name, _, anchor = target.partition("#")
            there = (page.parent / name).resolve() if name else page
            assert there.is_file(), (page.name, target)
            assert laid.resolve() in there.resolve().parents, (page.name, target)
            assert not anchor or anchor in list_anchors(there), (page.name, target)


def test_every_page_is_in_the_contents(laid: Path) -> None:
    """The contents in mkdocs.yml list exactly the pages of the site."""
    names_of_pages = re.findall(
        r"- (?:[\w ]+: )?([\w/.-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.M
    )
    pages = {str(path.relative_to(laid)) for path in laid.rglob("*.md")}
    assert set(names_of_pages) == pages, (
        f"a line of mkdocs.yml for {set(names_of_pages) ^ pages}"
    )


def test_the_reference_has_every_name_and_command(laid: Path) -> None:
    """The reference has an entry for each public name, each command and each word of the
    glossary.
    """
    python = (laid / "reference" / "python.md").read_text("utf-8")
    for name in set(synth.__all__) - {"__version__"}:
        assert re.search(rf"^::: synth\.[\w.]+\.{name}$", python, re.M), name
    reference = (laid / "reference" / "command-line.md").read_text("utf-8")
    for name, _ in load_site().commands(parser()):
        assert f"## {name}\n" in reference
    glossary = (laid / "reference" / "glossary.md").read_text("utf-8")
    assert all(f"**{word}**\n:   {meaning}" in glossary for word, meaning in GLOSSARY.items())


PUBLIC = sorted(set(synth.__all__) - {"__version__"})


def list_without_example(described: object) -> list[str]:
    """What of a class no doctest shows: neither its own, nor that of the class by `.name`."""
    examples = "\n".join(
        re.findall(r"^ *(?:>>>|\.\.\.) (.*)$", inspect.getdoc(described) or "", re.M)
    )
    members = (
        vars(described)
        if inspect.isclass(described) and not issubclass(described, Exception)
        else {}
    )
    member_names = [name for name, value in members.items() if is_own(name, value)]
    lacking = [
        name
        for name in member_names
        if ">>>" not in (getattr(described, name).__doc__ or "")
        and not re.search(rf"\.{name}\b", examples)
    ]
    return lacking if examples else ["itself", *lacking]


def is_own(name: str, value: object) -> bool:
    """Whether it is a public method or property; defaults of fields are none."""
    kinds = property | cached_property | classmethod | FunctionType
    return not name.startswith("_") and isinstance(value, kinds)


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_has_an_example(name: str) -> None:
    assert list_without_example(getattr(synth, name)) == []


def test_a_name_without_an_example_is_seen() -> None:
    """The rule finds a class without an example, and a property that no example shows."""

    class WithoutExample:
        """Says nothing."""

        def summarise(self) -> None: ...

    class WithOneExample:
        """One of two.

        >>> WithOneExample().summarise()
        """

        summarise = WithoutExample.summarise
        size = property(WithoutExample.summarise)

    assert list_without_example(WithoutExample) == ["itself", "summarise"]
    assert list_without_example(WithOneExample) == ["size"]


def test_the_odds_are_right() -> None:
    """The table of odds on the site has the bounds that the package computes for prior
    chances of 10 % and 50 %.
    """
    rows = re.findall(
        r"^\| ([\d.]+) \| ([\d.]+) \| (.+?) \| (.+?) \|$",
        (DOCS / "explanation" / "odds.md").read_text("utf-8"),
        re.M,
    )
    assert len(rows) == 5
    for epsilon, _, tenth, half in rows:
        percents = [at_most(posterior(prior, Fraction(epsilon))) for prior in (0.1, 0.5)]
        assert [tenth, half] == percents, epsilon


def test_pictures_are_there_and_say_what_they_show() -> None:
    """Every picture of the documents exists and has a description of more than 20
    characters.
    """
    for page in PAGES:
        for description, target in re.findall(
            r"!\[(.*?)\]\((.+?)\)", page.read_text("utf-8")
        ):
            assert len(description) > 20
            assert (page.parent / target).is_file()
