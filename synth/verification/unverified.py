"""Open a bundle although a claim does not hold, if you ask for that explicitly.

Only what reading needs is checked. All results carry the sentence about the refuted claim.
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
from synth.estimate import HistogramRecord, Record, repair_counts
from synth.plans import Plan
from synth.rows import SyntheticTable, draw_rows, value_laws
from synth.verification import files, histogram, marginals


def open_unverified(path: str | Path) -> Result:
    """Read a bundle as far as its noisy counts and rows allow, or raise a `SynthError`."""
    archive = read_archive(path)
    try:
        signed = files.certificate_of(files.certificate_in(archive))
        if not isinstance(signed, ReleaseCertificate):
            files.refuse_unopened(signed)
        plan = Plan.from_json(archive.json(PLAN))
        record, synthetic = _record(archive, signed, plan)
        return Result(plan, record, signed, repeated=True, synthetic=synthetic)
    except SynthError:
        raise
    except (ArithmeticError, LookupError, TypeError, ValueError, RecursionError, AttributeError):
        raise ReleaseError("Synth cannot read the bundle, even unverified.") from None


def _record(
    archive: Archive, signed: ReleaseCertificate, plan: Plan
) -> tuple[Record, SyntheticTable]:
    domain, seed = plan.domain, int(signed.drawing.seed)
    if isinstance(signed, HistogramCertificate):
        noisy = histogram.noisy_read(archive, signed, domain)
        distribution = repair_counts(noisy, signed.repair)
        counted = HistogramRecord(noisy, distribution, histogram.moments_of(signed, domain))
        return counted, draw_rows(distribution, signed.rows, seed=seed, laws=value_laws(counted))
    assert isinstance(signed, MarginalsCertificate)
    spends = tuple(marginals.spend_of(one, domain) for one in signed.mechanism.marginals)
    rows = files.rows_of(archive, signed, domain)
    record = marginals.record_read(archive, signed, plan, spends)
    return record, marginals.encode_rows(rows, record, seed)
