"""The house in numbers: python tests/house/drawing.py [ROOT] draws any checkout by its measures."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.house import test_lanes

FORMS = (
    "NoisyCounts", "Modelled", "Distribution", "HistogramRecord", "MarginalsRecord",
    "HistogramMechanism", "MarginalsMechanism", "HistogramCertificate", "MarginalsCertificate",
)  # fmt: skip
"""Types that tell one form of a release from another."""

ARRAYS = re.compile(r"NDArray|Floats|Ints|Codes|Cells|Mask|Array\b")
SHAPE = re.compile(r"\bshape\b|\bof each\b|\bone array a column\b", re.I)

Function = ast.FunctionDef | ast.AsyncFunctionDef


def main(root: Path) -> None:
    """Print the measures of one checkout, a line each."""
    modules = {_name(root, path): path for path in (root / "synth").rglob("*.py")}
    trees = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in modules.items()}
    edges = {name: set(_imports(tree, modules)) - {name} for name, tree in trees.items()}
    rooms = _rooms(edges)
    lengths = sorted(_length(f) for tree in trees.values() for f in _functions(tree))
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in modules.values())
    anys = sum(_anys(tree) for tree in trees.values())
    entries = [p for p in (root / "synth").iterdir() if p.suffix == ".py" or _is_room(p)]
    arrays = [f for tree in trees.values() for f in _public(tree) if _takes_arrays(f)]
    told = sum(bool(SHAPE.search(ast.get_docstring(f) or "")) for f in arrays)
    print(f"entries at the top of synth/: {len(entries)}")
    print(f"modules {len(modules)}, lines {lines:,}")
    print(f"rooms {len(rooms)}, floors {_depth(rooms)}, cycles {_cycles(rooms)}")
    print(f"imports between modules {_count(edges)}, between rooms {_count(rooms)}")
    print(f"imports of what is private by what is public: {_breaches(edges)}")
    print(f"functions {len(lengths)}: median {median(lengths):g}, p95 "
          f"{lengths[int(0.95 * len(lengths))]}, longest {lengths[-1]} lines")  # fmt: skip
    print(f"Any per 1,000 lines: {1000 * anys / lines:.1f}")
    print(f"public functions of arrays that tell a shape: {told} of {len(arrays)}")
    print(f"type switches on the form of a release: {_switches(root)}")


def _name(root: Path, path: Path) -> str:
    return ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")


def _is_room(path: Path) -> bool:
    return path.is_dir() and any(path.glob("*.py"))


def _imports(tree: ast.Module, modules: dict[str, Path]) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                if whole in modules or node.module in modules:
                    yield whole if whole in modules else node.module


def _rooms(edges: dict[str, set[str]]) -> dict[str, set[str]]:
    """Imports between what stands at the top of the package."""
    found: dict[str, set[str]] = {}
    for module, imported in edges.items():
        own = found.setdefault(_room(module), set())
        own |= {_room(other) for other in imported} - {_room(module)}
    return found


def _room(module: str) -> str:
    return module.split(".")[1] if "." in module else module


def _count(edges: dict[str, set[str]]) -> int:
    return sum(map(len, edges.values()))


def _breaches(edges: dict[str, set[str]]) -> int | str:
    """By the lists of `test_lanes`, which name the modules of this checkout."""
    named = {name.removeprefix("synth."): imported for name, imported in edges.items()}
    listed = (*test_lanes.PRIVATE, *test_lanes.DOOR)
    if not all(any(f"{module}.".startswith(f"{one}.") for module in named) for one in listed):
        return "its lanes are not listed"
    found = (
        test_lanes.breaches(module, {name.removeprefix("synth.") for name in imported})
        for module, imported in named.items()
    )
    return sum(map(len, found))


def _depth(rooms: dict[str, set[str]]) -> int:
    """The longest chain of imports; 0 where they go in circles."""
    floors: dict[str, int] = {}
    while len(floors) < len(rooms):
        ready = [r for r, below in rooms.items() if r not in floors and below <= floors.keys()]
        if not ready:
            return 0
        floors |= {room: 1 + max((floors[b] for b in rooms[room]), default=0) for room in ready}
    return max(floors.values())


def _cycles(rooms: dict[str, set[str]]) -> int:
    """Rooms that reach themselves."""
    return sum(room in _reached(rooms, room) for room in rooms)


def _reached(rooms: dict[str, set[str]], start: str) -> set[str]:
    reached: set[str] = set()
    ahead = set(rooms[start])
    while ahead:
        room = ahead.pop()
        reached.add(room)
        ahead |= rooms.get(room, set()) - reached
    return reached


def _functions(tree: ast.Module) -> Iterator[Function]:
    yield from (node for node in ast.walk(tree) if isinstance(node, Function))


def _length(function: Function) -> int:
    return (function.end_lineno or function.lineno) - function.lineno + 1


def _public(tree: ast.Module) -> Iterator[Function]:
    bodies = [tree.body, *(n.body for n in tree.body if isinstance(n, ast.ClassDef))]
    for body in bodies:
        yield from (n for n in body if isinstance(n, Function) and not n.name.startswith("_"))


def _takes_arrays(function: Function) -> bool:
    arguments = [*function.args.args, *function.args.kwonlyargs]
    hints = [a.annotation for a in arguments] + [function.returns]
    return any(ARRAYS.search(ast.unparse(hint)) for hint in hints if hint is not None)


def _anys(tree: ast.Module) -> int:
    return sum(isinstance(node, ast.Name) and node.id == "Any" for node in ast.walk(tree))


def _switches(root: Path) -> int:
    """Lines of `synth` and `pages` that ask which form a release has."""
    asks = re.compile(
        rf"isinstance\([^()]*\b({'|'.join(FORMS)})\b|\bdistribution is (not )?None|"
        r"NoisyCounts \| Modelled|HistogramRecord \| MarginalsRecord|\.by_model\b|MODEL_FORMAT"
    )
    files = [*(root / "synth").rglob("*.py"), *(root / "pages").rglob("*.py")]
    texts = (path.read_text(encoding="utf-8") for path in files)
    return sum(bool(asks.search(line)) for text in texts for line in text.splitlines())


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[2])
