"""A release, or whatever else spends, at work in a thread of its own.

A page's script is cut short whenever the browser asks for something else. A release must not
be: its budget may be spent already. So it runs here to its end, whatever the page does, and
the page only looks on.
"""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Condition, Event, Thread
from time import monotonic
from typing import Any, ClassVar

from pages.ui.shell.private import PrivateFolder
from pages.ui.shell.release import Release, Source
from pages.ui.shell.serving import RELEASE
from synth.bundle import Result
from synth.door import Ledger, add_note, note_standing
from synth.errors import ReleaseError, SynthError
from synth.estimate import Preparation, PublicTable
from synth.plans import Plan
from synth.spending import RELEASE_STAGES, synthesize
from synth.util import Watch

BUNDLE = "bundle.zip"
WRITING = "Writing files"
ALL_STAGES = (*RELEASE_STAGES, WRITING)
SPENDS_AT = RELEASE_STAGES[1]
SORRY = (
    "Something went wrong that Synth did not expect. This message holds no value of the table; "
    "please report what you did."
)
STOPPED = "Stopped; nothing was spent."
NO_MEMORY = "There is not enough memory for this; coarsen the domain or leave out a column."


def log_unexpected(error: BaseException) -> str:
    """Log where an unexpected failure was, without its message, and say sorry."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code.co_filename if trace else "?"
    line = trace.tb_lineno if trace else 0
    logging.getLogger("synth").error("%s at %s:%d", type(error).__name__, code, line)
    return add_note(SORRY, error)


def explain_failure(error: Exception) -> str:
    """Make a sentence of whatever went wrong; of what was not expected, one without its message."""
    if isinstance(error, SynthError):
        return str(error)
    if isinstance(error, MemoryError):
        return add_note(NO_MEMORY, error)
    return log_unexpected(error)


def write_files(result: Result, folder: PrivateFolder, ledger: Ledger) -> dict[str, Path]:
    """Write a release's files, and all of them once more as one bundle; paths by name.

    Raises:
        SynthError: One cannot be written, or the ledger cannot keep the bundle's digest.
    """
    place = folder.fresh()
    bundle = result.write_archive(place / BUNDLE, ledger)
    return {BUNDLE: bundle, **result.write(place, bundle=bundle)}


class Line:
    """Those who wait for their turn: one is at work at a time, in the order in which they came."""

    def __init__(self) -> None:
        self._there: list[Job] = []
        self._moved = Condition()

    def join(self, job: "Job") -> None:
        """Stand at the end."""
        with self._moved:
            self._there.append(job)

    def before(self, job: "Job") -> int:
        """How many come first: 0 for the one at work."""
        with self._moved:
            return self._there.index(job) if job in self._there else 0

    def at_work(self) -> list["Job"]:
        """The one at work, and those who wait."""
        with self._moved:
            return list(self._there)

    @contextmanager
    def turn(self, job: "Job") -> Iterator[None]:
        """Wait for the turn, and have it in this block; who has stopped waits no more."""
        try:
            with self._moved:
                while self._there[0] is not job and not job.is_stopped:
                    self._moved.wait(0.5)
            yield
        finally:
            with self._moved:
                self._there.remove(job)
                self._moved.notify_all()


RELEASES = Line()
"""Releases of all sessions: each may take most of the memory."""


class Job:
    """Something on its way that spends, in a thread of its own.

    Args:
        stages: What it reports, in order; the spend is before the second.
        dataset: What the ledger counts it under.
        ledger: Where the spend is written.

    Attributes:
        name: What the session keeps it under.
        kept_in: Which part of the draft takes what comes of it.
        stage: The stage at work.
        made: What came of it, once it is there.
        error: The sentence why nothing came of it.
    """

    name: ClassVar[str]
    kept_in: ClassVar[str]
    made: Any = None

    def __init__(self, stages: Sequence[str], dataset: str, ledger: Ledger) -> None:
        self.stages, self.stage = stages, stages[0]
        self.error: str | None = None
        self._dataset, self._ledger = dataset, ledger
        self._stop, self._done = Event(), Event()
        self._start = monotonic()
        Thread(target=self._run, name=RELEASE).start()

    @property
    def is_stopped(self) -> bool:
        """Whether it was asked to stop."""
        return self._stop.is_set()

    @property
    def seconds(self) -> float:
        """How long it has been at work."""
        return monotonic() - self._start

    def stop(self) -> None:
        """Ask to stop; what is not spent by then stays, and what is spent is not lost."""
        self._stop.set()

    @property
    def may_stop(self) -> str:
        """What stopping would mean now; empty where it is not worth it any more."""
        return "Stop before anything is spent" if self.stage == self.stages[0] else ""

    def wait(self, seconds: float) -> bool:
        """Wait a little; whether it is done."""
        return self._done.wait(seconds)

    def _make(self) -> None:
        raise NotImplementedError

    def _run(self) -> None:
        try:
            with note_standing("asking for the same"):
                self._make()
        except Exception as error:  # noqa: BLE001 - its message could hold values of the table
            self.error = explain_failure(error)
        finally:
            self._done.set()

    def _progress(self, stage: str) -> None:
        if stage == self.stages[1] and self._stop.is_set():
            raise ReleaseError(STOPPED)
        self.stage = stage


class ReleaseJob(Job):
    """One release on its way, once those before it are made.

    Attributes:
        plan: The plan it follows.
        desk: What belongs to its session, which outlives the session for as long as it works.
        made: The release, once there is one.
        measured: What a model has measured so far, in words; public, as it is paid for.
    """

    name, kept_in = "job", "releases"
    made: Release | None = None

    def __init__(
        self,
        source: Source,
        plan: Plan,
        ledger: Ledger,
        folder: PrivateFolder,
        desk: object = None,
        preparations: Sequence[Preparation] = (),
        *,
        public: PublicTable | None = None,
    ) -> None:
        self._preparations = preparations
        self._public = public if plan.public else None
        self.measured: list[str] = []
        self.desk = desk
        self._source, self.plan, self._folder = source, plan, folder
        RELEASES.join(self)
        super().__init__(ALL_STAGES, plan.dataset, ledger)

    @property
    def may_stop(self) -> str:
        """What stopping would mean now; empty where it is not worth it any more."""
        return "Stop; the spend stands" if self.stage == SPENDS_AT else super().may_stop

    @property
    def before(self) -> int:
        """How many releases come first."""
        return RELEASES.before(self)

    def _make(self) -> None:
        with self._folder.hold(), RELEASES.turn(self):
            self._start = monotonic()
            if self.is_stopped:
                raise ReleaseError(STOPPED)
            self._release()

    def _release(self) -> None:
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
        self.made = Release(self._source, self.plan, result, {})
        self._progress(WRITING)
        files = write_files(result, self._folder, self._ledger)
        self.made = replace(self.made, files=files)

    def _note_measured(self, what: str) -> None:
        """A model measured something, and the ledger keeps it: here it can stop and go on later."""
        self.measured.append(what)
        if self._stop.is_set():
            raise ReleaseError(
                "Stopped after the spend; the same plan goes on from here and costs no more."
            )
