"""Work on the confidential rows that releases nothing: looks, counts and comparisons.

It runs in a thread of its own, so that the app answers meanwhile. What it finds is private,
and stays in the session.
"""

from collections.abc import Callable
from typing import Any, ClassVar

import streamlit as st

from pages.ui.shell import at_work, budgets, state
from pages.ui.shell.job import Job
from pages.ui.shell.release import Source
from pages.ui.shell.resuming import resume_watching
from synth.util import Watch

# Work that ends within so many seconds shows no progress.
SHORT_SECONDS = 0.5
# Bytes of a file that are worked on in a second, about; the bar only shows that time passes.
BYTES_A_SECOND = 12_000_000
# The full bar would say that the work is done.
ALMOST_FULL = 0.99

STOPPED = "Stopped; nothing was taken from the rows."
CHANGED = (
    "The table, or its description, has changed meanwhile. So nothing was taken from its "
    "rows; start again."
)


class RowsJob(Job):
    """Work on the confidential rows in a thread of its own.

    Attributes:
        title: What is done, for people.
        source: The table as it was when the work began.
        outcome: What was found, once it is there. PRIVATE.
    """

    name: ClassVar[str] = "rows_job"

    def __init__(
        self,
        work: Callable[[], Any],
        take: Callable[[Any], None],
        *,
        title: str,
        source: Source,
    ) -> None:
        """Start the work.

        Args:
            work: Reads the rows, and returns what it found.
            take: Puts that into the session; it is called by a page's script.
            title: What is done, for people.
            source: The table.
        """
        self.title = title
        self.source = source
        self.take = take
        self._work = work
        self._folder = state.folder()  # which stays meanwhile
        super().__init__((title,), "", budgets.ledger())

    @property
    def may_stop(self) -> str:
        """Return the label of the button that stops it."""
        return "Stop"

    @property
    def expected_seconds(self) -> float:
        """Return about how many seconds the work takes."""
        return max(1.0, self.source.table.bytes / BYTES_A_SECOND)

    def describe(self) -> str:
        """Return what is done, and the time so far."""
        if self.is_stopped:
            return "Stopping …"
        half_seconds = round(2 * self.seconds)  # it ticks even where the bar hardly moves
        return f"{self.title} … ({half_seconds / 2:.1f} s)"

    def _make(self) -> None:
        """Work on the rows, unless somebody stops it or the server's time is over."""
        watch = Watch(stopped=lambda: self.is_stopped, sentence=lambda: STOPPED)
        with self._folder.hold(), watch.watch():
            self.outcome = self._work()


def rows_job() -> RowsJob | None:
    """Return the work on the rows that runs, if any does."""
    running: RowsJob | None = state.read_value(RowsJob.name)
    return running


def run_on_rows(work: Callable[[], Any], take: Callable[[Any], None], *, title: str) -> None:
    """Start work on the rows of the session's table, unless other such work runs.

    Short work is waited for, and its result is taken at once.

    Args:
        work: Reads the rows, and returns what it found. It runs in a thread of its own, and
            so uses nothing of the session.
        take: Puts that into the session.
        title: What is done, for people.
    """
    source = state.draft().source
    running = rows_job()
    if source is None:
        return
    if running is not None:
        state.complain(f"Wait until this has ended, or stop it: {running.title}.")
        return
    job = RowsJob(work, take, title=title, source=source)
    state.keep(RowsJob.name, job)
    if job.wait(SHORT_SECONDS):
        finish_rows(job)


def watch_rows() -> None:
    """Show the progress of work on the rows, if there is any, in place of the page.

    Then take over its result, and draw the page anew.
    """
    job = rows_job()
    if job is None:
        return
    resume_watching(job)
    bar = st.progress(0.0, text=job.describe())
    st.button(job.may_stop, key="stop_rows", icon=":material/stop:", on_click=job.stop)
    st.caption("You may go on with another page meanwhile.")
    while not job.wait(0.1):
        share = min(ALMOST_FULL, job.share(job.expected_seconds))
        bar.progress(share, text=job.describe())
    finish_rows(job)
    st.rerun()


def settle_rows() -> None:
    """Take over the result of work on the rows that has ended while another page was open."""
    job = rows_job()
    if job is not None and job.wait(0):
        finish_rows(job)


def finish_rows(job: RowsJob) -> None:
    """Put what ended work found into the session, or show why it found nothing."""
    if not at_work.is_shown(job):
        return
    state.forget(RowsJob.name)
    if job.error is not None:
        state.complain(job.error)
    elif state.draft().source is not job.source:
        state.complain(CHANGED)
    else:
        state.guard(job.take)(job.outcome)
