"""Columns are asked by their methods: outside the domain nobody tells their kinds apart."""

import ast
from collections.abc import Iterator
from pathlib import Path

from synth.domain.fields import COLUMN_KINDS
from tests.house.rules import PAGES, ROOT, SYNTH, holds_of_all, tree_of

OUTSIDE = [path for path in SYNTH + PAGES if ROOT / "synth" / "domain" not in path.parents]
NAMES = {kind.__name__ for kind in COLUMN_KINDS.values()}


def list_kinds_told_apart(tree: ast.AST) -> Iterator[str]:
    """Kinds that a ``case`` or an ``isinstance`` names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.MatchClass):
            class_nodes: list[ast.AST] = [node.cls]
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in CHECKS:
            class_nodes = list(node.args[1:])
        else:
            continue
        names = (
            n.id for part in class_nodes for n in ast.walk(part) if isinstance(n, ast.Name)
        )
        yield from (name for name in names if name in NAMES)


CHECKS = ("isinstance", "issubclass")


@holds_of_all(OUTSIDE)
def test_nobody_outside_the_domain_tells_kinds_apart(path: Path) -> None:
    """No file outside `synth/domain` asks with `isinstance` or `match` which kind a
    column is.
    """
    assert not list(list_kinds_told_apart(tree_of(path)))


def test_a_breach_is_seen() -> None:
    """The rule finds kinds of columns in a `case` and in an `isinstance`, and no other
    classes.
    """
    text = (
        "match c:\n  case Date():\n    isinstance(c, Integer | Number)\n    isinstance(c, "
        "str)"
    )
    assert sorted(list_kinds_told_apart(ast.parse(text))) == ["Date", "Integer", "Number"]
