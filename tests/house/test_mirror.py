"""The tests mirror the tree: a folder named like one of the package holds tests of its
modules.
"""

import pytest

from tests.house.rules import ROOT

TESTS = ROOT / "tests"
FOLDERS = {path.parent.name: path.parent for path in (ROOT / "synth").rglob("__init__.py")}
"""The folders of the package; no two have one name."""
ROOMS = sorted(folder.name for folder in TESTS.iterdir() if folder.name in FOLDERS)

BROAD = {
    "cli/test_run_again.py",  # the script in a bundle, which is a text and no module
    "comparison/test_comparison.py",
    "comparison/test_reports.py",
    "counting/test_person.py",
    "counting/test_real_tables.py",
    "domain/test_broken_schemas.py",
    "ledger/test_algorithm.py",
    "models/test_pieces.py",
    "table/test_nasty.py",
}
"""Tests of several modules of their room at once."""


def list_tests(room: str) -> set[str]:
    """The tests of a room by path within `tests`."""
    return {f"{room}/{path.name}" for path in (TESTS / room).glob("test_*.py")}


def is_of_a_module(test: str) -> bool:
    """`test_<module>.py`, or `test_<module>_<subject>.py` where one file would be too
    long.
    """
    room, name = test.split("/")
    words = name.removeprefix("test_").removesuffix(".py").split("_")
    modules = ("_".join(words[:end]) for end in range(len(words), 0, -1))
    return any((FOLDERS[room] / f"{module}.py").exists() for module in modules)


@pytest.mark.parametrize("room", ROOMS)
def test_a_rooms_tests_are_of_its_modules(room: str) -> None:
    """In each folder of tests named like a folder of the package, a file tests a module of
    it, or is on the list of broader tests.
    """
    tests = list_tests(room)
    assert tests
    assert {test for test in tests if not is_of_a_module(test)} == tests & BROAD


def test_tests_at_the_top_are_of_what_is_at_the_top() -> None:
    """A test file directly in `tests` is named like a file or folder directly in `synth`."""
    modules = {path.stem for path in (ROOT / "synth").iterdir()}
    tests = {path.stem.removeprefix("test_") for path in TESTS.glob("test_*.py")}
    assert tests <= modules


def test_the_broad_ones_exist() -> None:
    assert {test for test in BROAD if not (TESTS / test).exists()} == set()


@pytest.mark.parametrize(
    ("test", "right"),
    [
        ("ledger/test_chain.py", True),
        ("foreign/test_child_bundles.py", True),
        ("ledger/test_chained.py", False),
        ("ledger/test_bins.py", False),
    ],
)
def test_a_test_in_another_room_is_seen(test: str, right: bool) -> None:
    """The rule finds a test file whose name is no module of the package folder.

    There is a module `chain` in `ledger`, but none named `chained` or `bins`.
    """
    assert is_of_a_module(test) == right
