"""How the server ends: a release at work is finished first, as its budget may be spent."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

RELEASE = "synth-release"
"""The name of a thread that makes a release."""


@asynccontextmanager
async def to_the_end(_app: Any) -> AsyncIterator[None]:
    """What surrounds the server's life; afterwards it is gone at once, threads and all."""
    yield
    for thread in threading.enumerate():
        if thread.name == RELEASE:
            await asyncio.to_thread(thread.join)
