"""Paid answers, and the job that gets them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pages.ui.shell.job import WRITING, Job
from pages.ui.shell.private import PrivateFolder
from pages.ui.shell.release import Source
from synth.bundle import Asked
from synth.door import Ledger
from synth.questions import Inquiry
from synth.spending import STAGES, ask
from synth.util import Watch

__all__ = ["ZIP", "Answered", "AskJob", "files_of"]

ZIP = "answers.zip"


@dataclass(frozen=True, eq=False)
class Answered:
    """Paid answers. They are public; ``real`` holds the real ones: PRIVATE."""

    source: Source
    asked: Asked
    files: Mapping[str, Path]
    real: Any = None

    def __repr__(self) -> str:
        return "Answered(...)"

    @property
    def inquiry(self) -> Inquiry:
        return self.asked.inquiry

    def follows(self, inquiry: Inquiry) -> bool:
        return self.inquiry.request == inquiry.request


class AskJob(Job):
    name, kept_in = "ask_job", "answers"
    made: Answered | None = None

    def __init__(
        self, source: Source, inquiry: Inquiry, ledger: Ledger, folder: PrivateFolder
    ) -> None:
        self._source, self._inquiry, self._folder = source, inquiry, folder
        super().__init__((*STAGES, WRITING), inquiry.dataset, ledger)

    def _make(self) -> None:
        asked = ask(
            self._inquiry,
            self._source.table,
            ledger=self._ledger,
            progress=self._progress,
            watch=Watch(stopped=self._stop.is_set),
        )
        self.made = Answered(self._source, asked, {})
        self._progress(WRITING)
        self.made = replace(self.made, files=files_of(asked, self._folder, self._ledger))


def files_of(asked: Asked, folder: PrivateFolder, ledger: Ledger) -> dict[str, Path]:
    """Write the files of answers, and one zip of all; return paths by name.

    Raises:
        SynthError: A file cannot be written, or the ledger cannot store the digest.
    """
    place = folder.fresh()
    return {ZIP: asked.write_archive(place / ZIP, ledger), **asked.write(place)}
