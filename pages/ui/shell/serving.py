"""The end of the server: a running release is finished first, as its budget may be spent."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

# The name of a thread that makes a release.
RELEASE = "synth-release"


@asynccontextmanager
async def to_the_end(_app: Any) -> AsyncIterator[None]:
    """Wait for running releases when the server ends; the block is the server's life."""
    yield
    for thread in threading.enumerate():
        if thread.name == RELEASE:
            await asyncio.to_thread(thread.join)
