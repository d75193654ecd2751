"""Memory that nobody uses any more goes back to the system.

The C library keeps what was freed for later, a heap for each of many threads, and a server runs
every script in a thread of its own: after large tables most of it would stay for good. Here all
threads share a few heaps, large pieces are taken from the system one by one, and what is free is
handed back every few seconds. On systems without glibc nothing is done, as nothing is known.
Streamlit keeps a lost session until another one is lost; here it goes when it cannot come back.
"""

import ctypes
import gc
import weakref
from threading import Thread
from time import sleep
from typing import Any

import pyarrow as pa
from streamlit.runtime import get_instance

HEAPS = 2
"""Heaps of all threads together."""

EVERY = 10.0
"""Seconds from one time to the next."""

LARGE = 2**20
"""Bytes of a piece that goes back to the system as soon as it is freed."""

_M_ARENA_MAX, _M_MMAP_THRESHOLD = -8, -3  # of mallopt, in malloc.h

ended_sessions = 0


def share_heaps() -> bool:
    """Let all threads share a few heaps; before there are many threads. False where it cannot."""
    return _tell("mallopt", _M_ARENA_MAX, HEAPS) and _tell("mallopt", _M_MMAP_THRESHOLD, LARGE)


def give_back() -> bool:
    """Hand back what is free; False where nothing is known of it, or nothing was free."""
    pa.default_memory_pool().release_unused()
    return _tell("malloc_trim", 0)


def _tell(function: str, *numbers: int) -> bool:
    """Call a function of glibc, where there is one."""
    try:
        return bool(getattr(ctypes.CDLL(None), function)(*numbers))
    except (AttributeError, OSError, TypeError):  # another C library; Windows
        return False


def forget_lost() -> bool:
    """Let go of sessions whose time to come back is over; False where Streamlit has no such list.

    It asks for parts of Streamlit that are no promise of its: without them sessions stay longer.
    """
    try:
        server = get_instance()
        expire = server._session_mgr._session_storage._cache.expire  # type: ignore[attr-defined]
        server._get_async_objs().eventloop.call_soon_threadsafe(expire)
    except (AttributeError, RuntimeError):  # another version; no server, or one that ends
        return False
    return True


def when_gone(thing: Any) -> None:
    """Collect and hand back soon after this is no more: what a session held goes in circles."""
    weakref.finalize(thing, _forget).atexit = False


def _forget() -> None:
    global ended_sessions
    ended_sessions += 1


def _now_and_then() -> None:
    seen = ended_sessions
    while True:
        sleep(EVERY)
        forget_lost()
        if ended_sessions != seen:
            seen = ended_sessions
            gc.collect()
        give_back()


def watch() -> None:
    """Look every few seconds, as long as the server lives."""
    Thread(target=_now_and_then, name="synth-memory", daemon=True).start()
