"""Make the certificate of a release. PUBLIC."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Literal, cast

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
from synth.estimate import RECIPES, Favour, rounding_digest
from synth.plans import Plan
from synth.util.version import __version__

if TYPE_CHECKING:
    from synth.estimate import HistogramRecord, MarginalsRecord

# The entry of the versions about how the machine rounds.
ROUNDING = "rounding"


@dataclass(frozen=True, kw_only=True)
class SpendOfRelease:
    """What a ledger says of a release.

    Attributes:
        entry: The spend.
        head: Hash of the ledger's newest event of the release; None without a ledger file.
        preparations: Payments before the release; the certificate covers them too.
    """

    entry: Entry
    head: str | None
    preparations: Sequence[Preparation] = ()


def make_certificate(
    plan: Plan,
    record: HistogramRecord | MarginalsRecord,
    rows: int,
    *,
    spend: SpendOfRelease,
    seed: int,
) -> ReleaseCertificate:
    """Return the certificate of a release, without the digests of its files.

    Args:
        plan: The plan of the release.
        record: The noisy counts, of a histogram or of marginals.
        spend: The ledger's record of the release.
        rows: The number of synthetic rows.
        seed: The seed of the rows.
    """
    entry = spend.entry
    # Drafts and checks of the declaration that were paid before the release.
    preparations = spend.preparations
    # ``rounding`` says how shares became whole numbers of rows.
    kind: type[ReleaseCertificate]
    if plan.by_model:
        kind = MarginalsCertificate
        rounding = "systematic, then adjusted to the marginals"
        fields = _marginals_fields(plan, cast("MarginalsRecord", record))
    else:
        kind = HistogramCertificate
        rounding = "systematic"
        fields = _histogram_fields(plan, cast("HistogramRecord", record))
    certificate = kind(
        # The second value, whether the release is mostly noise, is no part of it.
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
        ledger=record_of_spend(entry, spend.head),
        versions=versions(),
        drawing=Drawing(rounding, str(seed)),
        **fields,
    )
    # So far, the guarantee is that of the release alone.
    return with_preparations(certificate, preparations)


def _histogram_fields(plan: Plan, record: HistogramRecord) -> dict[str, Any]:
    """Return the fields that depend on a histogram, by their names in the certificate.

    Args:
        plan: The plan of the release.
        record: The release's noisy counts, and the payments for sums of numbers.
    """
    noisy = record.noisy
    listed_cells = "all cells"
    if noisy.threshold is not None:
        listed_cells = f"cells with a count of {noisy.threshold} or more"
    return {
        # ``plan.reading`` says what counts as a row of the table.
        "guarantee": claim_of(plan.epsilon, plan.neighbors, unit=str(plan.unit)),
        "caveats": (*CONDITIONS, plan.reading.caveat, *plan.caveats),
        "mechanism": HistogramMechanism(
            name="discrete Laplace noise on the histogram of all cells",
            sensitivity=plan.unit.sensitivity(noisy.neighbors),
            scale=noisy.scale,
            cells=noisy.domain.size,
            sampler="exact inversion on the operating system's randomness",
            moments=tuple(
                read_typed(Payment, spend.describe(noisy.domain.names))
                for spend in record.spends
            ),
        ),
        "number_of_rows": noisy.rows_in_words,
        "noisy_counts": listed_cells,
        "released": HistogramReleased(
            rows=noisy.rows,
            noisy_rows=noisy.noisy_rows,
            threshold=noisy.threshold,
            left_out=noisy.left_out,
        ),
        "repair": record.repair,
    }


def _marginals_fields(plan: Plan, record: MarginalsRecord) -> dict[str, Any]:
    """Return the fields that depend on marginals, by the names of the certificate.

    If rows were fitted to pairs, it names their target and the column to predict.
    """
    spent = record.spent
    # A spend in rho needs the delta to become an epsilon; a pure epsilon needs none.
    delta = plan.delta if spent.rho is not None else Fraction(0)
    # Only these methods have a target and a column to predict. For others, the fields get
    # their defaults, which the file leaves out.
    fits_pairs = RECIPES[record.strategy].settles
    # The error bars of single pairs of columns, largest first.
    bars = (ErrorBar(bar.names, bar.measured, bar.expected) for bar in record.bars)
    return {
        "guarantee": claim_of(plan.epsilon, plan.neighbors, delta, unit=str(plan.unit)),
        "caveats": (*CONDITIONS, plan.reading.caveat, *plan.caveats_of(spent)),
        "mechanism": read_typed(MarginalsMechanism, record.describe()),
        "number_of_rows": record.rows_in_words,
        "noisy_counts": "all cells of every marginal",
        "released": MarginalsReleased(record.rows, int(record.total)),
        "error_bars": tuple(bars),
        "favour": plan.favour if fits_pairs else Favour.ERRORS,
        "predict": plan.predict if fits_pairs else "",
    }


def record_identifiers(domain: Domain, rows: int) -> tuple[IdentifierRecord, ...]:
    """Return the certificate's part about ID columns.

    Args:
        domain: The declared columns.
        rows: The number of synthetic rows. Rows beyond a pattern's number of IDs have none.
    """
    return tuple(
        IdentifierRecord(
            column=column.name,
            pattern=column.pattern,
            empty=max(0, rows - column.available),
        )
        for column in domain.identifiers
    )


def record_of_spend(
    entry: Entry | None, head: str | None
) -> LedgerRecord | Literal["not recorded in a ledger"]:
    """Return the certificate's part about the ledger.

    Args:
        entry: The spend; None if nothing was spent.
        head: Hash of the ledger's newest event; None without a ledger file.
    """
    if not head or entry is None:
        return NOT_IN_LEDGER
    return LedgerRecord(
        entry=entry.number,
        head=head,
        requested_by=entry.by if entry.approved_by else "",
        approved_by=entry.approved_by,
    )


def versions() -> dict[str, str]:
    """Return the versions of Synth and its packages by name, and how the machine rounds.

    The entry `ROUNDING` is no version but a digest of sums on this machine.
    """
    names = ("numpy", "duckdb", "pyarrow")
    numbers = {name: version(name) for name in names}
    return {"synth": __version__, **numbers, ROUNDING: rounding_digest()}
