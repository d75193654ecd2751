"""What the source of the sampler may not hold. Layers 3 and 4 cannot see these."""

import ast
from pathlib import Path

import pytest

NOISE = Path(__file__).parents[2] / "synth" / "noise"


@pytest.mark.parametrize("name", ["bits", "sampler", "laws", "laplace", "exponential", "response"])
def test_no_float_takes_part_in_a_draw(name: str) -> None:
    """T2: sums of floats are no safer than floats. Floats may describe noise, not make it."""
    tree = ast.parse((NOISE / f"{name}.py").read_text(encoding="utf-8"))
    describing = {"variance", "mean_absolute", "tail", "shortfall", "truth", "_gain", "bias",
                  "debias", "rows_needed", "laplace_rows_needed"}  # fmt: skip
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name not in describing:
            inside = [n for n in ast.walk(node) if not isinstance(n, ast.FunctionDef)]
            assert not [n for n in inside if isinstance(n, ast.Constant) and type(n.value) is float]
            used = {ast.unparse(n) for n in inside if isinstance(n, ast.Attribute | ast.Name)}
            assert not {u for u in used if "float" in u or u.startswith("math.")}, node.name


def test_floats_are_drawn_only_where_the_result_says_so() -> None:
    """The l2 form beyond eight dimensions, whose answers are marked as not hardened."""
    callers = set()
    for path in NOISE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                calls = {ast.unparse(n.func) for n in ast.walk(node) if isinstance(n, ast.Call)}
                if calls & {"floats", "normals"}:
                    callers.add(f"{path.stem}.{node.name}")
    assert callers == {"knorm._floats", "knorm.normals"}
