"""Rules about many files: each file is parsed once, each rule is one test that names all
breaches.

One test a file and rule would be four thousand, most of whose time is that of pytest.
"""

import ast
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SYNTH = sorted((ROOT / "synth").rglob("*.py"))
PAGES = sorted([*ROOT.glob("app.py"), *(ROOT / "pages").rglob("*.py")])


@cache
def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@cache
def tree_of(path: Path) -> ast.Module:
    """The parsed file; nobody may change it."""
    return ast.parse(text_of(path), str(path))


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """All that `ast.walk` gives of the parsed file."""
    return tuple(ast.walk(tree_of(path)))


def label(subject: object) -> str:
    return str(subject.relative_to(ROOT)) if isinstance(subject, Path) else str(subject)


def holds_of_all(
    all_subjects: Iterable[Any],
) -> Callable[[Callable[[Any], None]], Callable[[], None]]:
    """Make a rule about one thing a test of all; it fails with everything that breaks the
    rule.
    """
    subjects = list(all_subjects)

    def of_all(rule: Callable[[Any], None]) -> Callable[[], None]:
        def test() -> None:
            assert subjects, "the rule is about nothing"
            broken = [
                f"{label(subject)}: {breach}"
                for subject in subjects
                if (breach := find_breach(rule, subject))
            ]
            if broken:
                pytest.fail("\n".join([rule.__name__, *broken]), pytrace=False)

        test.__name__, test.__doc__, test.__module__ = (
            rule.__name__,
            rule.__doc__,
            rule.__module__,
        )
        return test

    return of_all


def find_breach(rule: Callable[[Any], None], subject: object) -> str:
    """What a rule has against one thing; empty for nothing."""
    try:
        rule(subject)
    except AssertionError as error:
        return str(error) or "it does not hold"
    return ""
