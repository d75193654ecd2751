"""A release. PUBLIC.

It comes from `synth.spending.pipeline`, or from a bundle that is opened again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from shutil import copyfile
from typing import TYPE_CHECKING

from synth.bundle.certificate import ReleaseCertificate
from synth.bundle.certificate_parts import ScoreRecord
from synth.bundle.declaration import add_to_guarantee, preparations_in, rows_fit
from synth.bundle.file_names import CERTIFICATE, NOISY, NOTES, PARQUET, PLAN, SYNTHETIC
from synth.door import Entry, Ledger
from synth.estimate import Bar, Interval, Record, released_fits
from synth.foreign import Folder
from synth.plans import Plan
from synth.rows import SyntheticTable
from synth.util import NOTHING_PROTECTED, Protection, Writer

if TYPE_CHECKING:
    from synth.bundle.exports.format import FileFormat
    from synth.bundle.resources import Described
    from synth.bundle.writer import WritingProgress

# The files of numbers alone, which stay as they are when the words about them change.
_NUMBERS = (SYNTHETIC, PARQUET, NOISY)


def folder_names(formats: "Sequence[FileFormat]") -> tuple[str, ...]:
    """Return the names of the files that `Result.write` writes into a folder.

    Args:
        formats: Formats of the rows in addition to CSV and Parquet.
    """
    from synth.bundle.resources import DESCRIBING, RELEASE_FILES

    export_names = [kind.file for kind in formats]
    if formats:
        export_names.append(NOTES)
    return (*RELEASE_FILES, *export_names, *DESCRIBING, CERTIFICATE)


def certificate_beside(rows: str | Path) -> Path:
    """Return where the certificate of a CSV file of rows is written: beside the file.

    >>> certificate_beside("made/people.csv").as_posix()
    'made/people.certificate.json'
    """
    return Path(rows).with_suffix(f".{CERTIFICATE}")


@dataclass(frozen=True, eq=False, kw_only=True)
class Released:
    """A release with its rows in one table or in parts; all of it is PUBLIC.

    Attributes:
        plan: The plan of the release.
        record: The noisy counts, and what follows from them.
        certificate: The certificate, without the digests of files.
        entry: The spend in the ledger.
        repeated: Whether it comes from the ledger, at no cost.
    """

    plan: Plan
    record: Record
    certificate: ReleaseCertificate
    entry: Entry | None = None
    repeated: bool = False

    @cached_property
    def is_noise(self) -> bool:
        """Whether few rows fit the declaration, or noise outweighs the counts."""
        _, is_noise = rows_fit(self.record, preparations_in(self.certificate))
        return is_noise

    @property
    def is_doubtful(self) -> bool:
        """Whether it is noise, or its noisy counts name columns that are mostly noise."""
        return self.is_noise or bool(released_fits(self.record).columns)

    @property
    def scores(self) -> tuple[ScoreRecord, ...]:
        """The utility scores that were bought."""
        return self.certificate.scores


@dataclass(frozen=True, eq=False, kw_only=True)
class Result(Released):
    """A release with its rows as one table.

    Attributes:
        synthetic: The synthetic rows.
    """

    synthetic: SyntheticTable = field(kw_only=True)

    @property
    def rows(self) -> int:
        """The number of synthetic rows."""
        return self.synthetic.rows

    def interval(self, name: str) -> Interval | None:
        """Return 95 % intervals of the real shares of a column's cells.

        They are as wide as the noise makes them. None if only large counts are listed.

        Args:
            name: The name of the column.
        """
        return self.record.interval(self.plan.domain.names.index(name))

    @property
    def pair_bars(self) -> list[Bar]:
        """The error bars of single pairs of columns."""
        return [bar for bar in self.record.bars if len(bar.names) == 2]

    def vouch(self) -> "Result":
        """Return the release with the steward's word that values from the rows are public.

        The certificate has it, and every number stays as it is.
        """
        declaration = replace(self.certificate.declaration, taken_is_public=True)
        certificate = replace(self.certificate, declaration=declaration)
        plan_domain = replace(self.plan.domain, vouched=True)
        rows_domain = replace(self.synthetic.domain, vouched=True)
        return replace(
            self,
            plan=replace(self.plan, domain=plan_domain),
            record=self.record.redeclare(replace(self.record.domain, vouched=True)),
            # Nothing is added but what the last sentences say of the declaration.
            certificate=add_to_guarantee(certificate),
            synthetic=replace(self.synthetic, domain=rows_domain),
        )

    def write(
        self,
        directory: str | Path,
        ledger: Ledger | None = None,
        formats: "Sequence[FileFormat]" = (),
        *,
        bundle: Path | None = None,
        protection: Protection = NOTHING_PROTECTED,
    ) -> dict[str, Path]:
        """Write the files of the bundle into a folder, which `verify` checks like a bundle.

        Args:
            directory: The folder.
            ledger: The ledger of the release, which stores the digest of the certificate.
            formats: Formats of the rows in addition to CSV and Parquet.
            bundle: The bundle of this release, if it was just written: its files are copied.
            protection: The files that are never written over.

        Returns:
            The path of each file, by its name.

        Raises:
            ReleaseError: A file can't be written, or something else is there.
            LedgerError: The ledger can't be written.
        """
        from synth.bundle import writer
        from synth.bundle.archive import take_out

        if bundle is not None:
            return take_out(bundle, directory, protection=protection)
        writers, certificate, described = self._files(formats)
        paths = writer.write_files(
            directory, writers, certificate, described=described, protection=protection
        )
        writer.keep_digest(paths[CERTIFICATE].read_bytes(), self.entry, ledger)
        return paths

    def write_archive(  # noqa: PLR0913 - public: each option by name
        self,
        path: str | Path,
        ledger: Ledger | None = None,
        formats: "Sequence[FileFormat]" = (),
        *,
        protection: Protection = NOTHING_PROTECTED,
        progress: "WritingProgress | None" = None,
        numbers_of: Path | None = None,
    ) -> Path:
        """Write the bundle as one zip, and return its path.

        Args:
            path: The zip file to write.
            ledger: The ledger of the release, which stores the digest of the certificate.
            formats: Formats of the rows in addition to CSV and Parquet.
            protection: The files that are never written over.
            progress: Called with the share of the files that are written.
            numbers_of: A bundle of the same numbers about which other words are written now,
                from which the tables are copied; None to write them.

        Raises:
            ReleaseError: It can't be written, or something else is there.
            LedgerError: The ledger can't be written.
        """
        from synth.bundle import writer
        from synth.bundle.archive import certificate_of, copier, write_zip

        writers, certificate, described = self._files(formats)
        if numbers_of is not None:
            writers |= {name: copier(numbers_of, name) for name in _NUMBERS}
        written = write_zip(
            path,
            writers,
            certificate,
            described=described,
            protection=protection,
            progress=progress,
        )
        writer.keep_digest(certificate_of(written), self.entry, ledger)
        return written

    def write_rows(
        self,
        path: str | Path,
        ledger: Ledger | None = None,
        *,
        protection: Protection = NOTHING_PROTECTED,
    ) -> tuple[Path, Path]:
        """Write the rows as one CSV file with the certificate beside it.

        Both are the files of the bundle, so the certificate has the digest of the CSV file.

        Args:
            path: The CSV file.
            ledger: The ledger of the release, which stores the digest of the certificate.
            protection: The files that are never written over.

        Returns:
            The paths of the rows and of the certificate.

        Raises:
            ReleaseError: A file can't be written, or something else is there; then none is
                written.
            LedgerError: The ledger can't be written.
        """
        rows_path = Path(path)
        certificate_path = certificate_beside(rows_path)
        with Folder() as folder:
            written = self.write(folder, ledger)
            moving = protection.fill_folder(rows_path.parent, last=certificate_path.name)
            with moving as part:
                copyfile(written[SYNTHETIC], part / rows_path.name)
                copyfile(written[CERTIFICATE], part / certificate_path.name)
        return rows_path, certificate_path

    def _files(
        self, formats: "Sequence[FileFormat]"
    ) -> "tuple[dict[str, Writer], ReleaseCertificate, Described]":
        """Return what the files are written from.

        Args:
            formats: Formats of the rows in addition to CSV and Parquet.

        Returns:
            The function that writes each file to a path, by the file's name; the certificate
            with the versions of the packages that write the formats; and the function that
            makes the files that describe the others.
        """
        from synth.bundle import writer
        from synth.bundle.data_package import describe_files
        from synth.bundle.ddi import DDI, codebook
        from synth.bundle.exports.export import export_writers, made_by
        from synth.bundle.pages import write_pages
        from synth.bundle.texts import json_bytes, write_texts

        plan = self.plan.to_json()
        rows = self.synthetic
        certificate = made_by(self.certificate, formats)
        contents = {
            PLAN: json_bytes(plan),
            **write_texts(certificate, plan, rows.domain),
            **write_pages(certificate, self.record, rows),
            DDI: codebook(certificate, rows),
        }
        writers = writer.table_writers(rows, self.record) | writer.bytes_writers(contents)
        writers |= export_writers(rows, formats)
        return writers, certificate, describe_files(certificate, rows.domain)
