"""A release or other spend that runs in its own thread.

The browser stops a page's script when it asks for something else. A release must not stop:
its budget may be spent already. The page only shows its progress. Paid answers come the same
way."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Condition, Event, Thread
from time import monotonic
from typing import Any, ClassVar

from pages.ui.shell.private import PrivateFolder
from pages.ui.shell.release import Release, Source
from pages.ui.shell.serving import RELEASE
from synth.bundle import DOMAIN, NOISY, SYNTHETIC, Asked, Result, take_out
from synth.door import Ledger, Preparation, add_note, note_standing
from synth.errors import ReleaseError, SynthError
from synth.estimate import PublicTable
from synth.plans import Plan
from synth.questions import Inquiry
from synth.spending import RELEASE_STAGES, STAGES, ask, synthesize
from synth.util import Watch, describe_lack, lacks_memory

BUNDLE = "bundle.zip"
ZIP = "answers.zip"
WRITING = "Writing files"
ALL_STAGES = (*RELEASE_STAGES, WRITING)
SPENDS_AT = RELEASE_STAGES[1]
SORRY = (
    "Something went wrong that Synth did not expect. This message holds no value of the "
    "table; please report what you did."
)
STOPPED = "Stopped; nothing was spent."


def log_unexpected(error: BaseException) -> str:
    """Log the type and place of an unexpected failure, and return an apology to show.

    The error's message is left out, as it could hold values of the table.
    """
    trace = error.__traceback__
    # The last entry is the line that raised the error.
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code.co_filename if trace else "?"
    line = trace.tb_lineno if trace else 0
    logging.getLogger("synth").error("%s at %s:%d", type(error).__name__, code, line)
    # A note of the error, if it has one, says whether a spend stands.
    return add_note(SORRY, error)


def explain_failure(error: Exception) -> str:
    """Return the sentence for a failure; it holds no value of the table.

    Messages of Synth's own errors hold none. Any other error gets an apology.
    """
    if isinstance(error, SynthError):
        return str(error)
    if lacks_memory(error):
        return describe_lack(error)
    return log_unexpected(error)


def write_files(result: Result, folder: PrivateFolder, ledger: Ledger) -> dict[str, Path]:
    """Write a release's bundle, and single files of it; return paths by name.

    They are in a new folder.

    Raises:
        SynthError: A file cannot be written, or the ledger cannot store the bundle's digest.
    """
    place = folder.fresh()
    bundle = result.write_archive(place / BUNDLE, ledger)
    return {BUNDLE: bundle, **take_out(bundle, place, (SYNTHETIC, NOISY, DOMAIN))}


class Line:
    """A queue of jobs; the first one is at work."""

    def __init__(self) -> None:
        self._there: list[Job] = []
        self._moved = Condition()

    def join(self, job: "Job") -> None:
        """Add a job at the end."""
        with self._moved:
            self._there.append(job)

    def before(self, job: "Job") -> int:
        """Return the number of jobs ahead: 0 for the running one."""
        with self._moved:
            return self._there.index(job) if job in self._there else 0

    def at_work(self) -> list["Job"]:
        """Return all jobs, the running one first."""
        with self._moved:
            return list(self._there)

    @contextmanager
    def turn(self, job: "Job") -> Iterator[None]:
        """Wait until the job is the first in the queue, and leave the queue after the block.

        A stopped job waits no longer: the block then starts out of turn, and must do nothing.
        """
        try:
            with self._moved:
                while self._there[0] is not job and not job.is_stopped:
                    self._moved.wait(0.5)
            yield
        finally:
            with self._moved:
                self._there.remove(job)
                self._moved.notify_all()


# Releases of all sessions, in one queue: each may need most of the memory.
RELEASES = Line()


class Job:
    """A spend in its own thread.

    Args:
        stages: The reported stages, in order; the spend is before the second.
        dataset: Its name in the ledger.

    Attributes:
        name: Its key in the session.
        draft_part: The part of the draft for the outcome.
        outcome: The release or the answers, once there are any.
        error: The sentence why there is no result.
    """

    name: ClassVar[str]
    draft_part: ClassVar[str]
    outcome: Any = None

    def __init__(self, stages: Sequence[str], dataset: str, ledger: Ledger) -> None:
        """Start the work in a thread of its own.

        Args:
            stages: The names of its stages, in order; the spend is made before the second.
            dataset: The name of the dataset in the ledger.
            ledger: The ledger that records the spend.
        """
        self.stages = stages
        self.stage = stages[0]
        self.error: str | None = None
        self._dataset = dataset
        self._ledger = ledger
        self._stop = Event()
        self._done = Event()
        self._start = monotonic()
        # Before the server ends, it waits for threads of this name.
        Thread(target=self._run, name=RELEASE).start()

    @property
    def is_stopped(self) -> bool:
        """Return whether the user asked it to stop."""
        return self._stop.is_set()

    @property
    def seconds(self) -> float:
        """Return for how many seconds it has run."""
        return monotonic() - self._start

    def stop(self) -> None:
        """Ask it to stop; nothing unspent is spent then, and nothing spent is lost."""
        self._stop.set()

    @property
    def may_stop(self) -> str:
        """Return the label of the button that stops it; empty if it cannot stop."""
        return "Stop before anything is spent" if self.stage == self.stages[0] else ""

    def wait(self, seconds: float) -> bool:
        """Return whether it is done, after at most so many seconds."""
        return self._done.wait(seconds)

    def _make(self) -> None:
        raise NotImplementedError

    def _run(self) -> None:
        """Do the work in the thread, and store a failure as one sentence.

        In any case the job is marked as done.
        """
        try:
            with note_standing("asking for the same"):
                self._make()
        except Exception as error:  # noqa: BLE001 - its message could hold values of the table
            self.error = explain_failure(error)
        finally:
            self._done.set()

    def _progress(self, stage: str) -> None:
        """Store the stage that begins.

        ReleaseError if it is the one that spends, and the user has asked to stop.
        """
        if stage == self.stages[1] and self._stop.is_set():
            raise ReleaseError(STOPPED)
        self.stage = stage


class ReleaseJob(Job):
    """One release, which waits for its turn.

    Attributes:
        plan: The plan of the release.
        outcome: The release, as soon as it is paid for and made.
        desk: The data of its session, which outlives the session while the job runs.
        measured: The model's measurements so far, in words; public, as they are paid for.
    """

    name = "job"
    draft_part = "releases"
    outcome: Release | None = None

    def __init__(  # noqa: PLR0913 - each part of a job by name
        self,
        source: Source,
        plan: Plan,
        *,
        ledger: Ledger,
        folder: PrivateFolder,
        desk: object = None,
        preparations: Sequence[Preparation] = (),
        public: PublicTable | None = None,
    ) -> None:
        """Put the release into the queue of all sessions, and start its thread.

        Args:
            source: The confidential table.
            plan: The plan of the release.
            ledger: The ledger that records the spend.
            folder: The private folder for the files.
            desk: The data of the session.
            preparations: Paid drafts and checks of the declaration.
            public: The public table that the plan may name as a first guess.
        """
        self._preparations = preparations
        self._public = public if plan.public else None
        self.measured: list[str] = []
        self.desk = desk
        self._source = source
        self.plan = plan
        self._folder = folder
        RELEASES.join(self)  # before the thread starts, which waits for its turn
        super().__init__(ALL_STAGES, plan.dataset, ledger)

    @property
    def may_stop(self) -> str:
        """Return the label of the button that stops it."""
        return "Stop; the spend stands" if self.stage == SPENDS_AT else super().may_stop

    @property
    def before(self) -> int:
        """Return the number of releases ahead of it."""
        return RELEASES.before(self)

    def _make(self) -> None:
        """Wait for the turn among all releases; then release unless it was stopped.

        The private folder is not removed meanwhile, even if the session ends.
        """
        with self._folder.hold(), RELEASES.turn(self):
            self._start = monotonic()  # without the time of waiting
            if self.is_stopped:
                raise ReleaseError(STOPPED)
            self._release()

    def _release(self) -> None:
        """Spend on the release and make it; then write its files.

        The outcome is stored before the files: a release whose files fail is paid for all the
        same.
        """
        result = synthesize(
            self.plan,
            self._source.table,
            ledger=self._ledger,
            progress=self._progress,
            measured=self._note_measured,
            watch=Watch(stopped=self._stop.is_set),
            preparations=self._preparations,
            public=self._public,
        )
        self.outcome = Release(source=self._source, plan=self.plan, result=result, files={})
        self._progress(WRITING)
        files = write_files(result, self._folder, self._ledger)
        self.outcome = replace(self.outcome, files=files)

    def _note_measured(self, measurement: str) -> None:
        """Store a measurement of the model, in words; ReleaseError if a stop was asked.

        The ledger stores each measurement: the job can stop here and go on later.
        """
        self.measured.append(measurement)
        if self._stop.is_set():
            raise ReleaseError(
                "Stopped after the spend; the same plan goes on from here and costs no more."
            )


@dataclass(frozen=True, eq=False, kw_only=True)
class Answered:
    """Paid answers.

    Attributes:
        source: The table that they are about.
        asked: The answers in detail. They are public.
        files: Paths of their files by name. They are public.
        real: The real answers, after a look. PRIVATE.
    """

    source: Source
    asked: Asked
    files: Mapping[str, Path]
    real: Any = None

    def __repr__(self) -> str:
        return "Answered(...)"

    @property
    def inquiry(self) -> Inquiry:
        """Return the questions and how they were paid for."""
        return self.asked.inquiry

    def follows(self, inquiry: Inquiry) -> bool:
        """Return whether these are the answers to an inquiry."""
        return self.inquiry.request == inquiry.request


class AskJob(Job):
    """An inquiry that is being answered.

    Attributes:
        outcome: The answers, as soon as they are paid for.
    """

    name = "ask_job"
    draft_part = "answers"
    outcome: Answered | None = None

    def __init__(
        self, source: Source, inquiry: Inquiry, *, ledger: Ledger, folder: PrivateFolder
    ) -> None:
        """Start to answer an inquiry in a thread of its own.

        Args:
            source: The confidential table.
            inquiry: The questions, and how they are answered and paid for.
            ledger: The ledger that records the spend.
            folder: The private folder for the files.
        """
        self._source = source
        self._inquiry = inquiry
        self._folder = folder
        super().__init__((*STAGES, WRITING), inquiry.dataset, ledger)

    def _make(self) -> None:
        """Spend on the questions and answer them; then write the files of the answers."""
        answers = ask(
            self._inquiry,
            self._source.table,
            ledger=self._ledger,
            progress=self._progress,
            watch=Watch(stopped=self._stop.is_set),
        )
        self.outcome = Answered(source=self._source, asked=answers, files={})
        self._progress(WRITING)
        files = files_of(answers, self._folder, self._ledger)
        self.outcome = replace(self.outcome, files=files)


def files_of(answers: Asked, folder: PrivateFolder, ledger: Ledger) -> dict[str, Path]:
    """Write the files of answers, and one zip of all; return paths by name.

    Raises:
        SynthError: A file cannot be written, or the ledger cannot store the digest.
    """
    place = folder.fresh()
    return {ZIP: answers.write_archive(place / ZIP, ledger), **answers.write(place)}
