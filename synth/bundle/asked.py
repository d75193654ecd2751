"""Questions about a table and their answers. PUBLIC.

They come from `synth.spending.asking`, or from a bundle that is opened again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from synth.bundle.file_names import CERTIFICATE
from synth.door import Entry, Ledger
from synth.questions import Answer, Inquiry, read_answers
from synth.util import NOTHING_PROTECTED, Ints, Protection, Writer

if TYPE_CHECKING:
    from synth.bundle.certificate import AnswersCertificate
    from synth.bundle.resources import Described


@dataclass(frozen=True, eq=False, kw_only=True)
class Asked:
    """Questions and their answers. PUBLIC.

    Attributes:
        inquiry: The questions, and how they are asked.
        noisy: Noisy numbers for each portion of the arrangement; for a choice its index.
        rows: The number of rows if it is public, else None.
        entry: The spend; None if nothing had to be spent.
        head: Hash of the ledger's newest event; None without a ledger file.
        repeated: Whether they had been answered before, at no cost.
    """

    inquiry: Inquiry
    noisy: tuple[Ints, ...]
    rows: int | None
    entry: Entry | None = None
    head: str | None = None
    repeated: bool = False

    @cached_property
    def answers(self) -> list[Answer]:
        """The answers, in the order of the questions."""
        return read_answers(self.inquiry.arrangement, self.noisy, self.rows)

    @cached_property
    def certificate(self) -> AnswersCertificate:
        """The certificate, without the digests of the files."""
        # Here, because only those who write files need it.
        from synth.bundle.certify_answers import SpendOfAnswers, certify_answers

        return certify_answers(
            self.inquiry,
            self.noisy,
            self.answers,
            rows=self.rows,
            spend=SpendOfAnswers(
                spent=self.inquiry.arrangement.spending, entry=self.entry, head=self.head
            ),
        )

    def write(
        self,
        directory: str | Path,
        ledger: Ledger | None = None,
        protection: Protection = NOTHING_PROTECTED,
    ) -> dict[str, Path]:
        """Write the answers, the inquiry, the declaration, a statement and the certificate.

        Args:
            directory: The folder for the files.
            ledger: The ledger of the spend, which stores the digest of the certificate.
            protection: The files that are never written over.

        Returns:
            The path of each file, by its name.

        Raises:
            ReleaseError: A file can't be written, or something else is there.
            LedgerError: The ledger can't be written.
        """
        from synth.bundle.writer import keep_digest, write_files

        writers, certificate, described = self._files()
        paths = write_files(
            directory, writers, certificate, described=described, protection=protection
        )
        keep_digest(paths[CERTIFICATE].read_bytes(), self.entry, ledger)
        return paths

    def write_archive(
        self,
        path: str | Path,
        ledger: Ledger | None = None,
        protection: Protection = NOTHING_PROTECTED,
    ) -> Path:
        """Write the same files as one zip, and return its path.

        Args:
            path: The zip file to write.
            ledger: The ledger of the spend, which stores the digest of the certificate.
            protection: The files that are never written over.

        Raises:
            ReleaseError: The bundle can't be written, or something else is there.
            LedgerError: The ledger can't be written.
        """
        from synth.bundle.archive import certificate_of, write_zip
        from synth.bundle.writer import keep_digest

        writers, certificate, described = self._files()
        written = write_zip(
            path, writers, certificate, described=described, protection=protection
        )
        keep_digest(certificate_of(written), self.entry, ledger)
        return written

    def _files(self) -> tuple[dict[str, Writer], AnswersCertificate, Described]:
        """Return what the files are written from.

        Returns:
            The writer of each file by its name; the certificate; and the function that makes
            the files that describe the others.
        """
        from synth.bundle.answers import answer_writers
        from synth.bundle.data_package import describe_files

        certificate = self.certificate
        writers = answer_writers(certificate, self.inquiry)
        return writers, certificate, describe_files(certificate, self.inquiry.domain)
