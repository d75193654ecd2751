"""Checks of a release of one table: by a histogram, or by marginals. PUBLIC."""

from dataclasses import dataclass
from typing import TypeVar

from synth.bundle import (
    Archive,
    HistogramCertificate,
    MarginalsCertificate,
    ReleaseCertificate,
    without_preparations,
    without_scores,
)
from synth.domain import Domain
from synth.estimate import MarginalsRecord, PublicTable, Record
from synth.plans import Plan
from synth.rows import SyntheticTable
from synth.verification import columns, files, histogram, marginals, redrawn
from synth.verification.given import Means
from synth.verification.verdict import OpenClaim

C = TypeVar("C", bound=ReleaseCertificate)


def without_payments(signed: C, domain: Domain) -> C:
    """Return the certificate of the release alone, without payments before and after it."""
    return without_preparations(without_scores(signed, domain))


@dataclass(frozen=True, kw_only=True)
class FoundRelease:
    """The findings about a bundle of a release of one table.

    Attributes:
        record: The release's record, as its certificate says it.
        completed: The record with all that follows from drawing the rows again.
        checks: A sentence about each claim.
        means: The checks that settle parts of the certificate.
    """

    plan: Plan
    record: Record
    completed: Record
    synthetic: SyntheticTable
    checks: list[str]
    means: set[Means]


def check_histogram(
    archive: Archive, signed: HistogramCertificate, domain: Domain
) -> FoundRelease:
    """Check a release by a histogram, whose rows are always drawn again."""
    certificate = without_payments(signed, domain)
    histogram.check_cells(certificate, domain)
    plan = files.plan_of(archive, certificate, domain)
    histogram.check_guarantee(certificate, plan)
    files.check_texts(archive, signed, plan, domain=domain)
    noisy = histogram.noisy_of(archive, certificate, domain)
    means = histogram.check_threshold(noisy)
    record, synthetic, drawn = histogram.drawn_again(archive, certificate, noisy, plan=plan)
    checks = [
        "The certificate has the published form, and its arithmetic holds.",
        f"{len(noisy.values):,} noisy counts fit the domain's {domain.size:,} cells.",
        drawn,
        files.check_report(archive, signed, record, synthetic=synthetic),
    ]
    return FoundRelease(
        plan=plan,
        record=record,
        completed=record,
        synthetic=synthetic,
        checks=checks,
        means=means,
    )


@dataclass(frozen=True)
class CheckedMeasurements:
    """The measurements of a release by marginals, and a sentence about each of their
    claims.
    """

    plan: Plan
    record: MarginalsRecord
    checks: list[str]


def check_measurements(
    archive: Archive,
    signed: MarginalsCertificate,
    domain: Domain,
    *,
    public: PublicTable | None,
) -> CheckedMeasurements:
    """Check the measurements for a model: their costs, their noise and their counts."""
    certificate = without_payments(signed, domain)
    plan = files.plan_of(archive, certificate, domain)
    marginals.check_plan(plan, certificate)
    compared = marginals.public_in_force(plan, public)
    spends = marginals.check_spends(certificate, plan)
    files.check_texts(archive, signed, plan, domain=domain)
    record = marginals.record_of(archive, certificate, plan, spends=spends)
    counts, many = sum(one.values.size for _, one in record.measured), len(record.measured)
    paid = f"The {len(spends)} spends add" if len(spends) > 1 else "The one spend adds"
    checks = [
        "The certificate has the published form.",
        f"{paid} up to the guarantee exactly, and each pays for its noise.",
        f"{counts:,} noisy counts fit the cells of {many} histogram{'s' * (many > 1)}.",
        *compared,
    ]
    rules = plan.check_model(domain)
    believed = marginals.with_beliefs(record, certificate, plan, rules=rules, public=public)
    return CheckedMeasurements(plan, believed, checks)


def check_marginals(
    archive: Archive,
    signed: MarginalsCertificate,
    domain: Domain,
    *,
    public: PublicTable | None,
    redraw: bool,
) -> FoundRelease:
    """Check a release by marginals.

    Args:
        public: The public table that was the guess, if it is at hand.
        redraw: Whether to draw the rows again.
    """
    checked = check_measurements(archive, signed, domain, public=public)
    plan, record = checked.plan, checked.record
    synthetic, rows = marginals.rows_in_force(archive, signed, plan, record=record)
    found = redrawn.NOT_DRAWN_AGAIN
    if redraw:
        found = redrawn.draw_again(signed, plan, record, synthetic)
    report = files.check_report(archive, signed, record, synthetic=synthetic)
    checks = [*checked.checks, rows, report, found.sentence]
    if isinstance(found.sentence, OpenClaim):
        checks.append(columns.check_columns(plan, record, synthetic))
    completed = found.complete(record)
    return FoundRelease(
        plan=plan,
        record=record,
        completed=completed,
        synthetic=synthetic,
        checks=checks,
        means=found.means,
    )
