"""Every test of the app has a home of its own, so that no ledger remembers another test."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from streamlit.components.v2 import manifest_scanner

from synth.lessons import survey

ROWS = 2_000
"""People of the survey, which outside these tests has ten times as many."""


@pytest.fixture(autouse=True)
def home_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYNTH_HOME", str(tmp_path / "home"))


@pytest.fixture(scope="package", autouse=True)
def quick() -> Iterator[None]:
    """What the app would do over and over is done once, and its survey is a tenth as long.

    Every app of a test looks through all that is installed for components of Streamlit's.
    """
    with pytest.MonkeyPatch.context() as patch:
        scan = manifest_scanner.scan_component_manifests
        patch.setattr(manifest_scanner, "scan_component_manifests", cache(scan))
        people = survey.simulate(ROWS)
        patch.setattr(survey, "simulate", people.copy)
        yield
