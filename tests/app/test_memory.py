"""Memory of sessions that are gone: nothing of theirs is kept, and what is free is handed back."""

import gc
import weakref
from pathlib import Path

import pytest

from pages.ui.plan import prediction
from pages.ui.shell import memory
from pages.ui.shell.private import PrivateFolder
from tests.wide import wide_draft


def test_no_forecast_that_is_kept_keeps_a_domain(tmp_path: Path) -> None:
    plan = wide_draft(tmp_path, 30).plan()
    domain = weakref.ref(plan.domain)
    prediction.along(plan, 20_000)
    prediction._others(plan, 20_000)
    prediction.coarsening(plan, 20_000, 0.05)
    del plan
    gc.collect()
    assert domain() is None


def test_a_session_that_ends_is_noticed() -> None:
    before = memory._left
    folder = PrivateFolder()
    assert memory._left == before
    del folder
    gc.collect()
    assert memory._left > before


def test_where_the_c_library_has_no_such_function_nothing_is_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert memory.share_heaps() in (True, False)
    monkeypatch.setattr(memory.ctypes, "CDLL", lambda _: object())
    assert not memory.give_back()
    assert not memory.share_heaps()
