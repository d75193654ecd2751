"""Verify a bundle, or answers: files, the form of the certificate, and what it claims. PUBLIC.

The claims are checked by doing again what follows from public numbers: the arithmetic of the
guarantee, the texts, the report, and the synthetic rows as far as they follow. What the
certificate says about the past (that the noise was drawn, once, exactly) no file can prove;
there the ledger helps, which keeps the certificate's digest.

``files``      what every bundle is checked for
``pages``      whether two reports say the same
``histogram``  the noise, the counts, and the rows drawn again from them
``marginals``  the spends, the marginals, and the rows by domain, seed and rules
``redrawn``    the rows of a model, drawn again where that is asked for
``parts``      rows in a folder of parts
``exported``   files of other formats, written again
``answers``    the arrangement, its costs, and the answers read again
``products``   the grids of sums of products
``reopen``     a bundle opened again as the release it was
``unverified`` a bundle opened though it does not hold what it claims
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from synth.bundle.archive import Archive, read_archive, read_folder
from synth.bundle.certificate import (
    AnswersCertificate,
    Certificate,
    HistogramCertificate,
    MarginalsCertificate,
    ReleaseCertificate,
)
from synth.bundle.declaration import (
    check_declaration,
    check_fit_said,
    check_prepared,
    without_preparations,
)
from synth.bundle.guard import Edition
from synth.bundle.parts import PARTED, Manifest
from synth.bundle.scores import check_paid, without_scores
from synth.check import Document
from synth.domain.domain import Domain
from synth.errors import SynthError
from synth.ledger.ledger import Ledger
from synth.models.large_rows import Place, here
from synth.models.public_source import PublicTable
from synth.models.record import MarginalsRecord
from synth.noisy.record import Record
from synth.plan import Plan
from synth.questions.answers import Answer
from synth.questions.inquiry import Inquiry
from synth.rows.draw import SyntheticTable
from synth.verification import answers, exported, files, histogram, marginals, parts, redrawn

C = TypeVar("C", bound=ReleaseCertificate)


@dataclass(frozen=True, eq=False)
class Verified:
    """Files whose every claim that can be checked holds. PUBLIC.

    Attributes:
        certificate: As it stands in the bundle.
        domain: The declared columns.
        checks: What was checked, a sentence each.
        archive: The files.
    """

    certificate: Certificate
    domain: Domain
    checks: tuple[str, ...]
    archive: Archive


@dataclass(frozen=True, eq=False)
class VerifiedRelease(Verified):
    """A bundle of a release. PUBLIC.

    Attributes:
        certificate: As it stands in the bundle.
        plan: What the steward chose, as JSON.
        record: What is public of the release.
        synthetic: The rows.
    """

    certificate: ReleaseCertificate
    plan: Document
    record: Record
    synthetic: SyntheticTable


@dataclass(frozen=True, eq=False)
class VerifiedParts(Verified):
    """A release in a folder of parts. PUBLIC.

    Attributes:
        certificate: As it stands in the folder.
        plan: What the steward chose.
        record: What is public of the release.
        manifest: What lists the parts.
    """

    certificate: MarginalsCertificate
    plan: Plan
    record: MarginalsRecord
    manifest: Manifest


@dataclass(frozen=True, eq=False)
class VerifiedAnswers(Verified):
    """Answers to questions. PUBLIC.

    Attributes:
        certificate: As it stands among the files.
        inquiry: What was asked.
        answers: What came out, in the order of the questions.
    """

    certificate: AnswersCertificate
    inquiry: Inquiry
    answers: list[Answer]


def verify(
    path: str | Path,
    ledger: Ledger | None = None,
    public: "PublicReader | None" = None,
    *,
    redraw: bool = False,
    place: Place = here,
) -> Verified:
    """Check a bundle of a release, or the files of answers.

    Args:
        path: The zip file, or the folder that answers or parts were written to.
        ledger: The ledger the spend was recorded in, where it is at hand.
        public: Reads the public table that was the guess, by the release's declaration, where
            it is at hand.
        redraw: Whether to draw the rows of a model again, which takes as long as at first;
            those of a histogram always are.
        place: Where rows in parts are drawn again.

    Raises:
        ReleaseError: With the first thing that does not hold.
        LimitError: It takes more memory or time than there is.
    """
    in_parts = parts.is_in_parts(Path(path))
    apart = PARTED if in_parts else ()
    archive = read_folder(path, apart) if Path(path).is_dir() else read_archive(path)
    try:
        checked = _checked(archive, ledger, public, Path(path) if in_parts else None)
        return _redrawn(checked, place) if redraw else checked
    except SynthError:
        raise
    except (ArithmeticError, LookupError, TypeError, ValueError, RecursionError):
        pass
    files.refuse("What the bundle's certificate and plan say does not fit together.")


def _checked(
    archive: Archive,
    ledger: Ledger | None,
    public: "PublicReader | None",
    folder: Path | None,
) -> Verified:
    content = files.certificate_in(archive)
    files.check_hashes(archive, content)
    signed = files.certificate_of(content)
    first = f"{len(archive.files)} files, all as the certificate's digests say."
    if isinstance(signed, AnswersCertificate):
        return _answers(archive, signed, ledger, first)
    if folder is not None:
        return _parted(archive, signed, ledger, first, public, folder)
    assert isinstance(signed, ReleaseCertificate)
    return _release(archive, signed, ledger, first, public)


def _redrawn(checked: Verified, place: Place) -> Verified:
    signed = checked.certificate
    if isinstance(checked, VerifiedParts):
        said = parts.draw_parts_again(
            checked.certificate, checked.plan, checked.record, checked.manifest, place
        )
        return replace(checked, checks=(*checked.checks, said))
    if not isinstance(checked, VerifiedRelease) or not isinstance(signed, MarginalsCertificate):
        return checked
    said = redrawn.draw_again(signed, checked.plan, checked.record, checked.synthetic)
    return replace(checked, checks=(*checked.checks, said))


def _answers(
    archive: Archive, signed: AnswersCertificate, ledger: Ledger | None, first: str
) -> VerifiedAnswers:
    inquiry = answers.inquiry_of(archive, signed)
    arrangement = answers.arrangement_of(signed, inquiry)
    found, again = answers.read_again(signed, arrangement)
    checks = [
        first,
        "The certificate has the published form, and its arithmetic holds.",
        again,
        answers.check_files(archive, signed, inquiry),
    ]
    files.check_described(archive, signed, inquiry.domain)
    if ledger is not None:
        checks.append(answers.check_spend(archive, signed, ledger))
    return VerifiedAnswers(signed, inquiry.domain, tuple(checks), archive, inquiry, found)


def _release(
    archive: Archive,
    signed: ReleaseCertificate,
    ledger: Ledger | None,
    first: str,
    public: "PublicReader | None",
) -> VerifiedRelease:
    domain = files.domain_of(archive)
    check_declaration(signed, domain)
    table = None if public is None else public(domain)
    plan, record, synthetic, found = _looked_at(archive, signed, domain, table)
    check_fit_said(signed, record)
    checks = [first, *found, *files.check_guides(archive, signed, record)]
    checks += exported.check_exports(archive, signed.versions, synthetic)
    files.check_described(archive, signed, domain)
    checks += files.derived_in_words(domain)
    if ledger is not None:
        check_prepared(signed, ledger)
        checks.append(files.check_ledger(archive, _alone(signed, domain), ledger))
        check_paid(signed, ledger)
    return VerifiedRelease(signed, domain, tuple(checks), archive, plan, record, synthetic)


def _parted(
    archive: Archive,
    signed: Certificate,
    ledger: Ledger | None,
    first: str,
    public: "PublicReader | None",
    folder: Path,
) -> VerifiedParts:
    if not isinstance(signed, MarginalsCertificate):
        files.refuse("The certificate is not one of rows in parts.")
    domain = files.domain_of(archive)
    check_declaration(signed, domain)
    known = _measured(archive, signed, domain, None if public is None else public(domain))
    manifest = parts.manifest_in(archive)
    rows = parts.check_number_of_rows(manifest, known.certificate, known.plan, known.record)
    checks = [first, *known.checks, rows, *known.compared, *parts.check_tables(folder, manifest)]
    check_fit_said(signed, known.record)
    checks += files.check_guides(archive, signed, known.record)
    if ledger is not None:
        check_prepared(signed, ledger)
        checks.append(files.check_ledger(archive, known.certificate, ledger))
    found = tuple(checks)
    return VerifiedParts(signed, domain, found, archive, known.plan, known.record, manifest)


def _alone(signed: C, domain: Domain) -> C:
    """The certificate of the release alone, without what was paid for before and after it."""
    return without_preparations(without_scores(signed, domain))


PublicReader = Callable[[Domain], PublicTable]
Found = tuple[Document, Record, SyntheticTable, list[str]]


def _looked_at(
    archive: Archive, signed: ReleaseCertificate, domain: Domain, public: PublicTable | None
) -> Found:
    match signed:
        case HistogramCertificate():
            return _histogram(archive, signed, domain)
        case MarginalsCertificate():
            return _marginals(archive, signed, domain, public)
    raise TypeError(signed)


def _histogram(archive: Archive, signed: HistogramCertificate, domain: Domain) -> Found:
    certificate = _alone(signed, domain)
    histogram.check_cells(certificate, domain)
    plan = files.plan_of(archive, certificate, domain)
    histogram.check_guarantee(certificate)
    edition = files.check_texts(archive, signed, plan, domain)
    noisy = histogram.noisy_of(archive, certificate, domain, edition)
    record, synthetic, drawn = histogram.drawn_again(archive, certificate, noisy, edition)
    checks = [
        "The certificate has the published form, and its arithmetic holds.",
        f"{len(noisy.values):,} noisy counts fit the domain's {domain.size:,} cells.",
        drawn,
        files.check_report(archive, signed, record, synthetic, edition),
    ]
    return plan, record, synthetic, checks


@dataclass(frozen=True, eq=False)
class _Measured:
    """What a model's noisy counts rest on, checked: all but the rows.

    Attributes:
        certificate: Of the release alone.
        content, plan: What the steward chose, as it stands in the files and as it is read.
        record: What was measured.
        edition: By which the files were written.
        checks: What was checked, a sentence each.
        compared: What was said of the public table.
    """

    certificate: MarginalsCertificate
    content: Document
    plan: Plan
    record: MarginalsRecord
    edition: Edition
    checks: list[str]
    compared: list[str]


def _measured(
    archive: Archive, signed: MarginalsCertificate, domain: Domain, public: PublicTable | None
) -> _Measured:
    certificate = _alone(signed, domain)
    content = files.plan_of(archive, certificate, domain)
    plan = marginals.plan_in_force(content, certificate)
    compared = marginals.public_in_force(plan, public)
    spends = marginals.check_spends(certificate, plan)
    edition = files.check_texts(archive, signed, content, domain)
    record = marginals.record_of(archive, certificate, plan, spends, edition)
    counts, many = sum(one.values.size for _, one in record.measured), len(record.measured)
    paid = f"The {len(spends)} spends add" if len(spends) > 1 else "The one spend adds"
    checks = [
        "The certificate has the published form.",
        f"{paid} up to the guarantee exactly, and the noise is what is paid for.",
        f"{counts:,} noisy counts fit the cells of {many} histogram{'s' * (many > 1)}.",
    ]
    rules = plan.choice.check(domain)
    record = marginals.with_beliefs(record, certificate, plan, rules, public)
    return _Measured(certificate, content, plan, record, edition, checks, compared)


def _marginals(
    archive: Archive, signed: MarginalsCertificate, domain: Domain, public: PublicTable | None
) -> Found:
    known = _measured(archive, signed, domain, public)
    synthetic, rows = marginals.rows_in_force(
        archive, known.certificate, known.plan, known.record, known.edition
    )
    shown = files.check_report(archive, signed, known.record, synthetic, known.edition)
    checks = [*known.checks, rows, *known.compared, shown]
    return known.content, known.record, synthetic, checks
