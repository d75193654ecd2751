"""Memory of sessions that are gone: nothing of theirs is kept, and what is free is handed
back.
"""

import gc
import inspect
import weakref
from pathlib import Path

import pytest
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.runtime import AsyncObjects, Runtime
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

from pages.ui.plan import prediction
from pages.ui.shell import memory
from pages.ui.shell.private import PrivateFolder
from tests.wide import wide_draft


@pytest.mark.slow
def test_no_forecast_that_is_kept_keeps_a_domain(tmp_path: Path) -> None:
    """Cached forecasts hold no reference to the domain, which may be large.

    Once the plan is deleted, nothing else may keep the domain alive.
    """
    plan = wide_draft(tmp_path, 30).plan()
    domain = weakref.ref(plan.domain)

    # Each of these functions caches its forecast.
    prediction.along(plan, 20_000)
    prediction.other_outlooks(plan, 20_000)
    prediction.coarsening(plan, 20_000, 0.05)

    del plan
    gc.collect()
    assert domain() is None


def test_a_session_that_ends_is_noticed() -> None:
    """The end of a session's private folder is counted as the end of a session.

    The count tells the app when it should return memory to the system.
    """
    before = memory.ended_sessions
    folder = PrivateFolder()
    assert memory.ended_sessions == before

    del folder
    gc.collect()
    assert memory.ended_sessions > before


def test_streamlit_still_has_the_list_of_lost_sessions() -> None:
    """The internal names of Streamlit that `forget_lost` uses still exist.

    A new version of Streamlit that renames them would fail here. In this test there is no
    server, so there is nothing to forget.
    """
    assert not memory.forget_lost()
    storage = MemorySessionStorage()
    storage._cache.expire()  # type: ignore[attr-defined]
    assert "_session_storage" in inspect.getsource(WebsocketSessionManager.__init__)
    assert "_session_mgr" in inspect.getsource(Runtime.__init__)
    assert "eventloop" in AsyncObjects._fields
    assert Runtime._get_async_objs


def test_where_the_c_library_has_no_such_function_nothing_is_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without the functions of glibc, `give_back` and `share_heaps` return False and raise
    nothing.
    """
    assert memory.share_heaps() in (True, False)  # as this system has it

    # A C library that has none of the functions.
    monkeypatch.setattr(memory.ctypes, "CDLL", lambda _: object())
    assert not memory.give_back()
    assert not memory.share_heaps()
