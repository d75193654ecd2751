"""A release in its own thread, and files of a release that are written once more."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any

from pages.ui.shell.job import WRITING, Job
from pages.ui.shell.line import RELEASES
from pages.ui.shell.private import PrivateFolder
from pages.ui.shell.release import Release, Source
from synth.bundle import SINGLE_FILES, Result, WritingProgress, describe_spend, take_out
from synth.door import Ledger, Preparation
from synth.errors import ReleaseError
from synth.estimate import PublicTable
from synth.plans import Plan
from synth.spending import RELEASE_STAGES, synthesize
from synth.util import STOPPED, Watch

BUNDLE = "bundle.zip"
ALL_STAGES = (*RELEASE_STAGES, WRITING)
SPENDS_AT = RELEASE_STAGES[1]
STOPPED_LATER = "Stopped after the spend; the same plan goes on from here and costs no more."
STOPPED_WRITING = (
    "Stopped; the release is stored, and the step Download writes its files at no cost."
)
STOPPED_CHANGING = "Stopped; the files of the release are as they were."
GAVE_WAY = "Its page was closed, and others waited: "
# The part of the bar that each stage of a release takes, in the order of `ALL_STAGES`.
PARTS = (0.15, 0.5, 0.05, 0.1, 0.2)


def write_files(
    result: Result,
    folder: PrivateFolder,
    ledger: Ledger,
    *,
    progress: WritingProgress | None = None,
    numbers_of: Path | None = None,
) -> dict[str, Path]:
    """Write a release's bundle, and single files of it; return paths by name.

    They are in a new folder.

    Args:
        result: The release.
        folder: The private folder of the session.
        ledger: The ledger, which stores the bundle's digest.
        progress: Called with the share of the files that are written.
        numbers_of: A bundle of the same numbers, from which the tables are taken.

    Raises:
        SynthError: A file cannot be written, or the ledger cannot store the bundle's digest.
    """
    place = folder.fresh()
    bundle = result.write_archive(
        place / BUNDLE, ledger, progress=progress, numbers_of=numbers_of
    )
    return {BUNDLE: bundle, **take_out(bundle, place, SINGLE_FILES)}


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
        self._is_paid = False
        RELEASES.join(self)  # before the thread starts, which waits for its turn
        super().__init__(ALL_STAGES, plan.dataset, ledger)

    @property
    def may_stop(self) -> str:
        """Return the label of the button that stops it."""
        return super().may_stop or "Stop; the spend stands"

    @property
    def is_stopped(self) -> bool:
        """Return whether it is to end: the user says so, or it gives way to another one."""
        return super().is_stopped or self._gives_way

    @property
    def _gives_way(self) -> bool:
        """Return whether its page is closed for good, and another release waits for it.

        What it has paid for is in the ledger, so the same plan goes on later.
        """
        return self._folder.is_left and RELEASES.holds_up(self)

    @property
    def before(self) -> int:
        """Return the number of releases that must end before this one begins."""
        return RELEASES.before(self)

    @property
    def parts(self) -> Sequence[float]:
        """Return the part of the bar that each stage takes."""
        return PARTS

    def changes(self, earlier: tuple[Any, ...]) -> dict[str, Any]:
        """Return the choices of the draft that change once the release is made.

        The same release with another certificate takes the place of the one before.
        """
        others = [release for release in earlier if not self._is_replaced(release)]
        return super().changes((*others,))

    def _is_replaced(self, release: Release) -> bool:
        is_same = release.source is self._source and release.plan == self.plan
        return is_same and not release.opened

    def _make(self) -> None:
        """Wait for the turn among all releases; then release unless it was stopped.

        The private folder is not removed meanwhile, even if the session ends. The files are
        written after the turn, so that nobody waits for them.
        """
        with self._folder.hold():
            with RELEASES.turn(self):
                self._start = monotonic()  # without the time of waiting
                self._stage_start = self._start
                if self.is_stopped:
                    raise ReleaseError(self._explain(STOPPED))
                result = self._release()
            # The outcome is stored before the files: a release whose files fail is paid for.
            self.outcome = Release(
                source=self._source, plan=self.plan, result=result, files={}
            )
            self._progress(WRITING)
            with self._watch_later(STOPPED_WRITING).watch():
                files = write_files(
                    result, self._folder, self._ledger, progress=self._note_written
                )
            self.outcome = replace(self.outcome, files=files)

    def _release(self) -> Result:
        """Spend on the release, and return it."""
        with self._watch_later(STOPPED_LATER).watch():
            return synthesize(
                self.plan,
                self._source.table,
                ledger=self._ledger,
                progress=self._progress,
                measured=self._note_measured,
                watch=Watch(
                    stopped=lambda: self.is_stopped,
                    sentence=lambda: self._explain(STOPPED),
                ),
                preparations=self._preparations,
                public=self._public,
            )

    def _watch_later(self, sentence: str) -> Watch:
        """Return the watch that stops the work after the spend; it has no time limit.

        Args:
            sentence: What is said of stopped work.
        """
        return Watch(
            seconds=math.inf,
            stopped=lambda: self._is_paid and self.is_stopped,
            sentence=lambda: self._explain(sentence),
        )

    def _explain(self, sentence: str) -> str:
        """Return why the work was stopped: by the user, or because it gave way to another.

        ``sentence`` is what is said of stopped work.
        """
        user_stopped = super().is_stopped
        if user_stopped:
            return sentence
        return f"{GAVE_WAY}{sentence[0].lower()}{sentence[1:]}"

    def _progress(self, stage: str) -> None:
        """Store the stage that begins; ReleaseError if a stop was asked for.

        Every stage after the one that spends begins once the spend is recorded.
        """
        is_paid = self.stages.index(stage) > self.stages.index(SPENDS_AT)
        self._is_paid = self._is_paid or is_paid
        if is_paid and stage != WRITING and self.is_stopped:
            raise ReleaseError(self._explain(STOPPED_LATER))
        super()._progress(stage)

    def _note_measured(self, measurement: str) -> None:
        """Store a measurement of the model, in words; ReleaseError if a stop was asked.

        The ledger stores each measurement: the job can stop here and go on later.
        """
        self._is_paid = True
        self.measured.append(measurement)
        if self.is_stopped:
            raise ReleaseError(self._explain(STOPPED_LATER))


class FilesJob(Job):
    """The files of a paid release, which are written once more at no cost.

    Either they could not be written before, or the steward now vouches for values that were
    taken from the rows: then only the files with words about them are written anew.

    Attributes:
        release: The release as it was.
        plan: Its plan.
        outcome: The release with its files.
    """

    name = "job"
    draft_part = "releases"
    outcome: Release | None = None

    def __init__(
        self, release: Release, *, ledger: Ledger, folder: PrivateFolder, vouch: bool = False
    ) -> None:
        """Start to write files in a thread of its own.

        Args:
            release: The release.
            ledger: The ledger that records the digest of the bundle.
            folder: The private folder for the files.
            vouch: Whether the steward vouches that the values from the rows are public.
        """
        self.release = release
        self.plan = release.plan
        self.measured: list[str] = []
        self._folder = folder
        self._vouches = vouch
        super().__init__((WRITING,), release.plan.dataset, ledger)

    @property
    def may_stop(self) -> str:
        """Return the label of the button that stops it."""
        return "Stop"

    def changes(self, earlier: tuple[Any, ...]) -> dict[str, Any]:
        """Return the choices of the draft that change once the files are there.

        The word that values are public is about this release: the next one asks for it anew.
        """
        assert self.outcome is not None
        new = {"plan": self.plan, "result": self.outcome.result, "files": self.outcome.files}
        # Found by its files, as it may have been compared meanwhile.
        releases = tuple(
            replace(release, **new) if release.files is self.release.files else release
            for release in earlier
        )
        return {self.draft_part: releases}

    def _make(self) -> None:
        """Write the files, and store them with the release."""
        result = self.release.result
        if self._vouches:
            result = result.vouch()
            self._ask_to_vouch(result)
        watch = Watch(
            seconds=math.inf,
            stopped=lambda: self.is_stopped,
            sentence=lambda: STOPPED_CHANGING,
        )
        with self._folder.hold(), watch.watch():
            files = write_files(
                result,
                self._folder,
                self._ledger,
                progress=self._note_written,
                numbers_of=self.release.files.get(BUNDLE),
            )
        self.plan = result.plan
        self.outcome = replace(self.release, plan=self.plan, result=result, files=files)

    def _ask_to_vouch(self, result: Result) -> None:
        """Let a second person approve the vouching, if the ledger is set to two persons.

        Raises:
            WaitingError: It is not approved yet.
        """
        spend = result.entry
        if spend is None:  # opened from a bundle, so no ledger here paid for it
            return
        tables = " ".join(self._ledger.tables_of(spend.number))
        if self._ledger.guard_of(spend.dataset, tables) is not None:
            view = describe_spend(result.plan, spend.guarantee, spend.purpose)
            self._ledger.note_vouching(spend, view)
