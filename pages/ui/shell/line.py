"""The queue of releases of all sessions, as many at work at once as memory admits.

Each release may need as much memory as the server allows for one. Writing files needs little,
so a release leaves the queue before it: nobody waits for another one's files."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition
from typing import Protocol

from synth import limits
from synth.util import fitting_in_memory


class Waiting(Protocol):
    """A job in the queue."""

    @property
    def is_stopped(self) -> bool:
        """Return whether it is to end."""


class Line:
    """A queue of jobs; the first ones are at work."""

    def __init__(self, places: Callable[[], int] = lambda: 1) -> None:
        """Begin without any job.

        Args:
            places: Returns how many jobs may be at work at once.
        """
        self._there: list[Waiting] = []
        self._moved = Condition()
        self._places = places

    def join(self, job: Waiting) -> None:
        """Add a job at the end."""
        with self._moved:
            self._there.append(job)

    def before(self, job: Waiting) -> int:
        """Return the number of jobs that must end before this one begins: 0 if it may."""
        with self._moved:
            return self._ahead(job) if job in self._there else 0

    def holds_up(self, job: Waiting) -> bool:
        """Return whether another job waits that came after this one."""
        with self._moved:
            if job not in self._there:
                return False
            later = self._there[self._there.index(job) + 1 :]
            return any(self._ahead(other) for other in later)

    def at_work(self) -> list[Waiting]:
        """Return all jobs, those at work first."""
        with self._moved:
            return list(self._there)

    @contextmanager
    def turn(self, job: Waiting) -> Iterator[None]:
        """Wait until the job has a place, and leave the queue after the block.

        A stopped job waits no longer: the block then starts out of turn, and must do nothing.
        """
        try:
            with self._moved:
                while self._ahead(job) and not job.is_stopped:
                    self._moved.wait(0.5)
            yield
        finally:
            with self._moved:
                self._there.remove(job)
                self._moved.notify_all()

    def _ahead(self, job: Waiting) -> int:
        """Return how many jobs must end before this one begins; the queue is locked."""
        return max(0, self._there.index(job) + 1 - self._places())


def places() -> int:
    """Return how many releases may be at work at once on this machine, at least one."""
    return min(limits.workers(), fitting_in_memory(limits.memory_mb()))


# Releases of all sessions.
RELEASES = Line(places)
