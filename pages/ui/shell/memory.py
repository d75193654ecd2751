"""Memory that nobody uses any more goes back to the system.

The C library keeps what was freed for later, a heap for each of many threads, and a server runs
every script in a thread of its own: after large tables most of it would stay for good. Here all
threads share a few heaps, and what is free in them is handed back every few seconds. On systems
without glibc nothing is done, as nothing is known.
"""

import ctypes
import gc
import weakref
from threading import Thread
from time import sleep
from typing import Any

import pyarrow as pa

HEAPS = 2
"""Heaps of all threads together."""

EVERY = 10.0
"""Seconds from one time to the next."""

_M_ARENA_MAX = -8  # of mallopt, in malloc.h

_left = 0


def share_heaps() -> bool:
    """Let all threads share a few heaps; before there are many threads. False where it cannot."""
    return _tell("mallopt", _M_ARENA_MAX, HEAPS)


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


def when_gone(thing: Any) -> None:
    """Collect and hand back soon after this is no more: what a session held goes in circles."""
    weakref.finalize(thing, _gone).atexit = False


def _gone() -> None:
    global _left
    _left += 1


def _now_and_then() -> None:
    seen = _left
    while True:
        sleep(EVERY)
        if _left != seen:
            seen = _left
            gc.collect()
        give_back()


def watch() -> None:
    """Look every few seconds, as long as the server lives."""
    Thread(target=_now_and_then, name="synth-memory", daemon=True).start()
