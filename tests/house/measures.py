"""The sizes of the house, printed by `make measures`. They are no limits.

PYTHONPATH=. python -m tests.house.measures
"""

import ast
import io
import tokenize
from collections.abc import Iterator
from pathlib import Path

from tests.house.rules import PAGES, ROOT, SYNTH, nodes_of, text_of, tree_of

VAGUE_WORDS = frozenset(
    "one found said told known kept seen left whole asked made held own each other most "
    "what given drawn wanted listed named shown read coded beside apart alone many more "
    "rest".split()
)
"""Names of variables and arguments that do not say what these hold."""

NO_CODE = (
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
)
Function = ast.FunctionDef | ast.AsyncFunctionDef


def count_code_lines(path: Path) -> int:
    """Return the lines that hold code: no comments, docstrings or blank lines."""
    tokens = tokenize.generate_tokens(io.StringIO(text_of(path)).readline)
    code: set[int] = set()
    for token in tokens:
        if token.type not in NO_CODE:
            code.update(range(token.start[0], token.end[0] + 1))
    for node in nodes_of(path):
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if is_text and isinstance(node.value.value, str):
            code.difference_update(range(node.lineno, (node.end_lineno or 0) + 1))
    return len(code)


def list_bindings(path: Path) -> list[str]:
    """Return the names of variables and arguments, once for each place that binds them."""
    names: list[str] = []
    for node in nodes_of(path):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.append(node.id)
        elif isinstance(node, ast.arg) and node.arg not in ("self", "cls"):
            names.append(node.arg)
    return names


def list_public(parent: ast.Module | ast.ClassDef) -> Iterator[ast.ClassDef | Function]:
    """Yield the public classes, functions, methods and properties of a module."""
    for node in parent.body:
        if not isinstance(node, ast.ClassDef | Function) or node.name.startswith("_"):
            continue
        yield node
        if isinstance(node, ast.ClassDef):
            yield from list_public(node)


def is_stacked(docstring: str) -> bool:
    """Return whether prose follows an example: the docstrings of two modules in one."""
    paragraphs = [part.strip() for part in docstring.split("\n\n") if part.strip()]
    examples = [part.startswith(">>>") for part in paragraphs]
    if True not in examples:
        return False
    after = paragraphs[examples.index(True) :]
    return any(not part.startswith((">>>", "``")) for part in after)


def measure(paths: list[Path]) -> dict[str, str]:
    """Return each measure of some files, in words."""
    functions = [n for path in paths for n in nodes_of(path) if isinstance(n, Function)]
    bindings = [name for path in paths for name in list_bindings(path)]
    vague = sum(name in VAGUE_WORDS for name in bindings)
    public = [node for path in paths for node in list_public(tree_of(path))]
    silent = sum(not ast.get_docstring(node) for node in public)
    docstrings = [ast.get_docstring(tree_of(path)) or "" for path in paths]
    return {
        "files": f"{len(paths):,}",
        "lines of code": f"{sum(map(count_code_lines, paths)):,}",
        "functions": f"{len(functions):,}",
        "vague names": f"{vague:,} of {len(bindings):,} ({vague / len(bindings):.1%})",
        "public names without docstring": (
            f"{silent:,} of {len(public):,} ({silent / len(public):.1%})"
        ),
        "stacked docstrings": f"{sum(map(is_stacked, docstrings)):,}",
    }


def main() -> None:
    """Print the measures of the package by room, of the pages and of the tests."""
    rooms: dict[str, list[Path]] = {"synth": SYNTH, "pages": PAGES}
    rooms["tests"] = sorted((ROOT / "tests").rglob("*.py"))
    for path in SYNTH:
        folders = path.relative_to(ROOT).parts[:-1]
        if len(folders) > 1:
            rooms.setdefault("/".join(folders[:2]), []).append(path)
    for room, paths in rooms.items():
        words = ", ".join(
            f"{measure_name} {size}" for measure_name, size in measure(paths).items()
        )
        print(f"{room}: {words}")


if __name__ == "__main__":
    main()
