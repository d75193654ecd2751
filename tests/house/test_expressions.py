"""Conditions are written as statements where an expression would hide them."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def is_part_or_nothing(part: ast.expr) -> bool:
    """Whether an expression is something or nothing, as in ``[x] if y else []``."""
    match part:
        case ast.IfExp(body=first, orelse=second):
            return any(
                ast.unparse(branch) in ("[]", "()", "{}") for branch in (first, second)
            )
    return False


def hidden_conditions(code: str) -> Iterator[tuple[int, str]]:
    """The lines of conditions that are hidden in an expression, and what hides them.

    One conditional expression may stand alone, but not as a branch of another. In a list or a
    dictionary that is written out, no part is something or nothing.
    """
    for node in ast.walk(ast.parse(code)):
        unpacked: list[ast.expr] = []
        match node:
            case ast.IfExp(body=ast.IfExp()) | ast.IfExp(orelse=ast.IfExp()):
                yield node.lineno, "a condition within a condition"
            case ast.Starred(value=value):
                unpacked = [value]
            case ast.Dict(keys=keys, values=values):
                pairs = zip(keys, values, strict=True)
                unpacked = [value for key, value in pairs if key is None]
        for part in unpacked:
            if is_part_or_nothing(part):
                yield part.lineno, "a part or nothing"


@pytest.mark.parametrize("folder", ["synth", "pages", "tests"])
def test_no_condition_is_hidden_in_an_expression(folder: str) -> None:
    """No file has such a condition: an `if` says the same, one thought a line."""
    hidden = [
        f"{path.relative_to(ROOT)}:{line}: {fault}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for line, fault in hidden_conditions(path.read_text("utf-8"))
    ]
    assert hidden == []


def test_a_hidden_condition_is_seen() -> None:
    """Each of the two kinds is found, and a plain conditional expression is none."""
    assert list(hidden_conditions("a if b else c")) == []
    assert list(hidden_conditions("a if b else c if d else e")) == [
        (1, "a condition within a condition")
    ]
    for code in ("[*([a] if b else [])]", "{**({} if b else c)}"):
        assert list(hidden_conditions(code)) == [(1, "a part or nothing")]
