"""No circles: neither between modules nor between rooms, in `synth` and in `pages`.

An import counts wherever it stands: for type checkers alone, or inside a function.
"""

import ast
from collections.abc import Callable, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from tests.house.rules import PAGES, ROOT, SYNTH, holds_of_all, nodes_of
from tests.house.test_lanes import imported, modules

PACKAGES = ("synth", "pages")
DEEP = ("synth.private", "pages.ui")
"""Folders whose folders are rooms."""

Graph = Mapping[str, set[str]]
"""What each module or room imports."""


@cache
def graph(root: Path = ROOT) -> Graph:
    """The modules of both packages, by their whole names."""
    known = {package: modules(package, root) for package in PACKAGES}
    return {
        f"{package}.{name}": {
            f"{other}.{one}"
            for other in PACKAGES
            for one in imported(path, known[other], other)
        }
        for package in PACKAGES
        for name, path in known[package].items()
    }


def room(module: str) -> str:
    """The folder at the top that a module is in, or the module itself where it is in none."""
    deep = any(module.startswith(f"{folder}.") for folder in DEEP)
    return ".".join(module.split(".")[: 3 if deep else 2])


def rooms(files: Graph) -> Graph:
    """What each room imports of others."""
    found: dict[str, set[str]] = {}
    for module, names in files.items():
        own = room(module)
        found[own] = found.get(own, set()) | ({room(name) for name in names} - {own})
    return found


def circle(found: Graph) -> list[str]:
    """One circle, each importing the one before it; empty where there is none."""
    try:
        TopologicalSorter(found).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_module_imports_itself_by_way_of_others() -> None:
    found = graph()
    assert len(found) > 400
    assert circle(found) == []


def test_no_two_rooms_import_each_other_by_any_way() -> None:
    found = rooms(graph())
    assert {"synth.noise", "synth.domain", "pages.steps", "pages.ui.shell"} <= found.keys()
    assert circle(found) == []


@holds_of_all(SYNTH + PAGES)
def test_imports_are_written_so_that_they_can_be_followed(path: Path) -> None:
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            names = {alias.name.split(".")[0] for alias in node.names}
            assert not names & {*PACKAGES}, "import a name from it"
        if isinstance(node, ast.ImportFrom):
            assert not node.level, "name the package"


TREE = {
    "synth/a/__init__.py": "from typing import TYPE_CHECKING\n"
    "if TYPE_CHECKING:\n    from synth.a.one import One\n    from synth.a.three import Three",
    "synth/a/one.py": "def late():\n    from synth.b.two import Two",
    "synth/a/three.py": "",
    "synth/b/two.py": "import os\nfrom typing import Any",
    "synth/private/table/open.py": "from synth.private.counting.count import count",
    "synth/private/counting/count.py": "from synth.a import Three",
    "pages/ui/shell/draft.py": "from synth.a import one",
    "pages/ui/data/look.py": "from pages.ui.shell.draft import Draft",
}
"""Files of a package without a circle."""


@pytest.fixture
def built(tmp_path: Path) -> Callable[[Mapping[str, str]], Graph]:
    def build(changed: Mapping[str, str]) -> Graph:
        for name, text in {**TREE, **changed}.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        return graph(tmp_path)

    return build


def test_names_that_a_room_offers_are_followed_to_their_modules(
    built: Callable[[Mapping[str, str]], Graph],
) -> None:
    found = built({})
    assert found["synth.a"] == set()
    assert found["synth.a.one"] == {"synth.b.two"}
    assert found["synth.private.counting.count"] == {"synth.a.three"}
    assert found["pages.ui.shell.draft"] == {"synth.a.one"}
    assert (circle(found), circle(rooms(found))) == ([], [])


@pytest.mark.parametrize(
    ("name", "text", "files"),
    [
        (
            "synth/b/two.py",
            "def late():\n    from synth.a import One",
            {"synth.a.one", "synth.b.two"},
        ),
        (
            "synth/b/two.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from synth.a.one "
            "import One",
            {"synth.a.one", "synth.b.two"},
        ),
        ("synth/b/two.py", "from synth.a import Three", set()),
        ("synth/private/counting/more.py", "from synth.private.table import open", set()),
        ("pages/ui/shell/more.py", "from pages.ui.data.look import look", set()),
        (
            "pages/ui/shell/draft.py",
            "from pages.ui.data.look import look",
            {"pages.ui.shell.draft", "pages.ui.data.look"},
        ),
    ],
)
def test_a_circle_is_seen(
    built: Callable[[Mapping[str, str]], Graph], name: str, text: str, files: set[str]
) -> None:
    found = built({name: text})
    assert set(circle(found)) == files
    assert len(set(circle(rooms(found)))) == 2
