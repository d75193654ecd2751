"""Return unused memory to the system.

The C library keeps freed memory, with a heap for each of many threads, and each script has
its own thread: much would never be returned. Here all threads share a few heaps, large pieces
come one by one, and free memory is returned every few seconds. Systems without glibc are left
unchanged. Streamlit keeps a lost session until another one is lost; here it ends when it
cannot return."""

import ctypes
import gc
import weakref
from threading import Thread
from time import sleep
from typing import Any

import pyarrow as pa
from streamlit.runtime import get_instance

# Heaps of all threads together.
THREAD_HEAPS = 2

# Seconds between two returns.
RETURN_SECONDS = 10.0

# Bytes of a piece that is returned as soon as it is freed.
RETURNED_BYTES = 2**20

# Parameters of mallopt, in malloc.h.
_M_ARENA_MAX = -8
_M_MMAP_THRESHOLD = -3

ended_sessions = 0


def share_heaps() -> bool:
    """Let all threads share a few heaps; return whether the C library can."""
    return _tell("mallopt", _M_ARENA_MAX, THREAD_HEAPS) and _tell(
        "mallopt", _M_MMAP_THRESHOLD, RETURNED_BYTES
    )


def give_back() -> bool:
    """Return free memory to the system; return whether the C library can."""
    pa.default_memory_pool().release_unused()
    return _tell("malloc_trim", 0)


def _tell(function: str, *numbers: int) -> bool:
    """Call a function of the C library with numbers; return whether it reports success.

    A system without that function returns False.
    """
    try:
        return bool(getattr(ctypes.CDLL(None), function)(*numbers))
    except (AttributeError, OSError, TypeError):  # another C library; Windows
        return False


def forget_lost() -> bool:
    """End sessions that can no longer return; return False if Streamlit has no such list.

    It uses internal parts of Streamlit: without them sessions stay longer.
    """
    try:
        server = get_instance()
        expire = server._session_mgr._session_storage._cache.expire  # type: ignore[attr-defined]
        # In the server's own thread, which uses the list.
        server._get_async_objs().eventloop.call_soon_threadsafe(expire)
    except (AttributeError, RuntimeError):  # another version; no server, or one that ends
        return False
    return True


def when_gone(thing: Any) -> None:
    """Note when this object is gone: soon after, the memory of its session is collected.

    A session holds reference cycles, which are not freed at once.
    """
    weakref.finalize(thing, _forget).atexit = False  # not at the end of the process


def _forget() -> None:
    global ended_sessions
    ended_sessions += 1


def _now_and_then() -> None:
    """Return free memory every ``RETURN_SECONDS`` seconds, without end.

    Reference cycles are collected only if a session has ended, as that takes time.
    """
    collected_sessions = ended_sessions
    while True:
        sleep(RETURN_SECONDS)
        forget_lost()
        if ended_sessions != collected_sessions:
            collected_sessions = ended_sessions
            gc.collect()
        give_back()


def watch() -> None:
    """Start the thread that returns memory every few seconds."""
    Thread(target=_now_and_then, name="synth-memory", daemon=True).start()
