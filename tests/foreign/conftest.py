"""Fixtures that the tests of this folder share."""

from typing import Any

import pytest

from synth.foreign.folders import place


@pytest.fixture
def nothing_is_left() -> Any:
    """Whatever is refused leaves no private copy behind."""
    before = set(place().iterdir())
    yield
    assert set(place().iterdir()) <= before


@pytest.fixture(autouse=True)
def whole_way(far_readers: None) -> None:
    """Here every file is read by a child."""
