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


def blocks(page: Path, language: str) -> list[str]:
    return [
        code for name, code in FENCED.findall(page.read_text("utf-8")) if name == language
    ]


def site() -> ModuleType:
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
    site().main(folder)
    return folder


def ran(script: str, folder: Path) -> str:
    """What a program of its own prints, with no warning."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "SYNTH_HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def named(pages: list[Path], language: str) -> list[Path]:
    return [page for page in pages if blocks(page, language) and page not in COOKBOOK]


def run_commands(page: Path, folder: Path) -> None:
    """Run all commands of a page, in a folder; `verify` may leave claims unchecked."""
    for line in "".join(blocks(page, "console")).splitlines():
        command, *words = shlex.split(line, comments=True)
        if command == "python":
            ran((folder / words[0]).read_text("utf-8"), folder)
            continue
        assert command == "synth", line
        with contextlib.redirect_stdout(io.StringIO()) as said:
            assert main(words) in (0, 3 * (words[0] == "verify")), line
        assert said.getvalue() or "--out" in words, line


@pytest.mark.slow
@pytest.mark.parametrize("page", named(PAGES, "console"), ids=lambda p: p.stem)
def test_commands_work(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SYNTH_HOME", str(tmp_path))
    run_commands(page, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("page", COOKBOOK, ids=lambda p: p.stem)
def test_projects_work(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first line of each program names its file, as a reader saves it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SYNTH_HOME", str(tmp_path))
    for code in blocks(page, "python"):
        (tmp_path / code.split()[1]).write_text(code, encoding="utf-8")
    run_commands(page, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("page", named(PAGES, "python"), ids=lambda p: p.stem)
def test_programs_print_what_they_say(page: Path, tmp_path: Path) -> None:
    """A page is one program; a bundle called release.zip is there."""
    code = "\n".join(blocks(page, "python"))
    if "release.zip" in code:
        ran(MADE, tmp_path)
    lines = [line for line in code.splitlines() if "print(" in line and "  # " in line]
    promised = [line.split("  # ")[1] for line in lines]
    printed = ran(code, tmp_path).splitlines()
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
    notebook = site().notebook(path.read_text("utf-8"))
    code = ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code"]
    assert len(code) >= 2
    assert ran("\n".join(code), tmp_path)


EXTENDING = sorted((DOCS / "extending").glob("*.md"))


def toy_of(page: str) -> str:
    """The test file that a page says it shows."""
    (name,) = re.findall(r"^It is `(tests/[\w/]+\.py)`", page, re.M)
    return (ROOT / name).read_text("utf-8")


def parts_of(code: str) -> set[str]:
    """The definitions of a program, and what it registers: by itself, or for the time of a
    test.
    """
    tree = ast.parse(code)
    found = [node for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)]
    parts = {ast.unparse(node) for node in found}
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
    shown = parts_of("\n".join(blocks(page, "python")))
    assert any("] = " in part for part in shown), "it registers what it adds"
    assert shown <= parts_of(toy_of(page.read_text("utf-8")))


def test_a_page_that_shows_another_toy_is_seen() -> None:
    toy = "A = 1\ndef test(m):\n    m.setitem(KINDS, A.name, A)"
    assert parts_of("A = 1  # one\nKINDS[A.name] = A\nprint(A)") <= parts_of(toy)
    assert parts_of("A = 2\nKINDS[A.key] = A") & parts_of(toy) == set()


def test_declarations_load() -> None:
    (declaration,) = blocks(DOCS / "how-to" / "codes.md", "json")
    assert read_schema(json.loads(declaration, parse_float=str)).shape == (
        16,
        4,
        13,
        21,
        3,
        3,
    )


def anchors(page: Path) -> set[str]:
    heads = re.findall(r"^#+ (.+)$", FENCED.sub("", page.read_text("utf-8")), re.M)
    return {re.sub(r"[^\w\- ]", "", head).strip().lower().replace(" ", "-") for head in heads}


def test_all_internal_links_resolve(laid: Path) -> None:
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
            assert not anchor or anchor in anchors(there), (page.name, target)


def test_every_page_is_in_the_contents(laid: Path) -> None:
    listed = re.findall(
        r"- (?:[\w ]+: )?([\w/.-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.M
    )
    pages = {str(path.relative_to(laid)) for path in laid.rglob("*.md")}
    assert set(listed) == pages, f"a line of mkdocs.yml for {set(listed) ^ pages}"


def test_the_reference_has_every_name_and_command(laid: Path) -> None:
    python = (laid / "reference" / "python.md").read_text("utf-8")
    for name in set(synth.__all__) - {"__version__"}:
        assert re.search(rf"^::: synth\.[\w.]+\.{name}$", python, re.M), name
    listed = (laid / "reference" / "command-line.md").read_text("utf-8")
    for name, _ in site().commands(parser()):
        assert f"## {name}\n" in listed
    words = (laid / "reference" / "glossary.md").read_text("utf-8")
    assert all(f"**{word}**\n:   {said}" in words for word, said in GLOSSARY.items())


PUBLIC = sorted(set(synth.__all__) - {"__version__"})


def without_example(one: object) -> list[str]:
    """What of a class no doctest shows: neither its own, nor that of the class by `.name`."""
    shown = "\n".join(re.findall(r"^ *(?:>>>|\.\.\.) (.*)$", inspect.getdoc(one) or "", re.M))
    members = vars(one) if inspect.isclass(one) and not issubclass(one, Exception) else {}
    listed = [name for name, value in members.items() if is_own(name, value)]
    lacking = [
        name
        for name in listed
        if ">>>" not in (getattr(one, name).__doc__ or "")
        and not re.search(rf"\.{name}\b", shown)
    ]
    return lacking if shown else ["itself", *lacking]


def is_own(name: str, value: object) -> bool:
    """Whether it is a public method or property; defaults of fields are none."""
    kinds = property | cached_property | classmethod | FunctionType
    return not name.startswith("_") and isinstance(value, kinds)


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_has_an_example(name: str) -> None:
    assert without_example(getattr(synth, name)) == []


def test_a_name_without_an_example_is_seen() -> None:
    class Bare:
        """Says nothing."""

        def told(self) -> None: ...

    class Half:
        """One of two.

        >>> Half().told()
        """

        told = Bare.told
        kept = property(Bare.told)

    assert without_example(Bare) == ["itself", "told"]
    assert without_example(Half) == ["kept"]


def test_the_odds_are_right() -> None:
    rows = re.findall(
        r"^\| ([\d.]+) \| ([\d.]+) \| (.+?) \| (.+?) \|$",
        (DOCS / "explanation" / "odds.md").read_text("utf-8"),
        re.M,
    )
    assert len(rows) == 5
    for epsilon, _, tenth, half in rows:
        told = [at_most(posterior(prior, Fraction(epsilon))) for prior in (0.1, 0.5)]
        assert [tenth, half] == told, epsilon


def test_pictures_are_there_and_say_what_they_show() -> None:
    for page in PAGES:
        for said, target in re.findall(r"!\[(.*?)\]\((.+?)\)", page.read_text("utf-8")):
            assert len(said) > 20
            assert (page.parent / target).is_file()
