"""Lanes: what is public imports neither what is private nor the door, in `synth` and in `pages`."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.house.rules import ROOT, holds_of_all, nodes_of, tree_of

PRIVATE = (
    "table",
    "counting",
    "queries",
    "comparison",
    "models.session",
    "models.strategies",
    "models.guided",
)
"""Rows, exact counts, and real-against-synthetic numbers."""
DOOR = (
    "door",
    "ledger.parts",
    "score",
    "models.run",
    "opening",
    "public_file",
    "pipeline",
    "asking",
    "fit",
    "draft",
)
"""They see both sides, for the time of a release."""
FRONT = ("__init__", "face", "cli", "__main__")
"""They show whatever they are asked for, under its name."""

PRIVATE_PAGES = {
    "ui.ask.real": {"comparison"},
    "ui.compare.compared": {"comparison"},
    "ui.compare.findings": {"comparison"},
    "ui.compare.guess": {"comparison"},
    "ui.data.choosing": {"table"},  # opens the table
    "ui.data.reading": {"table"},  # opens it in another way
    "ui.domain.importing": {"counting"},  # looks into it, where the steward asks for that
    "ui.release.checking": {"counting"},  # shows exact numbers to the steward
    "ui.release.released": {"comparison"},  # error bars and repairs: they see noisy counts only
    "ui.shell.release": {"table"},  # has the table as a value
    "ui.frame.warm": {"comparison"},  # loads it before there is any table
}
"""What each page imports of the private lane; a page that is not here imports nothing of it."""
DOOR_PAGES = {
    "ui.domain.drafting": {"draft", "opening"},  # drafts with a guarantee, once
    "ui.compare.guess": {"public_file"},  # reads the public table once more
    "ui.compare.scoring": {"pipeline"},  # buys a score
    "ui.release.checking": {"fit"},  # checks whether rows fit, and looks
    "ui.plan.guessing": {"public_file"},  # reads a public table
    "ui.shell.answered": {"asking"},  # asks
    "ui.shell.job": {"pipeline"},  # makes a release
    "ui.shell.state": {"opening"},  # asks the ledger whether a release was paid for
}
"""What each page imports of the door."""
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
    """Of a module of the package, named without the package."""
    for name, modules in (("private", PRIVATE), ("door", DOOR), ("front", FRONT)):
        if any(module == one or module.startswith(f"{one}.") for one in modules):
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
    """The module that an imported name is or is from; empty where it is of another package."""
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


def breaches(module: str, names: Iterator[str] | set[str]) -> set[str]:
    """Imports that a module of this lane may not have."""
    return {name for name in names if lane(module) == "public" and lane(name) != "public"}


@holds_of_all(modules())
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


PAGES = modules("pages")


def page_breaches(page: str, names: set[str]) -> set[str]:
    """Imports of the package that this page may not have."""
    allowed = PRIVATE_PAGES.get(page, set()) | DOOR_PAGES.get(page, set())
    closed = {name for name in names if lane(name) in ("private", "door")}
    return {name for name in closed if name.split(".")[0] not in allowed}


def opened(page: str, names: set[str]) -> set[str]:
    """Other pages that this one imports, though they are for their own step only."""
    own = page.rpartition(".")[0]
    listed = {*PRIVATE_PAGES, *DOOR_PAGES}
    theirs = {name for name in names & listed if not name.startswith(("ui.shell.", f"{own}."))}
    return set() if page in STEPS else theirs


@holds_of_all(PAGES)
def test_a_page_imports_of_the_closed_lanes_what_is_listed(page: str) -> None:
    names = set(imported(PAGES[page], modules()))
    assert not page_breaches(page, names)
    needed = PRIVATE_PAGES.get(page, set()) | DOOR_PAGES.get(page, set())
    assert needed <= {name.split(".")[0] for name in names}, "take it off the list"
    assert not opened(page, set(imported(PAGES[page], PAGES, "pages")))


def test_a_breach_among_the_pages_is_seen() -> None:
    assert {*PRIVATE_PAGES, *DOOR_PAGES, *STEPS} <= PAGES.keys()
    assert page_breaches("ui.plan.prediction", {"counting.counts", "pipeline", "plan"}) == {
        "counting.counts",
        "pipeline",
    }
    assert page_breaches("ui.compare.compared", {"comparison.tables", "door"}) == {"door"}
    assert opened("ui.plan.prediction", {"ui.data.choosing", "ui.shell.state"}) == {
        "ui.data.choosing"
    }
    assert not opened("ui.compare.findings", {"ui.compare.compared"})


ROOMS = sorted({path.parent for path in modules().values()} - {ROOT / "synth"})
LANES = {"PUBLIC", "PRIVATE", "DOOR", "FRONT"}


def told(text: str) -> tuple[str, dict[str, str]]:
    """The lane a package names for itself, and for each of its modules."""
    head = text.split("\n\n``")[0]
    room = next(iter(re.findall(r"\b(?:PUBLIC|PRIVATE|DOOR|FRONT)\b", head)), "")
    listed = re.findall(r"^``(\w+)`` +(.*)$", text, re.M)
    own = {name: re.search(r"\((PRIVATE|DOOR|FRONT|PUBLIC)\)", says) for name, says in listed}
    return room, {name: mark[1] if mark else room for name, mark in own.items()}


def doc(path: Path) -> str:
    return ast.get_docstring(tree_of(path)) or ""


@holds_of_all(ROOMS)
def test_a_package_maps_its_modules_and_names_their_lanes(room: Path) -> None:
    text = doc(room / "__init__.py")
    name, listed = told(text)
    assert name in LANES, "say in which lane it is"
    assert set(listed) == {path.stem for path in room.glob("*.py")} - {"__init__"}
    for module, said in listed.items():
        assert said == lane(f"{room.name}.{module}").upper(), module
    others = {module for module, said in listed.items() if said != name}
    named = set(re.findall(r"`(\w+)`", text.split("\n\n")[0]))
    assert named == others, "name the modules of another lane in the first line"


def labels(path: Path) -> set[str]:
    """The lanes that the docstrings of a module, its classes and functions end a sentence with."""
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef
    nodes = (n for n in nodes_of(path) if isinstance(n, kinds))
    texts = (ast.get_docstring(node) or "" for node in nodes)
    return {name for text in texts for name in re.findall(r"\b(PUBLIC|PRIVATE|DOOR)\b[.:]", text)}


@holds_of_all(name for name in modules() if lane(name) == "public")
def test_nothing_in_the_public_lane_calls_itself_private(module: str) -> None:
    path = modules()[module]
    assert path.name == "__init__.py" or labels(path) <= {"PUBLIC"}


def test_a_private_label_is_seen() -> None:
    assert labels(modules()["counting.counts"]) >= {"PRIVATE"}


def test_a_false_map_is_seen() -> None:
    assert told("Of it. PUBLIC but for `b`.\n\n``a``  one\n``b``  two (DOOR)") == (
        "PUBLIC",
        {"a": "PUBLIC", "b": "DOOR"},
    )
    assert told("Of it.\n\n``a``  one")[0] == ""
