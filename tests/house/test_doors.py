"""A room has one door: others import what its `__init__` offers, and not from its files."""

import ast
from collections import defaultdict
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

from tests.house.rules import PAGES, ROOT, SYNTH, holds_of_all, nodes_of
from tests.house.test_lanes import list_offered_names

PACKAGES = ("synth", "pages")
DEEP = ("synth.private", "pages.ui")
"""Folders whose folders are rooms."""
FRONTS = ("synth.api", "synth.cli")
"""Rooms whose files are each loaded for one command or one function alone."""
BELOW = ("synth.util.lazy.offer", "synth.util.version.__version__")
"""What doors themselves are made of."""
ROOMS = {
    ".".join(path.parent.relative_to(ROOT).parts): path
    for path in SYNTH
    if path.name == "__init__.py" and path.parent != ROOT / "synth"
}
"""The `__init__` of each folder of the package."""


def room_of(module: str) -> str:
    """Return the folder at the top that a module is in, or the module if it is in none."""
    is_deep = any(module.startswith(f"{folder}.") for folder in DEEP)
    return ".".join(module.split(".")[: 3 if is_deep else 2])


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def list_side_entries(path: Path) -> list[str]:
    """What a module imports from the files of other rooms."""
    own_room = room_of(module_of(path))
    lines = (node for node in nodes_of(path) if isinstance(node, ast.ImportFrom))
    names = [f"{line.module}.{alias.name}" for line in lines for alias in line.names]
    return [
        name
        for name in names
        if (room := room_of(name)) in ROOMS
        and room not in (own_room, *FRONTS)
        and name.count(".") > room.count(".") + 1
        and name not in BELOW
    ]


@holds_of_all(path for path in [*SYNTH, *PAGES] if path.parent != ROOT / "synth")
@pytest.mark.slow
def test_others_import_from_the_room(path: Path) -> None:
    """Each file imports from another room only what its `__init__` offers, not from its
    files.
    """
    assert list_side_entries(path) == []


@cache
def list_imported_names() -> dict[str | None, set[str]]:
    """The names that any file imports from each module."""
    names: dict[str | None, set[str]] = defaultdict(set)
    tests = (ROOT / "tests").rglob("*.py")
    nodes_of_program = (node for file in (*SYNTH, *PAGES) for node in nodes_of(file))
    nodes_of_tests = (
        node for file in tests for node in ast.walk(ast.parse(file.read_bytes()))
    )
    for node in chain(nodes_of_program, nodes_of_tests):  # tests are not kept in memory
        if isinstance(node, ast.ImportFrom):
            names[node.module].update(alias.name for alias in node.names)
    return names


@holds_of_all(name for name, path in ROOMS.items() if list_offered_names(path))
@pytest.mark.slow
def test_a_room_offers_what_others_use(name: str) -> None:
    """Every name that a room's `__init__` offers is imported by some other file or test."""
    uses = list_imported_names()[name]
    attributes = {"synth.private.queries"}  # imported as a whole: `queries.marginal`
    assert name in attributes or set(list_offered_names(ROOMS[name])) <= uses


@holds_of_all(SYNTH + PAGES)
def test_imports_are_written_so_that_they_can_be_followed(path: Path) -> None:
    """Files import names of the package by `from synth... import name`, neither relatively
    nor as a module.
    """
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            names = {alias.name.split(".")[0] for alias in node.names}
            assert not names & {*PACKAGES}, "import a name from it"
        if isinstance(node, ast.ImportFrom):
            assert not node.level, "name the package"


def test_a_side_entry_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rule finds an import from a file of another room, and lets one from its
    `__init__` pass.
    """
    file = tmp_path / "synth" / "rows" / "one.py"
    file.parent.mkdir(parents=True)
    file.write_text("from synth.noise import KNorm\nfrom synth.noise.knorm import Norm\n")
    monkeypatch.setattr("tests.house.test_doors.ROOT", tmp_path)
    assert list_side_entries(file) == ["synth.noise.knorm.Norm"]
