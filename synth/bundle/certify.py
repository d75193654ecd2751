"""Make the certificate of a release. PUBLIC."""

from collections.abc import Sequence
from fractions import Fraction
from importlib.metadata import version
from typing import Any, Literal

from synth.bundle.certificate import (
    HistogramCertificate,
    MarginalsCertificate,
    ReleaseCertificate,
)
from synth.bundle.certificate_parts import (
    NOT_IN_LEDGER,
    Drawing,
    ErrorBar,
    HistogramMechanism,
    HistogramReleased,
    IdentifierRecord,
    LedgerRecord,
    MarginalsMechanism,
    MarginalsReleased,
    Payment,
)
from synth.bundle.claims import CONDITIONS, claim_of
from synth.bundle.declaration import declaration_record, rows_fit, with_preparations
from synth.bundle.typed_json import read_typed
from synth.domain import Domain
from synth.door import ALGORITHM, Entry, Preparation
from synth.estimate import RECIPES, Favour, HistogramRecord, MarginalsRecord, rounding_digest
from synth.plans import Plan
from synth.util.version import __version__

# The entry of the versions about how the machine rounds.
ROUNDING = "rounding"


def make_certificate(
    plan: Plan,
    record: HistogramRecord | MarginalsRecord,
    rows: int,
    *,
    entry: Entry,
    head: str | None,
    seed: int,
    preparations: Sequence[Preparation] = (),
) -> ReleaseCertificate:
    """Return the certificate of a release, without the hashes of its files.

    ``head`` is the hash of the ledger's newest event of the release, None without a ledger
    file.
             The certificate covers the preparations too.
    """
    kind: type[ReleaseCertificate] = MarginalsCertificate
    if isinstance(record, HistogramRecord):
        kind, drawn, own = HistogramCertificate, "systematic", _of_histogram(plan, record)
    else:
        drawn, own = "systematic, then adjusted to the marginals", _of_model(plan, record)
    certificate = kind(
        rows_fit=rows_fit(record, preparations)[0],
        created=entry.time,
        neighbors=plan.neighbors,
        privacy_unit=str(plan.unit),
        max_rows=plan.unit.max_rows,
        domain_origin=record.domain.origin,
        declaration=declaration_record(record.domain.provenance, preparations),
        rows=rows,
        identifiers=record_identifiers(plan.domain, rows),
        algorithm=ALGORITHM,
        dataset=entry.dataset,
        ledger=record_of_spend(entry, head),
        versions=versions(),
        drawing=Drawing(drawn, str(seed)),
        **own,
    )
    return with_preparations(certificate, preparations)


def _of_histogram(plan: Plan, record: HistogramRecord) -> dict[str, Any]:
    noisy, listed = record.noisy, "all cells"
    if noisy.threshold is not None:
        listed = f"cells with a count of {noisy.threshold} or more"
    return {
        "guarantee": claim_of(plan.epsilon, plan.neighbors, unit=str(plan.unit)),
        "caveats": (*CONDITIONS, plan.reading.caveat),
        "mechanism": HistogramMechanism(
            name="discrete Laplace noise on the histogram of all cells",
            sensitivity=plan.unit.sensitivity(noisy.neighbors),
            scale=noisy.scale,
            cells=noisy.domain.size,
            sampler="exact inversion on the operating system's randomness",
            moments=tuple(
                read_typed(Payment, one.describe(noisy.domain.names)) for one in record.spends
            ),
        ),
        "number_of_rows": noisy.rows_in_words,
        "noisy_counts": listed,
        "released": HistogramReleased(
            rows=noisy.rows,
            noisy_rows=noisy.noisy_rows,
            threshold=noisy.threshold,
            left_out=noisy.left_out,
        ),
        "repair": record.repair,
    }


def _of_model(plan: Plan, record: MarginalsRecord) -> dict[str, Any]:
    # If rows were fitted to pairs, it names what they favour and the column to predict.
    spent = record.spent
    delta = plan.delta if spent.rho is not None else Fraction(0)
    joined = RECIPES[record.strategy].settles
    bars = (ErrorBar(one.names, one.measured, one.expected) for one in record.bars)
    return {
        "guarantee": claim_of(plan.epsilon, plan.neighbors, delta, unit=str(plan.unit)),
        "caveats": (*CONDITIONS, plan.reading.caveat, *plan.caveats_of(spent)),
        "mechanism": read_typed(MarginalsMechanism, record.describe()),
        "number_of_rows": record.rows_in_words,
        "noisy_counts": "all cells of every marginal",
        "released": MarginalsReleased(record.rows, int(record.total)),
        "error_bars": tuple(bars),
        "favour": plan.favour if joined else Favour.ERRORS,
        "predict": plan.predict if joined else "",
    }


def record_identifiers(domain: Domain, rows: int) -> tuple[IdentifierRecord, ...]:
    return tuple(
        IdentifierRecord(one.name, one.pattern, max(0, rows - one.available))
        for one in domain.identifiers
    )


def record_of_spend(
    entry: Entry | None, head: str | None
) -> LedgerRecord | Literal["not recorded in a ledger"]:
    return LedgerRecord(entry.number, head) if head and entry else NOT_IN_LEDGER


def versions() -> dict[str, str]:
    names = ("numpy", "duckdb", "pyarrow", "plotly")
    numbers = {name: version(name) for name in names}
    return {"synth": __version__, **numbers, ROUNDING: rounding_digest()}
