"""Fixtures that the tests of this folder share."""

from typing import Any

import pytest

from synth.foreign import child, parent, place
from synth.foreign.parent import Facts


@pytest.fixture
def nothing_is_left() -> Any:
    """Whatever is refused leaves no private copy behind."""
    before = set(place().iterdir())
    yield
    assert set(place().iterdir()) <= before


@pytest.fixture(autouse=True)
def whole_way(far_readers: None) -> None:
    """Here every file is read by a child."""


@pytest.fixture
def inside(whole_way: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The readers of a child in this process, as many tests of what they read need them."""
    del whole_way

    def run(request: Facts) -> bool:
        child.do(request)
        return False

    monkeypatch.setattr(parent, "run_child", run)
