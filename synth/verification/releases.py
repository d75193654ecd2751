"""Checks of a release of one table: by a histogram, or by marginals. PUBLIC."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from synth.bundle import (
    Archive,
    HistogramCertificate,
    MarginalsCertificate,
    ReleaseCertificate,
    without_preparations,
    without_scores,
)
from synth.domain import Domain
from synth.estimate import Record
from synth.plans import Plan
from synth.rows import SyntheticTable
from synth.verification import files
from synth.verification.given import Means
from synth.verification.verdict import OpenClaim

if TYPE_CHECKING:
    from synth.estimate import MarginalsRecord, PublicTable, Spend

C = TypeVar("C", bound=ReleaseCertificate)


def without_payments(signed: C, domain: Domain) -> C:
    """Return the certificate of the release alone, without payments before and after it."""
    return without_preparations(without_scores(signed, domain))


@dataclass(frozen=True, kw_only=True)
class FoundRelease:
    """The findings about a bundle of a release of one table.

    Attributes:
        plan: The plan of the release.
        record: The release's record, as its certificate says it.
        completed: The record with all that follows from drawing the rows again.
        synthetic: The rows.
        checks: A sentence about each claim.
        otherwise: The names of texts that another version wrote in other words.
        means: The checks that settle parts of the certificate.
    """

    plan: Plan
    record: Record
    completed: Record
    synthetic: SyntheticTable
    checks: list[str]
    otherwise: list[str]
    means: set[Means]


def check_histogram(
    archive: Archive, signed: HistogramCertificate, domain: Domain
) -> FoundRelease:
    """Check a release by a histogram, whose rows are always drawn again.

    Args:
        archive: The unpacked bundle.
        signed: Its certificate. Its guarantee also covers payments before and after the
            release, so the costs are checked on the certificate without these.
        domain: The declared columns of the bundle.

    Raises:
        RefutedError: A claim does not hold.
    """
    from synth.verification import histogram

    # Texts and the page show the whole guarantee, so they are compared with ``signed``.
    certificate = without_payments(signed, domain)
    histogram.check_cells(certificate, domain)
    plan = files.check_plan_file(archive, certificate, domain)
    histogram.check_guarantee(certificate, plan)
    otherwise = files.check_texts(archive, signed, plan, domain=domain)
    noisy = histogram.check_noisy_counts(archive, certificate, domain)
    means = histogram.check_threshold(noisy)
    record, synthetic, rows_checked = histogram.draw_again(
        archive, certificate, noisy, plan=plan
    )
    checks = [
        "The certificate has the published form, and its arithmetic holds.",
        f"{len(noisy.values):,} noisy counts fit the domain's {domain.size:,} cells.",
        rows_checked,
    ]
    return FoundRelease(
        plan=plan,
        record=record,
        completed=record,  # a histogram has no error bars that follow from the rows
        synthetic=synthetic,
        checks=checks,
        otherwise=otherwise,
        means=means,
    )


@dataclass(frozen=True)
class CheckedMeasurements:
    """The measurements of a release by marginals, checked.

    Attributes:
        plan: The plan of the release.
        record: The measurements, with the beliefs of the model.
        checks: A sentence about each claim.
        otherwise: The names of texts that another version wrote in other words.
    """

    plan: Plan
    record: "MarginalsRecord"
    checks: list[str]
    otherwise: list[str]


def check_measurements(
    archive: Archive,
    signed: MarginalsCertificate,
    domain: Domain,
    *,
    public: "PublicTable | None",
) -> CheckedMeasurements:
    """Check the measurements for a model: their costs, their noise and their counts.

    Args:
        archive: The unpacked bundle.
        signed: The bundle's certificate.
        domain: The declared columns of the bundle.
        public: The public table that was the model's first guess, if it is at hand.

    Raises:
        RefutedError: A claim does not hold.
    """
    from synth.verification import marginals, payments

    certificate = without_payments(signed, domain)
    plan = files.check_plan_file(archive, certificate, domain)
    marginals.check_plan(plan, certificate)
    compared = marginals.check_public(plan, public)
    spends = payments.check_spends(certificate, plan)
    otherwise = files.check_texts(archive, signed, plan, domain=domain)
    record = marginals.check_record(archive, certificate, plan, spends=spends)
    checks = [
        "The certificate has the published form.",
        *_say_measured(spends, record),
        *compared,
    ]
    rules = plan.check_model(domain)
    believed = marginals.add_beliefs(record, certificate, plan, rules=rules, public=public)
    return CheckedMeasurements(plan, believed, checks, otherwise)


def _say_measured(spends: "tuple[Spend, ...]", record: "MarginalsRecord") -> list[str]:
    """Return the two sentences about the payments and the noisy counts, which were checked.

    Args:
        spends: All payments of the release.
        record: The noisy histograms of the release.
    """
    paid = "The one spend adds"
    if len(spends) > 1:
        paid = f"The {len(spends)} spends add"
    counts = sum(marginal.values.size for _, marginal in record.measured)
    histograms = len(record.measured)
    noun = "histogram" if histograms <= 1 else "histograms"
    return [
        f"{paid} up to the guarantee exactly, and each pays for its noise.",
        f"{counts:,} noisy counts fit the cells of {histograms} {noun}.",
    ]


def check_marginals(
    archive: Archive,
    signed: MarginalsCertificate,
    domain: Domain,
    *,
    public: "PublicTable | None",
    redraw: bool,
) -> FoundRelease:
    """Check a release by marginals.

    Args:
        archive: The unpacked bundle.
        signed: The bundle's certificate.
        domain: The declared columns of the bundle.
        public: The public table that was the model's first guess, if it is at hand.
        redraw: Whether to draw the rows again, which is as slow as the release.

    Raises:
        RefutedError: A claim does not hold.
    """
    from synth.verification import columns, marginals, redrawn

    measurements = check_measurements(archive, signed, domain, public=public)
    plan = measurements.plan
    record = measurements.record
    synthetic, rows_checked = marginals.check_rows(archive, signed, plan, record=record)
    drawn_again = redrawn.NOT_DRAWN_AGAIN
    if redraw:
        drawn_again = redrawn.draw_again(signed, plan, record, rows=synthetic)
    checks = [*measurements.checks, rows_checked, drawn_again.sentence]
    # Where the rows themselves were not confirmed, their columns may still be.
    if isinstance(drawn_again.sentence, OpenClaim):
        checks.append(columns.check_columns(plan, record, synthetic))
    return FoundRelease(
        plan=plan,
        record=record,
        completed=drawn_again.complete(record),
        synthetic=synthetic,
        checks=checks,
        otherwise=measurements.otherwise,
        means=drawn_again.means,
    )
