"""Lines that tests report: numbers of the notes, and which layer caught a mutant."""

import os
import re
import tempfile
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings

settings.register_profile("synth", deadline=None)  # a busy machine is slow, which is no fault
settings.load_profile("synth")

Report = Callable[[str], None]


@pytest.fixture
def report(record_property: Callable[[str, Any], None]) -> Report:
    """Keep one line for the summary; it is printed when a suite is chosen by its marker."""
    return lambda line: record_property("line", line)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The audit is that of the core; killed processes are the ledger's, and take longer."""
    for item in items:
        room, name = item.path.parent.name, item.path.stem
        core = room in {"privacy", "statistical"} and not name.startswith("test_crash")
        if core or name == "test_sampler":
            item.add_marker(pytest.mark.audit)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if terminalreporter.config.option.markexpr not in {"seed", "audit", "mutant"}:
        return
    reports = terminalreporter.stats.get("passed", []) + terminalreporter.stats.get("failed", [])
    for made in sorted(reports, key=lambda made: _natural(made.nodeid)):
        for name, line in made.user_properties:
            if name == "line":
                terminalreporter.write_line(f"{line}   {made.outcome}")


def _natural(name: str) -> list[str]:
    """A sort key that puts m2 before m10."""
    return [part.zfill(6) if part.isdigit() else part for part in re.split(r"(\d+)", name)]


_HOME = tempfile.TemporaryDirectory(prefix="synth-home-")
os.environ["SYNTH_HOME"] = _HOME.name
