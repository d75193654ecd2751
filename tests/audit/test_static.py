"""What the source of the sampler may not hold. Layers 3 and 4 cannot see these."""

import ast
from pathlib import Path

import pytest

NOISE = Path(__file__).parents[2] / "synth" / "noise"


MODULES = ("bits", "sampler", "laws", "laplace", "exponential", "knorm", "radius")


@pytest.mark.parametrize("name", MODULES)
def test_no_float_takes_part_in_a_draw(name: str) -> None:
    """No function that draws noise uses a float or a function of `math` that returns one
    (threat T2). Floats may describe noise, as its variance does, but not make it. The source
    is searched, because no test of samples could see it.
    """
    tree = ast.parse((NOISE / f"{name}.py").read_text(encoding="utf-8"))
    describing = {"variance", "mean_absolute"}  # functions that draw nothing
    exact_functions = {"math.ceil", "math.isqrt", "math.prod"}

    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name not in describing:
            inside = [
                part for part in ast.walk(node) if not isinstance(part, ast.FunctionDef)
            ]
            assert not [
                part
                for part in inside
                if isinstance(part, ast.Constant) and type(part.value) is float
            ]

            used = {
                ast.unparse(part)
                for part in inside
                if isinstance(part, ast.Attribute | ast.Name)
            }
            floats = {
                name_in_use
                for name_in_use in used - exact_functions
                if "float" in name_in_use or name_in_use.startswith("math.")
            }
            assert not floats, node.name
