"""Verify a bundle, or answers: files, the form of the certificate, and its claims. PUBLIC.

Synth repeats everything that follows from public numbers: arithmetic, texts, report, and rows
as far as possible. No file can prove the past (that the noise was drawn, once, exactly). The
ledger helps there: it stores the certificate's digest.

Synth also makes the certificate again, and compares each of its leaves. What cannot be made
again is on a short list (`synth.verification.given`), and each result names it.

The verdict is *refuted* if a claim does not hold, and *not checked* if some listed claims
were not checked. For another algorithm's bundle, none were. Else it is *confirmed*.

Open a bundle although a claim does not hold, if you ask for that explicitly.

Only what reading needs is checked. All results carry the sentence about the refuted claim.

Open a bundle again as a release, without a spend and without the table.

Values are drawn again with the certificate's seed, so everything works as on a release.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from os.path import isdir
from pathlib import Path

from synth.bundle import (
    ANSWER_FILES,
    PARTED,
    PLAN,
    AnswersCertificate,
    Archive,
    Certificate,
    DrawnCertificate,
    FileFormat,
    HistogramCertificate,
    LinkedCertificate,
    MarginalsCertificate,
    ReleaseCertificate,
    Result,
    check_declaration,
    check_fit_said,
    check_paid,
    check_prepared,
    drawn_names,
    folder_names,
    parted_names,
    read_archive,
    read_folder,
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
from synth.estimate import (
    HistogramRecord,
    PublicTable,
    Record,
    RowStore,
    place_here,
    repair_counts,
)
from synth.plans import Plan
from synth.questions import Answer
from synth.rows import SyntheticTable, draw_rows, value_laws
from synth.verification import (
    answers,
    drawn,
    exported,
    files,
    histogram,
    linked,
    marginals,
    parts,
    redrawn,
    releases,
    remade,
)
from synth.verification.drawn import refuse_drawn
from synth.verification.files import refuse_unopened
from synth.verification.given import Means, check_form, given_parts
from synth.verification.leaves import OpenPart, compare_leaves, describe_open
from synth.verification.verdict import OpenClaim
from synth.verification.verified import (
    Verified,
    VerifiedAnswers,
    VerifiedDrawn,
    VerifiedParts,
    VerifiedRelease,
)


def open_unverified(path: str | Path) -> Result:
    """Read a bundle as far as its noisy counts and rows allow, or raise a `SynthError`."""
    archive = read_archive(path)
    try:
        signed = files.certificate_of(files.certificate_in(archive))
        if not isinstance(signed, ReleaseCertificate):
            files.refuse_unopened(signed)
        plan = Plan.from_json(archive.json(PLAN))
        record, synthetic = _record(archive, signed, plan)
        return Result(
            plan=plan, record=record, certificate=signed, repeated=True, synthetic=synthetic
        )
    except SynthError:
        raise
    except (
        ArithmeticError,
        LookupError,
        TypeError,
        ValueError,
        RecursionError,
        AttributeError,
    ):
        raise ReleaseError("Synth cannot read the bundle, even unverified.") from None


def _record(
    archive: Archive, signed: ReleaseCertificate, plan: Plan
) -> tuple[Record, SyntheticTable]:
    domain, seed = plan.domain, int(signed.drawing.seed)
    if isinstance(signed, HistogramCertificate):
        noisy = histogram.noisy_read(archive, signed, domain)
        distribution = repair_counts(noisy, signed.repair)
        counted = HistogramRecord(
            noisy=noisy,
            distribution=distribution,
            spends=histogram.moments_of(signed, domain),
        )
        return counted, draw_rows(
            distribution, signed.rows, seed=seed, laws=value_laws(counted)
        )
    assert isinstance(signed, MarginalsCertificate)
    spends = tuple(marginals.spend_of(one, domain) for one in signed.mechanism.marginals)
    rows = files.rows_of(archive, signed, domain)
    record = marginals.record_read(archive, signed, plan, spends=spends)
    return record, marginals.encode_rows(rows, record, seed)


# Without a ledger, noise that was never drawn fits the files as well.
UNRECORDED = OpenClaim(
    "The files cannot show whether the ledger has the spend and this certificate. The "
    "steward can check that with --ledger FILE."
)
NOT_DRAWN_FROM = (
    "Only rows that were drawn from a release once more are checked against it: leave out "
    "--release (in Python: release)."
)
PublicReader = Callable[[Domain], PublicTable]


def verify(
    path: str | Path,
    ledger: Ledger | None = None,
    public: PublicReader | None = None,
    *,
    redraw: bool = False,
    place: RowStore = place_here,
    release: str | Path | None = None,
) -> Verified:
    """Check a bundle of a release, or the files of answers.

    Files that lie beside those of a folder make no claim, and are named as not checked.

    Args:
        path: The zip file, or the folder of a release, of answers or of parts. ledger: The
        ledger of the spend, if you have it. public: Reads the guess's public table, if you
        have it, by the release's declaration. redraw: Whether to draw the rows of a model
        again, which takes as long as the release; those
            of a histogram are always drawn again.
        place: Where rows in parts are drawn again.
        release: The bundle that rows were drawn from once more, if you have it.

    Raises:
        RefutedError: Names the first claim that does not hold.
        OtherVersionError: Another version of Synth made it; nothing is checked.
        NotBundleError: It is neither a bundle nor answers.
        ReleaseError: It cannot be read.
        LimitError: It needs more memory or time than there is.
    """
    archive = read_folder(path) if isdir(path) else read_archive(path)
    in_parts = parts.is_in_parts(Path(path), archive)
    folder, again = (Path(path) if in_parts else None), (place if redraw else None)
    known = None
    if release is not None:
        known = _verify_release(release, ledger, public, redraw=redraw, place=place)
    beside = files.say_beside(archive, PARTED if in_parts else ())
    try:
        checked = _Check(
            archive=archive,
            ledger=ledger,
            public=public,
            folder=folder,
            again=again,
            release=known,
        ).check_bundle()
        said = describe_open(checked.open_parts)
        return replace(checked, checks=(*checked.checks, *said, *beside))
    except OtherVersionError:
        raise
    except ReleaseError as error:
        raise RefutedError(str(error)) from None
    except SynthError:
        raise
    except (ArithmeticError, LookupError, TypeError, ValueError, RecursionError):
        raise RefutedError(
            "The bundle's certificate and plan contradict each other."
        ) from None


@dataclass(frozen=True, kw_only=True)
class _Check:
    """A bundle, and the means of its check.

    Attributes:
        folder: The folder of rows in parts.
        again: Where rows are drawn again.
        release: What rows were drawn from once more, checked with the same means.
    """

    archive: Archive
    ledger: Ledger | None
    public: PublicReader | None
    folder: Path | None
    again: RowStore | None
    release: VerifiedRelease | None

    def check_bundle(self) -> Verified:
        archive, content = self.archive, files.certificate_in(self.archive)
        files.check_hashes(archive, content)
        signed = files.certificate_of(content)
        first = f"{len(archive)} files match the certificate's digests."
        if self.release is not None and not getattr(signed, "release", ""):
            raise ArgumentError(NOT_DRAWN_FROM)
        if isinstance(signed, AnswersCertificate):
            return self._answers(signed, first)
        if isinstance(signed, DrawnCertificate):
            return self._drawn(signed, first)
        if isinstance(signed, LinkedCertificate):
            return self._linked(signed, first)
        assert isinstance(signed, ReleaseCertificate)
        return (
            self._release(signed, first)
            if self.folder is None
            else self._parts(signed, first)
        )

    def _compare(
        self,
        signed: Certificate,
        again: Certificate,
        means: Collection[Means],
        formats: Collection[FileFormat] = (),
    ) -> tuple[OpenPart, ...]:
        """Compare every leaf of the certificate; return the parts that were not checked.

        Args:
            again: The certificate, made again from the other files.
            means: What this check did that settles parts which are not made again.
            formats: The formats of the rows in addition to CSV and Parquet.
        """
        check_form(signed, formats)
        content = files.certificate_in(self.archive)
        found = compare_leaves(content, again.to_json(), given_parts(signed, means))
        # The ledger holds the digest of the whole certificate.
        return () if Means.LEDGER in means else found

    def _linked(self, signed: LinkedCertificate, first: str) -> Verified:
        redraw = self.again is not None
        checked = linked.check_linked(self.archive, signed, redraw=redraw)
        plan = checked.plan
        recorded: str = UNRECORDED
        if self.ledger is not None:
            recorded = linked.check_record(self.archive, signed, plan, ledger=self.ledger)
        means = {*checked.means, *_means_of(recorded)}
        again = remade.remake_linked(signed, plan, checked.spends)
        open_parts = self._compare(signed, again, means)
        checks = (first, *checked.checks, recorded)
        domain = plan.package.root.domain
        return Verified(
            certificate=signed,
            domain=domain,
            checks=checks,
            archive=self.archive,
            open_parts=open_parts,
        )

    def _drawn(self, signed: DrawnCertificate, first: str) -> VerifiedDrawn:
        archive, release, domain = self.archive, self.release, files.domain_of(self.archive)
        known = None if release is None else (release.result, release.archive.digest)
        kinds = drawn.formats_in(archive, signed)
        files.check_names(archive, drawn_names(signed, kinds))
        again, found = drawn.check_drawn(archive, signed, domain, release=known)
        checks = [first, *found]
        files.check_described(archive, signed, domain)
        checks += files.derived_in_words(domain)
        means = set[Means]() if release is None else {Means.RELEASE}
        open_parts = self._compare(signed, again, means, kinds)
        if release is not None:
            # The rows are worth no more than the release that they follow from.
            checks.append(
                f"Of the release, {len(release.confirmed)} checks are confirmed as well."
            )
            checks += [OpenClaim(f"Of the release: {claim}") for claim in release.not_checked]
        elif self.ledger is not None and not signed.release:
            checks.append("A dummy spends nothing, so the ledger was not asked for a spend.")
        return VerifiedDrawn(
            certificate=signed,
            domain=domain,
            checks=tuple(checks),
            archive=archive,
            open_parts=open_parts,
        )

    def _answers(self, signed: AnswersCertificate, first: str) -> VerifiedAnswers:
        archive, ledger = self.archive, self.ledger
        files.check_names(archive, ANSWER_FILES)
        inquiry = answers.inquiry_of(archive, signed)
        answers.check_portions(signed, inquiry)
        arrangement, arranged = answers.arrangement_of(signed, inquiry)
        found: list[Answer] = []
        formed = "The certificate has the published form, and its arithmetic holds."
        checks, means = [first, formed, *arranged], set[Means]()
        if not any(isinstance(one, OpenClaim) for one in arranged):
            means.add(Means.ARRANGEMENT)
        if arrangement is not None:
            found, again = answers.read_again(signed, arrangement)
            checks.append(again)
            if not isinstance(again, OpenClaim):
                means.add(Means.READ_ANSWERS)
        checks.append(answers.check_files(archive, signed, inquiry))
        files.check_described(archive, signed, inquiry.domain)
        recorded: str = UNRECORDED
        if ledger is not None:
            recorded = answers.check_spend(archive, signed, inquiry, ledger=ledger)
        checks.append(recorded)
        if signed.spent is not None:
            means |= _means_of(recorded)
        open_parts = self._compare(signed, remade.remake_answers(signed, inquiry), means)
        return VerifiedAnswers(
            certificate=signed,
            domain=inquiry.domain,
            checks=tuple(checks),
            archive=archive,
            inquiry=inquiry,
            answers=found,
            open_parts=open_parts,
        )

    def _declared(self, signed: ReleaseCertificate) -> tuple[Domain, PublicTable | None]:
        domain = files.domain_of(self.archive)
        check_declaration(signed, domain.provenance)
        files.check_identifiers(signed, domain)
        return domain, None if self.public is None else self.public(domain)

    def _release(self, signed: ReleaseCertificate, first: str) -> VerifiedRelease:
        archive, kinds = self.archive, exported.formats_in(self.archive)
        files.check_names(archive, folder_names(kinds))
        domain, table = self._declared(signed)
        if isinstance(signed, HistogramCertificate):
            found = releases.check_histogram(archive, signed, domain)
        else:
            assert isinstance(signed, MarginalsCertificate)
            redraw = self.again is not None
            found = releases.check_marginals(
                archive, signed, domain, public=table, redraw=redraw
            )
        plan, record, synthetic = found.plan, found.record, found.synthetic
        check_fit_said(signed, record)
        checks = [first, *found.checks, files.check_guides(archive, signed, record)]
        checks += exported.check_exports(archive, signed.versions, synthetic)
        checks += files.check_codebook(archive, signed, synthetic)
        files.check_described(archive, signed, domain)
        recorded = self._check_record(signed, domain)
        checks += [*files.derived_in_words(domain), recorded]
        again = remade.remake_release(signed, plan, found.completed, rows=synthetic.rows)
        open_parts = self._compare(signed, again, {*found.means, *_means_of(recorded)}, kinds)
        return VerifiedRelease(
            certificate=signed,
            domain=domain,
            checks=tuple(checks),
            archive=archive,
            plan=plan,
            record=record,
            synthetic=synthetic,
            open_parts=open_parts,
        )

    def _parts(self, signed: ReleaseCertificate, first: str) -> VerifiedParts:
        if not isinstance(signed, MarginalsCertificate):
            files.refuse("The certificate is not about rows in parts.")
        assert self.folder is not None
        files.check_names(self.archive, parted_names())
        domain, table = self._declared(signed)
        measured = releases.check_measurements(self.archive, signed, domain, public=table)
        plan, record, checks = measured.plan, measured.record, measured.checks
        manifest = parts.manifest_in(self.archive)
        checks.append(parts.check_number_of_rows(manifest, signed, plan, record=record))
        checks += parts.check_tables(self.folder, manifest)
        found = redrawn.NOT_DRAWN_AGAIN
        if self.again is not None:
            found = parts.draw_parts_again(signed, plan, record, manifest, self.again)
        check_fit_said(signed, record)
        recorded = self._check_record(signed, domain)
        guided = files.check_guides(self.archive, signed, record)
        said = (first, *checks, found.sentence, guided, recorded)
        means = {*_means_of(recorded), *found.means}
        again = remade.remake_release(
            signed, plan, found.complete(record), rows=manifest.rows
        )
        open_parts = self._compare(signed, again, means)
        return VerifiedParts(
            certificate=signed,
            domain=domain,
            checks=said,
            archive=self.archive,
            plan=plan,
            record=record,
            manifest=manifest,
            open_parts=open_parts,
        )

    def _check_record(self, signed: ReleaseCertificate, domain: Domain) -> str:
        if self.ledger is None:
            return UNRECORDED
        check_prepared(signed, self.ledger)
        said = files.check_ledger(
            self.archive, releases.without_payments(signed, domain), self.ledger
        )
        check_paid(signed, self.ledger)
        return said


def _verify_release(
    path: str | Path,
    ledger: Ledger | None,
    public: PublicReader | None,
    *,
    redraw: bool,
    place: RowStore,
) -> VerifiedRelease:
    """Check the release that rows were drawn from, with all the means there are."""
    try:
        checked = verify(path, ledger, public, redraw=redraw, place=place)
    except RefutedError as error:
        raise RefutedError(f"The release of the rows, '{Path(path).name}': {error}") from None
    if not isinstance(checked, VerifiedRelease):
        raise ReleaseError(
            "You can draw rows only from the bundle of a release; this is another file."
        )
    return checked


def _means_of(recorded: str) -> set[Means]:
    """Return whether a sealed ledger knows the certificate, by the sentence about the
    ledger.
    """
    return set() if isinstance(recorded, OpenClaim) else {Means.LEDGER}


def open_bundle(path: str | Path) -> VerifiedRelease:
    """Check a bundle of a release and open it.

    Raises:
        SynthError: Names the first claim that does not hold.
    """
    checked = verify(path)
    if isinstance(checked, VerifiedParts):
        raise ReleaseError("Rows in parts are not opened: read their files, or verify them.")
    if isinstance(checked, VerifiedDrawn):
        refuse_drawn(checked.certificate)
    if not isinstance(checked, VerifiedRelease):
        refuse_unopened(checked.certificate)
    return checked
