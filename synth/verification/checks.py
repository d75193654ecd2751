"""Verify a bundle, or answers: files, the form of the certificate, and its claims. PUBLIC.

Synth repeats everything that follows from public numbers: arithmetic, texts, pages, and rows
as far as possible. No file can prove the past (that the noise was drawn, once, exactly). The
ledger helps there: it stores the certificate's digest.

Synth also makes the certificate again, and compares each of its leaves. What cannot be made
again is on a short list (`synth.verification.given`), and each result names it.

The verdict is *refuted* if a claim does not hold, and *not checked* if some listed claims
were not checked; of another algorithm's bundle, the rows. Else it is *confirmed*.

`open_bundle` also opens a bundle again as a release, without a spend and without the table.
Values are drawn again with the certificate's seed, so everything works as on a release.
(`synth.verification.unverified` opens a bundle although a claim does not hold.)
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from os.path import isdir
from pathlib import Path
from typing import TYPE_CHECKING

from synth.bundle import (
    PARTED,
    PARTS,
    AnswersCertificate,
    Archive,
    Certificate,
    DrawnCertificate,
    FileFormat,
    HistogramCertificate,
    LinkedCertificate,
    MarginalsCertificate,
    ReleaseCertificate,
    check_declaration,
    check_fit_said,
    check_paid,
    check_prepared,
    folder_names,
    read_bundle,
)
from synth.domain import Domain
from synth.door import Ledger
from synth.errors import (
    ArgumentError,
    OtherVersionError,
    RefutedError,
    ReleaseError,
    SynthError,
)
from synth.verification import bundled_rows, exported, files, releases, remade
from synth.verification.files import refuse_unopened
from synth.verification.given import Means, check_form, given_parts
from synth.verification.leaves import OpenPart, compare_leaves, describe_open
from synth.verification.verdict import OpenClaim, StewardClaim
from synth.verification.verified import (
    Verified,
    VerifiedAnswers,
    VerifiedDrawn,
    VerifiedParts,
    VerifiedRelease,
)
from synth.verification.versions import explained_otherwise

if TYPE_CHECKING:
    from synth.estimate import PublicTable, RowStore
    from synth.questions import Answer

# Without a ledger, noise that was never drawn fits the files as well.
UNRECORDED = StewardClaim(
    "The files cannot show whether a ledger has the spend and this certificate. The steward "
    "can check that with --ledger FILE."
)
NOT_DRAWN_FROM = (
    "Only rows that were drawn from a release once more are checked against it: leave out "
    "--release (in Python: release)."
)
PublicReader = Callable[[Domain], "PublicTable"]


def verify_archive(  # noqa: PLR0913 - those of `synth.verify`
    path: str | Path,
    archive: Archive,
    *,
    ledger: Ledger | None = None,
    public: PublicReader | None = None,
    redraw: bool = False,
    place: "RowStore | None" = None,
    release: str | Path | None = None,
) -> Verified:
    """Check an unpacked bundle, or the files of answers, as `synth.verification.verify` does.

    Args:
        path: The zip file or the folder that the archive was read from.
        archive: The files of the bundle.
        ledger: The ledger of the spend, if it is at hand.
        public: Reads the public table that was a model's first guess, if it is at hand.
        redraw: Whether to draw the rows of a model again.
        place: Makes the rows to fill when rows in parts are drawn again; by default this
            process.
        release: The bundle that rows were drawn from once more, if it is at hand.

    Raises:
        RefutedError: A claim does not hold.
        OtherVersionError: A newer version of Synth made it; nothing is checked.
        SynthError: It cannot be read, or needs too much memory or time.
    """
    if redraw and place is None:
        from synth.estimate import place_here

        place = place_here
    in_parts = isdir(path) and PARTS in archive
    source = None
    if release is not None:
        source = _verify_release(
            release, ledger=ledger, public=public, redraw=redraw, place=place
        )
    other_files = files.describe_other_files(archive, PARTED if in_parts else ())
    check = _Check(
        archive=archive,
        ledger=ledger,
        public=public,
        folder=Path(path) if in_parts else None,
        place=place if redraw else None,  # without it, no rows of a model are drawn
        release=source,
    )
    try:
        checked = check.check_bundle()
        open_parts = describe_open(checked.open_parts)
        return replace(checked, checks=(*checked.checks, *open_parts, *other_files))
    # Such a bundle is not refuted. All other `ReleaseError`s of a check refute a claim.
    except OtherVersionError:
        raise
    except ReleaseError as error:
        raise RefutedError(str(error)) from None
    except SynthError:
        raise
    except files.CONTRADICTIONS:
        raise RefutedError(
            "The bundle's certificate and plan contradict each other."
        ) from None


@dataclass(frozen=True, kw_only=True)
class _Check:
    """A bundle, and the means of its check.

    Attributes:
        archive: The files.
        ledger: The ledger of the spend, if it is at hand.
        public: Reads the guess's public table, if it is at hand.
        folder: The folder of rows in parts; None if the rows are in one table.
        place: Makes the rows to fill when they are drawn again; None if they are not.
        release: What rows were drawn from once more, checked with the same means.
    """

    archive: Archive
    ledger: Ledger | None
    public: PublicReader | None
    folder: Path | None
    place: "RowStore | None"
    release: VerifiedRelease | None

    def check_bundle(self) -> Verified:
        """Check the files' digests, then all claims of a certificate of this kind.

        Raises:
            RefutedError: A claim does not hold.
            ArgumentError: A release was given, and these rows were not drawn from one.
        """
        content = files.read_certificate(self.archive)
        files.check_hashes(self.archive, content)
        signed = files.parse_certificate(content)
        digests = f"{len(self.archive)} files match the certificate's digests."
        # Only rows that are no release have this field; it is empty for a dummy.
        if self.release is not None and not getattr(signed, "release", ""):
            raise ArgumentError(NOT_DRAWN_FROM)
        if isinstance(signed, AnswersCertificate):
            return self._check_answers(signed, digests)
        if isinstance(signed, DrawnCertificate):
            return self._check_drawn(signed, digests)
        if isinstance(signed, LinkedCertificate):
            return self._check_linked(signed, digests)
        assert isinstance(signed, ReleaseCertificate)
        if self.folder is not None:
            return self._check_parts(signed, digests, folder=self.folder)
        return self._check_release(signed, digests)

    def _compare(
        self,
        signed: Certificate,
        again: Certificate,
        means: Collection[Means],
        *,
        formats: Collection[FileFormat] = (),
    ) -> tuple[OpenPart, ...]:
        """Compare every value of the certificate; return the parts that were not checked.

        Args:
            signed: The certificate of the bundle.
            again: The certificate, made again from the other files.
            means: What this check did that settles parts which are not made again.
            formats: The formats of the rows in addition to CSV and Parquet.

        Raises:
            RefutedError: A value differs.
        """
        check_form(signed, formats)
        content = files.read_certificate(self.archive)
        open_parts = compare_leaves(content, again.to_json(), given_parts(signed, means))
        # The ledger holds the digest of the whole certificate.
        return () if Means.LEDGER in means else open_parts

    def _check_linked(self, signed: LinkedCertificate, digests: str) -> Verified:
        """Check a bundle of linked tables.

        Args:
            signed: The bundle's certificate.
            digests: The sentence about the files' digests, which were checked before.

        Raises:
            RefutedError: A claim does not hold.
        """
        from synth.verification import linked

        redraw = self.place is not None
        checked = linked.check_linked(self.archive, signed, redraw=redraw)
        plan = checked.plan
        recorded: str = UNRECORDED
        if self.ledger is not None:
            recorded = linked.check_record(self.archive, signed, plan, ledger=self.ledger)
        means = {*checked.means, *_means_of(recorded)}
        again = remade.remake_linked(signed, plan, checked.spends)
        return Verified(
            certificate=signed,
            domain=plan.package.root.domain,  # of the top table
            checks=(digests, *checked.checks, recorded),
            archive=self.archive,
            open_parts=self._compare(signed, again, means),
        )

    def _check_drawn(self, signed: DrawnCertificate, digests: str) -> VerifiedDrawn:
        """Check a dummy (rows of a declaration alone), or rows of a release drawn once more.

        Args:
            signed: The bundle's certificate.
            digests: The sentence about the files' digests, which were checked before.

        Raises:
            RefutedError: A claim does not hold.
        """
        from synth.bundle import drawn_names
        from synth.verification import drawn

        domain = files.read_domain(self.archive)
        formats = drawn.formats_in(self.archive, signed)
        otherwise = files.check_names(self.archive, drawn_names(signed, formats), signed)
        source = None
        means = set[Means]()  # what this check settles about the certificate
        if self.release is not None:
            source = (self.release.result, self.release.archive.digest)
            means.add(Means.RELEASE)
        again, sentences = drawn.check_drawn(self.archive, signed, domain, release=source)
        otherwise += files.check_described(self.archive, signed, domain)
        checks = [
            digests,
            *sentences,
            *bundled_rows.derived_in_words(domain),
            *explained_otherwise(signed, otherwise),
        ]
        open_parts = self._compare(signed, again, means, formats=formats)
        return VerifiedDrawn(
            certificate=signed,
            domain=domain,
            checks=(*checks, *self._say_source(signed)),
            archive=self.archive,
            open_parts=open_parts,
        )

    def _say_source(self, signed: DrawnCertificate) -> list[str]:
        """Return the sentences about the release that rows were drawn from.

        There are none if the release is not at hand, or if the rows are a dummy; but a dummy
        with a ledger has one that says why the ledger was not needed.
        """
        if self.release is not None:
            # The rows are worth no more than the release that they follow from.
            confirmed = len(self.release.confirmed)
            return [
                f"Of the release, {confirmed} checks are confirmed as well.",
                *(OpenClaim(f"Of the release: {why}") for why in self.release.not_checked),
                *(StewardClaim(f"Of the release: {why}") for why in self.release.for_steward),
            ]
        if self.ledger is not None and not signed.release:
            return ["A dummy spends nothing, so the ledger was not asked for a spend."]
        return []

    def _check_answers(self, signed: AnswersCertificate, digests: str) -> VerifiedAnswers:
        """Check answers to questions.

        Args:
            signed: The certificate of the answers.
            digests: The sentence about the files' digests, which were checked before.

        Raises:
            RefutedError: A claim does not hold.
        """
        from synth.bundle import ANSWER_FILES
        from synth.verification import answers

        otherwise = files.check_names(self.archive, ANSWER_FILES, signed)
        inquiry = answers.check_inquiry(self.archive, signed)
        answers.check_portions(signed, inquiry)
        # How questions are grouped and measured; None if this version does not know.
        arrangement, remarks = answers.arrange_again(signed, inquiry)
        formed = "The certificate has the published form, and its arithmetic holds."
        checks = [digests, formed, *remarks]
        means = set[Means]()  # what this check settles about the certificate
        if not any(isinstance(remark, OpenClaim) for remark in remarks):
            means.add(Means.ARRANGEMENT)
        answers_again: list[Answer] = []
        if arrangement is not None:
            answers_again, sentence = answers.read_again(signed, arrangement)
            checks.append(sentence)
            if not isinstance(sentence, OpenClaim):
                means.add(Means.READ_ANSWERS)
        sentence, texts = answers.check_files(self.archive, signed, inquiry)
        otherwise += [*texts, *files.check_described(self.archive, signed, inquiry.domain)]
        checks += [sentence, *explained_otherwise(signed, otherwise)]
        recorded: str = UNRECORDED
        if self.ledger is not None:
            recorded = answers.check_spend(self.archive, signed, inquiry, ledger=self.ledger)
        checks.append(recorded)
        # If nothing was spent, the ledger does not hold the certificate's digest.
        if signed.spent is not None:
            means |= _means_of(recorded)
        open_parts = self._compare(signed, remade.remake_answers(signed, inquiry), means)
        return VerifiedAnswers(
            certificate=signed,
            domain=inquiry.domain,
            checks=tuple(checks),
            archive=self.archive,
            inquiry=inquiry,
            answers=answers_again,
            open_parts=open_parts,
        )

    def _check_domain(
        self, signed: ReleaseCertificate
    ) -> "tuple[Domain, PublicTable | None]":
        """Return the declared domain, as certified, and the public table if it is at hand.

        Raises:
            RefutedError: The certificate says something else about the declaration or IDs.
        """
        domain = files.read_domain(self.archive)
        check_declaration(signed, domain.provenance)
        bundled_rows.check_identifiers(signed, domain)
        return domain, None if self.public is None else self.public(domain)

    def _check_release(self, signed: ReleaseCertificate, digests: str) -> VerifiedRelease:
        """Check a release of one table.

        Args:
            signed: The bundle's certificate.
            digests: The sentence about the files' digests, which were checked before.

        Raises:
            RefutedError: A claim does not hold.
        """
        archive = self.archive
        formats = exported.formats_in(archive)
        otherwise = files.check_names(archive, folder_names(formats), signed)
        domain, public_table = self._check_domain(signed)
        if isinstance(signed, HistogramCertificate):
            release = releases.check_histogram(archive, signed, domain)
        else:
            assert isinstance(signed, MarginalsCertificate)
            redraw = self.place is not None
            release = releases.check_marginals(
                archive, signed, domain, public=public_table, redraw=redraw
            )
        record = release.record
        synthetic = release.synthetic
        check_fit_said(signed, record)
        checks = [*release.checks]
        checks += exported.check_exports(archive, signed, synthetic)
        checks += files.check_codebook(archive, signed, synthetic)
        recorded = self._check_record(signed, domain)
        checks += bundled_rows.derived_in_words(domain)
        # ``completed`` also has what follows from the rows, if they were drawn again.
        again = remade.remake_release(
            signed, release.plan, release.completed, rows=synthetic.rows
        )
        means = {*release.means, *_means_of(recorded)}
        open_parts = self._compare(signed, again, means, formats=formats)
        # Last, as the page shows the certificate: other checks name a fault more closely.
        checks.append(files.check_pages(archive, signed, record, synthetic=synthetic))
        otherwise += [*release.otherwise, *files.check_described(archive, signed, domain)]
        checks += explained_otherwise(signed, otherwise)
        return VerifiedRelease(
            certificate=signed,
            domain=domain,
            checks=(digests, *checks, recorded),
            archive=archive,
            plan=release.plan,
            record=record,
            synthetic=synthetic,
            open_parts=open_parts,
        )

    def _check_parts(
        self, signed: ReleaseCertificate, digests: str, *, folder: Path
    ) -> VerifiedParts:
        """Check a release whose rows are in parts.

        Args:
            signed: The bundle's certificate.
            digests: The sentence about the files' digests, which were checked before.
            folder: The folder of the release, with a folder of parts for each table.

        Raises:
            RefutedError: A claim does not hold.
        """
        if not isinstance(signed, MarginalsCertificate):
            files.refuse("The certificate is not about rows in parts.")
        from synth.bundle import parted_names
        from synth.verification import parts, redrawn

        otherwise = files.check_names(self.archive, parted_names(), signed)
        domain, public_table = self._check_domain(signed)
        measurements = releases.check_measurements(
            self.archive, signed, domain, public=public_table
        )
        plan = measurements.plan
        record = measurements.record
        manifest = parts.read_manifest(self.archive)
        rows = parts.check_number_of_rows(manifest, signed, plan, record=record)
        tables = parts.check_tables(folder, manifest)
        drawn_again = redrawn.NOT_DRAWN_AGAIN
        if self.place is not None:
            drawn_again = parts.draw_parts_again(
                signed, plan, record, manifest=manifest, place=self.place
            )
        check_fit_said(signed, record)
        recorded = self._check_record(signed, domain)
        again = remade.remake_release(
            signed, plan, drawn_again.complete(record), rows=manifest.rows
        )
        means = {*_means_of(recorded), *drawn_again.means}
        open_parts = self._compare(signed, again, means)
        otherwise += measurements.otherwise
        checks = [
            *measurements.checks,
            rows,
            *tables,
            drawn_again.sentence,
            files.check_pages(self.archive, signed, record, synthetic=None),
            *explained_otherwise(signed, otherwise),
        ]
        return VerifiedParts(
            certificate=signed,
            domain=domain,
            checks=(digests, *checks, recorded),
            archive=self.archive,
            plan=plan,
            record=record,
            manifest=manifest,
            open_parts=open_parts,
        )

    def _check_record(self, signed: ReleaseCertificate, domain: Domain) -> str:
        """Check the ledger's spends for the release, before it and after it.

        Before it come drafts and checks of the declaration, and after it utility scores.

        Returns:
            The sentence; an `OpenClaim` (not checked) without a ledger or the ledger's key.

        Raises:
            ReleaseError: A spend is missing or has another price.
        """
        if self.ledger is None:
            return UNRECORDED
        check_prepared(signed, self.ledger)
        # The ledger's spend of the release pays for the release alone.
        of_release = releases.without_payments(signed, domain)
        sentence = files.check_ledger(self.archive, of_release, self.ledger)
        check_paid(signed, self.ledger)
        return sentence


def _verify_release(
    path: str | Path,
    *,
    ledger: Ledger | None,
    public: PublicReader | None,
    redraw: bool,
    place: "RowStore | None",
) -> VerifiedRelease:
    """Check the release that rows were drawn from, with all the means there are.

    The arguments are those of `verify_archive`.

    Raises:
        RefutedError: A claim of the release does not hold.
        ReleaseError: The bundle holds something else than a release of one table.
    """
    try:
        checked = verify_archive(
            path,
            read_bundle(path),
            ledger=ledger,
            public=public,
            redraw=redraw,
            place=place,
        )
    except RefutedError as error:
        raise RefutedError(f"The release of the rows, '{Path(path).name}': {error}") from None
    if not isinstance(checked, VerifiedRelease):
        raise ReleaseError(
            "You can draw rows only from the bundle of a release; this is another file."
        )
    return checked


def _means_of(recorded: str) -> set[Means]:
    """Return what a check of the ledger settles about the certificate.

    Args:
        recorded: The sentence about the ledger; an `OpenClaim` if it was not checked.

    Returns:
        ``Means.LEDGER``, or nothing if the ledger was not checked.
    """
    return set() if isinstance(recorded, OpenClaim) else {Means.LEDGER}


def open_bundle(path: str | Path) -> VerifiedRelease:
    """Check a bundle of a release and open it, without a ledger.

    Raises:
        RefutedError: Names the first claim that does not hold.
        ReleaseError: It holds no release of one table, or rows in parts.
        SynthError: It cannot be read.
    """
    checked = verify_archive(path, read_bundle(path))
    if isinstance(checked, VerifiedParts):
        raise ReleaseError("Rows in parts are not opened: read their files, or verify them.")
    if isinstance(checked, VerifiedDrawn):
        from synth.verification.drawn import refuse_drawn

        refuse_drawn(checked.certificate)
    if not isinstance(checked, VerifiedRelease):
        refuse_unopened(checked.certificate)
    return checked
