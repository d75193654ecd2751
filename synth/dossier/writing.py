"""All files of a dossier: sheets, the register's entry, and typed answers. PUBLIC.

A dossier is made of a bundle that was checked, and a bundle that does not verify has none.
"""

import io
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from synth.bundle import Certificate, DrawnCertificate, describe_entry
from synth.dossier.data_protection import fill_data_protection
from synth.dossier.facts import Facts
from synth.dossier.health import fill_health
from synth.dossier.html_pages import write_html
from synth.dossier.layers import fill_layers
from synth.dossier.pieces import Question, Sheet
from synth.dossier.questions import list_questions
from synth.dossier.readers import fill_readers
from synth.dossier.register import REGISTER_FILE, fill_register, make_entry
from synth.dossier.register_file import write_yaml
from synth.dossier.typed import ANSWERS_FILE, TypedAnswers, check_answers
from synth.errors import ReleaseError
from synth.util import FolderOutput, Protection, is_same_file
from synth.verification import Verified

# What fills each sheet, by the name of its files without the ending.
SHEETS: Mapping[str, Callable[[Facts], Sheet]] = {
    "data_protection": fill_data_protection,
    "nist_sp_800_226": fill_layers,
    "health_data_access": fill_health,
    "register": fill_register,
    "readers": fill_readers,
}
DOSSIER_FILES = (
    *(f"{name}.{ending}" for name in SHEETS for ending in ("html", "pdf")),
    REGISTER_FILE,
    ANSWERS_FILE,
)


@dataclass(frozen=True)
class Dossier:
    """The sheets of a bundle, with typed answers.

    Attributes:
        facts: The facts of the bundle.
        sheets: The sheets, by the name of their files.
        answers: The typed answers by question.
    """

    facts: Facts
    sheets: Mapping[str, Sheet]
    answers: Mapping[str, str]

    @cached_property
    def questions(self) -> tuple[Question, ...]:
        """The questions of all sheets, each once."""
        keys = frozenset(
            question.key for sheet in self.sheets.values() for question in sheet.questions
        )
        return list_questions(keys)

    @property
    def open_questions(self) -> tuple[Question, ...]:
        """The questions without an answer."""
        return tuple(q for q in self.questions if q.key not in self.answers)

    @cached_property
    def files(self) -> Mapping[str, bytes]:
        """The bytes of all files, by name."""
        from synth.dossier.pdf_pages import write_pdf  # here, because it is slow to import

        files = {}
        for name, sheet in self.sheets.items():
            files[f"{name}.html"] = write_html(sheet, self.answers)
            files[f"{name}.pdf"] = write_pdf(sheet, self.answers)
        files[REGISTER_FILE] = write_yaml(make_entry(self.facts, self.answers))
        typed = TypedAnswers(self.answers, self.facts.digest)
        files[ANSWERS_FILE] = typed.to_bytes(self.questions)
        return files

    def write(
        self,
        folder: str | Path,
        protection: Protection | None = None,
        *,
        names: Sequence[str] = DOSSIER_FILES,
    ) -> list[Path]:
        """Write files into a folder, which is made if it is not there.

        Args:
            folder: The folder.
            protection: It refuses to replace files.
            names: The files to write: see `name_outputs`.

        Returns:
            The paths of the files.

        Raises:
            ReleaseError: A file cannot be written, or something else is there.
        """
        with (protection or Protection()).fill_folder(folder) as place:
            for name in names:
                (place / name).write_bytes(self.files[name])
        return [Path(folder) / name for name in names]


def name_outputs(folder: str | Path, answers: Path | None) -> FolderOutput:
    """Return the folder of a dossier with the names of the files to write.

    A file of answers that is read from the same folder is not written over.

    Args:
        folder: The folder of the dossier.
        answers: The file of answers that is read; None if there is none.
    """
    names = DOSSIER_FILES
    if answers is not None and is_same_file(answers, Path(folder) / ANSWERS_FILE):
        names = tuple(name for name in names if name != ANSWERS_FILE)
    return FolderOutput(folder, names)


def make_dossier(verified: Verified, answers: TypedAnswers | None = None) -> Dossier:
    """Return the dossier of a bundle that was checked.

    Args:
        verified: The findings about the bundle.
        answers: The typed answers.

    Raises:
        ReleaseError: The bundle has no guarantee of its own, or the answers are about
            another one.
    """
    certificate = verified.certificate
    if isinstance(certificate, DrawnCertificate):
        raise ReleaseError(
            "These rows are no release, and spend nothing; make the dossier of the release "
            "that they were drawn from."
        )
    digest = verified.archive.digest
    typed = answers or TypedAnswers({})
    if typed.certificate_sha256 not in ("", digest):
        raise ReleaseError(
            "The answers were typed for another bundle; to use them for this one, delete "
            "'certificate_sha256' in their file."
        )
    facts = Facts(certificate, digest, (*verified.not_checked, *verified.for_steward))
    return Dossier(facts, _fill_sheets(facts), check_answers(typed.answers))


def _fill_sheets(facts: Facts) -> dict[str, Sheet]:
    """Return the sheets of a bundle, by the name of their files."""
    return {name: fill(facts) for name, fill in SHEETS.items()}


def find_questions(certificate: Certificate) -> tuple[Question, ...]:
    """Return the questions that the dossier of a certificate asks, without a check of it."""
    facts = Facts(certificate, digest="")
    return Dossier(facts, _fill_sheets(facts), {}).questions


def pack_dossier(dossier: Dossier) -> bytes:
    """Return all files of a dossier as the bytes of one zip."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in dossier.files.items():
            archive.writestr(describe_entry(name), content)
    return packed.getvalue()
