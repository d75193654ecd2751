"""Pages for developers name files that exist, and names that these files define."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from tests.house.reader import FENCED

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "docs" / "architecture.md", *sorted((ROOT / "docs/extending").glob("*.md"))]
PROGRAMS = [
    path
    for folder in ("synth", "pages", "tests")
    for path in sorted((ROOT / folder).rglob("*.py"))
]

PATH = re.compile(r"`([\w/]+\.py)`")
"""A file that a page names, with or without the folders above it."""
PLACED_NAME = re.compile(r"`([A-Za-z_][\w.]*)` (?:of|in|\()\s?`([\w/]+\.py)`")
"""A name and its file, such as "`KINDS` in `registry.py`", or with the file in brackets."""


def prose_of(page: Path) -> str:
    """The text of a page without its programs, on one line."""
    return " ".join(FENCED.sub("", page.read_text("utf-8")).split())


def files_named(name: str) -> list[Path]:
    """The files whose paths end with a name of a page."""
    return [path for path in PROGRAMS if f"/{path.relative_to(ROOT)}".endswith(f"/{name}")]


@cache
def defined_names(path: Path) -> set[str]:
    """The classes, functions, attributes and constants of a file, without its imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                names.add(name)
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.Name(id=name, ctx=ast.Store()):
                names.add(name)
    return names


def wrong_places(text: str) -> list[str]:
    """What a text says of files that do not exist, or that do not define a name."""
    faults = [f"no file {name}" for name in PATH.findall(text) if not files_named(name)]
    for name, file in PLACED_NAME.findall(text):
        places = files_named(file)
        attribute = name.rsplit(".", 1)[-1]
        if places and not any(attribute in defined_names(path) for path in places):
            faults.append(f"no {name} in {file}")
    return faults


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_files_and_names_are_where_a_page_says(page: Path) -> None:
    """Each file that a page names exists, and each name with a file is defined there."""
    assert wrong_places(prose_of(page)) == []


def test_a_wrong_place_is_seen() -> None:
    """A missing file is seen, and a name that a file only imports: `Repair` in
    `histogram.py`.
    """
    text = "See `Means` of `histogram.py`, `Repair` in `histogram.py`, and `lost_file.py`."
    assert wrong_places(text) == ["no file lost_file.py", "no Repair in histogram.py"]
