"""One name for one thing: no two modules of the package give a public name two meanings."""

import ast
from collections import Counter

from tests.house.rules import SYNTH, text_of

SIBLINGS = {
    *("Dialect", "as_pattern", "connect"),  # the same of each engine
    *("add_options", "define", "main"),  # the same of each command, or of each process
    "Progress",  # what is told of a release, and of its model
    "Workbook",  # the same of each kind of workbook
    *("groups", "number_parts", "pair_bars", "parts"),  # numbers, and their pictures (`figures`)
    *("Boolean", "Categorical", "Date", "Integer", "Number"),  # kinds, also without a name yet
    *("analyse", "ask", "compare", "forecast", "open_bundle", "open_table", "verify"),
    *("certificate_of", "refuse", "uniform"),  # the same for another caller
}
"""Names that mean the same in every module that has them."""


def public_names(tree: ast.Module) -> set[str]:
    """Classes, functions and types that a module defines; constants are each module's own."""
    names = {n.name for n in tree.body if isinstance(n, ast.ClassDef | ast.FunctionDef)}
    assigned = (n.targets for n in tree.body if isinstance(n, ast.Assign))
    names |= {t.id for targets in assigned for t in targets if isinstance(t, ast.Name)}
    return {name for name in names if not (name.startswith("_") or name.isupper())}


def shared(modules: dict[str, str]) -> set[str]:
    """Public names that more than one of these texts defines."""
    counts = Counter(name for text in modules.values() for name in public_names(ast.parse(text)))
    return {name for name, count in counts.items() if count > 1}


def test_a_public_name_means_one_thing() -> None:
    found = shared({str(path): text_of(path) for path in SYNTH})
    assert found <= SIBLINGS


def test_a_name_for_two_things_is_seen() -> None:
    one, other = "class Pooled: ...\nLIMIT = 1", "Pooled = int\nLIMIT = 2\ndef _own(): ..."
    assert shared({"one": one, "other": other}) == {"Pooled"}
    assert shared({"one": one}) == set()
