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
    "ui.compare.details": {"private.comparison"},
    "ui.compare.guess": {"private.comparison", "spending.public_file"},
    "ui.compare.scoring": {"spending.score"},
    "ui.data.choosing": {"private.table"},
    "ui.data.databases": {"private.table"},
    "ui.data.format_options": {"private.table"},
    "ui.data.reading": {"private.table"},
    "ui.data.taking": {"private.table"},
    "ui.data.unclear": {"private.table"},
    "ui.data.waiting": {"private.table"},
    "ui.domain.importing": {"private.counting", "spending.draft"},
    "ui.frame.warm": {"private.comparison"},
    "ui.plan.guessing": {"spending.public_file"},
    "ui.release.checking": {"private.counting", "spending.fit"},
    "ui.release.released": {"private.comparison"},
    "ui.shell.job": {"spending.asking", "spending.purchase"},
    "ui.shell.reading": {"private.counting", "private.table"},
    "ui.shell.release": {"private.table"},
    "ui.shell.release_job": {"spending.pipeline", "spending.purchase"},
    "ui.shell.at_work": {"spending.purchase"},
    "ui.shell.budgets": {"spending.purchase"},
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


def lane_of(module: str) -> str:
    """Return the lane of a module, named without the package."""
    for name, places in LANES.items():
        if any(module == place or module.startswith(f"{place}.") for place in places):
            return name
    return "public"


@cache
def list_modules(package: str = "synth", root: Path = ROOT) -> dict[str, Path]:
    """The files of a package by module, named without the package."""
    names = {}
    for path in (root / package).rglob("*.py"):
        parts = path.relative_to(root / package).with_suffix("").parts
        names[".".join(parts).removesuffix(".__init__")] = path
    return names


@cache
def list_lazy_nodes(path: Path) -> frozenset[ast.AST]:
    """What an `__init__` lists for type checkers, and imports when somebody asks for it."""
    blocks = [node for node in tree_of(path).body if isinstance(node, ast.If)]
    lazy = [node for node in blocks if ast.unparse(node.test) == "TYPE_CHECKING"]
    is_room = path.name == "__init__.py"
    return frozenset(node for block in lazy for node in ast.walk(block) if is_room)


def list_offered_names(path: Path) -> dict[str, str]:
    """The names that an `__init__` lists, and where each is from."""
    lines = [line for line in list_lazy_nodes(path) if isinstance(line, ast.ImportFrom)]
    return {
        alias.name: f"{line.module}.{alias.name}" for line in lines for alias in line.names
    }


def find_home(name: str, paths_by_module: dict[str, Path], package: str) -> str:
    """The module that an imported name is or is from; empty where it is of another
    package.
    """
    if name != package and not name.startswith(f"{package}."):
        return ""
    inner = name.removeprefix(package).removeprefix(".")
    if inner in paths_by_module:
        return inner
    room, _, last = inner.rpartition(".")
    room = room or "__init__"
    offered_from = (
        list_offered_names(paths_by_module[room]).get(last)
        if room in paths_by_module
        else None
    )
    if offered_from:
        return find_home(offered_from, paths_by_module, package)
    return room if room in paths_by_module else ""


def list_imports(
    path: Path, paths_by_module: dict[str, Path], package: str = "synth"
) -> Iterator[str]:
    """What a module imports of a package, wherever it does so.

    An `__init__` does not import the names that it lists. Who imports such a name imports the
    module that it is from.
    """
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif (
            isinstance(node, ast.ImportFrom)
            and node.module
            and node not in list_lazy_nodes(path)
        ):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from filter(None, (find_home(name, paths_by_module, package) for name in names))


def find_closed_doors(module: str, names: Iterable[str]) -> set[str]:
    """Return modules of the door that a module takes names from, and may not."""
    if lane_of(module) != "public":
        return set()
    return {name for name in names if name.startswith("door.") and lane_of(name) == "door"}


@holds_of_all(list_modules())
def test_what_is_public_takes_of_the_door_what_holds_no_row(module: str) -> None:
    """No module of the public lane imports a module of the door that sees private rows."""
    paths_by_module = list_modules()
    assert not find_closed_doors(
        module, list_imports(paths_by_module[module], paths_by_module)
    )


def test_the_lanes_are_there_and_a_breach_is_seen() -> None:
    """Every folder on the list of lanes exists, and the rule finds what a public module may
    not import of the door.

    `door.ledger` holds no row, and is allowed. A module of the private lane may import
    all.
    """
    paths_by_module = list_modules()
    for name in (place for places in LANES.values() for place in places):
        assert name in paths_by_module or any(
            module.startswith(f"{name}.") for module in paths_by_module
        ), name
    imports = ["domain", "door.door", "door.ledger.ledger", "door.query"]
    assert find_closed_doors("verification.files", imports) == {"door.door", "door.query"}
    assert not find_closed_doors("private.queries.tables", imports)


PAGES = list_modules("pages")


def find_page_breaches(page: str, names: set[str]) -> set[str]:
    """Return the imports of the package that this page may not have."""
    allowed = tuple(CLOSED_PAGES.get(page, ()))
    closed = {name for name in names if lane_of(name) in ("private", "door")}
    return {
        name for name in closed if not f"{name}.".startswith(tuple(f"{a}." for a in allowed))
    }


def find_opened_pages(page: str, names: set[str]) -> set[str]:
    """Return other pages that this one imports, though they are for their own step only."""
    own_step = page.rpartition(".")[0]
    theirs = {
        name
        for name in names & {*CLOSED_PAGES}
        if not name.startswith(("ui.shell.", f"{own_step}."))
    }
    return set() if page in STEPS else theirs


@holds_of_all(PAGES)
def test_a_page_imports_of_the_closed_lanes_what_is_listed(page: str) -> None:
    """A page imports of the private lane and the door only what the list allows it, and the
    list has no unused line.

    It imports listed pages of its own step only, unless it may show what others took.
    """
    names = set(list_imports(PAGES[page], list_modules()))
    assert not find_page_breaches(page, names)
    unused = [
        a for a in CLOSED_PAGES.get(page, ()) if not any(n.startswith(a) for n in names)
    ]
    assert not unused, "take it off the list"
    assert not find_opened_pages(page, set(list_imports(PAGES[page], PAGES, "pages")))


def test_a_breach_among_the_pages_is_seen() -> None:
    """The rule finds a page that imports private modules not on its list, or another
    step's page.
    """
    assert {*CLOSED_PAGES, *STEPS} <= PAGES.keys()

    # A page that is not on the list may import only what is public, such as plans.
    names = {"private.counting.counts", "spending.pipeline", "plans.plan"}
    assert find_page_breaches("ui.plan.prediction", names) == names - {"plans.plan"}

    # This page is listed with `private.comparison`.
    breaches = find_page_breaches(
        "ui.compare.compared", {"private.comparison.tables", "door.door"}
    )
    assert breaches == {"door.door"}

    # `ui.data.choosing` is for its own step; what is in `ui.shell` is for all.
    assert find_opened_pages(
        "ui.plan.prediction", {"ui.data.choosing", "ui.shell.state"}
    ) == {"ui.data.choosing"}
    assert not find_opened_pages("ui.compare.details", {"ui.compare.compared"})


ROOMS = sorted({path.parent for path in list_modules().values()} - {ROOT / "synth"})


def docstring_of(path: Path) -> str:
    return ast.get_docstring(tree_of(path)) or ""


@holds_of_all(ROOMS)
def test_a_room_maps_its_modules(room: Path) -> None:
    """The docstring of each room's `__init__` lists exactly its modules and folders, in lines
    such as "``name`` what it does".
    """
    mapped_names = re.findall(r"^``(\w+)`` +\S", docstring_of(room / "__init__.py"), re.M)
    module_names = {path.stem for path in room.glob("*.py")} | {
        path.parent.name for path in room.glob("*/__init__.py")
    }
    assert sorted(mapped_names) == sorted(module_names - {"__init__"})


def list_labels(path: Path) -> set[str]:
    """Return the lanes that the docstrings of a module, its classes and functions name."""
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef
    nodes = (n for n in nodes_of(path) if isinstance(n, kinds))
    texts = (ast.get_docstring(node) or "" for node in nodes)
    return {
        name for text in texts for name in re.findall(r"\b(PUBLIC|PRIVATE|DOOR)\b[.:]", text)
    }


@holds_of_all(name for name in list_modules() if lane_of(name) == "public")
def test_nothing_in_the_public_lane_calls_itself_private(module: str) -> None:
    """No docstring of a module in the public lane carries the label PRIVATE or DOOR."""
    assert list_labels(list_modules()[module]) <= {"PUBLIC"}


def test_a_private_label_is_seen() -> None:
    assert list_labels(list_modules()["private.counting.counts"]) >= {"PRIVATE"}
