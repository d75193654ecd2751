"""Verify a bundle: its files, the form of its certificate, and what it claims. PUBLIC.

The claims are checked by doing again what follows from public numbers: the arithmetic of the
guarantee, the texts, the report, and the synthetic rows as far as they follow. What the
certificate says about the past (that the noise was drawn, once, exactly) no file can prove;
there the ledger helps, which keeps the certificate's digest.

``files``      what every bundle is checked for
``pages``      whether two reports say the same
``histogram``  the noise, the counts, and the rows drawn again from them
``marginals``  the spends, the marginals, and the rows by domain, seed and rules
``reopen``     a bundle opened again as the release it was
"""

from dataclasses import dataclass
from pathlib import Path

from synth.bundle.archive import Archive, read_archive
from synth.bundle.certificate import Certificate, HistogramCertificate, MarginalsCertificate
from synth.bundle.scores import check_paid, without_scores
from synth.check import Document
from synth.domain.domain import Domain
from synth.errors import SynthError
from synth.ledger.ledger import Ledger
from synth.noisy.record import Record
from synth.rows.draw import SyntheticTable
from synth.verification import files, histogram, marginals


@dataclass(frozen=True, eq=False)
class Verified:
    """A bundle whose every claim that can be checked holds. PUBLIC.

    Attributes:
        certificate: As it stands in the bundle.
        plan: What the steward chose, as JSON.
        domain: The declared columns.
        record: What is public of the release.
        synthetic: The rows.
        checks: What was checked, a sentence each.
        archive: The files.
    """

    certificate: Certificate
    plan: Document
    domain: Domain
    record: Record
    synthetic: SyntheticTable
    checks: tuple[str, ...]
    archive: Archive


def verify(path: str | Path, ledger: Ledger | None = None) -> Verified:
    """Check a bundle.

    Args:
        path: The zip file.
        ledger: The ledger the release was recorded in, where it is at hand.

    Raises:
        ReleaseError: With the first thing that does not hold.
        LimitError: It takes more memory or time than there is.
    """
    archive = read_archive(path)
    try:
        return _checked(archive, ledger)
    except SynthError:
        raise
    except (ArithmeticError, LookupError, TypeError, ValueError, RecursionError):
        pass
    files.refuse("What the bundle's certificate and plan say does not fit together.")


def _checked(archive: Archive, ledger: Ledger | None) -> Verified:
    content = files.certificate_in(archive)
    files.check_hashes(archive, content)
    signed = files.certificate_of(content)
    domain = files.domain_of(archive)
    plan, record, synthetic, found = _looked_at(archive, signed, domain)
    checks = [
        f"{len(archive.files)} files, all as the certificate's digests say.",
        *found,
    ]
    if ledger is not None:
        checks.append(files.check_ledger(archive, without_scores(signed, domain), ledger))
        check_paid(signed, ledger)
    return Verified(signed, plan, domain, record, synthetic, tuple(checks), archive)


Found = tuple[Document, Record, SyntheticTable, list[str]]


def _looked_at(archive: Archive, signed: Certificate, domain: Domain) -> Found:
    match signed:
        case HistogramCertificate():
            return _histogram(archive, signed, domain)
        case MarginalsCertificate():
            return _marginals(archive, signed, domain)
    raise TypeError(signed)


def _histogram(archive: Archive, signed: HistogramCertificate, domain: Domain) -> Found:
    certificate = without_scores(signed, domain)
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


def _marginals(archive: Archive, signed: MarginalsCertificate, domain: Domain) -> Found:
    certificate = without_scores(signed, domain)
    content = files.plan_of(archive, certificate, domain)
    plan = marginals.plan_in_force(content, certificate)
    spends = marginals.check_spends(certificate, plan)
    edition = files.check_texts(archive, signed, content, domain)
    record = marginals.record_of(archive, certificate, plan, spends, edition)
    record, synthetic, rows = marginals.rows_in_force(archive, certificate, plan, record, edition)
    counts, many = sum(one.values.size for _, one in record.measured), len(record.measured)
    paid = f"The {len(spends)} spends add" if len(spends) > 1 else "The one spend adds"
    checks = [
        "The certificate has the published form.",
        f"{paid} up to the guarantee exactly, and the noise is what is paid for.",
        f"{counts:,} noisy counts fit the cells of {many} histogram{'s' * (many > 1)}.",
        rows,
        files.check_report(archive, signed, record, synthetic, edition),
    ]
    return content, record, synthetic, checks
