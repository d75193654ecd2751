"""Bundles opened again as releases although a claim does not hold. PUBLIC.

Only what reading needs is checked, so the noisy counts and the rows may be forged. All
results of such a bundle carry the sentence about the refuted claim.
"""

from pathlib import Path

from synth.bundle import (
    PLAN,
    Archive,
    HistogramCertificate,
    MarginalsCertificate,
    ReleaseCertificate,
    Result,
    read_archive,
)
from synth.errors import ReleaseError, SynthError
from synth.estimate import HistogramRecord, MarginalsRecord, repair_counts
from synth.plans import Plan
from synth.rows import SyntheticTable, draw_rows, value_laws
from synth.verification import bundled_rows, files, histogram, marginals, payments


def open_unverified(path: str | Path) -> Result:
    """Read a release of one table from a zip file, without checking its claims.

    Raises:
        SynthError: The bundle holds no release of one table, or its parts do not fit
            together.
    """
    archive = read_archive(path)
    try:
        signed = files.parse_certificate(files.read_certificate(archive))
        if not isinstance(signed, ReleaseCertificate):
            files.refuse_unopened(signed)
        return _read_result(archive, signed)
    except SynthError:
        raise
    except files.CONTRADICTIONS:
        raise ReleaseError("Synth cannot read the bundle, even unverified.") from None


def _read_result(archive: Archive, signed: ReleaseCertificate) -> Result:
    """Return the release that the files describe.

    The rows of a histogram are drawn from its noisy counts and the seed; the rows of a model
    are read from the bundle.

    Args:
        archive: The unpacked bundle.
        signed: The bundle's certificate.
    """
    plan = Plan.from_json(archive.json(PLAN))
    record: HistogramRecord | MarginalsRecord
    if isinstance(signed, HistogramCertificate):
        record = _read_histogram(archive, signed, plan)
        synthetic = draw_rows(
            record.distribution,
            signed.rows,
            seed=int(signed.drawing.seed),
            laws=value_laws(record),
        )
    else:
        assert isinstance(signed, MarginalsCertificate)
        record, synthetic = _read_marginals(archive, signed, plan)
    return Result(
        plan=plan, record=record, certificate=signed, repeated=True, synthetic=synthetic
    )


def _read_histogram(
    archive: Archive, signed: HistogramCertificate, plan: Plan
) -> HistogramRecord:
    """Return the noisy counts of a histogram, their repair, and the noisy sums of numbers.

    The repair removes negative counts, so that rows can be drawn.
    """
    noisy = histogram.read_noisy_counts(archive, signed, plan.domain)
    return HistogramRecord(
        noisy=noisy,
        distribution=repair_counts(noisy, signed.repair),
        spends=histogram.read_moments(signed, plan.domain),
    )


def _read_marginals(
    archive: Archive, signed: MarginalsCertificate, plan: Plan
) -> tuple[MarginalsRecord, SyntheticTable]:
    """Return the measurements of a release by marginals, and the bundle's rows.

    The rows are read as codes of cells, and their values are drawn again from the seed.
    """
    spends = tuple(
        payments.read_spend(payment, plan.domain) for payment in signed.mechanism.marginals
    )
    rows = bundled_rows.read_rows(archive, signed, plan.domain)
    record = marginals.read_record(archive, signed, plan, spends=spends)
    return record, bundled_rows.encode_rows(rows, record, int(signed.drawing.seed))
