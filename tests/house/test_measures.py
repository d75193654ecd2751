"""The shape of the house holds: what is added to a list of kinds names them in no new place.

How many lines the house has is no rule. Clear code may take more of them.
"""

import ast
import re
from collections import defaultdict
from pathlib import Path

from tests.house.rules import ROOT, SYNTH, text_of, tree_of

PATTERNS = {
    "modules that name a kind of question": (
        r"(?m)^from synth\.questions\.kinds\.(?!registry|kind\b)\w+ import [A-Z]{2}"
    ),
    "modules that name a way to answer": r"\bWayName\.[A-Z]",
    "modules that name a method": r"\bMethod\.[A-Z]",
    "modules that name an output format": (
        r"(?m)^from synth\.bundle\.exports\.(?!export\b|format|registry|tables)\w+ import [A-Z]{3}"
    ),
}
MECHANISM = re.compile(
    r"isinstance\([^)]*(Laplace|Gaussian|KNorm|Mechanism|Exponential|Response)"
    r"|case (Discrete|Elliptical|KNorm)\w*\("
)
"""A test of which mechanism it is, where the mechanism could be asked."""

LIMITS = {
    "entries at the top of synth": 26,
    "files at the top of synth": 4,
    "modules that name a kind of question": 2,
    "modules that name a way to answer": 3,
    "modules that name a method": 8,
    "modules that name an output format": 1,
    "type tests on mechanisms": 0,
    "constants of one name and several values": 20,
}


def constants_of_several_values(paths: list[Path]) -> list[str]:
    """The names in capitals at the top of modules that mean another value in another module."""
    values: dict[str, set[str]] = defaultdict(set)
    for path in paths:
        for node in tree_of(path).body:
            if isinstance(node, ast.Assign):
                targets = node.targets
            elif isinstance(node, ast.AnnAssign) and node.value is not None:
                targets = [node.target]
            else:
                continue
            for target in targets:
                if isinstance(target, ast.Name) and target.id.isupper():
                    values[target.id].add(ast.dump(node.value))
    return sorted(name for name, found in values.items() if len(found) > 1)


def measures() -> dict[str, int]:
    tops = {path.relative_to(ROOT / "synth").parts[0] for path in SYNTH}
    return {
        "entries at the top of synth": len(tops),
        "files at the top of synth": sum(top.endswith(".py") for top in tops),
        "type tests on mechanisms": sum(len(MECHANISM.findall(text_of(path))) for path in SYNTH),
        "constants of one name and several values": len(constants_of_several_values(SYNTH)),
    } | {
        what: sum(bool(re.search(pattern, text_of(path))) for path in SYNTH)
        for what, pattern in PATTERNS.items()
    }


def test_no_measure_of_the_house_grows() -> None:
    found = measures()
    assert found.keys() == LIMITS.keys()
    grown = {what: number for what, number in found.items() if number > LIMITS[what]}
    assert grown == {}, constants_of_several_values(SYNTH)


def test_what_is_measured_is_seen(tmp_path: Path) -> None:
    one, other = tmp_path / "one.py", tmp_path / "other.py"
    one.write_text('"""What."""\n\nMOST = 1  # why\nSAME = 2\n')
    other.write_text("MOST: int = 3\nSAME = 2\n")
    assert constants_of_several_values([one, other]) == ["MOST"]
    assert len(MECHANISM.findall("isinstance(noise, KNorm | int)\ncase DiscreteLaplace():")) == 2
