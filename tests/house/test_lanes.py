"""Lanes: what is public imports neither what is private nor the door."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

PRIVATE = ("table", "counting", "queries", "comparison", "models.session", "models.strategies")
"""Rows, exact counts, and real-against-synthetic numbers."""
DOOR = ("door", "ledger.parts", "score", "models.run", "pipeline")
"""They see both sides, for the time of a release."""
FRONT = ("cli", "__main__")
"""They show whatever they are asked for, under its name."""


def lane(module: str) -> str:
    """Of a module of the package, named without the package."""
    for name, modules in (("private", PRIVATE), ("door", DOOR), ("front", FRONT)):
        if any(module == one or module.startswith(f"{one}.") for one in modules):
            return name
    return "public"


@cache
def modules() -> dict[str, Path]:
    names = {}
    for path in (ROOT / "synth").rglob("*.py"):
        parts = path.relative_to(ROOT / "synth").with_suffix("").parts
        names[".".join(parts).removesuffix(".__init__")] = path
    return names


def imported(path: Path, known: dict[str, Path]) -> Iterator[str]:
    """What a module imports of the package, wherever it does so."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names] + [node.module]
        else:
            continue
        yield from (name for one in names if (name := one.removeprefix("synth.")) in known)


def breaches(module: str, names: Iterator[str] | set[str]) -> set[str]:
    """Imports that a module of this lane may not have."""
    return {name for name in names if lane(module) == "public" and lane(name) != "public"}


@pytest.mark.parametrize("module", modules())
def test_what_is_public_imports_nothing_private(module: str) -> None:
    known = modules()
    assert not breaches(module, set(imported(known[module], known)))


def test_the_lanes_are_there_and_a_breach_is_seen() -> None:
    known = modules()
    for name in (*PRIVATE, *DOOR, *FRONT):
        assert name in known or any(module.startswith(f"{name}.") for module in known), name
    assert breaches("verification.files", {"counting.counts", "domain", "door"}) == {
        "counting.counts",
        "door",
    }
    assert not breaches("comparison.tables", {"counting.counts"})
