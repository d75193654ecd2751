"""Stops a release at the steward's wish, and before its spend at this server's time limit.

After the spend, nothing stops it on account of time: a paid release is finished. The steward
may stop it there, too, as the same request goes on from there at no cost.

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
# What is said of a release that is stopped before its spend.
STOPPED = "Stopped; nothing was spent."


class Watch:
    """A time limit and a stop button for work that takes long, as counting rows does."""

    def __init__(
        self,
        *,
        seconds: float | None = None,
        stopped: Callable[[], bool] = lambda: False,
        sentence: Callable[[], str] = lambda: STOPPED,
    ) -> None:
        """Start the clock.

        Args:
            seconds: The longest time; by default this server's limit (SYNTH_SECONDS).
            stopped: Says whether the steward, who runs the release, wants to stop it.
            sentence: Returns what is said of work that was stopped, by how far it came.
        """
        self._seconds = limits.seconds() if seconds is None else seconds
        self._end = monotonic() + self._seconds
        self._stopped = stopped
        self._sentence = sentence

    @property
    def is_over(self) -> bool:
        """Whether the steward wants to stop, or the time is over."""
        return self._stopped() or monotonic() > self._end

    def check(self) -> None:
        """Raise an error if the steward wants to stop, or the time is over.

        A watch with a time limit is for work before the spend, and its error says so.

        Raises:
            ReleaseError: The steward stopped the release.
            LimitError: The time is over.
        """
        if self._stopped():
            raise ReleaseError(self._sentence())
        # Not `is_over`: somebody may press Stop between two questions.
        if monotonic() > self._end:
            raise LimitError(
                f"Reading and counting the rows took longer than {self._seconds:g} seconds, "
                "this server's limit (SYNTH_SECONDS); nothing was spent. Leave out columns, "
                "or allow more time."
            )

    @contextmanager
    def watch(self) -> Iterator[None]:
        """Make this the current watch in a block of code; check it at the start and end.

        Within the block, `check_deadline` and `interruptible` obey this watch.
        """
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
    """Interrupt the work in this block as soon as the current watch's time is over.

    The current watch is the one whose `Watch.watch` block the caller is in.

    Args:
        interrupt: Stops the work, which runs in a library. It is called from another thread,
            again and again until the block ends. Without a current watch, it is never called.
    """
    watch = _CURRENT_WATCH.get()
    if watch is None:
        yield
        return
    done = Event()

    def look() -> None:
        """Interrupt whenever the watch is over, until the block is done."""
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
    """Raise an error if the current watch, if there is one, is over; see `Watch.check`.

    Raises:
        ReleaseError: The steward stopped the release.
        LimitError: The time is over.
    """
    watch = _CURRENT_WATCH.get()
    if watch is not None:
        watch.check()
