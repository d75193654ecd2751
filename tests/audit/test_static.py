"""What the source of the sampler may not hold. Layers 3 and 4 cannot see these."""

import ast
from pathlib import Path

import pytest

NOISE = Path(__file__).parents[2] / "synth" / "noise"


MODULES = ("bits", "sampler", "laws", "laplace", "exponential", "knorm", "radius")


@pytest.mark.parametrize("name", MODULES)
def test_no_float_takes_part_in_a_draw(name: str) -> None:
    """T2: sums of floats are no safer than floats. Floats may describe noise, not make it."""
    tree = ast.parse((NOISE / f"{name}.py").read_text(encoding="utf-8"))
    describing = {"variance", "mean_absolute"}
    whole = {"math.ceil", "math.isqrt", "math.prod"}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name not in describing:
            inside = [n for n in ast.walk(node) if not isinstance(n, ast.FunctionDef)]
            assert not [
                n for n in inside if isinstance(n, ast.Constant) and type(n.value) is float
            ]
            used = {ast.unparse(n) for n in inside if isinstance(n, ast.Attribute | ast.Name)}
            floats = {u for u in used - whole if "float" in u or u.startswith("math.")}
            assert not floats, node.name
