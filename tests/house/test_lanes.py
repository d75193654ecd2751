"""Lanes are folders: what is public takes of the door only what holds no row.

Import-linter (`pyproject.toml`) checks that it imports neither `synth.private` nor
`synth.spending`, that rooms stand on floors, and that there are no circles. But it sees only
the room that an import names, and not the file behind it. So this module checks the names of
the door and the imports of pages. The lists may shrink and not grow."""

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from tests.house.rules import ROOT, holds_of_all, nodes_of, tree_of

LANES = {
    # Entries and balances, noisy answers and paid preparations hold no row.
    "public": ("door.ledger", "door.measured", "door.preparations"),
    "private": ("private",),  # rows, exact counts, real-against-synthetic numbers
    "door": ("door", "spending"),  # both sides, for the time of a spend
    "front": ("__init__", "__main__", "api", "cli"),  # whatever is asked for, under its name
}
"""The folders of each lane, the first that fits; all else is public by its place."""

CLOSED_PAGES = {
    "ui.ask.real": {"private.comparison"},
    "ui.compare.compared": {"private.comparison"},
    "ui.compare.findings": {"private.comparison"},
    "ui.compare.guess": {"private.comparison", "spending.public_file"},
    "ui.compare.scoring": {"spending.score"},
    "ui.data.choosing": {"private.counting", "private.table"},
    "ui.data.reading": {"private.table"},
    "ui.domain.importing": {"private.counting", "spending.draft"},
    "ui.frame.warm": {"private.comparison"},
    "ui.plan.guessing": {"spending.public_file"},
    "ui.release.checking": {"private.counting", "spending.fit"},
    "ui.release.released": {"private.comparison"},
    "ui.shell.job": {"spending.asking", "spending.pipeline", "spending.purchase"},
    "ui.shell.release": {"private.table"},
    "ui.shell.state": {"spending.purchase"},
}
"""What each page imports of the private lane and of the door's; other pages import
nothing.
"""
STEPS = {
    "steps.ask",
    "steps.data",
    "steps.domain",
    "steps.plan",
    "steps.compare",
    "ui.release.released",
}
"""Pages that may show what another page took from the private lane or through the door."""


def lane(module: str) -> str:
    """Return the lane of a module, named without the package."""
    for name, places in LANES.items():
        if any(module == one or module.startswith(f"{one}.") for one in places):
            return name
    return "public"


@cache
def modules(package: str = "synth", root: Path = ROOT) -> dict[str, Path]:
    names = {}
    for path in (root / package).rglob("*.py"):
        parts = path.relative_to(root / package).with_suffix("").parts
        names[".".join(parts).removesuffix(".__init__")] = path
    return names


@cache
def listing(path: Path) -> frozenset[ast.AST]:
    """What an `__init__` lists for type checkers, and imports when somebody asks for it."""
    blocks = [one for one in tree_of(path).body if isinstance(one, ast.If)]
    lazy = [one for one in blocks if ast.unparse(one.test) == "TYPE_CHECKING"]
    is_room = path.name == "__init__.py"
    return frozenset(node for block in lazy for node in ast.walk(block) if is_room)


def offered(path: Path) -> dict[str, str]:
    """The names that an `__init__` lists, and where each is from."""
    lines = [one for one in listing(path) if isinstance(one, ast.ImportFrom)]
    return {alias.name: f"{one.module}.{alias.name}" for one in lines for alias in one.names}


def home(name: str, known: dict[str, Path], package: str) -> str:
    """The module that an imported name is or is from; empty where it is of another
    package.
    """
    if name != package and not name.startswith(f"{package}."):
        return ""
    inner = name.removeprefix(package).removeprefix(".")
    if inner in known:
        return inner
    room, _, last = inner.rpartition(".")
    room = room or "__init__"
    listed = offered(known[room]).get(last) if room in known else None
    if listed:
        return home(listed, known, package)
    return room if room in known else ""


def imported(path: Path, known: dict[str, Path], package: str = "synth") -> Iterator[str]:
    """What a module imports of a package, wherever it does so.

    An `__init__` does not import the names that it lists. Who imports such a name imports the
    module that it is from.
    """
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node not in listing(path):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from filter(None, (home(name, known, package) for name in names))


def closed_doors(module: str, names: Iterable[str]) -> set[str]:
    """Return modules of the door that a module takes names from, and may not."""
    if lane(module) != "public":
        return set()
    return {name for name in names if name.startswith("door.") and lane(name) == "door"}


@holds_of_all(modules())
def test_what_is_public_takes_of_the_door_what_holds_no_row(module: str) -> None:
    known = modules()
    assert not closed_doors(module, imported(known[module], known))


def test_the_lanes_are_there_and_a_breach_is_seen() -> None:
    known = modules()
    for name in (place for places in LANES.values() for place in places):
        assert name in known or any(module.startswith(f"{name}.") for module in known), name
    imports = ["domain", "door.door", "door.ledger.ledger", "door.query"]
    assert closed_doors("verification.files", imports) == {"door.door", "door.query"}
    assert not closed_doors("private.queries.tables", imports)


PAGES = modules("pages")


def page_breaches(page: str, names: set[str]) -> set[str]:
    """Return the imports of the package that this page may not have."""
    allowed = tuple(CLOSED_PAGES.get(page, ()))
    closed = {name for name in names if lane(name) in ("private", "door")}
    return {
        name for name in closed if not f"{name}.".startswith(tuple(f"{a}." for a in allowed))
    }


def opened(page: str, names: set[str]) -> set[str]:
    """Return other pages that this one imports, though they are for their own step only."""
    own = page.rpartition(".")[0]
    theirs = {
        name
        for name in names & {*CLOSED_PAGES}
        if not name.startswith(("ui.shell.", f"{own}."))
    }
    return set() if page in STEPS else theirs


@holds_of_all(PAGES)
def test_a_page_imports_of_the_closed_lanes_what_is_listed(page: str) -> None:
    names = set(imported(PAGES[page], modules()))
    assert not page_breaches(page, names)
    unused = [
        a for a in CLOSED_PAGES.get(page, ()) if not any(n.startswith(a) for n in names)
    ]
    assert not unused, "take it off the list"
    assert not opened(page, set(imported(PAGES[page], PAGES, "pages")))


def test_a_breach_among_the_pages_is_seen() -> None:
    assert {*CLOSED_PAGES, *STEPS} <= PAGES.keys()
    names = {"private.counting.counts", "spending.pipeline", "plans.plan"}
    assert page_breaches("ui.plan.prediction", names) == names - {"plans.plan"}
    seen = page_breaches("ui.compare.compared", {"private.comparison.tables", "door.door"})
    assert seen == {"door.door"}
    assert opened("ui.plan.prediction", {"ui.data.choosing", "ui.shell.state"}) == {
        "ui.data.choosing"
    }
    assert not opened("ui.compare.findings", {"ui.compare.compared"})


ROOMS = sorted({path.parent for path in modules().values()} - {ROOT / "synth"})


def doc(path: Path) -> str:
    return ast.get_docstring(tree_of(path)) or ""


@holds_of_all(ROOMS)
def test_a_room_maps_its_modules(room: Path) -> None:
    listed = re.findall(r"^``(\w+)`` +\S", doc(room / "__init__.py"), re.M)
    here = {path.stem for path in room.glob("*.py")} | {
        path.parent.name for path in room.glob("*/__init__.py")
    }
    assert sorted(listed) == sorted(here - {"__init__"})


def labels(path: Path) -> set[str]:
    """Return the lanes that the docstrings of a module, its classes and functions name."""
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef
    nodes = (n for n in nodes_of(path) if isinstance(n, kinds))
    texts = (ast.get_docstring(node) or "" for node in nodes)
    return {
        name for text in texts for name in re.findall(r"\b(PUBLIC|PRIVATE|DOOR)\b[.:]", text)
    }


@holds_of_all(name for name in modules() if lane(name) == "public")
def test_nothing_in_the_public_lane_calls_itself_private(module: str) -> None:
    assert labels(modules()[module]) <= {"PUBLIC"}


def test_a_private_label_is_seen() -> None:
    assert labels(modules()["private.counting.counts"]) >= {"PRIVATE"}
