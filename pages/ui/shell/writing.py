"""Files of public rows that are written on request: in a thread of their own, with Stop.

They cost nothing. A stopped file leaves nothing behind.
"""

import math
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from pages.ui.shell import at_work, budgets, state
from pages.ui.shell.job import WRITING, Job
from pages.ui.shell.private import PrivateFolder
from pages.ui.shell.resuming import resume_watching
from synth.door import Ledger
from synth.foreign import in_markdown
from synth.util import Watch

STOPPED_FILE = "Stopped; no file was written, and you can make it again at no cost."
# Receives the share of the files that are written, from 0 to 1.
Progress = Callable[[float], None]
# Writes files into an empty folder, and returns the path of the result.
WriteFiles = Callable[[Path, Progress], Path]


class WritingJob(Job):
    """Files that are written in a thread of their own.

    Attributes:
        place: The session's name for the path of the file.
        title: What is written, for people.
        outcome: The path, once the file is written as a whole.
    """

    name = "writing"
    draft_part = "releases"
    outcome: Path | None = None

    def __init__(
        self,
        write: WriteFiles,
        *,
        place: str,
        title: str,
        ledger: Ledger,
        folder: PrivateFolder,
    ) -> None:
        """Start to write.

        Args:
            write: Writes the files.
            place: The session's name for the path.
            title: What is written, for people.
            ledger: The ledger, in which nothing is written.
            folder: The private folder of the session, which stays meanwhile.
        """
        self.place = place
        self.title = title
        self._write = write
        self._folder = folder
        super().__init__((WRITING,), "", ledger)

    @property
    def may_stop(self) -> str:
        """Return the label of the button that stops it."""
        return "Stop: no file is kept"

    def changes(self, earlier: tuple[Any, ...]) -> dict[str, Any]:  # noqa: ARG002 - files change no choice
        """Return no choices: a file changes none."""
        return {}

    def _make(self) -> None:
        """Write the files; Stop is heard between files, and between pieces of rows."""
        watch = Watch(
            seconds=math.inf,
            stopped=lambda: self.is_stopped,
            sentence=lambda: STOPPED_FILE,
        )
        with self._folder.hold():
            place = self._folder.fresh()
            try:
                with watch.watch():
                    path = self._write(place, self._note_written)
            except BaseException:
                shutil.rmtree(place, ignore_errors=True)
                raise
        self.outcome = path


def writing_job() -> WritingJob | None:
    """Return the running job that writes a file."""
    job: WritingJob | None = state.read_value(WritingJob.name)
    return job


def start_writing(write: WriteFiles, *, place: str, title: str) -> None:
    """Start to write a file, unless another one is being written.

    Args:
        write: Writes the files.
        place: The session's name for the path.
        title: What is written, for people.
    """
    if writing_job() is None:
        job = WritingJob(
            write, place=place, title=title, ledger=budgets.ledger(), folder=state.folder()
        )
        state.keep(WritingJob.name, job)


def watch_writing(place: str) -> bool:
    """Show the file that is being written, until it ends; return whether another one is.

    ``place`` is the session's name for the path, under which the written file is kept. The
    button of a file is off while another one is written.
    """
    job = writing_job()
    if job is None or job.place != place:
        return job is not None
    job.wait(0.2)  # a short job ends within this time
    resume_watching(job)
    bar = st.progress(0.0, text=_describe(job))
    st.button(job.may_stop, key="stop_writing", icon=":material/stop:", on_click=job.stop)
    while not job.wait(0.1):
        bar.progress(job.share(1.0), text=_describe(job))
    at_work.finish_job(job)
    if job.outcome is not None:
        state.keep(place, job.outcome)
    st.rerun()


def _describe(job: WritingJob) -> str:
    """Return what is written, and the time so far."""
    if job.is_stopped:
        return "Stopping …"
    seconds = round(2 * job.seconds) / 2  # it ticks even where the bar hardly moves
    return f"Writing {in_markdown(job.title)} … ({seconds:.1f} s)"
