"""The documentation keeps its word: notebooks run, links and anchors resolve, and the
reference is complete. `test_typed.py` types its pages.
"""

import ast
import importlib.util
import inspect
import json
import re
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

import synth
from synth.bundle import at_most, posterior
from synth.cli.main import parser
from synth.domain import read_schema
from synth.util import GLOSSARY
from tests.house.reader import FENCED, read_fences, work_in

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.py"))
PAGES = sorted(
    path
    for path in DOCS.rglob("*.md")
    if path.parent.name not in ("evidence", "proofs") and path.name != "changelog.md"
)


def list_blocks(page: Path, language: str) -> list[str]:
    """The code of a page in fences of a language."""
    return [code for name, code in read_fences(page.read_text("utf-8")) if name == language]


def load_script(name: str) -> ModuleType:
    """A script of `.ci`: `site`, which lays out the pages, or `notebooks`."""
    spec = importlib.util.spec_from_file_location(
        f"{name}_of_ci", ROOT / ".ci" / f"{name}.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def laid(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages as MkDocs gets them."""
    folder = tmp_path_factory.mktemp("site") / "docs"
    load_script("site").main(folder)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_notebooks_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The code cells of a notebook, two or more, run one after the other, and each shows
    something.
    """
    work_in(tmp_path, monkeypatch)
    notebook = load_script("notebooks").run_notebook(path.read_text("utf-8"))
    outputs = [c["outputs"] for c in notebook["cells"] if c["cell_type"] == "code"]
    assert len(outputs) >= 2
    assert sum(map(bool, outputs)) >= 2


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_notebooks_are_kept_with_the_outputs_of_their_script(path: Path) -> None:
    """The notebook beside a script has the cells of the script, run in order, with outputs
    that name no folder of a machine. `make notebooks` writes it.
    """
    made = json.loads(path.with_suffix(".ipynb").read_text("utf-8"))
    expected = load_script("notebooks").notebook(path.read_text("utf-8"))["cells"]
    for cell, unrun in zip(made["cells"], expected, strict=True):
        run = {name: cell[name] for name in ("outputs", "execution_count") if name in cell}
        assert cell == {**unrun, **run}
    counts = [c["execution_count"] for c in made["cells"] if c["cell_type"] == "code"]
    assert counts == list(range(1, len(counts) + 1))
    outputs = json.dumps([c.get("outputs") for c in made["cells"]])
    assert "text" in outputs
    assert not re.search(r"/(home|root|tmp|work|Users)/", outputs)


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


def list_links(page: Path) -> list[str]:
    """Where the links and pictures of a page lead, without those to the web."""
    targets = re.findall(r"\]\(([^)\s]+)\)", FENCED.sub("", page.read_text("utf-8")))
    return [t for t in targets if not t.startswith(("https://", "http://"))]


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
        for target in list_links(page):
            name, _, anchor = target.partition("#")
            there = (page.parent / name).resolve() if name else page
            assert there.is_file(), (page.name, target)
            assert laid.resolve() in there.resolve().parents, (page.name, target)
            assert not anchor or anchor in list_anchors(there), (page.name, target)


WRITTEN = sorted([ROOT / "README.md", *(ROOT / ".github").rglob("*.md"), *DOCS.rglob("*.md")])
"""The pages as a code host shows them."""


@pytest.mark.parametrize("page", WRITTEN, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_resolve_on_a_code_host(page: Path) -> None:
    """Every relative link of a written page leads to a file of the repository, and to a
    heading of it if it names one.
    """
    for target in list_links(page):
        name, _, anchor = target.partition("#")
        there = (page.parent / name).resolve() if name else page
        assert there.exists(), target
        assert ROOT in there.parents, target
        assert not anchor or anchor in list_anchors(there), target


def test_few_pages_lie_loose_in_the_documents() -> None:
    """All pages are in a folder by their kind, but those that a reader looks for at the
    top.
    """
    assert {path.stem for path in DOCS.glob("*.md")} == {
        "architecture",
        "changelog",
        "contributing",
        "index",
        "tutorial",
    }


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
    for name, _ in load_script("site").commands(parser()):
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
