"""Make the certificate of a release. PUBLIC."""

from collections.abc import Sequence
from fractions import Fraction
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Literal

from synth.bundle.certificate import HistogramCertificate, MarginalsCertificate
from synth.bundle.certificate_parts import (
    NOT_IN_LEDGER,
    Drawing,
    ExpectedError,
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
from synth.door import ALGORITHM, Entry
from synth.estimate import (
    RECIPES,
    Favour,
    HistogramRecord,
    NoisyCounts,
    Preparation,
    Record,
    Spend,
    rounding_digest,
)
from synth.plans import Plan
from synth.privacy import Unit
from synth.util.version import __version__

if TYPE_CHECKING:
    from synth.estimate import MarginalsRecord

# The entry of the versions about how the machine rounds.
ROUNDING = "rounding"


def make_certificate(
    plan: Plan,
    record: HistogramRecord,
    rows: int,
    *,
    entry: Entry,
    head: str | None,
    seed: int,
    preparations: Sequence[Preparation] = (),
) -> HistogramCertificate:
    """Return the certificate of a release by histogram, without the hashes of its files.

    ``head`` is the hash of the ledger's newest event of the release, None without a ledger file.
             The certificate covers the preparations too.
    """
    noisy, unit = record.noisy, plan.unit
    certificate = HistogramCertificate(
        **_common(plan, record, rows, preparations, entry, head),
        guarantee=claim_of(plan.epsilon, plan.neighbors, unit=str(unit)),
        caveats=(*CONDITIONS, plan.reading.caveat),
        mechanism=_mechanism(noisy, unit, record.spends),
        number_of_rows=noisy.rows_in_words,
        noisy_counts="all cells"
        if noisy.threshold is None
        else f"cells with a count of {noisy.threshold} or more",
        released=HistogramReleased(noisy.rows, noisy.noisy_rows, noisy.threshold),
        repair=record.repair,
        drawing=Drawing("systematic", str(seed)),
    )
    return with_preparations(certificate, preparations)


def certify_model(
    plan: Plan,
    record: "MarginalsRecord",
    rows: int,
    *,
    entry: Entry,
    head: str | None,
    seed: int,
    preparations: Sequence[Preparation] = (),
) -> MarginalsCertificate:
    """Return the certificate of a release by marginals: see `make_certificate`.

    If rows were fitted to pairs, it names what they favour and the column to predict.
    """
    spent = record.spent
    delta = plan.delta if spent.rho is not None else Fraction(0)
    joined = RECIPES[record.strategy].settles
    certificate = MarginalsCertificate(
        **_common(plan, record, rows, preparations, entry, head),
        guarantee=claim_of(plan.epsilon, plan.neighbors, delta, str(plan.unit)),
        caveats=(*CONDITIONS, plan.reading.caveat, *plan.caveats_of(spent)),
        mechanism=read_typed(MarginalsMechanism, record.describe()),
        number_of_rows=record.rows_in_words,
        noisy_counts="all cells of every marginal",
        released=MarginalsReleased(record.rows, int(record.total)),
        expected_error=tuple(
            ExpectedError(bar.names, bar.measured, bar.expected) for bar in record.bars
        ),
        favour=plan.favour if joined else Favour.ERRORS,
        predict=plan.predict if joined else "",
        drawing=Drawing("systematic, then adjusted to the marginals", str(seed)),
    )
    return with_preparations(certificate, preparations)


def _common(
    plan: Plan,
    record: Record,
    rows: int,
    preparations: Sequence[Preparation],
    entry: Entry,
    head: str | None,
) -> dict[str, Any]:
    return {
        "rows_fit": rows_fit(record, preparations)[0],
        "created": entry.time,
        "neighbors": plan.neighbors,
        "privacy_unit": str(plan.unit),
        "max_rows": plan.unit.max_rows,
        "domain_origin": record.domain.origin,
        "declaration": declaration_record(record.domain, preparations),
        "rows": rows,
        "identifiers": record_identifiers(plan.domain, rows),
        "algorithm": ALGORITHM,
        "dataset": entry.dataset,
        "ledger": record_of_spend(entry, head),
        "versions": versions(),
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


def _mechanism(noisy: NoisyCounts, unit: Unit, spends: Sequence[Spend]) -> HistogramMechanism:
    return HistogramMechanism(
        "discrete Laplace noise on the histogram of all cells",
        unit.sensitivity(noisy.neighbors),
        noisy.scale,
        noisy.domain.size,
        "exact inversion on the operating system's randomness",
        tuple(read_typed(Payment, one.describe(noisy.domain.names)) for one in spends),
    )
