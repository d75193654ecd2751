"""Answers that were paid for, and the job that gets them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pages.ui.shell.job import WRITING, Job
from pages.ui.shell.private import PrivateFolder
from pages.ui.shell.release import Source
from synth.bundle import Asked
from synth.door import Ledger
from synth.privacy import spell
from synth.questions import Inquiry
from synth.spending import STAGES, ask
from synth.util import Watch

__all__ = ["ZIP", "Answered", "AskJob", "files_of"]

ZIP = "answers.zip"


@dataclass(frozen=True, eq=False)
class Answered:
    """Answers that were paid for. They are public, what is known of the real ones is not.

    Attributes:
        source: The table that was asked.
        asked: The inquiry and its answers.
        files: Paths of files to download, by name.
        real: The real answers, once they were looked at. PRIVATE.
    """

    source: Source
    asked: Asked
    files: Mapping[str, Path]
    real: Any = None

    def __repr__(self) -> str:
        return "Answered(...)"

    @property
    def inquiry(self) -> Inquiry:
        """What was asked."""
        return self.asked.inquiry

    def follows(self, inquiry: Inquiry) -> bool:
        """Whether it answers this inquiry."""
        return self.inquiry.request == inquiry.request


class AskJob(Job):
    """Questions on their way through the door.

    Attributes:
        answered: The answers, once they are there.
    """

    def __init__(
        self, source: Source, inquiry: Inquiry, ledger: Ledger, folder: PrivateFolder
    ) -> None:
        self.answered: Answered | None = None
        self._source, self._inquiry, self._folder = source, inquiry, folder
        super().__init__((*STAGES, WRITING), inquiry.dataset, ledger)

    @property
    def is_done(self) -> bool:
        """Whether there are answers."""
        return self.answered is not None

    @property
    def spends(self) -> str:
        """What is spent, in words."""
        return spell(self._inquiry.guarantee).capitalize()

    def _make(self) -> None:
        asked = ask(
            self._inquiry,
            self._source.table,
            ledger=self._ledger,
            progress=self._progress,
            watch=Watch(stopped=self._stop.is_set),
        )
        self.answered = Answered(self._source, asked, {})
        self._progress(WRITING)
        self.answered = replace(self.answered, files=files_of(asked, self._folder, self._ledger))


def files_of(asked: Asked, folder: PrivateFolder, ledger: Ledger) -> dict[str, Path]:
    """Write the files of answers, and all of them once more as one zip; paths by name.

    Raises:
        SynthError: One cannot be written, or the ledger cannot keep the digest.
    """
    place = folder.fresh()
    zipped = asked.write_archive(place / ZIP, ledger)
    return {ZIP: zipped, **asked.write(place)}
