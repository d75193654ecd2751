"""Runs of what a server would await."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def await_result(work: Coroutine[object, object, T]) -> T:
    """The result of a coroutine, which runs in a thread of its own.

    A test of the browser, which may have run before in this process, leaves its event loop
    running in the main thread, where no second one may run.
    """
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(asyncio.run, work).result()
