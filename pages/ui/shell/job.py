"""A release or other spend that runs in its own thread.

The browser stops a page's script when it asks for something else. A release must not stop:
its budget may be spent already. The page only shows its progress. Paid answers come the same
way."""

import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Any, ClassVar

from pages.ui.shell.private import PrivateFolder
from pages.ui.shell.release import Source
from pages.ui.shell.serving import RELEASE
from synth.bundle import Asked
from synth.door import Ledger, add_note, note_standing
from synth.errors import ReleaseError, SynthError
from synth.questions import Inquiry
from synth.spending import STAGES, ask
from synth.util import STOPPED, Watch, describe_lack, lacks_memory

ZIP = "answers.zip"
WRITING = "Writing files"
SORRY = (
    "Something went wrong that Synth did not expect. This message holds no value of the "
    "table; please report what you did."
)


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
        self._stage_start = self._start
        self._written = 0.0
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

    @property
    def before(self) -> int:
        """Return the number of jobs that must end before this one begins."""
        return 0

    @property
    def position(self) -> int:
        """Return the position of its stage, from 1."""
        return self.stages.index(self.stage) + 1

    @property
    def parts(self) -> Sequence[float]:
        """Return the part of the bar that each stage takes; together they are 1."""
        return [1 / len(self.stages)] * len(self.stages)

    def share(self, expected_seconds: float) -> float:
        """Return how much of the bar is full, from 0 to 1; it never falls.

        A stage fills its part by the files that are written, or else by the time it takes: it
        comes near the end of its part and never passes it.

        Args:
            expected_seconds: About how long the whole job takes.
        """
        number = self.stages.index(self.stage)
        part = self.parts[number]
        inside = self._written
        if self.stage != WRITING:
            seconds = monotonic() - self._stage_start
            inside = 1 - math.exp(-seconds / max(0.1, part * expected_seconds))
        return min(1.0, sum(self.parts[:number]) + part * inside)

    def changes(self, earlier: tuple[Any, ...]) -> dict[str, Any]:
        """Return the choices of the draft that change once there is an outcome.

        Args:
            earlier: What the part of the draft for outcomes holds.
        """
        return {self.draft_part: (*earlier, self.outcome)}

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
        if stage == self.stages[1] and self.is_stopped:
            raise ReleaseError(STOPPED)
        self.stage = stage
        self._stage_start = monotonic()

    def _note_written(self, share: float) -> None:
        """Store the share of the files that are written."""
        self._written = share


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
