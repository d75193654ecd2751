"""Stops a release before its spend: at the steward's wish, or at this server's time limit.

After the spend, nothing stops it on account of time: a paid release is finished.

>>> with Watch(seconds=60).watch():
...     with interruptible(lambda: None):
...         pass
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event, Thread
from time import monotonic

from synth import limits
from synth.errors import LimitError, ReleaseError

# Seconds between two looks at the clock.
_TICK = 0.1


class Watch:
    """Watches while rows are read and counted."""

    def __init__(
        self, *, seconds: float | None = None, stopped: Callable[[], bool] = lambda: False
    ) -> None:
        """Start the clock.

        Args:
            seconds: The longest time; by default this server's limit.
            stopped: Whether the steward wants to stop.
        """
        self._seconds = limits.seconds() if seconds is None else seconds
        self._end = monotonic() + self._seconds
        self._stopped = stopped

    @property
    def is_over(self) -> bool:
        """Whether the steward wants to stop, or the time is over."""
        return self._stopped() or monotonic() > self._end

    def check(self) -> None:
        """Stop here if the steward or the clock says so; nothing was spent yet.

        Raises:
            ReleaseError: The steward stopped it.
            LimitError: The time is over.
        """
        if self._stopped():
            raise ReleaseError("Stopped; nothing was spent.")
        if self.is_over:
            raise LimitError(
                f"Reading and counting the rows took longer than {self._seconds:g} seconds, "
                "this server's limit (SYNTH_SECONDS); nothing was spent. Leave out columns, "
                "or allow more time."
            )

    @contextmanager
    def watch(self) -> Iterator[None]:
        """Watch this block, and check at its end."""
        token = _CURRENT_WATCH.set(self)
        try:
            self.check()
            yield
            self.check()
        finally:
            _CURRENT_WATCH.reset(token)


_CURRENT_WATCH: ContextVar[Watch | None] = ContextVar("watch", default=None)


@contextmanager
def interruptible(interrupt: Callable[[], None]) -> Iterator[None]:
    """Interrupt the work in this block as soon as the current watch says so."""
    watch = _CURRENT_WATCH.get()
    if watch is None:
        yield
        return
    done = Event()

    def look() -> None:
        while not done.wait(_TICK):
            if watch.is_over:
                interrupt()

    looking = Thread(target=look, daemon=True)
    looking.start()
    try:
        yield
    finally:
        done.set()
        looking.join()


def check_deadline() -> None:
    """Stop here if the current watch says so; nothing was spent yet.

    Raises:
        ReleaseError: The steward stopped it.
        LimitError: The time is over.
    """
    watch = _CURRENT_WATCH.get()
    if watch is not None:
        watch.check()
